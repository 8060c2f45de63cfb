"""Aligns whole corpora: packs the costs, runs the kernel on shards, and joins what they find."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from phonxling.alignment.kernel import align_range
from phonxling.core.arrays import Bools, Floats, offsets_of, pair_type
from phonxling.core.confusion import Alignments
from phonxling.core.costs import LARGEST_COST, CostTable
from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, join_records, make_shards

_Codes = NDArray[np.integer]
_Ints = NDArray[np.int64]
LARGEST_BAND = 2_000_000_000  # bytes of directions that one pair may need
_PACKED_BITS = 59  # what a packed value may take, so that its sums with what lies outside the band stay in 64 bits
_MOST_PAIRS = 10**10  # of phones of two sides: more are refused before anything is aligned
_CELLS = 50_000_000  # of the full tables in a shard, at most: a tenth of a second
_PART = 20_000_000  # of those whose paths are not kept
_SHARDS = 12  # at least, of a corpus that is worth it: the last ones leave workers idle for a short time only
_WORTH = 2_000_000  # cells: some milliseconds, of which what a shard takes besides is a hundredth


class Pairs(NamedTuple):
    """Some utterances' phones: codes of both sides, and where each utterance begins."""

    gold: _Codes
    gold_offsets: _Ints
    predicted: _Codes
    predicted_offsets: _Ints

    def __len__(self) -> int:
        return len(self.gold_offsets) - 1


def cells_of(gold: PhoneSequences, predicted: PhoneSequences) -> _Ints:
    """Return how many cells each pair's full table has, int64 [U]: what aligning it takes, about."""
    return (gold.lengths + 1) * (predicted.lengths + 1)


