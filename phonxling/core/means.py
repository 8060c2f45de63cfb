"""What posteriors say of each token and of each phone."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import read_only
from phonxling.core.inventory import Inventory

_TOGETHER = 1 << 16  # tokens that are looked at together


@dataclass(frozen=True, eq=False, kw_only=True)
class TokenPosteriors:
    """The mean posterior of every gold token that has frames.

    Parameters
    ----------
    phones : Inventory
        G gold phones.
    columns : Inventory
        K recogniser's phones.
    codes : int32 array [N]
        Gold phone of each token.
    rows : float64 array [N, K]
        Its frames' mean posterior; each row sums to 1. Frames weigh by their mass outside silence and blank.
    weight : float64 array [N]
        The mass of its frames outside silence and blank; times its row, what counting by frames adds up.
    utterances : int64 array [N]
        Position of each token's utterance among the segments.
    without_frame : int64 array [G]
        Tokens of each phone too short to hold the centre of a frame.
    silent : int64 array [G]
        Tokens of each phone whose frames are all silence.
    blank_share : float
        Share of the frames' mass that a CTC blank has, over all frames read; NaN when no blank is named.
    frames : int64 array [G]
        Frames that are tied to tokens of each phone.
    read : int
        Frames read: those tied, and those outside every interval.
    first_without : int
        Among all gold tokens the first without a frame; −1 when all have one.
    decided : float64 array [N, K], optional
        The same mass as `weight`, that of each frame given to the frame's own most probable phone (of equal ones the
        first); None where frames were not decided.
    """

    phones: Inventory
    columns: Inventory
    codes: NDArray[np.int32]
    rows: NDArray[np.float64]
    weight: NDArray[np.float64]
    utterances: NDArray[np.int64]
    without_frame: NDArray[np.int64]
    silent: NDArray[np.int64]
    blank_share: float = math.nan
    frames: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    read: int = 0
    first_without: int = -1
    decided: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        kinds = {"codes": np.int32, "rows": np.float64, "weight": np.float64}
        if self.decided is not None:
            object.__setattr__(self, "decided", read_only(self.decided, np.float64))
        for name in ("codes", "rows", "weight", "utterances", "without_frame", "silent", "frames"):
            object.__setattr__(self, name, read_only(getattr(self, name), kinds.get(name, np.int64)))

    @property
    def mass(self) -> NDArray[np.float64]:
        """The sum over each token's frames, not normalised, [N, K]; made anew at each call."""
        return self.rows * self.weight[:, None]

    @property
    def hard(self) -> NDArray[np.int64]:
        """The phone of highest mean posterior of each token, [N]; of equal ones the first in the inventory."""
        largest = np.empty(len(self), np.int64)
        for first in range(0, len(self), _TOGETHER):  # NumPy copies an array that it may not write to
            self.rows[first : first + _TOGETHER].argmax(axis=1, out=largest[first : first + _TOGETHER])
        return largest

    @property
    def outside(self) -> int:
        """Frames outside every interval."""
        return self.read - int(self.frames.sum())

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneMeans:
    """Mean posteriors of phones: points on the simplex over the recogniser's phones.

    Parameters
    ----------
    phones : Inventory
        G phones, those with at least one token.
    columns : Inventory
        K recogniser's phones.
    means : float64 array [G, K]
        μ_y, each row summing to 1.
    tokens : int64 array [G]
        How many tokens each mean rests on.
    batch_phones : int32 array [B]
        Phone of each batch of tokens.
    batch_means : float64 array [B, K]
        Mean of each batch: how much μ_y varies from part to part of the corpus.
    """

    phones: Inventory
    columns: Inventory
    means: NDArray[np.float64]
    tokens: NDArray[np.int64]
    batch_phones: NDArray[np.int32]
    batch_means: NDArray[np.float64]

    def __post_init__(self) -> None:
        kinds = {"tokens": np.int64, "batch_phones": np.int32}
        for name in ("means", "tokens", "batch_phones", "batch_means"):
            object.__setattr__(self, name, read_only(getattr(self, name), kinds.get(name, np.float64)))
