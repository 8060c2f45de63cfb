"""Joint distributions from posteriors under resampling, and which of their cells differ from independence.

Conventions
-----------
Rows are gold phones y, columns recognised phones e. `hard` gives each token to the phone of its highest mean posterior
(of equal ones the first). A token counts once (`token`) or by the mass of its frames (`frame`).

Measures
--------
Residual r(y,e) = p̂(y,e) − p̂(y)·p̂(e), 0 in expectation without association. z = r / SE(r); SE is the larger
of two: over the bootstrap's replicates, in which whole utterances or speakers are drawn, and over permutations of the
labels, since counts of few tokens hardly vary over replicates. p = 2Φ(−|z|), and q by Benjamini & Hochberg over the
cells that are tested.

References
----------
Benjamini & Hochberg (1995), Controlling the false discovery rate. Davison & Hinkley (1997), chapter 4.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from phonxling.analyses.information.pointwise import information_of, npmi_of
from phonxling.core.arrays import code_type
from phonxling.core.means import TokenPosteriors
from phonxling.resample.kernel import add_labelled_rows, add_relabelled
from phonxling.resample.p_values import adjusted
from phonxling.resample.weights import FEW_CLUSTERS, Resampling

Floats = NDArray[np.float64]
_GROUPS = 200  # parts of the jackknife at most: it needs a matrix of each
_LEAST = 5  # tokens' mass that a test of a cell needs
_PART = 64  # replicates whose weights are floats at one time
_LABELLINGS = 8  # permutations that one pass over the tokens serves


@dataclass(frozen=True, eq=False)
class CellTests:
    """Of each cell [G, K]: limits of its NPMI, p and q against independence; NaN where too little carries them."""

    low: Floats
    high: Floats
    p: Floats
    q: Floats


def token_weights(tokens: TokenPosteriors, unit: str) -> Floats:
    """Return what each token counts, [N]: 1, or the mass of its frames."""
    return tokens.weight if unit == "frame" else np.ones(len(tokens))


def replicate_joints(
    tokens: TokenPosteriors, resampling: Resampling, unit: str = "token", *, hard: bool = False
) -> Floats:
    """Return the joint mass of each bootstrap replicate, [R, G, K].

    What is drawn together is the cluster of a token's utterance, `resampling.clusters[tokens.utterances]`.
    """
    drawn = np.zeros((resampling.replicates, len(tokens.phones), len(tokens.columns)))
    for code, clusters, sums in _sums_by_cluster(tokens, resampling.clusters[tokens.utterances], unit, hard=hard):
        first = 0
        for part in resampling.parts(_PART):
            drawn[first : first + len(part), code] = part[:, clusters].astype(np.float64) @ sums
            first += len(part)
    return drawn


def left_out_joints(
    tokens: TokenPosteriors, resampling: Resampling, unit: str = "token", *, hard: bool = False
) -> Floats:
    """Return the joint mass without each cluster, or without each of 200 groups of clusters, [B, G, K]."""
    groups = min(resampling.number, _GROUPS)
    without = np.zeros((groups, len(tokens.phones), len(tokens.columns)))
    owner = resampling.clusters[tokens.utterances] % max(groups, 1)
    for code, clusters, sums in _sums_by_cluster(tokens, owner, unit, hard=hard):
        without[:, code] = sums.sum(axis=0)
        without[clusters, code] -= sums
    return np.maximum(without, 0.0)  # less than 0 by rounding alone


def _sums_by_cluster(
    tokens: TokenPosteriors, owner: NDArray[np.int64], unit: str, *, hard: bool
) -> Iterator[tuple[int, NDArray[np.int64], Floats]]:
    """Yield of each phone with tokens its code, the clusters that hold it, and its mass in each, [clusters, K]."""
    weights = token_weights(tokens, unit)
    for code in np.unique(tokens.codes):
        own = np.flatnonzero(tokens.codes == code)
        clusters, place = np.unique(owner[own], return_inverse=True)
        sums = np.zeros((len(clusters), len(tokens.columns)))
        if hard:
            np.add.at(sums, (place, tokens.rows[own].argmax(axis=1)), weights[own])
        else:
            add_labelled_rows(tokens.rows[own], weights[own], place, sums)
        yield int(code), clusters, sums


def jackknife(value: float, left_out: Floats) -> float:
    """Return B·θ − (B − 1)·mean θ without each of B parts; NaN for fewer than two.

    Its bias is of a higher order than that of θ (Quenouille 1956).

    Examples
    --------
    The plug-in variance of (1, 2, 6) is 14/3; without one number 4, 25/4 and 1/4. The jackknife makes it unbiased, 7:

    >>> round(jackknife(14 / 3, np.array([4, 25 / 4, 1 / 4])), 12)
    7.0
    """
    parts = len(left_out)
    return float(parts * value - (parts - 1) * left_out.mean()) if parts > 1 else math.nan


def permuted_information(
    tokens: TokenPosteriors, unit: str, permutations: int, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return I(Y;E) for so many random permutations of the tokens' gold labels, bits: its level without association.

    First of soft decisions, then of hard ones under the same permutations, [permutations] each. Whole tokens are
    permuted, each with its row; the mean is the bias of I at this sample size.
    """
    weights, best = token_weights(tokens, unit), tokens.hard
    codes = tokens.codes.astype(code_type(len(tokens.phones)))
    shape = len(tokens.phones), len(tokens.columns)
    found = np.empty((2, permutations))
    for first in range(0, permutations, _LABELLINGS):
        number = min(_LABELLINGS, permutations - first)
        labels = np.stack([generator.permutation(codes) for _ in range(number)])
        soft, hard = np.zeros((2, number, *shape))
        add_relabelled(tokens.rows, weights, best, labels, soft, hard)
        for side, masses in enumerate((soft, hard)):
            found[side, first : first + number] = [information_of(mass) for mass in masses]
    return found[0], found[1]