def pair_shards(gold: PhoneSequences, predicted: PhoneSequences, most: int) -> list[Pairs]:
    """Return the utterances in runs of about `most` cells of the full tables; of fewer, if there were few runs."""
    cells = cells_of(gold, predicted)
    # A power of two, so that a corpus that grows a little keeps its shards; it does not go by the number of workers, so
    # that what is stored of a shard is found again whoever did the work.
    share = 1 << (int(cells.sum()) // _SHARDS).bit_length() >> 1

    def cut(side: PhoneSequences, first: int, last: int) -> tuple[_Codes, _Ints]:
        bounds = side.offsets[first : last + 1]
        return side.codes[bounds[0] : bounds[-1]], bounds - bounds[0]

    runs = make_shards(cells, min(most, max(share, _WORTH)))
    return [Pairs(*cut(gold, *run), *cut(predicted, *run)) for run in runs]


class PackedCosts(NamedTuple):
    """What the kernel wants to know of the costs (see there), and the type of the path's codes."""

    reduced: _Ints
    deletion: _Ints
    insertion: _Ints
    identical_bits: int
    symbols: NDArray[np.uint64]  # of each predicted phone: its code in gold, or one that no gold phone has
    unit: int
    gaps_first: bool
    largest_band: int
    kind: str
    paths: bool = True


def align_sequences(
    gold: PhoneSequences,
    predicted: PhoneSequences,
    costs: CostTable,
    work: Work = SERIAL,
    largest_band: int = LARGEST_BAND,
) -> Alignments:
    """Return one optimal alignment for each pair of utterances; the same whoever does the work."""
    packed, rows, columns = _pack_costs(costs, gold, predicted, largest_band)
    # No path is longer than both sides together: all gaps.
    codes = len(rows.codes) + len(columns.codes), packed.kind
    return _make_alignments(gold, costs, _align_all(packed, rows, columns, work, {"gold": codes, "predicted": codes}))


def align_in_parts(
    gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, largest_band: int = LARGEST_BAND
) -> Iterator[Alignments]:
    """Yield the same alignments, those of some utterances at a time: their paths need little memory."""
    packed, rows, columns = _pack_costs(costs, gold, predicted, largest_band)
    last = 0
    for shard in pair_shards(rows, columns, _PART):
        record, first, last = align_shard(packed, shard), last, last + len(shard)
        if (record["cost"] < 0).any():
            align_sequences(gold, predicted, costs, largest_band=largest_band)  # names the longest of all
        for array in record.values():
            array.flags.writeable = False  # so that nobody needs to copy them
        yield _make_alignments(gold, costs, record, slice(first, last))


def least_costs(gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, work: Work = SERIAL) -> Floats:
    """Return what each pair of utterances costs at least, [U], without its path; errors as for `align_sequences`."""
    packed, rows, columns = _pack_costs(costs, gold, predicted, LARGEST_BAND)
    aligned = _align_all(packed._replace(paths=False), rows, columns, work, {})
    return np.asarray(aligned["cost"] / costs.denominator)


def _make_alignments(gold: PhoneSequences, costs: CostTable, aligned: Record, run: slice = slice(None)) -> Alignments:
    return Alignments(
        utterances=gold.utterances[run],
        gold_inventory=costs.gold,
        predicted_inventory=costs.predicted,
        offsets=offsets_of(aligned["length"]),
        gold=aligned["gold"],
        predicted=aligned["predicted"],
        cost=aligned["cost"],
        denominator=costs.denominator,
    )


def _align_all(
    packed: PackedCosts,
    gold: PhoneSequences,
    predicted: PhoneSequences,
    work: Work,
    paths: Mapping[str, tuple[int, DTypeLike]],
) -> Record:
    """Return the costs and lengths of all pairs, and the paths that there is room for."""
    room = {"cost": (len(gold), np.int64), "length": (len(gold), np.int64), **paths}
    aligned = join_records(work.map(align_shard, packed, pair_shards(gold, predicted, _CELLS)), room)
    _refuse_too_large(gold, predicted, aligned["cost"] < 0, packed.largest_band)
    return aligned


def align_shard(packed: PackedCosts, shard: Pairs) -> Record:
    """Return the alignments of some pairs: `cost` (−1: needs too large a band) and `length` of each, and the paths."""
    # Of one type and writable, whatever inventories they are of and wherever they come from: for others the loop would
    # be compiled once more.
    gold, predicted = shard.gold.astype(np.uint64), shard.predicted.astype(np.uint64)
    offsets = np.array(shard.gold_offsets), np.array(shard.predicted_offsets)
    (deleted, least_out), (inserted, least_in) = (
        _sum_gaps(packed.deletion.take(shard.gold), offsets[0]),
        _sum_gaps(packed.insertion.take(shard.predicted), offsets[1]),
    )
    longest = max(int(np.diff(side).max(initial=0)) for side in offsets)
    words = np.zeros(sum(packed.reduced.shape), np.uint64), *np.empty((2, longest), np.uint64)
    cost, length = deleted + inserted, np.zeros(len(shard), np.int64)
    path = np.empty((2, (len(gold) + len(predicted)) * packed.paths), packed.kind)
    start = align_range(
        gold,
        offsets[0],
        predicted,
        offsets[1],
        packed.symbols.take(shard.predicted) if packed.unit else predicted,
        np.array(packed.reduced),
        (least_out, least_in),
        packed.identical_bits,
        packed.unit,
        packed.gaps_first,
        packed.largest_band,
        (np.empty(longest + 3, np.int64), *words),
        cost,
        length,
        *path,
    )
    return {"cost": cost, "length": length, "gold": path[0][start:], "predicted": path[1][start:]}


def _sum_gaps(costs: _Ints, offsets: _Ints) -> tuple[_Ints, _Ints]:
    """Return what it costs each utterance to leave all phones without partners, and what the cheapest of them costs."""
    spoken = offsets[1:] > offsets[:-1]
    total, least = np.zeros(len(spoken), np.int64), np.full(len(spoken), LARGEST_COST, np.int64)
    if len(costs):
        begins = offsets[:-1][spoken]
        total[spoken], least[spoken] = np.add.reduceat(costs, begins), np.minimum.reduceat(costs, begins)
    return total, least


def _pack_costs(
    costs: CostTable, gold: PhoneSequences, predicted: PhoneSequences, largest_band: int
) -> tuple[PackedCosts, PhoneSequences, PhoneSequences]:
    """Return the costs as the kernel takes them, and both sides by the costs' codes."""
    if gold.utterances != predicted.utterances:
        raise ValueError("gold and predicted must hold the same utterances in the same order")
    counted, longest = costs.ties == "identical", int((gold.lengths + predicted.lengths).max(initial=0))
    # As many bits as the largest possible number of identical pairs needs: the shorter side of a pair bounds it.
    bits = int(np.minimum(gold.lengths, predicted.lengths).max(initial=0)).bit_length() if counted else 0
    largest = sum(int(table.max(initial=0)) for table in (costs.substitution, costs.deletion, costs.insertion))
    # A path costs at most its length times the three largest costs, above the bits of the count and 2 of the direction.
    if longest * largest >> (_PACKED_BITS - 2 - bits):
        msg = f"costs over the denominator {costs.denominator} overflow for an utterance of {longest:,} phones"
        raise DataError(f"{msg}; give gap costs with fewer decimals, or cut it into shorter utterances")
    refuse_too_long(gold, predicted)
    same = costs.gold.codes(costs.predicted)
    packed = PackedCosts(
        _substitution_savings(costs, bits),
        costs.deletion.astype(np.int64),
        costs.insertion.astype(np.int64),
        bits,
        np.where(same >= 0, same, len(costs.gold) + np.arange(len(same))).astype(np.uint64),
        unit_cost(costs),
        costs.ties == "kaldi",
        largest_band,
        np.dtype(pair_type(len(costs.gold), len(costs.predicted))).name,
    )
    return packed, gold.recode(costs.gold), predicted.recode(costs.predicted)


@lru_cache(maxsize=4)
def _substitution_savings(costs: CostTable, bits: int) -> _Ints:
    """Return what a substitution saves; kept, since large tables serve many predictions of chance."""
    # Reduced costs: gaps cost nothing, a pair what it costs beyond a deletion and an insertion (see the kernel).
    reduced = costs.substitution - costs.deletion.astype(np.int64)[:, None] - costs.insertion.astype(np.int64)
    # An identical pair takes one off below the cost’s bits: of equal costs the one with more identical pairs is less.
    packed = ((reduced << bits) - (costs.identical() & (costs.ties == "identical"))) << 2
    packed += 2 if costs.ties == "kaldi" else -1  # from the direction of an insertion to the diagonal's: see the kernel
    packed.flags.writeable = False
    return packed


@lru_cache(maxsize=4)
def unit_cost(costs: CostTable) -> int:
    """Return what each error costs when all cost the same and ties go by direction alone, else 0."""
    identical = costs.identical()
    edit_costs = np.concatenate([costs.substitution[~identical], costs.deletion, costs.insertion])
    # The bits know matches and edits of one price; they count no identical pairs, which are matches there anyway.
    alike = edit_costs.size > 0 and (edit_costs == edit_costs[0]).all() and not costs.substitution[identical].any()
    return int(edit_costs[0]) if alike and costs.ties != "identical" else 0


def refuse_too_long(gold: PhoneSequences, predicted: PhoneSequences) -> None:
    """Raise DataError where a pair is too long to align at whatever costs, which can be known before aligning."""
    _refuse_too_large(gold, predicted, gold.lengths * predicted.lengths > _MOST_PAIRS, 0)


def _refuse_too_large(gold: PhoneSequences, predicted: PhoneSequences, refused: Bools, largest_band: int) -> None:
    if not refused.any():
        return
    worst = int(np.where(refused, gold.lengths * predicted.lengths, -1).argmax())
    lengths = f"{gold.lengths[worst]:,} gold and {predicted.lengths[worst]:,} predicted phones"
    more = f" (and {refused.sum() - 1} more)" if refused.sum() > 1 else ""
    msg = f"utterance '{gold.utterances[worst]}'{more} is too long to align: {lengths}"
    if not largest_band:
        raise DataError(f"{msg} make more than {_MOST_PAIRS:,} pairs; cut it into shorter utterances")
    remedy = "cut it into shorter utterances, or raise the gap costs when they are near 0"
    raise DataError(f"{msg} need more than {largest_band / 1e6:,g} MB; {remedy}")
