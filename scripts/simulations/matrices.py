"""Made confusion matrices: how far estimates of information are off, and how often intervals hold the truth.

Of H(X|Y) and I(X;Y) by tokens a cell seen, of the numbers of phones.tsv (accuracy near 0 and 1, the entropy of one
phone), and of each estimator of entropy by sample size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from phonxling.analyses.entropy import conditional_entropy, confusion_information
from phonxling.analyses.statistics import INFORMATION, CountSettings, values
from phonxling.core.arrays import Floats
from phonxling.core.estimate import FEW_TOKENS
from phonxling.resample.entropies import (
    cluster_cells,
    entropy_sums,
    few_per_cell,
    information,
    information_interval,
    jackknife,
)
from phonxling.resample.estimators import ESTIMATORS as EVERY_ESTIMATOR, entropy
from phonxling.resample.intervals import Resampling, estimate, percentile, resampling
from phonxling.resample.replicates import replicate_counts
from simulations.corpora import (
    GOLD,
    HEARD,
    LEVEL,
    REPLICATES,
    entropies_of,
    limits_of_entropies,
    limits_of_shares,
    shares,
    speakers_own,
    stack_of,
)
from simulations.runner import markdown, percent

SPEAKERS, TOKENS = 50, (500, 1000, 2000, 3000, 6000, 30_000)
CASES = (  # concentration of errors, and of speakers around them
    ("even errors", 1.0, 0.0),
    ("errors of a few kinds", 0.1, 0.0),
    ("even errors, speakers differ", 1.0, 30.0),
)
MEASURES = ("conditional_entropy", "mutual_information")
METHODS = ("percentile", "t limits of the jackknifed Miller–Madow estimate")
SIZES = ((6, 500), (12, 2000), (24, 20_000))  # speakers, tokens
ESTIMATORS = ("ml", "miller-madow", "chao-shen")
PHONE_SPEAKERS, CORRELATIONS, PHONE_TOKENS = (6, 12, 40), (0.0, 0.1), (20, 100, 500)
ACCURACIES = (0.01, 0.1, 0.5, 0.9, 0.99)
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
    drawn = resampling(SPEAKERS, None, resamples=REPLICATES, seed=seed)
    for title, *case in (*CASES, ("no information", 0.0, 0.0)):
        rows = []
        for tokens in TOKENS:
            generator = np.random.default_rng([seed, tokens])
            found = [_intervals(*_simulated(SPEAKERS, tokens, case, generator), drawn) for _ in range(times)]
            per_cell, warned, *held = np.array(found).T
            cells = (f"{percent(first)} / {percent(second)}" for first, second in (held[:2], held[2:]))
            rows.append([f"{tokens:,}", f"{np.mean(per_cell):.1f}", *cells, percent(warned)])
        yield from markdown([f"{title}: tokens", "a cell seen", *METHODS, "warned"], rows, left=0)


def _intervals(joint: Floats, counts: Floats, drawn: Resampling) -> list[float]:
    """Return tokens a cell seen, whether that is warned of, and whether limits of both methods held both measures."""
    truth, stack = information(entropy_sums(joint)), stack_of(counts)
    parts, table = cluster_cells(stack, drawn), counts.sum(axis=0)[:-1, :-1]
    draws = [information(entropy_sums(part[:-1, :-1])) for part in replicate_counts(stack, drawn)]
    plug_in, corrected = (information(entropy_sums(table, corrected=right)) for right in (False, True))
    rows = {name: np.concatenate([part[name] for part in draws]) for name in MEASURES}
    found = [(name, estimate(float(plug_in[name]), rows[name], replace(drawn, method="percentile"))) for name in rows]
    for name, row in rows.items():
        left_out = parts.left_out[name]
        value = jackknife(float(corrected[name]), left_out)
        found.append((name, information_interval(value, row, drawn, left_out=left_out)))
    held = [one.low <= float(truth[name]) <= one.high for name, one in found]
    return [table.sum() / np.count_nonzero(table), bool(few_per_cell(table)), *held]


def estimate_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: root mean square errors of H(X|Y) and I in bits."""
    rows = []
    for title, *case in (*CASES, ("errors of a few kinds, speakers differ", 0.1, 30.0)):
        for speakers, tokens in SIZES:
            generator = np.random.default_rng([seed, speakers, tokens])
            errors = [_errors(*_simulated(speakers, tokens, case, generator)) for _ in range(times)]
            off = np.sqrt(np.mean(np.square(errors), axis=0))
            rows.append([title, speakers, f"{tokens:,}", *(f"{bits:.3f} / {told:.3f}" for bits, told in off)])
    yield from markdown(["confusions", "speakers", "tokens", *ESTIMATORS, "jackknifed Miller–Madow"], rows)


