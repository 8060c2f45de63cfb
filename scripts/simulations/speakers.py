"""Speakers who differ: how often the interval of each measure of the confusions holds the truth.

Each speaker hears a share of the phones right (see `right_shares`); errors keep their shares. So the mean of the
channels is the channel of the population, and its numbers are the truth. `unequal_lines`: speakers have unequal numbers
of tokens, and the recogniser lacks three of the 20 phones, whose answers go to the nearest one. `divergence_lines`: two
languages with channels of their own, as many speakers and tokens each, and their JS divergence.

`prompt_lines`: speakers who read the same prompts, and how often intervals hold the rate of all speakers and prompts.
An utterance has 20 phones; the logit of its rate of error is that of 0.3, more or less by its speaker and its prompt.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.special import expit, logit

from phonxling.analyses.expected_confusions import ExpectedConfusions
from phonxling.analyses.level import jackknifed_measure
from phonxling.analyses.statistics import INFORMATION, CountSettings, draws, values
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import FEW_TOKENS, Estimate, is_descriptive
from phonxling.core.inventory import Inventory
from phonxling.resample.entropies import (
    FEW_PER_CELL_OF_DIVERGENCES,
    cluster_cells,
    entropy_sums,
    few_per_cell,
    information,
    information_interval,
)
from phonxling.resample.intervals import Resampling, estimate, resampling
from phonxling.resample.replicates import replicate_counts
from simulations.corpora import (
    NORMALS,
    REPLICATES,
    entropies_of,
    limits_of_entropies,
    limits_of_shares,
    right_shares,
    stack_of,
)
from simulations.runner import Outcome, markdown, outcome, percent, study, trials

PHONES, DELETED = 20, 0.1
MEAN = float(right_shares(NORMALS).mean())
MEASURES = {"conditional_entropy": "H(X given Y)", "entropy_predicted": "H(X)", "mutual_information": "I(X;Y)"}
Found = Mapping[str, Sequence[Outcome]]


class World:
    """A channel, the gold phones' shares, and costs, the same for all simulations."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.gold = generator.dirichlet(np.full(PHONES, 2.0))
        wrong = generator.dirichlet(np.full(PHONES, 0.3), PHONES) * (1 - np.eye(PHONES)) + 1e-3 * (1 - np.eye(PHONES))
        wrong = (1 - DELETED) * wrong / wrong.sum(axis=1, keepdims=True)
        self.errors = np.column_stack([wrong, np.full(PHONES, DELETED)])
        self.costs = np.column_stack([generator.uniform(0.05, 0.6, (PHONES, PHONES)), np.ones(PHONES)])
        np.fill_diagonal(self.costs, 0.0)

    def channel(self, right: float) -> Floats:
        """Return p(x|y) of a speaker with this share right, [20, 21], ∅ last."""
        return np.asarray(right * np.eye(PHONES, PHONES + 1) + (1 - right) * self.errors)

    def counts(
        self, tokens: Sequence[int], generator: np.random.Generator, channel: Callable[[float], Floats] | None = None
    ) -> Floats:
        """Return the counts of speakers with so many tokens, [C, 21, 21], ∅ last."""
        table = np.zeros((len(tokens), PHONES + 1, PHONES + 1))
        for own, number, right in zip(table, tokens, right_shares(generator.normal(size=len(tokens))), strict=True):
            joint = self.gold[:, None] * (channel or self.channel)(right)
            own[:-1] = generator.multinomial(number, joint.ravel()).reshape(joint.shape)
        return table


WORLD, REFERENCE = World(20), World(22)
UNEQUAL_SPEAKERS, TOKENS, LACKING = (5, 6, 8, 12, 24), 6_000, 3
SIZES = {"equal": "equal", "from 1 to 4": "moderate", "one with 60 %": "one"}
_HELD = np.arange(LACKING, PHONES)
_NEAREST = _HELD[WORLD.costs[:, _HELD].argmin(axis=1)]  # the phone of the inventory nearest to each
_FLOOR = WORLD.costs[np.arange(PHONES), _NEAREST]
_CHANCE = WORLD.costs[:, _HELD[(WORLD.gold @ WORLD.costs[:, _HELD]).argmin()]]  # always saying the best phone
DESIGNS, RATE, VARIED = ((6, 10), (12, 10), (12, 30), (24, 30), (40, 8), (40, 100)), 0.3, 0.4
FEW_DRAWS = 100  # of prompts: the jackknife over speakers is in the limits, too
SYMBOLS = Inventory(tuple(f"p{number}" for number in range(PHONES)))
DIVERGENCE = ExpectedConfusions.corrected_jensen_shannon


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    yield from study(times, seed, _simulated)


