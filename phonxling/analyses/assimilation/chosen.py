"""Which categories a phone is heard as more often than by chance, and what kind of uncategorised phone that makes it.

Kinds (Faris, Best & Tyler 2016): an uncategorised phone is focalised if one category is chosen above chance, clustered
if several are, dispersed if none is. Two phones of which one at least is uncategorised share none, a part, or all of
the categories that are chosen above chance (Faris, Best & Tyler 2018).

Chance c is 1 / the number of phones that the recogniser has. Tested is p(x|y) = c: t = (p(x|y) − c) / SE on C − 1
degrees of freedom, C clusters; SE² is c(1 − c)/n of n tokens, times the design effect, by how much the variance of
p(x|y) over replicates exceeds p(1 − p)/n, if it does. p is one-sided, and corrected over the categories of a phone
(Benjamini & Hochberg 1995). Nothing is tested below five clusters, or without replicates.
"""

import numpy as np
import scipy

from phonxling.analyses.assimilation.heard import Heard
from phonxling.core.arrays import Bools, divided
from phonxling.resample.p_values import SIGNIFICANT, adjusted
from phonxling.resample.student import FEW_CLUSTERS, freedom_of, spread


def above_chance(heard: Heard, categories: int) -> Bools:
    """Return which categories each phone is heard as more often than 1 in so many, [G, P]."""
    shares, tokens, chance = heard.shares[:, :-1], heard.tokens[:, None], 1 / categories
    flat = heard.drawn[:, :-1].reshape(shares.size, -1).T
    variance = spread(flat, np.repeat(heard.clusters, shares.shape[1])).variance.reshape(shares.shape)
    effect = np.fmax(divided(variance * tokens, shares * (1 - shares), undefined=1.0), 1.0)
    t = divided(shares - chance, np.sqrt(effect * divided(chance * (1 - chance), tokens)))
    p = scipy.special.stdtr(freedom_of(heard.clusters)[:, None], -t)
    q = np.stack([adjusted(row) for row in p]) if len(p) else p
    return np.asarray(q < SIGNIFICANT) & testable(heard)[:, None]


def testable(heard: Heard) -> Bools:
    """Return whose categories can be tested, [G]: there are replicates, and five clusters have the phone."""
    return np.asarray((heard.clusters >= FEW_CLUSTERS) & (heard.resampling.replicates > 1))


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
