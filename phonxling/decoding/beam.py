"""Prefix beam search: the most probable sequences of labels of a CTC network, and when the best one was said."""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats
from phonxling.decoding.kernel import prefix_beam
from phonxling.decoding.runs import Runs, runs_of
from phonxling.forced.chain import chain_of
from phonxling.forced.kernel import best_path


def beam_search(rows: Floats, blank: int, beam: int) -> list[tuple[list[int], float]]:
    """Return the sequences of columns that a beam search ends with, best first, each with its log probability.

    Parameters
    ----------
    rows : float64 array [T, K]
        Probabilities.
    blank : int
        The column of the blank.
    beam : int
        How many sequences are kept from frame to frame. A sequence's probability is summed over all its paths through
        prefixes that were kept: a lower bound, exact when the beam holds all.

    Examples
    --------
    Two frames; the best path is blank, blank (0.36), but a has three paths (0.64):

    >>> [(labels, round(float(np.exp(log)), 2)) for labels, log in beam_search(np.array([[0.4, 0.6]] * 2), 1, 4)]
    [([0], 0.64), ([], 0.36)]
    """
    with np.errstate(divide="ignore"):
        symbol, parent, nodes, logs = prefix_beam(np.log(rows), blank, beam)
    return [(_labels(symbol, parent, int(node)), float(log)) for node, log in zip(nodes, logs, strict=True)]


def beam_runs(rows: Floats, blank: int, beam: int) -> Runs:
    """Return the most probable sequence of columns by beam search, with the frames of its most probable path."""
    labels = np.array(beam_search(rows, blank, beam)[0][0], np.int64)
    owner = label_frames(rows, labels, blank)
    column = np.append(labels, blank)[owner]  # −1: the blank
    runs = runs_of(owner, rows[np.arange(len(rows)), column])
    said = runs.select(runs.symbol >= 0)
    return said._replace(symbol=labels[said.symbol])


def label_frames(rows: Floats, labels: Codes, blank: int) -> Codes:
    """Return for each frame [T] the place of its label in a sequence of labels on its most probable path, −1: a blank.

    The path must be possible. Of equally probable ones that of `phonxling.forced.kernel.best_path`.
    """
    chain = chain_of(labels, 1, blank=True)
    with np.errstate(divide="ignore"):
        logs = np.log(rows[:, np.append(chain.phones, blank)])
    path = np.empty(len(rows), np.int32)
    best_path(logs, chain.states, np.zeros(len(rows), np.int64), len(chain.emit), path)
    return np.where(path % 2, path // 2, -1)  # of two states a label, the second is its own


def _labels(symbol: NDArray[np.int32], parent: NDArray[np.int32], node: int) -> list[int]:
    """Return the labels on the way from the root to a node."""
    labels: list[int] = []
    while parent[node] >= 0:
        labels.append(int(symbol[node]))
        node = int(parent[node])
    return labels[::-1]
