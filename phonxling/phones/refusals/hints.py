"""What one unknown symbol may be: a letter of another alphabet, a mark that is not IPA's, several phones in one."""

import unicodedata

from phonxling.core.phonology.features import FeatureTable
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segment

# What looks like a letter or a mark of the IPA, and may stand for it or for something else: never folded, only named.
ALIKE = {
    **dict(zip("аеорсухіјѕһԁԛԝөєзӡ", "aeopcyxijshdqwɵɛɜʒ", strict=True)),
    **dict(zip("οινυητκρωδ", "oɩvʋŋtkpɯð", strict=True)),
    "?": "ʔ",
    "ɂ": "ʔ",
    "!": "ǃ",
    "|": "ǀ",
    "ı": "ɪ",
    "∫": "ʃ",
    "ß": "β",
    "\u0331": "\u0320",
    "\u0323": "\u0329",
    "\u0328": "\u0303",
    "\u0327": "\u0321",
}
_RULES = SymbolRules()


def hint(raw: str, symbols: SymbolSet, table: FeatureTable) -> str:
    """Return what an unknown symbol may be, "" when nothing sensible can be said."""
    row = symbols.to_ipa(raw) if symbols.mapped else symbols.row(raw)
    if row is not None:
        return f"mapped to '{row}', which the feature table does not know"
    return "" if symbols.mapped else _as_ipa(raw, table)


def _as_ipa(raw: str, table: FeatureTable) -> str:
    letters = unicodedata.normalize("NFD", raw)
    likely = "".join(ALIKE.get(letter, letter) for letter in letters)
    if likely != letters and _known(likely, table):
        return "; ".join(_alike(letter) for letter in dict.fromkeys(letters) if letter in ALIKE)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    if not bare:
        return "a mark without its letter"
    if bare != letters and _known(bare, table):
        marks = [letter for letter in letters if unicodedata.combining(letter)]
        odd = [mark for mark in marks if not _known(bare + mark, table)] or marks
        return f"{bare} is known, with {_named(odd[0])} it is not"
    parts = segment(raw, table)
    if 1 < len(parts) <= 3 and all(_known(part, table) for part in parts) and not raw.isascii():
        return f"several phones? {' '.join(parts)}"
    return ""


def _alike(letter: str) -> str:
    return f"{_named(letter)} looks like the IPA's {_named(ALIKE[letter])}"


def _named(letter: str) -> str:
    shown = f"◌{letter}" if unicodedata.combining(letter) else letter
    name = unicodedata.name(letter, "").lower().removeprefix("combining ")
    return f"{shown} (U+{ord(letter):04X}, {name})"


def _known(symbol: str, table: FeatureTable) -> bool:
    return decide(symbol, BUILT_IN["ipa"], table, _RULES) is not None
