"""Which built-in symbol set some raw symbols are written in: what each set knows of them, and which fits best."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from phonxling.core.phonology.features import FeatureTable
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN, CLOSURES, LABELS, SILENCE, SymbolSet
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segment

MOST = 500  # symbols, the most frequent, that are tried: words are many, and each takes a millisecond
_SETS = ("ipa", "arpabet", "timit39", "timit48", "timit61", "xsampa", "ipa-joined")  # of equals the first
_PLAIN = re.compile(r"[A-Za-z]{2,}")  # a label or a word, unlikely to be the spelling of one phone in IPA
_RULES = SymbolRules()
_Phones = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """How one built-in symbol set reads some symbols.

    Parameters
    ----------
    name : str
        The symbol set.
    tried : int
        Number of distinct symbols that were tried.
    unknown : tuple of str
        Those that the set does not know, the most frequent first.
    doubtful : tuple of str
        Those that it knows as IPA, or as a word of IPA, though they are several plain letters, such as `ae` or `sh`.
    merged : tuple of (str, str)
        Those that it reads as the same phone as a more frequent one, with that one, or with "" when they are dropped;
        silences and closures are not among them.
    """

    name: str
    tried: int
    unknown: tuple[str, ...]
    doubtful: tuple[str, ...]
    merged: tuple[tuple[str, str], ...]


def fits(counts: Mapping[str, int], table: FeatureTable) -> list[Fit]:
    """Return how each built-in set reads raw symbols (number of tokens by symbol), the set that fits best first.

    A set fits the better the fewer symbols are unknown or doubtful in it, then the fewer it merges. Of sets that read
    all alike, IPA comes first, then the set whose own labels these are. Words of joined IPA come last, unless IPA knows
    less than half of the symbols.

    Examples
    --------
    >>> from phonxling.load.resources.features import panphon_features
    >>> [fit.name for fit in fits({"hh": 1, "ao": 2, "aa": 3, "oth": 1}, panphon_features())][:3]
    ['arpabet', 'timit48', 'timit61']
    >>> fits({"HH": 1, "AO": 2, "AA": 3}, panphon_features())[0]
    Fit(name='arpabet', tried=3, unknown=(), doubtful=(), merged=())
    """
    symbols = sorted(counts, key=lambda symbol: -counts[symbol])[:MOST]
    spoken = {symbol.lower() for symbol in symbols} - SILENCE
    own = next((name for name, labels in LABELS.items() if spoken <= labels), "")
    tried = [_fit(name, symbols, table) for name in _SETS]
    few_words = 2 * len(tried[0].unknown) <= len(symbols)
    return sorted(tried, key=lambda fit: (few_words and fit.name == "ipa-joined", *_misfit(fit, own)))


def _misfit(fit: Fit, own: str) -> tuple[int, int, int, bool, int]:
    doubts = len(fit.unknown) + len(fit.doubtful)
    return doubts, len(fit.unknown), len(fit.merged), fit.name not in {own, "ipa"}, _SETS.index(fit.name)


def _fit(name: str, symbols: list[str], table: FeatureTable) -> Fit:
    chosen = BUILT_IN[name]
    readings = {symbol: _reading(symbol, chosen, table) for symbol in symbols}
    known = {symbol: phones for symbol, phones in readings.items() if phones is not None}
    return Fit(
        name=name,
        tried=len(symbols),
        unknown=tuple(symbol for symbol in symbols if symbol not in known),
        doubtful=tuple(symbol for symbol in known if chosen.ipa is None and _is_plain(symbol)),
        merged=tuple(_merged(known)),
    )


def _is_plain(symbol: str) -> bool:
    return bool(_PLAIN.fullmatch(symbol)) and symbol.lower() not in SILENCE


def _reading(symbol: str, chosen: SymbolSet, table: FeatureTable) -> _Phones | None:
    """Return the phones that a set reads a symbol as; None where it does not know it, or a phone of the word."""
    joined = chosen.joined and symbol.lower() not in SILENCE
    fates = [decide(part, chosen, table, _RULES) for part in (segment(symbol, table) if joined else [symbol])]
    known = [fate for fate in fates if fate is not None]
    return tuple(phone for fate in known for phone in fate.phones) if len(known) == len(fates) else None


def _merged(known: Mapping[str, _Phones]) -> list[tuple[str, str]]:
    first: dict[_Phones, str] = {(): ""}
    rows = [(symbol, phones) for symbol, phones in known.items() if symbol.lower() not in {*SILENCE, *CLOSURES}]
    return [(symbol, twin) for symbol, phones in rows if (twin := first.setdefault(phones, symbol)) != symbol]
