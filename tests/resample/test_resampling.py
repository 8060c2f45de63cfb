"""The bootstrap against a plain one with the same seeds; its units, its notes, and its coverage."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from phonxling.core.estimate import is_descriptive
from phonxling.resample.weights import Resampling, resampling


def quantile(values: list[float], q: float) -> float:
    """Linear between order statistics (type 7)."""
    ranked, place = sorted(values), q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return ranked[low] + (place - low) * (ranked[high] - ranked[low])


def plain_bootstrap(
    above: list[float], below: list[float], units: list[str], resamples: int, level: float, seed: int
) -> tuple[float, float, float]:
    names = sorted(set(units))
    members = [[place for place, unit in enumerate(units) if unit == name] for name in names]
    ratios = []
    for replicate in range(resamples):
        generator = np.random.default_rng([seed, replicate])
        drawn = [place for name in generator.integers(0, len(names), size=len(names)) for place in members[name]]
        total = math.fsum(below[place] for place in drawn)
        if total > 0:
            ratios.append(math.fsum(above[place] for place in drawn) / total)
    return sum(above) / sum(below), quantile(ratios, (1 - level) / 2), quantile(ratios, (1 + level) / 2)


data = st.lists(st.tuples(st.floats(0, 5), st.integers(1, 9), st.sampled_from("stuvw")), min_size=2, max_size=25)


@settings(deadline=None, max_examples=40)
@given(data, st.integers(0, 9), st.sampled_from([0.5, 0.9, 0.95]), st.booleans())
def test_it_is_the_plain_bootstrap(
    rows: list[tuple[float, int, str]], seed: int, level: float, by_speaker: bool
) -> None:
    above, below = [row[0] for row in rows], [float(row[1]) for row in rows]
    speakers = [row[2] for row in rows]
    units = speakers if by_speaker else [f"{place:03}" for place in range(len(rows))]
    weights = resampling(
        len(rows), speakers if by_speaker else None, resamples=60, level=level, seed=seed, method="percentile"
    )
    found = weights.ratio(np.array(above), np.array(below))
    assert found.value == pytest.approx(sum(above) / sum(below))
    if len(set(units)) == 1:
        assert math.isnan(found.low)
        assert math.isnan(found.high)
        assert found.note == "no interval: there is one speaker only"
        return
    value, low, high = plain_bootstrap(above, below, units, 60, level, seed)
    if high - low < 1e-9:
        return
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-9)
    assert found.level == level
    tokens = [sum(row[1] for row, own in zip(rows, units, strict=True) if own == unit) for unit in set(units)]
    assert is_descriptive(found.note) == (sum(tokens) ** 2 < 4.5 * sum(own**2 for own in tokens))


@given(st.integers(1, 40), st.integers(0, 30), st.integers(0, 5))
def test_every_replicate_draws_as_many_units_as_there_are(units: int, resamples: int, seed: int) -> None:
    weights = resampling(units, None, resamples=resamples, seed=seed).weights
    assert weights.shape == (resamples, units)
    assert (weights.sum(axis=1) == units).all()
    again = resampling(units, None, resamples=resamples + 3, level=0.95, seed=seed).weights
    assert (again[:resamples] == weights).all()
    other = resampling(units, None, resamples=resamples, seed=seed + 1).weights
    assert units < 9 or resamples < 5 or (weights != other).any()


def test_speakers_stay_together() -> None:
    found = resampling(5, ["s2", "s1", "s2", "s3", "s1"], resamples=4, seed=1)
    assert found.clusters.tolist() == [1, 0, 1, 2, 0]
    assert found.weights.shape == (4, 3)
    with pytest.raises(ValueError, match="2 speakers for 3 utterances"):
        resampling(3, ["s", "t"], resamples=4, seed=1)


@pytest.fixture(scope="module")
def hundred() -> Resampling:
    return resampling(100, None, resamples=1000, seed=20)


def test_ordinary_data(hundred: Resampling) -> None:
    generator = np.random.default_rng(3)
    tokens = generator.integers(5, 60, 100).astype(np.float64)
    cost = generator.binomial(tokens.astype(int), 0.3).astype(np.float64)
    found = hundred.ratio(cost, tokens)
    assert found.low < found.value < found.high
    standard_error = math.sqrt(0.3 * 0.7 / tokens.sum())
    assert found.high - found.low == pytest.approx(2 * 1.96 * standard_error, rel=0.25)
    assert found.note == ""


def test_it_holds_the_truth_about_as_often_as_it_says(hundred: Resampling) -> None:
    generator, held = np.random.default_rng(8), 0
    for _ in range(300):
        tokens = generator.integers(5, 60, 100)
        found = hundred.ratio(generator.binomial(tokens, 0.3).astype(np.float64), tokens.astype(np.float64))
        held += found.low <= 0.3 <= found.high
    assert 0.90 <= held / 300 <= 0.985


def test_a_rate_and_its_chance_are_drawn_together(hundred: Resampling) -> None:
    """Where each utterance's cost is half of its chance cost, their ratio does not vary."""
    chance = np.random.default_rng(0).gamma(2, size=100)
    ratio = hundred.ratio(chance / 2, chance)
    assert ratio.value == 0.5
    assert ratio.note == "no interval: the resampled values do not differ"


def test_order_of_utterances_within_a_speaker_changes_nothing() -> None:
    random.seed(1)
    rows = [(random.random(), 1.0, speaker) for speaker in "aabbbcccc" * 3]  # noqa: S311 - no secret
    found = []
    for order in (rows, sorted(rows)):
        weights = resampling(len(order), [row[2] for row in order], resamples=50, level=0.9, seed=4)
        found.append(weights.ratio(np.array([row[0] for row in order]), np.array([row[1] for row in order])))
    assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high))


def test_replicates_without_a_denominator_are_counted() -> None:
    weights = resampling(12, None, resamples=200, seed=1)
    below = np.zeros(12)
    below[:2] = 1
    lost = int((weights.weights[:, :2] == 0).all(axis=1).sum())
    assert 0 < lost < 200
    few = "descriptive: the interval rests on 2 utterances only"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    assert weights.ratio(np.arange(12.0), below).note == f"{few}; {gone}"


@pytest.mark.parametrize(
    ("below", "resamples", "value", "note"),
    [
        (np.zeros(3), 20, math.nan, "not defined: the denominator is 0"),
        (np.zeros(0), 20, math.nan, "not defined: the denominator is 0"),
        (np.eye(12)[0], 20, 12.0, "no interval: it rests on one utterance only"),
        (np.full(12, 2.0), 0, 0.5, ""),
    ],
)
def test_where_there_is_no_interval(below: np.ndarray, resamples: int, value: float, note: str) -> None:
    found = resampling(len(below), None, resamples=resamples, seed=1).ratio(np.ones(len(below)), below, "rate")
    assert math.isnan(found.low)
    assert found.note == note
    assert found.value == pytest.approx(value, nan_ok=True)
