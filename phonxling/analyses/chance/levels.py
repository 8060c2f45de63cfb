"""Chance levels of a corpus: each model's predictions, aligned anew under the costs in question.

Bootstrap draw r takes the model's replicate r mod K under the corpus' own weights, so that an interval holds both the
choice of utterances and the randomness of the model. Of each replicate only its draws are kept, never its counts.

Replicates are shards: each comes about from its own seed alone, and what they found is added up in their order.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.align.shards import cells_of
from phonxling.analyses.case.aligner import Aligner
from phonxling.analyses.case.costs import Costs
from phonxling.analyses.case.fitting import fit, paid
from phonxling.analyses.chance.models import (
    bigram_predictions,
    constant_predictions,
    shuffled_predictions,
    unigram_predictions,
)
from phonxling.analyses.statistic import CountSettings, draws, values
from phonxling.analyses.statistics import beside_chance
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.core.stack import ConfusionStack
from phonxling.core.work import SERIAL, Record, Work
from phonxling.count.confusions import stack_confusions
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
_Draw = Callable[[PhoneSequences, np.random.Generator], PhoneSequences]
_DRAWS: dict[str, _Draw] = {
    "unigram": unigram_predictions,
    "bigram": bigram_predictions,
    "shuffled": shuffled_predictions,
}
_NONE = np.zeros(0)
_CANDIDATES = 4  # constants, at least, among which the best is chosen anew in each bootstrap draw
_NUMBERS = 4_000_000  # utterances times candidates that are kept
_CELLS = 20_000_000  # of the full tables in a task
_SLOWER = 20  # times that averaging over alignments takes longer


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table.

    Parameters
    ----------
    model : str
        `constant`, `unigram`, `bigram` or `shuffled`.
    rates : float64 array [K]
        The pooled rate of each replicate (one for `constant`).
    cost : float64 array [U]
        Each utterance's cost, averaged over replicates.
    drawn_cost : float64 array [R]
        The total cost of each bootstrap draw; empty without resampling.
    measures : mapping of str to float64 array [K]
        Measures of each replicate's confusions by name; empty unless asked for.
    drawn_measures : mapping of str to float64 array [R]
        The same of each bootstrap draw.
    phone : str
        The best phone of `constant`, "" otherwise.
    missing : str
        Why there is no level, "" when there is one.
    """

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


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Which models, how many replicates, which seed.

    `temperature` is that of expected alignment, if any; `half` is each utterance's, for learned costs; `resampling`
    gives draws, and `counting` how statistics read the confusions, if any are to be measured.
    """

    models: tuple[str, ...]
    replicates: int
    seed: int
    temperature: float | None = None
    half: NDArray[np.int8] | None = None
    resampling: Resampling | None = None
    counting: CountSettings | None = None


class Redrawn(NamedTuple):
    """A corpus whose predictions are redrawn, and how they are aligned and weighed."""

    name: str
    corpus: Corpus
    costs: Costs
    scoring: Costs
    settings: ChanceSettings


class Part(NamedTuple):
    """Replicates `first` to `last` − 1 of a model; of `constant` phones by their codes."""

    model: str
    first: int
    last: int


class _Trial(NamedTuple):
    """One replicate aligned: each utterance's cost, and the confusions where something is asked of them."""

    cost: Floats
    stack: ConfusionStack | None


def chance_levels(
    name: str, corpus: Corpus, costs: Costs, scoring: Costs, settings: ChanceSettings, work: Work = SERIAL
) -> list[ChanceLevel]:
    """Return the level of each model, for predictions aligned under `costs` and weighed by `scoring`.

    Learned costs are learned anew from each model's predictions, on the same halves: learning is part of the aligner.

    A model's replicate has the seed (experiment, corpus name, model, replicate), so no other setting moves it.
    """
    redrawn = Redrawn(name, _phones_alone(corpus), costs, scoring, settings)
    missing = {model: why for model in settings.models if (why := _missing(model, corpus))}
    parts = [part for model in settings.models if model not in missing for part in _parts(model, redrawn)]
    records = zip(parts, work.map(replicates, redrawn, parts), strict=True)
    found: dict[str, ChanceLevel] = {}
    tried: list[_Constant] = []
    for model, of_model in groupby(records, key=lambda pair: pair[0].model):
        if model == "constant":
            tried = _best_constants(of_model, corpus)
        else:
            found[model] = _random(model, of_model, redrawn)
    if tried:
        found["constant"] = _constant(tried, redrawn, work)
    return [found.get(model) or ChanceLevel(model=model, missing=missing[model]) for model in settings.models]


