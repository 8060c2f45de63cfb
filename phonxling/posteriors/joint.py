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

Sums are added in the order of the corpus, joint sums those of one shard after the other; so they are the same, bit for
bit, whoever reads them.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Literal

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
from phonxling.core.arrays import Codes, Floats, divide
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
_FRAMES = 1 << 18  # of a shard: a fraction of a second, and some ten MB of sums
_SHOWN_ITEMS = 20  # utterances that cannot be used, after which no more are read
_LATE = 0.5  # seconds by which the last interval may outlast the frames
ReportFrames = Callable[[int], object]
Unit = Literal["token", "frame"]
Asked = Literal["mass", "decisions", "entropies"]  # what is summed of each token: besides its mass, what frames say
Shard = tuple[PhoneSequences, bool]  # some utterances, and whether there are no others after them


class ShardSums:
    """What the frames of n tokens in u utterances add up to, in the `rows` [n] of `mass`, which is filled in place."""

    def __init__(
        self, posteriorgrams: Posteriorgrams, segments: PhoneSequences, mass: Floats, rows: Codes, *, mean: bool = False
    ) -> None:
        self.posteriorgrams, self.segments, self.mass, self.rows, self.mean = posteriorgrams, segments, mass, rows, mean
        self.decided, self.bits = np.zeros((0, mass.shape[1])), np.zeros(0)  # as long as asked for
        self.first, self.last = np.zeros((2, len(segments.codes)), np.int64)
        self.blank, self.read = np.zeros(len(segments)), np.zeros(len(segments), np.int64)
        self._runs = [slice(*ends) for ends in pairwise(segments.offsets.tolist())]  # of each utterance's tokens

    def add_plain(self, place: int) -> bool:
        """Add an utterance whose numbers the loop takes as they are; return False, and add none, where it does not."""
        values, posteriorgrams = self._open(place), self.posteriorgrams
        plain = posteriorgrams.scale == "probability" and not posteriorgrams.several
        # A token’s mean needs all its frames in one block; sums may be added block by block.
        if not plain or (self.mean and len(values) > BLOCK):
            return False
        for begin in range(0, len(values), BLOCK):
            block = values[begin : begin + BLOCK]
            floats = block.dtype.kind == "f" and block.dtype.itemsize in {2, 4, 8} and block.dtype.isnative
            fits = floats and block.shape[1] > 0 and block.flags.c_contiguous
            if not (fits and self._add(block, posteriorgrams.columns, place, begin)):
                # What was added of this utterance is taken back: it is added slowly, with the reasons for what is
                # wrong.
                run = self._runs[place]
                self.mass[self.rows[run]], self.decided[run], self.bits[run], self.blank[place] = 0, 0, 0, 0
                return False
            if posteriorgrams.blank is not None:
                self.blank[place] += block[:, posteriorgrams.blank].sum(dtype=np.float64)
        return True

    def add_slowly(self, place: int) -> None:
        """Add an utterance of any scale and type; DataError names its first frame that is not right."""
        values, utterance = self._open(place), self.segments.utterances[place]
        every = np.arange(self.mass.shape[1])
        every.flags.writeable = False  # as the posteriors' own columns are
        for begin in range(0, len(values), BLOCK):
            block = values[begin : begin + BLOCK]
            try:
                rows, blank = self.posteriorgrams.by_phone(block, self.posteriorgrams.where(utterance))
            except DataError:
                self.posteriorgrams.check(utterance)  # names the frame by its place in the whole, and counts the others
                raise
            self.blank[place] += blank
            if rows.shape[1]:
                self._add(rows, every, place, begin)

    def _open(self, place: int) -> Rows:
        """Return an utterance's numbers, once its tokens are tied to frames; DataError where these end too early."""
        posteriorgrams, run, utterance = self.posteriorgrams, self._runs[place], self.segments.utterances[place]
        start, end = (np.asarray(times)[run] for times in (self.segments.start, self.segments.end))
        values = posteriorgrams.raw(utterance)
        frames = self.read[place] = len(values)
        shift, offset = posteriorgrams.frame_shift, posteriorgrams.frame_offset
        spoken, read = end[-1:].max(initial=-math.inf), offset + frames * shift
        if spoken > read + _LATE:
            msg = f"{self.segments.source}: utterance '{utterance}': intervals run to {spoken:g} s"
            msg = f"{msg}, but its {frames} frames end at {read:g} s"
            raise DataError(f"{msg}; are frame_shift and frame_offset right?")
        tie_tokens(start, end, frames, shift, offset, self.first[run], self.last[run])
        return values

    def _add(self, values: Frames, columns: Codes, place: int, begin: int) -> bool:
        """Add an utterance's frames from `begin` on; return whether each is clearly a distribution."""
        # Numba has no half precision; as single, the same numbers are exact.
        numbers = values.astype(np.float32) if values.dtype == np.float16 else values.view(np.ndarray)
        numbers.flags.writeable = False  # one compiled loop for all arrays
        run, same = self._runs[place], np.array_equal(columns, np.arange(self.mass.shape[1]))
        bits: Bits = numbers.view(np.uint32 if numbers.itemsize == 4 else np.uint64)
        spans = begin, self.first[run], self.last[run]
        fine = sum_frames(numbers, bits, columns, same, *spans, self.rows[run], self.mean, self.mass)
        if len(self.decided) or len(self.bits):
            look_at_frames(numbers, columns, *spans, self.decided[run], self.bits[run])
        return bool(fine)


