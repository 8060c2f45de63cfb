"""Pooled shares p(x|y): right or wrong, and, when wrong, as what; each has a posterior of its own.

Speakers and languages differ in how often a phone is heard right, and in what it is taken for when it is not: two
things. One Dirichlet over both would take them for one: a phone that some speakers have wrong often would count as one
whose errors are of other kinds, too, and rare errors would be given too much. So κ is for each of the two.
A phone that the recogniser lacks is never right.

With independent posteriors a of the right share and q of the shares among the wrong: E p = E(1 − a) E q, and the same
holds for squares. Limits are those of the Beta distribution of this mean and variance, of equal tails; from 0 on where
its density falls from there, as that of a cell without tokens does.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from phonxling.analyses.pooling.counts import pooled_counts
from phonxling.analyses.pooling.posterior import Posterior, posterior
from phonxling.core.arrays import Codes, Floats, sum_by

_LEAST = 1e-12  # of a variance


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledShares:
    """Pooled shares of R rows, a gold phone of a corpus each, over K outcomes.

    Parameters
    ----------
    right, wrong : Posterior
        How often a phone is heard right (0) or wrong (1), and as what when wrong.
    mean, square : float64 array [R, K]
        The expected share and its square.
    habit : float64 array [H, K]
        The expected share of the recogniser's habit.
    """

    right: Posterior
    wrong: Posterior
    mean: Floats
    square: Floats
    habit: Floats

    def limits(self, level: float) -> tuple[Floats, Floats]:
        """Return the limits of the shares, [R, K] each."""
        mean = self.mean.clip(_LEAST, 1 - _LEAST)
        variance = np.maximum(self.square - self.mean**2, _LEAST * mean * (1 - mean))
        size = np.maximum(mean * (1 - mean) / variance - 1, _LEAST)
        shapes = mean * size, (1 - mean) * size
        rest = 1 - level
        tail = np.select([shapes[0] <= 1, shapes[1] <= 1], [0.0, rest], rest / 2)
        return betaincinv(*shapes, tail), betaincinv(*shapes, level + tail)


def pooled_shares(
    cells: Codes, tokens: Codes, *, rows: Codes, own: Codes, columns: int, generator: np.random.Generator, draws: int
) -> PooledShares:
    """Return the pooled shares of counts.

    Parameters
    ----------
    cells : int64 array [3, n]
        Cluster, row and column of each cell that has tokens; a cluster is of one corpus, and has a cell once.
    tokens : int64 array [n]
        Its tokens.
    rows : int64 array [2, R]
        The corpus and the row of the habit of each row.
    own : int64 array [H]
        The column in which each row of the habit is right; −1 where the recogniser lacks the phone.
    columns : int
        K, how many columns there are.
    generator : numpy.random.Generator
        Where random numbers come from.
    draws : int
        Draws from the posterior.
    """
    wrong = cells[2] != own[rows[1, cells[1]]]
    split, number = np.unique(np.stack([*cells[:2], wrong]), axis=1, return_inverse=True)
    both = sum_by(number, tokens, split.shape[1]).astype(np.int64)
    lacking = np.where(own < 0, 0, -1)
    right = posterior(pooled_counts(split, both, rows=rows, never=lacking, columns=2), generator, draws=draws)
    errors = pooled_counts(cells[:, wrong], tokens[wrong], rows=rows, never=own, columns=columns)
    kinds = posterior(errors, generator, draws=draws)
    places = own[rows[1]]
    return PooledShares(
        right=right,
        wrong=kinds,
        mean=_product(right.mean, kinds.mean, places),
        square=_product(right.square, kinds.square, places),
        habit=_product(right.habit, kinds.habit, own),
    )


def _product(right: Floats, kinds: Floats, own: Codes) -> Floats:
    """Return the right share in its own column, and the wrong share times its kinds in the others, [N, K]."""
    shares = right[:, 1:] * kinds
    known = np.flatnonzero(own >= 0)
    shares[known, own[known]] = right[known, 0]
    return shares
