"""The bootstrap of wPER, H(X|Y) and I(X;Y), against resampling each utterance's dense matrix."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import phonxling as px
from benchmarks.contest import Contest, Goal, Peer, Row, Settings, measure
from benchmarks.workload import INVENTORY, SEED, corpus_of, workload
from phonxling.resample.entropies import entropy_sums, information
from phonxling.resample.intervals import resampling
from phonxling.resample.replicates import replicate_counts

_REPLICATES = 1_000
Table = NDArray[np.float64]  # [3, R]: wPER, H(X|Y), I(X;Y)


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's rows."""
    costs = px.feature_costs(INVENTORY, INVENTORY)
    corpus = corpus_of(*workload(settings.size(10_000, quick=1_000)))
    stack = px.stack_confusions(px.align_corpus(corpus, costs))
    replicates = max(20, settings.size(_REPLICATES, quick=200))
    few = max(2, replicates // 100)
    dense = _dense(stack)
    expected = _ours(stack, costs, replicates)

    def same(work: Callable[[], Table], apart: float) -> bool:
        found = work()
        return np.allclose(found, expected[:, : found.shape[1]], atol=apart)

    rowwise, product = partial(_rowwise, dense, stack, costs, few), partial(_product, dense, stack, costs, replicates)
    goal = Goal(ratio=100, seconds=0.25) if settings.whole else Goal(ratio=100)
    note = f"{few} of the replicates"
    peers = [
        Peer("NumPy: resampling dense rows", rowwise, partial(same, rowwise, 1e-9), goal, few / replicates, note),
        Peer("NumPy: weights @ dense rows", product, partial(same, product, 1e-6), note="float32, BLAS on one core"),
    ]
    work = f"{len(stack):,} utterances × {len(INVENTORY) + 1}² cells × {replicates:,} replicates, wPER + H + I"
    with threadpool_limits(1):  # a core against a core
        yield from measure(Contest("bootstrap", work, lambda: _ours(stack, costs, replicates), peers), settings.repeats)


def _ours(stack: px.values.ConfusionStack, costs: px.values.CostTable, replicates: int) -> Table:
    parts = []
    for counts in replicate_counts(stack, resampling(len(stack), None, resamples=replicates, seed=SEED)):
        rates = np.einsum("gp,gpr->r", costs.with_gaps(), counts) / counts[:-1].sum(axis=(0, 1))
        bits = information(entropy_sums(counts[:-1, :-1]))
        parts.append([rates, bits["conditional_entropy"], bits["mutual_information"]])
    return np.concatenate(parts, axis=1)


def _dense(stack: px.values.ConfusionStack) -> NDArray[np.float32]:
    rows = np.zeros((len(stack), (len(stack.gold) + 1) * (len(stack.predicted) + 1)), np.float32)
    rows[np.repeat(np.arange(len(stack)), np.diff(stack.offsets)), stack.cells] = stack.counts
    return rows


def _draws(number: int, replicate: int) -> NDArray[np.int64]:
    return np.random.default_rng([SEED, replicate]).integers(0, number, size=number)


def _rowwise(
    dense: NDArray[np.float32], stack: px.values.ConfusionStack, costs: px.values.CostTable, replicates: int
) -> Table:
    """Return what one finds who draws utterances and adds up their matrices, a replicate at a time."""
    totals = [dense[_draws(len(dense), replicate)].sum(axis=0) for replicate in range(replicates)]
    return _of_totals(np.array(totals, dtype=np.float64), stack, costs)


def _product(
    dense: NDArray[np.float32], stack: px.values.ConfusionStack, costs: px.values.CostTable, replicates: int
) -> Table:
    weights = [np.bincount(_draws(len(dense), r), minlength=len(dense)) for r in range(replicates)]
    return _of_totals((np.array(weights, np.float32) @ dense).astype(np.float64), stack, costs)


def _of_totals(totals: NDArray[np.float64], stack: px.values.ConfusionStack, costs: px.values.CostTable) -> Table:
    shape = len(stack.gold) + 1, len(stack.predicted) + 1
    return np.array([_plain(total.reshape(shape), costs) for total in totals]).T


def _plain(counts: NDArray[np.float64], costs: px.values.CostTable) -> tuple[float, float, float]:
    """Return the measures of one matrix, as the formulas say."""
    rate = (counts * costs.with_gaps()).sum() / counts[:-1].sum()
    p = counts[:-1, :-1] / counts[:-1, :-1].sum()
    joint, gold, predicted = (_bits(values) for values in (p, p.sum(axis=1), p.sum(axis=0)))
    return rate, joint - gold, gold + predicted - joint


def _bits(p: NDArray[np.float64]) -> float:
    seen = p[p > 0]
    return float(-(seen * np.log2(seen)).sum())
