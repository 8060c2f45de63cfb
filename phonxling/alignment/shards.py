"""Pairs of utterances, a shard at a time."""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import runs

_Codes = NDArray[np.integer]
_Ints = NDArray[np.int64]
_Kind = TypeVar("_Kind", bound=np.integer)
_SHARDS = 12  # at least, of a corpus that is worth it: the last ones leave workers idle for a short time only
_WORTH = 2_000_000  # cells: some milliseconds, of which what a shard takes besides is a hundredth


class Pairs(NamedTuple):
    """Some utterances' phones: codes of both sides, of one type, and where each utterance begins."""

    gold: _Codes
    gold_offsets: _Ints
    predicted: _Codes
    predicted_offsets: _Ints

    def __len__(self) -> int:
        return len(self.gold_offsets) - 1

    def frozen(self) -> "Pairs":
        """Return the same arrays, not to be written to: compiled loops know such ones, wherever they came from."""
        gold, predicted = _frozen(self.gold), _frozen(self.predicted)
        return Pairs(gold, _frozen(self.gold_offsets), predicted, _frozen(self.predicted_offsets))


def cells_of(gold: PhoneSequences, predicted: PhoneSequences) -> _Ints:
    """Return how many cells each pair's full table has, int64 [U]: what aligning it takes, about."""
    return (gold.lengths + 1) * (predicted.lengths + 1)


def pair_shards(gold: PhoneSequences, predicted: PhoneSequences, most: int) -> list[Pairs]:
    """Return the utterances in runs of about `most` cells of the full tables; of fewer, if there were few runs.

    How many cells depends on the corpus alone. It is a power of two, so that with a few utterances more at the end,
    the runs before, and what is stored of them, stay as they are.

    Examples
    --------
    Three pairs of four cells each, four to a run:

    >>> from phonxling.core.sequences import from_lists
    >>> pairs = from_lists(["u", "v", "w"], [["a"], ["b"], ["a"]])
    >>> [part.gold.tolist() for part in pair_shards(pairs, pairs, most=4)]
    [[0], [1], [0]]
    """
    cells = cells_of(gold, predicted)
    share = 1 << (int(cells.sum()) // _SHARDS).bit_length() >> 1
    kind = np.promote_types(gold.codes.dtype, predicted.codes.dtype)
    codes = [side.codes.astype(kind, copy=False) for side in (gold, predicted)]
    return [
        Pairs(*_part(codes[0], gold.offsets, first, last), *_part(codes[1], predicted.offsets, first, last))
        for first, last in runs(cells, min(most, max(share, _WORTH)))
    ]


def _part(codes: _Codes, offsets: _Ints, first: int, last: int) -> tuple[_Codes, _Ints]:
    return codes[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first]


def _frozen(values: NDArray[_Kind]) -> NDArray[_Kind]:
    view = values.view()
    view.flags.writeable = False
    return view
