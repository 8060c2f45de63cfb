"""Times, certainty and mean posteriors of gold phones, from posteriorgrams and a model of what the phones sound like.

Times
-----
Those of the best path: a phone begins with its first frame and ends with its last. Left to right, neighbours without
silence between share a border. A CTC recogniser shows a phone for a frame or two, and blanks around it. The border
between two phones then stands in the middle of the blanks between them, but on either side of its own frames a phone
reaches over no more blanks than the median number of them between neighbours, in the corpus: what is beyond belongs to
none, for there is silence, most likely.

Certainty of a phone: the mean, over the frames that the best path gives it, of the probability that they are its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.alignment.costs import cost_table
from phonxling.core.arrays import Codes, Floats, Frozen, places_of, sum_by
from phonxling.core.errors import DataError, join_problems
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, runs
from phonxling.count import tokens as summing
from phonxling.count.posteriors import tokens_of_sums
from phonxling.count.tokens import Heard, check_pairs, refuse_utterances, run_of, without_names
from phonxling.forced.kernel import add_to_tokens
from phonxling.forced.trellis import Trellis, chain_of, least_frames, trellis
from phonxling.forced.values import ForcedRules, ForcedTimes, SoundModel, Topology

_TOKENS = 1 << 11  # of a shard: half a second or so
_SHOWN = 20  # utterances that cannot be used, after which no more are read
_RULES = ForcedRules()


def shared_blanks(first: Codes, last: Codes, offsets: NDArray[np.int64], frames: Codes) -> tuple[Floats, Floats]:
    """Return where each token begins and ends, in frames [N], of its own frames first … last − 1."""
    lengths = np.diff(offsets)
    begin_of, end_of = np.zeros(len(first)), np.repeat(frames, lengths).astype(np.float64)
    inside = np.ones(len(first), dtype=bool)
    inside[offsets[:-1][lengths > 0]] = False  # has a token before it, in its utterance
    later = np.flatnonzero(inside)
    blanks = first[later] - last[later - 1]
    reach = float(np.median(blanks)) if len(blanks) else np.inf
    begin_of[later] = end_of[later - 1] = last[later - 1] + blanks / 2
    return np.maximum(begin_of, first - reach), np.minimum(end_of, last + reach)


class Reading(NamedTuple):
    """An utterance: its position in the shard, gold phones, frames [T, E + 1] with the rest last, the blank's mass."""

    place: int
    codes: NDArray[np.integer]
    heard: Floats
    blank: float


Shard = tuple[PhoneSequences, bool]  # some utterances, and whether there are no others after them


@dataclass(frozen=True, eq=False, kw_only=True)
class Hearing(Frozen):
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

    def trellis(self, utterance: str, reading: Reading) -> Trellis:
        """Return the segmentations of an utterance that has phones, and frames enough."""
        chain = chain_of(reading.codes, self.minimum, blank=self.blank)
        rows = self.rows[np.append(chain.phones, -1)]
        return trellis(reading.heard, chain, rows, self.rules.noise, where=self.posteriorgrams.where(utterance))


def hearing(posteriorgrams: Posteriorgrams, model: SoundModel, rules: ForcedRules) -> Hearing:
    """Return what all shards share; the topology is settled."""
    if model.recogniser != posteriorgrams.inventory:
        raise DataError(f"{posteriorgrams.source}: its phones are not those of the sound model; learn one of it")
    settled: Topology = "ctc" if posteriorgrams.blank is not None else "left-to-right"
    rules = replace(rules, topology=settled if rules.topology == "auto" else rules.topology)
    return Hearing(posteriorgrams=without_names(posteriorgrams), rows=model.rows(), rules=rules)


