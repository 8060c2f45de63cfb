"""Aligns whole corpora: packs the costs, runs the kernel in threads, and joins the paths."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.affine import align_affine
from phonxling.alignment.kernel import align_range
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import offsets_of, pair_type
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences

LARGEST_BAND = 2_000_000_000  # bytes of directions that one pair may need
_PACKED_BITS = 59  # what a packed value may take, so that its sums with what lies outside the band stay in 64 bits
_Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]
_Sides = tuple[NDArray[np.integer], NDArray[np.int64], NDArray[np.integer], NDArray[np.int64]]
_Ints = NDArray[np.int64]
_Packed = tuple[_Ints, _Ints, _Ints, int, tuple[_Ints, _Ints], int]


def align_sequences(
    gold: PhoneSequences,
    predicted: PhoneSequences,
    costs: CostTable,
    workers: int = 1,
    largest_band: int = LARGEST_BAND,
) -> Alignments:
    """Return one optimal alignment for each pair of utterances; the same for any number of workers.

    Raises
    ------
    ValueError
        If the two sides hold different utterances.
    KeyError
        If a phone is not in the cost table's inventories.
    DataError
        If a pair's band of directions needs more than `largest_band` bytes (2 GB).
        If costs and lengths together overflow 64 bits.
    """
    if gold.utterances != predicted.utterances:
        raise ValueError("gold and predicted must hold the same utterances in the same order")
    rows, columns = gold.recode(costs.gold), predicted.recode(costs.predicted)
    if costs.opening or costs.ties == "late":
        return align_affine(rows, columns, costs)
    cost, length = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    sides = _sides(rows, columns)
    reduced, deletion, insertion, bits, partners, unit = _pack(costs, rows, columns)
    kind = pair_type(len(costs.gold), len(costs.predicted))

    def run(part: tuple[int, int]) -> _Pairs:
        first, last = part
        size = int(rows.offsets[last] - rows.offsets[first] + columns.offsets[last] - columns.offsets[first])
        path = np.empty(size, kind), np.empty(size, kind)
        where = (*sides, first, last)
        paid = reduced, deletion, insertion, bits, partners, unit
        start = align_range(*where, *paid, largest_band, cost, length, *path)
        return path[0][start:], path[1][start:]

    ranges = shards(rows, columns, workers)
    if len(ranges) == 1:
        parts = [run(ranges[0])]
    else:
        with ThreadPoolExecutor(max(1, workers)) as pool:
            parts = list(pool.map(run, ranges))
    _refuse_too_large(rows, columns, np.flatnonzero(cost < 0), largest_band)
    aligned = [_joined([part[side] for part in parts]) for side in (0, 1)]
    return Alignments(
        utterances=gold.utterances,
        gold_inventory=costs.gold,
        predicted_inventory=costs.predicted,
        offsets=offsets_of(length),
        gold=aligned[0],
        predicted=aligned[1],
        cost=cost,
        denominator=costs.denominator,
    )


def _sides(gold: PhoneSequences, predicted: PhoneSequences) -> _Sides:
    """Return codes and offsets of both sides, the codes of one type: the kernel is compiled for two, not for four."""
    kind = np.promote_types(gold.codes.dtype, predicted.codes.dtype)
    return (
        gold.codes.astype(kind, copy=False),
        gold.offsets,
        predicted.codes.astype(kind, copy=False),
        predicted.offsets,
    )


def _pack(costs: CostTable, gold: PhoneSequences, predicted: PhoneSequences) -> _Packed:
    """Return reduced costs as the kernel wants them, gap costs, bits for identical pairs, and the unit costs' part."""
    counted = costs.ties == "identical"
    bits = int(np.minimum(gold.lengths, predicted.lengths).max(initial=0)).bit_length() if counted else 0
    _check_overflow(costs, int((gold.lengths + predicted.lengths).max(initial=0)), bits)
    deletion, insertion = costs.deletion.astype(np.int64), costs.insertion.astype(np.int64)
    reduced = costs.substitution - deletion[:, None] - insertion
    packed = (((reduced << bits) - (costs.identical() & counted)) << 2) - 1
    return packed, deletion, insertion, bits, _partners(costs), unit_cost(costs)


def _partners(costs: CostTable) -> tuple[_Ints, _Ints]:
    """Return the code of each gold phone on the predicted side (P for none), and the other way round."""
    sides = (costs.gold, costs.predicted), (costs.predicted, costs.gold)
    first, second = (
        np.array([other.code(phone) if phone in other else len(other) for phone in side], dtype=np.int64)
        for side, other in sides
    )
    return first, second


def unit_cost(costs: CostTable) -> int:
    """Return what each error costs when all cost the same and the tie rule is NIST's, else 0."""
    identical = costs.identical()
    paid = np.concatenate([costs.substitution[~identical], costs.deletion, costs.insertion])
    one = paid.size > 0 and (paid == paid[0]).all() and not costs.substitution[identical].any()
    return int(paid[0]) if one and costs.ties == "nist" else 0


def _check_overflow(costs: CostTable, longest: int, bits: int) -> None:
    largest = sum(int(table.max(initial=0)) for table in (costs.substitution, costs.deletion, costs.insertion))
    if longest * largest >> (_PACKED_BITS - 2 - bits):
        msg = f"costs over the denominator {costs.denominator} overflow for an utterance of {longest:,} phones"
        raise DataError(f"{msg}; give gap costs with fewer decimals, or cut it into shorter utterances")


def _refuse_too_large(
    gold: PhoneSequences, predicted: PhoneSequences, refused: NDArray[np.int64], largest_band: int
) -> None:
    if not len(refused):
        return
    worst = int(refused[(gold.lengths * predicted.lengths)[refused].argmax()])
    lengths = f"{gold.lengths[worst]:,} gold and {predicted.lengths[worst]:,} predicted phones"
    more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
    msg = f"utterance '{gold.utterances[worst]}'{more} is too long to align: {lengths} need more than"
    remedy = "cut it into shorter utterances, or raise the gap costs when they are near 0"
    raise DataError(f"{msg} {largest_band / 1e6:,g} MB; {remedy}")


def shards(gold: PhoneSequences, predicted: PhoneSequences, workers: int) -> list[tuple[int, int]]:
    """Return ranges of utterances of about equal work, a few for each worker."""
    if workers <= 1:
        return [(0, len(gold))]
    work = np.cumsum((gold.lengths + 1) * (predicted.lengths + 1))
    steps = np.linspace(0, work[-1] if len(work) else 0, 4 * workers + 1)[1:-1]
    cuts = np.unique([0, *np.searchsorted(work, steps), len(gold)])
    return [(int(start), int(stop)) for start, stop in pairwise(cuts)]


def _joined(parts: list[NDArray[np.integer]]) -> NDArray[np.integer]:
    """Return the parts as one array that cannot be written to, so that nobody needs to copy it."""
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0, np.int16)
    whole.flags.writeable = False
    return whole
