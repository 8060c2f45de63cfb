"""Chance levels of a corpus: each model's predictions, aligned anew under the costs in question."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.corpus import Corpus
from phonxling.core.sequences import PhoneSequences
from phonxling.count.confusions import count_confusions
from phonxling.experiment.aligner import Aligner
from phonxling.experiment.cost_settings import Costs
from phonxling.experiment.fitting import fit, paid
from phonxling.measure.chance import constant_predictions, shuffled_predictions, unigram_predictions
from phonxling.measure.entropy import confusion_information

Floats = NDArray[np.float64]
_Draw = Callable[[PhoneSequences, np.random.Generator], PhoneSequences]
_DRAWS: dict[str, _Draw] = {"unigram": unigram_predictions, "shuffled": shuffled_predictions}


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table.

    Parameters
    ----------
    model : str
        `constant`, `unigram` or `shuffled`.
    rates : float64 array [R]
        The pooled rate of each replicate (one for `constant`).
    cost : float64 array [U]
        Each utterance's cost, averaged over replicates.
    information : float64 array [R]
        I(X;Y) of each replicate's confusions, bits.
    phone : str
        The best phone of `constant`, "" otherwise.
    missing : str
        Why there is no level, "" when there is one.
    """

    model: str
    rates: Floats
    cost: Floats
    information: Floats
    phone: str = ""
    missing: str = ""

    @property
    def rate(self) -> float:
        """Mean rate over replicates; NaN when there is none."""
        return float(self.rates.mean()) if len(self.rates) else float("nan")


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Which models, how many replicates, which seed, how many threads.

    `temperature` is that of expected alignment, if any; `half` is each utterance's, for learned costs.
    """

    models: tuple[str, ...]
    replicates: int
    seed: int
    workers: int
    temperature: float | None = None
    half: NDArray[np.int8] | None = None


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
        nothing = np.zeros(0)
        return ChanceLevel(model=model, rates=nothing, cost=nothing, information=nothing, missing=missing)
    tried = [(phone, *_score(corpus, drawn, tables, settings)) for phone, drawn in _draw(model, name, corpus, settings)]
    if model == "constant":
        tried = [min(tried, key=lambda trial: float(trial[1].sum()))]
    tokens = corpus.gold.lengths.sum()
    return ChanceLevel(
        model=model,
        rates=np.array([cost.sum() / tokens for _, cost, _ in tried]),
        cost=np.mean([cost for _, cost, _ in tried], axis=0),
        information=np.array([information for _, _, information in tried]),
        phone=tried[0][0],
    )


def _missing(model: str, corpus: Corpus) -> str:
    if not len(corpus.predicted.codes):
        return "there are no predictions to redraw"
    return (
        "predictions cannot be shuffled: there is one utterance only"
        if model == "shuffled" and len(corpus.gold) < 2
        else ""
    )


def _draw(model: str, name: str, corpus: Corpus, settings: ChanceSettings) -> Iterator[tuple[str, PhoneSequences]]:
    if model == "constant":
        yield from constant_predictions(corpus.predicted)
        return
    for replicate in range(settings.replicates):
        key = [settings.seed, zlib.crc32(name.encode()), zlib.crc32(model.encode()), replicate]
        yield "", _DRAWS[model](corpus.predicted, np.random.default_rng(key))


def _score(
    corpus: Corpus, drawn: PhoneSequences, tables: tuple[Costs, Costs], settings: ChanceSettings
) -> tuple[Floats, float]:
    costs, scoring = tables
    fitted = fit(costs, corpus.gold, drawn, settings.half, settings.workers)
    weighed = fitted if scoring is costs else fit(scoring, corpus.gold, drawn, settings.half, settings.workers)
    aligned = fitted.align(corpus.gold, drawn, Aligner(settings.temperature, settings.workers))
    return paid(aligned, fitted, weighed), confusion_information(count_confusions(aligned))
