"""The information that contexts add to what a gold phone is heard as.

Conventions
-----------
Y gold, X predicted, Z the context (see `counting`); ∅ is left out, unless it is counted as a symbol of X. Bits.

Measures
--------
H(X|Y,Z) = Σ p(y,z) H(X|Y=y,Z=z), and I(X;Z|Y) = H(X|Y) − H(X|Y,Z): how many bits of what a phone is heard as come from
its context. The plug-in is never negative, and too high: contexts cut the counts into many small cells. The estimators
of entropy correct for a part of that. The null permutes the contexts among the tokens of each gold phone, which keeps
every phone's confusions and every phone's contexts; the excess is the plug-in less the null's mean. It is 0 on average
where context says nothing, and too low where it matters, since the null's cells are more evenly filled and its bias is
larger. With 30 × 8 phones and contexts, 42 answers and a true value of 0.10 bit, in simulations: excess 0.08, Chao–Shen
0.10, Miller–Madow 0.13, plug-in 0.16 from 60,000 tokens; 0.04, 0.19, 0.32, 0.43 from 6,000.

Permuting takes tokens as exchangeable: where speakers differ both in what they say and in how they are misheard, a low
p may come from the speakers. The bootstrap interval of the excess is wider than it need be for few tokens, and is of
the excess itself: it does not hold what the excess misses.

References
----------
Miller (1955), Note on the bias of information estimates. Patefield (1981), an efficient method of generating random R ×
C tables with given row and column totals.
"""

import numpy as np
import scipy

from phonxling.core.arrays import Codes, Floats
from phonxling.resample.entropy_sums import n_log_n


def added_information(counts: Floats, phones: Codes) -> float:
    """Return the plug-in I(X;Z|Y) in bits, ≥ 0, of counts [K, X] by phone and context; NaN without tokens.

    `phones` [K] are the gold phones' codes, in ascending order.

    Examples
    --------
    One phone is always heard as x in one context and as y in the other:

    >>> added_information(np.array([[4.0, 0], [0, 4]]), np.array([0, 0]))
    1.0
    """
    total = counts.sum()
    if not total:
        return float("nan")
    by_phone = np.add.reduceat(counts, _starts(phones), axis=0)
    return max((_unknown_bits(by_phone) - _unknown_bits(counts)) / float(total), 0.0)


def permuted_added_information(
    counts: Floats, phones: Codes, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return I(X;Z|Y) for so many random permutations of the contexts among the tokens of each phone, in bits.

    A permutation changes a phone's table of contexts by answers, not its totals, so tables are drawn with these totals.
    """
    total, of_totals = counts.sum(), 0.0
    of_cells = np.zeros(permutations)
    for table in np.split(counts, _starts(phones)[1:]):
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        of_totals += _sum(table.sum()) - _sum(columns) - _sum(rows)
        of_cells += _cells_of_random_tables(rows[rows > 0], columns[columns > 0], permutations, generator)
    return np.asarray(np.maximum((of_totals + of_cells) / total, 0.0))


def _cells_of_random_tables(rows: Floats, columns: Floats, permutations: int, generator: np.random.Generator) -> Floats:
    """Return Σ n log2 n over the cells of random tables with these totals, [permutations]."""
    if len(rows) < 2 or len(columns) < 2:  # there is one such table
        return np.full(permutations, _sum(rows if len(columns) == 1 else columns))
    totals = scipy.stats.random_table(rows.astype(np.int64), columns.astype(np.int64))
    tables = totals.rvs(permutations, random_state=generator)
    return np.array([_sum(table) for table in tables.astype(np.float64)])


def _unknown_bits(counts: Floats) -> float:
    """Return the bits that all tokens of counts [K, X] leave unknown, their rows known: N · H(X|row)."""
    return _sum(counts.sum(axis=1)) - _sum(counts)


def _starts(phones: Codes) -> Codes:
    return np.flatnonzero(np.diff(phones, prepend=-1))


def _sum(counts: Floats) -> float:
    return float(n_log_n(counts).sum())
