"""Sums of posteriors over the frames of each gold token, a shard of utterances at a time.

They are added fast where every row of an utterance is clearly right, else slowly, with the reasons.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError, OtherFileError, join_alike, join_problems
from phonxling.core.posteriorgram import Frames, Posteriorgrams, Rows
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, runs
from phonxling.count.kernel import OVERLAP, Bits, look_at_frames, misplaced, singles, sum_frames, tie_tokens

BLOCK = 1 << 14  # frames that are decoded at a time
SHOWN = 20  # utterances that cannot be used, after which no more are read
_LATE = 0.5  # seconds by which the last interval may outlast the frames


@dataclass(eq=False, kw_only=True)
class ShardSums:
    """What the frames of n tokens in u utterances add up to; all arrays are filled in place."""

    posteriorgrams: Posteriorgrams
    segments: PhoneSequences
    mass: Floats
    rows: Codes
    mean: bool = False
    decided: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    bits: Floats = field(default_factory=lambda: np.zeros(0))
    first: Codes = field(init=False)
    last: Codes = field(init=False)
    blank: Floats = field(init=False)
    read: Codes = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.last = np.zeros((2, len(self.segments.codes)), np.int64)
        self.blank, self.read = np.zeros(len(self.segments)), np.zeros(len(self.segments), np.int64)
        if self.segments.start is None or self.segments.end is None:
            raise ValueError(f"{self.segments.source}: the phones have no times")
        self._start, self._end = self.segments.start, self.segments.end
        self._runs = [slice(*ends) for ends in pairwise(self.segments.offsets.tolist())]  # of each utterance's tokens
        self._same = np.array_equal(self.posteriorgrams.columns, np.arange(self.mass.shape[1]))

    def add_all(self, *, last: bool) -> None:
        """Add all utterances, each token to a row of its own; DataError names those that cannot be used."""
        problems: list[str] = []
        for place in range(len(self.segments)):
            try:
                if not self._add_plain(place):
                    self._add_slowly(place)
            except OtherFileError:  # of all utterances alike
                raise
            except DataError as error:
                problems.append(str(error))
            if len(problems) == SHOWN:
                refuse_utterances(problems, complete=last)
        refuse_utterances(problems, complete=last)

    def add_clear(self) -> bool:
        """Add all utterances to rows that tokens share; return False, with sums of no use, where all is not clear."""
        try:
            return all(map(self._add_plain, range(len(self.segments))))
        except DataError:  # who adds slowly will find them all
            return False

    def _add_plain(self, place: int) -> bool:
        """Add an utterance whose numbers the loop takes as they are; return False, and add none, where it does not."""
        values = self._opened(place)
        plain = self.posteriorgrams.scale == "probability" and not self.posteriorgrams.several
        if not plain or (self.mean and len(values) > BLOCK):
            return False
        for begin in range(0, len(values), BLOCK):
            block = values[begin : begin + BLOCK]
            if not (_ready(block) and self._add(block, self.posteriorgrams.columns, place, begin)):
                run = self._runs[place]  # is added another way
                self.mass[self.rows[run]], self.decided[run], self.bits[run], self.blank[place] = 0, 0, 0, 0
                return False
            if self.posteriorgrams.blank is not None:
                self.blank[place] += block[:, self.posteriorgrams.blank].sum(dtype=np.float64)
        return True

    def _add_slowly(self, place: int) -> None:
        """Add an utterance of any scale and type; DataError names its first frame that is not right."""
        values, utterance = self._opened(place), self.segments.utterances[place]
        every = np.arange(self.mass.shape[1])
        every.flags.writeable = False  # as the posteriors' own columns are
        for begin in range(0, len(values), BLOCK):
            rows, blank = by_phone(self.posteriorgrams, utterance, values[begin : begin + BLOCK])
            self.blank[place] += blank
            if rows.shape[1]:
                self._add(rows, every, place, begin)

    def _opened(self, place: int) -> Rows:
        """Return an utterance's numbers, once its tokens are tied to frames; DataError where these end too early."""
        posteriorgrams, run, utterance = self.posteriorgrams, self._runs[place], self.segments.utterances[place]
        values = posteriorgrams.raw(utterance)
        frames = self.read[place] = len(values)
        shift, offset = posteriorgrams.frame_shift, posteriorgrams.frame_offset
        spoken, read = self._end[run][-1:].max(initial=-math.inf), offset + frames * shift
        if spoken > read + _LATE:
            msg = f"{self.segments.source}: utterance '{utterance}': intervals run to {spoken:g} s"
            msg = f"{msg}, but its {frames} frames end at {read:g} s"
            raise DataError(f"{msg}; are frame_shift and frame_offset right?")
        tie_tokens(self._start[run], self._end[run], frames, shift, offset, self.first[run], self.last[run])
        return values

    def _add(self, values: Frames, columns: Codes, place: int, begin: int) -> bool:
        """Add an utterance's frames from `begin` on; return whether each is clearly a distribution."""
        numbers = singles(values) if values.dtype == np.float16 else values.view(np.ndarray)
        numbers.flags.writeable = False  # one compiled loop for all arrays
        run, same = self._runs[place], self._same if columns is self.posteriorgrams.columns else True
        bits: Bits = numbers.view(np.uint32 if numbers.itemsize == 4 else np.uint64)
        spans = begin, self.first[run], self.last[run]
        fine = sum_frames(numbers, bits, columns, same, *spans, self.rows[run], self.mean, self.mass)
        if len(self.decided) or len(self.bits):
            look_at_frames(numbers, columns, *spans, self.decided[run], self.bits[run])
        return bool(fine)


