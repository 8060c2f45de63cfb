"""Made confusion matrices: how often intervals hold the truth, and how far estimates of entropy are off.

Of H(X|Y) and I(X;Y) by tokens a cell seen, of the numbers of phones.tsv (accuracy near 0 and 1, the entropy of one
phone), and of each estimator of entropy by sample size.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from phonxling.analyses.statistics import (
    INFORMATION,
    CountSettings,
    MeasuredValue,
    measure_statistics,
    statistics_called,
)
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import FEW_TOKENS
from phonxling.stats.estimators import (
    ESTIMATORS,
    entropy,
    few_per_cell,
    table_information,
)
from phonxling.stats.jackknife import Clusters, clusters_of
from simulations.corpora import (
    GOLD,
    HEARD,
    limits_of_entropies,
    limits_of_shares,
    shares,
    speakers_of,
    speakers_own,
    stack_of,
    true_entropies,
)
from simulations.runner import markdown, outcome, percent, trial_table

SPEAKERS, TOKENS = 50, (500, 1000, 2000, 3000, 6000, 30_000)
CASES = (  # concentration of errors, and of speakers around them
    ("even errors", 1.0, 0.0),
    ("errors of a few kinds", 0.1, 0.0),
    ("even errors, speakers differ", 1.0, 30.0),
)
MEASURES = ("conditional_entropy", "mutual_information")
PHONE_SPEAKERS, CORRELATIONS, PHONE_TOKENS = (6, 12, 40), (0.0, 0.1), (20, 100, 500)
ACCURACIES = (0.01, 0.1, 0.5, 0.9, 0.99)
RARE_SPEAKERS, RARE_CORRELATIONS, RARE_TOKENS = (5, 12, 20), (0.0, 0.02, 0.1), (400, 4000)
RARE = (0.001, 0.005, 0.02, 0.1)
PHONE = (42, (5, 10, 20, 50, 100, 500, 2000))
JOINT = (30 * 42, (300, 1000, 3000, 10_000, 30_000))


def _simulated(
    speakers: int, tokens: int, case: Sequence[float], generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return a joint distribution and the counts of each speaker from it, [speakers, 31, 43], without gaps."""
    concentration, strength = case
    given = shares(generator, concentration or 1.0)
    given = given if concentration else np.broadcast_to(given[:1], given.shape)
    gold = generator.dirichlet(np.full(GOLD, 2.0))
    own = speakers_own(given, speakers, strength, generator) * gold[:, None]
    counts = np.stack([generator.multinomial(tokens // speakers, one.ravel() / one.sum()) for one in own])
    return given * gold[:, None], np.pad(counts.reshape(own.shape), ((0, 0), (0, 1), (0, 1))).astype(float)


def information_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown: per cent of the simulations in which the interval held H(X|Y), and I."""
    for title, *case in (*CASES, ("no information", 0.0, 0.0)):
        rows = []
        for tokens in TOKENS:
            generator = np.random.default_rng([seed, tokens])
            found = [_held(*_simulated(SPEAKERS, tokens, case, generator)) for _ in range(times)]
            per_cell, warned, *held = np.array(found).T
            rows.append([f"{tokens:,}", f"{np.mean(per_cell):.1f}", *map(percent, held), percent(warned)])
        yield from markdown([f"{title}: tokens", "a cell seen", "H(X given Y)", "I(X;Y)", "warned"], rows, left=0)


def _held(joint: Floats, counts: Floats) -> list[float]:
    """Return tokens a cell seen, whether that is warned of, and whether limits held both measures."""
    truth, table, clusters = table_information(joint), counts.sum(axis=0)[:-1, :-1], speakers_of(counts)
    numbers = _measured(stack_of(counts), clusters)
    every = {
        one.name: one.estimate(numbers[one.name], clusters, joint.shape, None) for one in statistics_called(MEASURES)
    }
    held = [outcome(one, float(truth[name]))[0] for name, one in every.items()]
    return [table.sum() / np.count_nonzero(table), few_per_cell(table), *held]


def _measured(stack: ConfusionStack, clusters: Clusters) -> dict[str, MeasuredValue]:
    return measure_statistics(INFORMATION, stack, clusters, CountSettings(np.zeros(len(stack), np.int8)))


def phone_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield two tables as Markdown: of the accuracy of a phone among 30 such, and of the entropy of one."""
    cases = {
        (speakers, f"{correlation:g}", tokens): (speakers, correlation, tokens)
        for speakers, correlation, tokens in product(PHONE_SPEAKERS, CORRELATIONS, PHONE_TOKENS)
    }
    heads = ["speakers", "ρ", "tokens", *(f"{100 * accuracy:g} % right" for accuracy in ACCURACIES)]
    yield from trial_table(times // 10 + 1, seed, heads, cases, _accuracies)
    cases = {(tokens,): (tokens,) for tokens in (5, 10, 20, 50, 100, 500)}
    yield from trial_table(times // 10 + 1, seed, ["tokens of the phone", "entropy", "warned"], cases, _entropy)


def _accuracies(speakers: int, correlation: float, tokens: int, generator: np.random.Generator) -> Floats:
    """Return whether the limits of 30 phones of each accuracy held it, [A, 30]; NaN without limits."""
    return np.stack([_accuracy(speakers, tokens, right, correlation, generator) for right in ACCURACIES])


def _accuracy(speakers: int, tokens: int, right: float, correlation: float, generator: np.random.Generator) -> Floats:
    size = generator.multinomial(tokens, np.full(speakers, 1 / speakers), GOLD)
    own = _speakers_shares(right, correlation, size.shape, generator)
    events, clusters = generator.binomial(size, own), clusters_of(np.ones(speakers), cluster="utterance")
    low, high = limits_of_shares(events.astype(float), size.astype(float), clusters)
    return np.where(np.isnan(low), np.nan, (low <= right) & (right <= high))


def _speakers_shares(
    share: float, correlation: float, shape: int | tuple[int, ...], generator: np.random.Generator
) -> Floats:
    """Return speakers' own shares around one: Beta, so that tokens of one speaker have this correlation."""
    if not correlation:
        return np.full(shape, share)
    strength = 1 / correlation - 1
    return generator.beta(share * strength, (1 - share) * strength, shape)


def _entropy(tokens: int, generator: np.random.Generator) -> Floats:
    """Return whether the limits held the entropy of each of 30 phones, NaN without limits; and whether a note warns."""
    given, speakers = shares(generator, 0.1), max(PHONE_SPEAKERS)
    counts = generator.multinomial(tokens, given)
    spread = np.zeros((speakers, GOLD, HEARD))
    for phone, answers in enumerate(counts):
        np.add.at(spread, (generator.integers(0, speakers, tokens), phone, np.repeat(np.arange(HEARD), answers)), 1)
    low, high = limits_of_entropies(spread, clusters_of(np.ones(speakers), cluster="utterance"))
    truth = true_entropies(given)
    held = np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))
    return np.stack([held, np.full(GOLD, tokens < FEW_TOKENS)])


def rare_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table of rare events, whose shares differ from speaker to speaker, as Markdown."""
    cases = {
        (speakers, f"{correlation:g}", f"{tokens:,}"): (speakers, correlation, tokens)
        for speakers, correlation, tokens in product(RARE_SPEAKERS, RARE_CORRELATIONS, RARE_TOKENS)
    }
    yield from trial_table(
        times, seed, ["speakers", "ρ", "tokens", *(f"{100 * share:g} %" for share in RARE)], cases, _rare
    )


def _rare(speakers: int, correlation: float, tokens: int, generator: np.random.Generator) -> list[bool]:
    """Return whether the limits of each rare share of all tokens held it."""
    size, held = np.full(speakers, float(tokens // speakers)), []
    for share in RARE:
        own = _speakers_shares(share, correlation, speakers, generator)
        events = generator.binomial(size.astype(int), own).astype(float)
        found = clusters_of(size, cluster="utterance").ratio(events, size, "share")
        held.append(found.low <= share <= found.high)
    return held


def _off(symbols: int, tokens: int, samples: int, generator: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return each estimator's bias and root mean square error in bits over `samples` distributions."""
    found: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    for _ in range(samples):
        truth = generator.dirichlet(np.full(symbols, 0.1))
        counts = generator.multinomial(tokens, truth)
        exact = entropy(truth)
        for name, off in found.items():
            off.append(entropy(counts, name) - exact)
    return {name: (float(np.mean(off)), float(np.sqrt(np.mean(np.square(off))))) for name, off in found.items()}


def estimator_lines(samples: int, seed: int = 20) -> Iterator[str]:
    """Yield the two tables as Markdown: bias ± root mean square error in bits."""
    generator = np.random.default_rng(seed)
    for title, (symbols, sizes), share in (("One phone", PHONE, 1), ("The joint", JOINT, 10)):
        rows = []
        for tokens in sizes:
            off = _off(symbols, tokens, max(1, samples // share), generator)
            rows.append([f"{tokens:,}", *(f"{bias:+.2f} ({rms:.2f})" for bias, rms in off.values())])
        yield from markdown([f"{title}: tokens", *ESTIMATORS], rows, left=0)
