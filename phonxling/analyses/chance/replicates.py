"""Predictions of a chance model, aligned anew and measured: one task, or some replicates of it.

Each replicate comes about from its own seed (experiment, model, replicate) alone, so that no other setting
moves it, and tasks can be done anywhere.
"""

import zlib
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import least_costs
from phonxling.alignment.shards import cells_of
from phonxling.analyses.case.costs import Costs
from phonxling.analyses.case.fitting import Aligner, fit, scored_cost
from phonxling.analyses.chance.constant_costs import constant_costs
from phonxling.analyses.chance.counted import count_aligned
from phonxling.analyses.chance.donors import Donors
from phonxling.analyses.chance.models import MODELS, constant_predictions, redrawn_errors
from phonxling.analyses.statistic import CountSettings, Statistic, draws, values
from phonxling.analyses.statistics import beside_chance
from phonxling.core.arrays import Bools, Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import Record
from phonxling.count.confusions import stack_confusions
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.weights import Resampling

_CELLS = 20_000_000  # of the full tables in a task
_SLOWER = 20  # times that averaging over alignments takes longer


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Which models, how many replicates, which seed.

    `temperature` is that of expected alignment, if any; `half` is each utterance's, for learned costs; `resampling`
    gives draws, and `counting` says how statistics read the confusions, if they are to be measured. `right` says which
    predicted phones [N] the model `errors` keeps.
    """

    models: tuple[str, ...]
    replicates: int
    seed: int
    temperature: float | None = None
    half: NDArray[np.int8] | None = None
    resampling: Resampling | None = None
    counting: CountSettings | None = None
    right: Bools | None = None

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """The statistics of the confusions that are measured."""
        if self.counting is None:
            return ()
        return beside_chance("predictions" if self.right is None else "errors")


class Redrawn(NamedTuple):
    """A corpus whose predictions are redrawn, and how they are aligned and weighed.

    `unit` are further costs, of which the least sum is wanted for the same predictions.
    """

    corpus: Corpus
    costs: Costs
    scoring: Costs
    donors: Donors | None
    settings: ChanceSettings
    unit: CostTable | None = None


class Part(NamedTuple):
    """Replicates `first` to `last` − 1 of a model; of `constant` phones by their codes."""

    model: str
    first: int
    last: int


def parts_of(model: str, redrawn: Redrawn) -> list[Part]:
    """Return a model's replicates, as many together as make a task.

    Learning costs takes as long as many alignments, so that a replicate is a task then.
    """
    corpus, settings = redrawn.corpus, redrawn.settings
    number = len(corpus.predicted.inventory) if model == "constant" else settings.replicates
    cells = int(cells_of(corpus.gold, corpus.predicted).sum()) * (1 if settings.temperature is None else _SLOWER)
    learned = not isinstance(redrawn.costs, CostTable) or not isinstance(redrawn.scoring, CostTable)
    together = 1 if learned else max(1, _CELLS // max(1, cells))
    return [Part(model, first, min(first + together, number)) for first in range(0, number, together)]


def replicates(redrawn: Redrawn, part: Part) -> Record:
    """Return what k replicates of a model came to.

    `cost` [k, U]; of random models also `drawn_cost` [k, W] and `drawn_measures` [k, M, W] of the draws that each
    replicate serves, W at most, and `measures` [k, M]; with unit costs `unit_cost` [k, U] and `drawn_unit_cost` [k, W].
    """
    if part.model == "constant":
        if (costs := _least_costs(redrawn)) is not None:
            return {"cost": constant_costs(redrawn.corpus, costs, range(part.first, part.last))}
        answers = islice(constant_predictions(redrawn.corpus.predicted), part.first, part.last)
        return {"cost": np.stack([_counted(redrawn, predictions)[0] for _, predictions in answers])}
    records = [_replicate(redrawn, part.model, number) for number in range(part.first, part.last)]
    return {name: np.stack([record[name] for record in records]) for name in records[0]}


def _least_costs(redrawn: Redrawn) -> CostTable | None:
    """Return the costs where the least sum of costs of pairs and gaps counts; None where it takes alignments."""
    costs, averaged = redrawn.costs, redrawn.settings.temperature is not None
    if not isinstance(costs, CostTable) or averaged or redrawn.scoring is not costs:
        return None
    return costs


def measured_constant(redrawn: Redrawn, code: int) -> Record:
    """Return the `measures` [M] of a constant's confusions, and `drawn_measures` [M, R]."""
    ((_, predictions),) = islice(constant_predictions(redrawn.corpus.predicted), code, code + 1)
    _, stack = _counted(redrawn, predictions)
    measures, drawn = _measures(stack, redrawn.settings.resampling, redrawn.settings)
    return {"measures": measures, "drawn_measures": drawn}


