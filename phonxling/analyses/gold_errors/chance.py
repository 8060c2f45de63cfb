"""Chance levels with the errors of the gold taken out: of predictions without information, in the same way.

What a recogniser that hears nothing scores does not depend on which gold phones are wrong; but what is done to a
corpus' own counts is done to these too, so that a recogniser that hears nothing stays at chance.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.chance.donors import donors_of, texts_of
from phonxling.analyses.chance.levels import ChanceLevel
from phonxling.analyses.chance.models import MODELS, constant_predictions
from phonxling.analyses.gold_errors.counts import Rewriting, priced
from phonxling.core.arrays import Floats
from phonxling.core.costs import CostTable
from phonxling.core.sequences import PhoneSequences

Costs = tuple[CostTable, CostTable]  # that align, and that weigh errors
PREDICTIONS = 3  # of a random model, from which it is seen how much its level moves


def chance_predictions(level: ChanceLevel, case: Case) -> Iterator[PhoneSequences]:
    """Yield a few predictions of a level's model; of the constant the one that there is."""
    gold, predicted = case.counted.corpus.gold, case.counted.corpus.predicted
    if level.model == "constant":
        code = predicted.inventory.code(level.phone)
        yield from (phones for _, phones in islice(constant_predictions(predicted), code, code + 1))
        return
    donors, generator = donors_of(case.counted.corpus, texts_of(gold)), case.generator(f"gold errors {level.model}")
    for _ in range(PREDICTIONS):
        yield MODELS[level.model](predicted, generator, donors)


def moved_levels(
    level: ChanceLevel, case: Case, costs: Costs, *, writing: Rewriting, rates: tuple[float, ...]
) -> Floats:
    """Return how many times its rate a level is with errors at each rate taken out, float64 [rates]."""
    gold = case.counted.corpus.gold
    each = [priced(gold, predicted, costs[0], writing, costs[1]) for predicted in chance_predictions(level, case)]
    total = np.array([sum(one.cost(writing.errors, rate).sum() for one in each) for rate in (0.0, *rates)])
    return np.asarray(total[1:] / total[0]) if total[0] else np.ones(len(rates))
