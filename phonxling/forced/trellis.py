"""One utterance: all ways of dealing its frames out to its gold phones, in a band that is widened until it holds them.

The band follows the mass of phones (what is neither silence nor blank): after half of that mass it stands at half of
the states. It is made twice as wide until at no frame more than a millionth of all segmentations, and nowhere the best
path, stands on its outermost two states; at the last it holds all states.

Each token has `minimum` states, one a frame, of which the last may be repeated. Before the first token, between two,
and after the last one stands a state for what is no phone (silence, blank), which may be left out. With a blank (CTC),
two tokens of the same phone must have it between them: otherwise they would be one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError
from phonxling.forced.kernel import add_responsibilities, best_path, emit_frames, occupy, token_weights


class Chain(NamedTuple):
    """States of an utterance: what each emits, whether it may be repeated."""

    phones: Codes
    emit: NDArray[np.int32]
    loop: NDArray[np.uint8]
    skip: NDArray[np.uint8]
    period: int

    @property
    def states(self) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
        return self.emit, self.loop, self.skip


def chain_of(codes: NDArray[np.integer], minimum: int, *, blank: bool) -> Chain:
    """Return the chain of a sequence of gold phones."""
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


WIDTH = 128  # states of the first band
_TOUCHING = 1e-6  # share of the segmentations that may stand on the band's border
_BORDER = 2  # states that a path can pass in one frame


@dataclass(frozen=True, eq=False, kw_only=True)
class Trellis:
    """The segmentations of an utterance: shares [T, W] of the states low[t] … low[t] + W − 1 at each frame."""

    heard: Floats
    chain: Chain
    noise: float
    values: Floats
    low: NDArray[np.int64]
    shares: Floats
    path: NDArray[np.int32]
    log_likelihood: float

    def heard_as(self) -> Floats:
        """Return [n + 1, E + 1]; times the model, it is how many frames of each emission were heard as each column."""
        sums = np.zeros((self.values.shape[1], self.heard.shape[1]))
        add_responsibilities(self.heard, self.values, self.shares, self.chain.emit, self.low, self.noise, sums)
        return sums

    def occupations(self) -> tuple[Codes, Floats]:
        """Return of each frame the probability that it is each token's [T, B], from the token first[t] on [T]."""
        first, band = np.zeros(len(self.low), np.int64), self.shares.shape[1] // self.chain.period + 2
        weights = np.empty((len(self.low), band))
        token_weights(self.shares, self.low, self.chain.period, first, weights)
        return first, weights

    def spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the best path's first frame of each token, and the first after it."""
        period = self.chain.period
        begins = np.arange(len(self.chain.emit) // period) * period + 1
        return self.path.searchsorted(begins), self.path.searchsorted(begins + period - 1)


def trellis(heard: Floats, chain: Chain, rows: Floats, noise: float, *, where: str, width: int = WIDTH) -> Trellis:
    """Return the segmentations of an utterance."""
    values, states = np.empty((len(heard), len(rows))), len(chain.emit)
    emit_frames(heard, np.ascontiguousarray(rows.T), noise, values)
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    for tried in _widths(width, states):
        low, path = _band(heard, states, tried), np.empty(len(heard), np.int32)
        found = best_path(logs, chain.states, low, tried, path) > -np.inf
        if not found or _touches(path - low, low, tried, states):
            continue
        shares = np.empty((len(heard), tried))
        total, touched = occupy(values, chain.states, low, tried, shares)
        if touched <= _TOUCHING:
            return Trellis(
                heard=heard,
                chain=chain,
                noise=noise,
                values=values,
                low=low,
                shares=shares,
                path=path,
                log_likelihood=total,
            )
    raise DataError(f"{where}: no way of dealing its frames out to its phones has any probability")


def _widths(first: int, states: int) -> Iterator[int]:
    """Yield how wide the band is, each time twice as wide, until it holds all states."""
    width = max(first, 2 * _BORDER)
    while width < states:
        yield width
        width *= 2
    yield states


def _band(heard: Floats, states: int, width: int) -> NDArray[np.int64]:
    """Return the first state of the band at each frame, ascending from 0 to the last possible one."""
    if width == states:
        return np.zeros(len(heard), np.int64)
    spoken = heard[:, :-1].sum(axis=1) + 1e-3  # so that it also moves through silence
    passed = np.cumsum(spoken) - spoken / 2
    middle = passed / (passed[-1] + spoken[-1] / 2) * states
    low: NDArray[np.int64] = np.clip(np.rint(middle - width / 2), 0, states - width).astype(np.int64)
    low[0], low[-1] = 0, states - width
    return low


def _touches(place: NDArray[np.int64], low: NDArray[np.int64], width: int, states: int) -> bool:
    """Return whether a path, by its place in the band, comes to a border with states beyond."""
    below = (place < _BORDER) & (low > 0)
    return bool((below | ((place >= width - _BORDER) & (low + width < states))).any())
