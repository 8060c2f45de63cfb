"""How often the intervals of phones.tsv hold the truth: accuracy near 0 and 1, and the entropy of one phone."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from phonxling.core.arrays import divided
from phonxling.resample.entropy_sums import n_log_n, row_entropies
from phonxling.resample.information_interval import FEW_TOKENS, information_interval
from phonxling.resample.intervals import percentile
from phonxling.resample.jackknife import cluster_cells, jackknifed_rows
from phonxling.resample.proportion import ClusteredTokens, share_limits
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling, resampling
from simulations.corpora import GOLD, HEARD, Floats, percent, shares, stack_of

SPEAKERS, REPLICATES = (6, 12, 40), 300
ACCURACIES = (0.01, 0.1, 0.5, 0.9, 0.99)
CORRELATIONS = (0.0, 0.1)
TOKENS = (20, 100, 500)
ENTROPY_TOKENS = (5, 10, 20, 50, 100, 500)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield two tables as Markdown: of the accuracy of a phone among 30 such, and of the entropy of one."""
    drawn = {speakers: resampling(speakers, None, resamples=REPLICATES, seed=seed) for speakers in SPEAKERS}
    yield f"| speakers | ρ | tokens | {' | '.join(f'{100 * accuracy:g} % right' for accuracy in ACCURACIES)} |"
    yield f"|---:|---:|---:|{'---:|' * len(ACCURACIES)}"
    for case in product(SPEAKERS, CORRELATIONS, TOKENS):
        speakers, correlation, tokens = case
        generator = np.random.default_rng([seed, speakers, tokens, int(10 * correlation)])
        cells = (
            _accuracy(times // 10 + 1, (tokens, right, correlation), drawn[speakers], generator) for right in ACCURACIES
        )
        yield f"| {speakers} | {correlation:g} | {tokens} | {' | '.join(cells)} |"
    yield ""
    yield "| tokens of the phone | percentile | t limits | warned |"
    yield "|---:|---:|---:|---:|"
    for tokens in ENTROPY_TOKENS:
        cells = _entropy(times // 10 + 1, tokens, drawn[max(SPEAKERS)], np.random.default_rng([seed, tokens]))
        yield f"| {tokens} | {' | '.join(cells)} |"
    yield ""


def _accuracy(times: int, case: tuple[int, float, float], drawn: Resampling, generator: np.random.Generator) -> str:
    """Return the coverage of the limits of 30 phones, each time, in per cent."""
    (tokens, right, correlation), held = case, []
    weights, speakers = drawn.weights.astype(np.float64), drawn.number
    for _ in range(times):
        size = generator.multinomial(tokens, np.full(speakers, 1 / speakers), GOLD)
        own = np.full(size.shape, right)
        if correlation:
            strength = 1 / correlation - 1
            own = generator.beta(right * strength, (1 - right) * strength, size.shape)
        events = generator.binomial(size, own)
        kind, cluster = np.nonzero(size)
        clustered = ClusteredTokens(kind, size[kind, cluster].astype(float), events[kind, cluster].astype(float), GOLD)
        low, high = share_limits(clustered, divided(events @ weights.T, size @ weights.T), drawn)
        held.append((low <= right) & (right <= high))
    return percent(np.concatenate(held))


def _entropy(times: int, tokens: int, drawn: Resampling, generator: np.random.Generator) -> list[str]:
    """Return the coverage of percentile and default limits over 30 phones each time, and the share warned of."""
    plain, ours = [], []
    for _ in range(times):
        given = shares(generator, 0.1)
        counts = generator.multinomial(tokens, given)
        owner = [generator.integers(0, drawn.number, tokens) for _ in range(GOLD)]
        spread = np.zeros((drawn.number, GOLD + 1, HEARD + 1))
        for phone, speakers in enumerate(owner):
            np.add.at(spread, (speakers, phone, np.repeat(np.arange(HEARD), counts[phone])), 1)
        for held, (low, high) in zip((plain, ours), _limits(spread, drawn), strict=True):
            truth = row_entropies(given.sum(axis=1), n_log_n(given).sum(axis=1))
            held.append((low <= truth) & (truth <= high))
    return [percent(np.concatenate(plain)), percent(np.concatenate(ours)), "100" if tokens < FEW_TOKENS else "0"]


def _limits(spread: Floats, drawn: Resampling) -> list[tuple[Floats, Floats]]:
    stack = stack_of(spread)
    parts = [counts[:-1, :-1] for counts in replicate_counts(stack, drawn)]
    draws = np.concatenate([row_entropies(part.sum(axis=1), n_log_n(part).sum(axis=1)) for part in parts], axis=1)
    best = jackknifed_rows(cluster_cells(stack, drawn))
    plain = np.array([percentile(row[np.isfinite(row)], 0.95) for row in draws]).T
    found = [
        information_interval(float(value), row, drawn, error=float(error), clusters=int(clusters))
        for value, row, error, clusters in zip(best.value, draws, best.error, best.clusters, strict=True)
    ]
    return [tuple(plain), (np.array([one.low for one in found]), np.array([one.high for one in found]))]
