"""Posteriors and time-stamped gold to token means, joint distributions and phone means.

Frames and phones
-----------------
Frame t belongs to the gold phone whose interval [start, end) holds the frame's centre, offset + (t + ½)·shift. A token
too short to hold a centre has no frame: it is counted, and adds nothing. A centre that stands on a border (to 1 ns) is
of the interval that begins there. Frames outside every interval are counted, and add nothing.

Silence and blank
-----------------
Their columns are left out by weighting each frame by its other mass: a frame that is 90 % silence counts a tenth.

Decisions
---------
Of a token: the phone of highest mean posterior over its frames. Of a frame: its own phone of highest posterior, which
takes the frame's mass. Of equal ones the first in the recogniser's inventory; silence and blank are none of them.

Memory
------
Sums are added in the order of the corpus, joint sums those of one shard after the other; so they are the same, bit for
bit, whoever reads them. Joint sums take what a few tables take. Token means take 8 K bytes a token, which permutations,
the map and calibration need.

Sums of posteriors over the frames of each gold token, a shard of utterances at a time.

They are added fast where every row of an utterance is clearly right, else slowly, with the reasons.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.confusions import OneHot, Room, parts_of
from phonxling.alignment.counting_kernel import (
    OVERLAP,
    Bits,
    add_rows,
    add_tokens,
    first_misplaced,
    look_at_frames,
    sum_frames,
    tie_tokens,
)
from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError, OtherFileError, check_arguments, join_alike, join_problems
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import (
    FrameEntropy,
    Frames,
    JointDistribution,
    PhoneMeans,
    Posteriorgrams,
    Rows,
    TokenPosteriors,
)
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Threads, Work, join_records, make_shards

BLOCK = 1 << 14  # frames that are decoded at a time
SHOWN_ITEMS = 20  # utterances that cannot be used, after which no more are read
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
            if len(problems) == SHOWN_ITEMS:
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
        # A token’s mean needs all its frames in one block; sums may be added block by block.
        if not plain or (self.mean and len(values) > BLOCK):
            return False
        for begin in range(0, len(values), BLOCK):
            block = values[begin : begin + BLOCK]
            if not (_fits_kernel(block) and self._add(block, self.posteriorgrams.columns, place, begin)):
                # What was added of this utterance is taken back: it is added slowly, with the reasons for what is
                # wrong.
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
        # Numba has no half precision; as single, the same numbers are exact.
        numbers = values.astype(np.float32) if values.dtype == np.float16 else values.view(np.ndarray)
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
        posteriorgrams.check(utterance)  # names the frame by its place in the whole utterance, and counts the others
        raise


def refuse_utterances(problems: list[str], *, complete: bool) -> None:
    """Raise DataError with what is wrong, if anything; `complete` says whether there are no utterances unread."""
    more = "" if complete and len(problems) < SHOWN_ITEMS else "; there may be more, since no more were read"
    if len(problems) == 1 and not more:
        raise DataError(problems[0])
    if problems:
        raise DataError(join_alike(f"{len(problems)} utterances cannot be used{more}:", problems))


def _fits_kernel(values: Frames) -> bool:
    """Return whether the loop takes these numbers as they are."""
    plain = values.dtype.kind == "f" and values.dtype.itemsize in {2, 4, 8} and values.dtype.isnative
    return plain and values.shape[1] > 0 and values.flags.c_contiguous


ReportFrames = Callable[[int], object]
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


class AskedSums(NamedTuple):
    """What is summed besides the mass of each token: decisions of frames, entropies of frames."""

    decisions: bool = False
    entropies: bool = False


NOTHING = AskedSums()


class TimedTokens(NamedTuple):
    """Some utterances' tokens in time, whether there are no others after them, and what is asked for."""

    segments: PhoneSequences
    last: bool
    asked: AskedSums


def token_sums(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
    *,
    asked: AskedSums = NOTHING,
) -> Iterator[TokenSums]:
    """Yield the sums of each shard of utterances, in the order of the segments, and what else is asked for."""
    tasks = make_token_shards(posteriorgrams, segments, asked)
    for task, record in zip(tasks, work.map(sum_shard, without_names(posteriorgrams), tasks), strict=True):
        yield TokenSums(task.segments.codes, *(record[name] for name in TokenSums._fields[1:]))
        report_frames(report, record["read"])


