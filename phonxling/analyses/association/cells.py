"""Which cells of the joint distribution of gold and recognised phones differ from independence.

Measures
--------
Residual r(y,e) = p̂(y,e) − p̂(y)·p̂(e), 0 in expectation without association. t = r / SE(r); SE is the larger
of two: over the bootstrap's replicates, in which whole utterances or speakers are drawn, and over permutations of the
labels, since counts of few tokens hardly vary over replicates. p is Student's on C − 1 degrees of freedom, C clusters
that hold the gold phone, and q by Benjamini & Hochberg over the cells that are tested. Limits of NPMI are t limits.

References
----------
Benjamini & Hochberg (1995), Controlling the false discovery rate. Davison & Hinkley (1997), chapter 4.
"""

from dataclasses import dataclass, replace

import numpy as np

from phonxling.analyses.association.joints import ResampledJoint
from phonxling.analyses.information.pointwise import margins, npmi_of
from phonxling.core.arrays import Floats
from phonxling.core.means import TokenPosteriors
from phonxling.count.rows import parts_of
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import contrast, freedom_of, spread
from phonxling.resample.two_corpora.cells import FEW_EVENTS, FEW_TOKENS

_CLUSTERS = 10  # that hold a gold phone, for a test of its cells


@dataclass(frozen=True, eq=False)
class CellTests:
    """Of each cell [G, K]: limits of its NPMI, p and q against independence; NaN where too little carries them."""

    low: Floats
    high: Floats
    p: Floats
    q: Floats


def cell_tests(tokens: TokenPosteriors, joint: ResampledJoint, *, counts: Floats, clusters: Floats) -> CellTests:
    """Return limits and tests of each cell.

    A cell is tested if ten clusters hold its gold phone, this has twenty tokens, and the cell has, or by chance would
    have, the mass of ten.

    Parameters
    ----------
    tokens : TokenPosteriors
        N tokens.
    joint : ResampledJoint
        Their joint distribution.
    counts : float64 array [N]
        What each token counts.
    clusters : float64 array [2, G]
        How many of the clusters that are drawn hold each phone, and how many effective ones.
    """
    mass, level = joint.whole.mass, joint.resampling.level
    low, high, p = np.full((3, *mass.shape), np.nan)
    drawn = joint.drawn[joint.drawn.sum(axis=(1, 2)) > 0]
    if len(drawn) < 2:
        return CellTests(low, high, p, adjusted(p))
    shares, share = drawn / drawn.sum(axis=(1, 2), keepdims=True), mass / mass.sum()
    rows, columns = margins(share)
    residual, null_error = share - rows * columns, _null_error(tokens, counts, share.sum(axis=0))
    carried = np.maximum(share, share - residual) * len(tokens) >= FEW_EVENTS
    spoken = np.bincount(tokens.codes, minlength=len(mass)) >= FEW_TOKENS
    tested = carried & (spoken & (clusters[0] >= _CLUSTERS))[:, None]
    phone, recognised = np.nonzero(tested)
    cells, number = shares[:, phone, recognised], clusters[1, phone]
    own = shares.sum(axis=2)[:, phone], shares.sum(axis=1)[:, recognised]
    apart, together = (spread(values, number) for values in (cells - own[0] * own[1], npmi_of(cells, own)))
    variance = np.fmax(apart.variance, null_error[tested] ** 2)
    p[tested] = contrast(residual[tested], replace(apart, variance=variance, freedom=freedom_of(number)), level).p
    limits = contrast(npmi_of(share)[tested], together, level)
    low[tested], high[tested] = np.maximum(limits.low, -1), np.minimum(limits.high, 1)
    return CellTests(low, high, p, adjusted(p))


def _null_error(tokens: TokenPosteriors, counts: Floats, p: Floats) -> Floats:
    """Return the standard deviation of each residual over all permutations of the labels, [G, K].

    r is the sum over the n tokens of a phone of d = w (row − p̂(e)) / W; a sum of n of N numbers that sum to 0 has the
    variance n (1 − n/N) Σ d² / (N − 1).
    """
    number = len(tokens)
    squares = counts**2
    twice, once = np.zeros((2, len(p)))
    for part in parts_of(tokens.rows):
        rows = tokens.rows[part]
        twice, once = twice + np.einsum("n,nk,nk->k", squares[part], rows, rows), once + squares[part] @ rows
    scatter = np.maximum(twice - 2 * p * once + p**2 * squares.sum(), 0.0) / counts.sum() ** 2
    tokens_of_phone = np.bincount(tokens.codes, minlength=len(tokens.phones))[:, None]
    return np.asarray(np.sqrt(tokens_of_phone * (1 - tokens_of_phone / number) * scatter / max(number - 1, 1)))
