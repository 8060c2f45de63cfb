"""Calibration, log loss and NCE: scikit-learn's curves and scores, plain loops, by hand, and what chance does."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom, t
from sklearn.calibration import calibration_curve
from sklearn.metrics import log_loss

import phonxling as px
from phonxling.analyses import calibration
from phonxling.analyses.calibration import (
    Bins,
    binned_nce_of_sums,
    bits_of_truth,
    calibration_table,
    ece_of_sums,
    error_of_calibrated,
    in_bins,
    nce_estimate,
    nce_values,
    nist_nce,
    squared_distances,
)
from phonxling.stats.jackknife import clusters_of

_rows = st.lists(st.tuples(st.booleans(), st.integers(0, 100).map(lambda part: part / 100)), min_size=1, max_size=60)


def split(rows: list[tuple[bool, float]]) -> tuple[list[bool], list[float]]:
    return [row[0] for row in rows], [row[1] for row in rows]


def binned(correct: Sequence[object], confidence: Sequence[float], bins: int = 10) -> tuple[Bins, np.ndarray]:
    """Return the bins of one utterance's phones, and their sums, [1, B, 3]."""
    columns = {"correct": np.array(correct, bool), "confidence": np.array(confidence, float), "owner": 0}
    return in_bins(pd.DataFrame(columns), bins, clusters_of(np.ones(1)))


def sums_of(correct: Sequence[object], confidence: Sequence[float], bins: int = 10) -> np.ndarray:
    return binned(correct, confidence, bins)[1]


def calibrated_error(confidence: Sequence[float], bins: int = 10) -> tuple[float, float]:
    return error_of_calibrated(np.array(confidence, float), binned([False] * len(confidence), confidence, bins)[0])


def error_by_hand(correct: list[bool], confidence: list[float], bins: int) -> float:
    """Bins ((b − 1)/B, b/B], the first one from 0; hundredths, so that borders are exact."""
    total = 0.0
    for place in range(1, bins + 1):
        total += abs(
            sum(
                right - given_
                for right, given_ in zip(correct, confidence, strict=True)
                if (100 * (place - 1) < round(100 * given_) * bins <= 100 * place) or (place == 1 and given_ == 0)
            )
        )
    return total / len(correct)


@given(_rows, st.sampled_from([1, 2, 5, 10, 20]))
def test_the_error_is_that_of_a_plain_loop(rows: list[tuple[bool, float]], bins: int) -> None:
    correct, confidence = split(rows)
    found = float(ece_of_sums(sums_of(correct, confidence, bins)[0]))
    assert found == pytest.approx(error_by_hand(correct, confidence, bins), abs=1e-12)
    assert 0 <= found <= 1


def test_the_table_is_scikit_learns_curve() -> None:
    rng = np.random.default_rng(5)
    confidence = rng.beta(4, 2, 500)
    correct = rng.random(500) < confidence**2
    sums = sums_of(correct, confidence)
    table = calibration_table(np.arange(11) / 10, sums, clusters_of(np.ones(1)))
    shares, means = calibration_curve(correct, confidence, n_bins=10, strategy="uniform")
    filled = table[table["n"] > 0]
    assert filled["accuracy"].tolist() == pytest.approx(shares.tolist())
    assert filled["confidence"].tolist() == pytest.approx(means.tolist())
    error = (filled["n"] * abs(filled["accuracy"] - filled["confidence"])).sum() / 500
    assert ece_of_sums(sums[0]) == pytest.approx(error)


def test_the_brier_score_of_classes_is_a_plain_sum() -> None:
    rng = np.random.default_rng(2)
    labels, rows = rng.integers(0, 4, 50), rng.dirichlet(np.ones(4), 50)
    wanted = np.mean([((row - np.eye(4)[label]) ** 2).sum() for label, row in zip(labels, rows, strict=True)])
    assert squared_distances(labels, rows).mean() == pytest.approx(wanted, rel=1e-12)
    both = np.stack([1 - rows[:, 0], rows[:, 0]], axis=1)
    assert squared_distances(labels == 0, both) == pytest.approx(2 * squared_distances(labels == 0, rows[:, 0]))


