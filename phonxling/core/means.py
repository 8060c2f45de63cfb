"""What posteriors say of each token and of each phone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arguments import checked_types
from phonxling.core.arrays import make_read_only
from phonxling.core.confusion import Phones, Summed
from phonxling.core.display import Shown, cells, counted
from phonxling.core.inventory import Inventory, as_inventory
from phonxling.core.posteriorgram import Rows

if TYPE_CHECKING:
    from phonxling.core.display import DataFrame


class JointDistribution(Summed):
    """Summed mass of gold phone y with recognised phone e; divided by its total it is p̂(y, e).

    Parameters
    ----------
    rows : Inventory or list of str
        G gold phones.
    columns : Inventory or list of str
        K recogniser's phones.
    mass : float array [G, K]
        Mass ≥ 0: Σ over tokens (or frames) i with gold y of p(e | x_i). Unnormalised, so that sums merge.

    Raises
    ------
    ValueError
        If the shape does not fit.
        If a value is negative or not finite.

    Examples
    --------
    >>> j = JointDistribution(rows=["a", "b"], columns=["x", "y"], mass=[[1, 0], [1, 2]])
    >>> j.probabilities().tolist()
    [[0.25, 0.0], [0.25, 0.5]]
    """

    __slots__ = _fields = ("rows", "columns", "mass")
    _gaps = 0

    rows: Inventory
    columns: Inventory
    mass: NDArray[np.float64]

    @checked_types
    def __init__(self, rows: Phones, columns: Phones, mass: ArrayLike) -> None:
        first, second, values = as_inventory(rows), as_inventory(columns), np.asarray(mass, dtype=np.float64)
        if values.shape != (len(first), len(second)):
            raise ValueError(f"mass must have the shape {(len(first), len(second))}, not {values.shape}")
        self._set(first, second, values)

    def probabilities(self) -> NDArray[np.float64]:
        """Return p̂(y, e), [G, K], summing to 1; all NaN when there is no mass."""
        total = self.mass.sum()
        return self.mass / total if total > 0 else np.full(self.mass.shape, np.nan)

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, recognised, mass: a row for each cell that has mass; with `wide` all, gold down."""
        labels, names = (self.rows.phones, self.columns.phones), ("gold", "recognised", "mass")
        return cells(self.mass, labels, names, wide=wide, kept=self.mass > 0)

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.rows)} gold × {len(self.columns)} recognised phones"
        yield f"mass {self.mass.sum():,.6g}"


_TOGETHER = 1 << 16  # tokens that are looked at together


class FrameEntropy(NamedTuple):
    """Σ_t m_t H(p_t) in bits and Σ_t m_t over the frames of each gold token, [N] each; m_t is a frame's mass."""

    bits: NDArray[np.float64]
    mass: NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TokenPosteriors(Shown):
    """The mean posterior of every gold token that has frames."""

    phones: Inventory
    columns: Inventory
    codes: NDArray[np.int32]
    rows: Rows
    weight: NDArray[np.float64]
    utterances: NDArray[np.int64]
    without_frame: NDArray[np.int64]
    silent: NDArray[np.int64]
    blank_share: float = math.nan
    frames: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    read: int = 0
    first_without: int = -1
    decided: Rows | None = None
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    entropy: FrameEntropy | None = None

    def __post_init__(self) -> None:
        kinds = {"codes": np.int32, "weight": np.float64}
        for name in ("codes", "weight", "utterances", "without_frame", "silent", "frames", "places"):
            make_read_only(self, **{name: kinds.get(name, np.int64)})
        for name in ("rows", "decided"):
            if isinstance(getattr(self, name), np.ndarray):  # others are on disk, and only read
                make_read_only(self, **{name: np.float64})

    @property
    def mass(self) -> NDArray[np.float64]:
        """The sum over each token's frames, not normalised, [N, K]; made anew at each call."""
        return np.asarray(self.rows, dtype=np.float64) * self.weight[:, None]

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

    def among(self, chosen: NDArray[np.bool_]) -> "TokenPosteriors":
        """Return the tokens for which `chosen` [N] says so; counts of frames and of other tokens stay."""
        return replace(
            self,
            codes=self.codes[chosen],
            rows=np.asarray(self.rows)[chosen],
            weight=self.weight[chosen],
            utterances=self.utterances[chosen],
            places=self.places[chosen],
            decided=None if self.decided is None else np.asarray(self.decided)[chosen],
        )

    def __len__(self) -> int:
        return len(self.codes)

    def _facts(self) -> Iterator[str]:
        yield counted(len(self), "token")
        yield f"{len(self.phones)} gold × {len(self.columns)} recognised phones"


def in_corpus_order(parts: Sequence[tuple[TokenPosteriors, NDArray[np.int64], NDArray[np.int64]]]) -> TokenPosteriors:
    """Return the tokens of parts of a corpus, in its order."""
    tokens = [part for part, _, _ in parts]
    places = np.concatenate([own[part.places] for part, own, _ in parts])
    order, read = np.argsort(places), sum(part.read for part in tokens)
    blank = math.fsum(part.blank_share * part.read for part in tokens if part.read)
    decided = [np.asarray(part.decided) for part in tokens if part.decided is not None]
    without = [int(own[part.first_without]) for part, own, _ in parts if part.first_without >= 0]
    return TokenPosteriors(
        phones=tokens[0].phones,
        columns=tokens[0].columns,
        codes=np.concatenate([part.codes for part in tokens])[order],
        rows=np.concatenate([np.asarray(part.rows) for part in tokens])[order],
        weight=np.concatenate([part.weight for part in tokens])[order],
        utterances=np.concatenate([own[part.utterances] for part, _, own in parts])[order],
        without_frame=np.sum([part.without_frame for part in tokens], axis=0),
        silent=np.sum([part.silent for part in tokens], axis=0),
        blank_share=blank / read if read else math.nan,
        frames=np.sum([part.frames for part in tokens], axis=0),
        read=read,
        first_without=min(without, default=-1),
        decided=np.concatenate(decided)[order] if decided else None,
        places=places[order],
    )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PhoneMeans(Shown):
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
        make_read_only(self, means=np.float64, tokens=np.int64, batch_phones=np.int32, batch_means=np.float64)

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.phones)} gold × {len(self.columns)} recognised phones"
        yield f"means of {counted(int(self.tokens.sum()), 'token')}"
        yield f"{counted(len(self.batch_phones), 'batch', 'batches')} of tokens"

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, recognised, probability: the mean posterior of each phone; with `wide`, gold phones down."""
        labels = self.phones.phones, self.columns.phones
        return cells(self.means, labels, ("gold", "recognised", "probability"), wide=wide)
