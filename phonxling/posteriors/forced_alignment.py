"""Times, certainty and mean posteriors of gold phones, from posteriorgrams and a model of what the phones sound like.

Times
-----
Those of the best path: a phone begins with its first frame and ends with its last. Left to right, neighbours without
silence between share a border. A CTC recogniser shows a phone for a frame or two, and blanks around it. The border
between two phones then stands in the middle of the blanks between them, but on either side of its own frames a phone
reaches over no more blanks than the median number of them between neighbours, in the corpus: what is beyond belongs to
none, for there is silence, most likely.

Certainty of a phone: the mean, over the frames that the best path gives it, of the probability that they are its own.

One utterance: all ways of dealing its frames out to its gold phones, in a band that is widened until it holds them.

The band follows the mass of phones (what is neither silence nor blank): after half of that mass it stands at half of
the states. It is made twice as wide until at no frame more than a millionth of all segmentations, and nowhere the best
path, stands on its outermost two states; at the last it holds all states.

Each token has `minimum` states, one a frame, of which the last may be repeated. Before the first token, between two,
and after the last one stands a state for what is no phone (silence, blank), which may be left out. With a blank (CTC),
two tokens of the same phone must have it between them: otherwise they would be one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.arrays import Codes, Floats, FrozenArrays, places_of, read_only, sum_by
from phonxling.core.costs import cost_table
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, make_shards
from phonxling.posteriors.forced_kernel import (
    add_responsibilities,
    add_to_tokens,
    best_path,
    emit_frames,
    occupy,
    token_weights,
)
from phonxling.posteriors.joint import (
    NOTHING,
    ReportFrames,
    TokenSums,
    check_pairs,
    refuse_utterances,
    report_frames,
    run_of,
    tokens_of_sums,
    without_names,
)


class Chain(NamedTuple):
    """States of an utterance: what each emits, whether it may be repeated."""

    phones: Codes
    emit: NDArray[np.int32]
    loop: NDArray[np.uint8]
    skip: NDArray[np.uint8]
    period: int

    @property
    def states(self) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
        return self.emit, self.loop, self.skip


def chain_of(codes: NDArray[np.integer], minimum: int, *, blank: bool) -> Chain:
    """Return the chain of a sequence of gold phones."""
    phones, place = np.unique(codes.astype(np.int64), return_inverse=True)
    period = minimum + 1
    emit = np.full(len(codes) * period + 1, len(phones), np.int32)
    loop, skip = np.zeros(len(emit), np.uint8), np.zeros(len(emit), np.uint8)
    for state in range(1, period):
        emit[state::period] = place
    loop[::period] = loop[minimum::period] = 1
    # A token may follow the one before at once, without the state between them; CTC needs a blank between equal phones,
    # for frames of one label in a row are one phone.
    skip[1 + period :: period] = ~_mark_repeated(codes) if blank else True
    return Chain(phones, emit, loop, skip, period)


def least_frames(codes: NDArray[np.integer], minimum: int, *, blank: bool) -> int:
    """Return how many frames a sequence of gold phones needs at least."""
    return len(codes) * minimum + (int(_mark_repeated(codes).sum()) if blank else 0)


def _mark_repeated(codes: NDArray[np.integer]) -> NDArray[np.bool_]:
    return np.asarray(codes[1:] == codes[:-1])


WIDTH = 128  # states of the first band
_TOUCHING = 1e-6  # share of the segmentations that may stand on the band's border
_BORDER = 2  # states that a path can pass in one frame


@dataclass(frozen=True, eq=False, kw_only=True)
class Trellis:
    """The segmentations of an utterance: shares [T, W] of the states low[t] … low[t] + W − 1 at each frame."""

    posteriors: Floats
    chain: Chain
    noise: float
    values: Floats
    low: NDArray[np.int64]
    shares: Floats
    path: NDArray[np.int32]
    log_likelihood: float

    def responsibilities(self) -> Floats:
        """Return [n + 1, E + 1]; times the model, how many frames of each emission were recognised as each column."""
        sums = np.zeros((self.values.shape[1], self.posteriors.shape[1]))
        add_responsibilities(self.posteriors, self.values, self.shares, self.chain.emit, self.low, self.noise, sums)
        return sums

    def occupations(self) -> tuple[Codes, Floats]:
        """Return of each frame the probability that it is each token's [T, B], from the token first[t] on [T]."""
        first, band = np.zeros(len(self.low), np.int64), self.shares.shape[1] // self.chain.period + 2
        weights = np.empty((len(self.low), band))
        token_weights(self.shares, self.low, self.chain.period, first, weights)
        return first, weights

    def spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the best path's first frame of each token, and the first after it."""
        period = self.chain.period
        begins = np.arange(len(self.chain.emit) // period) * period + 1
        return self.path.searchsorted(begins), self.path.searchsorted(begins + period - 1)


def fill_trellis(
    posteriors: Floats, chain: Chain, rows: Floats, noise: float, *, where: str, width: int = WIDTH
) -> Trellis:
    """Return the segmentations of an utterance."""
    values, states = np.empty((len(posteriors), len(rows))), len(chain.emit)
    emit_frames(posteriors, np.ascontiguousarray(rows.T), noise, values)
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    for tried in _widen_band(width, states):
        low, path = _place_band(posteriors, states, tried), np.empty(len(posteriors), np.int32)
        found = best_path(logs, chain.states, low, tried, path) > -np.inf
        # Nothing is summed before the best path is well inside: it takes a fraction of the time.
        if not found or _touches(path - low, low, tried, states):
            continue
        shares = np.empty((len(posteriors), tried))
        total, touched = occupy(values, chain.states, low, tried, shares)
        if touched <= _TOUCHING:
            return Trellis(
                posteriors=posteriors,
                chain=chain,
                noise=noise,
                values=values,
                low=low,
                shares=shares,
                path=path,
                log_likelihood=total,
            )
    raise DataError(f"{where}: no way to segment its frames has a probability above 0")


def _widen_band(first: int, states: int) -> Iterator[int]:
    """Yield how wide the band is, each time twice as wide, until it holds all states."""
    width = max(first, 2 * _BORDER)
    while width < states:
        yield width
        width *= 2
    yield states


def _place_band(posteriors: Floats, states: int, width: int) -> NDArray[np.int64]:
    """Return the first state of the band at each frame, ascending from 0 to the last possible one."""
    if width == states:
        return np.zeros(len(posteriors), np.int64)
    # The mass of phones, not time, says how far an utterance has come: pauses need no states.
    spoken = posteriors[:, :-1].sum(axis=1) + 1e-3  # so that it also moves through silence
    passed = np.cumsum(spoken) - spoken / 2
    middle = passed / (passed[-1] + spoken[-1] / 2) * states
    low: NDArray[np.int64] = np.clip(np.rint(middle - width / 2), 0, states - width).astype(np.int64)
    # Paths begin in the first states and end in the last ones, wherever the mass is.
    low[0], low[-1] = 0, states - width
    return low


def _touches(place: NDArray[np.int64], low: NDArray[np.int64], width: int, states: int) -> bool:
    """Return whether a path, by its place in the band, comes to a border with states beyond."""
    below = (place < _BORDER) & (low > 0)
    return bool((below | ((place >= width - _BORDER) & (low + width < states))).any())


_TOKENS = 1 << 11  # of a shard: half a second or so
_SHOWN_ITEMS = 20  # utterances that cannot be used, after which no more are read
Topology = Literal["auto", "ctc", "left-to-right"]
_ROW = 1e-6  # by which the sum of a row may be off 1


@dataclass(frozen=True, eq=False, kw_only=True)
class SoundModel(FrozenArrays):
    """M: what each gold phone sounds like to the recogniser, and what stands between phones."""

    gold: Inventory
    recogniser: Inventory
    probabilities: Floats
    between: Floats

    def __post_init__(self) -> None:
        shapes = {"probabilities": (len(self.gold), len(self.recogniser)), "between": (len(self.recogniser) + 1,)}
        for name, shape in shapes.items():
            values = np.asarray(getattr(self, name), np.float64)
            object.__setattr__(self, name, read_only(values, np.float64))
            if values.shape != shape:
                raise ValueError(f"{name} must have the shape {shape}, not {values.shape}")
            if not (values >= 0).all() or not (abs(values.sum(axis=-1) - 1) <= _ROW).all():
                raise ValueError(f"{name}: a row holds a negative value, or does not sum to 1")

    def rows(self) -> Floats:
        """Return both in one table, [G + 1, E + 1]: gold phones have nothing of silence; the last row is `between`."""
        table = np.zeros((len(self.gold) + 1, len(self.recogniser) + 1))
        table[:-1, :-1], table[-1] = self.probabilities, self.between
        return table


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedRules:
    """The rules of forced alignment, each with its default.

    - `topology`: "auto", "ctc" or "left-to-right", which sequences of frames spell a sequence of phones; auto is "ctc"
      for a recogniser with a blank
    - `minimum`: least number of frames of a phone (left-to-right)
    - `noise`: share of each frame's probability that any phone may have caused, 0 < noise < 1: no frame is impossible
    - `smoothing`: as so many tokens does the similarity of features count in each gold phone's row of M
    - `sharpness`: M begins as exp(−sharpness · cost), the cost being the mean difference of features, in [0, 1]
    - `background`: share of the corpus's average posterior in what stands between phones, to begin with
    - `iterations`: at most so many steps of expectation–maximisation
    - `tolerance`: learning stops when a step gains less than so much log-likelihood a frame (nats)

    ConfigurationError if a value is out of its range.
    """

    topology: Topology = "auto"
    minimum: int = 3
    noise: float = 0.01
    smoothing: float = 10.0
    sharpness: float = 20.0
    background: float = 0.35
    iterations: int = 20
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        least = {"minimum": 1, "iterations": 1, "smoothing": 0, "sharpness": 0, "tolerance": 0}
        for name, lowest in least.items():
            if not lowest <= getattr(self, name) < np.inf:
                raise ConfigurationError(f"{name} must be a number of at least {lowest}, not {getattr(self, name)}")
        if not 0 < self.noise < 1 or not 0 <= self.background < 1:
            msg = f"noise lies between 0 and 1, and background from 0 to below 1; not {self.noise}, {self.background}"
            raise ConfigurationError(msg)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedTimes(FrozenArrays):
    """When each gold phone was spoken, by the best path."""

    segments: PhoneSequences
    certainty: Floats
    log_likelihood: Floats
    rules: ForcedRules


_RULES = ForcedRules()


def share_blanks(first: Codes, last: Codes, offsets: NDArray[np.int64], frames: Codes) -> tuple[Floats, Floats]:
    """Return where each token begins and ends, in frames [N], of its own frames first … last − 1."""
    lengths = np.diff(offsets)
    begin_of, end_of = np.zeros(len(first)), np.repeat(frames, lengths).astype(np.float64)
    inside = np.ones(len(first), dtype=bool)
    inside[offsets[:-1][lengths > 0]] = False  # has a token before it, in its utterance
    later = np.flatnonzero(inside)
    blanks = first[later] - last[later - 1]
    # A peak stands for a phone of unknown length. The median distance is what phones that follow each other leave;
    # blanks beyond it are likely silence.
    reach = float(np.median(blanks)) if len(blanks) else np.inf
    begin_of[later] = end_of[later - 1] = last[later - 1] + blanks / 2
    return np.maximum(begin_of, first - reach), np.minimum(end_of, last + reach)


class UtteranceFrames(NamedTuple):
    """An utterance: its position in the shard, gold phones, frames [T, E + 1] with the rest last, the blank's mass."""

    place: int
    codes: NDArray[np.integer]
    posteriors: Floats
    blank: float


Shard = tuple[PhoneSequences, bool]  # some utterances, and whether there are no others after them


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedInputs(FrozenArrays):
    """What all shards share: posteriors, the model's rows [G + 1, E + 1] (see `SoundModel.rows`), rules."""

    posteriorgrams: Posteriorgrams
    rows: Floats
    rules: ForcedRules

    @property
    def blank(self) -> bool:
        """Whether phones are peaks between blanks."""
        return self.rules.topology == "ctc"

    @property
    def minimum(self) -> int:
        return 1 if self.blank else self.rules.minimum

    def least(self, codes: NDArray[np.integer]) -> int:
        """Return how many frames these gold phones need at least."""
        return least_frames(codes, self.minimum, blank=self.blank)

    def trellis(self, utterance: str, reading: UtteranceFrames) -> Trellis:
        """Return the segmentations of an utterance that has phones, and frames enough."""
        chain = chain_of(reading.codes, self.minimum, blank=self.blank)
        rows = self.rows[np.append(chain.phones, -1)]
        return fill_trellis(
            reading.posteriors, chain, rows, self.rules.noise, where=self.posteriorgrams.where(utterance)
        )


def share_inputs(posteriorgrams: Posteriorgrams, model: SoundModel, rules: ForcedRules) -> SharedInputs:
    """Return what all shards share; the topology is settled."""
    if model.recogniser != posteriorgrams.inventory:
        raise DataError(f"{posteriorgrams.source}: its phones are not those of the sound model; learn one of it")
    settled: Topology = "ctc" if posteriorgrams.blank is not None else "left-to-right"
    rules = replace(rules, topology=settled if rules.topology == "auto" else rules.topology)
    return SharedInputs(posteriorgrams=without_names(posteriorgrams), rows=model.rows(), rules=rules)


def shards_of(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> list[Shard]:
    """Return the utterances in runs that are the same for any number of workers; DataError if ids do not agree."""
    check_pairs(posteriorgrams, segments)
    parts = make_shards(segments.lengths + 1, _TOKENS)
    return [(run_of(segments, first, last), last == len(segments)) for first, last in parts]


def each_utterance(shared: SharedInputs, shard: Shard, frames: NDArray[np.int64]) -> Iterator[UtteranceFrames]:
    """Yield each utterance that has phones, and frames enough for them; fill `frames` with the number of each."""
    (segments, complete), posteriorgrams, problems = shard, shared.posteriorgrams, list[str]()
    for place, utterance in enumerate(segments.utterances):
        codes = _codes_of(segments, place)
        try:
            raw = posteriorgrams.raw(utterance)
            posteriors, blank = posteriorgrams.by_phone(raw, posteriorgrams.where(utterance), rest=True)
        except DataError as error:
            problems.append(str(error))
            if len(problems) == _SHOWN_ITEMS:
                break
            continue
        frames[place] = len(posteriors)
        if len(codes) and len(posteriors) >= shared.least(codes):
            yield UtteranceFrames(place, codes, posteriors, blank)
    refuse_utterances(problems, complete=complete)


def refuse_short(shared: SharedInputs, segments: PhoneSequences, frames: NDArray[np.int64]) -> None:
    """Raise DataError if utterances have more phones than their frames can hold: all of them, in one message."""
    short = []
    for place, (utterance, read) in enumerate(zip(segments.utterances, frames.tolist(), strict=True)):
        codes = _codes_of(segments, place)
        if read < (needed := shared.least(codes)):
            short.append(f"'{utterance}': {len(codes)} phones need {needed} frames, and there are {read}")
    if short:
        each = "one each, and a blank between equal ones" if shared.blank else f"{shared.minimum} each"
        headline = f"{segments.source}: {len(short)} utterances have more gold phones than frames can hold ({each}):"
        remedy = "Are gold and posteriors of the same recordings, and is the frame shift right? Else leave them out."
        raise DataError(join_problems(headline, short, remedy))


def _codes_of(segments: PhoneSequences, place: int) -> NDArray[np.integer]:
    return segments.codes[segments.offsets[place] : segments.offsets[place + 1]]


class ShardRequest(NamedTuple):
    """What a shard is asked for: with `sums`, posteriors summed by token."""

    shared: SharedInputs
    sums: bool = False


def force_align(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    model: SoundModel,
    *,
    rules: ForcedRules = _RULES,
    work: Work = SERIAL,
) -> ForcedTimes:
    """Return when each gold phone was spoken, by the best path, and how certain that is."""
    gold = segments.recode(model.gold)
    shared, shards = share_inputs(posteriorgrams, model, rules), shards_of(posteriorgrams, gold)
    return _collect_times(shared, segments, list(work.map(align_shard, ShardRequest(shared), shards)))


def forced_tokens(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    model: SoundModel,
    *,
    rules: ForcedRules = _RULES,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
) -> tuple[ForcedTimes, TokenPosteriors]:
    """Return the times, and each token's mean posterior over all segmentations, in one reading."""
    gold = segments.recode(model.gold)
    shared, shards = share_inputs(posteriorgrams, model, rules), shards_of(posteriorgrams, gold)
    records, read = work.map(align_shard, ShardRequest(shared, True), shards), list[Record]()
    parts = _split_sums(shards, records, read, report)
    tokens = tokens_of_sums(posteriorgrams, segments, parts, asked=NOTHING)
    return _collect_times(shared, segments, read), tokens


def align_shard(asked: ShardRequest, shard: Shard) -> Record:
    """Return of each token `first`, `last` and `certainty`; of each utterance `likelihood`, `frames` and `blank`."""
    segments, phones = shard[0], len(asked.shared.posteriorgrams.inventory)
    utterances, tokens = len(segments), len(segments.codes)
    frames, (likelihood, blank) = np.zeros(utterances, np.int64), np.zeros((2, utterances))
    (first, last), certainty = np.zeros((2, tokens), np.int64), np.zeros(tokens)
    mass = np.zeros((tokens, phones if asked.sums else 0))
    for reading in each_utterance(asked.shared, shard, frames):
        place, run = reading.place, slice(segments.offsets[reading.place], segments.offsets[reading.place + 1])
        found = asked.shared.trellis(segments.utterances[place], reading)
        begins, weights = found.occupations()
        first[run], last[run] = found.spans()
        certainty[run] = _measure_certainty(begins, weights, first[run], last[run])
        likelihood[place], blank[place] = found.log_likelihood, reading.blank
        if asked.sums:
            add_to_tokens(reading.posteriors, begins, weights, mass[run])
    times = {"first": first, "last": last, "certainty": certainty, "likelihood": likelihood}
    return {**times, "frames": frames, "blank": blank, "mass": mass}


def _measure_certainty(begins: Codes, weights: Floats, first: Codes, last: Codes) -> Floats:
    """Return the mean weight of each token over its frames first … last − 1; the best path's frames are in the band."""
    lengths = last - first
    frames = places_of(first, lengths)
    owner = np.repeat(np.arange(len(first)), lengths)
    own = weights[frames, owner - begins[frames]]
    return np.minimum(sum_by(owner, own, len(first)) / lengths, 1.0)


def _collect_times(shared: SharedInputs, segments: PhoneSequences, records: list[Record]) -> ForcedTimes:
    def of(name: str, kind: DTypeLike) -> NDArray[Any]:
        return np.concatenate([np.zeros(0, kind), *(record[name] for record in records)])

    first, last, frames = (of(name, np.int64) for name in ("first", "last", "frames"))
    refuse_short(shared, segments, frames)
    begins, ends = share_blanks(first, last, segments.offsets, frames) if shared.blank else (first, last)
    shift, offset = shared.posteriorgrams.frame_shift, shared.posteriorgrams.frame_offset
    return ForcedTimes(
        segments=replace(segments, start=offset + begins * shift, end=offset + ends * shift),
        certainty=of("certainty", np.float64),
        log_likelihood=of("likelihood", np.float64),
        rules=shared.rules,
    )


def _split_sums(
    shards: list[Shard], records: Iterator[Record], read: list[Record], report: ReportFrames | None
) -> Iterator[TokenSums]:
    """Yield the sums of each shard; what remains of its record is added to `read`."""
    for shard, record in zip(shards, records, strict=True):
        sums = record["mass"], np.zeros((0, 0)), np.zeros(0), record["last"] - record["first"]
        yield TokenSums(shard[0].codes, *sums, record["blank"], record["frames"])
        read.append({name: record[name] for name in record if name != "mass"})
        report_frames(report, record["frames"])


def similar_sounds(
    gold: Inventory, recogniser: Inventory, table: FeatureTable | None, sharpness: float = _RULES.sharpness
) -> SoundModel:
    """Return M(e|y) ∝ exp(−sharpness · c(y, e)), c the mean difference of features: what M is before it is learned."""
    costs = cost_table("unit" if table is None else "panphon", gold, recogniser, table)
    weights = np.exp(-sharpness * costs.substitution / costs.denominator)
    return SoundModel(
        gold=gold,
        recogniser=recogniser,
        probabilities=weights / weights.sum(axis=1, keepdims=True),
        between=np.eye(len(recogniser) + 1)[-1],
    )
