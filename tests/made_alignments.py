"""Alignments made by hand, and a strategy that draws them."""

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from phonxling.analyses.contrasts import Answers
from phonxling.core.confusion import Alignments, ConfusionStack
from phonxling.core.inventory import GAP, Inventory
from phonxling.stats.jackknife import clusters_of

GOLD, PREDICTED = ("a", "i", "n", "p", "ʘ"), ("a", "i", "n", "b", "t")
Pair = tuple[str, str]


def alignments_of(
    rows: Sequence[Sequence[Pair]], gold: Sequence[str] = GOLD, predicted: Sequence[str] = PREDICTED
) -> Alignments:
    """Return alignments of utterances u0, u1, … from pairs of phones, ∅ for none."""
    pairs = [pair for row in rows for pair in row]
    return Alignments(
        utterances=tuple(f"u{number}" for number in range(len(rows))),
        gold_inventory=Inventory(tuple(gold)),
        predicted_inventory=Inventory(tuple(predicted)),
        offsets=np.cumsum([0, *map(len, rows)]),
        gold=np.array([[*gold, GAP].index(pair[0]) for pair in pairs], dtype=np.int16),
        predicted=np.array([[*predicted, GAP].index(pair[1]) for pair in pairs], dtype=np.int16),
        cost=np.zeros(len(rows), np.int64),
        denominator=1,
    )


def stack_of(counts: np.ndarray, gold: Sequence[str], predicted: Sequence[str] | None = None) -> ConfusionStack:
    """Return a stack of utterances u0, u1, … from counts [U, G, P], or with ∅; predicted phones are as gold's."""
    sides = len(gold), len(predicted or gold)
    missing = [(0, size + 1 - given) for size, given in zip(sides, counts.shape[1:], strict=True)]
    padded = np.pad(counts, [(0, 0), *missing]).reshape(len(counts), -1)
    where = [np.flatnonzero(row) for row in padded]
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(len(counts))),
        gold=Inventory(tuple(gold)),
        predicted=Inventory(tuple(predicted or gold)),
        offsets=np.cumsum([0, *map(len, where)]),
        cells=np.concatenate(where),
        counts=np.concatenate([row[place] for row, place in zip(padded, where, strict=True)]),
    )


def answers_of(counts: np.ndarray) -> Answers:
    """Return the answers to phones g0, g1, … by the counts of speakers, [S, G, P], nothing deleted."""
    names = [[f"{side}{number}" for number in range(size)] for side, size in zip("gp", counts.shape[1:], strict=True)]
    tokens = counts.sum(axis=(1, 2)).astype(np.float64)
    return Answers(stack_of(counts, *names), clusters_of(tokens, range(len(counts)), cluster="speaker"))


def stack_of_cells(rows: Sequence[Mapping[int, int]], gold: Inventory, predicted: Inventory) -> ConfusionStack:
    """Return a stack of utterances u0, u1, … from the count of each cell that they have."""
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(len(rows))),
        gold=gold,
        predicted=predicted,
        offsets=np.cumsum([0, *map(len, rows)]),
        cells=np.array([cell for row in rows for cell in sorted(row)], dtype=np.int64),
        counts=np.array([row[cell] for row in rows for cell in sorted(row)], dtype=np.int64),
    )


_PAIRS = st.tuples(st.sampled_from([*GOLD, GAP]), st.sampled_from([*PREDICTED, GAP])).filter(
    lambda pair: pair != (GAP, GAP)
)
ROWS = st.lists(st.lists(_PAIRS, max_size=7), min_size=1, max_size=5)
