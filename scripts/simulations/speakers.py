"""Speakers who differ: how often the interval of each measure of the confusions holds the truth.

Each speaker hears a share of the phones right (see `right_shares`); errors keep their shares. So the mean of the
channels is the channel of the population, and its numbers are the truth. The recogniser lacks three of the 20 phones,
whose answers go to the nearest one. All speakers have as many tokens, or one has 40 % of all. `threshold_lines`: what
intervals of fewer speakers, or of more unequal ones, would hold. `divergence_lines`: two languages with channels of
their own, as many speakers and tokens each, and their JS divergence.

`prompt_lines`: speakers who read the same prompts, and how often intervals hold the rate of all speakers and prompts.
An utterance has 20 phones; the logit of its rate of error is that of 0.3, more or less by its speaker and its prompt.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from unittest import mock

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, logit

from phonxling.analyses.expected import corrected_jensen_shannon, jensen_shannon
from phonxling.analyses.statistics import STATISTICS, CountSettings, measure_statistics
from phonxling.core.arrays import Floats
from phonxling.core.estimate import FEW_TOKENS, Estimate
from phonxling.stats import student
from phonxling.stats.estimators import FEW_PER_CELL_OF_DIVERGENCES, few_per_cell, table_information
from phonxling.stats.jackknife import Clusters, clusters_of
from phonxling.stats.two_corpora import jackknife_counts
from simulations.corpora import (
    LEVEL,
    NORMALS,
    limits_of_entropies,
    limits_of_shares,
    right_shares,
    sizes_of,
    speakers_of,
    stack_of,
    true_entropies,
)
from simulations.runner import Held, Outcome, markdown, outcome, outcomes, percent, study

PHONES, DELETED, LACKING = 20, 0.1, 3
MEAN = float(right_shares(NORMALS).mean())
MEASURES = {
    "conditional_entropy": "H(X given Y)",
    "conditional_entropy_given_predicted": "H(Y given X)",
    "entropy_predicted": "H(X)",
    "mutual_information": "I(X;Y)",
    "one_to_one_accuracy": "one-to-one accuracy",
}
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
_HELD = np.arange(LACKING, PHONES)
_NEAREST = _HELD[WORLD.costs[:, _HELD].argmin(axis=1)]  # the phone of the inventory nearest to each
_FLOOR = WORLD.costs[np.arange(PHONES), _NEAREST]
_CHANCE = WORLD.costs[:, _HELD[(WORLD.gold @ WORLD.costs[:, _HELD]).argmin()]]  # always saying the best phone
DESIGNS, RATE, VARIED = ((6, 10), (12, 10), (12, 30), (24, 30), (40, 8), (40, 100)), 0.3, 0.4
THRESHOLD = ((3, 0.0), (4, 0.0), (5, 0.0), (12, 0.7), (12, 0.6), (12, 0.5), (12, 0.45), (12, 0.4))


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    yield from study(times, seed, _simulated)


def threshold_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield as Markdown what intervals of 6,000 tokens would hold if none were refused."""
    found = list[Held]()
    with mock.patch.multiple(student, FEW_CLUSTERS=2, FEW_EFFECTIVE=1.0):
        for speakers, largest in THRESHOLD:
            sizes = sizes_of(speakers, 6_000, largest)
            found.append(outcomes(times, [seed, speakers, int(100 * largest)], sizes, _simulated))
    sizes = [np.array(sizes_of(speakers, 6_000, largest), np.float64) for speakers, largest in THRESHOLD]
    heads = (f"{number}" + f", one has {100 * share:.0f} %" * (share > 0) for number, share in THRESHOLD)
    rows = [["effective speakers", *(f"{student.effective_clusters(own):.1f}" for own in sizes)]]
    rows.append(
        ["interval", *("no" if student.too_few(len(own), student.effective_clusters(own)) else "yes" for own in sizes)]
    )
    rows += [[name, *(percent(held[name][0]) for held in found)] for name in found[0]]
    yield from markdown(["speakers", *heads], rows)


def _simulated(tokens: list[int], generator: np.random.Generator) -> Found:
    counts, joint = WORLD.counts(tokens, generator, _lacking), WORLD.gold[:, None] * _lacking(MEAN)
    clusters = speakers_of(counts)
    few = bool(few_per_cell(counts[:, :-1, :-1].sum(axis=0)))
    told = _information(counts, joint, clusters)
    return {
        **{name: [outcome(number, truth)] for name, (number, truth) in _rates(counts, joint, clusters).items()},
        **{name: [outcome(number, truth, warned=few)] for name, (number, truth) in told.items()},
        **_phones(counts, clusters),
    }


