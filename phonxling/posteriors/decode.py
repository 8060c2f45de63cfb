"""Phones from posteriors: what a recogniser said, where it wrote down nothing but its posteriors.

Decoding is over the labels of the network's own columns; what they are as phones is decided after it, by the rules of
any file of predictions.

With a blank (CTC; Graves et al. 2006)
--------------------------------------
The label of highest probability in each frame (of equal ones the first column); frames of one label in a row are one
label; blanks are left out. It is the most probable path, not always the most probable sequence of labels.

Without a blank
---------------
Columns that are read as the same phone and tone are summed, and so are those of silence (a closure keeps its own
column, so that it can join its release). Each frame has the label of highest probability, of equal ones the first. Runs
of one label that are shorter than `min_duration` are left out (posteriors of frames flicker: without it, half of the
predicted phones are such runs), and runs of one label that are then neighbours are one.

Then silence, padding and other columns without a phone are left out; they have kept apart what stands around them.

Times and confidences
---------------------
A phone begins where its first frame begins and ends where its last one ends: offset + first · shift and offset +
(last + 1) · shift. A CTC network learns to say a label once, somewhere in or after its phone: its times tell the order
of phones and about where they are, not when they begin and end.

The confidence is the mean over these frames of the probability of its own column (without a blank: of the summed
columns), silence and blank competing, at most 1. Unlike the product or the least of the frames it does not sink with
the length of the run, and it is a probability: that of the label in one of the frames, drawn at random.

References
----------
Graves, Fernández, Gomez & Schmidhuber (2006), Connectionist temporal classification.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from phonxling.core.arrays import Bools, Codes, Floats, offsets_of
from phonxling.core.errors import ConfigurationError, DataError, check_arguments, join_alike
from phonxling.core.posteriorgram import Posteriorgrams, Spelling, probabilities
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.core.work import SERIAL, Record, Threads, Work

MIN_DURATION = 0.03  # seconds, as in the settings
_BLOCK = 1 << 14  # frames that are probabilities at a time
_SHARD = 64  # utterances
_ROUNDING = 1e-6  # of a frame


class Runs(NamedTuple):
    """Runs of frames of one symbol each: frames first … last − 1, and the mean probability of the symbol in them."""

    symbol: Codes
    first: Codes
    last: Codes
    confidence: Floats

    def select(self, chosen: Bools) -> "Runs":
        return Runs(self.symbol[chosen], self.first[chosen], self.last[chosen], self.confidence[chosen])


def join_runs(runs: Runs) -> Runs:
    """Return the runs with neighbours of one symbol as one run."""
    # The number before the first differs from it, so that the first one always begins a run.
    begin = np.flatnonzero(np.diff(runs.symbol, prepend=runs.symbol[:1] - 1))
    end = np.append(begin[1:], len(runs.symbol))[: len(begin)] - 1
    frames = runs.last - runs.first
    # Frames weigh alike, whichever run they came from.
    mean = np.add.reduceat(runs.confidence * frames, begin) / np.add.reduceat(frames, begin)
    # Rows sum to 1 within 0.01, so that a mean may be above 1.
    return Runs(runs.symbol[begin], runs.first[begin], runs.last[end], np.minimum(mean, 1.0))


@check_arguments
def decode(
    posteriorgrams: Posteriorgrams,
    *,
    min_duration: float = MIN_DURATION,
    workers: int = 1,
) -> PhoneSequences:
    """Return the phones that posteriors say, with times and confidences.

    With a `blank` posteriors are a CTC network's, without one those of a classifier of frames. The best label of each
    frame is taken, repeated ones together. Without a blank a phone must last `min_duration` seconds. `workers` are
    threads. The labels are read as phones by the rules that the posteriors were loaded with, as a file of predictions
    is.

    The utterances are in their order, some perhaps without a phone; `start` and `end` in seconds, of the first and the
    last frame of each phone; `confidence` in 0 … 1, the mean probability of its column over these frames.

    Raises
    ------
    ConfigurationError
        If `min_duration` is negative.
    DataError
        If frames are no probabilities, or a column that is named like a blank wins frames and no blank is named.

    Examples
    --------
    A CTC network that says a, a again, and b; 20 ms a frame:

    >>> import phonxling as px
    >>> rows = np.array([[0.9, 0, 0.1], [0.7, 0, 0.3], [0.2, 0, 0.8], [0.6, 0, 0.4], [0.1, 0.5, 0.4]])
    >>> network = px.load_posteriorgrams({"u": rows}, labels=["a", "b", "_"], blank="_", frame_shift=0.02)
    >>> phones = decode(network)
    >>> phones.phones_of(0), phones.start.round(2).tolist(), phones.end.round(2).tolist()
    (['a', 'a', 'b'], [0.0, 0.06, 0.08], [0.04, 0.08, 0.1])
    >>> phones.confidence.round(2).tolist()
    [0.8, 0.6, 0.5]
    """
    return _spelling_of(posteriorgrams).read(decode_labels(posteriorgrams, min_duration, Threads(workers)))[0]


def decode_labels(
    posteriorgrams: Posteriorgrams, min_duration: float = MIN_DURATION, work: Work = SERIAL
) -> Transcript:
    """Return the labels that posteriors say, as a file of predictions would give them; see `decode`."""
    if not min_duration >= 0 or not math.isfinite(min_duration):
        raise ConfigurationError(f"min_duration is at least 0 seconds, not {min_duration}")
    spelling, names = _spelling_of(posteriorgrams), posteriorgrams.utterances
    common = replace(posteriorgrams, utterances=(), spelling=None), spelling.classes, spelling.suspected, min_duration
    tasks = [names[place : place + _SHARD] for place in range(0, len(names), _SHARD)]
    parts = [decode_shard(common, ()), *work.map(decode_shard, common, tasks)]  # the first gives the arrays their types
    record = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    spoken = spelling.spoken[record["column"]]
    columns, times = record["column"][spoken], {name: record[name][spoken] for name in ("start", "end", "confidence")}
    used, first = np.unique(columns, return_index=True)
    # Symbols in the order of their first appearance, and columns of one label as one symbol: as files are read.
    place = {spelling.labels[code].strip(): int(code) + 1 for code in used[np.argsort(first)]}
    code = np.zeros(len(spelling.labels), np.int64)
    code[used] = [list(place).index(spelling.labels[code].strip()) for code in used]
    return Transcript(
        utterances=names,
        offsets=offsets_of(spoken)[offsets_of(record["lengths"])],
        codes=code[columns],
        source=posteriorgrams.source,
        symbols=tuple(place),
        places=tuple(f"{posteriorgrams.source}: column {number}" for number in place.values()),
        **times,
    )


def _spelling_of(posteriorgrams: Posteriorgrams) -> Spelling:
    if posteriorgrams.spelling is None:
        raise DataError(f"{posteriorgrams.source}: the labels of its columns are not known; use load_posteriorgrams")
    return posteriorgrams.spelling


_Common = tuple[Posteriorgrams, Codes, Codes, float]  # with each column's class, and those suspected as blanks


def decode_shard(common: _Common, utterances: tuple[str, ...]) -> Record:
    """Return `column`, `start`, `end` and `confidence` of each run of the utterances, and their `lengths` in runs."""
    frames, decoded, problems = common[0], list[Runs](), list[str]()
    for name in utterances:
        try:
            decoded.append(_decode_utterance(common, name))
        except DataError as error:
            problems.append(str(error))
    if problems:
        headline = f"{len(problems)} utterances cannot be decoded; there may be more, since no more were read:"
        raise DataError(problems[0] if len(problems) == 1 else join_alike(headline, problems))
    none = np.zeros(0, np.int64)
    column, first, last, confidence = map(np.concatenate, zip((none, none, none, np.zeros(0)), *decoded, strict=True))
    return {
        "column": column,
        "start": frames.frame_offset + first * frames.frame_shift,
        "end": frames.frame_offset + last * frames.frame_shift,
        "confidence": confidence,
        "lengths": np.array([len(runs.symbol) for runs in decoded], np.int64),
    }


def _decode_utterance(common: _Common, utterance: str) -> Runs:
    """Return the runs of one utterance, each with its column; blanks are left out, and nothing else."""
    posteriorgrams, classes, suspected, min_duration = common
    blank = posteriorgrams.blank
    apart = classes if blank is None else np.arange(len(classes))  # each column of a CTC network is a label of its own
    values, (numbers, named) = posteriorgrams.raw(utterance), np.unique(apart, return_index=True)
    columns, highest = [np.zeros(0, np.int64)], [np.zeros(0)]
    for begin in range(0, len(values), _BLOCK):
        block = np.asarray(values[begin : begin + _BLOCK], dtype=np.float64)
        try:
            rows = probabilities(block, posteriorgrams.scale, posteriorgrams.where(utterance))
        except DataError:
            posteriorgrams.check(utterance)  # names the frame by its place in the whole utterance
            raise
        # Columns of one class are summed, and named by the first of them.
        summed = rows[:, named]
        for column in np.setdiff1d(np.arange(len(apart)), named):
            summed[:, np.searchsorted(numbers, apart[column])] += rows[:, column]
        columns.append(named[summed.argmax(axis=1)])
        highest.append(summed.max(axis=1))
    best, frames = np.concatenate(columns), np.arange(len(values))
    runs = join_runs(Runs(best, frames, frames + 1, np.concatenate(highest)))
    if blank is not None:
        return runs.select(runs.symbol != blank)
    # CTC posteriors without a named blank would be decoded as frames, with the blank as a phone of its own: better
    # none.
    for column in suspected.tolist():
        if number := int((best == column).sum()):
            where = posteriorgrams.where(utterance)
            msg = f"{where}: {number} of {len(best)} frames are column {column + 1}, which has the name of a CTC blank"
            raise DataError(f"{msg}; name it with blank: (or --blank)")
    # 0.07 s of 10 ms are 7 frames, though 0.07 / 0.01 is a little more than 7 as a float.
    least = math.ceil(min_duration / posteriorgrams.frame_shift - _ROUNDING)
    return join_runs(runs.select(runs.last - runs.first >= least))
