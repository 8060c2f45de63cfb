"""The compiled loops over frames against plain ones, on random utterances with gaps, empty tokens and every width."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from phonxling.alignment.counting_kernel import look_at_frames, sum_frames


@dataclass
class Case:
    """An utterance from its frame `begin` on, with tokens, some without frames; columns of silence, and shared ones."""

    values: NDArray[np.floating]
    columns: NDArray[np.int64]
    begin: int
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def phones(self) -> int:
        return int(self.columns.max()) + 1

    def by_phone(self, row: list[float]) -> list[float]:
        found = [0.0] * self.phones
        for column, phone in enumerate(self.columns):
            if phone >= 0:
                found[phone] += row[column]
        return found


def made(seed: int, width: int, kind: type[np.floating]) -> Case:
    generator = np.random.default_rng([seed, width])
    begin, length = generator.integers(0, 40, 2).tolist()
    values = generator.dirichlet(np.full(width, 0.2), length).astype(kind)
    edges = np.sort(generator.integers(0, begin + length + 9, 2 * generator.integers(0, 9)))
    columns = np.arange(width) if seed % 2 else generator.integers(-1, max(1, width // 2), width)
    columns[0] = 0
    return Case(values, columns, begin, edges[::2].copy(), edges[1::2].copy())


def summed(case: Case, rows: NDArray[np.int64], mass: NDArray[np.float64], *, mean: bool = False) -> bool:
    bits = case.values.view(np.uint32 if case.values.itemsize == 4 else np.uint64)
    same, spans = np.array_equal(case.columns, np.arange(mass.shape[1])), (case.begin, case.first, case.last)
    return bool(sum_frames(case.values, bits, case.columns, same, *spans, rows, mean, mass))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 2, 15, 16, 17, 45, 48, 100])
@pytest.mark.parametrize("seed", range(3))
def test_sums_and_looks_are_the_plain_ones(seed: int, width: int, kind: type[np.floating]) -> None:
    case = made(seed, width, kind)
    number, halves = len(case.first), np.arange(len(case.first)) % 2
    mass, decided, mean, bits = *np.zeros((2, number, case.phones)), np.zeros((2, case.phones)), np.zeros(number)
    assert summed(case, np.arange(number), mass)
    assert summed(case, halves, mean, mean=True)
    look_at_frames(case.values, case.columns, case.begin, case.first, case.last, decided, bits)
    plain_mean = np.zeros((2, case.phones))
    for token, span in enumerate(zip(case.first - case.begin, case.last - case.begin, strict=True)):
        frames = [case.by_phone(row) for row in case.values[slice(*np.maximum(span, 0))].tolist()]
        own = [math.fsum(column) for column in zip(*frames, strict=True)] or [0.0] * case.phones
        np.testing.assert_allclose(mass[token], own, rtol=1e-13, atol=1e-300)
        plain_mean[token % 2] += np.array(own) / sum(own) if sum(own) > 0 else 0
        best = [0.0] * case.phones
        for frame in frames:
            best[frame.index(max(frame))] += sum(frame)
        np.testing.assert_allclose(decided[token], best, rtol=1e-13, atol=1e-300)
        entropies = [sum(-p * math.log2(p / sum(frame)) for p in frame if p > 0) for frame in frames]
        np.testing.assert_allclose(bits[token], math.fsum(entropies), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(mean, plain_mean, rtol=1e-12, atol=1e-300)