def make_token_shards(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, asked: AskedSums = NOTHING
) -> list[TimedTokens]:
    """Return the tasks of summing, the same for any number of workers."""
    if segments.start is None or segments.end is None:
        raise DataError(f"{segments.source}: the phones have no times, and posteriors cannot be tied to them without")
    check_pairs(posteriorgrams, segments)
    if first_misplaced(segments.start, segments.end, segments.offsets) >= 0:
        _refuse_times(segments, segments.start, segments.end)
    return [
        TimedTokens(run_of(segments, first, last), last == len(segments), asked)
        for first, last in make_shards(_expected_frames(posteriorgrams, segments, segments.end), _FRAMES)
    ]


def without_names(posteriorgrams: Posteriorgrams) -> Posteriorgrams:
    """Return what all tasks share of posteriors: how they are read, and what they mean."""
    return replace(posteriorgrams, utterances=(), spelling=None)


def report_frames(report: ReportFrames | None, frames: NDArray[np.int64]) -> None:
    """Report how many frames each utterance of a shard has."""
    if report is not None:
        for number in frames.tolist():
            report(number)


def sum_shard(posteriorgrams: Posteriorgrams, task: TimedTokens) -> Record:
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
    raise DataError(join_problems(f"{len(problems)} utterances cannot be used:", problems, f"{remedy}.", SHOWN_ITEMS))


def _fault_of_times(start: Floats, end: Floats) -> str:
    if (np.diff(start) < 0).any():
        return f"intervals are not in the order of time (first at {start[1:][np.diff(start) < 0][0]:g} s)"
    overlap = np.flatnonzero(end[:-1] > start[1:] + OVERLAP)
    return f"intervals overlap ({len(overlap)} times, first at {start[overlap[0] + 1]:g} s)" if len(overlap) else ""


Unit = Literal["token", "frame"]


def token_posteriors(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    *,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
    asked: AskedSums = NOTHING,
) -> TokenPosteriors:
    """Return the mean posterior of each gold token; the posteriors are read one shard at a time."""
    parts = token_sums(posteriorgrams, segments, work, report, asked=asked)
    return tokens_of_sums(posteriorgrams, segments, parts, asked=asked)


def tokens_of_sums(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, parts: Iterable[TokenSums], *, asked: AskedSums
) -> TokenPosteriors:
    """Return the mean posterior of each gold token, of the sums of one shard of utterances after the other."""
    number, size, width = len(segments.codes), len(segments.inventory), len(posteriorgrams.inventory)
    rows, weight = Room(number, width), np.empty(number)
    entropies = np.zeros((2, number * asked.entropies))
    frames, good = np.zeros(number, np.int32), np.zeros(number, dtype=bool)
    at, filled, blank, read = 0, 0, 0.0, 0
    for part in parts:
        total = part.mass.sum(axis=1)
        fine = total > 0
        part_tokens, until = slice(at, at + len(fine)), filled + int(np.count_nonzero(fine))
        # Divided by the mass outside silence and blank: a frame that is 90 % silence counts a tenth, not as much as
        # others.
        rows.add(part.mass[fine] / total[fine, None])
        weight[filled:until] = total[fine]
        if asked.entropies:
            entropies[:, part_tokens] = part.bits, total
        good[part_tokens], frames[part_tokens] = fine, part.frames
        at, filled, read = part_tokens.stop, until, read + int(part.read.sum())
        # `sum` of NumPy adds in pairs, whose order goes with the size of the shards.
        blank = float(np.cumsum([blank, *part.blank])[-1])  # one after the other
    weight.flags.writeable = entropies.flags.writeable = False  # so that nobody needs to copy them
    codes = segments.codes
    return TokenPosteriors(
        phones=segments.inventory,
        columns=posteriorgrams.inventory,
        codes=codes[good].astype(np.int32),
        rows=rows.filled(),
        weight=weight[:filled],
        utterances=segments.token_utterances()[good],
        without_frame=np.bincount(codes[frames == 0], minlength=size),
        silent=np.bincount(codes[(frames > 0) & ~good], minlength=size),
        blank_share=math.nan if posteriorgrams.blank is None or not read else blank / read,
        frames=np.bincount(codes, weights=frames, minlength=size).astype(np.int64),
        read=read,
        first_without=int((frames == 0).argmax()) if (frames == 0).any() else -1,
        places=np.flatnonzero(good),
        entropy=FrameEntropy(*entropies) if asked.entropies else None,
    )


