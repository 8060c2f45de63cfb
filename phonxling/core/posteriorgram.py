"""Posteriorgrams: for each frame, probabilities over the recogniser's phones; what they say of tokens and phones."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Bools, Codes, Floats, FrozenArrays, make_read_only
from phonxling.core.confusion import Phones, SummedNumbers
from phonxling.core.errors import DataError
from phonxling.core.estimate import ReadableValue, cells, format_count
from phonxling.core.inventory import Inventory, as_inventory
from phonxling.core.sequences import PhoneSequences, SymbolAudit, Transcript
from phonxling.core.spelling import shown_tone

if TYPE_CHECKING:
    from phonxling.core.estimate import DataFrame


Scale = Literal["probability", "log-probability", "logit"]
ROW_TOLERANCE = 0.01  # float16 rows of a hundred phones stay within 0.005; its logarithms within 0.004
FRAMES = 1.0  # seconds from frame to frame where nothing says them: times are then counted in frames
_NO_SUM = f"does not sum to 1 ± {ROW_TOLERANCE}"
_TRANSPOSED_MESSAGE = "the array is transposed: save it as [frames, columns]"
_BLOCK = 1 << 14  # frames that are looked at together
_LARGEST_OFFSET = 0.5  # share of an utterance's frames: where fewer are bad, the scale is not what is wrong with them
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
class RenamedReader:
    """Reads utterances that have other names where they are: of each, what reads it, and its name there."""

    reads: Mapping[str, tuple[Callable[[str], Rows], str]]

    def __call__(self, name: str) -> Rows:
        read, own = self.reads[name]
        return read(own)


@dataclass(frozen=True, eq=False, kw_only=True)
class Spelling(FrozenArrays):
    """What the labels of the columns say, so that phones can be decoded."""

    labels: tuple[str, ...]
    classes: Codes
    spoken: Bools
    suspected: Codes
    read: Callable[[Transcript], tuple[PhoneSequences, SymbolAudit]]

    def __post_init__(self) -> None:
        make_read_only(self, classes=np.int64, spoken=np.bool_, suspected=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Posteriorgrams(ReadableValue, FrozenArrays):
    """Posteriors whose columns are phones; the frames are read, and checked, when they are asked for."""

    source: str
    utterances: tuple[str, ...]  # ids
    inventory: Inventory  # the recogniser's phones: columns that map to one phone are summed, those of silence left out
    columns: NDArray[np.int64]  # [K]: for each column of the file the code of its phone, or −1 when it is left out
    read: Callable[[str], Rows]  # gives the file's frames [T, K] of an utterance
    frame_shift: float  # seconds from frame to frame
    frame_offset: float = 0.0  # seconds at which frame 0 begins; frame t stands for its centre, offset + (t + ½)·shift
    scale: Scale = "probability"  # what the file's numbers are
    blank: int | None = None  # the column of a CTC blank, one of those left out
    files: tuple[Path, ...] = ()  # what `read` reads; none where the frames come from elsewhere
    spelling: Spelling | None = None  # of the columns; where it is not known, decoding writes phones of the inventory
    # Columns that stand for several phones: all their codes, of which each has an equal part of the mass.
    several: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    apart: tuple[str, ...] = ()  # labels of marks without letters, which what is decoded joins, and a frame cannot
    notes: tuple[str, ...] = ()  # what was read otherwise than the file says

    def __post_init__(self) -> None:
        make_read_only(self, columns=np.int64)
        if not (np.isfinite(self.frame_shift) and self.frame_shift > 0 and np.isfinite(self.frame_offset)):
            raise DataError(f"{self.source}: the frame shift must be a positive number of seconds")

    def _facts(self) -> Iterator[str]:
        yield self.source
        yield format_count(len(self), "utterance")
        yield format_count(len(self.inventory), "phone")
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

        DataError if the matrix does not hold real numbers, has not as many columns as there are labels, or if a row is
        no distribution (± 0.01) on the scale: the first such row is named.
        """
        return self.by_phone(self.raw(utterance), self.where(utterance))[0]

    def where(self, utterance: str) -> str:
        return f"{self.source}: utterance '{utterance}'"

    def raw(self, utterance: str) -> Rows:
        """Return an utterance's numbers as the file gives them, [T, K]; DataError for what is no such matrix."""
        frames = self.read(utterance)
        values = frames if hasattr(frames, "__array__") else np.asarray(frames)
        if values.dtype.kind not in "fiu":
            raise DataError(f"{self.where(utterance)} holds no real numbers but {values.dtype}")
        if len(values.shape) == 3 and values.shape[0] == 1:  # a batch of one
            values = np.asarray(values[:1])[0]
        labels = len(self.columns)
        if len(values.shape) != 2 or values.shape[1] != labels:
            msg = f"has the shape {values.shape}; expected [frames, {labels}], one column per label"
            remedy = f"; {_TRANSPOSED_MESSAGE}" if len(values.shape) == 2 and values.shape[0] == labels else ""
            names = self.spelling.labels if self.spelling and values.shape[1:] == (labels - 1,) else ()
            if extra := sorted((one for one in names if one.startswith("<")), key=lambda one: "eps" not in one):
                remedy = f"; has the label {extra[0]} no column?"
            raise DataError(f"{self.where(utterance)} {msg}{remedy}")
        return values

    def check(self, utterance: str) -> None:
        """Raise DataError as `frames` does, in little memory: a block of frames at a time."""
        check_frames(self.raw(utterance), self.scale, self.where(utterance))

    def by_phone(self, values: Rows, where: str, *, rest: bool = False) -> tuple[Floats, float]:
        """Return raw frames as posteriors by phone, float64 [T, P], and the mass of the blank; errors as `frames`.

        With `rest`, [T, P + 1]: the last column is what the columns left out have together.
        """
        if self.apart:
            marks = " ".join(map(shown_tone, self.apart))
            fault = f"{self.source}: columns are marks or letters to be tied, so phones have no posteriors: {marks}"
            raise DataError(f"{fault}\nDecode the phones (phonxling decode) and give these as predicted.")
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