def sum_shard(common: tuple[Posteriorgrams, Asked], shard: Shard) -> Record:
    """Return `mass`, `decided`, `bits` and `frames` of each token, `blank` and `read` of each utterance.

    DataError names the utterances that cannot be used.
    """
    (posteriorgrams, asked), (segments, complete), problems = common, shard, list[str]()
    tokens, phones = len(segments.codes), len(posteriorgrams.inventory)
    sums = ShardSums(posteriorgrams, segments, np.zeros((tokens, phones)), np.arange(tokens))
    sums.decided = np.zeros((tokens * (asked == "decisions"), phones))
    sums.bits = np.zeros(tokens * (asked == "entropies"))
    for place in range(len(segments)):
        try:
            # Fast where every row of an utterance is clearly right, else slowly, with the reasons.
            if not sums.add_plain(place):
                sums.add_slowly(place)
        except OtherFileError:  # of all utterances alike
            raise
        except DataError as error:
            problems.append(str(error))
        if len(problems) == _SHOWN_ITEMS:
            break
    refuse_utterances(problems, complete=complete)
    return {
        "frames": sums.last - sums.first,
        **{name: getattr(sums, name) for name in ("mass", "decided", "bits", "blank", "read")},
    }


def refuse_utterances(problems: list[str], *, complete: bool) -> None:
    """Raise DataError with what is wrong, if anything; `complete` says whether there are no utterances unread."""
    more = "" if complete and len(problems) < _SHOWN_ITEMS else "; there may be more, since no more were read"
    if len(problems) == 1 and not more:
        raise DataError(problems[0])
    if problems:
        raise DataError(join_alike(f"{len(problems)} utterances cannot be used{more}:", problems))


def sum_tokens(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
    asked: Asked = "mass",
) -> Iterator[Record]:
    """Yield the sums of each shard of utterances, see `sum_shard`, in the order of the segments."""
    shards = make_token_shards(posteriorgrams, segments)
    for record in work.map(sum_shard, (without_names(posteriorgrams), asked), shards):
        yield record
        report_frames(report, record["read"])


