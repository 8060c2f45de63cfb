"""Sums of posteriors over the frames of each gold token, one utterance at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, join_problems
from phonxling.core.posteriorgram import Frames, Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.count.kernel import OVERLAP, misplaced, singles, sum_frames

Floats = NDArray[np.float64]
_LATE = 0.5  # seconds by which the last interval may outlast the frames


class TokenSums(NamedTuple):
    """An utterance of n tokens: their mass by phone [n, P], their frames [n], the blank's mass, the frames read."""

    codes: NDArray[np.integer]
    mass: Floats
    frames: NDArray[np.int64]
    blank: float
    read: int


def token_sums(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> Iterator[TokenSums]:
    """Yield the sums of each utterance, in the order of the segments; memory is that of the longest utterance.

    Raises
    ------
    DataError
        If the segments have no times, or overlap, or are not in the order of time.
        If posteriors and segments are not of the same utterances: all the others are listed.
        If an interval ends more than half a second after the last frame.
    """
    if segments.start is None or segments.end is None:
        raise DataError(f"{segments.source}: the phones have no times, and posteriors cannot be tied to them without")
    _check_pairs(posteriorgrams, segments)
    wrong = misplaced(segments.start, segments.end, segments.offsets)
    if wrong >= 0:
        _refuse_times(segments, wrong)
    for position, utterance in enumerate(segments.utterances):
        run = slice(segments.offsets[position], segments.offsets[position + 1])
        found = _summed(posteriorgrams, utterance, segments.codes[run], segments.start[run], segments.end[run])
        _check_end(segments, utterance, segments.end[run], found.read, posteriorgrams)
        yield found


def _summed(
    posteriorgrams: Posteriorgrams, utterance: str, codes: NDArray[np.integer], start: Floats, end: Floats
) -> TokenSums:
    values = np.asarray(posteriorgrams.read(utterance))
    columns, blank = posteriorgrams.columns, posteriorgrams.blank
    if posteriorgrams.scale == "probability" and _ready(values, len(columns)):
        mass, frames, fine = _sums(values, columns, start, end, posteriorgrams)
        if fine:
            left = 0.0 if blank is None else float(values[:, blank].sum(dtype=np.float64))
            return TokenSums(codes, mass, frames, left, len(values))
    rows, left = posteriorgrams.frames_and_blank(utterance)  # other scales and types; and refuses what is not right
    mass, frames, _ = _sums(rows, np.arange(rows.shape[1]), start, end, posteriorgrams)
    return TokenSums(codes, mass, frames, left, len(rows))


def _sums(
    values: Frames, columns: NDArray[np.int64], start: Floats, end: Floats, posteriorgrams: Posteriorgrams
) -> tuple[Floats, NDArray[np.int64], bool]:
    mass, frames = np.zeros((len(start), len(posteriorgrams.inventory))), np.empty(len(start), np.int64)
    times = start, end, posteriorgrams.frame_shift, posteriorgrams.frame_offset
    return mass, frames, bool(sum_frames(_flat(values), columns, *times, mass, frames))


def _ready(values: Frames, columns: int) -> bool:
    """Return whether the loop takes these numbers as they are."""
    plain = values.dtype.kind == "f" and values.dtype.itemsize in {2, 4, 8} and values.dtype.isnative
    return plain and values.ndim == 2 and values.shape[1] == columns > 0 and values.flags.c_contiguous


def _flat(values: Frames) -> Frames:
    flat = (singles(values) if values.dtype == np.float16 else values).reshape(-1)
    flat.flags.writeable = False  # one compiled loop for maps and arrays
    return flat


def _check_pairs(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> None:
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


def _refuse_times(segments: PhoneSequences, position: int) -> None:
    assert segments.start is not None  # noqa: S101 - seen to by the caller; for the type checker
    assert segments.end is not None  # noqa: S101
    run = slice(segments.offsets[position], segments.offsets[position + 1])
    start, end = segments.start[run], segments.end[run]
    where = f"{segments.source}: utterance '{segments.utterances[position]}'"
    if (np.diff(start) < 0).any():
        raise DataError(f"{where}: intervals are not in the order of time")
    overlap = np.flatnonzero(end[:-1] > start[1:] + OVERLAP)
    msg = f"{where}: intervals overlap ({len(overlap)} times, first at {start[overlap[0] + 1]:g} s)"
    raise DataError(f"{msg}; a frame can belong to one phone only")


def _check_end(
    segments: PhoneSequences, utterance: str, end: Floats, frames: int, posteriorgrams: Posteriorgrams
) -> None:
    duration = posteriorgrams.frame_offset + frames * posteriorgrams.frame_shift
    if len(end) and end[-1] > duration + _LATE:
        msg = f"{segments.source}: utterance '{utterance}': intervals run to {end[-1]:g} s"
        msg = f"{msg}, but its {frames} frames end at {duration:g} s"
        raise DataError(f"{msg}; are frame_shift and frame_offset right?")
