"""Speakers who differ, of two languages with channels of their own: how often the interval of the JS divergence holds.

The reference has as many speakers and tokens as the target.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from phonxling.analyses.expected_confusions import ExpectedConfusions
from phonxling.analyses.level_and_pattern import Clusters
from phonxling.core.arrays import Floats
from phonxling.core.inventory import Inventory
from phonxling.resample.information_interval import FEW_PER_CELL_OF_DIVERGENCES, few_per_cell, information_interval
from phonxling.resample.weights import Resampling
from simulations.corpora import Outcome, outcome, study
from simulations.speakers import MEAN, PHONES, WORLD, World

SYMBOLS = Inventory(tuple(f"p{number}" for number in range(PHONES)))
REFERENCE = World(22)
MEASURE = ExpectedConfusions.corrected_jensen_shannon


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    yield from study(times, seed, _simulated)


def _simulated(weights: Resampling, tokens: int, generator: np.random.Generator) -> Mapping[str, Sequence[Outcome]]:
    own, other = (world.counts(weights.number, tokens, generator)[:, :-1, :-1] for world in (WORLD, REFERENCE))
    whole = _beside(own.sum(axis=0), other.sum(axis=0))
    draws = (np.tensordot(side, weights.weights.astype(np.float64), axes=(0, 1)) for side in (own, other))
    first, second = draws
    drawn = np.asarray(MEASURE(replace(whole, target=first, reference=np.roll(second, 1, axis=-1))))
    centre, error = Clusters(own, other).jackknifed(whole, MEASURE)
    number = information_interval(max(centre, 0.0), drawn, weights, error=error)
    warned = bool(few_per_cell(np.concatenate([whole.target, whole.reference]), FEW_PER_CELL_OF_DIVERGENCES))
    return {"JS": [outcome(number, TRUTH, warned=warned)]}


def _beside(target: Floats, reference: Floats) -> ExpectedConfusions:
    return ExpectedConfusions(
        gold=SYMBOLS, predicted=SYMBOLS, target=target, reference=reference, kept=1.0, left_out=()
    )


def _population(world: World) -> Floats:
    return np.asarray(1e6 * world.channel(MEAN)[:, :-1] * world.gold[:, None])


TRUTH = float(_beside(_population(WORLD), _population(REFERENCE)).jensen_shannon())
