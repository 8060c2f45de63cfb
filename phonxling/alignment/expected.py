"""Expected alignment: counts averaged over all alignments of each pair, or over the optimal ones.

P(A) ∝ exp(−cost(A)/τ), an alignment A being a set of aligned pairs: insertions and deletions between the same two pairs
are one alignment, whatever their order. τ = 0 is the limit, the uniform average over all optimal alignments, found by
counting them, not by a small τ. No rule for ties is needed, and that of the cost table has no part.

The ambiguity of a pair is H = log2 Z + (E[cost] − least) / (τ ln 2) bits, Z = Σ exp(−(cost − least)/τ).

References
----------
Rabiner (1989), forward–backward. Durbin et al. (1998), Biological sequence analysis, ch. 4 (posterior alignment).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import Pairs, pair_shards
from phonxling.alignment.expected_kernel import BYTES_A_CELL, expect_range
from phonxling.core.alignment import ExpectedAlignments
from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work

_LARGEST = 4_000_000_000  # bytes of tables that one pair may need
_CELLS = 10_000_000  # of the full tables in a shard, at most: about a second
_FOUND = {
    "least": np.int64,
    "excess": np.float64,
    "bits": np.float64,
    "length": np.int64,
    "cells": np.int64,
    "counts": np.float64,
}


class Weighed(NamedTuple):
    """Costs as integers [G + 1, P + 1], ∅ last, the least gap cost, and 1/τ in their unit (infinite for τ = 0)."""

    costs: NDArray[np.int64]
    least_gap: int
    rate: float


def expect_sequences(
    gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, temperature: float = 0.0, work: Work = SERIAL
) -> ExpectedAlignments:
    """Return each pair's expected counts at a temperature; the same bits whoever does the work."""
    if gold.utterances != predicted.utterances:
        raise ValueError("gold and predicted must hold the same utterances in the same order")
    if not math.isfinite(temperature) or temperature < 0:
        raise ConfigurationError(f"the temperature must be a finite number ≥ 0, not {temperature}")
    rows, columns = gold.recode(costs.gold), predicted.recode(costs.predicted)
    _check_size(rows, columns)
    gaps = np.concatenate([costs.deletion, costs.insertion])
    unit = temperature * costs.denominator
    rate = 1 / unit if unit > 1e-300 else math.inf
    weighed = Weighed(costs.numerators(), int(gaps.min(initial=2**31 - 1)), rate)
    expected = _joined(list(work.map(expect_shard, weighed, pair_shards(rows, columns, _CELLS))))
    counts = ConfusionStack(
        utterances=gold.utterances,
        gold=costs.gold,
        predicted=costs.predicted,
        offsets=offsets_of(expected["length"]),
        cells=expected["cells"],
        counts=expected["counts"],
    )
    excess = expected["excess"]
    return ExpectedAlignments(
        counts=counts,
        cost=expected["least"] + excess,
        ambiguity=expected["bits"] + (excess / (unit * math.log(2)) if unit > 0 else 0.0),
        denominator=costs.denominator,
        temperature=temperature,
    )


def expect_shard(weighed: Weighed, shard: Pairs) -> Record:
    """Return of some pairs the `least` cost, `excess`, `bits` and `length` of each, and their `cells` and `counts`."""
    pairs, number = shard.frozen(), len(shard)
    least, length = np.zeros(number, np.int64), np.zeros(number, np.int64)
    excess, bits = np.zeros(number), np.zeros(number)
    sides = pairs.gold.astype(np.int32), pairs.gold_offsets, pairs.predicted.astype(np.int32), pairs.predicted_offsets
    costs, part = np.array(weighed.costs), (0, number)
    outputs = least, excess, bits, length
    cells, counts = expect_range(*sides, part, costs, weighed.least_gap, weighed.rate, *outputs)
    return {"least": least, "excess": excess, "bits": bits, "length": length, "cells": cells, "counts": counts}


def _joined(records: list[Record]) -> dict[str, NDArray[Any]]:
    """Return the records' arrays, one after the other, not to be written to."""
    arrays = {
        name: np.concatenate([np.zeros(0, kind), *(record[name] for record in records)])
        for name, kind in _FOUND.items()
    }
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def _check_size(gold: PhoneSequences, predicted: PhoneSequences) -> None:
    sizes = (gold.lengths + 1) * (predicted.lengths + 1) * BYTES_A_CELL
    if sizes.max(initial=0) > _LARGEST:
        worst = int(sizes.argmax())
        size = f"{gold.lengths[worst]:,} × {predicted.lengths[worst]:,} phones"
        msg = f"utterance '{gold.utterances[worst]}' is too long for expected alignment ({size} need more than 4 GB)"
        raise DataError(f"{msg}; cut it into shorter utterances, or align with method: viterbi")
