"""How sharp or flat the posteriors of single frames are, summed over the frames of each gold token."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, read_only
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.count.tokens import BLOCK, by_phone

_EDGE = 1e-9  # times with few decimals are no exact binary numbers


@dataclass(frozen=True, eq=False)
class FrameEntropy:
    """Σ_t m_t H(p_t) in bits and Σ_t m_t over the frames of each gold token, [N] each; m_t is a frame's mass.

    A frame's distribution is over the phones, silence and blank left out; its mass is what these leave of it.
    """

    bits: Floats
    mass: Floats

    def __post_init__(self) -> None:
        for name in ("bits", "mass"):
            object.__setattr__(self, name, read_only(getattr(self, name), np.float64))


def frame_entropy(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> FrameEntropy:
    """Return the entropies of the frames of each gold token, one utterance read at a time, some of its frames decoded.

    The segments are those that `token_posteriors` takes: with times, in order, of the same utterances. Errors of the
    posteriors as for `Posteriorgrams.frames`; ValueError when the segments have no times.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> phones = Inventory(("a", "b"))
    >>> frames = Posteriorgrams(source="here", utterances=("u",), inventory=phones, columns=[0, 1],
    ...                         read={"u": np.array([[0.5, 0.5], [1.0, 0.0]])}.__getitem__, frame_shift=0.01)
    >>> spoken = PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], start=[0.0], end=[0.02], inventory=phones)
    >>> entropy = frame_entropy(frames, spoken)
    >>> entropy.bits.tolist(), entropy.mass.tolist()
    ([1.0], [2.0])
    """
    if segments.start is None or segments.end is None:
        raise ValueError(f"{segments.source}: the phones have no times")
    bits, mass = np.zeros(len(segments.codes)), np.zeros(len(segments.codes))
    for place, utterance in enumerate(segments.utterances):
        run = slice(segments.offsets[place], segments.offsets[place + 1])
        values = posteriorgrams.raw(utterance)
        owner = _owners(posteriorgrams.centres(len(values)), segments.start[run], segments.end[run])
        for begin in range(0, len(values), BLOCK):
            tokens = owner[begin : begin + BLOCK]
            block = values[begin : begin + BLOCK]
            inside = by_phone(posteriorgrams, utterance, block)[0][tokens >= 0]
            total = inside.sum(axis=1)
            np.add.at(bits[run], tokens[tokens >= 0], _weighted_entropy(inside, total))
            np.add.at(mass[run], tokens[tokens >= 0], total)
    return FrameEntropy(bits, mass)


def _owners(centres: Floats, start: Floats, end: Floats) -> NDArray[np.int64]:
    """Return the token whose interval holds each frame's centre, −1 where none does."""
    if not len(start):
        return np.full(len(centres), -1)
    owner = np.searchsorted(start - _EDGE, centres, side="right") - 1
    inside = (owner >= 0) & (centres < end[owner] - _EDGE)
    return np.where(inside, owner, -1)


def _weighted_entropy(rows: Floats, total: Floats) -> Floats:
    """Return m·H(p/m) = m log2 m − Σ p log2 p of rows p that sum to m."""
    values = np.column_stack([total, rows])
    logs = np.where(values > 0, np.log2(np.where(values > 0, values, 1.0)), 0.0)
    terms = values * logs
    return np.asarray(np.maximum(terms[:, 0] - terms[:, 1:].sum(axis=1), 0.0))
