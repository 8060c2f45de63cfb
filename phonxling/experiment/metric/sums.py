"""What a metric keeps of the utterances it has seen: sums that merge in any order, with the same bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, read_only
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import DataError
from phonxling.core.sequences import numbered_speakers
from phonxling.resample.weights import Resampling, resampling

TOKENS, ERRORS, COST = range(3)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums:
    """Counts of all utterances together, and what a rate and its interval need of each.

    Parameters
    ----------
    matrix : ConfusionMatrix
        The confusions of all utterances.
    rows : int64 array [U, 3]
        Of each utterance: its gold phones, its least number of errors, its cost over `denominator`.
    denominator : int
        The unit of the costs.
    speakers : tuple of str, optional
        One an utterance.
    """

    matrix: ConfusionMatrix
    rows: NDArray[np.int64]
    denominator: int = 1
    speakers: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", read_only(self.rows, np.int64))

    @classmethod
    def zero(cls) -> "Sums":
        """Return the sums of no utterance: neutral when added."""
        return cls(matrix=ConfusionMatrix.zero(), rows=np.zeros((0, 3), np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "Sums") -> "Sums":
        denominator = lcm(self.denominator, other.denominator)
        return Sums(
            matrix=self.matrix + other.matrix,
            rows=np.concatenate([self._over(denominator), other._over(denominator)]),
            denominator=denominator,
            speakers=_all_or_none(self, other),
        )

    def _over(self, denominator: int) -> NDArray[np.int64]:
        return np.asarray(self.rows * np.array([1, 1, denominator // self.denominator]), dtype=np.int64)

    def in_one_order(self) -> "Sums":
        """Return the same, the utterances in an order that does not depend on who saw which first."""
        names = self.speakers or ("",) * len(self)
        order = np.lexsort((np.unique(np.array(names, dtype=str), return_inverse=True)[1], *self.rows.T))
        speakers = None if self.speakers is None else tuple(self.speakers[place] for place in order)
        return Sums(matrix=self.matrix, rows=self.rows[order], denominator=self.denominator, speakers=speakers)

    def resampled(self, replicates: int, level: float, seed: int) -> Resampling:
        """Return the draws of speakers where they are known, else of utterances."""
        numbers = None
        if self.speakers is not None:
            numbers = numbered_speakers(self.speakers, list(map(tuple, self.rows.tolist())))
        return resampling(len(self), numbers, resamples=replicates, level=level, seed=seed)

    def column(self, of: int) -> Floats:
        """Return one number of each utterance, [U]."""
        return self.rows[:, of].astype(np.float64)


def _all_or_none(first: Sums, second: Sums) -> tuple[str, ...] | None:
    parts: Sequence[Sums] = [part for part in (first, second) if len(part)]
    given = [part.speakers for part in parts if part.speakers is not None]
    if given and len(given) < len(parts):
        raise DataError("some utterances have speakers and others have none; give all or none")
    return tuple(name for names in given for name in names) if given else None