def cell_tests(
    tokens: TokenPosteriors, drawn: Floats, clusters: NDArray[np.int64], level: float, unit: str = "token"
) -> CellTests:
    """Return limits and tests of each cell.

    A cell is tested if ten clusters hold its gold phone, and it has, or by chance would have, the mass of five tokens.

    Parameters
    ----------
    tokens : TokenPosteriors
        N tokens.
    drawn : float64 array [R, G, K]
        Joint mass of the replicates.
    clusters : int64 array [G]
        How many of the clusters that are drawn hold each phone.
    level : float
        Level of the limits.
    unit : {"token", "frame"}
        What counts once.
    """
    weights = token_weights(tokens, unit)
    mass = np.zeros((len(tokens.phones), len(tokens.columns)))
    add_labelled_rows(tokens.rows, weights, tokens.codes, mass)
    low, high, p = np.full((3, *mass.shape), np.nan)
    found = drawn.sum(axis=(1, 2)) > 0
    if found.sum() < 2:
        return CellTests(low, high, p, adjusted(p))
    shares, joint = drawn[found] / drawn[found].sum(axis=(1, 2), keepdims=True), mass / mass.sum()
    residual = _residual(joint)
    error = np.maximum(_residual(shares).std(axis=0, ddof=1), _null_error(tokens, weights, joint.sum(axis=0)))
    carried = np.maximum(joint, joint - residual) * len(tokens) >= _LEAST
    tested = carried & (clusters >= FEW_CLUSTERS)[:, None] & (error > 0)
    if tested.any():
        p[tested] = 2 * ndtr(-abs(residual[tested] / error[tested]))
        limits = np.nanquantile(npmi_of(shares)[:, tested], [(1 - level) / 2, (1 + level) / 2], axis=0)
        low[tested], high[tested] = limits
    return CellTests(low, high, p, adjusted(p))


def _residual(shares: Floats) -> Floats:
    return np.asarray(shares - shares.sum(axis=-1, keepdims=True) * shares.sum(axis=-2, keepdims=True))


def _null_error(tokens: TokenPosteriors, weights: Floats, p: Floats) -> Floats:
    """Return the standard deviation of each residual over all permutations of the labels, [G, K].

    r is the sum over the n tokens of a phone of d = w (row − p̂(e)) / W; a sum of n of N numbers that sum to 0 has the
    variance n (1 − n/N) Σ d² / (N − 1).
    """
    number = len(tokens)
    squares = weights**2
    rows = np.einsum("n,nk,nk->k", squares, tokens.rows, tokens.rows)
    scatter = np.maximum(rows - 2 * p * (squares @ tokens.rows) + p**2 * squares.sum(), 0.0) / weights.sum() ** 2
    each = np.bincount(tokens.codes, minlength=len(tokens.phones))[:, None]
    return np.asarray(np.sqrt(each * (1 - each / number) * scatter / max(number - 1, 1)))
