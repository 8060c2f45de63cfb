"""Utterances and their posteriors, a shard at a time: read one after the other, and checked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, Frozen
from phonxling.core.errors import DataError, join_problems
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import runs
from phonxling.count.shard_sums import refuse_utterances
from phonxling.count.tokens import check_pairs, run_of
from phonxling.forced.chain import chain_of, least_frames
from phonxling.forced.trellis import Trellis, trellis
from phonxling.forced.values import ForcedRules, SoundModel, Topology

_TOKENS = 1 << 11  # of a shard: half a second or so
_SHOWN = 20  # utterances that cannot be used, after which no more are read


class Reading(NamedTuple):
    """An utterance: its position in the shard, gold phones, frames [T, E + 1] with the rest last, the blank's mass."""

    place: int
    codes: NDArray[np.integer]
    heard: Floats
    blank: float


class Shard(NamedTuple):
    """Some utterances, and whether there are no others after them."""

    segments: PhoneSequences
    last: bool


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
        """Least number of frames of a phone."""
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
    """Return what all shards share; the topology is settled.

    Raises
    ------
    DataError
        If the model is not of the recogniser's phones.
    """
    if model.recogniser != posteriorgrams.inventory:
        raise DataError(f"{posteriorgrams.source}: its phones are not those of the sound model; learn one of it")
    settled: Topology = "ctc" if posteriorgrams.blank is not None else "left-to-right"
    topology = settled if rules.topology == "auto" else rules.topology
    return Hearing(
        posteriorgrams=replace(posteriorgrams, utterances=()),
        rows=model.rows(),
        rules=replace(rules, topology=topology),
    )


def shards_of(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> list[Shard]:
    """Return the utterances in runs that are the same for any number of workers; DataError if ids do not agree."""
    check_pairs(posteriorgrams, segments)
    parts = runs(segments.lengths + 1, _TOKENS)
    return [Shard(run_of(segments, first, last), last == len(segments)) for first, last in parts]


def each_utterance(shared: Hearing, shard: Shard, frames: NDArray[np.int64]) -> Iterator[Reading]:
    """Yield each utterance that has phones, and frames enough for them; fill `frames` with the number of each.

    DataError, at the end, when frames are no probabilities.
    """
    posteriorgrams, problems = shared.posteriorgrams, list[str]()
    for place, utterance in enumerate(shard.segments.utterances):
        codes = _codes(shard.segments, place)
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
    refuse_utterances(problems, complete=shard.last)


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
