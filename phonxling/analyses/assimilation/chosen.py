"""Which categories a phone is heard as more often than by chance, and than other phones; kinds of uncategorised phones.

Kinds (Faris, Best & Tyler 2016): an uncategorised phone is focalised if one category is chosen above chance, clustered
if several are, dispersed if none is. Two phones of which one at least is uncategorised share none, a part, or all of
the categories that are chosen above chance (Faris, Best & Tyler 2018).

Chance c is 1 / the number of phones that the recogniser has. Tested is p(x|y) = c: t = (p(x|y) − c) / SE on C − 1
degrees of freedom, C clusters; SE² is c(1 − c)/n of n tokens, times the design effect, by how much the variance of
p(x|y) over replicates exceeds p(1 − p)/n, if it does. p is one-sided, and corrected over the categories of a phone
(Benjamini & Hochberg 1995). Nothing is tested below five clusters, or without replicates.

More often than other phones: p(x|y) = p(x), the share of all tokens of all phones that were heard as x. The same t on
the variance of p(x|y) − p(x), and beside it the binomial probability of as many of n tokens or more; the larger p of
the two, one-sided, corrected over all phones and categories together. Tested from two clusters on. A recogniser that
answers alike whatever is said chooses no category more often, however large its share is.
"""

import numpy as np
import scipy

from phonxling.analyses.assimilation.heard import Heard
from phonxling.core.arrays import Bools, Floats, divided
from phonxling.resample.p_values import SIGNIFICANT, adjusted
from phonxling.resample.student import freedom_of, spread, too_few


def above_chance(heard: Heard, categories: int) -> Bools:
    """Return which categories each phone is heard as more often than 1 in so many, [G, P]."""
    p = _p_of_more(heard, np.full(len(heard.categories), 1 / categories), 0.0)
    q = np.stack([adjusted(row) for row in p]) if len(p) else p
    return np.asarray(q < SIGNIFICANT) & testable(heard)[:, None]


def above_others(heard: Heard) -> Bools:
    """Return which categories each phone is heard as more often than all phones together are, [G, P]."""
    weights = divided(heard.tokens, heard.tokens.sum())
    drawn = np.einsum("g,gpr->pr", weights, np.nan_to_num(heard.drawn[:, :-1]))
    marginal = np.nan_to_num(heard.shares[:, :-1]).T @ weights
    p = np.maximum(_p_of_more(heard, marginal, drawn), _p_of_tokens(heard, marginal))
    tested = (heard.clusters > 1)[:, None] & np.isfinite(p)
    q = adjusted(np.where(tested, p, np.nan).ravel()).reshape(p.shape)
    return np.asarray(q < SIGNIFICANT) & tested


def _p_of_more(heard: Heard, level: Floats, drawn_level: Floats | float) -> Floats:
    """Return one-sided p of shares above levels [P], which the replicates have as [P, R], by cluster, [G, P]."""
    shares, tokens = heard.shares[:, :-1], heard.tokens[:, None]
    flat = (heard.drawn[:, :-1] - drawn_level).reshape(shares.size, -1).T
    variance = spread(flat, np.repeat(heard.clusters, shares.shape[1])).variance.reshape(shares.shape)
    effect = np.fmax(divided(variance * tokens, shares * (1 - shares), undefined=1.0), 1.0)
    t = divided(shares - level, np.sqrt(effect * divided(level * (1 - level), tokens)))
    return np.asarray(scipy.special.stdtr(freedom_of(heard.clusters)[:, None], -t))


def _p_of_tokens(heard: Heard, level: Floats) -> Floats:
    """Return the binomial probability of as many tokens heard so, or more, [G, P]."""
    tokens = heard.tokens[:, None]
    heard_so = np.floor(heard.shares[:, :-1] * tokens + 1e-9)
    return np.asarray(
        np.where(heard_so > 0, scipy.special.betainc(np.maximum(heard_so, 1), tokens - heard_so + 1, level), 1.0)
    )


def testable(heard: Heard) -> Bools:
    """Return whose categories can be tested, [G]: there are replicates, and five clusters have the phone."""
    return np.asarray(~too_few(heard.clusters) & (heard.resampling.replicates > 1))


def kind(chosen: Bools) -> str:
    """Return the kind of an uncategorised phone, of which categories are chosen above chance, [P].

    Examples
    --------
    >>> [kind(np.arange(9) < number) for number in (0, 1, 2, 5)]
    ['dispersed', 'focalised', 'clustered', 'clustered']
    """
    return ("dispersed", "focalised", "clustered")[min(int(chosen.sum()), 2)]


def shared(first: Bools, second: Bools) -> str:
    """Return whether two phones share none, part or all of what is chosen above chance; "" where one has nothing.

    Examples
    --------
    >>> shared(np.array([True, True]), np.array([True, False]))
    'part'
    """
    if not first.any() or not second.any():
        return ""
    return "all" if (first == second).all() else "part" if (first & second).any() else "none"
