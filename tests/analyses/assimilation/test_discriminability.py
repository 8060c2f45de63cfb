"""Overlap and divergence of two phones: against SciPy and plain loops, and in small samples."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import alignments_of, answers_of
from scipy.spatial.distance import jensenshannon

from phonxling.analyses.discriminability import Answers, discriminability, divergence, overlap
from phonxling.core.inventory import GAP
from phonxling.count.confusions import stack_confusions
from phonxling.resample.jackknife import clusters_of


@given(arrays(np.int64, (2, 5), elements=st.integers(0, 9)))
def test_both_agree_with_other_programs_and_bound_each_other(counts: np.ndarray) -> None:
    counts[:, 0] += counts.sum(axis=1) == 0
    first, second = counts / counts.sum(axis=1, keepdims=True)
    common, bits = float(overlap(first, second)), float(divergence(first, second))
    assert common == pytest.approx(sum(min(p, q) for p, q in zip(first, second, strict=True)))
    assert bits == pytest.approx(jensenshannon(first, second, base=2) ** 2, abs=1e-12)
    wrong = common / 2
    fano = sum(-p * math.log2(p) for p in (wrong, 1 - wrong) if p > 0)
    assert 1 - fano - 1e-9 <= bits <= 1 - common + 1e-9


@given(arrays(np.int64, (6, 4, 3), elements=st.integers(0, 5)))
def test_the_order_of_the_two_phones_does_not_matter(counts: np.ndarray) -> None:
    answers = answers_of(counts + 1)
    assert repr(discriminability(answers, [0, 2])) == repr(discriminability(answers, [2, 0]))


def test_deleted_tokens_are_an_outcome_of_their_own() -> None:
    rows = [[("a", "b"), ("a", "b"), ("a", "b"), ("a", GAP), ("a", GAP), ("i", "n"), ("i", GAP)]] * 6
    answers = Answers(stack_confusions(alignments_of(rows)), clusters_of(np.full(6, 7.0)))
    assert discriminability(answers, [0, 1])[0] == pytest.approx(0.4)  # both are deleted in 0.4 and 0.5
    assert answers.tokens[:2].tolist() == [30, 12]


def test_the_divergence_is_jackknifed_over_whole_speakers() -> None:
    counts = np.random.default_rng(2).integers(0, 9, (7, 2, 4))
    answers = answers_of(counts)
    without = []
    for speaker in range(7):
        rest = np.delete(counts, speaker, axis=0).sum(axis=0)
        shares = rest / rest.sum(axis=1, keepdims=True)
        assert answers.left_out([0, 1])[speaker, :, :-1] == pytest.approx(shares)
        without.append(float(divergence(*shares)))
    _, found = discriminability(answers, [0, 1])
    whole = counts.sum(axis=0) / counts.sum(axis=(0, 2))[:, None]
    assert found.value == pytest.approx(7 * float(divergence(*whole)) - 6 * np.mean(without))
    assert found.low < found.value < found.high


def test_two_halves_of_one_phone_are_not_told_apart() -> None:
    generator = np.random.default_rng(3)
    found = [
        discriminability(answers_of(generator.multinomial(4, [0.4, 0.3, 0.1, 0.1, 0.1], (12, 2))), [0, 1])[1]
        for _ in range(60)
    ]
    assert np.mean([one.low > 0 for one in found]) < 0.05
    assert abs(np.median([one.value for one in found])) < 0.03


def test_few_speakers_of_one_phone_give_no_limits() -> None:
    counts = np.random.default_rng(4).integers(1, 9, (12, 2, 4))
    counts[3:, 1] = 0
    _, found = discriminability(answers_of(counts), [0, 1])
    assert math.isnan(found.low)
    assert (found.status, found.note) == ("too-few-clusters", "3 speakers: too few for intervals")
