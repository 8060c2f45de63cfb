"""Overlap and divergence of two phones: against SciPy and plain loops, at the ends, and in small samples."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import alignments_of, stack_of
from scipy.spatial.distance import jensenshannon

from phonxling.analyses.discriminability import Heard, Samples, discriminability, divergence, overlap
from phonxling.core.estimate import is_descriptive
from phonxling.core.inventory import GAP
from phonxling.count.confusions import stack_confusions
from phonxling.resample.intervals import resampling

NAMES = tuple("abcde")


def heard_as(counts: np.ndarray, resamples: int = 100) -> Heard:
    """Return what phones are heard as by counts of listeners, [C, G, P]."""
    stack = stack_of(counts, NAMES[: counts.shape[1]], NAMES[: counts.shape[2]])
    return Heard(stack, resampling(len(counts), None, resamples=resamples, seed=1))


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


@given(arrays(np.int64, (2, 4, 3), elements=st.integers(0, 5)), st.integers(0, 4))
def test_the_order_of_the_two_phones_does_not_matter(counts: np.ndarray, seed: int) -> None:
    counts = np.concatenate([counts, counts + 1 + seed])  # every phone has tokens of all listeners but two
    heard = heard_as(counts, 30)
    assert repr(discriminability(heard, (0, 2))) == repr(discriminability(heard, (2, 0)))


def test_samples_without_any_token_have_no_shares() -> None:
    nothing = Samples(np.empty(0, dtype=np.int64), np.empty((0, 3)), (2, 4))
    assert nothing.of(1).shape == (4, 3)
    assert np.isnan(nothing.of(1)).all()


def test_deleted_tokens_are_an_outcome_of_their_own() -> None:
    rows = [[("a", "b"), ("a", "b"), ("a", "b"), ("a", GAP), ("a", GAP), ("i", "n"), ("i", GAP)]] * 6
    heard = Heard(stack_confusions(alignments_of(rows)), resampling(6, None, resamples=20, seed=1))
    apart = discriminability(heard, (0, 1))  # both are not heard at all in 0.4 and 0.5
    assert apart.overlap.value == pytest.approx(0.4)
    assert heard.tokens[:2].tolist() == [30, 12]


def test_limits_without_a_speaker_are_those_of_the_corpus_without_that_speaker() -> None:
    counts = np.random.default_rng(2).integers(0, 9, (7, 2, 4))
    heard = heard_as(counts)
    for listener in range(7):
        rest = np.delete(counts, listener, axis=0).sum(axis=0)
        shares = np.stack([heard.left_out.of(row)[:-1, listener] for row in range(len(rest))])
        assert shares == pytest.approx(rest / rest.sum(axis=1, keepdims=True))
    assert heard.sizes == pytest.approx(counts.sum(axis=2).T)


def test_phones_never_or_always_heard_as_the_same_have_limits_of_few_tokens() -> None:
    never, always = np.zeros((2, 10, 2, 3), int)
    never[:, 0, 0] = never[:, 1, 1] = always[:, :, 0] = 2
    apart, alike = (discriminability(heard_as(counts), (0, 1)) for counts in (never, always))
    assert (apart.overlap.value, apart.overlap.low, apart.divergence.value, apart.divergence.high) == (0, 0, 1, 1)
    assert 0.1 < apart.overlap.high < 0.3
    assert 0.4 < apart.divergence.low < 0.8
    assert apart.overlap.note.startswith("hardly anything in common")
    assert (alike.overlap.value, alike.overlap.high, alike.divergence.value, alike.divergence.low) == (1, 1, 0, 0)
    assert 0.7 < alike.overlap.low < 0.95
    assert alike.divergence.high == pytest.approx(1 - alike.overlap.low)


def test_two_halves_of_one_phone_are_not_told_apart_and_show_what_the_null_says() -> None:
    generator = np.random.default_rng(3)
    found = [
        discriminability(heard_as(generator.multinomial(4, [0.4, 0.3, 0.1, 0.1, 0.1], (12, 2))), (0, 1))
        for _ in range(60)
    ]
    assert np.mean([one.overlap.high == 1 for one in found]) > 0.9
    assert np.mean([one.overlap.value for one in found]) == pytest.approx(
        np.mean([one.null for one in found]), abs=0.03
    )
    assert np.mean([one.divergence.low > 0 for one in found]) < 0.05
    assert abs(np.median([one.divergence.value for one in found])) < 0.03


def test_one_listener_alone_gives_no_limits() -> None:
    lonely = discriminability(heard_as(np.full((1, 2, 2), 5)), (0, 1))
    assert math.isnan(lonely.overlap.low)
    assert math.isnan(lonely.null)
    assert "one utterance only" in lonely.overlap.note


def test_what_the_divergence_tells_apart_is_not_called_alike() -> None:
    generator = np.random.default_rng(8)
    for _ in range(20):
        first, second = generator.dirichlet(np.full(5, 0.7), 2)
        counts = generator.multinomial(6, [first, (first + second) / 2], (12, 2))
        apart = discriminability(heard_as(counts), (0, 1))
        assert not (apart.divergence.low > 0 and "not told apart" in apart.overlap.note)
        assert (apart.overlap.high == 1) >= ("not told apart" in apart.overlap.note)


@pytest.mark.parametrize("kind", ["apart", "between", "alike"])
def test_few_listeners_make_every_interval_a_description(kind: str) -> None:
    shares = {"apart": ((5, 0), (0, 5)), "between": ((4, 1), (2, 3)), "alike": ((5, 0), (5, 0))}[kind]
    counts = np.broadcast_to(np.array(shares), (4, 2, 2)).copy()
    counts[0] += 1 * (kind == "between")
    assert is_descriptive(discriminability(heard_as(counts), (0, 1)).overlap.note)
    many = np.concatenate([counts, counts])
    assert not is_descriptive(discriminability(heard_as(many), (0, 1)).overlap.note)