@check_arguments
def joint_distribution(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    unit: Unit = "token",
    *,
    hard: bool = False,
    workers: int = 1,
    report: ReportFrames | None = None,
) -> JointDistribution:
    """Return the summed mass of gold phone y with recognised phone e, [G, K].

    Parameters
    ----------
    posteriorgrams, segments, report
        As for `token_posteriors`, errors too.
    unit : {"token", "frame"}
        `token`: Σ_i 1{y_i = y} p(e|x_i), x_i the mean posterior of token i (definition 8), so every token weighs the
        same. `frame`: the same over frames, so longer tokens weigh more.
    hard : bool
        Count decisions: a token's most probable phone by its mean posterior; with `frame` each frame's own most
        probable phone, with the frame's mass. Of equal ones the first.
    workers : int
        Threads that read.
    """
    rule = _Rule(len(segments.inventory), unit == "frame", hard)
    tasks = make_token_shards(posteriorgrams, segments, AskedSums(decisions=rule.by_frame and hard))
    mass = np.zeros((len(segments.inventory), len(posteriorgrams.inventory)))
    for record in Threads(workers).map(_joint_shard, (without_names(posteriorgrams), rule), tasks):
        mass += record["mass"]
        report_frames(report, record["read"])
    return JointDistribution(segments.inventory, posteriorgrams.inventory, mass)


class _Rule(NamedTuple):
    """How many gold phones there are, and how tokens are added to them."""

    phones: int
    by_frame: bool
    hard: bool


def _joint_shard(common: tuple[Posteriorgrams, _Rule], task: TimedTokens) -> Record:
    """Return the joint `mass` [G, P] of a shard, and the frames `read` of each utterance; errors as for `sum_shard`."""
    (posteriorgrams, (phones, by_frame, hard)), codes = common, task.segments.codes.astype(np.int64)
    mass = np.zeros((phones, len(posteriorgrams.inventory)))
    if not hard:
        joint = ShardSums(
            posteriorgrams=posteriorgrams, segments=task.segments, mass=mass, rows=codes, mean=not by_frame
        )
        # The fast way adds each frame to its phone’s row at once, and keeps no row a token.
        if joint.add_clear():
            return {"mass": mass, "read": joint.read}
        mass[:] = 0
    sums = sum_shard(posteriorgrams, task)
    decisions = hard and by_frame
    add_tokens(sums["decided" if decisions else "mass"], codes, by_frame, hard and not by_frame, mass)
    return {"mass": mass, "read": sums["read"]}


def joint_of_tokens(tokens: TokenPosteriors, unit: Unit = "token", *, hard: bool = False) -> JointDistribution:
    """Return the joint distribution of token posteriors, by `token` or by `frame`; `hard`: of tokens' decisions."""
    mass = np.zeros((len(tokens.phones), len(tokens.columns)))
    rows, weights = OneHot(tokens.hard, len(tokens.columns)) if hard else tokens.rows, token_weights(tokens, unit)
    for part in parts_of(rows):
        add_rows(rows[part].astype(np.float64, copy=False), weights[part], tokens.codes[part], mass)
    return JointDistribution(tokens.phones, tokens.columns, mass)


def token_weights(tokens: TokenPosteriors, unit: Unit) -> Floats:
    """Return what each token counts, [N]: 1, or the mass of its frames."""
    return tokens.weight if unit == "frame" else np.ones(len(tokens))


@check_arguments
def phone_means(posteriorgrams: Posteriorgrams, segments: PhoneSequences, batches: int = 8) -> PhoneMeans:
    """Return the mean posterior of each gold phone that has tokens with frames, and of batches of its tokens.

    A phone's tokens, in the order of the corpus, are dealt into at most `batches` runs of equal size (at least five
    tokens each where there are that many). Errors as for `token_posteriors`.

    Examples
    --------
    Two frames of 0.1 s, one in each [a]:

    >>> from phonxling.core.sequences import from_lists
    >>> from dataclasses import replace
    >>> gold = from_lists(["u"], [["a", "a"]])
    >>> timed = replace(gold, start=np.array([0, 0.1]), end=np.array([0.1, 0.2]))
    >>> recogniser = Posteriorgrams(
    ...     source="u.npy", utterances=("u",), inventory=Inventory(("a", "e")), columns=[0, 1], frame_shift=0.1,
    ...     read=lambda utterance: np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> found = phone_means(recogniser, timed)
    >>> found.phones.phones, found.means.tolist(), found.tokens.tolist()
    (('a',), [[0.75, 0.25]], [2])
    """
    return means_of_tokens(token_posteriors(posteriorgrams, segments), batches)


