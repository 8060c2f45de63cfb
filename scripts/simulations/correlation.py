"""How often the interval of Kendall's τ holds the truth, by errors a pair of different phones."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import phonxling as px
from phonxling.analyses.one_to_one import overall_tau
from phonxling.core.costs import CostTable
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling, resampling
from simulations.aligned import GOLD as PHONES
from simulations.corpora import Floats, percent, stack_of

SPEAKERS, REPLICATES, RIGHT = 50, 300, 0.6
TOKENS = (1000, 3000, 10_000, 30_000, 100_000)
SAME = np.eye(len(PHONES), dtype=bool)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of a fifth of the simulations in which the interval held τ."""
    drawn, costs = (
        resampling(SPEAKERS, None, resamples=REPLICATES, seed=seed),
        px.feature_costs(PHONES, PHONES),
    )
    yield "| τ: tokens | errors a pair of phones | percentile | t limits |"
    yield "|---:|---:|---:|---:|"
    for tokens in TOKENS:
        generator = np.random.default_rng([seed, tokens])
        found = [_held(tokens, costs, drawn, generator) for _ in range(times // 5 + 1)]
        cells = (percent([one[place] for one in found]) for place in (0, 1))
        yield f"| {tokens:,} | {tokens * (1 - RIGHT) / np.count_nonzero(~SAME):.1f} | {' | '.join(cells)} |"
    yield ""


def _held(tokens: int, costs: CostTable, drawn: Resampling, generator: np.random.Generator) -> list[bool]:
    """Return whether percentile and t limits hold the τ of a distribution whose errors go by likeness."""
    weights = np.exp(-6 * costs.substitution / costs.denominator) * generator.gamma(1.0, size=SAME.shape)
    weights = np.where(SAME, 0, weights)
    given = (1 - RIGHT) * weights / weights.sum(axis=1, keepdims=True) + RIGHT * SAME
    flat = (given / len(PHONES)).ravel()
    counts = generator.multinomial(tokens // SPEAKERS, flat, size=SPEAKERS).reshape(SPEAKERS, *SAME.shape)
    stack = stack_of(np.pad(counts.astype(float), ((0, 0), (0, 1), (0, 1))))
    draws = np.concatenate([_tau(part[:-1, :-1], costs) for part in replicate_counts(stack, drawn)])
    truth, value = (float(_tau(table[:, :, None], costs)[0]) for table in (given, counts.sum(axis=0).astype(float)))
    found = (estimate(value, draws, replace(drawn, method="percentile")), estimate(value, draws, drawn, biased=True))
    return [one.low <= truth <= one.high for one in found]


def _tau(counts: Floats, costs: CostTable) -> Floats:
    return overall_tau(counts, SAME, costs)
