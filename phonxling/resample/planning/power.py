"""The probability that a t test sees a difference, and the difference that it sees with a given probability.

Measures
--------
A difference of δ standard errors, f degrees of freedom: power = P(|T| > t), T noncentral t with f and δ, t the quantile
of (1 + level) / 2. Both tails count, so that power at δ = 0 is 1 − level.

References
----------
Cohen (1988), Statistical Power Analysis, chapter 2. R's `power.t.test(strict = TRUE)` is the same.
"""

import scipy

from phonxling.resample.student import t_reach


def power_of(shift: float, freedom: float, level: float) -> float:
    """Return the probability that a difference of so many standard errors is seen.

    Examples
    --------
    >>> round(power_of(0.0, 10, 0.95), 4), round(power_of(3.0, 22, 0.95), 4)
    (0.05, 0.8178)
    """
    reach = float(t_reach(freedom, level))
    tails = scipy.special.nctdtr(freedom, shift, [-reach, reach])
    return float(1 - tails[1] + tails[0])


def shift_for(power: float, freedom: float, level: float) -> float:
    """Return how many standard errors a difference must be to be seen with this probability, above 1 − level.

    Examples
    --------
    >>> round(shift_for(0.8, 22, 0.95), 3), round(shift_for(0.8, 1e6, 0.95), 3)
    (2.932, 2.802)
    """
    high = 1.0
    while power_of(high, freedom, level) < power:
        high *= 2
    return float(scipy.optimize.brentq(lambda shift: power_of(shift, freedom, level) - power, 0.0, high))
