"""Log loss, perplexity's base, and the normalised form: by hand, against scikit-learn, and NIST's NCE."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import log_loss

import phonxling as px
from phonxling.analyses.calibration import bits_of_truth

_confidences = st.floats(1e-6, 1 - 1e-6)


def test_worked_by_hand() -> None:
    rows = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]
    assert bits_of_truth([1, 2], rows).tolist() == [2, 3]
    assert px.calibration.cross_entropy([1, 2], rows) == 2.5


@given(st.integers(2, 6), st.integers(1, 30), st.integers(0, 1000))
def test_it_is_scikit_learns_log_loss_in_bits(classes: int, items: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, rows = rng.integers(0, classes, items), rng.dirichlet(np.ones(classes), items)
    wanted = log_loss(labels, rows, labels=list(range(classes))) / math.log(2)
    assert px.calibration.cross_entropy(labels, rows) == pytest.approx(wanted, rel=1e-9)


@given(st.lists(st.tuples(st.booleans(), _confidences), min_size=1, max_size=30))
def test_two_classes_are_one_probability(rows: list[tuple[bool, float]]) -> None:
    labels, given_ = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    both = np.stack([1 - given_, given_], axis=1)
    assert px.calibration.cross_entropy(labels, given_) == pytest.approx(
        px.calibration.cross_entropy(labels, both), rel=1e-12
    )


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


@given(st.lists(st.integers(0, 3), min_size=2, max_size=30), st.integers(0, 1000))
def test_the_baseline_scores_one_on_any_labels(labels: list[int], seed: int) -> None:
    baseline = np.random.default_rng(seed).dirichlet(np.ones(4))
    rows = np.tile(baseline, (len(labels), 1))
    assert px.normalised_cross_entropy(labels, rows, baseline) == pytest.approx(1)


def test_the_tutorials_form_gives_the_baseline_itself_another_number() -> None:
    """A baseline of 10 % on labels of which half are true: 1.737 bits paid over an entropy of 0.469."""
    found = px.normalised_cross_entropy([1, 0], [0.1, 0.1], baseline=0.1, denominator="baseline")
    assert found == pytest.approx(3.70, abs=0.005)
    assert px.normalised_cross_entropy([1, 0], [0.1, 0.1], baseline=0.1) == pytest.approx(1)


def test_what_is_infinite_or_not_defined() -> None:
    assert px.calibration.cross_entropy([0], [[0.0, 1.0]]) == math.inf
    assert px.calibration.cross_entropy([0], [[0.0, 1.0]], floor=0.25) == 2
    assert px.calibration.cross_entropy([0], [1.0], floor=0.25) == 2
    assert px.calibration.cross_entropy([0], [[1.0, 0.0]], floor=0.25) == 0
    assert math.isnan(px.calibration.cross_entropy([], np.zeros((0, 3))))
    assert math.isnan(px.normalised_cross_entropy([1, 1], [0.5, 0.5]))
    assert math.isnan(px.normalised_cross_entropy([0, 1], [[0.5, 0.5], [0.5, 0.5]], baseline=[1, 0]))


@pytest.mark.parametrize(
    ("labels", "rows", "message"),
    [
        ([0], [[0.5, 0.5], [0.5, 0.5]], "one label for each"),
        ([2], [[0.5, 0.5]], "whole numbers from 0 to 1"),
        ([-1], [[0.5, 0.5]], "whole numbers"),
        ([0.5], [0.5], "whole numbers"),
        ([0], [[0.5, 1.5]], "lie in 0"),
        ([0], [[math.nan, 0.5]], "lie in 0"),
    ],
)
def test_what_is_no_probability_or_label_is_refused(labels: list[float], rows: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        px.calibration.cross_entropy(labels, rows)


def test_a_wrong_floor_or_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match="floor"):
        px.calibration.cross_entropy([0], [0.5], floor=0.5)
    with pytest.raises(ValueError, match="sum to 1"):
        px.normalised_cross_entropy([0], [[0.5, 0.5]], baseline=[0.5, 0.4])
