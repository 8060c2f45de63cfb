"""Approximate randomisation, and numbers by phone and feature: against plain loops."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from scipy.sparse import csr_array

import phonxling as px
from phonxling.analyses.features import feature_errors
from phonxling.analyses.statistics import Counts, CountSettings
from phonxling.comparison.pairs import approximate_randomisation, by_feature, by_phone, randomised_measure


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


GOLD = ["p", "b", "t", "a", "e", "i", "u", "s", "ʃ", "n", "ʘ͡¤"]  # the last has no features
PREDICTED = ["p", "t", "d", "a", "i", "ɪ", "s", "n", "ŋ", "t͡ʃ"]


@pytest.fixture(scope="module")
def matrices() -> list[px.ConfusionMatrix]:
    counts = np.random.default_rng(1).poisson(2.0, (3, len(GOLD) + 1, len(PREDICTED) + 1)).astype(float)
    counts[:, -1, -1] = 0
    counts[:, 1] = 0  # b does not occur
    counts[:, 2, :-1] = 0  # t is always deleted
    counts[:, 3, 1:] = 0  # a is always heard as p
    return [px.ConfusionMatrix(GOLD, PREDICTED, one) for one in counts]


def counts_of(matrices: list[px.ConfusionMatrix], *, gaps: bool = False) -> Counts:
    counts = np.stack([matrix.counts.ravel() for matrix in matrices], axis=-1)[:, None]
    empty = px.ConfusionMatrix.zero(matrices[0].gold, matrices[0].predicted)
    return Counts(np.arange(len(counts)), counts, empty, CountSettings(np.zeros(1, np.int8), gaps=gaps))


@pytest.mark.parametrize("gaps", ["exclude", "include"])
def test_entropies_of_phones(matrices: list[px.ConfusionMatrix], gaps: str) -> None:
    shown = by_phone(counts_of(matrices, gaps=gaps == "include"))["phone", "entropy"]
    for replicate, matrix in enumerate(matrices):
        wanted = px.confusion_entropy(matrix, estimator="miller-madow", gaps=gaps)
        assert shown[:, replicate].tolist() == pytest.approx([wanted[phone] for phone in GOLD], nan_ok=True)
    if gaps == "exclude":
        assert (shown[GOLD.index("a")] == 0).all()


def test_accuracy_counts_deletions_and_is_missing_without_tokens(matrices: list[px.ConfusionMatrix]) -> None:
    shown = by_phone(counts_of(matrices))["phone", "accuracy"]
    row, column = GOLD.index("s"), PREDICTED.index("s")
    for replicate, matrix in enumerate(matrices):
        assert shown[row, replicate] == matrix.counts[row, column] / matrix.counts[row].sum()
    assert (shown[GOLD.index("t")] == 0).all()
    assert np.isnan(shown[GOLD.index("b")]).all()


def test_features(matrices: list[px.ConfusionMatrix]) -> None:
    table = px.costs.panphon_features()
    shown = by_feature(counts_of(matrices), table)
    for replicate, matrix in enumerate(matrices):
        changed = feature_errors(matrix, table)["changed"]
        known = px.ConfusionMatrix(GOLD[:-1], PREDICTED, matrix.substitutions[:-1])
        transfer = px.feature_transfer(known, table).set_index("feature")["relative"]
        assert shown["feature", "changed"][:, replicate] == pytest.approx(changed[list(table.features)].to_numpy())
        assert shown["feature", "transfer"][:, replicate] == pytest.approx(
            transfer[list(table.features)].to_numpy(), nan_ok=True, abs=1e-9
        )


def test_no_counts_leave_everything_missing(matrices: list[px.ConfusionMatrix]) -> None:
    empty = counts_of([px.ConfusionMatrix.zero(matrices[0].gold, matrices[0].predicted)])
    for shown in (by_phone(empty) | by_feature(empty, px.costs.panphon_features())).values():
        assert np.isnan(shown).all()
