"""Posteriorgrams: for each frame of an utterance, probabilities over the recogniser's phones. Read lazily.

What posteriors say of each token and of each phone.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Bools, Codes, Floats, Frozen, make_read_only
from phonxling.core.confusion import Phones, Summed
from phonxling.core.errors import DataError
from phonxling.core.estimate import Shown, cells, counted
from phonxling.core.inventory import Inventory, as_inventory
from phonxling.core.sequences import PhoneSequences, SymbolAudit, Transcript

if TYPE_CHECKING:
    from phonxling.core.estimate import DataFrame


Scale = Literal["probability", "log-probability", "logit"]
SCALES: tuple[Scale, ...] = get_args(Scale)
ROW_TOLERANCE = 0.01  # float16 rows of a hundred phones stay within 0.005; its logarithms within 0.004
FRAMES = 1.0  # seconds from frame to frame where nothing says them: times are then counted in frames
_MOST = 0.5  # share of an utterance's frames: where fewer are bad, the scale is not what is wrong with them
Frames = NDArray[np.floating]


class Rows(Protocol):
    """Rows of numbers that are read when they are asked for; an array is one, and so is a large file."""

    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, rows: slice, /) -> Frames: ...
    def __array__(self) -> Frames: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class RawPosteriors:
    """Posteriors as a file gives them: K labelled columns, and a way to read one utterance's frames [T, K]."""

    source: str
    labels: tuple[str, ...]
    utterances: tuple[str, ...]
    read: Callable[[str], Rows]
    frame_shift: float | None = None
    files: tuple[Path, ...] = ()
    blank: str | None = None


@dataclass(frozen=True, eq=False)
class Renamed:
    """Reads utterances that have other names where they are: of each, what reads it, and its name there."""

    reads: Mapping[str, tuple[Callable[[str], Rows], str]]

    def __call__(self, name: str) -> Rows:
        read, own = self.reads[name]
        return read(own)


