"""Posteriorgrams: for each frame of an utterance, probabilities over the recogniser's phones. Read lazily."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import read_only
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory

Frames = NDArray[np.floating]
Floats = NDArray[np.float64]
ROW_TOLERANCE = 0.01  # float16 rows of a hundred phones stay within 0.005


@dataclass(frozen=True, eq=False, kw_only=True)
class RawPosteriors:
    """Posteriors as a file gives them: K labelled columns, and a way to read one utterance's frames [T, K]."""

    source: str
    labels: tuple[str, ...]
    utterances: tuple[str, ...]
    read: Callable[[str], Frames]
    frame_shift: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Posteriorgrams:
    """Posteriors whose columns are phones.

    Parameters
    ----------
    utterances : tuple of str
        Ids.
    inventory : Inventory
        The recogniser's phones; columns that map to one phone are summed, those of silence are left out.
    columns : int array [K]
        For each column of the file the code of its phone, or −1 when it is left out.
    read : callable
        Reads the file's frames [T, K] of an utterance.
    frame_shift : float
        Seconds from frame to frame.
    frame_offset : float
        Seconds at which frame 0 begins; frame t stands for its centre, offset + (t + ½)·shift.
    """

    source: str
    utterances: tuple[str, ...]
    inventory: Inventory
    columns: NDArray[np.int64]
    read: Callable[[str], Frames]
    frame_shift: float
    frame_offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", read_only(self.columns, np.int64))
        if not (np.isfinite(self.frame_shift) and self.frame_shift > 0 and np.isfinite(self.frame_offset)):
            raise DataError(f"{self.source}: the frame shift must be a positive number of seconds")

    def frames(self, utterance: str) -> Floats:
        """Return an utterance's posteriors by phone, float64 [T, P]; rows sum to 1 less the mass left out.

        Raises
        ------
        DataError
            If the matrix does not hold real numbers, or has not as many columns as there are labels.
            If a value is not finite or negative, or a row does not sum to 1 (± 0.01): the first such row is named.
        """
        values = np.asarray(self.read(utterance))
        if values.dtype.kind not in "fiu":
            raise DataError(f"{self.source}: utterance '{utterance}' holds no real numbers but {values.dtype}")
        raw: Floats = np.asarray(values, dtype=np.float64)
        self._check(utterance, raw)
        phones: Floats = np.zeros((len(raw), len(self.inventory)))
        for column, phone in enumerate(self.columns):
            if phone >= 0:
                phones[:, phone] += raw[:, column]
        return phones

    def __iter__(self) -> Iterator[tuple[str, NDArray[np.float64]]]:
        return ((utterance, self.frames(utterance)) for utterance in self.utterances)

    def __len__(self) -> int:
        return len(self.utterances)

    def centres(self, frames: int) -> NDArray[np.float64]:
        """Return the time in seconds of the centre of each of so many frames."""
        return np.asarray(self.frame_offset + (np.arange(frames) + 0.5) * self.frame_shift, dtype=np.float64)

    def _check(self, utterance: str, raw: NDArray[np.float64]) -> None:
        where = f"{self.source}: utterance '{utterance}'"
        if raw.ndim != 2 or raw.shape[1] != len(self.columns):
            msg = f"{where} has the shape {raw.shape}; expected [frames, {len(self.columns)}], one column a label"
            raise DataError(msg)
        finite = np.isfinite(raw).all(axis=1)
        with np.errstate(invalid="ignore"):
            faults = {
                "holds a value that is not finite": ~finite,
                "holds a negative value": finite & (raw < 0).any(axis=1),
                f"does not sum to 1 ± {ROW_TOLERANCE}": finite & (abs(raw.sum(axis=1) - 1) > ROW_TOLERANCE),
            }
        for fault, rows in faults.items():
            if rows.any():
                first, more = int(np.argmax(rows)), int(rows.sum()) - 1
                sums = f" (it sums to {raw[first].sum():.4g})" if "sum" in fault else ""
                hint = "these are no probabilities; log-probabilities or logits must be turned into probabilities first"
                raise DataError(f"{where}, frame {first} {fault}{sums}; {more} more such frames there: {hint}")
