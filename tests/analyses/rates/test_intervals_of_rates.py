"""Rates by every method, near 0 and 1, and a statistic of one's own."""

import math

import numpy as np
import pytest
from scipy import stats

import phonxling as px
from phonxling.analyses.error_rate import aligned_error_rate
from phonxling.resample.intervals import Method, resampling

GENERATOR = np.random.default_rng(7)
TOKENS = GENERATOR.integers(20, 60, 50).astype(float)
ERRORS = GENERATOR.binomial(TOKENS.astype(int), 0.3).astype(float)


def stack_of(errors: np.ndarray, tokens: np.ndarray) -> px.values.ConfusionStack:
    cells = np.tile([0, 1], len(tokens))
    counts = np.column_stack([tokens - errors, errors]).ravel()
    return px.values.ConfusionStack(
        utterances=tuple(map(str, range(len(tokens)))),
        gold=px.Inventory(("a",)),
        predicted=px.Inventory(("a", "b")),
        offsets=np.arange(0, 2 * len(tokens) + 1, 2),
        cells=cells,
        counts=counts,
    )


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_rate_has_the_limits_that_scipys_bootstrap_gives(method: Method) -> None:
    """Another bootstrap's draws: limits agree as far as 4,000 draws let them."""
    found = resampling(50, None, resamples=4000, seed=1, method=method).ratio(ERRORS, TOKENS, "rate")
    other = stats.bootstrap(
        (ERRORS, TOKENS),
        lambda above, below, axis: above.sum(axis=axis) / below.sum(axis=axis),
        n_resamples=4000,
        paired=True,
        vectorized=True,
        method="BCa" if method == "bca" else method,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.003)


def test_no_error_seen_is_no_proof_of_none() -> None:
    found = resampling(50, None, resamples=200, seed=1).ratio(np.zeros(50), TOKENS, "rate")
    assert (found.value, found.low) == (0, 0)
    effective = TOKENS.sum() / (1 + 0.1 * ((TOKENS**2).sum() / TOKENS.sum() - 1))
    assert found.high == pytest.approx(1.959964**2 / (effective + 1.959964**2), rel=1e-5)
    assert "tokens of one utterance correlate by 0.1" in found.note
    assert "'" not in found.note


def test_no_error_of_twelve_speakers_is_far_from_a_quarter() -> None:
    drawn = resampling(12, None, resamples=200, seed=1)
    assert drawn.ratio(np.zeros(12), np.full(12, 500.0), "rate").high < 0.04


def test_a_share_of_all_has_a_lower_limit_and_a_rate_of_one_has_its_draws() -> None:
    drawn = resampling(50, None, resamples=200, seed=1)
    share = drawn.ratio(TOKENS, TOKENS, "share")
    assert 0.9 < share.low < share.high == 1
    assert "nothing but 1 was seen" in share.note
    assert "do not differ" in drawn.ratio(TOKENS, TOKENS, "rate").note  # insertions may take a rate above 1


def test_few_events_have_wilsons_limits_by_the_variance_of_clusters() -> None:
    errors = np.zeros(50)
    errors[3] = errors[8] = 1
    rate = 2 / TOKENS.sum()
    found = resampling(50, None, resamples=200, seed=1).ratio(errors, TOKENS, "rate")
    clusters = TOKENS.sum() ** 2 / (TOKENS**2).sum()  # Kish's effective number
    variance = clusters / (clusters - 1) * ((errors - rate * TOKENS) ** 2).sum() / TOKENS.sum() ** 2
    assert f"{rate * (1 - rate) / variance:.3g} effective tokens" in found.note
    assert 0 < found.low < rate < found.high < 5 * rate
    asked = resampling(50, None, resamples=200, seed=1, method="percentile").ratio(errors, TOKENS, "rate")
    assert asked.low == 0
    assert asked.note == ""


def test_no_interval_is_made_without_replicates() -> None:
    assert math.isnan(resampling(50, None, resamples=0, seed=1).ratio(np.zeros(50), TOKENS, "rate").low)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_statistic_of_ones_own_is_drawn_with_the_same_weights(method: Method) -> None:
    found = px.bootstrap(aligned_error_rate, stack_of(ERRORS, TOKENS), replicates=300, method=method, seed=4)
    wanted = resampling(50, None, resamples=300, seed=4, method=method).ratio(ERRORS, TOKENS)
    assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high))


def test_an_entropy_of_ones_own_stands_around_its_jackknife_estimate() -> None:
    speakers = [f"s{number % 12}" for number in range(50)]
    stack = stack_of(ERRORS, TOKENS)
    found = px.bootstrap(px.conditional_entropy, stack, speakers=speakers, replicates=200, corrected=True)
    plain = px.conditional_entropy(stack.total())
    without = [
        px.conditional_entropy(stack.total(np.array([float(name != f"s{left}") for name in speakers])))
        for left in range(12)
    ]
    assert found.value == pytest.approx(12 * plain - 11 * np.mean(without))
    assert (found.low + found.high) / 2 == pytest.approx(found.value)
    with pytest.raises(ValueError, match="3 speakers for 50 utterances"):
        px.bootstrap(px.conditional_entropy, stack, speakers=["a", "b", "c"])
