"""Probabilities, their logarithms, and logits: what each becomes, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax, softmax

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Scale, probabilities

scores = arrays(np.float64, st.tuples(st.integers(0, 5), st.integers(1, 6)), elements=st.floats(-300, 300))


@given(scores)
def test_the_three_scales_of_the_same_scores_give_the_same_probabilities(values: np.ndarray) -> None:
    expected = softmax(values, axis=1) if values.size else values
    logarithms = log_softmax(values, axis=1) if values.size else values
    given_as: dict[Scale, np.ndarray] = {"probability": expected, "log-probability": logarithms, "logit": values}
    for scale, raw in given_as.items():
        np.testing.assert_allclose(probabilities(raw, scale, "x"), expected, atol=1e-12)


def test_minus_infinity_is_probability_0_on_the_logarithmic_scales() -> None:
    raw = np.array([[0.0, -np.inf]])
    for scale in ("log-probability", "logit"):
        assert probabilities(raw, scale, "x").tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("raw", "scale", "message"),
    [
        ([[0.5, 0.5], [np.nan, 1]], "probability", "x, frame 1 holds a value that is not finite"),
        ([[0.5, -np.inf]], "probability", "x, frame 0 holds a value that is not finite"),
        ([[1.5, -0.5]], "probability", "frame 0 holds a negative value: these are not of the scale probability; they"),
        ([[-0.1, -3.0]], "probability", "look like scale: logit"),
        ([[np.log(0.5), np.log(0.5)]], "probability", "look like scale: log-probability"),
        (
            [[0.5, 0.5], [1, 1], [2, 2]],
            "probability",
            r"frame 1 does not sum to 1 ± 0.01 \(it sums to 2\); 1 more such",
        ),
        ([[0.5, 0.6]], "probability", "scores before the softmax, say scale: logit"),
        ([[0.0, 0.0]], "log-probability", "look like scale: logit"),
        ([[np.inf, 0.0]], "log-probability", "frame 0 holds a value that is not finite"),
        ([[np.nan, 0.0]], "logit", "frame 0 holds a value that is not finite"),
        ([[-np.inf, -np.inf]], "logit", r"frame 0 does not sum to 1 ± 0.01 \(it sums to 0\)"),
    ],
)
def test_what_is_refused(raw: list[list[float]], scale: Scale, message: str) -> None:
    with pytest.raises(DataError, match=message):
        probabilities(np.array(raw), scale, "x")


@pytest.mark.parametrize("row", [[1.1, -0.1], [0.7, 0.6], [-0.5, -0.7]])
def test_one_bad_frame_among_good_ones_is_no_other_scale(row: list[float]) -> None:
    with pytest.raises(DataError) as caught:
        probabilities(np.array([[0.5, 0.5], row, [0.9, 0.1]]), "probability", "x")
    assert "frame 1" in str(caught.value)
    assert "scale" not in str(caught.value)


def test_float16_logarithms_of_many_phones_pass() -> None:
    values = log_softmax(np.random.default_rng(1).normal(0, 3, (200, 100)), axis=1).astype(np.float16)
    probabilities(values.astype(np.float64), "log-probability", "x")
