"""Confusion matrices of a few phones that Hypothesis draws, and their cells by name."""

import numpy as np
from hypothesis import strategies as st

from phonxling.core.confusion import ConfusionMatrix

PHONES = ["a", "b", "c", "d"]


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    gold = draw(st.lists(st.sampled_from(PHONES), unique=True, min_size=1))
    predicted = draw(st.lists(st.sampled_from([*PHONES, "z"]), unique=True, min_size=1))
    shape = len(gold) + 1, len(predicted) + 1
    cells = shape[0] * shape[1]
    counts = draw(st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=cells, max_size=cells))
    counts[-1] = 0
    return ConfusionMatrix(gold, predicted, np.reshape(counts, shape))


def cell(matrix: ConfusionMatrix, gold: str, predicted: str) -> int:
    """Return the count of a pair of phones, or of one and ∅; 0 where the matrix lacks one."""
    rows, columns = [*matrix.gold, "∅"], [*matrix.predicted, "∅"]
    if gold not in rows or predicted not in columns:
        return 0
    return int(matrix.counts[rows.index(gold), columns.index(predicted)])
