"""Corpora of speakers who differ: how often each measure's interval holds the truth, from counts of a known channel.

Every speaker hears a share of the phones right that is the logistic of logit(0.7) + 0.5 · z, z standard normal; errors
keep their shares. So the mean of the channels is the population's channel, and its numbers are the truth.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.special import expit, logit

from phonxling.analyses.confidence.nce import nce_of_sums, nce_values
from phonxling.core.arrays import divided, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.resample.entropy_sums import entropy_sums, information, n_log_n, row_entropies
from phonxling.resample.information_interval import FEW_TOKENS, few_per_cell, information_interval
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import cluster_cells, jackknifed_information, jackknifed_rows
from phonxling.resample.proportion import ClusteredTokens, share_limits
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.student import jackknife_error
from phonxling.resample.weights import Resampling, resampling
from simulations.corpora import Floats, Held, held_table, stack_of

SPEAKERS, TOKENS = (4, 6, 8, 12, 24, 40), (500, 2000, 20_000)
PHONES, RIGHT, SPREAD, DELETED, REPLICATES = 20, 0.7, 0.5, 0.1, 300
SHARP = 5.0  # how alike the posteriors of one heard phone are
NORMALS = np.random.default_rng(0).normal(size=200_000)  # that stand for all speakers


def shares(z: Floats) -> Floats:
    """Return the share of phones that speakers with these z are heard right in."""
    return np.asarray(expit(logit(RIGHT) + SPREAD * z))


MEAN = float(shares(NORMALS).mean())


class World:
    """A channel, the gold phones' shares, and posteriors, the same for all simulations."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.gold = generator.dirichlet(np.full(PHONES, 2.0))
        wrong = generator.dirichlet(np.full(PHONES, 0.3), PHONES) * (1 - np.eye(PHONES)) + 1e-3 * (1 - np.eye(PHONES))
        wrong = (1 - DELETED) * wrong / wrong.sum(axis=1, keepdims=True)
        self.errors = np.column_stack([wrong, np.full(PHONES, DELETED)])
        self.costs = np.column_stack([generator.uniform(0.05, 0.6, (PHONES, PHONES)), np.ones(PHONES)])
        np.fill_diagonal(self.costs, 0.0)
        self.posterior = 0.8 * np.eye(PHONES) + 0.2 * generator.dirichlet(np.full(PHONES, 0.5), PHONES)

    def channel(self, right: float) -> Floats:
        """Return p(x|y) of a speaker with this share right, [20, 21], ∅ last."""
        return np.asarray(right * np.eye(PHONES, PHONES + 1) + (1 - right) * self.errors)

    def counts(self, speakers: int, tokens: int, generator: np.random.Generator) -> Floats:
        """Return the counts of each of some speakers, [C, 21, 21], ∅ last."""
        table = np.zeros((speakers, PHONES + 1, PHONES + 1))
        for own, right in zip(table, shares(generator.normal(size=speakers)), strict=True):
            joint = self.gold[:, None] * self.channel(right)
            own[:-1] = generator.multinomial(tokens // speakers, joint.ravel()).reshape(joint.shape)
        return table


def simulated(world: World, speakers: int, tokens: int, *, times: int) -> Held:
    """Return of each measure how often its interval held the truth, and how often a note warned."""
    weights = resampling(speakers, [f"{number:02}" for number in range(speakers)], resamples=REPLICATES, seed=20)
    held: dict[str, list[tuple[float, float]]] = {}
    for number in range(times):
        generator = np.random.default_rng([20, speakers, tokens, number])
        counts = world.counts(speakers, tokens, generator)
        for study in (_rates, _information, _phones, _posteriors, _confidence):
            for name, each in study(world, counts, weights, generator).items():
                held.setdefault(name, []).extend(each)
    return {name: (float(np.nanmean([one for one, _ in rows])), float(np.mean([warned for _, warned in rows])))
            for name, rows in held.items()}  # fmt: skip


Found = Mapping[str, Sequence[tuple[float, float]]]


def _held(number: Estimate, truth: float, warned: bool = False) -> tuple[float, float]:
    """Return whether an interval held the truth, NaN without one, and whether its note warned."""
    known = not np.isnan(number.low)
    return float(number.low <= truth <= number.high) if known else np.nan, float(warned)


def _rates(world: World, counts: Floats, weights: Resampling, _: np.random.Generator) -> Found:
    tokens, same = counts[:, :-1].sum(axis=(1, 2)), np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    mean = world.channel(MEAN) * world.gold[:, None]
    cost = (counts[:, :-1] * world.costs).sum(axis=(1, 2))
    found = {
        "PER": (weights.ratio(tokens - same, tokens, "rate"), 1 - np.trace(mean)),
        "wPER": (weights.ratio(cost, tokens, "rate"), (mean * world.costs).sum()),
        "deleted": (weights.ratio(counts[:, :-1, -1].sum(axis=1), tokens, "share"), mean[:, -1].sum()),
    }
    return {name: [_held(number, float(truth))] for name, (number, truth) in found.items()}


def _information(world: World, counts: Floats, weights: Resampling, _: np.random.Generator) -> Found:
    stack = stack_of(counts)
    parts = cluster_cells(stack, weights)
    draws = [information(entropy_sums(part[:-1, :-1])) for part in replicate_counts(stack, weights)]
    mean = world.channel(MEAN)[:, :-1] * world.gold[:, None]
    truth, plain = information(entropy_sums(mean / mean.sum())), information(entropy_sums(parts.table()))
    found, warned = {}, bool(few_per_cell(parts))
    for name, label in (
        ("conditional_entropy", "H(X given Y)"),
        ("entropy_predicted", "H(X)"),
        ("mutual_information", "I(X;Y)"),
    ):
        best, drawn = jackknifed_information(parts)[name], np.concatenate([part[name] for part in draws])
        number = information_interval(
            float(plain[name]), drawn, centre=float(best.value), error=float(best.error), resampling=weights
        )
        found[label] = [_held(number, float(truth[name]), warned)]
    return found


def _phones(world: World, counts: Floats, weights: Resampling, _: np.random.Generator) -> Found:
    stack = stack_of(counts)
    channel = world.channel(MEAN)
    number, right = counts[:, :-1].sum(axis=2), np.diagonal(counts[:, :-1, :-1], axis1=1, axis2=2)
    cluster, kind = np.nonzero(number)
    clustered = ClusteredTokens(kind, number[cluster, kind], right[cluster, kind], PHONES)
    total = number.sum(axis=0)
    drawn = divided(weights.weights @ right, weights.weights @ number).T
    low, high = share_limits(clustered, drawn, weights)
    few = total < FEW_TOKENS
    accuracy = [_held(Estimate(0, *ends), channel[phone, phone], few[phone])
                for phone, ends in enumerate(zip(low, high, strict=True))]  # fmt: skip
    return {"accuracy of a phone": accuracy, "entropy of a phone": _entropies(channel, stack, weights)}


def _entropies(channel: Floats, stack: ConfusionStack, weights: Resampling) -> list[tuple[float, float]]:
    parts = cluster_cells(stack, weights)
    table, best = parts.table(), jackknifed_rows(parts)
    values = row_entropies(table.sum(axis=1), n_log_n(table).sum(axis=1))
    drawn = np.concatenate(
        [
            row_entropies(part.sum(axis=1), n_log_n(part).sum(axis=1))
            for part in (c[:-1, :-1] for c in replicate_counts(stack, weights))
        ],
        axis=1,
    )
    given = channel[:, :-1] / channel[:, :-1].sum(axis=1, keepdims=True)
    truth = row_entropies(given.sum(axis=1), n_log_n(given).sum(axis=1))
    found = []
    for phone in range(PHONES):
        number = information_interval(
            float(values[phone]),
            drawn[phone],
            centre=float(best.value[phone]),
            error=float(best.error[phone]),
            resampling=weights,
        )
        found.append(_held(number, float(truth[phone]), bool(table[phone].sum() < FEW_TOKENS)))
    return found


def _posteriors(world: World, counts: Floats, weights: Resampling, generator: np.random.Generator) -> Found:
    """Each token's posterior is drawn around that of the phone heard."""
    number = counts[:, :-1, :-1].astype(int)
    speaker, gold, heard = np.repeat(np.indices(number.shape).reshape(3, -1), number.ravel(), axis=1)
    rows = generator.gamma(SHARP * world.posterior[heard] + 1e-3)
    rows /= rows.sum(axis=1, keepdims=True)
    code = speaker * PHONES + gold
    mass = np.stack([sum_by(code, column, weights.number * PHONES) for column in rows.T], axis=1)
    mass = mass.reshape(weights.number, PHONES, PHONES)
    expected = (SHARP * world.posterior + 1e-3) / (SHARP + 1e-3 * PHONES)
    mean = world.channel(MEAN)[:, :-1] * world.gold[:, None]
    whole, count = mass.sum(axis=0), weights.number
    drawn = (weights.weights.astype(np.float64) @ mass.reshape(count, -1)).reshape(-1, PHONES, PHONES)
    truth, value = (_told(one[None])[0] for one in (mean @ expected, whole))
    left = _told(whole - mass)
    centre, error = count * value - (count - 1) * left.mean(), jackknife_error(left)
    number_of = information_interval(value, _told(drawn), centre=centre, error=error, resampling=weights)
    return {"posterior information": [_held(number_of, truth)]}


def _told(masses: Floats) -> Floats:
    """Return I(Y;E) of tables of mass, [N, G, K], in bits."""
    return information(entropy_sums(np.moveaxis(masses, 0, -1)))["mutual_information"]


_SLOPE, _NOISE = 0.8, 1.0


def _confident(own: Floats, tokens: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return whether tokens are right, and their confidence, which leaves out what is the speaker's own."""
    noise = generator.normal(0, _NOISE, len(tokens))
    right = generator.random(len(tokens)) < expit(0.85 + own[tokens.astype(int)] + noise)
    return right, expit(_SLOPE * (0.85 + noise))


def _confidence(_: World, counts: Floats, weights: Resampling, generator: np.random.Generator) -> Found:
    owner = np.repeat(np.arange(weights.number), counts.sum(axis=(1, 2)).astype(int))
    values = nce_values(*_confident(SPREAD * generator.normal(size=weights.number), owner, generator))
    sums = np.stack([sum_by(owner, column, weights.number) for column in values.T], axis=1)
    drawn, left = nce_of_sums(weights.weights @ sums), nce_of_sums(sums.sum(axis=0) - sums)
    number = estimate(float(nce_of_sums(sums.sum(axis=0))), drawn, weights, kind="skill", left_out=left)
    return {"NCE": [_held(number, _NCE)]}


def _nce_of_all() -> float:
    generator = np.random.default_rng(1)
    return float(
        nce_of_sums(
            nce_values(*_confident(SPREAD * NORMALS, np.repeat(np.arange(len(NORMALS)), 5), generator)).sum(axis=0)
        )
    )


_NCE = _nce_of_all()


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield a table a measure as Markdown: per cent of intervals that held the truth, and of those warned of."""
    world = World(seed)
    found = {(c, n): simulated(world, c, n, times=times) for c in SPEAKERS for n in TOKENS}
    yield from held_table(found, SPEAKERS, TOKENS)
