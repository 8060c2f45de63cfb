"""Other alignments, each fed what it takes fastest (encoding is not timed), and a C twin of ours, built at run time."""

import ctypes
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from benchmarks.contest import DISTRIBUTIONS, Goal, Peer, Work
from benchmarks.workload import INVENTORY, PHONES, Side
from phonxling.core.costs import CostTable

Integers = NDArray[np.int64]
Way = tuple[Work, Callable[[], bool]]  # what is timed, and whether its result is ours
_PANPHON_PAIRS = 100
SOURCE = Path(__file__).with_name("band.c")
_VECTORS = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")  # lets the loop that reads use vectors
_FLAGS = ("-O3", "-march=native", *_VECTORS, "-shared", "-fPIC")  # -ffast-math would change the process's arithmetic
_BITS = 8  # for the count of identical pairs: up to 255 phones an utterance


def peer(
    name: str, needs: str, made: Callable[[ModuleType], Way], goal: Goal | None = None, *, share: float = 1, note: str
) -> Peer:
    """Return another library's way, made of its module; without the module a peer that says how to install it."""
    try:
        module = importlib.import_module(needs)
    except ImportError:
        return Peer(name, None, goal=goal, note=f"not installed: pip install {DISTRIBUTIONS[needs]}")
    return Peer(name, *made(module), goal, share, note)


def biopython(gold: Side, predicted: Side, costs: CostTable, cost: Integers) -> Peer:
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


def panphon(gold: Side, predicted: Side, costs: CostTable, cost: Integers) -> Peer:
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


def panphon_gaps() -> CostTable:
    """Return panphon 0.22.2's costs with its own gap costs: 1 for a feature that is set, ½ for one that is 0."""
    plain, features = px.feature_costs(INVENTORY, INVENTORY), px.symbols.panphon_features()
    vectors, _ = features.vectors(INVENTORY)
    width = vectors.shape[1]
    scale = Fraction(2 * width, plain.denominator)  # in units of half a feature
    gaps = width + (vectors != 0).sum(axis=1)
    return CostTable(
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


def build() -> tuple[ctypes.CDLL | None, str]:
    """Return a compiled library, or None and the reason."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None, "no C compiler: install gcc, or set CC"
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "band.so"
        command = [*compiler.split(), *_FLAGS, str(SOURCE), "-o", str(library), "-lm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own source
        except OSError as error:
            return None, f"{compiler} cannot be run: {error.strerror}"
        if done.returncode:
            return None, f"{compiler} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}"
        try:
            return ctypes.CDLL(str(library)), ""
        except OSError as error:
            print(error, file=sys.stderr)
            return None, "the compiled library cannot be loaded"


class Twin:
    """Aligns two sides by the C library: eight cells at a time, if asked for and possible, or one."""

    def __init__(self, library: ctypes.CDLL, gold: Side, predicted: Side, costs: CostTable, *, vectors: bool) -> None:
        self._call = library.align_all
        self._sides = (gold.codes, gold.offsets, predicted.codes, predicted.offsets)
        reduced = costs.substitution.astype(np.int64) - costs.deletion[:, None].astype(np.int64) - costs.insertion
        packed = (((reduced << _BITS) - costs.identical()) << 2) - 1
        self._longest = int(max(np.diff(gold.offsets).max(), np.diff(predicted.offsets).max()))
        if 2 * self._longest * int(-packed.min()) >= 1 << 28 or self._longest >= 1 << _BITS:
            raise ValueError("the twin packs into 32 bits, and these costs or utterances do not fit")
        self._tables = tuple(table.astype(np.int32) for table in (packed, costs.deletion, costs.insertion))
        possible = library.has_vectors() and len(costs.gold) <= 64 and 2 * int(np.abs(reduced).max()) < 1 << 15
        self.vectors = bool(vectors and possible)
        self._phones = len(costs.gold)

    def __call__(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each pair's cost [U], and the counts [phones + 1, phones + 1]."""
        utterances = len(self._sides[1]) - 1
        tokens = len(self._sides[0]) + len(self._sides[2])
        cost, length = np.zeros(utterances, np.int64), np.zeros(utterances, np.int64)
        paths = np.empty(tokens, np.int16), np.empty(tokens, np.int16)
        counts = np.zeros((self._phones + 1, self._phones + 1), np.int64)
        sides, tables = [_pointer(side) for side in self._sides], [_pointer(table) for table in self._tables]
        results = [_pointer(array) for array in (cost, length, *paths, counts)]
        numbers = ctypes.c_int(self._phones), ctypes.c_int(_BITS)
        size = ctypes.c_int64(self._longest), ctypes.c_int(self.vectors)
        if self._call(ctypes.c_int64(utterances), *sides, *numbers, *tables, *size, *results):
            raise MemoryError
        return cost, counts


def read_all(library: ctypes.CDLL, values: NDArray[np.float32]) -> float:
    """Return the sum of all values: a loop that reads the array once."""
    library.read_all.restype = ctypes.c_double
    return float(library.read_all(_pointer(values), ctypes.c_int64(values.size)))


def _pointer(array: NDArray[np.generic]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
