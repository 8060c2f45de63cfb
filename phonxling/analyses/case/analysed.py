"""One corpus analysed: costs, alignments, counts, chance levels. What the tables and the summary are made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.align.corpus import align_sequences
from phonxling.align.costs.named import cost_table
from phonxling.analyses.case.aligner import Aligner
from phonxling.analyses.case.costs import (
    Costs,
    Learning,
    alignment_costs,
    scores_as_aligned,
    scoring_costs,
)
from phonxling.analyses.case.fitting import Fitted, fit, fit_note, halves, learn_from, paid
from phonxling.analyses.chance.levels import ChanceLevel, ChanceSettings, chance_levels
from phonxling.analyses.chance.measures import Asked, measure_draws, measure_stack
from phonxling.analyses.information.entropy import Gaps
from phonxling.analyses.phones.draws import ConfusionDraws, Table, confusion_draws
from phonxling.core.alignment import Alignments
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.expected_alignment import Aligned
from phonxling.core.learned_costs import LearnedCosts
from phonxling.core.stack import ConfusionStack
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_confusions, count_operations, stack_confusions
from phonxling.resample.jackknife import ClusterCells, cluster_cells
from phonxling.resample.weights import Resampling, resampling
from phonxling.settings.models import Experiment

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class AnalysedCorpus:
    """Everything that was computed from the alignments of one corpus.

    Parameters
    ----------
    corpus : Corpus
        The pairs of utterances.
    costs, scoring : CostTable
        Costs that align, and costs that weigh errors; of learned ones, those learned on the whole corpus.
    fitted, weighed : Fitted
        The same for each utterance: of learned ones, those learned on the other half.
    learned : mapping of str to LearnedCosts
        How costs were learned on the whole corpus, by their use, alignment or scoring; empty for given costs.
    note : str
        What is to be said beside a rate under the scoring costs.
    aligned : Alignments or ExpectedAlignments
        The alignment in use, which everything is counted from.
    path : Alignments
        One best alignment, to be shown; the alignment in use unless that is an expected one.
    unit : Alignments
        The alignment of least unit cost, which gives the phone error rate.
    chance, unit_chance : list of ChanceLevel
        Chance levels under the costs in use (no rates for `sclite`, but information), and of the phone error rate.
    resampling : Resampling
        Bootstrap weights over speakers or utterances.
    gaps : {"exclude", "include"}
        Whether ∅ counts in entropies.
    asked : Asked, optional
        What is measured of the confusions beside chance; None: nothing.
    """

    corpus: Corpus
    costs: CostTable
    scoring: CostTable
    fitted: Fitted
    weighed: Fitted
    learned: Mapping[str, LearnedCosts] = field(default_factory=dict)
    note: str = ""
    aligned: Aligned
    path: Alignments
    unit: Alignments
    chance: list[ChanceLevel]
    unit_chance: list[ChanceLevel]
    resampling: Resampling
    gaps: Gaps = "exclude"
    asked: Asked | None = None

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """Confusion counts of the alignment in use."""
        return count_confusions(self.aligned)

    @cached_property
    def stack(self) -> ConfusionStack:
        """The same counts by utterance, for resampling."""
        return stack_confusions(self.aligned)

    @cached_property
    def clusters(self) -> ClusterCells:
        """The counts of what is resampled, speakers or utterances, with ∅ if entropies have it."""
        return cluster_cells(self.stack, self.resampling, gaps=self.gaps == "include")

    @cached_property
    def drawn(self) -> ConfusionDraws:
        """What the bootstrap replicates of the counts show."""
        similarity = self.scoring if self.scoring.as_rate and not self.weighed.learned else None
        prices, same = self.cell_costs[:-1, :-1], self.matrix.same_symbol()
        return confusion_draws(self.stack, self.resampling, Table(same, prices, self.gaps == "include", similarity))

    @cached_property
    def measures(self) -> Mapping[str, float]:
        """The measures of the confusions that stand beside chance, by name; none unless asked for."""
        return measure_stack(self.stack, self.asked) if self.asked else {}

    @cached_property
    def drawn_measures(self) -> Mapping[str, Floats]:
        """The same of each bootstrap replicate, [R] each."""
        return measure_draws(self.stack, self.resampling, self.asked) if self.asked else {}

    @cached_property
    def operations(self) -> NDArray[np.int64] | Floats:
        """Each utterance's correct, substituted, deleted, inserted phones in the alignment in use, [U, 4]."""
        return count_operations(self.aligned)

    @cached_property
    def cost(self) -> Floats:
        """Each utterance's cost under the scoring costs, [U]."""
        return paid(self.aligned, self.fitted, self.weighed)

    @cached_property
    def cell_costs(self) -> Floats:
        """What a pair of phones costs, [G + 1, P + 1], ∅ last: of learned costs the mean over the pair's tokens."""
        if len(self.weighed.tables) == 1:
            return self.scoring.with_gaps()
        counts = self.matrix.counts
        mean = self.weighed.total(self.aligned) / np.where(counts > 0, counts, 1)
        return np.where(counts > 0, mean, self.scoring.with_gaps())

    @cached_property
    def unit_cost(self) -> Floats:
        """Each utterance's least number of edits, [U]."""
        return self.unit.cost / self.unit.denominator

    @property
    def gold_tokens(self) -> Floats:
        """Each utterance's gold phones, [U]."""
        return self.corpus.gold.lengths.astype(np.float64)


