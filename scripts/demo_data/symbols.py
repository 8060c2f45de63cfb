"""Names of phones: the recogniser's ARPAbet, and espeak's symbols as the gold writes them."""

import csv
import unicodedata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

# The 39 phones of the CMU dictionary. The diphthongs are single tokens; panphon knows none of the five.
ARPABET_TO_IPA = MappingProxyType(
    {
        "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "aʊ", "AY": "aɪ", "B": "b", "CH": "t͡ʃ", "D": "d", "DH": "ð",
        "EH": "ɛ", "ER": "ɜ˞", "EY": "eɪ", "F": "f", "G": "ɡ", "HH": "h", "IH": "ɪ", "IY": "i", "JH": "d͡ʒ", "K": "k",
        "L": "l", "M": "m", "N": "n", "NG": "ŋ", "OW": "oʊ", "OY": "ɔɪ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ",
        "T": "t", "TH": "θ", "UH": "ʊ", "UW": "u", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
    }
)  # fmt: skip
ARPABET_SILENCE = "SIL"

# espeak's American English has more symbols than ARPAbet. Each is folded onto the phones that a CMU transcription
# would write; a symbol that holds a vowel and a consonant becomes the two.
_ENGLISH = {
    # Length is not distinctive in ARPAbet.
    "iː": "i", "uː": "u", "ɑː": "ɑ", "ɔː": "ɔ", "oː": "ɔ", "ɜː": "ɜ˞",
    # Reduced vowels: AH for the mid ones, IH for the high one, ER with r-colour.
    "ə": "ʌ", "ɐ": "ʌ", "ᵻ": "ɪ", "ɚ": "ɜ˞",
    # Vowels with r.
    "ɑːɹ": "ɑ ɹ", "ɔːɹ": "ɔ ɹ", "oːɹ": "ɔ ɹ", "ɛɹ": "ɛ ɹ", "ɪɹ": "ɪ ɹ", "ʊɹ": "ʊ ɹ", "aɪɚ": "aɪ ɜ˞",
    # Vowel with schwa, and syllabic consonants.
    "iə": "i ʌ", "aɪə": "aɪ ʌ", "əl": "ʌ l", "n̩": "ʌ n",
    # The tap and the glottal stop are allophones of T.
    "ɾ": "t", "ʔ": "t",
    "tʃ": "t͡ʃ", "dʒ": "d͡ʒ",
    # Sounds of loan words: Bach, Kant, croissant, and the trill of Spanish names.
    "x": "k", "a": "ɑ", "ɑ̃": "ɑ n", "r": "ɹ",
}  # fmt: skip

# Outside English, espeak's own symbols stay, but for affricates without tie bar and Spanish falling diphthongs, which
# espeak writes as one phone and panphon knows only as two.
_OTHER = {
    "tʃ": "t͡ʃ", "dʒ": "d͡ʒ",
    "aɪ": "a ɪ", "eɪ": "e ɪ", "oɪ": "o ɪ", "aʊ": "a ʊ", "eʊ": "e ʊ",
    # German and Italian affricates, and the long s; Finnish diphthongs.
    "ts": "t͡s", "dz": "d͡z", "ss": "sː",
    "ei": "e i", "ie": "i e", "ou": "o u", "uo": "u o", "oi": "o i", "iu": "i u", "ai": "a i", "au": "a u",
    "æi": "æ i", "ui": "u i", "yø": "y ø", "øy": "ø y", "æy": "æ y", "eu": "e u",
}  # fmt: skip


def fold(symbol: str, *, english: bool) -> tuple[str, ...]:
    """Return the phones that stand for a symbol of espeak: among the 39 in English, panphon's segments elsewhere."""
    table, known = (_ENGLISH, _ARPABET) if english else (_OTHER, _PANPHON)
    symbol = unicodedata.normalize("NFC", symbol)
    phones = tuple(table.get(symbol, symbol).split())
    if unknown := [phone for phone in phones if unicodedata.normalize("NFD", phone) not in known]:
        raise ValueError(f"no phone for espeak's {symbol!r}: {unknown} is not known; add it to the table")
    return phones


def _panphon_segments() -> frozenset[str]:
    """Segments of panphon's table, in NFD; the table is read as data, the package is not imported."""
    table = Path(find_spec("panphon").origin).with_name("data") / "ipa_all.csv"
    with table.open(encoding="utf-8", newline="") as lines:
        return frozenset(unicodedata.normalize("NFD", row["ipa"]) for row in csv.DictReader(lines))


_PANPHON = _panphon_segments()
_ARPABET = {unicodedata.normalize("NFD", phone) for phone in ARPABET_TO_IPA.values()}
