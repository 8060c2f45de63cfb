"""One corpus whose gold times are found from its posteriors: what each phone sounds like, the times, and the tokens.

Cross-fitting
-------------
The utterances are dealt into folds, speakers whole where they are known. Those of a fold are aligned with the sound
model that was learned on all other folds, so that no utterance has a part in the model by which its own times are
found. The model that is shown is learned on all utterances.

Heard as
--------
A token is heard as the phone of highest mean posterior over its frames; as none when the phones' mass in its frames is
less than half of the frames that a token has at least, which makes silence, or the blank, the more probable one.

What aligning gains by itself
-----------------------------
Times that are found from posteriors are found where these suit the gold phones, so that even unrelated gold phones
seem to be heard. Each replicate gives every utterance the gold phones of other utterances, of another speaker where
speakers are known, as many as it has (see `phonxling.analyses.chance`), learns what they sound like, and aligns
them.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from phonxling.analyses.chance import Donors, donors_of, joined_predictions, texts_of
from phonxling.analyses.loaded import LoadedCorpus, features_of, forced_rules
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.corpus import Corpus
from phonxling.core.errors import DataError
from phonxling.core.means import TokenPosteriors, in_corpus_order
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.count.posteriors import Unit, joint_of_tokens, token_posteriors
from phonxling.count.tokens import Asked
from phonxling.forced.aligning import force_align, forced_tokens, similar_sounds
from phonxling.forced.learning import fold_numbers, learn
from phonxling.forced.values import ForcedRules, Learned, SoundModel
from phonxling.resample.entropies import entropy_sums, information
from phonxling.settings.models import Experiment

Heard = Callable[[int], object]


class ForcedTokens(NamedTuple):
    """All N gold tokens of a corpus, aligned by the models of the other folds."""

    segments: PhoneSequences
    certainty: Floats
    tokens: TokenPosteriors
    heard: Codes
    learned: tuple[Learned, ...]

    def certain(self, least: float) -> TokenPosteriors:
        """Return what posteriors say of the tokens that are at least so certain."""
        return self.tokens.among(self.certainty[self.tokens.places] >= least)


class Unrelated(NamedTuple):
    """One replicate: the gold phones [N] and what each was heard as [N], and the plug-in information of it all."""

    codes: Codes
    heard: Codes
    decision: float
    sampled: float
    sounds: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedCorpus:
    """A corpus whose gold times were found from its posteriors."""

    learned: Learned
    forced: ForcedTokens
    certainty: float
    unrelated: tuple[Unrelated, ...] = ()
    missing: str = ""

    @cached_property
    def tokens(self) -> TokenPosteriors:
        """What posteriors say of the tokens that are certain enough."""
        return self.forced.certain(self.certainty)

    @cached_property
    def uncertain(self) -> Codes:
        """How many tokens of each gold phone are not certain enough, [G]."""
        segments, left_out = self.forced.segments, self.forced.certainty < self.certainty
        return np.bincount(segments.codes[left_out], minlength=len(segments.inventory))


def force_corpus(
    loaded: LoadedCorpus, experiment: Experiment, work: Work = SERIAL, heard: Heard | None = None
) -> ForcedCorpus:
    """Return what is found by aligning a corpus' gold phones with its posteriors."""
    read, segments = loaded.posteriorgrams, loaded.segments
    if read is None or segments is None:
        raise AssertionError(f"{loaded.name} has no posteriors")
    if not len(segments.codes):
        raise DataError(f"{segments.source}: no gold phone is left in any utterance (empty, or silence alone)")
    settings, rules, unit = experiment.forced, forced_rules(experiment.forced), experiment.information.unit
    folds, table = min(settings.folds, len(segments)), None if loaded.raw else features_of(experiment)
    speakers = segments.speakers if len(set(segments.speakers or ())) > 1 else None
    aligner = ForcedAligner(
        posteriorgrams=read,
        start=similar_sounds(segments.inventory, read.inventory, table, rules.sharpness),
        rules=rules,
        soft=settings.weights == "soft",
        fold=fold_numbers(segments, folds, speakers) if folds > 1 else np.zeros(len(segments), np.int64),
        decide=unit == "frame",
        work=work,
    )
    learned, forced = aligner.learn(segments), aligner.align(segments, heard)
    missing, drawn = why_none(segments, settings.replicates), tuple[Unrelated, ...]()
    if not missing:
        try:
            drawn = tuple(_unrelated(segments, aligner, unit, experiment))
        except DataError:  # equal neighbours need a blank between, and the gold phones themselves have been aligned
            missing = "with their equal neighbours some need more frames than there are"
    return ForcedCorpus(
        learned=learned, forced=forced, certainty=settings.minimum_certainty, unrelated=drawn, missing=missing
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedAligner:
    """How a corpus is aligned with its posteriors, whatever its gold phones."""

    posteriorgrams: Posteriorgrams
    start: SoundModel
    rules: ForcedRules
    soft: bool
    fold: Codes
    decide: bool
    work: Work

    def learn(self, segments: PhoneSequences) -> Learned:
        """Return what the gold phones sound like in these utterances."""
        read = replace(self.posteriorgrams, utterances=segments.utterances)
        return learn(read, segments, self.start, rules=self.rules, work=self.work)

    def align(self, segments: PhoneSequences, heard: Heard | None = None) -> ForcedTokens:
        """Return the tokens of all utterances, each aligned by the model of the other folds."""
        folds = np.unique(self.fold)
        if len(folds) < 2:
            return self._aligned(segments, self.learn(segments), heard)
        parts = []
        for fold in folds:
            inside, outside = np.flatnonzero(self.fold == fold), np.flatnonzero(self.fold != fold)
            learned = self.learn(segments.select(outside))
            parts.append((inside, self._aligned(segments.select(inside), learned, heard)))
        return _together(segments, parts)

    def _aligned(self, segments: PhoneSequences, learned: Learned, heard: Heard | None) -> ForcedTokens:
        read, model, decide = replace(self.posteriorgrams, utterances=segments.utterances), learned.model, self.decide
        rules, work = self.rules, self.work
        if self.soft:
            times, tokens = forced_tokens(read, segments, model, rules=rules, work=work, decide=decide, heard=heard)
        else:
            times = force_align(read, segments, model, rules=rules, work=work)
            tokens = token_posteriors(read, times.segments, work=work, asked=Asked(decisions=decide), heard=heard)
        none, least = len(tokens.columns), 1 if times.rules.topology == "ctc" else times.rules.minimum
        heard_as = np.full(len(times.certainty), none, np.int64)
        heard_as[tokens.places] = np.where(tokens.weight < least / 2, none, tokens.hard)
        return ForcedTokens(times.segments, times.certainty, tokens, heard_as, (learned,))


def _together(segments: PhoneSequences, parts: list[tuple[Codes, ForcedTokens]]) -> ForcedTokens:
    """Return the tokens of parts of the utterances, each part with the positions of its own, in the order of all."""
    places = [segments.token_order(inside) for inside, _ in parts]
    order = np.argsort(np.concatenate(places))  # every token is in one part
    own = [(part.segments.start, part.segments.end, part.certainty, part.heard) for _, part in parts]
    start, end, certainty, heard = (np.concatenate(columns)[order] for columns in zip(*own, strict=True))
    tokens = in_corpus_order([(part.tokens, own, inside) for own, (inside, part) in zip(places, parts, strict=True)])
    learned = tuple(one for _, part in parts for one in part.learned)
    return ForcedTokens(replace(segments, start=start, end=end), certainty, tokens, heard, learned)


def _unrelated(
    segments: PhoneSequences, aligner: ForcedAligner, unit: Unit, experiment: Experiment
) -> Iterator[Unrelated]:
    """Yield the replicates of unrelated gold phones; DataError where they cannot be aligned."""
    donors = gold_donors(segments)
    for replicate in range(experiment.forced.replicates):
        key = [experiment.seed, zlib.crc32(b"unrelated"), replicate]
        codes = joined_predictions(segments, donors, np.random.default_rng(key)).astype(np.int64)
        forced = aligner.align(replace(segments, codes=codes))
        informed = *plug_in(forced.certain(experiment.forced.minimum_certainty), unit), sound_information(forced)
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


def plug_in(tokens: TokenPosteriors, unit: Unit) -> tuple[float, float]:
    """Return the plug-in I(Y;E) of the most probable phones, and of phones drawn from the posteriors, in bits."""
    masses = (joint_of_tokens(tokens, unit, hard=hard).mass for hard in (True, False))
    decision, sampled = (float(information(entropy_sums(mass))["mutual_information"]) for mass in masses)
    return decision, sampled


def sounds_of(learned: Learned) -> Floats:
    """Return the share of each gold phone's frames that is heard as each phone, [G, E]: NaN without frames."""
    return divided(learned.counts, learned.counts.sum(axis=1, keepdims=True))


def sound_information(forced: ForcedTokens) -> float:
    """Return I(Y;E) in bits of gold phones that sound as was learned, the mean over the folds."""
    codes, size = forced.segments.codes, len(forced.segments.inventory)
    tokens = np.bincount(codes, minlength=size)[:, None]
    sums = [entropy_sums(np.nan_to_num(sounds_of(learned)) * tokens) for learned in forced.learned]
    return float(np.mean([information(one)["mutual_information"] for one in sums]))
