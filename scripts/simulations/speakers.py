"""Speakers who differ: how often the interval of each measure of the confusions holds the truth.

Each speaker hears a share of the phones right (see `right_shares`); errors keep their shares. So the mean of the
channels is the channel of the population, and its numbers are the truth.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from phonxling.analyses.statistics import INFORMATION, CountSettings, draws, values
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.resample.entropy_sums import entropy_sums, information, n_log_n, row_entropies
from phonxling.resample.information_interval import FEW_TOKENS, few_per_cell, information_interval
from phonxling.resample.jackknife import cluster_cells, jackknifed_rows
from phonxling.resample.proportion import ClusteredTokens, share_limits
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling
from simulations.corpora import NORMALS, Outcome, outcome, right_shares, stack_of, study

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

    def counts(self, speakers: int, tokens: int, generator: np.random.Generator) -> Floats:
        """Return the counts of each of some speakers, [C, 21, 21], ∅ last."""
        table = np.zeros((speakers, PHONES + 1, PHONES + 1))
        for own, right in zip(table, right_shares(generator.normal(size=speakers)), strict=True):
            joint = self.gold[:, None] * self.channel(right)
            own[:-1] = generator.multinomial(tokens // speakers, joint.ravel()).reshape(joint.shape)
        return table


WORLD = World(20)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of intervals that held the truth."""
    yield from study(times, seed, _simulated)


def _simulated(weights: Resampling, tokens: int, generator: np.random.Generator) -> Found:
    counts = WORLD.counts(weights.number, tokens, generator)
    return {**_rates(counts, weights), **_information(counts, weights), **_phones(counts, weights)}


def _rates(counts: Floats, weights: Resampling) -> Found:
    tokens, same = counts[:, :-1].sum(axis=(1, 2)), np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    mean = WORLD.channel(MEAN) * WORLD.gold[:, None]
    cost = (counts[:, :-1] * WORLD.costs).sum(axis=(1, 2))
    found = {
        "PER": (weights.ratio(tokens - same, tokens, "rate"), 1 - np.trace(mean)),
        "wPER": (weights.ratio(cost, tokens, "rate"), (mean * WORLD.costs).sum()),
        "deleted": (weights.ratio(counts[:, :-1, -1].sum(axis=1), tokens, "share"), mean[:, -1].sum()),
    }
    return {name: [outcome(number, float(truth))] for name, (number, truth) in found.items()}


def _information(counts: Floats, weights: Resampling) -> Found:
    stack = stack_of(counts)
    parts = cluster_cells(stack, weights)
    settings = CountSettings(np.zeros(len(stack), np.int8))
    value, drawn = values(INFORMATION, stack, settings, parts), draws(INFORMATION, stack, weights, settings)
    mean = WORLD.channel(MEAN)[:, :-1] * WORLD.gold[:, None]
    truth = information(entropy_sums(mean / mean.sum()))
    found, warned = {}, bool(few_per_cell(parts.table))
    for name, label in (
        ("conditional_entropy", "H(X given Y)"),
        ("entropy_predicted", "H(X)"),
        ("mutual_information", "I(X;Y)"),
    ):
        number = information_interval(value[name], drawn[name], weights, left_out=parts.left_out[name])
        found[label] = [outcome(number, float(truth[name]), warned=warned)]
    return found


def _phones(counts: Floats, weights: Resampling) -> Found:
    stack = stack_of(counts)
    channel = WORLD.channel(MEAN)
    number, right = counts[:, :-1].sum(axis=2), np.diagonal(counts[:, :-1, :-1], axis1=1, axis2=2)
    cluster, kind = np.nonzero(number)
    clustered = ClusteredTokens(kind, number[cluster, kind], right[cluster, kind], PHONES)
    total = number.sum(axis=0)
    drawn = divided(weights.weights @ right, weights.weights @ number).T
    low, high = share_limits(clustered, drawn, weights)
    few = total < FEW_TOKENS
    accuracy = [outcome(Estimate(0, *ends), channel[phone, phone], warned=few[phone])
                for phone, ends in enumerate(zip(low, high, strict=True))]  # fmt: skip
    return {"accuracy of a phone": accuracy, "entropy of a phone": _entropies(channel, stack, weights)}


def _entropies(channel: Floats, stack: ConfusionStack, weights: Resampling) -> list[Outcome]:
    parts = cluster_cells(stack, weights)
    tokens, best = parts.table.sum(axis=1), jackknifed_rows(parts)
    drawn = np.concatenate(
        [
            row_entropies(part.sum(axis=1), n_log_n(part).sum(axis=1), np.count_nonzero(part, axis=1))
            for part in (c[:-1, :-1] for c in replicate_counts(stack, weights))
        ],
        axis=1,
    )
    given = channel[:, :-1] / channel[:, :-1].sum(axis=1, keepdims=True)
    truth = row_entropies(given.sum(axis=1), n_log_n(given).sum(axis=1))
    found = []
    for phone in range(PHONES):
        error, clusters = float(best.error[phone]), int(best.clusters[phone])
        number = information_interval(float(best.value[phone]), drawn[phone], weights, error=error, clusters=clusters)
        found.append(outcome(number, float(truth[phone]), warned=bool(tokens[phone] < FEW_TOKENS)))
    return found
