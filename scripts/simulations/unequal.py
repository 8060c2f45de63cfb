"""Speakers with unequal numbers of tokens: how often intervals hold the truth, and how often they are descriptive.

The channel is that of `speakers`, of a recogniser without three of the 20 phones, whose answers go to the nearest one.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from phonxling.analyses.statistics import INFORMATION, CountSettings, draws, values
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import Estimate, is_descriptive
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.information_interval import information_interval
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.weights import Resampling, resampling
from simulations.corpora import REPLICATES, Outcome, outcome, right_shares, stack_of
from simulations.speakers import MEAN, PHONES, WORLD, Found

SPEAKERS, TOKENS, LACKING = (5, 6, 8, 12, 24), 6_000, 3
SIZES = {"equal": "equal", "from 1 to 4": "moderate", "one with 60 %": "one"}
_HELD = np.arange(LACKING, PHONES)
_NEAREST = _HELD[WORLD.costs[:, _HELD].argmin(axis=1)]  # the phone of the inventory nearest to each
_FLOOR = WORLD.costs[np.arange(PHONES), _NEAREST]
_CHANCE = WORLD.costs[:, _HELD[(WORLD.gold @ WORLD.costs[:, _HELD]).argmin()]]  # always saying the best phone


def sizes(kind: str, speakers: int) -> list[int]:
    """Return the tokens of each speaker: equal, in equal steps from 1 to 4, or 60 % of one and the others equal."""
    parts = {
        "equal": np.ones(speakers),
        "moderate": np.linspace(1, 4, speakers),
        "one": np.array([1.5 * (speakers - 1), *np.ones(speakers - 1)]),
    }[kind]
    return np.rint(TOKENS * parts / parts.sum()).astype(int).tolist()


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth, and of those that are descriptive."""
    yield "| unequal speakers: measure | tokens | " + " | ".join(f"{number} speakers" for number in SPEAKERS) + " |"
    yield "|---|---|" + "---:|" * len(SPEAKERS)
    found = {(kind, number): _study(kind, number, times, seed) for kind, number in product(SIZES.values(), SPEAKERS)}
    for name in ("PER", "wPER", "skill", "attainable skill", "H(X given Y)"):
        for label, kind in SIZES.items():
            cells = [found[kind, number][name] for number in SPEAKERS]
            shown = (f"{100 * held:.0f}" + f" ({100 * few:.0f})" * (few > 0) for held, few in cells)
            yield f"| {name} | {label} | {' | '.join(shown)} |"
    yield ""


def _study(kind: str, speakers: int, times: int, seed: int) -> dict[str, Outcome]:
    rows: dict[str, list[Outcome]] = {}
    tokens = sizes(kind, speakers)
    names = [f"{number:02}" for number in range(speakers)]
    weights = resampling(speakers, names, resamples=REPLICATES, seed=seed, tokens=np.array(tokens, dtype=np.float64))
    for number in range(times):
        generator = np.random.default_rng([seed, speakers, len(kind), number])
        for name, each in _simulated(weights, tokens, generator).items():
            rows.setdefault(name, []).extend(each)
    return {name: (float(np.mean([one for one, _ in each])), float(np.mean([few for _, few in each])))
            for name, each in rows.items()}  # fmt: skip


def _channel(right: float) -> Floats:
    """Return p(x|y) of a speaker with this share right, [20, 21], ∅ last; three phones are never heard."""
    channel = WORLD.channel(right)
    for phone in range(LACKING):
        channel[:, _NEAREST[phone]] += channel[:, phone]
        channel[:, phone] = 0.0
    return channel


def _skill(cost: Floats, chance: Floats, weights: Resampling) -> Estimate:
    """Return 1 − Σ cost / Σ chance over the speakers, as the product does."""
    drawn = 1 - divided(*weights.drawn_sums(cost, chance))
    left_out = 1 - divided(cost.sum() - cost, chance.sum() - chance)
    return estimate(1 - float(cost.sum() / chance.sum()), drawn, weights, kind="skill", left_out=left_out)


def _simulated(weights: Resampling, tokens: Sequence[int], generator: np.random.Generator) -> Found:
    counts = np.zeros((len(tokens), PHONES + 1, PHONES + 1))
    for own, number, right in zip(counts, tokens, right_shares(generator.normal(size=len(tokens))), strict=True):
        joint = WORLD.gold[:, None] * _channel(right)
        own[:-1] = generator.multinomial(number, joint.ravel()).reshape(joint.shape)
    mean = WORLD.gold[:, None] * _channel(MEAN)
    said, same = counts[:, :-1].sum(axis=2), np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    cost, chance, floor = (counts[:, :-1] * WORLD.costs).sum(axis=(1, 2)), said @ _CHANCE, said @ _FLOOR
    costs = float((mean * WORLD.costs).sum()), float(WORLD.gold @ _CHANCE), float(WORLD.gold @ _FLOOR)
    all_tokens = said.sum(axis=1)
    numbers = {
        "PER": (weights.ratio(all_tokens - same, all_tokens, "rate"), 1 - float(np.trace(mean))),
        "wPER": (weights.ratio(cost, all_tokens, "rate"), costs[0]),
        "skill": (_skill(cost, chance, weights), 1 - costs[0] / costs[1]),
        "attainable skill": (
            _skill(cost - floor, chance - floor, weights),
            (costs[1] - costs[0]) / (costs[1] - costs[2]),
        ),
    }
    stack, settings = stack_of(counts), CountSettings(np.zeros(len(counts), np.int8))
    parts = cluster_cells(stack, weights)
    value, drawn = values(INFORMATION, stack, settings, parts), draws(INFORMATION, stack, weights, settings)
    name = "conditional_entropy"
    entropy = information_interval(value[name], drawn[name], weights, left_out=parts.left_out[name])
    heard = mean[:, :-1] / mean[:, :-1].sum()
    numbers["H(X given Y)"] = entropy, float(information(entropy_sums(heard))[name])
    return {name: [outcome(one, truth, warned=is_descriptive(one.note))] for name, (one, truth) in numbers.items()}
