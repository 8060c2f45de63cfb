"""The phonotactic habit of a language: how likely each phone is between two others, by a smoothed bigram of phones.

Conventions
-----------
# is the edge of an utterance, before its first phone and after its last. Phones of the sequences outside of the list
of K phones are counted as one further symbol. With c(l, x) how often x comes right after l, c(l) their sum over x, and
T(l) how many different x follow l,

    P(x|l) = (c(l, x) + T(l) P(x)) / (c(l) + T(l)),    P(x) the share of x among all that follows anything.

Between l and r, P(x | l, r) ∝ P(x|l) P(r|x). A neighbour that the sequences do not have says nothing: P(x) stands for
P(x|l), 1 for P(r|x).

References
----------
Witten & Bell (1991), The zero-frequency problem. Chen & Goodman (1999), An empirical study of smoothing techniques.
"""

from dataclasses import dataclass

import numpy as np

from phonxling.analyses.chance.kernel import count_followers
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences


@dataclass(frozen=True, eq=False)
class Bigram:
    """What follows what, over K phones; the edge # stands last among the neighbours.

    Parameters
    ----------
    known : bool array [K]
        The phones that the sequences have.
    after : float64 array [K + 1, K]
        P(x|l) of each left neighbour l; 0 for phones that are not known.
    before : float64 array [K + 1, K]
        P(r|x) of each right neighbour r.
    """

    known: Bools
    after: Floats
    before: Floats

    def between(self, left: Codes, right: Codes) -> Floats:
        """Return P(x|l) P(r|x) of each phone x in N places, [N, K]; rows do not sum to 1."""
        return np.asarray(self.after[left] * self.before[right])


def bigram(sequences: PhoneSequences, phones: Inventory) -> Bigram:
    """Return the bigram of some sequences, over phones of which these may lack some.

    Examples
    --------
    Of "ab" and "aa" three symbols follow a (a, b and the edge, once each) and two follow nothing else:

    >>> from phonxling.core.sequences import from_lists
    >>> habit = bigram(from_lists(["u", "v"], [["a", "b"], ["a", "a"]]), Inventory(("a", "b", "k")))
    >>> habit.known.tolist(), habit.after[0].round(3).tolist()
    ([True, True, False], [0.417, 0.25, 0.0])
    """
    counts, size = _counts(sequences, phones), len(phones)
    follows = counts.sum(axis=0) / max(counts.sum(), 1)
    kinds, tokens = (counts > 0).sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
    smoothed = divided(counts + kinds * follows, tokens + kinds, undefined=0.0)
    known = follows[:size] > 0
    neighbours = np.append(known, True)
    after = np.where(neighbours[:, None], smoothed[: size + 1, :size], follows[:size])
    before = np.where(neighbours[:, None], smoothed[:size, : size + 1].T, 1.0)
    return Bigram(known, after, before)


def _counts(sequences: PhoneSequences, phones: Inventory) -> Floats:
    """Return how often each symbol comes right after each, [K + 2, K + 2]: phones, the edge, all others."""
    own, size = sequences.inventory, len(phones)
    following = np.zeros((len(own) + 2, len(own)), np.int64)
    count_followers(sequences.codes, sequences.offsets, following)
    last = sequences.codes[sequences.offsets[1:][sequences.lengths > 0] - 1]
    places = np.array([phones.code(phone) if phone in phones else size + 1 for phone in own], np.int64)
    counts = np.zeros((size + 2, size + 2))
    np.add.at(counts, (np.append(places, size)[:, None], places), following[:-1])
    np.add.at(counts[:, size], places, np.bincount(last, minlength=len(own)))
    return counts
