"""Alignments to confusion counts, in total and by utterance."""

import tempfile
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.counting_kernel import count_cells
from phonxling.core.arrays import Codes, Floats, offsets_of
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.errors import check_arguments
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Rows

_UTTERANCES = 1 << 14  # whose pairs are looked at together


@check_arguments
def count_confusions(aligned: Alignments) -> ConfusionMatrix:
    """Return how often each gold phone was aligned with each predicted one, ∅ included.

    Σ over a gold phone's row is its number of tokens; Σ over a predicted phone's column its number of predictions.

    Examples
    --------
    >>> import phonxling as px
    >>> corpus = px.load_corpus([["a"]], [["a", "a"]])
    >>> px.count_confusions(px.align_corpus(corpus, px.feature_costs(["a"], ["a"]))).counts.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    return stack_confusions(aligned).total()


def stack_confusions(aligned: Alignments) -> ConfusionStack:
    """Return the confusion counts of each utterance, sparse; their total is `count_confusions`."""
    sides = aligned.gold_inventory, aligned.predicted_inventory
    return stack_parts([aligned], sides, utterances=aligned.utterances, pairs=len(aligned.gold))


def stack_parts(
    parts: Iterable[Alignments], sides: tuple[Inventory, Inventory], *, utterances: tuple[str, ...], pairs: int
) -> ConfusionStack:
    """Return the same of alignments that come some utterances at a time, with so many pairs at most."""
    cells, counts = np.empty((2, pairs), np.int32)
    offsets, first = np.zeros(len(utterances) + 1, np.int64), 0
    sums = np.zeros((len(sides[0]) + 1, len(sides[1]) + 1), np.int32)
    for part in parts:
        begin, ends = offsets[first], offsets[first + 1 : first + 1 + len(part)]
        if not count_cells(part.gold, part.predicted, part.offsets, sums, cells[begin:], counts[begin:], ends):
            raise ValueError("the alignment has codes that its inventories do not hold")
        ends += begin
        first += len(part)
    cells.flags.writeable = counts.flags.writeable = False  # so that nobody needs to copy them
    return ConfusionStack(
        utterances=utterances,
        gold=sides[0],
        predicted=sides[1],
        offsets=offsets,
        cells=cells[: offsets[-1]],
        counts=counts[: offsets[-1]],
    )


def count_operations(aligned: Alignments) -> NDArray[np.int64]:
    """Return each utterance's correct, substituted, deleted and inserted phones, int64 [U, 4]."""
    numbers = np.empty((len(aligned), 4), np.int64)
    for first in range(0, len(aligned), _UTTERANCES):
        bounds = aligned.offsets[first : first + _UTTERANCES + 1]
        utterance = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        kinds = utterance * 4 + aligned.operations[bounds[0] : bounds[-1]]
        numbers[first : first + _UTTERANCES] = np.bincount(kinds, minlength=4 * (len(bounds) - 1)).reshape(-1, 4)
    return numbers


# The gold phones on either side of each aligned pair.

EDGE = "#"  # how the edge of an utterance is shown


def gold_neighbours(aligned: Alignments) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Return the last gold phone before each aligned pair and the first one after it, by code, [L] each."""
    phones, offsets, edge = aligned.gold, aligned.offsets, len(aligned.gold_inventory)
    left, right = np.empty((2, len(phones)), phones.dtype)
    for first in range(0, len(offsets) - 1, _UTTERANCES):
        some = offsets[first : first + _UTTERANCES + 1]
        run, at, lengths = slice(some[0], some[-1]), some - some[0], np.diff(some)
        # Insertions are no neighbours: what stood before and after in gold is asked.
        is_phone = phones[run] < edge
        tokens = np.append(phones[run][is_phone], edge)  # so that the place behind the last one exists
        number = offsets_of(is_phone)
        begin, end = (np.repeat(number[place], lengths) for place in (at[:-1], at[1:]))
        before, after = number[:-1], number[1:]
        left[run] = np.where(before > begin, tokens[np.maximum(before - 1, 0)], edge)
        right[run] = np.where(after < end, tokens[after], edge)
    return left, right


# Rows of numbers, one a token: in memory or, where they would fill it, in a temporary file, read a run at a time.

_MOST_COUNTS = 1_000_000_000  # bytes in memory
_BATCH_SIZE = 1 << 21  # numbers that are worked on at one time: with twice as many each read takes new memory


def parts_of(rows: Rows) -> Iterator[slice]:
    """Yield rows in runs that are worked on at one time: some 16 MB."""
    size = max(1, _BATCH_SIZE // max(1, rows.shape[1]))
    return (slice(first, first + size) for first in range(0, len(rows), size))


class RowsOnDisk:
    """Rows [N, K] in a temporary file, which goes with them; `rows[a:b]` reads these."""

    dtype = np.dtype(np.float64)

    def __init__(self, width: int) -> None:
        self._file, self._lock, self.shape = tempfile.TemporaryFile(), threading.Lock(), (0, width)  # noqa: SIM115

    def __del__(self) -> None:
        self._file.close()

    def add(self, rows: Floats) -> None:
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(rows).data)
        self.shape = len(self) + len(rows), self.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice, /) -> Floats:
        first, last, _ = rows.indices(len(self))
        read = np.empty((max(last - first, 0), self.shape[1]))
        # Several threads read from one place in the file, which they would move for each other.
        with self._lock:
            self._file.seek(first * self.shape[1] * read.itemsize)
            self._file.readinto(read.data)
        return read

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Floats:
        return self[:]


class Room:
    """Room for rows [at most N, K] that come one after the other."""

    def __init__(self, number: int, width: int) -> None:
        # Token means take 8 K bytes a token: a large corpus would fill the memory with them.
        self._disk = RowsOnDisk(width) if 8 * number * width > _MOST_COUNTS else None
        self._memory = np.empty((0 if self._disk else number, width))
        self._number = 0

    def add(self, rows: Floats) -> None:
        if self._disk is not None:
            self._disk.add(rows)
            return
        self._memory[self._number : self._number + len(rows)] = rows
        self._number += len(rows)

    def filled(self) -> Rows:
        if self._disk is not None:
            return self._disk
        filled: NDArray[np.float64] = self._memory[: self._number]
        filled.flags.writeable = False  # so that nobody needs to copy it
        return filled


@dataclass(frozen=True, eq=False)
class OneHot:
    """Rows [N, K] that are 1 at one place and 0 elsewhere, made when they are asked for."""

    places: Codes
    width: int

    dtype = np.dtype(np.uint8)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.places), self.width

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        return np.eye(self.width, dtype=np.uint8)[self.places[rows]]

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:]
