"""Matched pairs of segments (MAPSSWE): whether two systems differ in errors on the same gold phones.

Conventions
-----------
Both systems are aligned with the same gold. A gold token is good when both have it right; an insertion of either stands
between two gold tokens. Two neighbouring errors, of either system, belong to two segments when at least two good tokens
stand between them, or the end of an utterance; else to one. Errors are substitutions, deletions and insertions.

Measures
--------
d_k = errors of the first less those of the second system in segment k, k = 1 … n; z = mean(d) / (sd(d) / √n), sd with
n − 1; two-tailed p from the normal distribution.

References
----------
Gillick & Cox (1989), Some statistical issues in the comparison of speech recognition algorithms, ICASSP. Pallett,
Fisher & Fiscus (1990), Tools for the analysis of benchmark speech recognition tests, ICASSP. NIST SCTK, sc_stats: the
same rule, but it stops where the first system's path ends, so that insertions of the second after an utterance's last
token are lost; here they count.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from phonxling.core.alignment import CORRECT, INSERTION
from phonxling.core.arrays import Codes

ENOUGH = 50  # segments from which the normal distribution will do


@dataclass(frozen=True, slots=True)
class MatchedPairs:
    """Segments n, mean difference of errors, z, two-tailed p; `note` warns, or says why p is NaN."""

    segments: int
    mean: float
    z: float
    p: float
    note: str = ""


def matched_pairs(first: Codes, second: Codes) -> MatchedPairs:
    """Return the test of the errors of two systems in each segment, [n] each.

    p is NaN for fewer than two segments, and where every segment differs by the same number. When all differences are
    0, z is 0 and p is 1, as NIST has it.

    Examples
    --------
    Differences 1, 1, 1, −1: mean ½, sd 1, z = ½ / (1/2) = 1.

    >>> test = matched_pairs(np.array([1, 2, 1, 0]), np.array([0, 1, 0, 1]))
    >>> test.segments, test.mean, test.z, round(test.p, 4)
    (4, 0.5, 1.0, 0.3173)
    """
    apart, number = first - second, len(first)
    mean = float(apart.mean()) if number else math.nan
    if number < 2:
        return MatchedPairs(number, mean, math.nan, math.nan, "no test: fewer than two segments hold an error")
    spread = float(apart.std(ddof=1))
    if not spread and mean:
        return MatchedPairs(number, mean, math.nan, math.nan, "no test: every segment differs by the same number")
    z = mean / (spread / math.sqrt(number)) if spread else 0.0
    note = f"{number} segments are few for a test that rests on the normal distribution" if number < ENOUGH else ""
    return MatchedPairs(number, mean, z, float(2 * ndtr(-abs(z))), note)


def segment_errors(
    first: tuple[Codes, NDArray[np.int8]], second: tuple[Codes, NDArray[np.int8]], separation: int = 2
) -> tuple[Codes, Codes]:
    """Return each system's errors in each segment, [n] each; every segment holds an error of at least one.

    Each system is given by the utterance and the operation of its aligned pairs, [L] each, in order. So many good
    tokens separate segments (2 is NIST's default). ValueError unless both have as many gold tokens in each utterance.

    Examples
    --------
    Five tokens; the first system is wrong in the first, the second in the last: three good tokens lie between.

    >>> a, b = np.array([1, 0, 0, 0, 0], np.int8), np.array([0, 0, 0, 0, 1], np.int8)
    >>> [errors.tolist() for errors in segment_errors((np.zeros(5, int), a), (np.zeros(5, int), b))]
    [[1, 0], [0, 1]]
    """
    places = [_error_places(*side) for side in (first, second)]
    if not np.array_equal(_tokens(*first), _tokens(*second)):
        raise ValueError("matched pairs need the same gold tokens in both systems")
    utterance, place = (np.concatenate([side[part] for side in places]) for part in (0, 1))
    system = np.repeat([0, 1], [len(places[0][0]), len(places[1][0])])
    order = np.lexsort((place, utterance))
    utterance, place, system = utterance[order], place[order], system[order]
    good = place[1:] // 2 - (place[:-1] + 1) // 2  # tokens strictly between two neighbouring errors
    starts = (np.diff(utterance) > 0) | (good >= separation)
    segment = np.concatenate([np.zeros(min(1, len(place)), np.int64), np.cumsum(starts)])
    number = int(segment[-1]) + 1 if len(segment) else 0
    errors = [np.bincount(segment[system == side], minlength=number).astype(np.int64) for side in (0, 1)]
    return errors[0], errors[1]


def _error_places(utterance: Codes, operations: NDArray[np.int8]) -> tuple[Codes, Codes]:
    """Return the utterance and the place of each error: 2t + 1 for gold token t, 2t for an insertion before it."""
    token = operations != INSERTION
    before = np.cumsum(token) - token
    wrong = operations != CORRECT
    return utterance[wrong], (2 * before + token)[wrong]


def _tokens(utterance: Codes, operations: NDArray[np.int8]) -> Codes:
    return np.unique(utterance[operations != INSERTION], return_counts=True)[1].astype(np.int64)
