"""Chance levels of a corpus: each model's predictions, aligned anew under the costs in question.

Bootstrap draw r takes the model's replicate r mod K under the corpus' own weights, so that an interval holds both the
choice of utterances and the randomness of the model. Of each replicate only its draws are kept, never its counts.
Replicates are shards, whose results are added up in their order. Each comes about from its own seed (experiment, model,
replicate) alone, so that no other setting moves it, and tasks can be done anywhere.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import cells_of, least_costs
from phonxling.analyses import chance
from phonxling.analyses.fitting import Costs, fit, scored_cost
from phonxling.analyses.statistics import CountSettings, draws, keyed, values
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.confusions import stack_confusions
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import Resampling

_CELLS = 20_000_000  # cells of the full tables in a task
_SLOWER = 20  # times that averaging over alignments takes longer
_CANDIDATES = 4  # constants, at least, among which the best is chosen anew in each bootstrap draw
_NUMBERS = 4_000_000  # utterances times candidates that are kept


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Models, replicates, seed, what is measured of confusions; `right`: which predictions `errors` leaves alone."""

    models: tuple[str, ...]
    replicates: int
    seed: int
    temperature: float | None = None
    half: NDArray[np.int8] | None = None
    resampling: Resampling | None = None
    counting: CountSettings | None = None
    statistics: tuple[str, ...] = ()  # by their keys: what holds functions cannot be kept for a next run
    right: Bools | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table."""

    model: str
    rates: Floats = field(default_factory=lambda: np.zeros(0))
    cost: Floats = field(default_factory=lambda: np.zeros(0))
    first: Floats = field(default_factory=lambda: np.zeros(0))
    drawn_cost: Floats = field(default_factory=lambda: np.zeros(0))
    measures: Mapping[str, Floats] = field(default_factory=dict)
    drawn_measures: Mapping[str, Floats] = field(default_factory=dict)
    phone: str = ""
    missing: str = ""

    @property
    def rate(self) -> float:
        """Mean rate over replicates; NaN when there is none."""
        return float(self.rates.mean()) if len(self.rates) else float("nan")


def best(levels: Iterable[ChanceLevel]) -> ChanceLevel | None:
    """Return the level with the lowest rate; None when there is none."""
    return min((level for level in levels if len(level.rates)), key=lambda level: level.rate, default=None)


def chance_levels(
    corpus: Corpus,
    settings: ChanceSettings,
    *,
    costs: Costs,
    scoring: Costs | None = None,
    texts: Codes | None = None,
    work: Work = SERIAL,
) -> list[ChanceLevel]:
    """Return the level of each model, for predictions aligned under `costs` and weighed by `scoring`, or by `costs`."""
    gold, predicted = (  # without what redrawing and aligning have no use for
        PhoneSequences(utterances=side.utterances, offsets=side.offsets, codes=side.codes, inventory=side.inventory)
        for side in (corpus.gold, corpus.predicted)
    )
    donors, missing = None, "" if len(predicted.codes) else "there are no predictions to redraw"
    if "shuffled" in settings.models:
        donors = chance.donors_of(corpus, chance.texts_of(gold) if texts is None else texts)
    weighing = costs if scoring is None else scoring
    redrawn = _Redrawn(Corpus(gold=gold, predicted=predicted), costs, weighing, donors, settings)
    levels, parts = dict[str, ChanceLevel](), list[_Part]()
    for model in settings.models:
        if why := missing or (donors.missing(predicted) if donors and model == "shuffled" else ""):
            levels[model] = ChanceLevel(model=model, missing=why)
        else:
            parts += _parts(model, redrawn)
    if settings.resampling:
        settings.resampling.draw()  # once, not by each replicate
    records = zip(parts, work.map(replicates, redrawn, parts), strict=True)
    for model, own in groupby(records, key=lambda pair: pair[0][0]):
        if model == "constant":
            levels[model] = _constant(own, redrawn)
        else:
            levels[model] = level_of_replicates(model, (record for _, record in own), corpus, settings)
    return [levels[model] for model in settings.models]


class _Redrawn(NamedTuple):
    """A corpus whose predictions are redrawn, and how they are aligned and weighed."""

    corpus: Corpus
    costs: Costs
    scoring: Costs
    donors: chance.Donors | None
    settings: ChanceSettings


_Part: TypeAlias = tuple[str, int, int]  # a model, and its replicates from one to before another; phones of `constant`


def _parts(model: str, redrawn: _Redrawn) -> list[_Part]:
    """Return a model's replicates, as many together as make a task."""
    corpus, settings = redrawn.corpus, redrawn.settings
    number = len(corpus.predicted.inventory) if model == "constant" else settings.replicates
    cells = int(cells_of(corpus.gold, corpus.predicted).sum()) * (1 if settings.temperature is None else _SLOWER)
    learned = not isinstance(redrawn.costs, CostTable) or not isinstance(redrawn.scoring, CostTable)
    together = 1 if learned else max(1, _CELLS // max(1, cells))
    return [(model, first, min(first + together, number)) for first in range(0, number, together)]


def replicates(redrawn: _Redrawn, part: _Part) -> Record:
    """Return what k replicates of a model came to, [k, ...] each."""
    corpus, settings, (model, first, last), records = redrawn.corpus, redrawn.settings, part, []
    if model == "constant":
        if (costs := _least_costs(redrawn)) is not None:
            return {"cost": chance.constant_costs(corpus, costs, range(first, last))}
        answers = (chance.constant_prediction(corpus.predicted, code) for code in range(first, last))
        return {"cost": np.stack([_counted(redrawn, predictions)[0] for predictions in answers])}
    for number in range(first, last):
        generator = np.random.default_rng([settings.seed, zlib.crc32(model.encode()), number])
        if settings.right is not None:
            predictions = chance.redrawn_errors(corpus.predicted, generator, settings.right)
        elif model == "shuffled" and redrawn.donors is not None:
            predictions = chance.shuffled_predictions(corpus.predicted, generator, redrawn.donors)
        else:
            predictions = chance.MODELS[model](corpus.predicted, generator)
        records.append(replicate_record(*_counted(redrawn, predictions), number, settings))
    return {name: np.concatenate([record[name] for record in records]) for name in records[0]}


def replicate_record(cost: Floats, stack: ConfusionStack | None, number: int, settings: ChanceSettings) -> Record:
    """Return a replicate's statistics, [1, M], and its cost [1, W] and statistics [1, M, W] in the draws it serves."""
    weights, of = settings.resampling, settings.replicates
    share = weights.share(number, of) if weights else None
    measures, drawn = _measures(stack, share, settings)
    rows = np.concatenate([_drawn_costs([cost], share), drawn])
    most = -(-weights.replicates // of) if weights else 0
    rows = np.pad(rows, ((0, 0), (0, most - rows.shape[1])), constant_values=np.nan)
    return {"cost": cost[None], "measures": measures[None], "drawn_cost": rows[:1], "drawn_measures": rows[None, 1:]}


def level_of_replicates(model: str, records: Iterable[Record], corpus: Corpus, settings: ChanceSettings) -> ChanceLevel:
    """Return the level of a random model from its replicates, of which blocks come one after the other."""
    number = settings.resampling.replicates if settings.resampling else 0
    blocks, sums, mean, first = [], list[float](), np.zeros(0), np.zeros(0)
    for record in records:  # the costs of all replicates of a million utterances would take a gigabyte
        blocks.append([record[name] for name in ("measures", "drawn_cost", "drawn_measures")])
        for cost in record["cost"]:
            first = first if sums else cost
            mean = (mean if sums else 0.0) + cost / settings.replicates
            sums.append(cost.sum())
    measures, drawn_cost, drawn = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    drawn = np.moveaxis(drawn, 0, -1)  # draw r: of replicate r mod K
    return ChanceLevel(
        model=model,
        rates=np.array(sums) / corpus.gold.lengths.sum(),
        cost=mean,
        first=first,
        drawn_cost=drawn_cost.T.ravel()[:number],
        measures=dict(zip(settings.statistics, measures.T.copy(), strict=True)),
        drawn_measures={key: own.ravel()[:number] for key, own in zip(settings.statistics, drawn, strict=True)},
    )


def _constant(parts: Iterable[tuple[_Part, Record]], redrawn: _Redrawn) -> ChanceLevel:
    """Return the level of the best constant: of all phones on the corpus, of the best few anew in each draw."""
    settings, corpus, constants = redrawn.settings, redrawn.corpus, list[tuple[float, int, Floats]]()
    number = max(_CANDIDATES, _NUMBERS // max(1, len(corpus.gold)))
    for (_, first, _), record in parts:  # of equal ones the first comes first
        constants += [(float(cost.sum()), code, cost) for code, cost in enumerate(record["cost"], first)]
        constants = sorted(constants, key=lambda constant: constant[0])[:number]
    (total, code, cost), measures, drawn = constants[0], {}, {}
    if keys := settings.statistics:
        _, stack = _counted(redrawn, chance.constant_prediction(corpus.predicted, code))
        measured = _measures(stack, settings.resampling, settings)
        measures, drawn = (dict(zip(keys, of, strict=True)) for of in (measured[0][:, None], measured[1]))
    return ChanceLevel(
        model="constant",
        rates=np.array([total / corpus.gold.lengths.sum()]),
        cost=cost,
        first=cost,
        drawn_cost=_drawn_costs([cost for _, _, cost in constants], settings.resampling).min(axis=0),
        measures=measures,
        drawn_measures=drawn,
        phone=corpus.predicted.inventory.phones[code],
    )


def _least_costs(redrawn: _Redrawn) -> CostTable | None:
    """Return the costs where the least sum of costs of pairs and gaps counts; None where it takes alignments."""
    costs, averaged = redrawn.costs, redrawn.settings.temperature is not None
    return costs if isinstance(costs, CostTable) and redrawn.scoring is costs and not averaged else None


def _counted(redrawn: _Redrawn, predictions: PhoneSequences) -> tuple[Floats, ConfusionStack | None]:
    """Return each utterance's cost [U], and its confusions if they are to be measured."""
    gold, scoring, settings = redrawn.corpus.gold, redrawn.scoring, redrawn.settings
    if (costs := _least_costs(redrawn)) is not None:
        if settings.counting is None:
            return least_costs(gold, predictions, costs), None
        return chance.count_aligned(gold, predictions, costs)
    fitted = fit(redrawn.costs, gold, predictions, settings.half)
    weighed = fitted if scoring is redrawn.costs else fit(scoring, gold, predictions, settings.half)
    aligned = fitted.align(gold, predictions, settings.temperature)
    return scored_cost(aligned, fitted, weighed), stack_confusions(aligned) if settings.counting else None


def _drawn_costs(costs: Sequence[Floats], weights: Resampling | None) -> Floats:
    """Return the total of each of k costs [U] in each bootstrap draw, [k, R]."""
    return weights.drawn_sums(*(weights.by_cluster(cost) for cost in costs)) if weights else np.zeros((len(costs), 0))


def _measures(
    stack: ConfusionStack | None, weights: Resampling | None, settings: ChanceSettings
) -> tuple[Floats, Floats]:
    """Return the M statistics of confusions, [M], and of their draws, [M, R]."""
    statistics, number = keyed(settings.statistics), weights.replicates if weights else 0
    if stack is None or settings.counting is None or settings.resampling is None:
        return np.zeros(0), np.zeros((0, number))
    clusters = cluster_cells(stack, settings.resampling, gaps=settings.counting.gaps)
    measured = np.array(list(values(statistics, stack, settings.counting, clusters).values()))
    drawn = draws(statistics, stack, weights, settings.counting) if weights else {}
    return measured, np.array(list(drawn.values())).reshape(len(statistics), number)