def means_of_tokens(tokens: TokenPosteriors, batches: int = 8) -> PhoneMeans:
    """Return phone means, and batch means, of token posteriors."""
    present, place, sizes = np.unique(tokens.codes, return_inverse=True, return_counts=True)
    # Fewer batches of a rare phone, so that each mean rests on five tokens at least where there are that many.
    number = np.maximum(1, np.minimum(batches, sizes // 5))  # of each phone's batches, the first ones one token larger
    owner = np.repeat(np.arange(len(present)), number)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(number) - number, number)
    batch_sizes = sizes[owner] // number[owner] + (within < sizes[owner] % number[owner])
    batch = np.empty(len(place), np.int64)
    batch[np.argsort(place, kind="stable")] = np.repeat(np.arange(len(owner)), batch_sizes)
    width, one = len(tokens.columns), np.ones(len(place))
    means, parts = np.zeros((len(present), width)), np.zeros((len(owner), width))
    for part in parts_of(tokens.rows):
        rows = tokens.rows[part].astype(np.float64, copy=False)
        add_rows(rows, one[part], place[part], means)
        add_rows(rows, one[part], batch[part], parts)
    return PhoneMeans(
        phones=Inventory(tuple(tokens.phones.phones[code] for code in present)),
        columns=tokens.columns,
        means=means / sizes[:, None],
        tokens=sizes,
        batch_phones=owner.astype(np.int32),
        batch_means=parts / batch_sizes[:, None],
    )


# How sharp or flat the posteriors of single frames are, summed over the frames of each gold token.

_DEFAULT_SUMS = AskedSums(entropies=True)


def frame_entropy(posteriorgrams: Posteriorgrams, segments: PhoneSequences, work: Work = SERIAL) -> FrameEntropy:
    """Return the entropies of the frames of each gold token; memory and errors as for `token_sums`."""
    parts = [
        (part.bits, part.mass.sum(axis=1)) for part in token_sums(posteriorgrams, segments, work, asked=_DEFAULT_SUMS)
    ]
    bits, mass = (np.concatenate([np.zeros(0), *each]) for each in zip(*parts, strict=True)) if parts else ([], [])
    return FrameEntropy(np.array(bits), np.array(mass))


# Confidence from posteriors: what they give the predicted phone over the frames of its predicted interval.


def interval_confidence(posteriorgrams: Posteriorgrams, predicted: PhoneSequences, work: Work = SERIAL) -> Floats:
    """Return the mean posterior of each predicted phone over the frames of its own interval, float64 [M], in 0 … 1.

    Frames belong to an interval by their centres, and weigh by their mass outside silence and blank, as those of gold
    tokens do: a(i) = Σ_t p(x_i|t) / Σ_t Σ_e p(e|t), e over the phones.

    Parameters
    ----------
    posteriorgrams : Posteriorgrams
        Of the same utterances.
    predicted : PhoneSequences
        M predicted phones with times.

    Returns
    -------
    float64 array [M]
        NaN for a phone that is no column of the posteriors, for an interval too short to hold the centre of a frame,
        and for one whose frames are all silence.

    Raises
    ------
    DataError
        As for `token_posteriors`.

    Examples
    --------
    Two frames of 10 ms are recognised as one a:

    >>> from phonxling.core.inventory import Inventory
    >>> phones = Inventory(("a", "b"))
    >>> frames = Posteriorgrams(source="here", utterances=("u",), inventory=phones, columns=[0, 1],
    ...                         read={"u": np.array([[0.5, 0.5], [1.0, 0.0]])}.__getitem__, frame_shift=0.01)
    >>> spoken = PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], start=[0.0], end=[0.02], inventory=phones)
    >>> interval_confidence(frames, spoken).tolist()
    [0.75]
    """
    columns = {phone: code for code, phone in enumerate(posteriorgrams.inventory)}
    column = np.array([columns.get(phone, -1) for phone in predicted.inventory], dtype=np.int64)  # −1: none
    tasks = make_token_shards(posteriorgrams, predicted)
    records = work.map(confidence_shard, (without_names(posteriorgrams), column), tasks)
    return join_records(records, {"confidence": (len(predicted.codes), np.float64)})["confidence"]


def confidence_shard(common: tuple[Posteriorgrams, Codes], task: TimedTokens) -> Record:
    """Return the `confidence` of each token of a shard, NaN for none; `common` has the column of each phone, or −1."""
    posteriorgrams, column = common
    mass, own_column = sum_shard(posteriorgrams, task)["mass"], column[task.segments.codes]
    total, own = mass.sum(axis=1), mass[np.arange(len(mass)), own_column]
    defined = (total > 0) & (own_column >= 0)
    shares = np.divide(own, total, out=np.full(len(own), np.nan), where=defined)
    return {"confidence": np.minimum(shares, 1.0)}
