"""Symbol sets: TIMIT's labels and ARPAbet as tables to IPA, and a user's own table.

Sources: Garofolo et al. (1993), the TIMIT documentation's list of phone labels; Lee & Hon (1989) for the folding to 48
and to 39 classes; the CMU Pronouncing Dictionary's phone list. The IPA letters are the usual ones; where a label names
an allophone, its diacritic is kept (ax-h ə̥, nx ɾ̃, eng ŋ̩).
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

_SHARED = """
    aa ɑ  ae æ  ah ʌ  aw aʊ  ay aɪ  b b  ch t͡ʃ  d d  dh ð  dx ɾ  eh ɛ  er ɜ˞  ey eɪ  f f  g ɡ  hh h  ih ɪ  iy i
    jh d͡ʒ  k k  l l  m m  n n  ng ŋ  ow oʊ  oy ɔɪ  p p  r ɹ  s s  sh ʃ  t t  th θ  uh ʊ  uw u  v v  w w  y j  z z
"""
_FINER48 = _SHARED + "ao ɔ  ax ə  el l̩  en n̩  ix ɨ  zh ʒ"
_FINER61 = _FINER48 + "  ax-h ə̥  axr ə˞  em m̩  eng ŋ̩  hv ɦ  nx ɾ̃  q ʔ  ux ʉ"
_ARPABET = _FINER61.replace("ax-h ə̥", "") + "  wh ʍ"

# Labels of a closure that stands before its release, and the releases it may belong to.
CLOSURES = {
    "bcl": ("b",),
    "dcl": ("d", "jh"),
    "gcl": ("g",),
    "pcl": ("p",),
    "tcl": ("t", "ch"),
    "kcl": ("k",),
}
# Silence, noise and padding of all sets; without regard to case. The empty label is Praat's silence.
SILENCE = frozenset(
    {"", "h#", "#", "pau", "epi", "sil", "sp", "spn", "nsn", "cl", "vcl", "silence", "noise"}
    | {"<sil>", "<sp>", "<spn>", "<nsn>", "<eps>", "<blk>", "<blank>", "<p:>", "<noise>"}
)
SILENCE_PHONE = "sil"


@dataclass(frozen=True)
class SymbolSet:
    """A named set of symbols and their IPA.

    Parameters
    ----------
    name : str
        For the signature and messages.
    ipa : mapping of str to str, or None
        IPA by symbol (in NFC), parts separated by spaces; "" drops the symbol; None means the symbols are IPA already.
    caseless : bool
        Whether case is ignored.
    stress_digits : bool
        Whether a final 0, 1 or 2 after a label is stress and comes off.
    closures : mapping of str to tuple of str
        Closures and their releases.
    raw : bool
        Whether symbols are compared as they stand: no map, no silence class, no features.
    """

    name: str
    ipa: Mapping[str, str] | None = None
    caseless: bool = False
    stress_digits: bool = False
    closures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    raw: bool = False

    def fold(self, raw: str) -> str:
        """Return the symbol as the map spells it: NFC, lower case and without a stress digit where the set says so."""
        composed = unicodedata.normalize("NFC", raw)
        symbol = composed.lower() if self.caseless else composed
        bare = symbol.rstrip("012")
        return bare if self.stress_digits and bare in (self.ipa or {}) and len(symbol) - len(bare) == 1 else symbol


def _table(text: str, **more: str) -> dict[str, str]:
    words = text.split()
    return {**more, **dict(zip(words[::2], words[1::2], strict=True))}


# Lee & Hon's foldings delete the glottal stop q: it maps to nothing, and the audit counts it.
BUILT_IN = {
    "ipa": SymbolSet("ipa"),
    "raw": SymbolSet("raw", raw=True),
    "timit39": SymbolSet("timit39", _table(_SHARED, q=""), caseless=True),
    "timit48": SymbolSet("timit48", _table(_FINER48, q=""), caseless=True),
    "timit61": SymbolSet("timit61", _table(_FINER61), caseless=True, closures=CLOSURES),
    "arpabet": SymbolSet("arpabet", _table(_ARPABET), caseless=True, stress_digits=True, closures=CLOSURES),
}