@dataclass(frozen=True, eq=False, kw_only=True)
class Spelling(Frozen):
    """What the labels of the columns say, so that phones can be decoded."""

    labels: tuple[str, ...]
    classes: Codes
    spoken: Bools
    suspected: Codes
    read: Callable[[Transcript], tuple[PhoneSequences, SymbolAudit]]

    def __post_init__(self) -> None:
        make_read_only(self, classes=np.int64, spoken=np.bool_, suspected=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Posteriorgrams(Shown, Frozen):
    """Posteriors whose columns are phones.

    Parameters
    ----------
    utterances : tuple of str
        Ids.
    inventory : Inventory
        The recogniser's phones; columns that map to one phone are summed, those of silence are left out.
    columns : int array [K]
        For each column of the file the code of its phone, or −1 when it is left out.
    several : mapping
        Of columns that stand for several phones all their codes, by column; each has an equal part of the mass.
    read : callable
        Reads the file's frames [T, K] of an utterance.
    frame_shift : float
        Seconds from frame to frame.
    scale : {"probability", "log-probability", "logit"}
        What the file's numbers are.
    blank : int, optional
        The column of a CTC blank, one of those left out.
    frame_offset : float
        Seconds at which frame 0 begins; frame t stands for its centre, offset + (t + ½)·shift.
    files : tuple of Path
        The files that `read` reads; none where the frames come from elsewhere.
    spelling : Spelling, optional
        The labels of the columns; where they are not known, decoding writes the phones of the inventory.
    """

    source: str
    utterances: tuple[str, ...]
    inventory: Inventory
    columns: NDArray[np.int64]
    read: Callable[[str], Rows]
    frame_shift: float
    frame_offset: float = 0.0
    scale: Scale = "probability"
    blank: int | None = None
    files: tuple[Path, ...] = ()
    spelling: Spelling | None = None
    several: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        make_read_only(self, columns=np.int64)
        if not (np.isfinite(self.frame_shift) and self.frame_shift > 0 and np.isfinite(self.frame_offset)):
            raise DataError(f"{self.source}: the frame shift must be a positive number of seconds")

    def _facts(self) -> Iterator[str]:
        yield self.source
        yield counted(len(self), "utterance")
        yield counted(len(self.inventory), "phone")
        yield f"a frame every {self.frame_shift:g} s"
        yield f"scale {self.scale}"
        yield "with a CTC blank" if self.blank is not None else ""

    def to_frame(self, utterance: str, *, wide: bool = False) -> "DataFrame":
        """Return time, phone, probability of an utterance: the centre of each frame in seconds, each phone of it.

        With `wide`, times down and phones along. Errors as for `frames`.
        """
        frames = self.frames(utterance)
        labels = self.centres(len(frames)).tolist(), self.inventory.phones
        return cells(frames, labels, ("time", "phone", "probability"), wide=wide)

    def frames(self, utterance: str) -> Floats:
        """Return an utterance's posteriors by phone, float64 [T, P]; rows sum to 1 less the mass left out.

        Raises
        ------
        DataError
            If the matrix does not hold real numbers, or has not as many columns as there are labels.
            If a value is not what the scale allows, or a row does not sum to 1 (± 0.01): the first such row is named.
        """
        return self.frames_and_blank(utterance)[0]

    def frames_and_blank(self, utterance: str) -> tuple[Floats, float]:
        """Return an utterance's posteriors by phone, and the mass of the blank summed over its frames (0 without)."""
        return self.by_phone(self.raw(utterance), self.where(utterance))

    def where(self, utterance: str) -> str:
        """Return how errors name an utterance."""
        return f"{self.source}: utterance '{utterance}'"

    def raw(self, utterance: str) -> Rows:
        """Return an utterance's numbers as the file gives them, [T, K]; DataError for what is no such matrix."""
        frames = self.read(utterance)
        values = frames if hasattr(frames, "__array__") else np.asarray(frames)
        if values.dtype.kind not in "fiu":
            raise DataError(f"{self.where(utterance)} holds no real numbers but {values.dtype}")
        if len(values.shape) == 3 and values.shape[0] == 1:  # a batch of one
            values = np.asarray(values[:1])[0]
        if len(values.shape) != 2 or values.shape[1] != len(self.columns):
            msg = f"has the shape {values.shape}; expected [frames, {len(self.columns)}], one column a label"
            raise DataError(f"{self.where(utterance)} {msg}")
        return values

    def by_phone(self, values: Rows, where: str, *, rest: bool = False) -> tuple[Floats, float]:
        """Return raw frames as posteriors by phone, float64 [T, P], and the mass of the blank; errors as `frames`.

        With `rest`, [T, P + 1]: the last column is what the columns left out have together.
        """
        raw = probabilities(np.asarray(values, dtype=np.float64), self.scale, where)
        phones: Floats = np.zeros((len(raw), len(self.inventory) + rest))
        for column, phone in enumerate(self.columns):
            if phone >= 0 or rest:
                parts = self.several.get(column, (phone,))
                for part in parts:
                    phones[:, part] += raw[:, column] / len(parts)  # −1 is the last
        return phones, 0.0 if self.blank is None else float(raw[:, self.blank].sum())

    def __iter__(self) -> Iterator[tuple[str, NDArray[np.float64]]]:
        return ((utterance, self.frames(utterance)) for utterance in self.utterances)

    def __len__(self) -> int:
        return len(self.utterances)

    def centres(self, frames: int) -> NDArray[np.float64]:
        """Return the time in seconds of the centre of each of so many frames."""
        return np.asarray(self.frame_offset + (np.arange(frames) + 0.5) * self.frame_shift, dtype=np.float64)


def scale_of(values: ArrayLike) -> Scale | Literal[""]:
    """Return what frames hold; "" when they are neither probabilities, nor their logarithms, nor can be scores."""
    numbers = np.asarray(values, dtype=np.float64)
    least, most = numbers.min(initial=0), numbers.max(initial=-np.inf)
    if least >= 0 and (abs(numbers.sum(axis=1) - 1) <= ROW_TOLERANCE).all():
        return "probability"
    if most <= ROW_TOLERANCE and (abs(np.exp(numbers).sum(axis=1) - 1) <= ROW_TOLERANCE).all():
        return "log-probability"
    return "" if least >= 0 else "logit"


def probabilities(raw: Floats, scale: Scale, where: str) -> Floats:
    """Return the probabilities [T, K] that frames hold; each row sums to 1 within 0.01."""
    finite = np.isfinite(raw) if scale == "probability" else ~(np.isnan(raw) | (raw == np.inf))
    _refuse(raw, ~finite.all(axis=1), "holds a value that is not finite", scale, where)
    if scale == "probability":
        _refuse(raw, (raw < 0).any(axis=1), "holds a negative value", scale, where)
        values = raw
    else:
        values = _exponentials(raw, scale)
    off = abs(values.sum(axis=1) - 1) > ROW_TOLERANCE
    _refuse(values, off, f"does not sum to 1 ± {ROW_TOLERANCE}", scale, where, raw=raw)
    return values


def _exponentials(raw: Floats, scale: Scale) -> Floats:
    if scale == "log-probability":
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(raw))
    top = raw.max(axis=1, keepdims=True, initial=-np.inf)
    powers = np.exp(raw - np.where(np.isfinite(top), top, 0.0))
    return np.asarray(powers / np.maximum(powers.sum(axis=1, keepdims=True), np.finfo(float).tiny))


