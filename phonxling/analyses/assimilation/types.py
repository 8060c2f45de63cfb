"""The type of assimilation of a contrast: which categories its two phones are heard as, and how well they fit.

Definitions (Best 1995; Best & Tyler 2007), of shares p(x|y) of all tokens of y
--------------------------------------------------------------------------------
y is categorised when its greatest share, over all x but ∅, is at least θ; that x is its category. A deleted token was
heard as nothing: it lowers all shares, and makes no category.

- TC, two-category: both phones are categorised, as two categories.
- SC, single-category: both as one, and equally good: their goodness in it is less than δ apart.
- CG, category-goodness: both as one, and their goodness is δ or more apart.
- UC, uncategorised–categorised: one of them is categorised.
- UU, uncategorised–uncategorised: neither is.

Types are of the shares, not of tests: the same definition holds for the data and for each replicate, so that the share
of replicates with a type says how sure it is. Replicates deviate from the data by √((C − 1)/C) too little, C clusters;
their shares are moved away from the data's by as much.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.core.arrays import Codes, Floats, divided
from phonxling.resample.student import freedom_of

TYPES: Sequence[str] = ("TC", "SC", "CG", "UC", "UU")
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Criteria:
    """Two phones' shares and goodness against θ and δ."""

    threshold: float
    goodness: float

    def types(self, shares: Floats, goodness: Floats, pairs: Codes) -> Codes:
        """Return the type of each pair by its place in `TYPES`, [K …]; −1 where a phone has no tokens.

        Parameters
        ----------
        shares, goodness : float64 array [G, P …]
            Shares of tokens, without ∅; how well a phone fits a category, NaN where that is not known: then the fit
            tells nothing apart.
        pairs : int64 array [K, 2]
            The rows of two phones.

        Examples
        --------
        >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.1, 0.9], [0.45, 0.45]])
        >>> pairs = np.array([[0, 2], [0, 1], [0, 3], [3, 3]])
        >>> [TYPES[place] for place in Criteria(0.5, 0.1).types(shares, shares, pairs)]
        ['TC', 'CG', 'UC', 'UU']
        >>> [TYPES[place] for place in Criteria(0.5, 0.4).types(shares, shares, pairs[1:2])]
        ['SC']
        """
        first, second = pairs.T
        best, top = np.nan_to_num(shares.max(axis=1)), shares.argmax(axis=1)
        categorised = best >= self.threshold - _ROUNDING
        both, either = categorised[first] & categorised[second], categorised[first] | categorised[second]
        fit = [_at(goodness, rows, top[first]) for rows in (first, second)]
        apart = np.abs(fit[0] - fit[1]) >= self.goodness - _ROUNDING
        same = top[first] == top[second]
        names = np.select([both & ~same, both & same & ~apart, both & same, either], [0, 1, 2, 3], 4)
        unknown = np.isnan(shares[:, 0])
        return np.where(unknown[first] | unknown[second], -1, names)


def _at(values: Floats, rows: Codes, columns: Codes) -> Floats:
    """Return values [G, P …] at rows [K] and columns [K …], [K …]."""
    draws = (np.arange(values.shape[2]),) if values.ndim > 2 else ()
    own = rows[:, None] if draws else rows
    return np.asarray(values[(own, columns, *draws)])


def probabilities(types: Codes) -> Floats:
    """Return the share of replicates with each type, [K, 5], of types [K, R]; NaN where there is no replicate.

    Replicates in which a phone has no tokens are left out.
    """
    counts = np.stack([(types == place).sum(axis=1) for place in range(len(TYPES))], axis=1)
    number = counts.sum(axis=1, keepdims=True)
    return divided(counts, number)


def widened(values: Floats, drawn: Floats, clusters: Floats) -> Floats:
    """Return draws [G, P, R] of values [G, P], their deviations √(C/(C − 1)) times as large, C [G] clusters."""
    freedom = freedom_of(clusters)
    factor = np.sqrt((freedom + 1) / freedom)
    return np.asarray(values[..., None] + factor[:, None, None] * (drawn - values[..., None]))
