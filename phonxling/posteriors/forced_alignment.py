"""Times, certainty and mean posteriors of gold phones, from posteriorgrams and a model of what the phones sound like.

A phone begins with the first frame that the best path gives it, and ends with the last (with a blank see
`share_blanks`). Its certainty is the mean, over these frames, of the probability that they are its own. An utterance is
all ways of dealing its frames out to its gold phones, in a band that is widened until it holds them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.arrays import Codes, Floats, FrozenArrays, make_read_only, places_of, sum_by
from phonxling.core.costs import cost_table
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, join_records
from phonxling.posteriors.forced_kernel import (
    add_responsibilities,
    add_to_tokens,
    best_path,
    emit_frames,
    occupy,
    token_weights,
)
from phonxling.posteriors.joint import (
    ReportFrames,
    Shard,
    check_pairs,
    cut_shards,
    refuse_utterances,
    report_frames,
    tokens_of_sums,
    without_names,
)

WIDTH = 128  # states of the first band
_TOUCHING = 1e-6  # share of the segmentations that may stand on the band's border
_BORDER = 2  # states that a path can pass in one frame
_TOKENS = 1 << 11  # of a shard: half a second or so
_SHOWN_ITEMS = 20  # utterances that cannot be used, after which no more are read


# What each state emits, whether it may be repeated, and whether it may follow the last but one.
Chain = tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]


def make_chain(place: Codes, minimum: int, *, blank: bool) -> Chain:
    """Return the states of gold phones, which emit what they are numbered by; of [0, 1], two each: 2 0 0 2 1 1 2."""
    # Each token has `minimum` states, one a frame, of which the last may be repeated. Before the first token, between
    # two, and after the last one stands a state for what is no phone (silence, blank), which may be left out.
    period = minimum + 1
    emit = np.full(len(place) * period + 1, place.max() + 1, np.int32)
    loop, skip = np.zeros(len(emit), np.uint8), np.zeros(len(emit), np.uint8)
    for state in range(1, period):
        emit[state::period] = place
    loop[::period] = loop[minimum::period] = 1
    # With a blank (CTC) two tokens of the same phone must have it between them: frames of one label in a row are one
    # phone.
    skip[1 + period :: period] = place[1:] != place[:-1] if blank else True
    return emit, loop, skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Trellis:
    """The segmentations of an utterance: shares [T, W] of the states low[t] … low[t] + W − 1 at each frame."""

    posteriors: Floats
    phones: Codes
    emit: NDArray[np.int32]
    period: int
    noise: float
    values: Floats
    low: NDArray[np.int64]
    shares: Floats
    path: NDArray[np.int32]
    log_likelihood: float

    def responsibilities(self) -> Floats:
        """Return [n + 1, E + 1]; times the model, how many frames of each emission were recognised as each column."""
        sums = np.zeros((self.values.shape[1], self.posteriors.shape[1]))
        add_responsibilities(self.posteriors, self.values, self.shares, self.emit, self.low, self.noise, sums)
        return sums

    def occupations(self) -> tuple[Codes, Floats]:
        """Return of each frame the probability that it is each token's [T, B], from the token first[t] on [T]."""
        first, band = np.zeros(len(self.low), np.int64), self.shares.shape[1] // self.period + 2
        weights = np.empty((len(self.low), band))
        token_weights(self.shares, self.low, self.period, first, weights)
        return first, weights

    def spans(self) -> tuple[Codes, Codes]:
        """Return the best path's first frame of each token, and the first after it."""
        begins = np.arange(len(self.emit) // self.period) * self.period + 1
        return self.path.searchsorted(begins), self.path.searchsorted(begins + self.period - 1)


def fill_trellis(
    posteriors: Floats,
    codes: NDArray[np.integer],
    model: Floats,
    *,
    noise: float,
    minimum: int,
    blank: bool,
    where: str,
    least_width: int = WIDTH,
) -> Trellis:
    """Return the segmentations of an utterance with these gold phones; `model` [G + 1, E + 1] as in `SoundModel`."""
    phones, place = np.unique(codes.astype(np.int64), return_inverse=True)
    chain, values = make_chain(place, minimum, blank=blank), np.empty((len(posteriors), len(phones) + 1))
    emit_frames(posteriors, np.ascontiguousarray(model[np.append(phones, -1)].T), noise, values)
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    states, first = len(chain[0]), max(least_width, 2 * _BORDER)
    # The band is made twice as wide until at no frame more than a millionth of all segmentations, and nowhere the best
    # path, stands on its outermost two states; at the last it holds all states.
    doubled = [first << step for step in range(states.bit_length()) if first << step < states]
    for width in [*doubled, states]:
        low, path = _place_band(posteriors, states, width), np.empty(len(posteriors), np.int32)
        if best_path(logs, chain, low, width, path) == -np.inf:
            continue
        # Nothing is summed before the best path is well inside: it takes a fraction of the time.
        near_low, near_high = path - low < _BORDER, path - low >= width - _BORDER
        if ((near_low & (low > 0)) | (near_high & (low + width < states))).any():
            continue
        shares = np.empty((len(posteriors), width))
        total, touched = occupy(values, chain, low, width, shares)
        if touched <= _TOUCHING:
            return Trellis(
                posteriors=posteriors,
                phones=phones,
                emit=chain[0],
                period=minimum + 1,
                noise=noise,
                values=values,
                low=low,
                shares=shares,
                path=path,
                log_likelihood=total,
            )
    raise DataError(f"{where}: no way to segment its frames has a probability above 0")


def _place_band(posteriors: Floats, states: int, width: int) -> NDArray[np.int64]:
    """Return the first state of the band at each frame, ascending from 0 to the last possible one."""
    if width == states:
        return np.zeros(len(posteriors), np.int64)
    # The mass of phones (what is neither silence nor blank), not time, says how far an utterance has come: after half
    # of it the band stands at half of the states, and pauses need none.
    spoken = posteriors[:, :-1].sum(axis=1) + 1e-3  # so that it also moves through silence
    passed = np.cumsum(spoken) - spoken / 2
    middle = passed / (passed[-1] + spoken[-1] / 2) * states
    low: NDArray[np.int64] = np.clip(np.rint(middle - width / 2), 0, states - width).astype(np.int64)
    # Paths begin in the first states and end in the last ones, wherever the mass is.
    low[0], low[-1] = 0, states - width
    return low


@dataclass(frozen=True, eq=False, kw_only=True)
class SoundModel(FrozenArrays):
    """M: what each gold phone sounds like to the recogniser, and what stands between phones, the last of `rows`.

    [G + 1, E + 1], and the last column is silence and blank, of which gold phones have nothing.
    """

    gold: Inventory
    recogniser: Inventory
    rows: Floats

    def __post_init__(self) -> None:
        make_read_only(self, rows=np.float64)

    @property
    def probabilities(self) -> Floats:
        """M(e|y) of gold phone y and recogniser's phone e, [G, E]."""
        return self.rows[:-1, :-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedRules:
    """The rules of forced alignment, each with its default; ConfigurationError if `minimum` is below 1."""

    peaks: bool = True  # whether a recogniser with a blank shows each phone as a peak between blanks
    minimum: int = 3  # least number of frames of a phone, where phones are no peaks
    noise: float = 0.01  # share of each frame's probability that any phone may have caused: no frame is impossible
    smoothing: float = 10.0  # as so many tokens does the similarity of features count in each gold phone's row of M
    sharpness: float = 20.0  # M begins as exp(−sharpness · cost), the cost being the mean difference of features
    background: float = 0.35  # share of the corpus's average posterior in what stands between phones, to begin with
    iterations: int = 20  # at most so many steps of expectation–maximisation
    tolerance: float = 1e-3  # learning stops when a step gains less than so much log-likelihood a frame (nats)

    def __post_init__(self) -> None:
        if not 1 <= self.minimum < np.inf:
            raise ConfigurationError(f"minimum: a phone lasts 1 frame at least, not {self.minimum}")


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedTimes(FrozenArrays):
    """When each gold phone was spoken, by the best path."""

    segments: PhoneSequences
    certainty: Floats
    log_likelihood: Floats


_RULES = ForcedRules()


def share_blanks(first: Codes, last: Codes, offsets: NDArray[np.int64], frames: Codes) -> tuple[Floats, Floats]:
    """Return where each token begins and ends, in frames [N], of its own frames first … last − 1."""
    lengths = np.diff(offsets)
    begin_of, end_of = np.zeros(len(first)), np.repeat(frames, lengths).astype(np.float64)
    inside = np.ones(len(first), dtype=bool)
    inside[offsets[:-1][lengths > 0]] = False  # has a token before it, in its utterance
    later = np.flatnonzero(inside)
    blanks = first[later] - last[later - 1]
    # A CTC recogniser shows a phone for a frame or two, and blanks around it. The border between two phones stands in
    # the middle of the blanks between them, but on either side of its own frames a phone reaches over no more blanks
    # than the median number of them between neighbours, in the corpus: what is beyond belongs to none, for there is
    # silence, most likely.
    reach = float(np.median(blanks)) if len(blanks) else np.inf
    begin_of[later] = end_of[later - 1] = last[later - 1] + blanks / 2
    return np.maximum(begin_of, first - reach), np.minimum(end_of, last + reach)


class SharedInputs(NamedTuple):
    """What all shards share: posteriors, the model's rows [G + 1, E + 1], rules."""

    posteriorgrams: Posteriorgrams
    rows: Floats
    rules: ForcedRules

    @property
    def blank(self) -> bool:
        """Whether phones are peaks between blanks."""
        return self.rules.peaks and self.posteriorgrams.blank is not None

    @property
    def minimum(self) -> int:
        """How many frames a phone has at least."""
        return 1 if self.blank else self.rules.minimum

    def trellis(self, utterance: str, codes: NDArray[np.integer], posteriors: Floats) -> Trellis:
        """Return the segmentations of an utterance that has phones."""
        return fill_trellis(
            posteriors,
            codes,
            self.rows,
            noise=self.rules.noise,
            minimum=self.minimum,
            blank=self.blank,
            where=self.posteriorgrams.where(utterance),
        )


def share_inputs(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, model: SoundModel, rules: ForcedRules
) -> tuple[SharedInputs, list[Shard]]:
    """Return what all shards share, and these; DataError for other utterances, or a model of another recogniser."""
    if model.recogniser != posteriorgrams.inventory:
        raise DataError(f"{posteriorgrams.source}: its phones are not those of the sound model; learn one of it")
    check_pairs(posteriorgrams, segments)
    shards = cut_shards(segments.recode(model.gold), segments.lengths + 1, _TOKENS)
    return SharedInputs(without_names(posteriorgrams), model.rows, rules), shards


def read_utterances(
    posteriorgrams: Posteriorgrams, shard: Shard
) -> Iterator[tuple[int, NDArray[np.integer], Floats, float]]:
    """Yield each utterance: its position, gold phones, frames [T, E + 1] with the rest last, and the blank's mass."""
    (segments, complete), problems = shard, list[str]()
    for place, utterance in enumerate(segments.utterances):
        codes = segments.codes[segments.offsets[place] : segments.offsets[place + 1]]
        try:
            raw = posteriorgrams.raw(utterance)
            posteriors, blank = posteriorgrams.by_phone(raw, posteriorgrams.where(utterance), rest=True)
        except DataError as error:
            problems.append(str(error))
            if len(problems) == _SHOWN_ITEMS:
                break
        else:
            yield place, codes, posteriors, blank
    refuse_utterances(problems, complete=complete)


def forced_tokens(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    model: SoundModel,
    *,
    rules: ForcedRules = _RULES,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
) -> tuple[ForcedTimes, TokenPosteriors]:
    """Return when each gold phone was spoken, by the best path, and its mean posterior over all segmentations."""
    (shared, shards), read = share_inputs(posteriorgrams, segments, model, rules), list[Record]()

    def records() -> Iterator[Record]:
        for record in work.map(align_shard, shared, shards):
            read.append({name: record[name] for name in record if name != "mass"})  # which is large, and used at once
            yield record
            report_frames(report, record["read"])

    tokens = tokens_of_sums(posteriorgrams, segments, records())
    number, utterances = len(segments.codes), len(segments)
    room: dict[str, tuple[int, DTypeLike]] = {
        "first": (number, np.int64),
        "last": (number, np.int64),
        "certainty": (number, np.float64),
        "read": (utterances, np.int64),
        "likelihood": (utterances, np.float64),
    }
    found = join_records(read, room)
    first, last, offset, shift = found["first"], found["last"], posteriorgrams.frame_offset, posteriorgrams.frame_shift
    begins, ends = share_blanks(first, last, segments.offsets, found["read"]) if shared.blank else (first, last)
    timed = replace(segments, start=offset + begins * shift, end=offset + ends * shift)
    return ForcedTimes(segments=timed, certainty=found["certainty"], log_likelihood=found["likelihood"]), tokens


def align_shard(shared: SharedInputs, shard: Shard) -> Record:
    """Return of each token `first`, `last`, `certainty`, and its `mass` and `frames` as `sum_shard` has them.

    Of each utterance `likelihood`, and the frames `read` and mass of the `blank`.
    """
    segments, phones = shard[0], len(shared.posteriorgrams.inventory)
    utterances, tokens = len(segments), len(segments.codes)
    read, (likelihood, blank) = np.zeros(utterances, np.int64), np.zeros((2, utterances))
    (first, last), certainty = np.zeros((2, tokens), np.int64), np.zeros(tokens)
    mass = np.zeros((tokens, phones))
    for place, codes, posteriors, of_blank in read_utterances(shared.posteriorgrams, shard):
        read[place] = len(posteriors)
        if not len(codes):
            continue
        run = slice(segments.offsets[place], segments.offsets[place + 1])
        found = shared.trellis(segments.utterances[place], codes, posteriors)
        likelihood[place], blank[place], (first[run], last[run]) = found.log_likelihood, of_blank, found.spans()
        begins, weights = found.occupations()
        add_to_tokens(posteriors, begins, weights, mass[run])
        # Certainty: the mean weight of a token over the best path's frames, all of which are in the band.
        lengths = last[run] - first[run]
        frames, owner = places_of(first[run], lengths), np.repeat(np.arange(len(codes)), lengths)
        own = weights[frames, owner - begins[frames]]
        certainty[run] = np.minimum(sum_by(owner, own, len(codes)) / lengths, 1.0)
    times = {"first": first, "last": last, "certainty": certainty, "likelihood": likelihood}
    return {**times, "frames": last - first, "mass": mass, "blank": blank, "read": read}


def similar_sounds(
    gold: Inventory, recogniser: Inventory, table: FeatureTable | None, sharpness: float = _RULES.sharpness
) -> SoundModel:
    """Return M(e|y) ∝ exp(−sharpness · c(y, e)), c the mean difference of features: what M is before it is learned."""
    costs = cost_table("unit" if table is None else "panphon", gold, recogniser, table)
    rows = np.zeros((len(gold) + 1, len(recogniser) + 1))
    weights = np.exp(-sharpness * costs.substitution / costs.denominator)
    rows[:-1, :-1], rows[-1, -1] = weights / weights.sum(axis=1, keepdims=True), 1.0
    return SoundModel(gold=gold, recogniser=recogniser, rows=rows)