def _refuse(values: Floats, bad: ArrayLike, fault: str, scale: Scale, where: str, *, raw: Floats | None = None) -> None:
    rows = np.asarray(bad)
    if not rows.any():
        return
    first, more = int(np.argmax(rows)), int(rows.sum()) - 1
    sums = f" (it sums to {values[first].sum():.4g})" if "sum" in fault else ""
    known = f"; {more} more such frames there" if more else ""
    hint = _hint((values if raw is None else raw)[rows], scale) if rows.mean() > _MOST else ""
    raise DataError(f"{where}, frame {first} {fault}{sums}{known}{hint}")


def _hint(rows: Floats, scale: Scale) -> str:
    finite = rows[np.isfinite(rows).all(axis=1)]
    if not len(finite):
        return ""
    likely = scale_of(finite)
    if scale == "probability" and not likely:
        return ": these are no probabilities; if they are scores before the softmax, say scale: logit"
    likely = likely or "logit"
    return "" if likely == scale else f": these are not of the scale {scale}; they look like scale: {likely}"


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
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    entropy: FrameEntropy | None = None

    def __post_init__(self) -> None:
        kinds = {"codes": np.int32, "weight": np.float64}
        for name in ("codes", "weight", "utterances", "without_frame", "silent", "frames", "places"):
            make_read_only(self, **{name: kinds.get(name, np.int64)})
        if isinstance(self.rows, np.ndarray):  # others are on disk, and only read
            make_read_only(self, rows=np.float64)

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
        return self.read - int(self.frames.sum())

    def __len__(self) -> int:
        return len(self.codes)

    def _facts(self) -> Iterator[str]:
        yield counted(len(self), "token")
        yield f"{len(self.phones)} gold × {len(self.columns)} recognised phones"


def in_corpus_order(parts: Sequence[tuple[TokenPosteriors, NDArray[np.int64], NDArray[np.int64]]]) -> TokenPosteriors:
    tokens = [part for part, _, _ in parts]
    places = np.concatenate([own[part.places] for part, own, _ in parts])
    order, read = np.argsort(places), sum(part.read for part in tokens)
    blank = math.fsum(part.blank_share * part.read for part in tokens if part.read)
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
