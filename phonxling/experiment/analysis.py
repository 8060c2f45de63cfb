"""One corpus analysed: costs, alignments, counts, chance levels. What the tables and the summary are made of."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.core.alignment import Alignments
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.expected_alignment import Aligned
from phonxling.core.inventory import Inventory
from phonxling.count.confusions import count_confusions, count_operations
from phonxling.experiment.aligner import Aligner, paid
from phonxling.experiment.chance import ChanceLevel, ChanceSettings, chance_levels
from phonxling.experiment.configuration.models import Experiment
from phonxling.experiment.feature_table import features_of
from phonxling.measure.resample import Resampling, resampling

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis:
    """Everything that was computed from the alignments of one corpus.

    Parameters
    ----------
    corpus : Corpus
        The pairs of utterances.
    costs, scoring : CostTable
        Costs that align, and costs that weigh errors.
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
    """

    corpus: Corpus
    costs: CostTable
    scoring: CostTable
    aligned: Aligned
    path: Alignments
    unit: Alignments
    chance: list[ChanceLevel]
    unit_chance: list[ChanceLevel]
    resampling: Resampling

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """Confusion counts of the alignment in use."""
        return count_confusions(self.aligned)

    @cached_property
    def operations(self) -> NDArray[np.int64] | Floats:
        """Each utterance's correct, substituted, deleted, inserted phones in the alignment in use, [U, 4]."""
        return count_operations(self.aligned)

    @cached_property
    def cost(self) -> Floats:
        """Each utterance's cost under the scoring costs, [U]."""
        return paid(self.aligned, self.costs, self.scoring)

    @cached_property
    def unit_cost(self) -> Floats:
        """Each utterance's least number of edits, [U]."""
        return self.unit.cost / self.unit.denominator

    @property
    def gold_tokens(self) -> Floats:
        """Each utterance's gold phones, [U]."""
        return self.corpus.gold.lengths.astype(np.float64)


def analyse(name: str, corpus: Corpus, experiment: Experiment, workers: int = 1) -> Analysis:
    """Return the analysis of one corpus under the experiment's settings."""
    phones = corpus.gold_inventory, corpus.predicted_inventory
    costs = alignment_costs(*phones, experiment)
    scoring = costs if _scores_as_aligned(experiment) else scoring_costs(*phones, experiment)
    unit = cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None)
    chance = ChanceSettings(experiment.chance.models, experiment.chance.replicates, experiment.seed, workers)
    temperature = experiment.alignment.averaged_at
    path = align_sequences(corpus.gold, corpus.predicted, costs, workers)
    spoken = experiment.uncertainty.cluster == "speaker"
    return Analysis(
        corpus=corpus,
        costs=costs,
        scoring=scoring,
        aligned=path if temperature is None else Aligner(temperature, workers)(corpus.gold, corpus.predicted, costs),
        path=path,
        unit=align_sequences(corpus.gold, corpus.predicted, unit, workers),
        chance=chance_levels(name, corpus, costs, scoring, replace(chance, temperature=temperature)),
        unit_chance=chance_levels(name, corpus, unit, unit, chance),
        resampling=resampling(
            len(corpus.gold),
            corpus.speakers if spoken else None,
            experiment.uncertainty.resamples,
            experiment.uncertainty.level,
            experiment.seed,
        ),
    )


def alignment_costs(gold: Inventory, predicted: Inventory, experiment: Experiment) -> CostTable:
    """Return the costs that align."""
    chosen = experiment.alignment
    return cost_table(
        chosen.costs,
        gold,
        predicted,
        features_of(experiment),
        insertion=None if chosen.insertion == "auto" else chosen.insertion,
        deletion=None if chosen.deletion == "auto" else chosen.deletion,
        ties=None if chosen.ties == "auto" else chosen.ties,
    )


def scoring_costs(gold: Inventory, predicted: Inventory, experiment: Experiment) -> CostTable:
    """Return the costs that weigh errors; `same` takes the alignment's setting, and its `auto` follows these costs."""
    align, score = experiment.alignment, experiment.scoring
    chosen = {side: getattr(score, side) for side in ("insertion", "deletion")}
    settings = {side: getattr(align, side) if gap == "same" else gap for side, gap in chosen.items()}
    return cost_table(
        align.costs if score.costs == "same" else score.costs,
        gold,
        predicted,
        features_of(experiment),
        **{side: None if gap == "auto" else gap for side, gap in settings.items()},
    )


def _scores_as_aligned(experiment: Experiment) -> bool:
    score = experiment.scoring
    return {score.costs, score.insertion, score.deletion} == {"same"}


def rate_by_gap(corpus: Corpus, experiment: Experiment, workers: int = 1) -> list[tuple[float, float]]:
    """Return (gap cost, pooled wPER) for several gap costs under the experiment's substitution costs.

    The weighted rate depends strongly on what a gap costs, which is a convention; empty when costs are not phonetic.
    """
    name = experiment.alignment.costs
    if not is_feature_cost(name):
        return []
    found = []
    aligner = Aligner(experiment.alignment.averaged_at, workers)
    for gap in (0.25, 0.5, 0.75, 1.0):
        table = cost_table(
            name,
            corpus.gold_inventory,
            corpus.predicted_inventory,
            features_of(experiment),
            insertion=gap,
            deletion=gap,
        )
        total = aligner(corpus.gold, corpus.predicted, table).cost.sum()
        found.append((gap, float(total) / table.denominator / float(corpus.gold.lengths.sum())))
    return found
