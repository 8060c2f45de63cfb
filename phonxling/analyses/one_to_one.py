"""Which predicted phone stands for which gold phone: the best assignment of one to one, and how many tokens it matches.

Conventions
-----------
∅ is left out: everything here describes the tokens that were not deleted. Each gold phone has one predicted partner at
most and each predicted phone one gold partner at most; a pair that was never aligned is no pair, so a phone may be left
without a partner. The assignment maximises the matched tokens Σ_y C[y, partner(y)]; of several best ones SciPy's
`linear_sum_assignment` takes one, always the same.

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

from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.sequences import Corpus, contents_of


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
    """Return the same of T tables [G, P], [T, G], from their tokens [T, K] in K cells."""
    from scipy.optimize import linear_sum_assignment  # a quarter of a second, which `check` need not wait

    partners = np.full((len(tokens), shape[0]), -1, np.int64)
    for own, counts in zip(partners, tokens, strict=True):
        table = np.zeros(shape)
        table[row, column] = counts
        rows, columns = linear_sum_assignment(table, maximize=True)
        own[rows] = np.where(table[rows, columns] > 0, columns, -1)
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


def halves_of(corpus: Corpus, seed: int, *, by_speaker: bool) -> NDArray[np.int8]:
    """Return the half of each utterance, [U]: speakers, or utterances, are dealt from the seed, tokens balanced.

    In random order each goes to the half that has fewer tokens, so that no file order and no name decides.
    """
    owner, ordered = np.arange(len(corpus.gold)), contents_of(corpus.gold, corpus.predicted).argsort(kind="stable")
    if by_speaker and corpus.speaker_numbers is not None and corpus.speaker_numbers.any():
        owner, ordered = corpus.speaker_numbers, np.arange(corpus.speaker_numbers.max() + 1)
    generator = np.random.default_rng([seed, zlib.crc32(b"halves")])
    sizes = np.bincount(owner, weights=np.maximum(corpus.gold.lengths, 1))
    half, first_has_more = np.zeros(len(sizes), np.int8), 0.0
    for one in ordered[generator.permutation(len(sizes))].tolist():
        half[one] = first_has_more > 0
        first_has_more += -sizes[one] if half[one] else sizes[one]
    return half[owner]
