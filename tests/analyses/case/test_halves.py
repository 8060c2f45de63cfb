"""Halves of a corpus: speakers stay whole, sizes are close, and the seed decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phonxling.analyses.case.fitting import split_halves

tokens = st.lists(st.integers(0, 30), min_size=2, max_size=40)


@given(tokens, st.integers(0, 99))
def test_halves_of_utterances_differ_by_one_utterance_at_most(sizes: list[int], seed: int) -> None:
    counts = np.array(sizes)
    half = split_halves(counts, None, np.random.default_rng(seed))
    weight = np.maximum(counts, 1)
    assert set(half) == {0, 1}
    assert abs(weight[half == 0].sum() - weight[half == 1].sum()) <= weight.max()


@given(tokens, st.integers(1, 5), st.integers(0, 99))
def test_a_speaker_is_in_one_half(sizes: list[int], number: int, seed: int) -> None:
    speakers = [f"s{place % number}" for place in range(len(sizes))]
    half = split_halves(np.array(sizes), speakers, np.random.default_rng(seed))
    assert set(half) == {0, 1}
    if number > 1:
        of = {(speaker, int(side)) for speaker, side in zip(speakers, half, strict=True)}
        assert len(of) == len(set(speakers))


def test_the_seed_decides() -> None:
    halves = [split_halves(np.full(50, 5), None, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)]
    assert halves[0] == halves[1] != halves[2]


def test_one_utterance_has_no_halves() -> None:
    with pytest.raises(ValueError, match="no halves"):
        split_halves(np.array([3]), None, np.random.default_rng(0))