def _errors(joint: Floats, counts: Floats) -> Floats:
    """Return by how much each estimate of H(X|Y) and of I is off, [estimators + 1, 2]."""
    stack, speakers = stack_of(counts), len(counts)
    clusters = cluster_cells(stack, resampling(speakers, None, resamples=0, seed=0))
    best = values(INFORMATION, stack, CountSettings(np.zeros(speakers, np.int8)), clusters)
    matrix, truth = stack.total(), information(entropy_sums(joint))
    found = [(conditional_entropy(matrix, name), confusion_information(matrix, name)) for name in ESTIMATORS]
    found.append((best[MEASURES[0]], best[MEASURES[1]]))
    return np.array(found) - [float(truth[name]) for name in MEASURES]


def phone_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield two tables as Markdown: of the accuracy of a phone among 30 such, and of the entropy of one."""
    drawn = {speakers: resampling(speakers, None, resamples=REPLICATES, seed=seed) for speakers in PHONE_SPEAKERS}
    rows: list[list[object]] = []
    for speakers, correlation, tokens in product(PHONE_SPEAKERS, CORRELATIONS, PHONE_TOKENS):
        generator = np.random.default_rng([seed, speakers, tokens, int(10 * correlation)])
        cells = []
        for right in ACCURACIES:
            case = tokens, right, correlation
            cells.append(percent([_accuracy(case, drawn[speakers], generator) for _ in range(times // 10 + 1)]))
        rows.append([speakers, f"{correlation:g}", tokens, *cells])
    heads = (f"{100 * accuracy:g} % right" for accuracy in ACCURACIES)
    yield from markdown(["speakers", "ρ", "tokens", *heads], rows, left=0)
    rows = []
    for tokens in (5, 10, 20, 50, 100, 500):
        generator = np.random.default_rng([seed, tokens])
        held = np.array([_entropy(tokens, drawn[max(PHONE_SPEAKERS)], generator) for _ in range(times // 10 + 1)])
        rows.append([tokens, percent(held[:, 0]), percent(held[:, 1]), "100" if tokens < FEW_TOKENS else "0"])
    yield from markdown(["tokens of the phone", "percentile", "t limits", "warned"], rows, left=0)


def _accuracy(case: tuple[int, float, float], drawn: Resampling, generator: np.random.Generator) -> Floats:
    """Return whether the limits of each of 30 phones held its accuracy."""
    tokens, right, correlation = case
    size = generator.multinomial(tokens, np.full(drawn.number, 1 / drawn.number), GOLD)
    own = np.full(size.shape, right)
    if correlation:
        strength = 1 / correlation - 1
        own = generator.beta(right * strength, (1 - right) * strength, size.shape)
    events = generator.binomial(size, own)
    low, high = limits_of_shares(events.T.astype(float), size.T.astype(float), drawn)
    return (low <= right) & (right <= high)


def _entropy(tokens: int, drawn: Resampling, generator: np.random.Generator) -> Floats:
    """Return whether percentile and default limits held the entropy of each of 30 phones, [2, 30]."""
    given = shares(generator, 0.1)
    counts = generator.multinomial(tokens, given)
    owner = [generator.integers(0, drawn.number, tokens) for _ in range(GOLD)]
    spread = np.zeros((drawn.number, GOLD + 1, HEARD + 1))
    for phone, speakers in enumerate(owner):
        np.add.at(spread, (speakers, phone, np.repeat(np.arange(HEARD), counts[phone])), 1)
    stack, truth = stack_of(spread), entropies_of(given)
    draws = np.concatenate([entropies_of(part[:-1, :-1]) for part in replicate_counts(stack, drawn)], axis=1)
    plain = [percentile(row[np.isfinite(row)], LEVEL) for row in draws]
    jackknifed = [(one.low, one.high) for one in limits_of_entropies(stack, drawn, draws)]
    low, high = np.moveaxis(np.array([plain, jackknifed]), -1, 0)
    return (low <= truth) & (truth <= high)


def _off(symbols: int, tokens: int, samples: int, generator: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return each estimator's bias and root mean square error in bits over `samples` distributions."""
    found: dict[str, list[float]] = {name: [] for name in EVERY_ESTIMATOR}
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
        yield from markdown([f"{title}: tokens", *EVERY_ESTIMATOR], rows, left=0)