def shards_of(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> list[Shard]:
    """Return the utterances in runs that are the same for any number of workers; DataError if ids do not agree."""
    check_pairs(posteriorgrams, segments)
    parts = runs(segments.lengths + 1, _TOKENS)
    return [(run_of(segments, first, last), last == len(segments)) for first, last in parts]


def each_utterance(shared: Hearing, shard: Shard, frames: NDArray[np.int64]) -> Iterator[Reading]:
    """Yield each utterance that has phones, and frames enough for them; fill `frames` with the number of each."""
    (segments, complete), posteriorgrams, problems = shard, shared.posteriorgrams, list[str]()
    for place, utterance in enumerate(segments.utterances):
        codes = _codes(segments, place)
        try:
            raw = posteriorgrams.raw(utterance)
            heard, blank = posteriorgrams.by_phone(raw, posteriorgrams.where(utterance), rest=True)
        except DataError as error:
            problems.append(str(error))
            if len(problems) == _SHOWN:
                break
            continue
        frames[place] = len(heard)
        if len(codes) and len(heard) >= shared.least(codes):
            yield Reading(place, codes, heard, blank)
    refuse_utterances(problems, complete=complete)


def refuse_short(shared: Hearing, segments: PhoneSequences, frames: NDArray[np.int64]) -> None:
    """Raise DataError if utterances have more phones than their frames can hold: all of them, in one message."""
    short = []
    for place, (utterance, read) in enumerate(zip(segments.utterances, frames.tolist(), strict=True)):
        codes = _codes(segments, place)
        if read < (needed := shared.least(codes)):
            short.append(f"'{utterance}': {len(codes)} phones need {needed} frames, and there are {read}")
    if short:
        each = "one each, and a blank between equal ones" if shared.blank else f"{shared.minimum} each"
        headline = f"{segments.source}: {len(short)} utterances have more gold phones than frames can hold ({each}):"
        remedy = "Are gold and posteriors of the same recordings, and is the frame shift right? Else leave them out."
        raise DataError(join_problems(headline, short, remedy))


def _codes(segments: PhoneSequences, place: int) -> NDArray[np.integer]:
    return segments.codes[segments.offsets[place] : segments.offsets[place + 1]]


class Asked(NamedTuple):
    """What a shard is asked for: with `sums`, posteriors summed by token; with `decide`, those of frames' decisions."""

    shared: Hearing
    sums: bool = False
    decide: bool = False


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
    shared, shards = hearing(posteriorgrams, model, rules), shards_of(posteriorgrams, gold)
    return _times(shared, segments, list(work.map(align_shard, Asked(shared), shards)))


def forced_tokens(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    model: SoundModel,
    *,
    rules: ForcedRules = _RULES,
    work: Work = SERIAL,
    decide: bool = False,
    heard: Heard | None = None,
) -> tuple[ForcedTimes, TokenPosteriors]:
    """Return the times, and each token's mean posterior over all segmentations, in one reading."""
    gold = segments.recode(model.gold)
    shared, shards = hearing(posteriorgrams, model, rules), shards_of(posteriorgrams, gold)
    records, read = work.map(align_shard, Asked(shared, True, decide), shards), list[Record]()
    parts = _token_sums(shards, records, read, heard)
    tokens = tokens_of_sums(posteriorgrams, segments, parts, asked=summing.Asked(decisions=decide))
    return _times(shared, segments, read), tokens


def align_shard(asked: Asked, shard: Shard) -> Record:
    """Return of each token `first`, `last` and `certainty`; of each utterance `likelihood`, `frames` and `blank`."""
    segments, phones = shard[0], len(asked.shared.posteriorgrams.inventory)
    utterances, tokens = len(segments), len(segments.codes)
    frames, (likelihood, blank) = np.zeros(utterances, np.int64), np.zeros((2, utterances))
    (first, last), certainty = np.zeros((2, tokens), np.int64), np.zeros(tokens)
    mass = np.zeros((tokens, phones if asked.sums else 0))
    decided = np.zeros((tokens, phones if asked.decide else 0))
    for reading in each_utterance(asked.shared, shard, frames):
        place, run = reading.place, slice(segments.offsets[reading.place], segments.offsets[reading.place + 1])
        found = asked.shared.trellis(segments.utterances[place], reading)
        begins, weights = found.occupations()
        first[run], last[run] = found.spans()
        certainty[run] = _certainty(begins, weights, first[run], last[run])
        likelihood[place], blank[place] = found.log_likelihood, reading.blank
        if asked.sums:
            add_to_tokens(reading.heard, begins, weights, mass[run], decided[run])
    times = {"first": first, "last": last, "certainty": certainty, "likelihood": likelihood}
    return {**times, "frames": frames, "blank": blank, "mass": mass, "decided": decided}


def _certainty(begins: Codes, weights: Floats, first: Codes, last: Codes) -> Floats:
    """Return the mean weight of each token over its frames first … last − 1; the best path's frames are in the band."""
    lengths = last - first
    frames = places_of(first, lengths)
    owner = np.repeat(np.arange(len(first)), lengths)
    own = weights[frames, owner - begins[frames]]
    return np.minimum(sum_by(owner, own, len(first)) / lengths, 1.0)


def _times(shared: Hearing, segments: PhoneSequences, records: list[Record]) -> ForcedTimes:
    def of(name: str, kind: DTypeLike) -> NDArray[Any]:
        return np.concatenate([np.zeros(0, kind), *(record[name] for record in records)])

    first, last, frames = (of(name, np.int64) for name in ("first", "last", "frames"))
    refuse_short(shared, segments, frames)
    begins, ends = shared_blanks(first, last, segments.offsets, frames) if shared.blank else (first, last)
    shift, offset = shared.posteriorgrams.frame_shift, shared.posteriorgrams.frame_offset
    return ForcedTimes(
        segments=replace(segments, start=offset + begins * shift, end=offset + ends * shift),
        certainty=of("certainty", np.float64),
        log_likelihood=of("likelihood", np.float64),
        rules=shared.rules,
    )


def _token_sums(
    shards: list[Shard], records: Iterator[Record], read: list[Record], heard: Heard | None
) -> Iterator[summing.TokenSums]:
    """Yield the sums of each shard; what remains of its record is added to `read`."""
    for shard, record in zip(shards, records, strict=True):
        sums = record["mass"], record["decided"], np.zeros(0), record["last"] - record["first"]
        yield summing.TokenSums(shard[0].codes, *sums, record["blank"], record["frames"])
        read.append({name: record[name] for name in record if name not in {"mass", "decided"}})
        if heard is not None:
            for number in record["frames"].tolist():
                heard(number)


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
