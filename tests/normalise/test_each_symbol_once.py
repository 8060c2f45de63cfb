"""However long the corpus, each distinct symbol is read once."""

from collections import Counter

from support import transcript_of

from phonxling.load.features import panphon_features
from phonxling.normalise.maps import SymbolSet
from phonxling.normalise.phones import SymbolRules, normalise


def test_each_distinct_symbol_is_read_once() -> None:
    read: Counter[str] = Counter()

    def reading(symbol: str) -> str:
        read[symbol] += 1
        return symbol

    symbols = ["a", "t", "t͡ʂ", "aɪ"]
    phones, audit = normalise(
        transcript_of([symbols * 500] * 5), SymbolSet("mine", reading=reading), panphon_features(), SymbolRules()
    )
    assert read == dict.fromkeys(symbols, 1)
    assert len(phones.codes) == 10_000
    assert [row.count for row in audit] == [2500] * 4
