"""However long the corpus, each distinct symbol is read once."""

import tracemalloc
from collections import Counter

import numpy as np
from support import transcript_of

from phonxling.core.inventory import Inventory
from phonxling.core.sequences import Transcript
from phonxling.load.features import panphon_features
from phonxling.phones.maps import SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules


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


def test_phones_of_a_long_corpus_take_a_byte_each_and_are_never_held_twice() -> None:
    tokens = 8_000_000
    long = Transcript(
        utterances=("u",),
        offsets=np.array([0, tokens]),
        codes=np.arange(tokens, dtype=np.uint8) % 2,
        symbols=("t", "a"),
        places=("", ""),
    )
    table = panphon_features()
    tracemalloc.start()
    phones, _ = normalise(long, SymbolSet("ipa"), table, SymbolRules())
    phones.recode(Inventory(("t", "a")))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.6 * tokens  # the phones, and the same in other codes