def by_phone(posteriorgrams: Posteriorgrams, utterance: str, block: Frames) -> tuple[Floats, float]:
    """Return frames as probabilities by phone, and the blank's mass; DataError names the frame that is not right."""
    try:
        return posteriorgrams.by_phone(block, posteriorgrams.where(utterance))
    except DataError:
        posteriorgrams.frames(utterance)  # names the frame by its place in the whole utterance, and counts the others
        raise


def refuse_utterances(problems: list[str], *, complete: bool) -> None:
    """Raise DataError with what is wrong, if anything; `complete` says whether there are no utterances unread."""
    more = "" if complete and len(problems) < SHOWN else "; there may be more, since no more were read"
    if len(problems) == 1 and not more:
        raise DataError(problems[0])
    if problems:
        raise DataError(join_alike(f"{len(problems)} utterances cannot be used{more}:", problems))


def _ready(values: Frames) -> bool:
    """Return whether the loop takes these numbers as they are."""
    plain = values.dtype.kind == "f" and values.dtype.itemsize in {2, 4, 8} and values.dtype.isnative
    return plain and values.shape[1] > 0 and values.flags.c_contiguous


Heard = Callable[[int], object]
_FRAMES = 1 << 18  # of a shard: a fraction of a second, and some ten MB of sums


class TokenSums(NamedTuple):
    """A shard's n tokens: mass by phone [n, P], frames [n]; of its u utterances the blank's mass and the frames [u]."""

    codes: NDArray[np.integer]
    mass: Floats
    decided: Floats
    bits: Floats
    frames: NDArray[np.int64]
    blank: Floats
    read: NDArray[np.int64]


class Asked(NamedTuple):
    """What is summed besides the mass of each token: decisions of frames, entropies of frames."""

    decisions: bool = False
    entropies: bool = False


NOTHING = Asked()


class Timed(NamedTuple):
    """Some utterances' tokens in time, whether there are no others after them, and what is asked for."""

    segments: PhoneSequences
    last: bool
    asked: Asked


def token_sums(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    work: Work = SERIAL,
    heard: Heard | None = None,
    *,
    asked: Asked = NOTHING,
) -> Iterator[TokenSums]:
    """Yield the sums of each shard of utterances, in the order of the segments, and what else is asked for."""
    tasks = shards(posteriorgrams, segments, asked)
    for task, record in zip(tasks, work.map(sum_shard, without_names(posteriorgrams), tasks), strict=True):
        yield TokenSums(task.segments.codes, *(record[name] for name in TokenSums._fields[1:]))
        tell(heard, record)


def shards(posteriorgrams: Posteriorgrams, segments: PhoneSequences, asked: Asked = NOTHING) -> list[Timed]:
    """Return the tasks of summing, the same for any number of workers."""
    if segments.start is None or segments.end is None:
        raise DataError(f"{segments.source}: the phones have no times, and posteriors cannot be tied to them without")
    check_pairs(posteriorgrams, segments)
    if misplaced(segments.start, segments.end, segments.offsets) >= 0:
        _refuse_times(segments, segments.start, segments.end)
    return [
        Timed(run_of(segments, first, last), last == len(segments), asked)
        for first, last in runs(_expected_frames(posteriorgrams, segments, segments.end), _FRAMES)
    ]