def _simulated(weights: Resampling, tokens: int, generator: np.random.Generator) -> Found:
    counts = WORLD.counts([tokens // weights.number] * weights.number, generator)
    mean = WORLD.channel(MEAN) * WORLD.gold[:, None]
    numbers = _rates(counts, mean, weights)
    numbers["deleted"] = (
        weights.ratio(counts[:, :-1, -1].sum(axis=1), counts[:, :-1].sum(axis=(1, 2)), "share"),
        float(mean[:, -1].sum()),
    )
    few, told = _information(counts, mean, weights)
    return {
        **{name: [outcome(number, truth)] for name, (number, truth) in numbers.items()},
        **{name: [outcome(number, truth, warned=few)] for name, (number, truth) in told.items()},
        **_phones(counts, weights),
    }


def _rates(counts: Floats, mean: Floats, weights: Resampling) -> dict[str, tuple[Estimate, float]]:
    tokens, same = counts[:, :-1].sum(axis=(1, 2)), np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    cost = (counts[:, :-1] * WORLD.costs).sum(axis=(1, 2))
    return {
        "PER": (weights.ratio(tokens - same, tokens, "rate"), 1 - float(np.trace(mean))),
        "wPER": (weights.ratio(cost, tokens, "rate"), float((mean * WORLD.costs).sum())),
    }


def _information(counts: Floats, mean: Floats, weights: Resampling) -> tuple[bool, dict[str, tuple[Estimate, float]]]:
    """Return whether cells are few, and each measure of information and its truth."""
    stack, settings = stack_of(counts), CountSettings(np.zeros(len(counts), np.int8))
    parts = cluster_cells(stack, weights)
    value, drawn = values(INFORMATION, stack, settings, parts), draws(INFORMATION, stack, weights, settings)
    truth = information(entropy_sums(mean[:, :-1] / mean[:, :-1].sum()))
    return bool(few_per_cell(parts.table)), {
        label: (
            information_interval(value[name], drawn[name], weights, left_out=parts.left_out[name]),
            float(truth[name]),
        )
        for name, label in MEASURES.items()
    }


def _phones(counts: Floats, weights: Resampling) -> Found:
    stack, channel = stack_of(counts), WORLD.channel(MEAN)
    number, right = counts[:, :-1].sum(axis=2), np.diagonal(counts[:, :-1, :-1], axis1=1, axis2=2)
    few, limits = number.sum(axis=0) < FEW_TOKENS, zip(*limits_of_shares(right, number, weights), strict=True)
    accuracies = [Estimate(0, *ends) for ends in limits]
    replicates = [part[:-1, :-1] for part in replicate_counts(stack, weights)]
    drawn = np.concatenate([entropies_of(part, np.count_nonzero(part, axis=1)) for part in replicates], axis=1)
    truth = entropies_of(channel[:, :-1] / channel[:, :-1].sum(axis=1, keepdims=True))
    heard = counts[:, :-1, :-1].sum(axis=(0, 2)) < FEW_TOKENS
    entropies = limits_of_entropies(stack, weights, drawn)
    return {
        "accuracy of a phone": [*map(outcome, accuracies, np.diagonal(channel), few)],
        "entropy of a phone": [*map(outcome, entropies, truth, heard)],
    }


def unequal_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth, and of those that are descriptive."""
    found = {case: _unequal(*case, times, seed) for case in product(SIZES.values(), UNEQUAL_SPEAKERS)}
    rows = []
    for place, name in enumerate(("PER", "wPER", "skill", "attainable skill", "H(X given Y)")):
        for label, kind in SIZES.items():
            shares = (found[kind, number][:, place].mean(axis=0).tolist() for number in UNEQUAL_SPEAKERS)
            shown = (f"{100 * held:.0f}" + f" ({100 * few:.0f})" * (few > 0) for held, few in shares)
            rows.append([name, label, *shown])
    heads = (f"{number} speakers" for number in UNEQUAL_SPEAKERS)
    yield from markdown(["unequal speakers: measure", "tokens", *heads], rows, left=2)


def _unequal(kind: str, speakers: int, times: int, seed: int) -> Floats:
    """Return of each simulation whether the interval of each measure held, and is descriptive, [times, 5, 2].

    Tokens of speakers are equal, in equal steps from 1 to 4, or 60 % of one and the others equal.
    """
    parts = {
        "equal": np.ones(speakers),
        "moderate": np.linspace(1, 4, speakers),
        "one": np.array([1.5 * (speakers - 1), *np.ones(speakers - 1)]),
    }[kind]
    tokens = np.rint(TOKENS * parts / parts.sum())
    names = [f"{number:02}" for number in range(speakers)]
    weights = resampling(speakers, names, resamples=REPLICATES, seed=seed, tokens=tokens)

    def found(generator: np.random.Generator) -> list[Outcome]:
        counts = WORLD.counts(tokens.astype(int).tolist(), generator, _lacking)
        mean, said = WORLD.gold[:, None] * _lacking(MEAN), counts[:, :-1].sum(axis=2)
        cost, chance, floor = (counts[:, :-1] * WORLD.costs).sum(axis=(1, 2)), said @ _CHANCE, said @ _FLOOR
        own, least, most = float((mean * WORLD.costs).sum()), float(WORLD.gold @ _FLOOR), float(WORLD.gold @ _CHANCE)
        numbers = [
            *_rates(counts, mean, weights).values(),
            (_skill(cost, chance, weights), 1 - own / most),
            (_skill(cost - floor, chance - floor, weights), (most - own) / (most - least)),
            _information(counts, mean, weights)[1]["H(X given Y)"],
        ]
        return [outcome(one, truth, warned=is_descriptive(one.note)) for one, truth in numbers]

    return trials(times, [seed, speakers, len(kind)], found)


def _lacking(right: float) -> Floats:
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


def divergence_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    populations = (1e6 * world.channel(MEAN)[:, :-1] * world.gold[:, None] for world in (WORLD, REFERENCE))
    truth = float(_beside(*populations).jensen_shannon())

    def simulated(weights: Resampling, tokens: int, generator: np.random.Generator) -> Found:
        sizes = [tokens // weights.number] * weights.number
        own, other = (world.counts(sizes, generator)[:, :-1, :-1] for world in (WORLD, REFERENCE))
        whole = _beside(own.sum(axis=0), other.sum(axis=0))
        first, second = (np.tensordot(side, weights.weights.astype(np.float64), axes=(0, 1)) for side in (own, other))
        drawn = np.asarray(DIVERGENCE(replace(whole, target=first, reference=np.roll(second, 1, axis=-1))))
        centre, error = jackknifed_measure((own, other), whole, DIVERGENCE)
        number = information_interval(max(centre, 0.0), drawn, weights, error=error)
        few = few_per_cell(np.concatenate([whole.target, whole.reference]), FEW_PER_CELL_OF_DIVERGENCES)
        return {"JS": [outcome(number, truth, warned=bool(few))]}

    yield from study(times, seed, simulated)


def _beside(target: Floats, reference: Floats) -> ExpectedConfusions:
    return ExpectedConfusions(
        gold=SYMBOLS, predicted=SYMBOLS, target=target, reference=reference, kept=1.0, left_out=()
    )


def _prompts_held(times: int, speakers: int, prompts: int, spread: float) -> list[tuple[bool, bool]]:
    """Return whether intervals over speakers alone, and over speakers × prompts, hold the truth."""
    whole = np.sqrt(VARIED**2 + spread**2)
    truth = float(expit(logit(RATE) + whole * NORMALS).mean())
    speaker, prompt = (axis.ravel() for axis in np.indices((speakers, prompts)))
    tokens, found = np.full(len(speaker), float(PHONES)), []
    for number in range(times):
        draws = np.random.default_rng([7, speakers, prompts, number])
        own, its = draws.normal(0, VARIED, speakers), draws.normal(0, spread, prompts)
        errors = draws.binomial(PHONES, expit(logit(RATE) + own[speaker] + its[prompt])).astype(np.float64)
        alone = resampling(len(speaker), speaker, resamples=FEW_DRAWS, seed=number, tokens=tokens)
        limits = [each.ratio(errors, tokens, "rate") for each in (alone, replace(alone, prompts=prompt))]
        found.append((limits[0].low <= truth <= limits[0].high, limits[1].low <= truth <= limits[1].high))
    return found


def prompt_lines(times: int) -> Iterator[str]:
    """Yield the table as Markdown: prompts differ as much as speakers do, or not at all."""
    heads = ["shared prompts", "limits over", *(f"{one} × {other}" for one, other in DESIGNS)]
    rows = []
    for name, spread in (("prompts differ as speakers do", VARIED), ("prompts are alike", 0.0)):
        by_design = [_prompts_held(times, *design, spread) for design in DESIGNS]
        for place, over in enumerate(("speakers", "speakers × prompts")):
            rows.append([name, over, *(percent([one[place] for one in each]) for each in by_design)])
    yield from markdown(heads, rows, left=2)
