"""Sums of posteriors over the frames of each gold token, a shard of utterances at a time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError, OtherFileError, join_alike, join_problems
from phonxling.core.posteriorgram import Frames, Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, runs
from phonxling.count.kernel import OVERLAP, decide_frames, misplaced, singles, sum_frames, tie

Heard = Callable[[int], object]
_SIGN_32, _SIGN_64 = np.uint64(1 << 31), np.uint64(1 << 63)
_LATE = 0.5  # seconds by which the last interval may outlast the frames
BLOCK = 1 << 14  # frames that are decoded at a time
_FRAMES = 1 << 18  # of a shard: a fraction of a second, and some ten MB of sums
_SHOWN = 20  # utterances that cannot be used, after which no more are read


class TokenSums(NamedTuple):
    """A shard's n tokens: mass by phone [n, P], frames [n]; of its u utterances the blank's mass and the frames [u].

    `decided` [n, P], where it is asked for (else [n, 0]), is the same mass, each frame's all given to its own most
    probable phone, of equal ones the first.
    """

    codes: NDArray[np.integer]
    mass: Floats
    decided: Floats
    frames: NDArray[np.int64]
    blank: Floats
    read: NDArray[np.int64]


class Timed(NamedTuple):
    """Some utterances' tokens in time, whether there are no others after them, and whether frames are decided."""

    segments: PhoneSequences
    last: bool
    decide: bool


class _Sums(NamedTuple):
    """The tokens of an utterance, or of a block of it: their frames first … last − 1, and the sums to be filled."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    mass: Floats
    decided: Floats

    def of(self, tokens: slice) -> "_Sums":
        """Return the sums of some of the tokens, to be filled in place."""
        return _Sums(self.first[tokens], self.last[tokens], self.mass[tokens], self.decided[tokens])


def token_sums(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    work: Work = SERIAL,
    heard: Heard | None = None,
    *,
    decide: bool = False,
) -> Iterator[TokenSums]:
    """Yield the sums of each shard of utterances, in the order of the segments; `decide` each frame, too.

    Memory is that of the sums of a few shards, and of the longest utterance, as its file gives it; of a large
    npy file, that of its tokens. `heard` is told how many frames each utterance has, when its shard was read.

    Raises
    ------
    DataError
        If the segments have no times, or overlap, or are not in the order of time.
        If posteriors and segments are not of the same utterances: all the others are listed.
        If an interval ends more than half a second after the last frame.
        If frames are no probabilities, see `Posteriorgrams.frames`. Of these two, up to 20 utterances are named.
    """
    if segments.start is None or segments.end is None:
        raise DataError(f"{segments.source}: the phones have no times, and posteriors cannot be tied to them without")
    check_pairs(posteriorgrams, segments)
    if misplaced(segments.start, segments.end, segments.offsets) >= 0:
        _refuse_times(segments, segments.start, segments.end)
    tasks = [
        Timed(run_of(segments, first, last), last == len(segments), decide)
        for first, last in runs(_expected_frames(posteriorgrams, segments, segments.end), _FRAMES)
    ]
    for task, record in zip(
        tasks, work.map(sum_shard, replace(posteriorgrams, utterances=(), spelling=None), tasks), strict=True
    ):
        yield TokenSums(task.segments.codes, *(record[name] for name in TokenSums._fields[1:]))
        if heard is not None:
            for frames in record["read"].tolist():
                heard(frames)


def sum_shard(posteriorgrams: Posteriorgrams, task: Timed) -> Record:
    """Return `mass`, `decided` and `frames` of each token, `blank` and `read` of each utterance; see `TokenSums`.

    DataError when utterances cannot be used.
    """
    segments = task.segments
    tokens, phones = len(segments.codes), len(posteriorgrams.inventory)
    first, last = np.zeros((2, tokens), np.int64)
    sums = _Sums(first, last, np.zeros((tokens, phones)), np.zeros((tokens, phones if task.decide else 0)))
    blank, read = np.zeros(len(segments)), np.zeros(len(segments), np.int64)
    problems: list[str] = []
    for place in range(len(segments)):
        run = slice(segments.offsets[place], segments.offsets[place + 1])
        try:
            blank[place], read[place] = _sum_utterance(posteriorgrams, segments, place, sums.of(run))
        except OtherFileError:  # of all utterances alike
            raise
        except DataError as error:
            problems.append(str(error))
        if len(problems) == _SHOWN:
            break
    refuse_utterances(problems, complete=task.last)
    return {"mass": sums.mass, "decided": sums.decided, "frames": last - first, "blank": blank, "read": read}


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


def refuse_utterances(problems: list[str], *, complete: bool) -> None:
    """Raise DataError with what is wrong, if anything; `complete` says whether there are no utterances unread."""
    more = "" if complete and len(problems) < _SHOWN else "; there may be more, since no more were read"
    if len(problems) == 1 and not more:
        raise DataError(problems[0])
    if problems:
        raise DataError(join_alike(f"{len(problems)} utterances cannot be used{more}:", problems))


def _sum_utterance(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, place: int, sums: _Sums
) -> tuple[float, int]:
    """Fill the sums of an utterance's tokens; return the blank's mass and the frames read."""
    utterance, run = segments.utterances[place], slice(segments.offsets[place], segments.offsets[place + 1])
    if segments.start is None or segments.end is None:
        raise AssertionError("the segments have times")
    start, end = segments.start[run], segments.end[run]
    values, blank = posteriorgrams.raw(utterance), 0.0
    _check_end(segments, utterance, end, len(values), posteriorgrams)
    tie(start, end, posteriorgrams.frame_shift, posteriorgrams.frame_offset, len(values), sums.first, sums.last)
    for begin in range(0, len(values), BLOCK):
        tokens = sums
        if len(values) > BLOCK:  # those with frames in this block
            held = slice(sums.last.searchsorted(begin, side="right"), sums.first.searchsorted(begin + BLOCK))
            tokens = sums.of(held)
        blank += _add_block(posteriorgrams, utterance, values[begin : begin + BLOCK], begin, tokens)
    return blank, len(values)


def _add_block(posteriorgrams: Posteriorgrams, utterance: str, block: Frames, begin: int, tokens: _Sums) -> float:
    """Add a block of an utterance's frames, from frame `begin` on, to the tokens' sums; return the blank's mass."""
    if posteriorgrams.scale == "probability" and _ready(block):
        before = tokens.mass[:1].copy(), tokens.decided[:1].copy()  # only the first can have frames in the block before
        if _sums(block, posteriorgrams.columns, begin, tokens):
            column = posteriorgrams.blank
            return 0.0 if column is None else float(block[:, column].sum(dtype=np.float64))
        for sums, first in zip((tokens.mass, tokens.decided), before, strict=True):
            sums[:1], sums[1:] = first, 0
    rows, blank = by_phone(posteriorgrams, utterance, block)  # other scales and types; and refuses what is not right
    if rows.shape[1]:
        _sums(rows, np.arange(rows.shape[1]), begin, tokens)
    return blank


