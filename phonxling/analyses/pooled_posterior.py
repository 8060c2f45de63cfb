"""The posterior of shares that speakers draw around their language, and languages around the recogniser's habit.

The model
---------
For gold phone y, outcome x, and a speaker s of language l (an utterance, where these are the clusters):

    counts of s ~ Multinomial(p_s(·|y)),  p_s(·|y) ~ Dirichlet(κ_ly μ_ly),
    μ_ly ~ Dirichlet(κ⁰_l μ_0y),  μ_0y ~ Dirichlet(κ⁰⁰ ν),  ν ~ Dirichlet(½, …, ½),
    log κ_ly ~ Normal(m_l, τ_l²).

With one corpus there is no habit: μ_ly ~ Dirichlet(κ⁰_l ν). κ are in tokens: what is known of the level above weighs as
much as κ tokens. They lie from 0.3 to 10,000; κ⁰, κ⁰⁰ and m are flat in logarithms, 1/τ² ~ Gamma(2, rate ½), so that a
phone with few tokens takes its κ from the other phones of its corpus, as far as these agree.

How it is drawn
---------------
By turns, each given the others (Gibbs sampling):

- κ_ly from the Dirichlet-multinomial likelihood of the speakers, by Metropolis's steps on a grid; m_l and τ_l;
- μ_ly from a Dirichlet: κ⁰_l μ_0y and the effective tokens Σ_s n_s(x) (κ + 1)/(κ + n_s), for n_s tokens of y;
- κ⁰_l, μ_0y, κ⁰⁰ and ν from the effective tokens, rounded by chance, and numbers of tables (Antoniak 1974; Teh et al.
  2006). Outcomes that a phone cannot have are left out of ν by drawing how often they would have come up, were they
  possible (negative binomial).

The effective tokens are the linear (credibility) estimate of the mean of unlike speakers (Bühlmann & Straub 1970):
each token weighs as much as it tells of the language, all outcomes of a speaker alike. The exact likelihood would take
a frequent outcome for one that a speaker repeats, and a rare one for one that all speakers have; where speakers are
not Dirichlet, that drew shares of .83 in 571 tokens to .78. Its means and variances are nearly the same where they are.

Means and variances of shares are averaged over the Dirichlets of all draws (Gelfand & Smith 1990: less noise than that
of the draws themselves).

References
----------
Minka (2000), Estimating a Dirichlet distribution. Bühlmann & Straub (1970), Glaubwürdigkeit für Schadensätze. Antoniak
(1974). Teh, Jordan, Beal & Blei (2006), Hierarchical Dirichlet processes. Gelfand & Smith (1990). MacKay & Peto (1995),
A hierarchical Dirichlet language model.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from phonxling.core.arrays import Codes, Floats, sum_by

GRID = np.geomspace(0.3, 10_000, 60)  # the values of κ
_LOG = np.log(GRID)
_FLAT = 0.5  # of ν
_SHAPE, _RATE = 2.0, 0.5  # of 1/τ²
_START = 10.0  # of every κ
_REACH, _MOVES = 8, 3  # places of the grid, moves between draws


class PooledCounts(NamedTuple):
    """The counts of the clusters of L corpora: R rows (a gold phone of a corpus each) of K outcomes, H rows of habit.

    `corpus` and `habit` [R] are those of each row, `never` [H] the outcome that a phone cannot have (−1: none). `seen`
    [4, N]: how often a cell had so many tokens in a cluster with so many of its row. `evidence` [R, 60] is
    Σ log Γ(κ) − log Γ(κ + n) over clusters of n tokens, `most` [R] the most tokens of a cluster.
    """

    corpus: Codes
    habit: Codes
    never: Codes
    tokens: Floats
    seen: Codes
    evidence: Floats
    most: Floats


def pooled_counts(cells: Codes, tokens: Codes, *, rows: Codes, never: Codes, columns: int) -> PooledCounts:
    """Return counts given as cluster, row and column of each cell [3, n] with its whole tokens [n], all above 0."""
    cluster, row, column = cells
    flat, shape = row * columns + column, (rows.shape[1], columns)
    owned, owner = np.unique(cluster * shape[0] + row, return_inverse=True)
    by_cluster, most = sum_by(owner, tokens, len(owned)).astype(np.int64), np.zeros(shape[0])
    np.maximum.at(most, owned % shape[0], by_cluster)
    seen, times = np.unique(np.stack([flat, tokens, by_cluster[owner]]), axis=1, return_counts=True)
    numbers, number = np.unique(by_cluster, return_inverse=True)  # equal n are worked out once
    clusters = np.zeros((shape[0], len(numbers)))
    np.add.at(clusters, (owned % shape[0], number), 1.0)
    return PooledCounts(
        corpus=rows[0],
        habit=rows[1],
        never=never,
        tokens=sum_by(flat, tokens, shape[0] * columns).reshape(shape),
        seen=np.stack([*seen, times]),
        evidence=clusters @ (gammaln(GRID) - gammaln(GRID + numbers[:, None])),
        most=most,
    )


class Posterior(NamedTuple):
    """The posterior over D draws: means of shares and of squares [R, K], `habit` [H, K], odds of κ [R, 60].

    `own` [R] is the weight of a row's own tokens; `typical` and `around` [D, L] are exp m and κ⁰.
    """

    counts: PooledCounts
    mean: Floats
    square: Floats
    habit: Floats
    kappa: Floats
    own: Floats
    typical: Floats
    around: Floats


def grid_quantiles(probabilities: Floats, *shares: float) -> Floats:
    """Return quantiles of distributions over the grid [N, 60], log-linear between its values, [shares, N]."""
    below = np.cumsum(probabilities, axis=1) - probabilities / 2
    return np.exp([np.interp(shares, one, _LOG) for one in below]).reshape(-1, len(shares)).T


def posterior(counts: PooledCounts, generator: np.random.Generator, *, draws: int) -> Posterior:
    """Return the posterior from so many draws; a quarter as many before them are left out."""
    chain = _Chain(counts, generator)
    for _ in range(draws // 4):
        chain.step()
    sums = [np.zeros(part.shape) for part in chain.step()]
    strengths = np.zeros((2, draws, len(chain.around)))
    for draw in range(draws):
        for total, part in zip(sums, chain.step(), strict=True):
            total += part
        strengths[:, draw] = np.exp(chain.typical), chain.around
    return Posterior(counts, *(total / draws for total in sums), *strengths)


class _Chain:
    """One chain of draws: `share` μ_ly [R, K], `habit` μ_0y [H, K], `base` ν [K], `around` κ⁰_l [L], `above` κ⁰⁰."""

    def __init__(self, counts: PooledCounts, generator: np.random.Generator) -> None:
        self.counts, self.generator = counts, generator
        (rows, columns), corpora = counts.tokens.shape, int(counts.corpus.max()) + 1
        self.possible = np.arange(columns) != counts.never[:, None]
        self.base = _normalised(counts.tokens.sum(axis=0) + _FLAT)
        self.habit = self._usual()
        self.share = _normalised(counts.tokens + _START * self.habit[counts.habit])
        self.kappa = np.full(rows, GRID[np.searchsorted(GRID, _START)])
        self.around, self.above = np.full(corpora, _START), _START
        self.typical, self.spread = np.full(corpora, np.log(_START)), np.ones(corpora)

    def step(self) -> tuple[Floats, ...]:
        """Draw everything anew; return the parts of `Posterior` that are averaged, in its order."""
        counts = self.counts
        for _ in range(_MOVES):
            self._move_kappa()
        corpus, generator, log = counts.corpus, self.generator, np.log(self.kappa)
        number = np.bincount(corpus)
        mean = sum_by(corpus, log, len(number)) / number
        self.typical = generator.normal(mean, self.spread / np.sqrt(number)).clip(_LOG[0], _LOG[-1])
        apart = sum_by(corpus, (log - self.typical[corpus]) ** 2, len(number))
        self.spread = np.sqrt((_RATE + apart / 2) / generator.gamma(_SHAPE + number / 2))
        tokens = self._effective_tokens()
        habit = self._draw_habit(np.floor(tokens + self.generator.random(tokens.shape)))
        around = self.around[counts.corpus, None]
        shapes = around * self.habit[counts.habit] + tokens
        whole = shapes.sum(axis=1, keepdims=True)
        self.share = self._dirichlet(shapes)
        mean, own = shapes / whole, tokens.sum(axis=1) / whole[:, 0]
        return mean, mean * (shapes + 1) / (whole + 1), habit, self.kappa[:, None] == GRID, own

    def _effective_tokens(self) -> Floats:
        """Return the tokens of each cell, each weighing what it tells of the language's mean."""
        cell, seen, whole, times = self.counts.seen
        kappa = self.kappa[cell // self.counts.tokens.shape[1]]
        weights = times * seen * (kappa + 1) / (kappa + whole)
        return sum_by(cell, weights, self.counts.tokens.size).reshape(self.counts.tokens.shape)

    def _move_kappa(self) -> None:
        """Move each κ_ly some places along the grid, as Metropolis and Hastings have it, whatever the tables are."""
        place = np.searchsorted(GRID, self.kappa)
        moved = place + self.generator.integers(-_REACH, _REACH, len(place), endpoint=True)
        inside = moved.clip(0, len(GRID) - 1)
        gain = self._likelihood(inside) - self._likelihood(place)
        accepted = (moved == inside) & (np.log(self.generator.random(len(place))) < gain)
        self.kappa = GRID[np.where(accepted, inside, place)]

    def _likelihood(self, place: Codes) -> Floats:
        """Return the logarithm of how likely the clusters of each row and its κ_ly are, [R]."""
        counts, corpus = self.counts, self.counts.corpus
        cell, number, _, times = counts.seen
        row, every = cell // counts.tokens.shape[1], np.arange(len(place))
        strength = GRID[place][row] * self.share.ravel()[cell]
        terms = sum_by(row, times * (gammaln(strength + number) - gammaln(strength)), len(place))
        apart = (_LOG[place] - self.typical[corpus]) / self.spread[corpus]
        return np.asarray(terms + counts.evidence[every, place] - apart**2 / 2)

    def _tables(self, numbers: Floats, strength: Floats) -> Floats:
        """Draw how many of the numbers of cells [N, K] repeat none of their row, [N, K]; strengths are [N, K], too."""
        flat = numbers.ravel().astype(np.int64)
        owner = np.repeat(np.arange(flat.size), flat)
        place = np.arange(len(owner)) - (np.cumsum(flat) - flat)[owner]
        own = strength.ravel()[owner]
        new = (place == 0) | (self.generator.random(len(owner)) * (own + place) < own)
        return sum_by(owner, new, flat.size).reshape(numbers.shape)

    def _draw_habit(self, numbers: Floats) -> Floats:
        """Draw κ⁰_l, μ_0y and what is above it; return the expected μ_0y, [H, K]."""
        counts = self.counts
        tables = self._tables(numbers, self.around[counts.corpus, None] * self.habit[counts.habit])
        for corpus in range(len(self.around)):
            own = counts.corpus == corpus
            self.around[corpus] = self._strength(numbers[own], tables[own])
        by_habit = np.zeros(self.habit.shape)
        np.add.at(by_habit, counts.habit, tables)
        if len(self.around) == 1:
            self._draw_base(by_habit)
            self.habit = self._usual()
            return self.habit
        upper = self._tables(by_habit, self.above * self._usual())
        self.above = self._strength(by_habit, upper)
        self._draw_base(upper)
        shapes = self.above * self._usual() + by_habit
        self.habit = self._dirichlet(shapes)
        return _normalised(shapes)

    def _draw_base(self, tables: Floats) -> None:
        """Draw ν from tables [H, K]."""
        never = self.counts.never[self.counts.never >= 0]
        others = tables.sum(axis=1)[self.counts.never >= 0]
        unseen = self.generator.negative_binomial(np.maximum(others, 1), 1 - self.base[never]) * (others > 0)
        shapes = _FLAT + tables.sum(axis=0) + sum_by(never, unseen, len(self.base))
        self.base = self._dirichlet(shapes)

    def _usual(self) -> Floats:
        """Return ν over what each phone of the habit can have, [H, K]."""
        return _normalised(self.base * self.possible)

    def _strength(self, numbers: Floats, tables: Floats) -> float:
        """Draw κ⁰ or κ⁰⁰: of the numbers [N, K] so many repeat none of their row."""
        tokens, times = np.unique(numbers.sum(axis=1), return_counts=True)
        evidence = times @ (gammaln(GRID) - gammaln(GRID + tokens[:, None]))
        logarithms = tables.sum() * _LOG + evidence
        odds = _normalised(np.exp(logarithms - logarithms.max()))
        below = odds.cumsum() < self.generator.random()
        return float(GRID[min(int(below.sum()), len(GRID) - 1)])

    def _dirichlet(self, shapes: Floats) -> Floats:
        return _normalised(self.generator.standard_gamma(shapes))


def _normalised(values: Floats) -> Floats:
    return np.asarray(values / values.sum(axis=-1, keepdims=True))
