"""One-to-one assignments against trying all of them, and what their accuracy must satisfy."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import stack_of
from support import corpus_of

from phonxling.analyses.statistics import ONE_TO_ONE, CountSettings, assign_partners, halves_of, measure_statistics
from phonxling.stats.jackknife import clusters_of

COUNTS = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 3))
)


def tried(counts: np.ndarray, partners: np.ndarray) -> int:
    """Return how many tokens an assignment matches, which must be of attested pairs, and as many as any of all."""
    predicted = counts.shape[1]
    most = 0
    for choice in itertools.product(range(predicted + 1), repeat=len(counts)):
        used = [x for x in choice if x < predicted]
        if len(set(used)) == len(used):
            most = max(most, sum(int(counts[y, x]) for y, x in enumerate(choice) if x < predicted))
    pairs = [(y, x) for y, x in enumerate(partners.tolist()) if x >= 0]
    assert len({x for _, x in pairs}) == len(pairs)
    assert all(counts[pair] > 0 for pair in pairs)
    assert sum(int(counts[pair]) for pair in pairs) == most
    return most


def one_to_one(counts: np.ndarray) -> np.ndarray:
    row, column = np.nonzero(counts)
    return np.asarray(assign_partners(row, column, counts[row, column][None].astype(float), counts.shape)[0])


@given(COUNTS, st.integers(1, 7))
def test_the_assignment_matches_as_many_tokens_as_any_whatever_the_scale(counts: np.ndarray, denominator: int) -> None:
    partners = one_to_one(counts)
    tried(counts, partners)
    assert one_to_one(counts).tolist() == partners.tolist()
    tried(counts, one_to_one(counts / denominator))


@given(arrays(np.int64, (6, 3, 3), elements=st.integers(0, 3)), arrays(np.int8, 6, elements=st.integers(0, 1)))
def test_cross_fitting_scores_each_half_by_the_assignment_of_the_other(counts: np.ndarray, half: np.ndarray) -> None:
    stack, sides = stack_of(counts, "abc", "xyz"), [counts[half == side].sum(axis=0) for side in (0, 1)]
    found = measure_statistics([ONE_TO_ONE], stack, clusters_of(np.ones(6)), CountSettings(half))["one_to_one_accuracy"]
    if not all(side.any() for side in sides):
        assert np.isnan(found.value)
        return
    pairs = ((sides[0], one_to_one(sides[1])), (sides[1], one_to_one(sides[0])))
    matched = sum(own[y, x] for own, partners in pairs for y, x in enumerate(partners) if x >= 0)
    assert found.value == pytest.approx(matched / counts.sum())


@given(st.integers(2, 9), st.integers(0, 99), st.booleans())
def test_halves_have_about_as_many_tokens_and_neither_names_nor_order_decide(
    speakers: int, seed: int, by_speaker: bool
) -> None:
    generator = np.random.default_rng(seed)
    rows = [generator.choice([*"abc"], size).tolist() for size in generator.integers(9, 18, 3 * speakers)]
    order, halves = generator.permutation(3 * speakers), []
    for prefix in "sz":
        names = tuple(f"{prefix}{(7 * (number // 3)) % 10}" for number in range(3 * speakers))
        corpus = corpus_of(rows, rows, speakers=names)
        halves.append(halves_of(corpus, seed, by_speaker=by_speaker))
        assert halves_of(corpus.select(order), seed, by_speaker=by_speaker).tolist() == halves[-1][order].tolist()
    assert halves[0].tolist() == halves[1].tolist()
    owner = np.arange(3 * speakers) // 3 if by_speaker else np.arange(3 * speakers)
    tokens = np.bincount(owner, [len(row) for row in rows])
    assert all(len(set(halves[0][owner == one])) == 1 for one in set(owner))
    first = sum(len(row) for row, half in zip(rows, halves[0], strict=True) if half == 0)
    assert abs(2 * first - tokens.sum()) <= tokens.max()


def test_the_seed_of_halves_decides() -> None:
    rows = np.random.default_rng(0).choice([*"abc"], (50, 5)).tolist()
    halves = [halves_of(corpus_of(rows, rows), seed, by_speaker=False).tolist() for seed in (1, 1, 2)]
    assert halves[0] == halves[1] != halves[2]
