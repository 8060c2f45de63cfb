"""One corpus analysed: costs, alignments, counts, chance levels. What the tables and the summary are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.analyses import statistics
from phonxling.analyses.chance import ChanceLevel, ChanceSettings, chance_levels, errors_over_clusters
from phonxling.analyses.costs import attested, costs_in_use
from phonxling.analyses.statistics import CountSettings, Measured, Statistic, halves_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.sequences import Corpus, PhoneSequences, contents_of, numbered_speakers
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_confusions, count_operations, stack_confusions
from phonxling.resample.jackknife import Clusters, clusters_of
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
    clusters: Clusters
    counting: CountSettings
    statistics: tuple[Statistic, ...]

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        return count_confusions(self.aligned)

    @cached_property
    def stack(self) -> ConfusionStack:
        """The same counts by utterance, of which clusters are left out."""
        return stack_confusions(self.aligned)

    @cached_property
    def measured(self) -> Mapping[str, Measured]:
        """The statistics of the confusions by name, with their values without each group of clusters."""
        return statistics.measured(self.statistics, self.stack, self.clusters, self.counting)

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

    @property
    def entropy_shape(self) -> tuple[int, int]:
        """How many symbols entropies may have on either side."""
        gaps = int(self.counting.gaps)
        return len(self.stack.gold) + gaps, len(self.stack.predicted) + gaps


def analyse(
    corpus: Corpus,
    experiment: Experiment,
    work: Work = SERIAL,
    *,
    only: Literal["rates", "information"] | None = None,
) -> AnalysedCorpus:
    """Return the analysis of one corpus under the experiment's settings.

    `only` leaves out what a score does not show: chance levels of statistics (`rates`), or of PER (`information`).
    """
    sides, phones = (corpus.gold, corpus.predicted), (corpus.gold_inventory, corpus.predicted_inventory)
    costs, unit = costs_in_use(*phones, experiment, attested(corpus)), cost_table("unit", *phones, None)
    clusters = _corpus_clusters(corpus.gold, corpus.speakers, corpus.speaker_numbers, experiment, corpus)
    half = np.zeros(len(corpus.gold), np.int8)
    if len(half) > 1:
        half = halves_of(corpus, experiment.seed, by_speaker=clusters.unit == "speaker")
    counting = CountSettings(half, gaps=experiment.entropy.gaps == "include")
    aligned, unit_cost = align_sequences(*sides, costs, work), least_costs(*sides, unit, work)
    beside = () if only == "rates" else statistics.beside_chance()
    found = AnalysedCorpus(
        corpus=corpus,
        costs=costs,
        aligned=aligned,
        unit_cost=unit_cost,
        chance=[],
        unit_chance=[],
        clusters=clusters,
        counting=counting,
        statistics=statistics.INFORMATION if only == "rates" else statistics.STATISTICS,
    )
    tokens, drawn = found.gold_tokens, experiment.chance

    def chance(cost: Floats, weighing: CostTable, names: Sequence[str]) -> list[ChanceLevel]:
        errors = errors_over_clusters(cost, tokens, clusters, [found.measured[name] for name in names])
        counted = counting if names else None
        settings = ChanceSettings(
            drawn.models, drawn.replicates, experiment.seed, clusters, errors, counted, tuple(names)
        )
        return chance_levels(corpus, settings, costs=weighing, work=work)

    levels = chance(found.cost, costs, [one.name for one in beside])
    return replace(found, chance=levels, unit_chance=levels if only == "information" else chance(unit_cost, unit, []))


def token_clusters(segments: PhoneSequences, analysis: AnalysedCorpus | None, experiment: Experiment) -> Clusters:
    """Return the clusters of these utterances: those of the corpus' analysis where it has them all, else their own."""
    if analysis is not None:
        places = analysis.corpus.gold.places_of(segments.utterances)
        if (places >= 0).all():
            return analysis.clusters.at(places)
    speakers = segments.speakers
    numbers = None if speakers is None else numbered_speakers(speakers, contents_of(segments).tolist())
    return _corpus_clusters(segments, speakers, numbers, experiment)


def _corpus_clusters(
    gold: PhoneSequences,
    speakers: Sequence[str] | None,
    numbers: Codes | None,
    experiment: Experiment,
    corpus: Corpus | None = None,
) -> Clusters:
    """Return what is left out: speakers, of which each utterance has one by name and by number, or utterances."""
    settings = experiment.uncertainty
    drawn = settings.prompts == "drawn" and corpus is not None
    return clusters_of(
        gold.lengths.astype(np.float64),
        numbers,
        cluster=settings.cluster,
        level=settings.level,
        names=speakers or gold.utterances,
        utterances=gold.utterances,
        prompts=corpus.prompt_numbers if drawn and corpus else None,
        rank=contents_of(gold).argsort(kind="stable").argsort(),
    )