def without_names(posteriorgrams: Posteriorgrams) -> Posteriorgrams:
    """Return what all tasks share of posteriors: how they are read, and what they mean."""
    return replace(posteriorgrams, utterances=(), spelling=None)


def tell(heard: Heard | None, record: Record) -> None:
    """Tell how many frames each utterance of a shard has."""
    if heard is not None:
        for frames in record["read"].tolist():
            heard(frames)


def sum_shard(posteriorgrams: Posteriorgrams, task: Timed) -> Record:
    """Return `mass`, `decided`, `bits` and `frames` of each token, `blank` and `read` of each utterance."""
    tokens, phones = len(task.segments.codes), len(posteriorgrams.inventory)
    sums = ShardSums(
        posteriorgrams=posteriorgrams,
        segments=task.segments,
        mass=np.zeros((tokens, phones)),
        rows=np.arange(tokens),
        decided=np.zeros((tokens if task.asked.decisions else 0, phones)),
        bits=np.zeros(tokens if task.asked.entropies else 0),
    )
    sums.add_all(last=task.last)
    frames = sums.last - sums.first
    return {"frames": frames, **{name: getattr(sums, name) for name in ("mass", "decided", "bits", "blank", "read")}}


def _expected_frames(posteriorgrams: Posteriorgrams, segments: PhoneSequences, end: Floats) -> NDArray[np.int64]:
    """Return how many frames each utterance has at least, by the times of its tokens."""
    spoken = segments.lengths > 0
    seconds = np.zeros(len(segments))
    seconds[spoken] = end[segments.offsets[1:][spoken] - 1] - posteriorgrams.frame_offset
    return 1 + np.clip(seconds / posteriorgrams.frame_shift, 0, 1e12).astype(np.int64)


def run_of(segments: PhoneSequences, first: int, last: int) -> PhoneSequences:
    """Return the utterances first … last − 1: a task of its own."""
    tokens = slice(segments.offsets[first], segments.offsets[last])
    return PhoneSequences(
        utterances=segments.utterances[first:last],
        offsets=segments.offsets[first : last + 1] - segments.offsets[first],
        codes=segments.codes[tokens],
        start=None if segments.start is None else segments.start[tokens],
        end=None if segments.end is None else segments.end[tokens],
        source=segments.source,
        inventory=segments.inventory,
    )


def check_pairs(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> None:
    """Raise DataError unless both are of the same utterances: all the others are listed."""
    if posteriorgrams.utterances == segments.utterances:
        return
    scored, timed = set(posteriorgrams.utterances), set(segments.utterances)
    problems = [
        f"only in {source} ({len(ids)}): {' '.join(sorted(ids))}"
        for source, ids in ((posteriorgrams.source, scored - timed), (segments.source, timed - scored))
        if ids
    ]
    if problems:
        raise DataError(join_problems("posteriors and segments are not of the same utterances:", problems))


def _refuse_times(segments: PhoneSequences, start: Floats, end: Floats) -> None:
    problems = []
    for position, utterance in enumerate(segments.utterances):
        run = slice(segments.offsets[position], segments.offsets[position + 1])
        if fault := _fault_of_times(start[run], end[run]):
            problems.append(f"{segments.source}: utterance '{utterance}': {fault}")
    remedy = "a frame can belong to one phone only"
    if len(problems) == 1:
        raise DataError(f"{problems[0]}; {remedy}")
    raise DataError(join_problems(f"{len(problems)} utterances cannot be used:", problems, f"{remedy}.", SHOWN))


def _fault_of_times(start: Floats, end: Floats) -> str:
    if (np.diff(start) < 0).any():
        return f"intervals are not in the order of time (first at {start[1:][np.diff(start) < 0][0]:g} s)"
    overlap = np.flatnonzero(end[:-1] > start[1:] + OVERLAP)
    return f"intervals overlap ({len(overlap)} times, first at {start[overlap[0] + 1]:g} s)" if len(overlap) else ""
