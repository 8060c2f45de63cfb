"""Halves of a corpus: speakers stay whole, sizes are close, the seed decides, and neither names nor order do."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.fitting import halving, whole_halves
from phonxling.core.arrays import Codes
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import Corpus, from_lists

PHONES = Inventory(("a", "b", "c"))
tokens = st.lists(st.integers(0, 30), min_size=2, max_size=40)


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
    dealt, cluster = halving(corpus, seed, by_speaker=True)
    return whole_halves(dealt)[cluster].astype(np.int64)


@given(tokens, st.integers(1, 5), st.integers(0, 99))
def test_halves_are_of_like_size_and_a_speaker_is_in_one(sizes: list[int], number: int, seed: int) -> None:
    half, weight = half_of(corpus_of(sizes), seed), np.maximum(sizes, 1)
    assert set(half) == {0, 1}
    assert abs(weight[half == 0].sum() - weight[half == 1].sum()) <= weight.max()
    speakers = [f"s{place % number}" for place in range(len(sizes))]
    by_speaker = half_of(corpus_of(sizes, speakers), seed)
    assert set(by_speaker) == {0, 1}
    if number > 1:
        assert len(set(zip(speakers, by_speaker.tolist(), strict=True))) == len(set(speakers))


def test_the_seed_decides_and_one_utterance_has_no_halves() -> None:
    halves = [half_of(corpus_of([5] * 50), seed).tolist() for seed in (1, 1, 2)]
    assert halves[0] == halves[1] != halves[2]
    with pytest.raises(DataError, match="need two utterances"):
        halving(corpus_of([3]), 0, by_speaker=True)


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
