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
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import shards
from phonxling.alignment.expected_kernel import BYTES_A_CELL, expect_range
from phonxling.core.arrays import offsets_of
from phonxling.core.costs import CostTable
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.expected_alignment import ExpectedAlignments
from phonxling.core.sequences import PhoneSequences
from phonxling.core.stack import ConfusionStack

_Kind = TypeVar("_Kind", np.int64, np.float64)
_LARGEST = 4_000_000_000  # bytes of tables that one pair may need


def expect_sequences(
    gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, temperature: float = 0.0, workers: int = 1
) -> ExpectedAlignments:
    """Return each pair's expected counts at a temperature; the same bits for any number of workers.

    Raises
    ------
    ValueError
        If the two sides hold different utterances.
    KeyError
        If a phone is not in the cost table's inventories.
    ConfigurationError
        If the temperature is negative or not finite, or the costs ask for more than the edits' own (opening of gaps).
    DataError
        If a pair is so long that it needs more than 4 GB.
    """
    if gold.utterances != predicted.utterances:
        raise ValueError("gold and predicted must hold the same utterances in the same order")
    if not math.isfinite(temperature) or temperature < 0:
        raise ConfigurationError(f"the temperature must be a finite number ≥ 0, not {temperature}")
    if costs.opening or costs.ties == "late":
        raise ConfigurationError(f"the costs '{costs.name}' give one best alignment; they cannot be averaged over")
    rows, columns = gold.recode(costs.gold), predicted.recode(costs.predicted)
    _check_size(rows, columns)
    gaps = np.concatenate([costs.deletion, costs.insertion])
    number, unit = len(rows), temperature * costs.denominator
    least, length = np.zeros(number, np.int64), np.zeros(number, np.int64)
    excess, bits = np.zeros(number), np.zeros(number)
    least_gap, rate = int(gaps.min(initial=2**31 - 1)), 1 / unit if unit > 1e-300 else math.inf
    sides = rows.codes.astype(np.int32), rows.offsets, columns.codes.astype(np.int32), columns.offsets

    def run(part: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return expect_range(*sides, part, costs.numerators(), least_gap, rate, least, excess, bits, length)

    with ThreadPoolExecutor(max(1, workers)) as pool:
        parts = list(pool.map(run, shards(rows, columns, workers)))
    counts = ConfusionStack(
        utterances=gold.utterances,
        gold=costs.gold,
        predicted=costs.predicted,
        offsets=offsets_of(length),
        cells=_joined([cells for cells, _ in parts], np.int64),
        counts=_joined([numbers for _, numbers in parts], np.float64),
    )
    spread = excess / (unit * math.log(2)) if unit > 0 else np.zeros(number)
    return ExpectedAlignments(
        counts=counts,
        cost=least + excess,
        ambiguity=bits + spread,
        denominator=costs.denominator,
        temperature=temperature,
    )


def _joined(parts: list[NDArray[_Kind]], kind: type[_Kind]) -> NDArray[_Kind]:
    """Return the parts as one array that cannot be written to, so that nobody need copy it."""
    whole = np.concatenate([np.zeros(0, kind), *parts])
    whole.flags.writeable = False
    return whole


def _check_size(gold: PhoneSequences, predicted: PhoneSequences) -> None:
    sizes = (gold.lengths + 1) * (predicted.lengths + 1) * BYTES_A_CELL
    if sizes.max(initial=0) > _LARGEST:
        worst = int(sizes.argmax())
        size = f"{gold.lengths[worst]:,} × {predicted.lengths[worst]:,} phones"
        msg = f"utterance '{gold.utterances[worst]}' is too long for expected alignment ({size} need more than 4 GB)"
        raise DataError(f"{msg}; cut it into shorter utterances, or align with method: viterbi")