def by_phone(posteriorgrams: Posteriorgrams, utterance: str, block: Frames) -> tuple[Floats, float]:
    """Return frames as probabilities by phone, and the blank's mass; DataError names the frame that is not right."""
    try:
        return posteriorgrams.by_phone(block, posteriorgrams.where(utterance))
    except DataError:
        posteriorgrams.frames(utterance)  # names the frame by its place in the whole utterance, and counts the others
        raise


def _sums(values: Frames, columns: NDArray[np.int64], begin: int, tokens: _Sums) -> bool:
    """Add frames to the tokens' sums; return whether all are clearly distributions."""
    flat = (singles(values) if values.dtype == np.float16 else values).reshape(-1)
    flat.flags.writeable = False  # one compiled loop for all arrays
    bits, sign = (flat.view(np.uint32), _SIGN_32) if flat.itemsize == 4 else (flat.view(np.uint64), _SIGN_64)
    first, last, mass, decided = tokens
    same = len(columns) == mass.shape[1] and not (columns[1:] <= columns[:-1]).any() and columns[0] == 0
    fine = bool(sum_frames(flat, bits, sign, columns, same, begin, first, last, mass))
    if decided.shape[1]:
        decide_frames(flat, columns, begin, first, last, decided)
    return fine


def _ready(values: Frames) -> bool:
    """Return whether the loop takes these numbers as they are."""
    plain = values.dtype.kind == "f" and values.dtype.itemsize in {2, 4, 8} and values.dtype.isnative
    return plain and values.shape[1] > 0 and values.flags.c_contiguous


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
    raise DataError(join_problems(f"{len(problems)} utterances cannot be used:", problems, f"{remedy}.", _SHOWN))


def _fault_of_times(start: Floats, end: Floats) -> str:
    if (np.diff(start) < 0).any():
        return f"intervals are not in the order of time (first at {start[1:][np.diff(start) < 0][0]:g} s)"
    overlap = np.flatnonzero(end[:-1] > start[1:] + OVERLAP)
    return f"intervals overlap ({len(overlap)} times, first at {start[overlap[0] + 1]:g} s)" if len(overlap) else ""


def _check_end(
    segments: PhoneSequences, utterance: str, end: Floats, frames: int, posteriorgrams: Posteriorgrams
) -> None:
    duration = posteriorgrams.frame_offset + frames * posteriorgrams.frame_shift
    if len(end) and end[-1] > duration + _LATE:
        msg = f"{segments.source}: utterance '{utterance}': intervals run to {end[-1]:g} s"
        msg = f"{msg}, but its {frames} frames end at {duration:g} s"
        raise DataError(f"{msg}; are frame_shift and frame_offset right?")
