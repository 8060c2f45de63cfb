"""Sums of posteriors over the frames of each gold token, a shard of utterances at a time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError, join_problems
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, runs
from phonxling.count.kernel import OVERLAP, misplaced
from phonxling.count.shard_sums import SHOWN, ShardSums

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