def mean_of_all_outcomes(confidence: list[float], bins: int, power: int) -> float:
    """The mean of a power of the error over all 2^n outcomes, each as probable as the confidences say."""
    total = 0.0
    for outcome in itertools.product([False, True], repeat=len(confidence)):
        probable = math.prod(a if right else 1 - a for right, a in zip(outcome, confidence, strict=True))
        total += probable * error_by_hand(list(outcome), confidence, bins) ** power
    return total


@given(st.lists(st.integers(0, 100).map(lambda part: part / 100), min_size=1, max_size=7), st.sampled_from([1, 2, 10]))
def test_the_error_of_chance_is_the_mean_over_all_outcomes(confidence: list[float], bins: int) -> None:
    mean, square = (mean_of_all_outcomes(confidence, bins, power) for power in (1, 2))
    found, deviation = calibrated_error(confidence, bins)
    assert found == pytest.approx(mean, abs=1e-11)
    assert deviation == pytest.approx(math.sqrt(max(square - mean**2, 0)), abs=1e-6)


def test_nce_is_jackknifed_over_whole_speakers() -> None:
    generator, owner = np.random.default_rng(6), np.repeat(np.arange(8), 40)
    confidence = generator.beta(4, 2, 320)
    correct = generator.random(320) < confidence
    found = nce_estimate(nce_values(correct, confidence), owner, clusters_of(np.full(8, 40.0)))
    assert found.value == pytest.approx(nist_nce(correct, confidence))
    without = np.array([nist_nce(correct[owner != one], confidence[owner != one]) for one in range(8)])
    scaled = -np.log1p(-without)
    margin = t(7).ppf(0.975) * math.sqrt(7 / 8 * np.square(scaled - scaled.mean()).sum())
    assert -math.log1p(-found.high) + math.log1p(-found.value) == pytest.approx(margin)


@pytest.mark.parametrize(("sure", "unsure"), [(0.4, 0.4), (5.0, 0.05), (0.02, 2.0)])
def test_the_error_of_chance_is_that_of_the_whole_distribution(sure: float, unsure: float) -> None:
    """One bin, phone after phone: P(K = k) of 700 phones."""
    confidence, of_number = np.random.default_rng(4).beta(sure, unsure, 700), np.ones(1)
    for a in confidence:
        of_number = np.convolve(of_number, [1 - a, a])
    wanted = abs(np.arange(701) - confidence.sum()) @ of_number / 700
    assert calibrated_error(confidence, bins=1)[0] == pytest.approx(wanted, abs=1e-12)


