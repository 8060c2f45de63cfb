"""Chance levels of a corpus: each model's predictions, aligned anew under the costs in question.

Bootstrap draw r takes the model's replicate r mod K under the corpus' own weights, so that an interval holds both the
choice of utterances and the randomness of the model. Of each replicate only its draws are kept, never its counts.
Replicates are shards, whose results are added up in their order.

Predictions of a chance model, aligned anew and measured: one task, or some replicates of it.

Each replicate comes about from its own seed (experiment, model, replicate) alone, so that no other setting
moves it, and tasks can be done anywhere.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import cells_of, least_costs
from phonxling.analyses.chance import (
    MODELS,
    Donors,
    constant_costs,
    constant_predictions,
    count_aligned,
    donors_of,
    redrawn_errors,
    refusal,
    texts_of,
)
from phonxling.analyses.costs import Costs
from phonxling.analyses.fitting import Aligner, fit, scored_cost
from phonxling.analyses.statistic import CountSettings, Statistic, draws, values
from phonxling.analyses.statistics import beside_chance
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.confusions import stack_confusions
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.weights import Resampling

# Predictions of a chance model, aligned anew and measured: one task, or some replicates of it.

_CELLS = 20_000_000  # of the full tables in a task
_SLOWER = 20  # times that averaging over alignments takes longer


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Which models, how many replicates, which seed."""

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
    """A corpus whose predictions are redrawn, and how they are aligned and weighed."""

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
    """Return a model's replicates, as many together as make a task."""
    corpus, settings = redrawn.corpus, redrawn.settings
    number = len(corpus.predicted.inventory) if model == "constant" else settings.replicates
    cells = int(cells_of(corpus.gold, corpus.predicted).sum()) * (1 if settings.temperature is None else _SLOWER)
    learned = not isinstance(redrawn.costs, CostTable) or not isinstance(redrawn.scoring, CostTable)
    together = 1 if learned else max(1, _CELLS // max(1, cells))
    return [Part(model, first, min(first + together, number)) for first in range(0, number, together)]


def replicates(redrawn: Redrawn, part: Part) -> Record:
    """Return what k replicates of a model came to."""
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


_NONE = np.zeros(0)
_CANDIDATES = 4  # constants, at least, among which the best is chosen anew in each bootstrap draw
_NUMBERS = 4_000_000  # utterances times candidates that are kept


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table."""

    model: str
    rates: Floats = field(default_factory=lambda: _NONE)
    cost: Floats = field(default_factory=lambda: _NONE)
    drawn_cost: Floats = field(default_factory=lambda: _NONE)
    measures: Mapping[str, Floats] = field(default_factory=dict)
    drawn_measures: Mapping[str, Floats] = field(default_factory=dict)
    phone: str = ""
    missing: str = ""

    @property
    def rate(self) -> float:
        """Mean rate over replicates; NaN when there is none."""
        return float(self.rates.mean()) if len(self.rates) else float("nan")


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
    alone = _phones_alone(corpus)
    donors = _donors(corpus, settings, texts)
    return _levels(Redrawn(alone, costs, costs if scoring is None else scoring, donors, settings), work)[0]


def two_chance_levels(
    corpus: Corpus, settings: ChanceSettings, *, costs: Costs, scoring: Costs, unit: CostTable, work: Work
) -> tuple[list[ChanceLevel], list[ChanceLevel]]:
    """Return the same, and the levels of the least costs under `unit`: predictions are drawn once for both."""
    alone, donors = _phones_alone(corpus), _donors(corpus, settings, None)
    return _levels(Redrawn(alone, costs, scoring, donors, settings, unit), work)


def _donors(corpus: Corpus, settings: ChanceSettings, texts: Codes | None) -> Donors | None:
    """Return the donors of shuffled predictions, None where nothing is shuffled; `texts` as for `chance_levels`."""
    if "shuffled" not in settings.models:
        return None
    return donors_of(corpus, texts_of(_phones_alone(corpus).gold) if texts is None else texts)


def _levels(redrawn: Redrawn, work: Work) -> tuple[list[ChanceLevel], list[ChanceLevel]]:
    settings, corpus, unit = redrawn.settings, redrawn.corpus, redrawn.unit
    plain = replace(settings, temperature=None, counting=None)
    missing = {model: why for model in settings.models if (why := refusal(model, corpus.predicted, redrawn.donors))}
    parts = [part for model in settings.models if model not in missing for part in parts_of(model, redrawn)]
    if settings.resampling:
        settings.resampling.draw()  # once, not by each replicate
    records = zip(parts, work.map(replicates, redrawn, parts), strict=True)
    levels = {model: ChanceLevel(model=model, missing=why) for model, why in missing.items()}
    of_unit, constants = dict(levels), list[_Constant]()
    for model, of_model in groupby(records, key=lambda pair: pair[0].model):
        if model == "constant":
            constants = _best_constants(of_model, corpus)
            continue
        kept: list[Record] = []
        levels[model] = level_of_replicates(model, _one_by_one(of_model, kept), corpus, settings)
        of_unit[model] = level_of_replicates(model, kept, corpus, plain) if unit else levels[model]
    if constants:
        levels["constant"] = of_unit["constant"] = _constant(constants, redrawn, work)
    if constants and unit:
        alone = replace(plain, models=("constant",))
        (of_unit["constant"],), _ = _levels(redrawn._replace(costs=unit, scoring=unit, settings=alone, unit=None), work)
    return [levels[model] for model in settings.models], [of_unit[model] for model in settings.models]


def best(levels: list[ChanceLevel]) -> ChanceLevel | None:
    """Return the level with the lowest rate; None when there is none."""
    return min((level for level in levels if len(level.rates)), key=lambda level: level.rate, default=None)


def _phones_alone(corpus: Corpus) -> Corpus:
    """Return a corpus without what redrawing and aligning have no use for."""
    gold, predicted = (
        PhoneSequences(utterances=side.utterances, offsets=side.offsets, codes=side.codes, inventory=side.inventory)
        for side in (corpus.gold, corpus.predicted)
    )
    return Corpus(gold=gold, predicted=predicted)


class _Constant(NamedTuple):
    """What always answering one phone costs, in all and by utterance [U]."""

    total: float
    code: int
    cost: Floats


def _best_constants(parts: Iterable[tuple[Part, Record]], corpus: Corpus) -> list[_Constant]:
    """Return the few phones that cost least, the best first; of equal ones the first in the inventory."""
    number = max(_CANDIDATES, _NUMBERS // max(1, len(corpus.gold)))
    constants: list[_Constant] = []
    for part, record in parts:
        costs = zip(range(part.first, part.last), record["cost"], strict=True)
        constants += [_Constant(float(cost.sum()), code, cost) for code, cost in costs]
        constants = sorted(constants, key=lambda constant: constant.total)[:number]
    return constants


def _constant(constants: list[_Constant], redrawn: Redrawn, work: Work) -> ChanceLevel:
    """Return the level of the best constant: of all phones on the corpus, of the best few anew in each draw."""
    settings, corpus, least = redrawn.settings, redrawn.corpus, constants[0]
    keys = [one.key for one in settings.statistics]
    (record,) = work.map(measured_constant, redrawn, [least.code]) if keys else ({},)
    return ChanceLevel(
        model="constant",
        rates=np.array([least.total / corpus.gold.lengths.sum()]),
        cost=least.cost,
        drawn_cost=drawn_costs([constant.cost for constant in constants], settings.resampling).min(axis=0),
        measures={key: record["measures"][[place]] for place, key in enumerate(keys)},
        drawn_measures={key: record["drawn_measures"][place] for place, key in enumerate(keys)},
        phone=corpus.predicted.inventory.phones[least.code],
    )


def level_of_replicates(model: str, records: Iterable[Record], corpus: Corpus, settings: ChanceSettings) -> ChanceLevel:
    """Return the level of a random model from the record of each replicate, in their order."""
    number, of = settings.resampling.replicates if settings.resampling else 0, settings.replicates
    keys = [one.key for one in settings.statistics]
    rates, cost, drawn_cost = np.zeros(of), np.zeros(len(corpus.gold)), np.zeros(number)
    measures, drawn = np.zeros((len(keys), of)), np.zeros((len(keys), number))
    for replicate, record in enumerate(records):
        own = len(range(replicate, number, of))  # the draws that this replicate serves
        rates[replicate] = record["cost"].sum() / corpus.gold.lengths.sum()
        cost += record["cost"] / of
        drawn_cost[replicate::of] = record["drawn_cost"][:own]
        measures[:, replicate] = record["measures"]
        drawn[:, replicate::of] = record["drawn_measures"][:, :own]
    return ChanceLevel(
        model=model,
        rates=rates,
        cost=cost,
        drawn_cost=drawn_cost,
        measures=dict(zip(keys, measures, strict=True)),
        drawn_measures=dict(zip(keys, drawn, strict=True)),
    )


def _one_by_one(parts: Iterable[tuple[Part, Record]], kept: list[Record]) -> Iterator[Record]:
    """Yield the record of each replicate; that of unit costs is kept."""
    for part, record in parts:
        for place in range(part.last - part.first):
            one = {name: values[place] for name, values in record.items()}
            if "unit_cost" in one:
                drawn = one["drawn_unit_cost"]
                none = {"measures": _NONE, "drawn_measures": np.zeros((0, len(drawn)))}
                kept.append({"cost": one["unit_cost"], "drawn_cost": drawn, **none})
            yield one
