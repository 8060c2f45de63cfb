"""Chance levels of a corpus: each model's predictions, aligned anew under the costs in question.

Bootstrap draw r takes the model's replicate r mod K under the corpus' own weights, so that an interval holds both the
choice of utterances and the randomness of the model. Of each replicate only its draws are kept, never its counts.
Replicates are shards, whose results are added up in their order.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from phonxling.analyses.case.costs import Costs
from phonxling.analyses.chance.donors import Donors, donors_of, texts_of
from phonxling.analyses.chance.models import refusal
from phonxling.analyses.chance.replicates import (
    ChanceSettings,
    Part,
    Redrawn,
    drawn_costs,
    measured_constant,
    parts_of,
    replicates,
)
from phonxling.core.arrays import Codes, Floats
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work

_NONE = np.zeros(0)
_CANDIDATES = 4  # constants, at least, among which the best is chosen anew in each bootstrap draw
_NUMBERS = 4_000_000  # utterances times candidates that are kept


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceLevel:
    """What one chance model scores under one cost table.

    Parameters
    ----------
    model : str
        One of the models of chance, or `errors` where the wrong predictions alone are redrawn.
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


def chance_levels(
    corpus: Corpus,
    settings: ChanceSettings,
    *,
    costs: Costs,
    scoring: Costs | None = None,
    texts: Codes | None = None,
    work: Work = SERIAL,
) -> list[ChanceLevel]:
    """Return the level of each model, for predictions aligned under `costs` and weighed by `scoring`, or by `costs`.

    `texts` [U] says which utterances say the same, by number: by default those with the same gold phones.
    Learned costs are learned anew from each model's predictions, on the same halves: learning is part of the aligner.
    """
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
