"""Approximate randomisation, against plain loops."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from scipy.sparse import csr_array

from phonxling.stats.p_values import approximate_randomisation, randomised_measure


def every_swap(differences: list[int]) -> float:
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(value >= abs(sum(differences)) for value in sums) / len(sums)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
@settings(max_examples=30)
def test_p_nears_the_share_of_all_swaps(differences: list[int]) -> None:
    exact = every_swap(differences)
    found = approximate_randomisation(np.array(differences)[:, None], seed=1, swaps=4_000)[0]
    assert found == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 4_000) + 1 / 4_001)


def test_sums_that_differ_by_rounding_alone_are_as_large() -> None:
    differences = np.array([[0.1], [0.2], [0.3]])
    assert approximate_randomisation(-differences, seed=1)[0] == approximate_randomisation(differences, seed=1)[0]
    assert approximate_randomisation(differences * 0, seed=1)[0] == 1


def test_a_measure_that_is_no_sum_nears_the_share_of_all_swaps() -> None:
    first, second = np.random.default_rng(7).poisson(3.0, (2, 7, 5)).astype(float)

    def entropy(counts: np.ndarray) -> np.ndarray:
        return np.array([stats.entropy(counts, base=2, axis=0)])

    differences = []
    for swaps in product((False, True), repeat=7):
        chosen = np.array(swaps)[:, None]
        sides = np.where(chosen, second, first), np.where(chosen, first, second)
        both = np.stack([side.sum(axis=0) for side in sides], axis=1)
        differences.append(abs(np.subtract(*entropy(both)[0])))
    exact = np.mean(np.array(differences) >= differences[0] - 1e-12)
    found = randomised_measure(csr_array(first), csr_array(second), entropy, seed=8, swaps=2_000)[0]
    assert 0.1 < exact < 1
    assert found == pytest.approx(exact, abs=0.04)
    assert randomised_measure(csr_array(first), csr_array(first), entropy, seed=8)[0] == 1  # of as many as are drawn