def best(levels: list[ChanceLevel]) -> ChanceLevel | None:
    """Return the level with the lowest rate; None when there is none."""
    there = [level for level in levels if len(level.rates)]
    return min(there, key=lambda level: level.rate) if there else None


def _phones_alone(corpus: Corpus) -> Corpus:
    """Return a corpus without what redrawing and aligning have no use for."""
    sides = (
        PhoneSequences(utterances=side.utterances, offsets=side.offsets, codes=side.codes, inventory=side.inventory)
        for side in (corpus.gold, corpus.predicted)
    )
    gold, predicted = sides
    return Corpus(gold=gold, predicted=predicted)


def _parts(model: str, redrawn: Redrawn) -> Iterator[Part]:
    """Yield a model's replicates, as many together as make a task; learning costs takes as long as many alignments."""
    corpus, settings = redrawn.corpus, redrawn.settings
    number = len(corpus.predicted.inventory) if model == "constant" else settings.replicates
    cells = int(cells_of(corpus.gold, corpus.predicted).sum()) * (1 if settings.temperature is None else _SLOWER)
    learned = not isinstance(redrawn.costs, CostTable) or not isinstance(redrawn.scoring, CostTable)
    together = 1 if learned else max(1, _CELLS // max(1, cells))
    yield from (Part(model, first, min(first + together, number)) for first in range(0, number, together))


def replicates(redrawn: Redrawn, part: Part) -> Record:
    """Return what k replicates of a model came to.

    `cost` [k, U]; of random models also `drawn_cost` [k, W] and `drawn_measures` [k, M, W] of the draws that each
    replicate serves, W at most, and `measures` [k, M].
    """
    if part.model == "constant":
        drawn = islice(constant_predictions(redrawn.corpus.predicted), part.first, part.last)
        return {"cost": np.stack([_trial(redrawn, predictions, None).cost for _, predictions in drawn])}
    found = [_replicate(redrawn, part.model, number) for number in range(part.first, part.last)]
    return {name: np.stack([record[name] for record in found]) for name in found[0]}


def _replicate(redrawn: Redrawn, model: str, number: int) -> Record:
    settings, weights = redrawn.settings, redrawn.settings.resampling
    trial = _trial(redrawn, _draw(model, number, redrawn), settings.counting)
    share = weights.share(number, settings.replicates) if weights else None
    measured, drawn = _measures(trial.stack, share, settings.counting)
    most = -(-weights.replicates // settings.replicates) if weights else 0
    return {
        "cost": trial.cost,
        "drawn_cost": _padded(_sums([trial.cost], share), most)[0],
        "measures": measured,
        "drawn_measures": _padded(drawn, most),
    }


def _padded(rows: Floats, width: int) -> Floats:
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=np.nan)


class _Constant(NamedTuple):
    """What always saying one phone costs, in all and by utterance."""

    total: float
    code: int
    cost: Floats


def _best_constants(parts: Iterable[tuple[Part, Record]], corpus: Corpus) -> list[_Constant]:
    """Return the few phones that cost least, the best first; of equal ones the first in the inventory."""
    number = max(_CANDIDATES, _NUMBERS // max(1, len(corpus.gold)))
    tried: list[_Constant] = []
    for part, record in parts:
        costs = zip(range(part.first, part.last), record["cost"], strict=True)
        tried += [_Constant(float(cost.sum()), code, cost) for code, cost in costs]
        tried = sorted(tried, key=lambda trial: trial.total)[:number]
    return tried


def _constant(tried: list[_Constant], redrawn: Redrawn, work: Work) -> ChanceLevel:
    """Return the level of the best constant: of all phones on the corpus, of the best few anew in each draw."""
    settings, corpus, least = redrawn.settings, redrawn.corpus, tried[0]
    names = [one.key for one in beside_chance()] if settings.counting else []
    (found,) = work.map(measured_constant, redrawn, [least.code]) if names else ({},)
    return ChanceLevel(
        model="constant",
        rates=np.array([least.total / corpus.gold.lengths.sum()]),
        cost=least.cost,
        drawn_cost=_sums([trial.cost for trial in tried], settings.resampling).min(axis=0),
        measures={name: found["measures"][[place]] for place, name in enumerate(names)},
        drawn_measures={name: found["drawn_measures"][place] for place, name in enumerate(names)},
        phone=corpus.predicted.inventory.phones[least.code],
    )


def measured_constant(redrawn: Redrawn, code: int) -> Record:
    """Return the `measures` [M] of a constant's confusions, and `drawn_measures` [M, R]."""
    ((_, drawn),) = islice(constant_predictions(redrawn.corpus.predicted), code, code + 1)
    settings = redrawn.settings
    stack = _trial(redrawn, drawn, settings.counting).stack
    measures, drawn_measures = _measures(stack, settings.resampling, settings.counting)
    return {"measures": measures, "drawn_measures": drawn_measures}


def _random(model: str, parts: Iterable[tuple[Part, Record]], redrawn: Redrawn) -> ChanceLevel:
    settings, corpus = redrawn.settings, redrawn.corpus
    number, of = settings.resampling.replicates if settings.resampling else 0, settings.replicates
    names = [one.key for one in beside_chance()] if settings.counting else []
    rates, cost, drawn_cost = np.zeros(of), np.zeros(len(corpus.gold)), np.zeros(number)
    measured, drawn = np.zeros((len(names), of)), np.zeros((len(names), number))
    for part, record in parts:
        for place, replicate in enumerate(range(part.first, part.last)):
            own = len(range(replicate, number, of))
            rates[replicate] = record["cost"][place].sum() / corpus.gold.lengths.sum()
            cost += record["cost"][place] / of
            drawn_cost[replicate::of] = record["drawn_cost"][place, :own]
            measured[:, replicate] = record["measures"][place]
            drawn[:, replicate::of] = record["drawn_measures"][place, :, :own]
    return ChanceLevel(
        model=model,
        rates=rates,
        cost=cost,
        drawn_cost=drawn_cost,
        measures=dict(zip(names, measured, strict=True)),
        drawn_measures=dict(zip(names, drawn, strict=True)),
    )


def _sums(costs: list[Floats], weights: Resampling | None) -> Floats:
    """Return the total of each of k costs [U] in each bootstrap draw, [k, R]."""
    return weights.drawn_sums(*(weights.by_cluster(cost) for cost in costs)) if weights else np.zeros((len(costs), 0))


def _measures(
    stack: ConfusionStack | None, weights: Resampling | None, counting: CountSettings | None
) -> tuple[Floats, Floats]:
    """Return the M statistics of confusions that stand beside chance, [M], and of their draws, [M, R]; none unasked."""
    if stack is None or counting is None:
        return np.zeros(0), np.zeros((0, 0))
    statistics, number = beside_chance(), weights.replicates if weights else 0
    drawn = draws(statistics, stack, weights, counting) if weights else {one.key: _NONE for one in statistics}
    measured = np.array(list(values(statistics, stack, counting).values()))
    return measured, np.array(list(drawn.values())).reshape(len(statistics), number)


def _missing(model: str, corpus: Corpus) -> str:
    if not len(corpus.predicted.codes):
        return "there are no predictions to redraw"
    return (
        "predictions cannot be shuffled: there is one utterance only"
        if model == "shuffled" and len(corpus.gold) < 2
        else ""
    )


def _draw(model: str, replicate: int, redrawn: Redrawn) -> PhoneSequences:
    key = [redrawn.settings.seed, zlib.crc32(redrawn.name.encode()), zlib.crc32(model.encode()), replicate]
    return _DRAWS[model](redrawn.corpus.predicted, np.random.default_rng(key))


def _trial(redrawn: Redrawn, drawn: PhoneSequences, counting: CountSettings | None) -> _Trial:
    _, corpus, costs, scoring, settings = redrawn
    fitted = fit(costs, corpus.gold, drawn, settings.half)
    weighed = fitted if scoring is costs else fit(scoring, corpus.gold, drawn, settings.half)
    aligned = fitted.align(corpus.gold, drawn, Aligner(settings.temperature))
    return _Trial(paid(aligned, fitted, weighed), stack_confusions(aligned) if counting else None)
