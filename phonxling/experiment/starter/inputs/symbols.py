"""In which symbol set phones are written: a built-in one, or a map that lies beside them; and whether they are any."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from phonxling.load.resources.features import panphon_features
from phonxling.phones.fitting import fits
from phonxling.phones.maps import SILENCE

_TRIED = 60  # symbols where there are so many that they may be words
_MANY, _LONG = 300, 4.0  # distinct symbols, and their mean length, beyond which they may be words
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
_KNOWN = 0.7  # the share of tokens that a set must know of phones
_OF_WORDS = 0.85  # the same of words of joined phones: some of plain letters could be of any language


@dataclass(frozen=True, slots=True)
class Written:
    """The set that fits best, by name or as a map's path; the symbols that it does not know; the share of tokens known.

    One symbol alone, or none, is nothing to go by: the share is 0.
    """

    symbols: str | Path
    unknown: tuple[str, ...]
    share: float

    @property
    def plausible(self) -> bool:
        """Whether these can be phones at all."""
        return self.share >= (_OF_WORDS if self.symbols == "ipa-joined" else _KNOWN)


def written(counts: Mapping[str, int], maps: Mapping[Path, frozenset[str]] | None = None) -> Written:
    """Return in which set symbols are written. A map that knows all, and most of which is used, goes first.

    Examples
    --------
    >>> written({"hh": 4, "ax": 2, "zzz": 1})
    Written(symbols='arpabet', unknown=('zzz',), share=0.8571428571428571)
    >>> written(dict.fromkeys("this is what was said in the room".split(), 1)).plausible
    False
    """
    for path, known in (maps or {}).items():
        names = {normalize("NFC", symbol) for symbol in counts if symbol.lower() not in SILENCE}
        if names <= known and len(names) >= len(known) / 2:
            return Written(path, (), 1.0)
    spoken = Counter({symbol: number for symbol, number in counts.items() if symbol.lower() not in SILENCE})
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    tried = Counter(dict(spoken.most_common(_TRIED))) if len(spoken) > _MANY or length > _LONG else spoken
    joined = length > _LONG_PHONES
    best = next(fit for fit in fits(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    doubtful = {*best.unknown, *best.doubtful, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    return Written(best.name, best.unknown, share if len(tried) > 1 else 0.0)
