"""Confusions in context token by token; halves of a corpus."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import given, strategies as st
from made_alignments import ROWS, Pair, alignments_of

from phonxling.analyses.phones import context_table, neighbours, positions
from phonxling.analyses.statistics import halves_of
from phonxling.core.arrays import Codes
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.sequences import Corpus, from_lists

SORT = {"a": "vowel", "i": "vowel", "n": "nasal", "p": "stop", "ʘ": "other"}
WHERE = {(True, True): "alone", (True, False): "initial", (False, True): "final"}


def tokens_of(rows: list[list[Pair]]) -> list[tuple[str, str, str, str, str]]:
    """Return gold, predicted, the classes on the left and on the right, and the position of each gold token."""
    found = []
    for row in rows:
        said = [pair for pair in row if pair[0] != GAP]
        for place, (gold, predicted) in enumerate(said):
            first, last = place == 0, place + 1 == len(said)
            left, right = "#" if first else SORT[said[place - 1][0]], "#" if last else SORT[said[place + 1][0]]
            found.append((gold, predicted, left, right, WHERE.get((first, last), "medial")))
    return found


@given(ROWS)
def test_contexts_are_those_of_each_gold_token(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    left, right = (neighbours(aligned, side, SORT.__getitem__) for side in ("left", "right"))
    named = [[labels[code] for code in codes] for labels, codes in (left, right, positions(aligned))]
    assert list(zip(*named, strict=True)) == [token[2:] for token in tokens_of(rows)]


@given(ROWS)
def test_counts_by_context_are_those_of_the_tokens_deleted_ones_too(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    contexts = neighbours(aligned, "left", SORT.__getitem__)
    table = context_table(aligned, contexts)
    cells = table[["gold", "context", "predicted"]].itertuples(index=False)
    found = dict(zip(map(tuple, cells), table["count"], strict=True))
    assert found == Counter((gold, left, answer) for gold, answer, left, *_ in tokens_of(rows))


PHONES = Inventory(("a", "b", "c"))


def corpus_of(sizes: Sequence[int], speakers: Sequence[str] | None = None, seed: int = 0) -> Corpus:
    """Return a corpus of so many random phones an utterance, heard with some errors."""
    generator = np.random.default_rng(seed)
    names = [f"u{place}" for place in range(len(sizes))]
    gold, heard = ([generator.choice(PHONES.phones, size).tolist() for size in sizes] for _ in range(2))
    sides = (from_lists(names, phones, PHONES) for phones in (gold, heard))
    return Corpus(
        **dict(zip(("gold", "predicted"), sides, strict=True)), speakers=None if speakers is None else tuple(speakers)
    )


def half_of(corpus: Corpus, seed: int) -> Codes:
    return halves_of(corpus, seed, by_speaker=corpus.speakers is not None).astype(np.int64)


def test_the_seed_decides() -> None:
    halves = [half_of(corpus_of([5] * 50), seed).tolist() for seed in (1, 1, 2)]
    assert halves[0] == halves[1] != halves[2]


@given(st.lists(st.integers(1, 9), min_size=4, max_size=20), st.integers(0, 3), st.randoms(use_true_random=False))
def test_neither_names_nor_the_order_of_utterances_decide(sizes: list[int], number: int, random: object) -> None:
    """With 0 speakers none are known."""
    speakers = [f"s{place % number}" for place in range(len(sizes))] if number else None
    corpus = corpus_of([size + 9 for size in sizes], speakers)  # long enough that no two are alike
    half = half_of(corpus, 1)
    order = np.array(random.sample(range(len(sizes)), len(sizes)))  # type: ignore[attr-defined]
    renamed = {f"s{place}": f"t{number - place}" for place in range(number)}
    moved = corpus.select(order)
    if moved.speakers is not None:
        moved = Corpus(
            gold=moved.gold, predicted=moved.predicted, speakers=tuple(renamed[name] for name in moved.speakers)
        )
    assert half_of(moved, 1).tolist() == half[order].tolist()
