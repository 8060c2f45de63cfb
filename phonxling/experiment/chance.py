"""Chance levels of a corpus: each model's predictions, aligned anew under the costs in question.

Bootstrap draw r takes the model's replicate r mod K under the corpus' own weights, so that an interval holds both the
choice of utterances and the randomness of the model. Of each replicate only its draws are kept, never its counts.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from phonxling.core.corpus import Corpus
from phonxling.core.sequences import PhoneSequences
from phonxling.core.stack import ConfusionStack
from phonxling.count.confusions import stack_confusions
from phonxling.experiment.aligner import Aligner
from phonxling.experiment.cost_settings import Costs
from phonxling.experiment.fitting import fit, paid
from phonxling.measure.chance import (
    bigram_predictions,
    constant_predictions,
    shuffled_predictions,
    unigram_predictions,
)
from phonxling.measure.chance_measures import MEASURES, Asked, measure_draws, measure_stack
from phonxling.measure.resample import Resampling

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
    """Which models, how many replicates, which seed, how many threads.

    `temperature` is that of expected alignment, if any; `half` is each utterance's, for learned costs; `resampling`
    gives draws, and `asked` says what to measure of the confusions, if anything.
    """

    models: tuple[str, ...]
    replicates: int
    seed: int
    workers: int
    temperature: float | None = None
    half: NDArray[np.int8] | None = None
    resampling: Resampling | None = None
    asked: Asked | None = None


@dataclass(frozen=True, eq=False)
class _Trial:
    """One replicate aligned: each utterance's cost, and the confusions where something is asked of them."""

    cost: Floats
    stack: ConfusionStack | None


def chance_levels(
    name: str, corpus: Corpus, costs: Costs, scoring: Costs, settings: ChanceSettings
) -> list[ChanceLevel]:
    """Return the level of each model, for predictions aligned under `costs` and weighed by `scoring`.

    Learned costs are learned anew from each model's predictions, on the same halves: learning is part of the aligner.

    A model's replicate has the seed (experiment, corpus name, model, replicate), so no other setting moves it.
    """
    return [_level(model, name, corpus, (costs, scoring), settings) for model in settings.models]


def best(levels: list[ChanceLevel]) -> ChanceLevel | None:
    """Return the level with the lowest rate; None when there is none."""
    there = [level for level in levels if len(level.rates)]
    return min(there, key=lambda level: level.rate) if there else None


def _level(model: str, name: str, corpus: Corpus, tables: tuple[Costs, Costs], settings: ChanceSettings) -> ChanceLevel:
    missing = _missing(model, corpus)
    if missing:
        return ChanceLevel(model=model, missing=missing)
    if model == "constant":
        return _constant(corpus, tables, settings)
    return _random(model, name, corpus, tables, settings)


def _constant(corpus: Corpus, tables: tuple[Costs, Costs], settings: ChanceSettings) -> ChanceLevel:
    """Return the level of the best constant: of all phones on the corpus, of the best few anew in each draw."""
    number = max(_CANDIDATES, _NUMBERS // max(1, len(corpus.gold)))
    tried: list[tuple[float, str, Floats, PhoneSequences]] = []
    for phone, drawn in constant_predictions(corpus.predicted):
        cost = _trial(corpus, drawn, tables, settings, None).cost
        tried = sorted([*tried, (float(cost.sum()), phone, cost, drawn)], key=lambda trial: trial[0])[:number]
    total, phone, cost, drawn = tried[0]
    stack = _trial(corpus, drawn, tables, settings, settings.asked).stack if settings.asked else None
    measured, drawn_measures = _measures(stack, settings.resampling, settings.asked)
    return ChanceLevel(
        model="constant",
        rates=np.array([total / corpus.gold.lengths.sum()]),
        cost=cost,
        drawn_cost=_sums([trial[2] for trial in tried], settings.resampling).min(axis=0),
        measures={measure: np.array([value]) for measure, value in measured.items()},
        drawn_measures=drawn_measures,
        phone=phone,
    )


def _random(
    model: str, name: str, corpus: Corpus, tables: tuple[Costs, Costs], settings: ChanceSettings
) -> ChanceLevel:
    replicates, weights = settings.replicates, settings.resampling
    number = weights.replicates if weights else 0
    rates, cost, drawn_cost = np.zeros(replicates), np.zeros(len(corpus.gold)), np.zeros(number)
    names = MEASURES if settings.asked else ()
    measured, drawn_measures = ({name: np.zeros(size) for name in names} for size in (replicates, number))
    for part, drawn in enumerate(_draw(model, name, corpus, settings)):
        trial = _trial(corpus, drawn, tables, settings, settings.asked)
        share = weights.share(part, replicates) if weights else None
        rates[part] = trial.cost.sum() / corpus.gold.lengths.sum()
        cost += trial.cost / replicates
        drawn_cost[part::replicates] = _sums([trial.cost], share)[0]
        found, draws = _measures(trial.stack, share, settings.asked)
        for measure in names:
            measured[measure][part] = found[measure]
            drawn_measures[measure][part::replicates] = draws[measure]
    return ChanceLevel(
        model=model, rates=rates, cost=cost, drawn_cost=drawn_cost, measures=measured, drawn_measures=drawn_measures
    )


def _sums(costs: list[Floats], weights: Resampling | None) -> Floats:
    """Return the total of each of k costs [U] in each bootstrap draw, [k, R]."""
    return weights.drawn_sums(*(weights.by_cluster(cost) for cost in costs)) if weights else np.zeros((len(costs), 0))


def _measures(
    stack: ConfusionStack | None, weights: Resampling | None, asked: Asked | None
) -> tuple[dict[str, float], dict[str, Floats]]:
    if stack is None or asked is None:
        return {}, {}
    draws = measure_draws(stack, weights, asked) if weights else dict.fromkeys(MEASURES, _NONE)
    return measure_stack(stack, asked), draws


def _missing(model: str, corpus: Corpus) -> str:
    if not len(corpus.predicted.codes):
        return "there are no predictions to redraw"
    return (
        "predictions cannot be shuffled: there is one utterance only"
        if model == "shuffled" and len(corpus.gold) < 2
        else ""
    )


def _draw(model: str, name: str, corpus: Corpus, settings: ChanceSettings) -> Iterator[PhoneSequences]:
    for replicate in range(settings.replicates):
        key = [settings.seed, zlib.crc32(name.encode()), zlib.crc32(model.encode()), replicate]
        yield _DRAWS[model](corpus.predicted, np.random.default_rng(key))


def _trial(
    corpus: Corpus,
    drawn: PhoneSequences,
    tables: tuple[Costs, Costs],
    settings: ChanceSettings,
    asked: Asked | None,
) -> _Trial:
    costs, scoring = tables
    fitted = fit(costs, corpus.gold, drawn, settings.half, settings.workers)
    weighed = fitted if scoring is costs else fit(scoring, corpus.gold, drawn, settings.half, settings.workers)
    aligned = fitted.align(corpus.gold, drawn, Aligner(settings.temperature, settings.workers))
    return _Trial(paid(aligned, fitted, weighed), stack_confusions(aligned) if asked else None)
