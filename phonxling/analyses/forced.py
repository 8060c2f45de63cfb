"""Gold times found from posteriors: how certain they are, and what gold phones sound like.

Cross-fitting
-------------
The utterances are split into two folds, speakers whole where they are known. Those of a fold are aligned with the sound
model that was learned on the other one, so that no utterance has a part in the model by which its own times are found.
A single utterance is aligned with the model that was learned on it. What phones sound like is learned on all
utterances.

What phones sound like
----------------------
The share of a gold phone's frames that goes to the recogniser's phone e, silence and blank left out, comes about
without an alignment of symbols, so that it checks the confusion matrix, whose rows rest on one. M(e|y), by which frames
are aligned, is that share drawn towards the start; phones with few frames stay near it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from phonxling.analyses.loaded import LoadedCorpus, features_of
from phonxling.analyses.measures import row_of
from phonxling.configuration.models import Experiment
from phonxling.core.arrays import Codes, Floats, divide
from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors, in_corpus_order
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.posteriors.forced_alignment import ForcedRules, SoundModel, forced_tokens, similar_sounds
from phonxling.posteriors.forced_learning import LearnedModel, fold_numbers, learn
from phonxling.posteriors.joint import ReportFrames, token_posteriors
from phonxling.stats.jackknife import mean_of_tokens

if TYPE_CHECKING:
    from phonxling.analyses.context import AnalysisOutput, CorpusContext

_FOLDS = 2


class ForcedCorpus(NamedTuple):
    """All N gold tokens of a corpus, aligned by the model of the other fold; `folds` says how many models there are.

    `learned` is what all utterances teach.
    """

    learned: LearnedModel
    segments: PhoneSequences
    certainty: Floats
    tokens: TokenPosteriors
    folds: int = 1


def force_corpus(
    loaded: LoadedCorpus, experiment: Experiment, work: Work = SERIAL, report: ReportFrames | None = None
) -> ForcedCorpus:
    """Return what is found by aligning a corpus' gold phones with its posteriors."""
    read, segments = loaded.posteriorgrams, loaded.segments
    if read is None or segments is None:
        raise AssertionError(f"{loaded.name} has no posteriors")
    if not len(segments.codes):
        raise DataError(f"{segments.source}: no gold phone is left in any utterance (empty, or silence alone)")
    rules = ForcedRules(minimum=experiment.times.minimum_frames)
    table = None if loaded.raw else features_of(experiment)
    speakers = segments.speakers if len(set(segments.speakers or ())) > 1 else None
    aligner = ForcedAligner(
        posteriorgrams=read,
        start=similar_sounds(segments.inventory, read.inventory, table, rules.sharpness),
        rules=rules,
        soft=experiment.times.weights == "soft",
        fold=fold_numbers(segments, _FOLDS, speakers),
        work=work,
    )
    return aligner.align(segments, report)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedAligner:
    """How a corpus is aligned with its posteriors."""

    posteriorgrams: Posteriorgrams
    start: SoundModel
    rules: ForcedRules
    soft: bool
    fold: Codes
    work: Work

    def learn(self, segments: PhoneSequences) -> LearnedModel:
        """Return what the gold phones sound like in these utterances."""
        read = replace(self.posteriorgrams, utterances=segments.utterances)
        return learn(read, segments, self.start, rules=self.rules, work=self.work)

    def align(self, segments: PhoneSequences, report: ReportFrames | None = None) -> ForcedCorpus:
        """Return the tokens of all utterances, each aligned by the model of the other folds."""
        folds, learned = np.unique(self.fold), self.learn(segments)
        if len(folds) < 2:
            return self._aligned(segments, learned, report)
        parts = []
        for fold in folds:
            inside, outside = np.flatnonzero(self.fold == fold), np.flatnonzero(self.fold != fold)
            others = self.learn(segments.select(outside))
            parts.append((inside, self._aligned(segments.select(inside), others, report)))
        return _join_tokens(learned, segments, parts)

    def _aligned(self, segments: PhoneSequences, learned: LearnedModel, report: ReportFrames | None) -> ForcedCorpus:
        read, model = replace(self.posteriorgrams, utterances=segments.utterances), learned.model
        rules, work = self.rules, self.work
        if self.soft:
            times, tokens = forced_tokens(read, segments, model, rules=rules, work=work, report=report)
        else:
            times, _ = forced_tokens(read, segments, model, rules=rules, work=work)
            tokens = token_posteriors(read, times.segments, work=work, report=report)
        return ForcedCorpus(learned, times.segments, times.certainty, tokens)


def _join_tokens(
    learned: LearnedModel, segments: PhoneSequences, parts: list[tuple[Codes, ForcedCorpus]]
) -> ForcedCorpus:
    """Return the tokens of parts of the utterances, each part with the positions of its own, in the order of all."""
    places = [segments.token_order(inside) for inside, _ in parts]
    order = np.argsort(np.concatenate(places))  # every token is in one part
    own = [(part.segments.start, part.segments.end, part.certainty) for _, part in parts]
    start, end, certainty = (np.concatenate(columns)[order] for columns in zip(*own, strict=True))
    tokens = in_corpus_order([(part.tokens, own, inside) for own, (inside, part) in zip(places, parts, strict=True)])
    return ForcedCorpus(learned, replace(segments, start=start, end=end), certainty, tokens, len(parts))


def sounds_of(learned: LearnedModel) -> Floats:
    """Return the share of each gold phone's frames that goes to each phone, [G, E]: NaN without frames."""
    return divide(learned.counts, learned.counts.sum(axis=1, keepdims=True))


def analyse_forced(case: "CorpusContext", _: object) -> "AnalysisOutput":
    """Yield the table of sounds and the certainty of times; nothing for a corpus whose gold has times of its own."""
    import pandas as pd  # the checks of a configuration need none

    found = case.forced
    if found is None:
        return
    segments, learned, certainty = found.segments, found.learned, found.certainty
    gold, recogniser = segments.inventory.phones, learned.model.recogniser.phones
    tokens = np.bincount(segments.codes, minlength=len(gold))
    of_phone = divide(np.bincount(segments.codes, weights=certainty, minlength=len(gold)), tokens)
    columns = {
        "gold": np.repeat(gold, len(recogniser)),
        "recognised": np.tile(recogniser, len(gold)),
        "probability": sounds_of(learned).ravel(),
        "certainty": np.repeat(of_phone, len(recogniser)),
    }
    yield "sounds", pd.DataFrame(columns)
    steps = f"{len(learned.objective) - 1} steps{'' if learned.converged else ' (not converged)'}"
    alone = "not cross-fitted: learned on all utterances" * (found.folds < 2)
    mean = mean_of_tokens(certainty, segments.token_utterances(), case.token_clusters)
    yield row_of("times_certainty", mean, len(certainty), "", alone, f"sounds learned in {steps}")