def drawn_costs(costs: list[Floats], weights: Resampling | None) -> Floats:
    """Return the total of each of k costs [U] in each bootstrap draw, [k, R]."""
    return weights.drawn_sums(*(weights.by_cluster(cost) for cost in costs)) if weights else np.zeros((len(costs), 0))


def _replicate(redrawn: Redrawn, model: str, number: int) -> Record:
    predictions, settings = _draw(model, number, redrawn), redrawn.settings
    record = replicate_record(*_counted(redrawn, predictions), number, settings)
    if redrawn.unit is None:
        return record
    cost = least_costs(redrawn.corpus.gold, predictions, redrawn.unit)
    return {**record, "unit_cost": cost, "drawn_unit_cost": _drawn_cost(cost, number, settings)}


def replicate_record(cost: Floats, stack: ConfusionStack | None, number: int, settings: ChanceSettings) -> Record:
    """Return what one replicate came to, from each utterance's cost [U] and confusions; see `replicates`."""
    weights = settings.resampling
    measures, drawn = _measures(stack, weights.share(number, settings.replicates) if weights else None, settings)
    return {
        "cost": cost,
        "drawn_cost": _drawn_cost(cost, number, settings),
        "measures": measures,
        "drawn_measures": _padded(drawn, settings),
    }


def _drawn_cost(cost: Floats, number: int, settings: ChanceSettings) -> Floats:
    """Return the total of each utterance's cost [U] in each draw that a replicate serves, [W]."""
    share = settings.resampling.share(number, settings.replicates) if settings.resampling else None
    return np.asarray(_padded(drawn_costs([cost], share), settings)[0])


def _padded(rows: Floats, settings: ChanceSettings) -> Floats:
    """Return draws [k, at most W] as [k, W], the most that a replicate serves."""
    most = -(-settings.resampling.replicates // settings.replicates) if settings.resampling else 0
    return np.pad(rows, ((0, 0), (0, most - rows.shape[1])), constant_values=np.nan)


def _draw(model: str, replicate: int, redrawn: Redrawn) -> PhoneSequences:
    key = [redrawn.settings.seed, zlib.crc32(model.encode()), replicate]
    predicted, generator = redrawn.corpus.predicted, np.random.default_rng(key)
    if redrawn.settings.right is not None:
        return redrawn_errors(predicted, generator, redrawn.settings.right)
    return MODELS[model](predicted, generator, redrawn.donors)


def _counted(redrawn: Redrawn, predictions: PhoneSequences) -> tuple[Floats, ConfusionStack | None]:
    """Return each utterance's cost [U], and its confusions if they are to be measured."""
    corpus, scoring, settings = redrawn.corpus, redrawn.scoring, redrawn.settings
    if (costs := _least_costs(redrawn)) is not None:
        if settings.counting is None:
            return least_costs(corpus.gold, predictions, costs), None
        return count_aligned(corpus.gold, predictions, costs)
    fitted = fit(redrawn.costs, corpus.gold, predictions, settings.half)
    weighed = fitted if scoring is redrawn.costs else fit(scoring, corpus.gold, predictions, settings.half)
    aligned = fitted.align(corpus.gold, predictions, Aligner(settings.temperature))
    return scored_cost(aligned, fitted, weighed), stack_confusions(aligned) if settings.counting else None


def _measures(
    stack: ConfusionStack | None, weights: Resampling | None, settings: ChanceSettings
) -> tuple[Floats, Floats]:
    """Return the M statistics of confusions, [M], and of their draws, [M, R]."""
    statistics, number = settings.statistics, weights.replicates if weights else 0
    if stack is None or settings.counting is None or settings.resampling is None:
        return np.zeros(0), np.zeros((0, number))
    clusters = cluster_cells(stack, settings.resampling, gaps=settings.counting.gaps)
    measured = np.array(list(values(statistics, stack, settings.counting, clusters).values()))
    drawn = draws(statistics, stack, weights, settings.counting) if weights else {}
    return measured, np.array(list(drawn.values())).reshape(len(statistics), number)