def make_token_shards(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> list[Shard]:
    """Return the tasks of summing, the same for any number of workers."""
    if segments.start is None or segments.end is None:
        raise DataError(f"{segments.source}: the phones have no times, and posteriors cannot be tied to them without")
    check_pairs(posteriorgrams, segments)
    if first_misplaced(segments.start, segments.end, segments.offsets) >= 0:
        _refuse_times(segments, segments.start, segments.end)
    # By the times of its tokens an utterance has so many frames at least: none is read for this.
    spoken, seconds = segments.lengths > 0, np.zeros(len(segments))
    seconds[spoken] = segments.end[segments.offsets[1:][spoken] - 1] - posteriorgrams.frame_offset
    frames = 1 + np.clip(seconds / posteriorgrams.frame_shift, 0, 1e12).astype(np.int64)
    return cut_shards(segments, frames, _FRAMES)


def cut_shards(segments: PhoneSequences, work: NDArray[np.int64], size: int) -> list[Shard]:
    """Return the utterances in runs of about so much work, with nothing that posteriors do not need."""
    shards, start, end = [], segments.start, segments.end
    for first, last in make_shards(work, size):
        run = slice(segments.offsets[first], segments.offsets[last])  # of views: copies would double a corpus
        own = PhoneSequences(
            utterances=segments.utterances[first:last],
            offsets=segments.offsets[first : last + 1] - segments.offsets[first],
            codes=segments.codes[run],
            start=None if start is None else start[run],
            end=None if end is None else end[run],
            source=segments.source,
            inventory=segments.inventory,
        )
        shards.append((own, last == len(segments)))
    return shards


def without_names(posteriorgrams: Posteriorgrams) -> Posteriorgrams:
    """Return what all tasks share of posteriors: how they are read, and what they mean."""
    return replace(posteriorgrams, utterances=(), spelling=None)


def report_frames(report: ReportFrames | None, frames: NDArray[np.int64]) -> None:
    """Report how many frames each utterance of a shard has."""
    if report is not None:
        for number in frames.tolist():
            report(number)


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
    for utterance, run in zip(segments.utterances, pairwise(segments.offsets.tolist()), strict=True):
        begins, ends = start[slice(*run)], end[slice(*run)]
        back, overlap = np.flatnonzero(np.diff(begins) < 0), np.flatnonzero(ends[:-1] > begins[1:] + OVERLAP)
        where = f"{segments.source}: utterance '{utterance}': intervals"
        if len(back):
            problems.append(f"{where} are not in the order of time (first at {begins[back[0] + 1]:g} s)")
        elif len(overlap):
            problems.append(f"{where} overlap ({len(overlap)} times, first at {begins[overlap[0] + 1]:g} s)")
    remedy = "a frame can belong to one phone only"
    if len(problems) == 1:
        raise DataError(f"{problems[0]}; {remedy}")
    raise DataError(join_problems(f"{len(problems)} utterances cannot be used:", problems, f"{remedy}.", _SHOWN_ITEMS))


def token_posteriors(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    *,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
    entropies: bool = False,
) -> TokenPosteriors:
    """Return the mean posterior of each gold token; the posteriors are read one shard at a time.

    With `entropies`, those of its frames, too.
    """
    parts = sum_tokens(posteriorgrams, segments, work, report, "entropies" if entropies else "mass")
    return tokens_of_sums(posteriorgrams, segments, parts, entropies=entropies)


def tokens_of_sums(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, parts: Iterable[Record], *, entropies: bool = False
) -> TokenPosteriors:
    """Return the mean posterior of each gold token, of the sums of one shard of utterances after the other."""
    # They take 8 K bytes a token, which permutations, the map and calibration need; joint sums take what a few tables
    # take.
    number, size, width = len(segments.codes), len(segments.inventory), len(posteriorgrams.inventory)
    rows, weight, entropy = Room(number, width), np.empty(number), np.zeros((2, number * entropies))
    frames, good = np.zeros(number, np.int32), np.zeros(number, dtype=bool)
    at, filled, blank, read = 0, 0, 0.0, 0
    for part in parts:
        total = part["mass"].sum(axis=1)
        fine = total > 0
        part_tokens, until = slice(at, at + len(fine)), filled + int(np.count_nonzero(fine))
        # Divided by the mass outside silence and blank: a frame that is 90 % silence counts a tenth, not as much as
        # others.
        rows.add(part["mass"][fine] / total[fine, None])
        weight[filled:until] = total[fine]
        if entropies:
            entropy[:, part_tokens] = part["bits"], total
        good[part_tokens], frames[part_tokens] = fine, part["frames"]
        at, filled, read = part_tokens.stop, until, read + int(part["read"].sum())
        # `sum` of NumPy adds in pairs, whose order goes with the size of the shards.
        blank = float(np.cumsum([blank, *part["blank"]])[-1])  # one after the other
    weight.flags.writeable = entropy.flags.writeable = False  # so that nobody needs to copy them
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
        entropy=FrameEntropy(*entropy) if entropies else None,
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
    by_frame, shards = unit == "frame", make_token_shards(posteriorgrams, segments)
    mass = np.zeros((len(segments.inventory), len(posteriorgrams.inventory)))
    for record in Threads(workers).map(_joint_shard, (without_names(posteriorgrams), by_frame, hard), shards):
        mass += record["mass"]
        report_frames(report, record["read"])
    return JointDistribution(segments.inventory, posteriorgrams.inventory, mass)


def _joint_shard(common: tuple[Posteriorgrams, bool, bool], shard: Shard) -> Record:
    """Return the joint `mass` [G, P] of a shard, and the frames `read` of each utterance; errors as for `sum_shard`."""
    (posteriorgrams, by_frame, hard), segments, clear = common, shard[0], False
    codes = segments.codes.astype(np.int64)
    mass = np.zeros((len(segments.inventory), len(posteriorgrams.inventory)))
    if not hard:
        # The fast way adds each frame to its phone’s row at once, and keeps no row a token.
        joint = ShardSums(posteriorgrams, segments, mass, codes, mean=not by_frame)
        with suppress(DataError):  # `sum_shard` will name all that is wrong
            clear = all(map(joint.add_plain, range(len(segments))))
        if clear:
            return {"mass": mass, "read": joint.read}
        mass[:] = 0
    decisions = hard and by_frame
    sums = sum_shard((posteriorgrams, "decisions" if decisions else "mass"), shard)
    add_tokens(sums["decided" if decisions else "mass"], codes, by_frame, hard and not by_frame, mass)
    return {"mass": mass, "read": sums["read"]}


def joint_of_tokens(tokens: TokenPosteriors, unit: Unit = "token", *, hard: bool = False) -> JointDistribution:
    """Return the joint distribution of token posteriors, by `token` or by `frame`; `hard`: of tokens' decisions."""
    mass = np.zeros((len(tokens.phones), len(tokens.columns)))
    rows = OneHot(tokens.hard, len(tokens.columns)) if hard else tokens.rows
    weights = tokens.weight if unit == "frame" else np.ones(len(tokens))
    for part in parts_of(rows):
        add_rows(rows[part].astype(np.float64, copy=False), weights[part], tokens.codes[part], mass)
    return JointDistribution(tokens.phones, tokens.columns, mass)


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


def frame_entropy(posteriorgrams: Posteriorgrams, segments: PhoneSequences, work: Work = SERIAL) -> FrameEntropy:
    """Return the entropies of the frames of each gold token: how sharp or flat single frames are."""
    records = sum_tokens(posteriorgrams, segments, work, asked="entropies")
    sums = [np.stack([record["bits"], record["mass"].sum(axis=1)]) for record in records]
    return FrameEntropy(*np.concatenate([np.zeros((2, 0)), *sums], axis=1))


def interval_confidence(posteriorgrams: Posteriorgrams, predicted: PhoneSequences, work: Work = SERIAL) -> Floats:
    """Return the mean posterior of each predicted phone over the frames of its own interval, float64 [M], in 0 … 1.

    Frames belong to an interval by their centres, and weigh by their mass outside silence and blank, as those of gold
    tokens do: a(i) = Σ_t p(x_i|t) / Σ_t Σ_e p(e|t), e over the phones. NaN for a phone that is no column of the
    posteriors, for an interval too short to hold the centre of a frame, and for one whose frames are all silence.
    """
    columns = {phone: code for code, phone in enumerate(posteriorgrams.inventory)}
    column = np.array([columns.get(phone, -1) for phone in predicted.inventory], dtype=np.int64)  # −1: none
    shards = make_token_shards(posteriorgrams, predicted)
    records = work.map(confidence_shard, (without_names(posteriorgrams), column), shards)
    return join_records(records, {"confidence": (len(predicted.codes), np.float64)})["confidence"]


def confidence_shard(common: tuple[Posteriorgrams, Codes], shard: Shard) -> Record:
    """Return the `confidence` of each token of a shard, NaN for none; `common` has the column of each phone, or −1."""
    (posteriorgrams, column), tokens = common, shard[0].codes
    mass, own_column = sum_shard((posteriorgrams, "mass"), shard)["mass"], column[tokens]
    total, own = mass.sum(axis=1), mass[np.arange(len(tokens)), own_column]
    # An interval without mass outside silence says nothing of its phone, and −1 is the last column, which is another’s.
    return {"confidence": np.minimum(np.where(own_column >= 0, divide(own, total), np.nan), 1.0)}
