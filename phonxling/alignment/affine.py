"""Exact global alignment where a run of gaps pays once for being opened, and where gaps may be wanted late.

Three states a cell, by its last column: a pair, an insertion, a deletion (Gotoh 1982). A run of gaps in one word ends
at the next pair, so an insertion never follows a deletion: each set of aligned pairs is one path.

A cell's value is (cost << 32) − wanted: among alignments of least cost, `wanted` decides. For the ties `late` it is the
sum of the positions, from 0, of the phones without a partner; for `identical`, the number of identical pairs; for
`nist`, 0. What is still equal is decided from the end: a pair before an insertion before a deletion.
"""

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.affine_kernel import WANTED_BITS, align_all
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import offsets_of
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences

_LARGEST_TABLE = 2_000_000_000  # bytes of directions that one pair may need


def align_affine(rows: PhoneSequences, columns: PhoneSequences, costs: CostTable) -> Alignments:
    """Return one optimal alignment for each pair of utterances, both sides coded by the inventories of the costs.

    Raises
    ------
    DataError
        If a pair is so long that it needs more than 2 GB, or its costs overflow 64 bits.
    """
    _check_size(rows, columns, costs)
    packed = pack(costs)
    total = len(rows.codes) + len(columns.codes)
    paths = np.empty(total, np.int32), np.empty(total, np.int32)
    cost, length = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    first, second = rows.codes.astype(np.int32, copy=False), columns.codes.astype(np.int32, copy=False)
    late = costs.ties == "late"
    used = align_all(first, rows.offsets, second, columns.offsets, *packed, late, cost, length, *paths)
    return Alignments(
        utterances=rows.utterances,
        gold_inventory=costs.gold,
        predicted_inventory=costs.predicted,
        offsets=offsets_of(length),
        gold=paths[0][:used],
        predicted=paths[1][:used],
        cost=cost,
        denominator=costs.denominator,
    )


def pack(costs: CostTable) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """Return substitution, deletion, insertion and opening costs with what is wanted of a pair below the cost."""
    counted = costs.identical() if costs.ties == "identical" else np.zeros(costs.substitution.shape, bool)
    parts = [part.astype(np.int64) << WANTED_BITS for part in (costs.substitution, costs.deletion, costs.insertion)]
    return parts[0] - counted, parts[1], parts[2], costs.opening << WANTED_BITS


def _check_size(rows: PhoneSequences, columns: PhoneSequences, costs: CostTable) -> None:
    cells = (rows.lengths + 1) * (columns.lengths + 1)
    longest = (rows.lengths + columns.lengths).max(initial=0)
    largest = max(int(part.max(initial=0)) for part in (costs.substitution, costs.deletion, costs.insertion))
    if len(cells) and cells.max() > _LARGEST_TABLE:
        worst = int(cells.argmax())
        size = f"{rows.lengths[worst]:,} × {columns.lengths[worst]:,} phones"
        msg = f"utterance '{rows.utterances[worst]}' is too long to align under '{costs.name}' costs ({size})"
        raise DataError(f"{msg}; cut it into shorter utterances")
    if longest * (largest + costs.opening) >= 1 << (60 - WANTED_BITS) or longest**2 >= 1 << WANTED_BITS:
        msg = f"costs over the denominator {costs.denominator} overflow for an utterance of {longest:,} phones"
        raise DataError(f"{msg}; cut it into shorter utterances")
