"""Gold times found from posteriors: how certain they are, and what gold phones sound like.

What phones sound like
----------------------
The share of a gold phone's frames that goes to the recogniser's phone e, silence and blank left out, comes about
without an alignment of symbols, so that it checks the confusion matrix, whose rows rest on one. M(e|y), by which frames
are aligned, is that share drawn towards the start; phones with few frames stay near it.
"""

from dataclasses import replace
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

# Speakers stay whole where they are known. An utterance is aligned with what the other fold taught, so that it has no
# part in the model by which its own times are found.
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
    start = similar_sounds(segments.inventory, read.inventory, table, rules.sharpness)
    fold, soft = fold_numbers(segments, _FOLDS, speakers), experiment.times.weights == "soft"
    return align_folds(read, segments, start, fold, rules=rules, soft=soft, work=work, report=report)


def align_folds(
    read: Posteriorgrams,
    segments: PhoneSequences,
    start: SoundModel,
    fold: Codes,
    *,
    rules: ForcedRules,
    soft: bool,
    work: Work = SERIAL,
    report: ReportFrames | None = None,
) -> ForcedCorpus:
    """Return the tokens of all utterances, each aligned by what the other folds teach."""
    learned = learn(read, segments, start, rules=rules, work=work)
    folds, parts = np.unique(fold), []
    for one in folds:
        inside, others, model = np.flatnonzero(fold == one), segments.select(np.flatnonzero(fold != one)), learned.model
        if len(folds) > 1:  # a single utterance has no others: its own sounds, which its row says
            model = learn(replace(read, utterances=others.utterances), others, start, rules=rules, work=work).model
        own = segments.select(inside)
        here, soft_report = replace(read, utterances=own.utterances), report if soft else None
        times, tokens = forced_tokens(here, own, model, rules=rules, work=work, report=soft_report)
        if not soft:  # the frames of the best path alone
            tokens = token_posteriors(here, times.segments, work=work, report=report)
        found = np.array([times.segments.start, times.segments.end, times.certainty])
        parts.append((tokens, segments.token_order(inside), inside, found))
    # Every token is in one fold; columns go back to the order of the corpus.
    order = np.argsort(np.concatenate([places for _, places, _, _ in parts]))
    begin, end, certainty = np.concatenate([found for *_, found in parts], axis=1)[:, order]
    tokens = in_corpus_order([part[:3] for part in parts])
    return ForcedCorpus(learned, replace(segments, start=begin, end=end), certainty, tokens, len(parts))


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
        "probability": divide(learned.counts, learned.counts.sum(axis=1, keepdims=True)).ravel(),  # NaN without frames
        "certainty": np.repeat(of_phone, len(recogniser)),
    }
    yield "sounds", pd.DataFrame(columns)
    steps = f"{len(learned.objective) - 1} steps{'' if learned.converged else ' (not converged)'}"
    alone = "not cross-fitted: learned on all utterances" * (found.folds < 2)
    mean = mean_of_tokens(certainty, segments.token_utterances(), case.token_clusters)
    yield row_of("times_certainty", mean, len(certainty), "", alone, f"sounds learned in {steps}")
