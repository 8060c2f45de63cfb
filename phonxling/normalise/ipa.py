"""IPA symbols to phones: Unicode forms, look-alikes, tie bars, stress; one symbol at a time, each only once."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

from phonxling.core.audit import Action
from phonxling.core.features import TIE, FeatureTable, Origin, canonical
from phonxling.core.tone import Levels, read_tones, shown_tone, split_tone

Tone = Literal["tier", "attach", "strip"]

# Letters that look like, or stand for, the IPA's own. The rhotic vowels are spelt as the feature table spells them.
_LOOK_ALIKES = str.maketrans(
    {
        "g": "ɡ",
        ":": "ː",
        "ʧ": "t͡ʃ",
        "ʤ": "d͡ʒ",
        "ʦ": "t͡s",
        "ʣ": "d͡z",
        "ʨ": "t͡ɕ",
        "ʥ": "d͡ʑ",
        "ɚ": "ə˞",
        "ɝ": "ɜ˞",
        "'": "ʼ",  # ejective; at the start of a symbol it is stress
        "’": "ʼ",
        "\u035c": TIE,
        "\u030d": "\u0329",  # a syllabic mark written above
    }
)
_STRESS = "ˈˌ"


@dataclass(frozen=True, slots=True)
class Fate:
    """What a raw symbol becomes: no phone, one, or several, and the tones (separated by spaces) that came off it."""

    phones: tuple[str, ...]
    action: Action
    features: Origin
    tone: str = ""

    @property
    def shown(self) -> str:
        """The symbol as the audit shows it: the phones, then the tones."""
        return " ".join([*self.phones, *map(shown_tone, self.tone.split())])


def read_ipa(raw: str, table: FeatureTable, tone: Tone, levels: Levels = "three") -> Fate | None:
    """Return what an IPA symbol becomes; None when neither the table nor a rule knows it.

    With `tone: tier` the tone comes off and is kept beside the phone, with `strip` it is dropped, with `attach` it
    ends the phone; in tone letters, accents read in three or five levels. Stress marks come off. Phones are in NFC,
    spelt as the table spells them.

    Examples
    --------
    >>> table = FeatureTable(
    ...     name="toy", digest="", features=("syl",), segments=("ɡ", "t͡ʃ"), values=[[-1], [-1]], weights={}
    ... )
    >>> read_ipa("g", table, "tier").phones, read_ipa("tʃ", table, "tier").action, read_ipa("x", table, "tier")
    (('ɡ',), 'folded', None)
    """
    segment, marks = _segment_and_tone(raw, levels)
    if not segment and marks and tone != "attach":
        return Fate((), "split", "none", marks) if tone == "tier" else Fate((), "dropped", "none")
    if tone == "attach" and marks:
        return _attached(raw, segment, marks, table)
    phone, features = _spell(segment, table)
    if phone is None:
        return None
    if marks:
        return Fate((phone,), "split" if tone == "tier" else "folded", features, marks if tone == "tier" else "")
    return Fate((phone,), _kept_or_folded(raw, phone), features)


def keep_ipa(raw: str, tone: Tone, levels: Levels = "three") -> Fate:
    """Return an IPA symbol that nobody knows as a phone: folded, its tone treated as that of any other symbol."""
    segment, marks = _segment_and_tone(raw, levels)
    phone = unicodedata.normalize("NFC", segment + _joined(marks) if tone == "attach" else segment) or raw
    return Fate((phone,), "unknown", "none", marks if tone == "tier" else "")


def _segment_and_tone(raw: str, levels: Levels) -> tuple[str, str]:
    """Return a symbol's canonical segment and its tones: tone first, whose accents are the only marks with an order."""
    segment, marks = split_tone(_fold(raw))
    return canonical(_place_tie(segment)), read_tones(marks, levels)


def _joined(tones: str) -> str:
    return tones.replace(" ", "")


def _attached(raw: str, segment: str, tones: str, table: FeatureTable) -> Fate | None:
    phone, _ = _spell(segment, table) if segment else ("", "table")
    if phone is None:
        return None
    whole = unicodedata.normalize("NFC", phone + _joined(tones))
    return Fate((whole,), _kept_or_folded(raw, whole), table.vector(whole)[1])


def _fold(raw: str) -> str:
    letters = unicodedata.normalize("NFD", raw).lstrip("'" + _STRESS).translate(_LOOK_ALIKES)
    return "".join(letter for letter in letters if letter not in _STRESS)


def _place_tie(symbol: str) -> str:
    """Return the symbol with a tie bar that stands after its second letter (kp͡) moved between the two (k͡p)."""
    place = symbol.find(TIE)
    if place > 1 and place == len(symbol) - 1 and symbol[place - 1].isalpha():
        return symbol[: place - 1] + TIE + symbol[place - 1 : place]
    return symbol


def _spell(segment: str, table: FeatureTable) -> tuple[str | None, Origin]:
    spelt = table.spelling(segment) or _tied(segment, table)
    if spelt is not None:
        return spelt, "table"
    composed = table.vector(segment)[1] == "composed"
    return (unicodedata.normalize("NFC", segment), "composed") if composed else (None, "none")


def _tied(segment: str, table: FeatureTable) -> str | None:
    """Return the one phone that two letters written without a tie bar stand for (dʒ → d͡ʒ), if the table has it."""
    cuts = [cut for cut in range(1, len(segment)) if not unicodedata.combining(segment[cut])]
    found = [spelt for cut in cuts if (spelt := table.spelling(segment[:cut] + TIE + segment[cut:]))]
    return found[0] if found and TIE not in segment else None


def _kept_or_folded(raw: str, phone: str) -> Action:
    return "kept" if unicodedata.normalize("NFC", raw) == phone else "folded"
