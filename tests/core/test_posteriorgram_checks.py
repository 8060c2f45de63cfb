"""Posteriorgrams: columns summed by phone, and frames that are no probabilities refused by name."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams


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
    with pytest.raises(DataError) as caught:
        gram(frames).frames("u1")
    assert str(caught.value).startswith("p.npz: utterance 'u1'")
    return str(caught.value)


@given(seed=st.integers(0, 99), frames=st.integers(0, 5))
def test_columns_are_summed_by_phone(seed: int, frames: int) -> None:
    raw = np.random.default_rng(seed).dirichlet(np.ones(4), frames)
    found = gram(raw).frames("u1")
    np.testing.assert_allclose(found, np.stack([raw[:, 2], raw[:, 0] + raw[:, 3]], axis=1))
    assert found.dtype == np.float64


def test_half_precision_and_counts_are_probabilities_too() -> None:
    half = np.random.default_rng(1).dirichlet(np.ones(4), 50).astype(np.float16)
    assert gram(half).frames("u1").shape == (50, 2)
    assert gram(np.array([[0, 1, 0, 0]])).frames("u1").tolist() == [[0.0, 0.0]]


def test_iteration_reads_every_utterance() -> None:
    ((name, frames),) = gram(np.array([[0.5, 0.25, 0.25, 0.0]]))
    assert (name, frames.tolist()) == ("u1", [[0.25, 0.5]])


GOOD = [0.25, 0.25, 0.25, 0.25]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ([np.nan, 0, 0, 1], "holds a value that is not finite"),
        ([np.inf, 0, 0, 1], "holds a value that is not finite"),
        ([-0.5, 0.5, 0.5, 0.5], "holds a negative value"),
        ([0.5, 0.5, 0.5, 0.5], "does not sum to 1 ± 0.01 (it sums to 2)"),
        ([0.0, 0.0, 0.0, 0.0], "does not sum to 1 ± 0.01 (it sums to 0)"),
        ([-1.0, -2.0, -0.5, -3.0], "holds a negative value"),
    ],
)
def test_the_first_bad_frame_is_named_and_the_rest_counted(bad: list[float], complaint: str) -> None:
    message = refusal(np.array([GOOD, GOOD, bad, GOOD, bad]))
    assert message.startswith(f"p.npz: utterance 'u1', frame 2 {complaint}; 1 more such frames there")


def test_rows_may_be_off_by_a_hundredth() -> None:
    assert gram(np.array([[0.5, 0.509, 0, 0]])).frames("u1").shape == (1, 2)
    assert "does not sum" in refusal(np.array([[0.5, 0.511, 0, 0]]))


@pytest.mark.parametrize("shape", [(3, 3), (3, 5), (4,), (1, 3, 4), (0, 3)])
def test_another_width_is_refused(shape: tuple[int, ...]) -> None:
    assert f"has the shape {shape}; expected [frames, 4]" in refusal(np.full(shape, 0.25))


@pytest.mark.parametrize(
    "values", [np.array([["a"] * 4]), b"bytes", np.array([GOOD], dtype=complex), np.array([[None] * 4])]
)
def test_what_is_no_number_is_refused(values: object) -> None:
    assert "holds no real numbers" in refusal(values)


def test_frames_stand_for_their_centres() -> None:
    np.testing.assert_allclose(gram(None, shift=0.02, offset=0.1).centres(3), [0.11, 0.13, 0.15])
    for shift, offset in ((0.0, 0.0), (-1.0, 0.0), (np.nan, 0.0), (0.01, np.inf)):
        with pytest.raises(DataError, match=r"^p\.npz: the frame shift must be a positive number"):
            gram(None, shift=shift, offset=offset)
