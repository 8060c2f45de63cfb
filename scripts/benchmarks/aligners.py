"""Other libraries' alignments, each fed what it takes fastest; encoding for them is not timed."""

import string
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from benchmarks.contest import Peer
from benchmarks.libraries import library
from benchmarks.rows import Goal
from benchmarks.workload import INVENTORY, PHONES, Side

Integers = NDArray[np.int64]
_PANPHON_PAIRS = 100
_LETTERS = string.ascii_letters[: len(PHONES)]


def biopython(gold: Side, predicted: Side, costs: px.values.CostTable, cost: Integers, goal: Goal) -> Peer:
    """Return PairwiseAligner with our costs as a matrix over integer codes, which is faster than over letters."""
    name = "Biopython PairwiseAligner.align()[0]"
    module, reason = library("Bio.Align")
    if module is None:
        return Peer(name, None, goal=goal, note=reason)
    aligner = module.PairwiseAligner(mode="global")
    aligner.substitution_matrix = -costs.substitution.astype(np.float64)
    aligner.gap_score = -float(_gap(costs))
    pairs = list(zip(gold.runs(), predicted.runs(), strict=True))

    def work() -> list[object]:
        return [aligner.align(first, second)[0] for first, second in pairs]

    def same() -> bool:
        return bool((-np.array([aligner.align(*pair)[0].score for pair in pairs]) == cost).all())

    return Peer(name, work, same, goal, note="path, no counts")


def kaldialign(gold: Side, predicted: Side, unit_cost: Integers, goal: Goal | None = None) -> Peer:
    """Return kaldialign.align over lists of integers; it knows unit costs only."""
    name = "kaldialign.align"
    module, reason = library("kaldialign")
    if module is None:
        return Peer(name, None, goal=goal, note=reason)
    pairs = _lists(gold, predicted)

    def work() -> list[list[tuple[int, int]]]:
        return [module.align(first, second, -1) for first, second in pairs]

    def same() -> bool:
        return bool([sum(a != b for a, b in path) for path in work()] == unit_cost.tolist())

    return Peer(name, work, same, goal, note="its unit costs; path, no counts")


def parasail(gold: Side, predicted: Side, costs: px.values.CostTable, cost: Integers) -> Peer:
    """Return parasail's vectorised alignment with its CIGAR; it takes 52 symbols at most."""
    name = "parasail nw_trace_diag_16 with CIGAR"
    module, reason = library("parasail")
    if module is None:
        return Peer(name, None, note=reason)
    matrix = module.matrix_create(_LETTERS, 0, -1, case_sensitive=True)
    for row, column in np.ndindex(costs.substitution.shape):
        matrix[row, column] = -int(costs.substitution[row, column])
    pairs, gap = _texts(gold, predicted), _gap(costs)

    def work() -> list[object]:
        found = (module.nw_trace_diag_16(first, second, gap, gap, matrix) for first, second in pairs)
        return [result.get_cigar(case_sensitive=True).seq for result in found]

    def same() -> bool:
        found = [-module.nw_trace_diag_16(*pair, gap, gap, matrix).score for pair in pairs]
        return bool(found == cost.tolist())

    return Peer(name, work, same, note="path, no counts; at most 52 symbols")


def rapidfuzz(gold: Side, predicted: Side, unit_cost: Integers, goal: Goal) -> Peer:
    """Return Levenshtein.editops over bytes, which is faster than over text or integers."""
    name = "rapidfuzz Levenshtein.editops"
    module, reason = library("rapidfuzz.distance")
    if module is None:
        return Peer(name, None, goal=goal, note=reason)
    pairs = [(bytes(a), bytes(b)) for a, b in _lists(gold, predicted)]
    editops = module.Levenshtein.editops

    def work() -> list[object]:
        return [editops(first, second) for first, second in pairs]

    def same() -> bool:
        return bool([len(editops(*pair)) for pair in pairs] == unit_cost.tolist())

    return Peer(name, work, same, goal, note="path, no counts")


def edlib(gold: Side, predicted: Side, unit_cost: Integers) -> Peer:
    """Return edlib's global alignment with its CIGAR."""
    name = "edlib align with path"
    module, reason = library("edlib")
    if module is None:
        return Peer(name, None, note=reason)
    pairs = _texts(gold, predicted)

    def work() -> list[dict[str, object]]:
        return [module.align(first, second, mode="NW", task="path") for first, second in pairs]

    def same() -> bool:
        return bool([result["editDistance"] for result in work()] == unit_cost.tolist())

    return Peer(name, work, same, note="path, no counts")


def rapidfuzz_distance(gold: Side, predicted: Side, unit_cost: Integers) -> Peer:
    """Return cpdist, which gives all distances in one call."""
    name = "rapidfuzz process.cpdist"
    module, reason = library("rapidfuzz")
    if module is None:
        return Peer(name, None, note=reason)
    first, second = (list(side) for side in zip(*_texts(gold, predicted), strict=True))

    def work() -> Integers:
        return module.process.cpdist(first, second, scorer=module.distance.Levenshtein.distance)

    return Peer(name, work, lambda: bool((work() == unit_cost).all()), note="distance alone: no path, no counts")


def polyleven(gold: Side, predicted: Side, unit_cost: Integers) -> Peer:
    """Return polyleven's distance."""
    name = "polyleven levenshtein"
    module, reason = library("polyleven")
    if module is None:
        return Peer(name, None, note=reason)
    pairs = _texts(gold, predicted)

    def work() -> list[int]:
        return [module.levenshtein(first, second) for first, second in pairs]

    return Peer(name, work, lambda: work() == unit_cost.tolist(), note="distance alone: no path, no counts")


def panphon(gold: Side, predicted: Side, costs: px.values.CostTable, cost: Integers, goal: Goal) -> Peer:
    """Return panphon's feature edit distance of the first pairs: it is too slow for all, and gives no path."""
    name = "panphon feature_edit_distance"
    module, reason = library("panphon.distance")
    if module is None:
        return Peer(name, None, goal=goal, note=reason)
    distance = module.Distance().feature_edit_distance
    pairs = [(_joined(a), _joined(b)) for a, b in _lists(gold, predicted)[:_PANPHON_PAIRS]]

    def work() -> list[float]:
        return [distance(first, second) for first, second in pairs]

    def same() -> bool:
        return np.allclose(work(), cost[: len(pairs)] / costs.denominator, rtol=0, atol=1e-9)

    share = len(pairs) / len(cost)
    return Peer(name, work, same, goal, share, f"{len(pairs)} of the pairs; distance only, segmenting included")


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


def _texts(gold: Side, predicted: Side) -> list[tuple[str, str]]:
    """Return the pairs with a letter for each phone."""
    return [("".join(_LETTERS[c] for c in a), "".join(_LETTERS[c] for c in b)) for a, b in _lists(gold, predicted)]


def _joined(codes: list[int]) -> str:
    return "".join(PHONES[code] for code in codes)


def _gap(costs: px.values.CostTable) -> int:
    """Return what every gap costs; these peers know one gap cost."""
    (gap,) = {*costs.insertion.tolist(), *costs.deletion.tolist()}
    return int(gap)
