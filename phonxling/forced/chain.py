"""The states that an utterance's phones are made of, see `kernel`.

Each token has `minimum` states, one a frame, of which the last may be repeated. Before the first token, between two,
and after the last one stands a state for what is no phone (silence, blank), which may be left out. With a blank (CTC),
two tokens of the same phone must have it between them: otherwise they would be one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes


class Chain(NamedTuple):
    """States of an utterance: what each emits, whether it may be repeated, whether the one before it may be left out.

    `phones` are the utterance's n distinct gold phones; emission k < n is that of phones[k], emission n that of none.
    `period` is the number of states of a token and of what may follow it.
    """

    phones: Codes
    emit: NDArray[np.int32]
    loop: NDArray[np.uint8]
    skip: NDArray[np.uint8]
    period: int

    @property
    def states(self) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
        """What the compiled loops take."""
        return self.emit, self.loop, self.skip


def chain_of(codes: NDArray[np.integer], minimum: int, *, blank: bool) -> Chain:
    """Return the chain of a sequence of gold phones.

    Examples
    --------
    >>> chain_of(np.array([7, 7, 4]), 1, blank=True).skip.tolist()  # may the state between two tokens be left out?
    [0, 0, 0, 0, 0, 1, 0]
    """
    phones, place = np.unique(codes.astype(np.int64), return_inverse=True)
    period = minimum + 1
    emit = np.full(len(codes) * period + 1, len(phones), np.int32)
    loop, skip = np.zeros(len(emit), np.uint8), np.zeros(len(emit), np.uint8)
    for state in range(1, period):
        emit[state::period] = place
    loop[::period] = loop[minimum::period] = 1
    skip[1 + period :: period] = ~_repeated(codes) if blank else True
    return Chain(phones, emit, loop, skip, period)


def least_frames(codes: NDArray[np.integer], minimum: int, *, blank: bool) -> int:
    """Return how many frames a sequence of gold phones needs at least."""
    return len(codes) * minimum + (int(_repeated(codes).sum()) if blank else 0)


def _repeated(codes: NDArray[np.integer]) -> NDArray[np.bool_]:
    return np.asarray(codes[1:] == codes[:-1])
