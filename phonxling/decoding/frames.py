"""The best column of each frame."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Posteriorgrams, probabilities

_BLOCK = 1 << 14  # frames that are probabilities at a time


class Best(NamedTuple):
    """Of each frame the best column, [T], and its probability, [T]."""

    column: Codes
    probability: Floats


def best_columns(posteriorgrams: Posteriorgrams, utterance: str, classes: Codes | None = None) -> Best:
    """Return each frame's column of highest probability, of equal ones the first; errors as `Posteriorgrams.frames`.

    Columns of one class, by number [K], are summed before, and the class is called by its first column.
    """
    columns, values = [np.zeros(0, np.int64)], [np.zeros(0)]
    for rows in blocks(posteriorgrams, utterance):
        named, summed = np.arange(rows.shape[1]), rows
        if classes is not None:
            numbers, named = np.unique(classes, return_index=True)
            summed = np.zeros((len(rows), len(numbers)))
            for column, place in enumerate(np.searchsorted(numbers, classes)):
                summed[:, place] += rows[:, column]
        best = summed.argmax(axis=1)
        columns.append(named[best])
        values.append(summed[np.arange(len(rows)), best])
    return Best(np.concatenate(columns), np.concatenate(values))


def blocks(posteriorgrams: Posteriorgrams, utterance: str) -> Iterator[Floats]:
    """Yield an utterance's probabilities by column, [T, K], block by block; errors as for `Posteriorgrams.frames`."""
    values = posteriorgrams.raw(utterance)
    for begin in range(0, max(len(values), 1), _BLOCK):
        block = np.asarray(values[begin : begin + _BLOCK], dtype=np.float64)
        try:
            yield probabilities(block, posteriorgrams.scale, posteriorgrams.where(utterance))
        except DataError:
            posteriorgrams.frames(utterance)  # names the frame by its place in the whole utterance
            raise