def _rates(counts: Floats, joint: Floats, clusters: Clusters) -> dict[str, tuple[Estimate, float]]:
    """Return the interval of each rate and skill, and its truth."""
    said = counts[:, :-1].sum(axis=2)
    tokens, same = said.sum(axis=1), np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    cost, chance, floor = (counts[:, :-1] * WORLD.costs).sum(axis=(1, 2)), said @ _CHANCE, said @ _FLOOR
    deleted, each = counts[:, :-1, -1].sum(axis=1), np.ones(len(tokens))
    rate, most, least = float((joint * WORLD.costs).sum()), float(WORLD.gold @ _CHANCE), float(WORLD.gold @ _FLOOR)
    return {
        "PER": (clusters.ratio(tokens - same, tokens, "rate"), 1 - float(np.trace(joint))),
        "wPER": (clusters.ratio(cost, tokens, "rate"), rate),
        "wPER, mean of speakers": (clusters.ratio(cost / tokens, each, "rate"), rate),
        "deletion rate": (clusters.ratio(deleted, tokens, "share"), float(joint[:, -1].sum())),
        "floor": (clusters.ratio(floor, tokens, "rate"), least),
        "skill": (clusters.ratio(chance - cost, chance, "skill"), 1 - rate / most),
        "skill above a floor": (
            clusters.ratio(chance - cost, chance - floor, "skill"),
            (most - rate) / (most - least),
        ),
    }


def _information(counts: Floats, joint: Floats, clusters: Clusters) -> dict[str, tuple[Estimate, float]]:
    """Return the interval of each entropy, of information, and of the one-to-one accuracy, and its truth."""
    kept = joint[:, :-1] / joint[:, :-1].sum()
    truth = {name: float(value) for name, value in table_information(kept).items()}
    truth["one_to_one_accuracy"] = float(kept[linear_sum_assignment(kept, maximize=True)].sum())
    half, dealt = np.zeros(len(counts), np.int8), [0.0, 0.0]
    for speaker, size in enumerate(clusters.sizes):
        half[speaker] = dealt[1] < dealt[0]
        dealt[half[speaker]] += size
    numbers = measure_statistics(STATISTICS, stack_of(counts), clusters, CountSettings(half))
    return {
        label: (one.estimate(numbers[one.name], clusters, (PHONES, PHONES), None), truth[one.name])
        for one in STATISTICS
        if (label := MEASURES.get(one.name))
    }


def _phones(counts: Floats, clusters: Clusters) -> Found:
    """Return the outcomes of each phone that the recogniser has."""
    channel, pairs = _lacking(MEAN)[LACKING:], counts[:, LACKING:-1, :-1]
    tokens, right = counts[:, LACKING:-1].sum(axis=2).T, np.diagonal(counts, axis1=1, axis2=2)[:, LACKING:-1].T
    few, answered = tokens.sum(axis=1) < FEW_TOKENS, pairs.sum(axis=(0, 2)) < FEW_TOKENS
    accuracies = zip(*limits_of_shares(right, tokens, clusters), strict=True)
    entropies = zip(*limits_of_entropies(pairs, clusters), strict=True)
    return {
        "accuracy of a phone": [
            outcome(Estimate(0, *ends), truth, warned=warned)
            for ends, truth, warned in zip(accuracies, channel[:, LACKING:].diagonal(), few, strict=True)
        ],
        "entropy of a phone": [
            outcome(Estimate(0, *ends), truth, warned=warned)
            for ends, truth, warned in zip(entropies, true_entropies(channel[:, :-1]), answered, strict=True)
        ],
    }


def _lacking(right: float) -> Floats:
    """Return p(x|y) of a speaker with this share right, [20, 21], ∅ last; three phones are never heard."""
    channel = WORLD.channel(right)
    for phone in range(LACKING):
        channel[:, _NEAREST[phone]] += channel[:, phone]
        channel[:, phone] = 0.0
    return channel


def divergence_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth, where tokens are few, too."""
    populations = (world.channel(MEAN)[:, :-1] * world.gold[:, None] for world in (WORLD, REFERENCE))
    truth = float(jensen_shannon(*populations))

    def simulated(tokens: list[int], generator: np.random.Generator) -> Found:
        own, other = (world.counts(tokens, generator)[:, :-1, :-1] for world in (WORLD, REFERENCE))
        number = jackknife_counts(corrected_jensen_shannon, own, other, corrected=True).estimate(LEVEL)
        few = few_per_cell(np.stack([own.sum(axis=0), other.sum(axis=0)]), FEW_PER_CELL_OF_DIVERGENCES)
        return {"JS": [outcome(number, truth, warned=few)]}

    yield from study(times, seed, simulated)


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
        alone = clusters_of(tokens, speaker)
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
