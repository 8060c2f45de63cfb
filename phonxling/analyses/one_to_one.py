"""Which predicted phone stands for which gold phone: the best assignment of one to one, and how many tokens it matches.

Conventions
-----------
∅ is left out: everything here describes the tokens that were not deleted. Each gold phone has one predicted partner at
most and each predicted phone one gold partner at most; a pair that was never aligned is no pair, so a phone may be left
without a partner. The assignment maximises the matched tokens Σ_y C[y, partner(y)]. Of several best assignments the
first in the order of the inventories is taken: the first gold phone gets the earliest partner that any of them gives it
(none comes last), then the second one, and so on.

Measure
-------
One-to-one accuracy = matched tokens / all tokens. In the sample that the assignment was chosen from it is too high, and
1 exactly when H(X|Y) = H(Y|X) = 0. Cross-fitted, each half of the utterances is scored by the other half's assignment.

References
----------
Kuhn (1955), The Hungarian method for the assignment problem. Christodoulopoulos, Goldwater & Steedman (2010), Two
decades of unsupervised POS induction (one-to-one accuracy).
"""

import math
import zlib

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.kernel import best_partners
from phonxling.core.arrays import Codes, Floats, offsets_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.sequences import Corpus, contents_of
from phonxling.resample.replicates import Halving


def one_to_one(matrix: ConfusionMatrix) -> Codes:
    """Return the predicted phone assigned to each gold phone, by code, int64 [G]; −1 for none.

    Examples
    --------
    Matching a with y costs 2 tokens, and wins 4; c is left without a partner:

    >>> m = ConfusionMatrix(["a", "b", "c"], ["x", "y"], [[5, 3], [4, 0], [0, 1]])
    >>> one_to_one(m).tolist()
    [1, 0, -1]
    """
    counts = matrix.substitutions
    row, column = np.nonzero(counts)
    return np.asarray(assigned(row, column, counts[row, column][None], counts.shape)[0])


def assigned(row: Codes, column: Codes, tokens: Floats, shape: tuple[int, int]) -> Codes:
    """Return the same of T tables [G, P], [T, G], from their tokens [T, K] in K cells in the order of the table."""
    partners = np.empty((len(tokens), shape[0]), np.int64)
    first = offsets_of(np.bincount(row, minlength=shape[0]))
    best_partners(first, np.ascontiguousarray(column), np.ascontiguousarray(tokens), shape[1], partners)
    return partners


def one_to_one_accuracy(matrix: ConfusionMatrix, assignment: Codes) -> float:
    """Return the share of the tokens, ∅ left out, whose predicted phone is their gold phone's partner, in [0, 1].

    NaN without tokens. `assignment` is as `one_to_one` returns it, over the same inventories.

    Raises
    ------
    ValueError
        If the assignment is not of this many gold phones.

    Examples
    --------
    >>> m = ConfusionMatrix(["a", "b"], ["x", "y"], [[0, 6], [3, 1]])
    >>> one_to_one_accuracy(m, one_to_one(m)), one_to_one_accuracy(m, np.array([0, 1]))
    (0.9, 0.1)
    """
    counts = matrix.substitutions
    if len(assignment) != len(counts):
        raise ValueError(f"the assignment is of {len(assignment)} gold phones, and the counts are of {len(counts)}")
    tokens, partners = float(counts.sum()), np.equal.outer(assignment, np.arange(counts.shape[1]))
    return float(counts[partners].sum()) / tokens if tokens else math.nan


def halving(corpus: Corpus, seed: int, *, by_speaker: bool) -> tuple[Halving, Codes]:
    """Return how halves are dealt, from the seed, and the cluster of each utterance, [U]."""
    cluster, ordered = np.arange(len(corpus.gold)), contents_of(corpus.gold, corpus.predicted).argsort(kind="stable")
    if by_speaker and corpus.speaker_numbers is not None and corpus.speaker_numbers.any():
        cluster, ordered = corpus.speaker_numbers, np.arange(corpus.speaker_numbers.max() + 1)
    generator = np.random.default_rng([seed, zlib.crc32(b"halves")])
    sizes = np.bincount(cluster, weights=np.maximum(corpus.gold.lengths, 1)).astype(np.int64)
    return Halving(ordered[generator.permutation(len(sizes))], sizes), cluster


def whole_halves(dealt: Halving) -> NDArray[np.int8]:
    """Return the half of each cluster of the corpus itself, int8 [C]."""
    weights = np.repeat(np.array([[1, 0]], np.uint8), len(dealt.order), axis=0)
    dealt.deal(weights)
    return weights[:, 1].astype(np.int8)
