"""Times of boundaries between phones, and how many of two sides' boundaries meet."""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, offsets_of
from phonxling.core.sequences import PhoneSequences

TOUCHING = 0.001  # s: a phone that begins so near the end of the one before shares a boundary with it
_ROUNDING = 1e-9  # s: 0.14 − 0.12 is a little more than 0.02


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Times in seconds, in order within each utterance; utterance u has those from offsets[u] to offsets[u + 1] − 1."""

    offsets: NDArray[np.int64]
    times: Floats

    @property
    def numbers(self) -> Floats:
        """How many boundaries each utterance has, [U]."""
        return np.diff(self.offsets).astype(np.float64)


def boundaries(side: PhoneSequences) -> Boundaries:
    """Return where a phone ends and the next begins: one boundary, or two where there is a pause between them.

    The beginning of an utterance's first phone and the end of its last are none, for there files are cut. ValueError
    without times.
    """
    if side.start is None or side.end is None:
        raise ValueError("these phones have no times")
    owner = side.token_utterances()
    inner = owner[1:] == owner[:-1]
    ends, starts, owners = side.end[:-1][inner], side.start[1:][inner], owner[1:][inner]
    apart = np.abs(starts - ends) > TOUCHING
    times, utterances = np.concatenate([ends, starts[apart]]), np.concatenate([owners, owners[apart]])
    order = np.lexsort([times, utterances])
    return Boundaries(offsets_of(np.bincount(utterances, minlength=len(side))), times[order])


def meetings(gold: Boundaries, predicted: Boundaries, tolerance: float) -> Floats:
    """Return how many boundaries of each utterance meet another side's, at most `tolerance` seconds apart, [U].

    Each meets one at most, and as many meet as can.
    """
    met = np.zeros(len(gold.offsets) - 1)
    _meet((gold.offsets, gold.times), (predicted.offsets, predicted.times), tolerance + _ROUNDING, met)
    return met


@numba.njit(cache=True, nogil=True)
def _meet(
    first: tuple[NDArray[np.int64], Floats], second: tuple[NDArray[np.int64], Floats], tolerance: float, met: Floats
) -> None:
    """Add to `met` [U]: of two earliest boundaries the earlier one meets the other or none, so that no pair is lost."""
    (gold_offsets, gold), (predicted_offsets, predicted) = first, second
    for utterance in range(met.size):
        i, j = gold_offsets[utterance], predicted_offsets[utterance]
        while i < gold_offsets[utterance + 1] and j < predicted_offsets[utterance + 1]:
            apart = predicted[j] - gold[i]
            if abs(apart) <= tolerance:
                met[utterance] += 1
            i, j = i + (apart >= -tolerance), j + (apart <= tolerance)
