"""One utterance against all its segmentations written down; bands against the whole table."""

import numpy as np
import pytest
from forced_oracle import Enumerated, peaky

from phonxling.core.errors import DataError
from phonxling.posteriors.forced_alignment import Trellis, fill_trellis

CASES = [
    (6, [0, 1], 1, False),
    (6, [0, 0], 1, True),
    (7, [1, 1, 0], 1, True),
    (6, [1, 1], 2, False),
    (7, [0, 2, 0], 2, False),
    (3, [0, 1, 2], 1, True),
    (4, [2], 3, False),
]


def made(frames: int, codes: list[int], minimum: int, *, blank: bool, seed: int) -> tuple[Trellis, Enumerated]:
    generator = np.random.default_rng(seed)
    heard, rows = generator.dirichlet(np.full(5, 0.5), size=frames), generator.dirichlet(np.ones(5), size=4)
    found = fill_trellis(heard, np.array(codes), rows, noise=0.05, minimum=minimum, blank=blank, where="here")
    return found, Enumerated(heard, codes, rows, 0.05, minimum=minimum, blank=blank)


@pytest.mark.parametrize(("frames", "codes", "minimum", "blank"), CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_all_segmentations_written_down(frames: int, codes: list[int], minimum: int, blank: bool, seed: int) -> None:
    found, oracle = made(frames, codes, minimum, blank=blank, seed=seed)
    assert found.log_likelihood == pytest.approx(oracle.log_likelihood(), rel=1e-12)
    period = minimum + 1
    own = tuple(2 * (state // period) + (state % period > 0) for state in found.path.tolist())
    assert own in oracle.best()
    begins, weights = found.occupations()
    shares = np.zeros((frames, len(codes) + weights.shape[1]))
    for frame, first in enumerate(begins):
        shares[frame, first : first + weights.shape[1]] = weights[frame]
    np.testing.assert_allclose(shares[:, : len(codes)], oracle.occupied(), atol=1e-12)
    counts = np.zeros_like(oracle.rows)
    counts[np.append(found.phones, -1)] = found.responsibilities()
    np.testing.assert_allclose(counts * oracle.rows, oracle.counts(), atol=1e-12)


def long_case(seed: int, *, pause: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return frames, codes and rows of 150 phones, with a long pause that is heard as phones at the beginning."""
    generator = np.random.default_rng(seed)
    codes = generator.integers(8, size=150)
    heard, _ = peaky(generator, codes.tolist(), 8, noise=0.2)
    babble = np.full((pause, 9), 0.01)
    babble[:, 3] = 0.92
    rows = np.full((9, 9), 0.02) + 0.82 * np.eye(9)
    return np.concatenate([babble, heard]), codes, rows


@pytest.mark.parametrize(("minimum", "blank", "pause"), [(1, True, 0), (2, False, 0), (1, True, 600)])
def test_a_band_finds_what_the_whole_table_finds(minimum: int, blank: bool, pause: int) -> None:
    heard, codes, rows = long_case(3, pause=pause)
    whole, narrow = (
        fill_trellis(heard, codes, rows, noise=0.01, minimum=minimum, blank=blank, where="here", least_width=width)
        for width in (1000, 4)
    )
    assert whole.shares.shape[1] == len(whole.emit)
    assert narrow.shares.shape[1] < len(whole.emit) or pause
    np.testing.assert_array_equal(narrow.path, whole.path)
    assert narrow.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-6)
    dense = np.zeros_like(whole.shares)
    for frame, low in enumerate(narrow.low):
        dense[frame, low : low + narrow.shares.shape[1]] = narrow.shares[frame]
    np.testing.assert_allclose(dense, whole.shares, atol=1e-4)


def test_a_long_recording_takes_a_narrow_band() -> None:
    generator = np.random.default_rng(7)
    codes = generator.integers(30, size=1800)
    heard, places = peaky(generator, codes.tolist(), 30)
    rows = np.full((31, 31), 0.01) + 0.69 * np.eye(31)
    found = fill_trellis(heard, codes, rows, noise=0.01, minimum=1, blank=True, where="here")
    assert len(heard) > 9_000
    assert found.shares.shape == (len(heard), 128)
    assert found.spans()[0].tolist() == places.tolist()


def test_masses_far_below_the_floats_are_still_right() -> None:
    """A path that is 2000 orders of magnitude behind at half of the time, and wins: no frame may have let it go."""
    heard = np.zeros((2400, 3))
    heard[:1200, 1], heard[1200:, 0] = 1, 1
    heard[:1200, 0] = heard[1200:, 1] = 1e-5
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    found = fill_trellis(heard, np.array([0, 1]), rows, noise=1e-9, minimum=1, blank=False, where="here")
    # a must come first: every frame is emitted by what it is not, or the border is at an end
    log_a = np.log(rows[0] @ heard.T * (1 - 1e-9) + 1e-9 / 3)
    log_b = np.log(rows[1] @ heard.T * (1 - 1e-9) + 1e-9 / 3)
    log_gap = np.log(rows[2] @ heard.T * (1 - 1e-9) + 1e-9 / 3)
    best = max(log_a[:border].sum() + log_b[border:].sum() for border in range(1, 2400))
    assert log_gap.max() < -20
    assert found.log_likelihood == pytest.approx(best, abs=12)
    assert found.log_likelihood >= best


def test_what_cannot_be_is_said() -> None:
    even = np.full((3, 3), 1 / 3)
    with pytest.raises(DataError, match="here: no way to segment its frames has a probability above 0"):
        fill_trellis(even, np.array([0, 1]), even, noise=0.01, minimum=2, blank=False, where="here")
