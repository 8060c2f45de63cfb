"""The same work in C, built when the benchmark runs: what the machine allows."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import phonxling as px
from benchmarks.workload import Side

SOURCE = Path(__file__).with_name("band.c")
_VECTORS = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")  # lets the loop that reads use vectors
_FLAGS = ("-O3", "-march=native", *_VECTORS, "-shared", "-fPIC")  # -ffast-math would change the process's arithmetic
_BITS = 8  # for the count of identical pairs: up to 255 phones an utterance


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

    def __init__(
        self, library: ctypes.CDLL, gold: Side, predicted: Side, costs: px.values.CostTable, *, vectors: bool
    ) -> None:
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