@np.errstate(over="ignore", invalid="ignore")  # of numbers that are refused
def scale_of(values: ArrayLike) -> Scale | Literal[""]:
    """Return what frames hold; "" when they are neither probabilities, nor their logarithms, nor can be scores."""
    numbers = np.asarray(values, dtype=np.float64)
    if _sums_to_one(numbers):
        return "probability"
    # Logarithms of probabilities are at most 0, but for the rounding of half precision.
    if numbers.max(initial=-np.inf) <= ROW_TOLERANCE:
        if _sums_to_one(np.exp(numbers)):
            return "log-probability"
        if _sums_to_one(10.0**numbers):  # read as scores, they would be flatter distributions
            return ""
    return "" if numbers.min(initial=0) >= 0 else "logit"


def _sums_to_one(numbers: Floats) -> bool:
    # What rounding left below 0 is refused, but is no sign of another scale.
    return bool(numbers.min(initial=0) >= -ROW_TOLERANCE and (abs(numbers.sum(axis=1) - 1) <= ROW_TOLERANCE).all())


def probabilities(raw: Floats, scale: Scale, where: str) -> Floats:
    """Return the probabilities [T, K] that frames hold; errors as for `check_frames`."""
    values, faults = _read_probabilities(raw, scale)
    if any(bad.any() for bad in faults.values()):
        check_frames(raw, scale, where)
    return values


