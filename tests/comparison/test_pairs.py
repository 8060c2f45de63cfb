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


def test_p_is_that_of_scipy() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.poisson(5.0, 40), generator.poisson(4.2, 40)
    wanted = stats.permutation_test(
        (first, second),
        lambda a, b, axis: (a - b).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=generator,
    ).pvalue
    found = approximate_randomisation((first - second)[:, None], seed=3, swaps=20_000)[0]
    assert found == pytest.approx(wanted, abs=0.01)


def test_measures_are_swapped_together_and_by_the_seed() -> None:
    differences = np.random.default_rng(4).normal(0.3, 1.0, (15, 2))
    both = approximate_randomisation(differences, seed=5)
    assert both[0] == approximate_randomisation(differences[:, :1], seed=5)[0]
    assert (approximate_randomisation(differences, seed=6) != both).any()


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
