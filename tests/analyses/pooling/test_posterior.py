"""The posterior of pooled shares, against numerical integration, SciPy's Dirichlet-multinomial and its optimiser."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit

from phonxling.analyses.pooled_posterior import (
    GRID,
    PooledCounts,
    Posterior,
    _Chain,
    grid_quantiles,
    pooled_counts,
    posterior,
)
from phonxling.analyses.pooling import PooledShares, pooled_shares

Speakers = list[list[int]]


def counts_of(speakers: Speakers, never: int = -1) -> PooledCounts:
    """Return the counts of one phone of one corpus, a line a speaker."""
    table = np.array(speakers)
    speaker, column = np.nonzero(table)
    cells = np.stack([speaker, np.zeros_like(speaker), column])
    rows, columns = np.zeros((2, 1), np.int64), table.shape[1]
    return pooled_counts(cells, table[speaker, column], rows=rows, never=np.array([never]), columns=columns)


def drawn(speakers: Speakers, draws: int, never: int = -1) -> Posterior:
    return posterior(counts_of(speakers, never), np.random.default_rng(1), draws=draws)


def integrated(speakers: Speakers) -> tuple[float, float, float]:
    """Return the mean and standard deviation of the first share, and the mean log κ, of a phone with two outcomes."""
    logit = np.linspace(-14, 14, 801)
    share, jacobian = expit(logit), expit(logit) * expit(-logit)
    base = np.sin((np.arange(100) + 0.5) / 100 * np.pi / 2) ** 2  # Beta(½, ½)
    prior = sum(stats.beta.pdf(share[:, None], around * base, around * (1 - base)).mean(axis=1) for around in GRID)
    distances = (np.log(GRID)[:, None] - np.log(GRID)) / 0.5
    usual = stats.t.pdf(distances, 4).sum(axis=1)  # a normal whose precision is Gamma(2, ½)
    a, b = GRID * share[:, None], GRID * (1 - share[:, None])
    log = sum(stats.betabinom.logpmf(first, first + second, a, b) for first, second in speakers)
    weights = np.exp(log - log.max()) * (prior * jacobian)[:, None] * usual
    weights /= weights.sum()
    mean = float((weights.sum(axis=1) * share).sum())
    deviation = float(np.sqrt((weights.sum(axis=1) * (share - mean) ** 2).sum()))
    return mean, deviation, float((weights.sum(axis=0) * np.log(GRID)).sum())


@pytest.mark.slow
@pytest.mark.parametrize("speakers", [[[9, 1], [3, 4], [8, 2], [1, 0]], [[1, 0], [0, 1]]])
def test_the_posterior_is_near_that_of_numerical_integration(speakers: Speakers) -> None:
    mean, deviation, log_kappa = integrated(speakers)
    found = drawn(speakers, 3000)
    assert found.mean[0, 0] == pytest.approx(mean, abs=0.2 * deviation)
    assert np.sqrt(found.square - found.mean**2)[0, 0] == pytest.approx(deviation, rel=0.15)
    assert (found.kappa[0] * np.log(GRID)).sum() == pytest.approx(log_kappa, abs=1.2)


def test_many_speakers_give_the_optimum_of_the_dirichlet_multinomial_likelihood() -> None:
    generator = np.random.default_rng(3)
    shares = generator.dirichlet(12 * np.array([0.7, 0.2, 0.1]), 150)
    speakers = generator.multinomial(25, shares).tolist()

    def loss(logarithms: np.ndarray) -> float:
        return -float(stats.dirichlet_multinomial.logpmf(speakers, np.exp(logarithms), 25).sum())

    best = np.exp(optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options={"maxiter": 2000}).x)
    found = drawn(speakers, 300)
    assert grid_quantiles(found.kappa, 0.5)[0, 0] == pytest.approx(best.sum(), rel=0.1)
    assert found.mean[0] == pytest.approx(best / best.sum(), abs=0.01)


def test_the_evidence_and_the_cells_seen_make_the_dirichlet_multinomial_likelihood() -> None:
    speakers, share = [[5, 1, 0], [5, 1, 0], [0, 2, 3]], np.array([0.5, 0.3, 0.2])
    counts = counts_of(speakers)
    cell, number, _, times = counts.seen

    def own(place: int) -> float:
        rising = [math.lgamma(a + n) - math.lgamma(a) for a, n in zip(GRID[place] * share[cell], number, strict=True)]
        return float((times * rising).sum() + counts.evidence[0, place])

    def scipy(place: int) -> float:
        sizes = [sum(speaker) for speaker in speakers]
        return float(stats.dirichlet_multinomial.logpmf(speakers, GRID[place] * share, sizes).sum())

    assert own(50) - own(5) == pytest.approx(scipy(50) - scipy(5))


def test_tokens_of_a_speaker_count_less_the_more_he_has_and_the_more_speakers_differ() -> None:
    speakers = [[6, 1], [6, 1], [0, 2], [20, 0]]
    for kappa in (GRID[20], GRID[40]):
        chain = _Chain(counts_of(speakers), np.random.default_rng(1))
        chain.kappa = np.array([kappa])
        slow = sum(np.array(speaker) * (kappa + 1) / (kappa + sum(speaker)) for speaker in speakers)
        assert chain._effective_tokens()[0] == pytest.approx(slow)


def test_an_outcome_that_cannot_be_has_no_share() -> None:
    found = drawn([[0, 3, 1], [0, 2, 2]], 100, never=0)
    assert found.mean[0, 0] == found.habit[0, 0] == 0.0
    assert found.mean[0].sum() == pytest.approx(1.0)


def shares_of(languages: list[list[list[list[int]]]], own: list[int], draws: int = 200) -> PooledShares:
    """Return what is pooled of counts by language, speaker, phone and outcome."""
    table = np.array(languages)
    language, speaker, phone, outcome = np.nonzero(table)
    rows = np.stack(np.divmod(np.arange(table.shape[0] * table.shape[2]), table.shape[2]))
    cells = np.stack([language * table.shape[1] + speaker, language * table.shape[2] + phone, outcome])
    tokens, generator = table[language, speaker, phone, outcome], np.random.default_rng(1)
    return pooled_shares(
        cells, tokens, rows=rows, own=np.array(own), columns=table.shape[3], generator=generator, draws=draws
    )


def test_shares_sum_to_one_and_lie_within_their_limits() -> None:
    pooled = shares_of([[[[4, 1, 0], [0, 2, 2]], [[5, 0, 1], [0, 3, 1]]]] * 2, [0, -1])
    low, high = pooled.limits(0.95)
    assert pooled.mean.sum(axis=1) == pytest.approx(1.0)
    assert pooled.habit.sum(axis=1) == pytest.approx(1.0)
    assert (low <= pooled.mean + 1e-12).all()
    assert (pooled.mean <= high + 1e-12).all()


def test_a_rare_phone_takes_from_other_languages_what_it_lacks() -> None:
    often, rare = [[[9, 9, 0]]] * 6, [[[1, 1, 0]], *[[[0, 0, 0]]] * 5]
    alone, beside = shares_of([rare], [-1]), shares_of([often, rare, often, often], [-1])
    low, high = zip(alone.limits(0.95), beside.limits(0.95), strict=True)
    assert high[1][1, 0] - low[1][1, 0] < high[0][0, 0] - low[0][0, 0]
