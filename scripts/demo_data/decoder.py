"""The best path through a loop of phones (Viterbi)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SHORTEST = 3  # frames that a phone lasts at least
_LOG_STAY, _LOG_LEAVE = np.log(0.6), np.log(0.4)


@dataclass(frozen=True)
class Recognised:
    """A recognised phone: its column, first frame, the frame after its last, and its mean posterior."""

    column: int
    start: int
    end: int
    confidence: float


def decode(
    scores: NDArray[np.floating], log_transitions: NDArray[np.float64], posteriors: NDArray[np.floating]
) -> list[Recognised]:
    """Return the phones of the best path by log scores [frames, phones]; posteriors give their confidence.

    Each phone is a chain of states, one a frame, of which only the last may repeat.
    """
    frames, phones = scores.shape
    chain = np.full((phones, _SHORTEST), -np.inf)
    chain[:, 0] = scores[0]
    stayed = np.zeros((frames, phones), dtype=bool)  # in its last state, from the frame before
    came_from = np.zeros((frames, phones), dtype=np.intp)  # phone before the one that starts in this frame
    for frame in range(1, frames):
        entries = (chain[:, -1] + _LOG_LEAVE)[:, None] + log_transitions
        came_from[frame] = entries.argmax(0)
        repeated = chain[:, -1] + _LOG_STAY
        stayed[frame] = repeated > chain[:, -2]
        last = np.maximum(repeated, chain[:, -2])
        chain = np.column_stack([entries.max(0), chain[:, :-2], last]) + scores[frame][:, None]
    return _trace(int(chain[:, -1].argmax()), stayed, came_from, posteriors)


def _trace(
    column: int, stayed: NDArray[np.bool_], came_from: NDArray[np.intp], posteriors: NDArray[np.floating]
) -> list[Recognised]:
    recognised = []
    end = len(stayed)
    while end > 0:
        frame = end - 1
        while stayed[frame, column]:
            frame -= 1
        start = frame - (_SHORTEST - 1)
        confidence = posteriors[start:end, column].mean(dtype=np.float64)
        recognised.append(Recognised(column, start, end, float(confidence)))
        end, column = start, int(came_from[start, column])
    return recognised[::-1]