def analyse(name: str, corpus: Corpus, experiment: Experiment, work: Work = SERIAL) -> AnalysedCorpus:
    """Return the analysis of one corpus under the experiment's settings.

    Raises
    ------
    DataError
        If the costs lack a pair of the corpus' phones, or are to be learned from fewer than two utterances.
    """
    phones = corpus.gold_inventory, corpus.predicted_inventory
    costs = alignment_costs(*phones, experiment)
    scoring = costs if scores_as_aligned(experiment) else scoring_costs(*phones, experiment)
    unit = cost_table("unit", *phones, None)
    spoken = experiment.uncertainty.cluster == "speaker"
    learns = any(isinstance(table, Learning) for table in (costs, scoring))
    parted = learns or len(corpus.gold) > 1
    half = halves(name, corpus, experiment.seed, by_speaker=spoken) if parted else np.zeros(len(corpus.gold), np.int8)
    fitted = fit(costs, corpus.gold, corpus.predicted, half, work)
    weighed = fitted if scoring is costs else fit(scoring, corpus.gold, corpus.predicted, half, work)
    learned = dict(_learned(corpus, costs, scoring, work))
    temperature = experiment.alignment.averaged_at
    path = fitted.path(corpus.gold, corpus.predicted, work)
    weights = resampling(
        len(corpus.gold),
        corpus.speakers if spoken else None,
        experiment.uncertainty.resamples,
        experiment.uncertainty.level,
        experiment.seed,
        experiment.uncertainty.method,
    )
    near = scoring if isinstance(scoring, CostTable) and scoring.as_rate else None
    asked = Asked(half, experiment.entropy.gaps == "include", near)
    chance = ChanceSettings(
        experiment.chance.models,
        experiment.chance.replicates,
        experiment.seed,
        half=half,
        resampling=weights,
    )
    return AnalysedCorpus(
        corpus=corpus,
        costs=costs if isinstance(costs, CostTable) else learned["alignment"].costs,
        scoring=scoring
        if isinstance(scoring, CostTable)
        else learned["alignment" if scoring is costs else "scoring"].costs,
        fitted=fitted,
        weighed=weighed,
        learned=learned,
        note=_note(fitted, weighed, corpus, by_speaker=spoken),
        aligned=path
        if temperature is None
        else fitted.align(corpus.gold, corpus.predicted, Aligner(temperature, work)),
        path=path,
        unit=align_sequences(corpus.gold, corpus.predicted, unit, work),
        chance=chance_levels(name, corpus, costs, scoring, replace(chance, temperature=temperature, asked=asked), work),
        unit_chance=chance_levels(name, corpus, unit, unit, chance, work),
        resampling=weights,
        gaps=experiment.entropy.gaps,
        asked=asked,
    )


def _learned(corpus: Corpus, costs: Costs, scoring: Costs, work: Work) -> Iterator[tuple[str, LearnedCosts]]:
    """Yield the costs learned on the whole corpus, by their use; costs of both uses once."""
    every = np.arange(len(corpus.gold))
    for use, table in {"alignment": costs, **({"scoring": scoring} if scoring is not costs else {})}.items():
        if isinstance(table, Learning):
            yield use, learn_from(table, corpus.gold, corpus.predicted, every, work)


def _note(fitted: Fitted, weighed: Fitted, corpus: Corpus, *, by_speaker: bool) -> str:
    notes = [fit_note(weighed, corpus, by_speaker=by_speaker)]
    if fitted is not weighed:
        aligning = fit_note(fitted, corpus, by_speaker=by_speaker)
        notes += [f"alignment: {aligning}"] if aligning else []
    return "; ".join(filter(None, notes))
