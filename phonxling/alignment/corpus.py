"""Aligns whole corpora: packs the costs, runs the kernel in threads, and closes the gaps between the paths."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.affine import align_affine
from phonxling.alignment.kernel import IDENTICAL_BITS, align_range
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import offsets_of
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences

_LARGEST_COST = 1 << (61 - 2 - IDENTICAL_BITS)  # what the packed integer holds
_LARGEST_TABLE = 4_000_000_000  # bytes of directions that one pair may need


def align_sequences(gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, workers: int = 1) -> Alignments:
    """Return one optimal alignment for each pair of utterances; the same for any number of workers.

    Raises
    ------
    ValueError
        If the two sides hold different utterances.
    KeyError
        If a phone is not in the cost table's inventories.
    DataError
        If a pair is so long that it needs more than 4 GB.
    """
    if gold.utterances != predicted.utterances:
        raise ValueError("gold and predicted must hold the same utterances in the same order")
    rows, columns = gold.recode(costs.gold), predicted.recode(costs.predicted)
    if costs.opening or costs.ties == "late":
        return align_affine(rows, columns, costs)
    _check_size(rows, columns, costs)
    total = len(rows.codes) + len(columns.codes)
    cost, length = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    paths = np.empty(total, np.int32), np.empty(total, np.int32)
    packed = _pack(costs)
    gaps = np.concatenate([costs.deletion, costs.insertion])
    least_gap = int(gaps.min()) if len(gaps) else 0

    def run(part: tuple[int, int]) -> None:
        sides = (rows.codes, rows.offsets, columns.codes, columns.offsets)
        align_range(*sides, *part, *packed, least_gap, cost, length, *paths)

    with ThreadPoolExecutor(max(1, workers)) as pool:
        list(pool.map(run, shards(rows, columns, workers)))
    kept = _filled(rows.offsets[:-1] + columns.offsets[:-1], length)
    return Alignments(
        utterances=gold.utterances,
        gold_inventory=costs.gold,
        predicted_inventory=costs.predicted,
        offsets=offsets_of(length),
        gold=paths[0][kept],
        predicted=paths[1][kept],
        cost=cost,
        denominator=costs.denominator,
    )


def _pack(costs: CostTable) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the costs as the kernel wants them: cost, identical pairs and direction in one integer."""
    counted = costs.identical() if costs.ties == "identical" else np.zeros(costs.substitution.shape, bool)
    substitution = ((costs.substitution.astype(np.int64) << IDENTICAL_BITS) - counted) << 2
    insertion = (costs.insertion.astype(np.int64) << (IDENTICAL_BITS + 2)) + 1
    deletion = (costs.deletion.astype(np.int64) << (IDENTICAL_BITS + 2)) + 2
    return substitution, deletion, insertion


def _check_size(gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> None:
    cells = (gold.lengths + 1) * (predicted.lengths + 1)
    if len(cells) and cells.max() > _LARGEST_TABLE:
        worst = int(cells.argmax())
        size = f"{gold.lengths[worst]:,} × {predicted.lengths[worst]:,} phones"
        msg = f"utterance '{gold.utterances[worst]}' is too long to align ({size}); cut it into shorter utterances"
        raise DataError(msg)
    longest = int((gold.lengths + predicted.lengths).max(initial=0))
    largest = max(int(table.max(initial=0)) for table in (costs.substitution, costs.deletion, costs.insertion))
    if longest * largest >= _LARGEST_COST:
        msg = f"costs over the denominator {costs.denominator} overflow for an utterance of {longest:,} phones"
        raise DataError(f"{msg}; give gap costs with fewer decimals")


def shards(gold: PhoneSequences, predicted: PhoneSequences, workers: int) -> list[tuple[int, int]]:
    """Return ranges of utterances of about equal work, a few for each worker."""
    if workers <= 1:
        return [(0, len(gold))]
    work = np.cumsum((gold.lengths + 1) * (predicted.lengths + 1))
    steps = np.linspace(0, work[-1] if len(work) else 0, 4 * workers + 1)[1:-1]
    cuts = np.unique([0, *np.searchsorted(work, steps), len(gold)])
    return [(int(start), int(stop)) for start, stop in pairwise(cuts)]


def _filled(starts: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions at which the kernel wrote pairs."""
    shift = np.repeat(starts - offsets_of(length)[:-1], length)
    return np.arange(int(length.sum()), dtype=np.int64) + shift