def test_of_many_phones_it_is_de_moivres_mean_deviation() -> None:
    """E|K − n/2| of n fair coins is n/2 times the probability of n/2 heads, (n/2) C(n, n/2) / 2^n."""
    n = 200_000
    wanted = binom.pmf(n // 2, n, 0.5) / 2
    assert calibrated_error(np.full(n, 0.5))[0] == pytest.approx(wanted, rel=1e-9)


@given(_rows, st.sampled_from([1, 3, 10]))
def test_binned_nce_is_the_nce_of_the_bins_own_accuracies(rows: list[tuple[bool, float]], bins: int) -> None:
    correct, confidence = map(np.array, split(rows))
    (_, places), sums = binned(correct, confidence, bins)
    own = np.array([correct[places == place].mean() for place in places])
    found, wanted = float(binned_nce_of_sums(sums[0])), px.nist_nce(correct, own)
    assert found == pytest.approx(wanted, abs=1e-6, nan_ok=True)
    assert math.isnan(found) or -1e-12 <= found <= 1


def test_without_phones_nothing_is_defined() -> None:
    assert math.isnan(ece_of_sums(sums_of([], [])[0]))
    table = calibration_table(np.arange(11) / 10, sums_of([True], [0.95]), clusters_of(np.ones(1)))
    assert table["n"].tolist() == [0] * 9 + [1]
    assert table.loc[:8, ["accuracy", "confidence", "accuracy_low", "accuracy_high"]].isna().all().all()
    assert math.isnan(calibrated_error([])[0])


def test_nce_worked_by_hand() -> None:
    # p = 2/3; H_max = 2·log2(3/2) + log2 3; bits of the confidences: log2 0.9 + log2 0.6 + log2 (1 − 0.3)
    baseline = 2 * math.log2(1.5) + math.log2(3)
    wanted = (baseline + math.log2(0.9) + math.log2(0.6) + math.log2(0.7)) / baseline
    assert nist_nce([True, True, False], [0.9, 0.6, 0.3]) == pytest.approx(wanted, rel=1e-12)


def test_a_confidence_of_nothing_is_clipped_as_one_of_all_is() -> None:
    lost, found = math.log2(1e-7), math.log2(1 - 1e-7)
    assert nist_nce([1, 0], [0.0, 0.0]) == pytest.approx((2 + lost + found) / 2, rel=1e-9)
    assert nist_nce([1, 0], [0.0, 0.0]) == nist_nce([1, 0], [1e-7, 1e-7]) == pytest.approx(nist_nce([1, 0], [1.0, 1.0]))


@given(st.integers(2, 6), st.integers(1, 30), st.integers(0, 1000))
def test_it_is_scikit_learns_log_loss_in_bits(classes: int, items: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, rows = rng.integers(0, classes, items), rng.dirichlet(np.ones(classes), items)
    wanted = log_loss(labels, rows, labels=list(range(classes))) / math.log(2)
    assert bits_of_truth(labels, rows).mean() == pytest.approx(wanted, rel=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=30))
def test_of_correctness_it_is_one_less_nce(rows: list[tuple[bool, float]]) -> None:
    correct, confidence = [row[0] for row in rows], [row[1] for row in rows]
    found = px.normalised_cross_entropy(correct, confidence, floor=1e-7)
    nce = px.nist_nce(correct, confidence)
    assert math.isnan(nce) == math.isnan(found)
    if not math.isnan(nce):
        assert found == pytest.approx(1 - nce, rel=1e-9, abs=1e-9)
        share = float(np.mean(correct))
        assert px.normalised_cross_entropy(correct, confidence, baseline=share, floor=1e-7) == pytest.approx(found)


def test_the_tutorials_form_gives_the_baseline_itself_another_number() -> None:
    """A baseline of 10 % on labels of which half are true: 1.737 bits paid over an entropy of 0.469."""
    found = px.normalised_cross_entropy([1, 0], [0.1, 0.1], baseline=0.1, denominator="baseline")
    assert found == pytest.approx(3.70, abs=0.005)
    assert px.normalised_cross_entropy([1, 0], [0.1, 0.1], baseline=0.1) == pytest.approx(1)


def test_what_is_infinite_or_not_defined() -> None:
    assert bits_of_truth([0], [[0.0, 1.0]]).tolist() == [math.inf]
    assert bits_of_truth([0], [[0.0, 1.0]], 0.25).tolist() == bits_of_truth([0], [1.0], 0.25).tolist() == [2]
    assert bits_of_truth([0], [[1.0, 0.0]], 0.25).tolist() == [0]
    assert math.isnan(px.normalised_cross_entropy([], np.zeros((0, 3))))
    assert math.isnan(px.normalised_cross_entropy([1, 1], [0.5, 0.5]))
    assert math.isnan(px.normalised_cross_entropy([0, 1], [[0.5, 0.5], [0.5, 0.5]], baseline=[1, 0]))


@pytest.mark.parametrize(
    ("name", "given_", "message"),
    [
        ("nist_nce", ([True, False], [0.5, math.nan]), "must lie in 0"),
        ("nist_nce", ([2, 0], [0.5, 0.5]), "what is correct must be 1 or true"),
        ("bits_of_truth", ([0], [[0.5, 0.5], [0.5, 0.5]]), "one label for each"),
        ("bits_of_truth", ([2], [[0.5, 0.5]]), "whole numbers from 0 to 1"),
        ("bits_of_truth", ([0], [[0.5, 1.5]]), "lie in 0"),
        ("bits_of_truth", ([0], [0.5], 0.5), "floor"),
        ("normalised_cross_entropy", ([0], [[0.5, 0.5]], [0.5, 0.4]), "sum to 1"),
    ],
)
def test_what_is_no_confidence_probability_label_floor_or_baseline_is_refused(
    name: str, given_: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(calibration, name)(*given_)
