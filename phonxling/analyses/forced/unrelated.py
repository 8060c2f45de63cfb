"""What aligning gains by itself: gold phones that were not said, aligned with the same posteriors, all learned anew.

Times that are found from posteriors are found where these suit the gold phones, so that even unrelated gold phones
seem to be heard. Each replicate gives every utterance the gold phones of other utterances, of another speaker where
speakers are known, as many as it has (see `phonxling.analyses.chance.donors`), learns what they sound like, and aligns
them.
"""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from phonxling.analyses.chance.donors import Donors, donors_of, joined_predictions, texts_of
from phonxling.analyses.forced.corpus import Aligner, plug_in, sound_information
from phonxling.core.arrays import Codes
from phonxling.core.corpus import Corpus
from phonxling.core.sequences import PhoneSequences
from phonxling.count.posteriors import Unit


class Unrelated(NamedTuple):
    """One replicate: the gold phones [N] and what each was heard as [N], and the plug-in information of it all."""

    codes: Codes
    heard: Codes
    decision: float
    sampled: float
    sounds: float


def unrelated(
    segments: PhoneSequences, aligner: Aligner, *, unit: Unit, certainty: float, replicates: int, seed: int
) -> Iterator[Unrelated]:
    """Yield the replicates; `certainty` is the least of a token that counts. DataError where they cannot be aligned."""
    donors = gold_donors(segments)
    for replicate in range(replicates):
        key = [seed, zlib.crc32(b"unrelated"), replicate]
        codes = joined_predictions(segments, donors, np.random.default_rng(key)).astype(np.int64)
        forced = aligner.align(replace(segments, codes=codes))
        informed = *plug_in(forced.certain(certainty), unit), sound_information(forced)
        yield Unrelated(codes, forced.heard, *informed)


def gold_donors(segments: PhoneSequences) -> Donors:
    """Return whose gold phones may stand for whose."""
    gold = replace(segments, start=None, end=None, tones=None, after=None)
    return donors_of(Corpus(gold=gold, predicted=gold, speakers=segments.speakers), texts_of(gold))


def why_none(segments: PhoneSequences, replicates: int) -> str:
    """Return why there are no unrelated gold phones, "" where there are."""
    if not replicates:
        return "none were asked for"
    donors = gold_donors(segments)
    if (donors.number[segments.lengths > 0] > 0).all():
        return ""
    speaker = " of another speaker" * donors.by_speaker
    return f"not every utterance has another one{speaker} with other gold phones"
