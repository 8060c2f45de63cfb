"""Halves of a corpus, for what is fitted on one half and judged on the other."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def split_halves(
    tokens: NDArray[np.int64], speakers: Sequence[str] | None, generator: np.random.Generator
) -> NDArray[np.int8]:
    """Return the half, 0 or 1, of each utterance, int8 [U]: speakers stay whole, and the halves are of similar size.

    Speakers (or utterances, where none are known or all are of one) are taken in random order, each into the half that
    has fewer tokens so far, the first half where they are equal.

    Parameters
    ----------
    tokens : int64 array [U]
        Phones of each utterance.
    speakers : sequence of str, optional
        One an utterance.
    generator : numpy.random.Generator
        The order is drawn from it.

    Raises
    ------
    ValueError
        If there are fewer than two utterances.

    Examples
    --------
    >>> split_halves(np.array([5, 5, 5, 5]), ["ann", "ann", "bob", "bob"], np.random.default_rng(1)).tolist()
    [0, 0, 1, 1]
    """
    if len(tokens) < 2:
        raise ValueError("one utterance has no halves")
    names = np.asarray(range(len(tokens)) if speakers is None or len(set(speakers)) < 2 else speakers)
    _, cluster = np.unique(names, return_inverse=True)
    sizes = np.bincount(cluster, weights=np.maximum(tokens, 1)).astype(np.int64)
    half, filled = np.zeros(len(sizes), dtype=np.int8), [0, 0]
    for place in generator.permutation(len(sizes)):
        half[place] = int(filled[1] < filled[0])
        filled[half[place]] += int(sizes[place])
    return half[cluster]
