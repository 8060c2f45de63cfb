"""Times, certainty and mean posteriors of gold phones, from posteriorgrams and a model of what the phones sound like.

Times
-----
Those of the best path: a phone begins with its first frame and ends with its last. Left to right, neighbours without
silence between share a border. With a blank (CTC) a recogniser shows a phone for a frame or two, and blanks around it;
these blanks are shared, see `sharing`.

Certainty
---------
Of a phone: the mean, over the frames that the best path gives it, of the probability that the frame is the phone's.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.core.arrays import Floats, offsets_of, sum_by
from phonxling.core.means import TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count import tokens as summing
from phonxling.count.posteriors import tokens_of_sums
from phonxling.count.tokens import Heard, run_of
from phonxling.forced.kernel import add_to_tokens
from phonxling.forced.shards import Hearing, Shard, each_utterance, hearing, refuse_short, shards_of
from phonxling.forced.sharing import shared_blanks
from phonxling.forced.values import ForcedRules, ForcedTimes, Occupations, SoundModel

_RULES = ForcedRules()


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
    """Return when each gold phone was spoken, by the best path, and how certain that is.

    Parameters
    ----------
    posteriorgrams : Posteriorgrams
        Of the same utterances.
    segments : PhoneSequences
        Gold phones; times that they have are not used.
    model : SoundModel
        What they sound like, see `learn`.
    rules : ForcedRules
        Topology, minimum and noise; the others are of learning.
    work : Work
        Who does it.

    Raises
    ------
    DataError
        As for `learn`.
    """
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
    """Return the times, and each token's mean posterior over all segmentations, in one reading.

    A frame counts for a token by the probability that it is the token's, times its mass outside silence and blank. For
    mean posteriors over the best path's frames, hand the times' segments to `token_posteriors`. Parameters and errors
    are those of `force_align` and of `token_posteriors`.
    """
    gold = segments.recode(model.gold)
    shared, shards = hearing(posteriorgrams, model, rules), shards_of(posteriorgrams, gold)
    records, read = work.map(align_shard, Asked(shared, True, decide), shards), list[Record]()
    parts = _token_sums(shards, records, read, heard)
    tokens = tokens_of_sums(posteriorgrams, segments, parts, asked=summing.Asked(decisions=decide))
    return _times(shared, segments, read), tokens


def occupations(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    utterance: str,
    model: SoundModel,
    *,
    rules: ForcedRules = _RULES,
) -> Occupations:
    """Return the probability that each frame of an utterance is each of its gold phones'; errors as `force_align`."""
    place = segments.utterances.index(utterance)
    only = run_of(segments.recode(model.gold), place, place + 1)
    shared, frames = hearing(posteriorgrams, model, rules), np.zeros(1, np.int64)
    readings = list(each_utterance(shared, Shard(only, True), frames))
    refuse_short(shared, only, frames)
    if not readings:
        return Occupations(first=np.zeros(frames[0], np.int64), weights=np.zeros((frames[0], 0)))
    return shared.trellis(utterance, readings[0]).occupations()


def align_shard(asked: Asked, shard: Shard) -> Record:
    """Return of each token `first`, `last` and `certainty`; of each utterance `likelihood`, `frames` and `blank`.

    Where sums are asked for, also `mass` and `decided` of each token, see `TokenSums`.
    """
    segments, phones = shard.segments, len(asked.shared.posteriorgrams.inventory)
    utterances, tokens = len(segments), len(segments.codes)
    frames, likelihood, blank = np.zeros(utterances, np.int64), np.zeros(utterances), np.zeros(utterances)
    first, last, certainty = np.zeros(tokens, np.int64), np.zeros(tokens, np.int64), np.zeros(tokens)
    mass = np.zeros((tokens, phones if asked.sums else 0))
    decided = np.zeros((tokens, phones if asked.decide else 0))
    for reading in each_utterance(asked.shared, shard, frames):
        place, run = reading.place, slice(segments.offsets[reading.place], segments.offsets[reading.place + 1])
        found = asked.shared.trellis(segments.utterances[place], reading)
        weights = found.occupations()
        first[run], last[run] = found.spans()
        certainty[run] = _certainty(weights, first[run], last[run])
        likelihood[place], blank[place] = found.log_likelihood, reading.blank
        if asked.sums:
            add_to_tokens(reading.heard, weights.first, weights.weights, mass[run], decided[run])
    times = {"first": first, "last": last, "certainty": certainty, "likelihood": likelihood}
    return {**times, "frames": frames, "blank": blank, "mass": mass, "decided": decided}


def _certainty(found: Occupations, first: NDArray[np.int64], last: NDArray[np.int64]) -> Floats:
    """Return the mean weight of each token over its frames first … last − 1; the best path's frames are in the band."""
    lengths = last - first
    frames = np.repeat(first - offsets_of(lengths)[:-1], lengths) + np.arange(lengths.sum())
    owner = np.repeat(np.arange(len(first)), lengths)
    weights = found.weights[frames, owner - found.first[frames]]
    return np.minimum(sum_by(owner, weights, len(first)) / lengths, 1.0)


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
        yield summing.TokenSums(shard.segments.codes, *sums, record["blank"], record["frames"])
        read.append({name: record[name] for name in record if name not in {"mass", "decided"}})
        if heard is not None:
            for number in record["frames"].tolist():
                heard(number)
