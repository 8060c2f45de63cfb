"""Other libraries' alignments, each fed what it takes fastest; encoding for them is not timed."""

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from benchmarks.contest import Goal, Peer, Work, library
from benchmarks.workload import INVENTORY, PHONES, Side

Integers = NDArray[np.int64]
Way = tuple[Work, Callable[[], bool]]  # what is timed, and whether its result is ours
_PANPHON_PAIRS = 100


def peer(
    name: str, needs: str, made: Callable[[ModuleType], Way], goal: Goal | None = None, *, share: float = 1, note: str
) -> Peer:
    """Return another library's way, made of its module; without the module a peer that says how to install it."""
    module, reason = library(needs)
    if module is None:
        return Peer(name, None, goal=goal, note=reason)
    return Peer(name, *made(module), goal, share, note)


def biopython(gold: Side, predicted: Side, costs: px.values.CostTable, cost: Integers) -> Peer:
    """Return PairwiseAligner with our costs as a matrix over integer codes, which is faster than over letters."""

    def made(module: ModuleType) -> Way:
        aligner = module.PairwiseAligner(mode="global")
        aligner.substitution_matrix = -costs.substitution.astype(np.float64)
        (gap,) = {*costs.insertion.tolist(), *costs.deletion.tolist()}  # it knows one gap cost
        aligner.gap_score = -float(gap)
        pairs = list(zip(gold.runs(), predicted.runs(), strict=True))
        return (
            lambda: [aligner.align(first, second)[0] for first, second in pairs],
            lambda: bool((-np.array([aligner.align(*pair)[0].score for pair in pairs]) == cost).all()),
        )

    return peer("Biopython PairwiseAligner.align()[0]", "Bio.Align", made, Goal(ratio=18), note="path, no counts")


def kaldialign(gold: Side, predicted: Side, unit_cost: Integers, goal: Goal | None = None) -> Peer:
    """Return kaldialign.align over lists of integers; it knows unit costs only."""
    pairs = _lists(gold, predicted)

    def made(module: ModuleType) -> Way:
        def work() -> list[list[tuple[int, int]]]:
            return [module.align(first, second, -1) for first, second in pairs]

        return work, lambda: bool([sum(a != b for a, b in path) for path in work()] == unit_cost.tolist())

    return peer("kaldialign.align", "kaldialign", made, goal, note="its unit costs; path, no counts")


def rapidfuzz(gold: Side, predicted: Side, unit_cost: Integers) -> Peer:
    """Return Levenshtein.editops over bytes, which is faster than over text or integers."""
    pairs = [(bytes(a), bytes(b)) for a, b in _lists(gold, predicted)]

    def made(module: ModuleType) -> Way:
        editops = module.Levenshtein.editops
        return (
            lambda: [editops(first, second) for first, second in pairs],
            lambda: bool([len(editops(*pair)) for pair in pairs] == unit_cost.tolist()),
        )

    return peer("rapidfuzz Levenshtein.editops", "rapidfuzz.distance", made, Goal(ratio=2), note="path, no counts")


def panphon(gold: Side, predicted: Side, costs: px.values.CostTable, cost: Integers) -> Peer:
    """Return panphon's feature edit distance of the first pairs: it is too slow for all, and gives no path."""
    pairs = [(_joined(a), _joined(b)) for a, b in _lists(gold, predicted)[:_PANPHON_PAIRS]]

    def made(module: ModuleType) -> Way:
        distance = module.Distance().feature_edit_distance

        def work() -> list[float]:
            return [distance(first, second) for first, second in pairs]

        return work, lambda: np.allclose(work(), cost[: len(pairs)] / costs.denominator, rtol=0, atol=1e-9)

    said = f"{len(pairs)} of the pairs; distance only, segmenting included"
    share = len(pairs) / len(cost)
    return peer("panphon feature_edit_distance", "panphon.distance", made, Goal(ratio=5_000), share=share, note=said)


def panphon_gaps() -> px.values.CostTable:
    """Return panphon 0.22.2's costs with its own gap costs: 1 for a feature that is set, ½ for one that is 0."""
    plain, features = px.feature_costs(INVENTORY, INVENTORY), px.costs.panphon_features()
    vectors, _ = features.vectors(INVENTORY)
    width = vectors.shape[1]
    scale = Fraction(2 * width, plain.denominator)  # in units of half a feature
    gaps = width + (vectors != 0).sum(axis=1)
    return px.values.CostTable(
        gold=INVENTORY,
        predicted=INVENTORY,
        substitution=plain.substitution * scale.numerator // scale.denominator,
        deletion=gaps,
        insertion=gaps,
        denominator=2 * width,
        name="panphon's own",
    )


def _lists(gold: Side, predicted: Side) -> list[tuple[list[int], list[int]]]:
    return [(a.tolist(), b.tolist()) for a, b in zip(gold.runs(), predicted.runs(), strict=True)]


def _joined(codes: list[int]) -> str:
    return "".join(PHONES[code] for code in codes)
