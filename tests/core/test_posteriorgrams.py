"""Posteriorgrams: columns summed by phone, three scales, and frames that are no probabilities refused by name."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax, softmax
from support import error_of

from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, Scale, probabilities


def gram(
    frames: object, columns: tuple[int, ...] = (1, -1, 0, 1), shift: float = 0.01, offset: float = 0.0
) -> Posteriorgrams:
    return Posteriorgrams(
        source="p.npz",
        utterances=("u1",),
        inventory=Inventory(("a", "b")),
        columns=np.array(columns),
        read=lambda _: frames,  # type: ignore[arg-type, return-value]
        frame_shift=shift,
        frame_offset=offset,
    )


def refusal(frames: object) -> str:
    message = error_of(DataError, gram(frames).frames, "u1")
    assert message.startswith("p.npz: utterance 'u1'")
    return message


@given(seed=st.integers(0, 99), frames=st.integers(0, 5))
def test_columns_are_summed_by_phone(seed: int, frames: int) -> None:
    raw = np.random.default_rng(seed).dirichlet(np.ones(4), frames)
    found = gram(raw).frames("u1")
    np.testing.assert_allclose(found, np.stack([raw[:, 2], raw[:, 0] + raw[:, 3]], axis=1))
    assert found.dtype == np.float64


def test_rows_may_be_off_by_a_hundredth() -> None:
    assert gram(np.array([[0.5, 0.509, 0, 0]])).frames("u1").shape == (1, 2)
    assert "does not sum" in refusal(np.array([[0.5, 0.511, 0, 0]]))


@pytest.mark.parametrize("shape", [(3, 3), (4, 7), (2, 3, 4)])
def test_another_width_is_refused(shape: tuple[int, ...]) -> None:
    text = refusal(np.full(shape, 0.25))
    assert f"has the shape {shape}; expected [frames, 4]" in text
    assert ("transposed" in text) == (shape == (4, 7))


def test_frames_stand_for_their_centres() -> None:
    np.testing.assert_allclose(gram(None, shift=0.02, offset=0.1).centres(3), [0.11, 0.13, 0.15])
    for shift, offset in ((0.0, 0.0), (-1.0, 0.0), (np.nan, 0.0), (0.01, np.inf)):
        with pytest.raises(DataError, match=r"^p\.npz: the frame shift must be a positive number"):
            gram(None, shift=shift, offset=offset)


scores = arrays(np.float64, st.tuples(st.integers(0, 5), st.integers(1, 6)), elements=st.floats(-300, 300))


@given(scores)
def test_the_three_scales_of_the_same_scores_give_the_same_probabilities(values: np.ndarray) -> None:
    expected = softmax(values, axis=1) if values.size else values
    logarithms = log_softmax(values, axis=1) if values.size else values
    given_as: dict[Scale, np.ndarray] = {"probability": expected, "log-probability": logarithms, "logit": values}
    for scale, raw in given_as.items():
        np.testing.assert_allclose(probabilities(raw, scale, "x"), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("raw", "scale", "message"),
    [
        ([[0.5, 0.5], [np.nan, 1]], "probability", "x, frame 1 holds a value that is not finite"),
        ([[1.5, -0.5]], "probability", "frame 0 holds a negative value: these are not of the scale probability; they"),
        ([[1.0, -1e-7], [0.5, 0.5]], "probability", "frame 0 holds a negative value: rounding, as it seems; clip"),
        (
            [[0.5, 0.5], [1, 1], [2, 2]],
            "probability",
            r"frame 1 does not sum to 1.* \(it sums to 2\); 1 more such",
        ),
        ([[0.5, 0.6]], "probability", "not probabilities; divided by 1.1 they would be"),
        ([[0.7, 0.7], [9.0, 2.0]], "probability", "1 more such frames there: these are not probabilities$"),
        ([[0.0, 9.0], [9.0, 0.0]], "probability", "say scale: log-probability"),  # −log p
        ([[-0.30103, -0.30103]], "log-probability", r"logarithms of base 10; multiply them by 2.302585"),
        ([[1.0, 0.2], [0.0, 0.8]], "probability", "transposed"),
        ([[1e308, 1e308]], "log-probability", r"it sums to inf\): these are not probabilities$"),
        ([[np.inf, -np.inf]], "logit", "frame 0 holds a value that is not finite"),
    ],
)
def test_what_is_refused(raw: list[list[float]], scale: Scale, message: str) -> None:
    with pytest.raises(DataError, match=message):
        probabilities(np.array(raw), scale, "x")


@pytest.mark.parametrize("row", [[1.1, -0.1], [0.7, 0.6], [-0.5, -0.7]])
def test_one_bad_frame_among_good_ones_is_no_other_scale(row: list[float]) -> None:
    message = error_of(DataError, probabilities, np.array([[0.5, 0.5], row, [0.9, 0.1]]), "probability", "x")
    assert "frame 1" in message
    assert "scale" not in message


def test_float16_rows_of_many_phones_pass() -> None:
    values = log_softmax(np.random.default_rng(1).normal(0, 3, (200, 100)), axis=1)
    probabilities(values.astype(np.float16).astype(np.float64), "log-probability", "x")
    probabilities(np.exp(values).astype(np.float16).astype(np.float64), "probability", "x")
    for scale in ("log-probability", "logit"):
        assert probabilities(np.array([[0.0, -np.inf]]), scale, "x").tolist() == [[1.0, 0.0]]  # type: ignore[arg-type]
