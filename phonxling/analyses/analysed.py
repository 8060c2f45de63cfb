"""One corpus analysed: costs, alignments, counts, chance levels. What the tables and the summary are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.alignment.costs import cost_table
from phonxling.analyses import statistics
from phonxling.analyses.chance import ChanceLevel, ChanceSettings, chance_levels
from phonxling.analyses.costs import attested, costs_in_use
from phonxling.analyses.one_to_one import halving, whole_halves
from phonxling.analyses.statistics import CountSettings, Statistic
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import Corpus, PhoneSequences, contents_of, numbered_speakers
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_confusions, count_operations, stack_confusions
from phonxling.resample.entropies import ClusterCells, cluster_cells
from phonxling.resample.intervals import Resampling, resampling
from phonxling.settings.models import Experiment


@dataclass(frozen=True, eq=False, kw_only=True)
class AnalysedCorpus:
    """Everything that was computed from the alignments of one corpus."""

    corpus: Corpus
    costs: CostTable
    aligned: Alignments
    unit_cost: Floats
    chance: list[ChanceLevel]
    unit_chance: list[ChanceLevel]
    resampling: Resampling
    counting: CountSettings
    measured: tuple[Statistic, ...]

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        return count_confusions(self.aligned)

    @cached_property
    def stack(self) -> ConfusionStack:
        """The same counts by utterance, for resampling."""
        return stack_confusions(self.aligned)

    @cached_property
    def clusters(self) -> ClusterCells:
        """The counts of what is resampled, speakers or utterances, with ∅ if entropies have it."""
        return cluster_cells(self.stack, self.resampling, gaps=self.counting.gaps)

    @cached_property
    def statistics(self) -> Mapping[str, float]:
        return statistics.values(self.measured, self.stack, self.counting, self.clusters)

    @cached_property
    def drawn(self) -> Mapping[str, Floats]:
        """The statistics of the bootstrap replicates of the confusions by key, [R] each."""
        return statistics.draws(self.measured, self.stack, self.resampling, self.counting)

    @cached_property
    def operations(self) -> NDArray[np.int64]:
        """Each utterance's correct, substituted, deleted, inserted phones, [U, 4]."""
        return count_operations(self.aligned)

    @cached_property
    def cost(self) -> Floats:
        """What each utterance's alignment costs, [U]."""
        return self.aligned.cost / self.aligned.denominator

    @property
    def gold_tokens(self) -> Floats:
        return self.corpus.gold.lengths.astype(np.float64)


def analyse(
    corpus: Corpus,
    experiment: Experiment,
    work: Work = SERIAL,
    *,
    only: Literal["rates", "information"] | None = None,
) -> AnalysedCorpus:
    """Return the analysis of one corpus under the experiment's settings.

    `only` leaves out what a score does not show: all chance levels but those of rates, or of the mutual information.
    """
    sides, phones = (corpus.gold, corpus.predicted), (corpus.gold_inventory, corpus.predicted_inventory)
    costs, unit = costs_in_use(*phones, experiment, attested(corpus)), cost_table("unit", *phones, None)
    half, dealt = np.zeros(len(corpus.gold), np.int8), None
    if len(half) > 1:
        dealt, cluster = halving(corpus, experiment.seed, by_speaker=experiment.uncertainty.cluster == "speaker")
        half = whole_halves(dealt)[cluster]
    weights = _corpus_resampling(corpus.gold, corpus.speakers, corpus.speaker_numbers, experiment)
    if experiment.uncertainty.prompts == "drawn" and weights.unit == "speaker":
        weights = replace(weights, prompts=corpus.prompt_numbers)
    counting = CountSettings(
        half,
        gaps=experiment.entropy.gaps == "include",
        halving=dealt if dealt and len(dealt.order) == weights.number else None,  # one speaker is halved by utterances
    )
    models, number = experiment.chance.models, experiment.chance.replicates
    if only == "information":  # a constant has none
        models = tuple(model for model in models if model != "constant")
    chance = ChanceSettings(models, number, experiment.seed, resampling=weights)
    every_level = {None: statistics.beside_chance(), "information": (statistics.MUTUAL_INFORMATION,)}
    keys = tuple(one.key for one in every_level.get(only, ()))
    measured = replace(chance, counting=counting if keys else None, statistics=keys)
    levels = chance_levels(corpus, measured, costs=costs, work=work)
    return AnalysedCorpus(
        corpus=corpus,
        costs=costs,
        aligned=align_sequences(*sides, costs, work),
        unit_cost=least_costs(*sides, unit, work),
        chance=levels,
        unit_chance=levels if only == "information" else chance_levels(corpus, chance, costs=unit, work=work),
        resampling=weights,
        counting=counting,
        measured=statistics.INFORMATION if only == "rates" else statistics.STATISTICS,
    )


def token_resampling(segments: PhoneSequences, analysis: AnalysedCorpus | None, experiment: Experiment) -> Resampling:
    """Return the weights of these utterances: those of the corpus' analysis where it has them all, else their own."""
    if analysis is not None:
        places = analysis.corpus.gold.places_of(segments.utterances)
        if (places >= 0).all():
            return analysis.resampling.at(places)
    speakers = segments.speakers
    numbers = None if speakers is None else numbered_speakers(speakers, contents_of(segments).tolist())
    return _corpus_resampling(segments, speakers, numbers, experiment)


def _corpus_resampling(
    gold: PhoneSequences, speakers: Sequence[str] | None, numbers: Codes | None, experiment: Experiment
) -> Resampling:
    """Return weights over speakers, of which each utterance has one by name and by number, or over utterances."""
    settings = experiment.uncertainty
    by_speaker = settings.cluster == "speaker" and speakers is not None
    return resampling(
        len(gold),
        numbers if by_speaker else None,
        resamples=settings.resamples,
        level=settings.level,
        seed=experiment.seed,
        method=settings.method,
        tokens=gold.lengths.astype(np.float64),
        names=speakers if by_speaker else gold.utterances,
        speakers_unknown=settings.cluster == "speaker" and speakers is None,
    )