@np.errstate(over="ignore", invalid="ignore")
def _read_probabilities(raw: Floats, scale: Scale) -> tuple[Floats, dict[str, Bools]]:
    """Return the probabilities that frames hold, and which frames have which fault, the worst fault first."""
    values, finite = raw, np.isfinite(raw) | ((raw == -np.inf) & (scale != "probability"))
    faults: dict[str, Bools] = {"holds a value that is not finite": np.asarray(~finite.all(axis=1))}
    if scale == "probability":
        faults["holds a negative value"] = np.asarray((raw < 0).any(axis=1))
    elif scale == "log-probability":
        values = np.exp(raw)
    else:
        # Softmax after taking off the largest score, so that no power overflows; a row of −inf alone sums to 0, and is
        # refused.
        top = raw.max(axis=1, keepdims=True, initial=-np.inf)
        powers = np.exp(raw - np.where(np.isfinite(top), top, 0.0))
        values = powers / np.maximum(powers.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    faults[_NO_SUM] = np.asarray(abs(values.sum(axis=1) - 1) > ROW_TOLERANCE)
    return values, faults


@np.errstate(over="ignore", invalid="ignore")
def check_frames(rows: Rows, scale: Scale, where: str) -> None:
    """Raise DataError that names the first frame that is no distribution within 0.01, and counts the others.

    A block of frames at a time: a damaged file may unpack to as much as the memory holds.
    """
    numbers = Counter[str]()
    first: dict[str, tuple[int, Floats, float]] = {}
    for begin in range(0, len(rows), _BLOCK):
        raw = np.asarray(rows[begin : begin + _BLOCK], dtype=np.float64)
        values, faults = _read_probabilities(raw, scale)
        for fault, bad in faults.items():
            numbers[fault] += int(bad.sum())
            if bad.any():
                first.setdefault(fault, (begin + int(bad.argmax()), raw[bad], float(values[bad.argmax()].sum())))
    worst = next((fault for fault, number in numbers.items() if number), "")
    if not worst:
        return
    frame, odd, total = first[worst]
    sums = f" (it sums to {total:.4g})" if worst == _NO_SUM else ""
    known = f"; {numbers[worst] - 1} more such frames there" if numbers[worst] > 1 else ""
    hint = ""
    if numbers[worst] > _LARGEST_OFFSET * len(rows) or scale_of(odd) == scale:
        turned = len(rows) == rows.shape[1] and scale_of(np.asarray(rows, dtype=np.float64).T) == scale
        hint = _suggest_remedy(odd[np.isfinite(odd).all(axis=1)], scale, transposed=turned)
    raise DataError(f"{where}, frame {frame} {worst}{sums}{known}{hint}")


def _suggest_remedy(rows: Floats, scale: Scale, *, transposed: bool) -> str:
    """Return what to do where most frames are no distributions; it was tried on these, and makes each one."""
    if not len(rows):
        return ""
    likely, sums = scale_of(rows), rows.sum(axis=1)
    if likely == scale == "probability":
        return ": rounding, as it seems; clip the probabilities at 0"
    if likely in {"probability", "log-probability"} and likely != scale:
        return f": these are not of the scale {scale}; they look like scale: {likely}"
    if transposed:
        return f": {_TRANSPOSED_MESSAGE}"
    if likely:
        return f": these are not of the scale {scale}; they look like scale: logit" if scale != "logit" else ""
    if _sums_to_one(10.0 ** np.minimum(rows, 0.0)):
        return ": these look like logarithms of base 10; multiply them by 2.302585, and say scale: log-probability"
    if _sums_to_one(np.exp(-rows)):
        return ": these look like −log p; save them with the sign changed, and say scale: log-probability"
    scaled = sums[0] > 0 and _sums_to_one(rows / sums[0])
    return ": these are not probabilities" + (f"; divided by {sums[0]:.4g} they would be" if scaled else "")


class JointDistribution(SummedNumbers):
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


_BATCH_SIZE = 1 << 16  # tokens that are looked at together


class FrameEntropy(NamedTuple):
    """Σ_t m_t H(p_t) in bits and Σ_t m_t over the frames of each gold token, [N] each; m_t is a frame's mass."""

    bits: NDArray[np.float64]
    mass: NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TokenPosteriors(ReadableValue):
    """The mean posterior of every gold token that has frames."""

    phones: Inventory  # G gold phones
    columns: Inventory  # K recogniser's phones
    codes: NDArray[np.int32]  # [N]: the gold phone of each token
    rows: Rows  # [N, K]: the mean posterior of each
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
        integers = dict.fromkeys(("utterances", "without_frame", "silent", "frames", "places"), np.int64)
        make_read_only(self, codes=np.int32, weight=np.float64, **integers)
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
        for first in range(0, len(self), _BATCH_SIZE):  # NumPy copies an array that it may not write to
            self.rows[first : first + _BATCH_SIZE].argmax(axis=1, out=largest[first : first + _BATCH_SIZE])
        return largest

    @property
    def outside(self) -> int:
        return self.read - int(self.frames.sum())

    def __len__(self) -> int:
        return len(self.codes)

    def _facts(self) -> Iterator[str]:
        yield format_count(len(self), "token")
        yield f"{len(self.phones)} gold × {len(self.columns)} recognised phones"


def in_corpus_order(parts: Sequence[tuple[TokenPosteriors, NDArray[np.int64], NDArray[np.int64]]]) -> TokenPosteriors:
    """Return parts of a corpus as one, each with the positions that its tokens and its utterances have in the whole."""
    tokens = [part for part, _, _ in parts]
    places = np.concatenate([own[part.places] for part, own, _ in parts])
    order, read = np.argsort(places), sum(part.read for part in tokens)
    utterances = np.concatenate([own[part.utterances] for part, _, own in parts])[order]
    changed: dict[str, Any] = {"places": places[order], "utterances": utterances, "read": read, "entropy": None}
    for name in ("codes", "rows", "weight"):
        changed[name] = np.concatenate([np.asarray(getattr(part, name)) for part in tokens])[order]
    for name in ("without_frame", "silent", "frames"):
        changed[name] = np.sum([getattr(part, name) for part in tokens], axis=0)
    # Exact, so that the order of the parts changes nothing.
    blank = math.fsum(part.blank_share * part.read for part in tokens if part.read)
    without = [int(own[part.first_without]) for part, own, _ in parts if part.first_without >= 0]
    share, first = blank / read if read else math.nan, min(without, default=-1)
    return replace(tokens[0], blank_share=share, first_without=first, **changed)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PhoneMeans(ReadableValue):
    """Mean posteriors of phones: points on the simplex over the recogniser's phones."""

    phones: Inventory  # G phones, those with at least one token
    columns: Inventory  # K recogniser's phones
    means: NDArray[np.float64]  # [G, K]: μ_y, each row summing to 1
    tokens: NDArray[np.int64]  # [G]: how many tokens each mean rests on
    batch_phones: NDArray[np.int32]  # [B]: phone of each batch of tokens
    batch_means: NDArray[np.float64]  # [B, K]: mean of each batch; how much μ_y varies from part to part of the corpus

    def __post_init__(self) -> None:
        make_read_only(self, means=np.float64, tokens=np.int64, batch_phones=np.int32, batch_means=np.float64)

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.phones)} gold × {len(self.columns)} recognised phones"
        yield f"means of {format_count(int(self.tokens.sum()), 'token')}"
        yield f"{format_count(len(self.batch_phones), 'batch', 'batches')} of tokens"

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, recognised, probability: the mean posterior of each phone; with `wide`, gold phones down."""
        labels = self.phones.phones, self.columns.phones
        return cells(self.means, labels, ("gold", "recognised", "probability"), wide=wide)
