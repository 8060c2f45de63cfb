"""Entropies of confusions: textbook values, identities, plain loops, and scipy's and scikit-learn's numbers."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from sklearn.metrics import completeness_score, homogeneity_score, mutual_info_score

from phonxling.analyses.entropy import (
    Gaps,
    Given,
    conditional_entropy,
    confusion_entropy,
    confusion_information,
    marginal_entropy,
    perplexity,
    uncertainty_coefficient,
)
from phonxling.analyses.pointwise import mutual_information
from phonxling.core.confusion import ConfusionMatrix
from phonxling.resample.estimators import entropy

SIDES: tuple[Given, Given] = ("gold", "predicted")
GAPS: tuple[Gaps, Gaps] = ("exclude", "include")


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    gold, predicted = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = (gold + 1) * (predicted + 1)
    counts = draw(st.lists(st.integers(0, 12), min_size=size, max_size=size))
    counts[-1] = 0
    return ConfusionMatrix(list("abcd"[:gold]), list("wxyz"[:predicted]), np.reshape(counts, (gold + 1, predicted + 1)))


def pairs_of(matrix: ConfusionMatrix, gaps: Gaps) -> dict[tuple[int, int], float]:
    counts = matrix.counts if gaps == "include" else matrix.substitutions
    return {(y, x): float(counts[y, x]) for y in range(counts.shape[0]) for x in range(counts.shape[1])}


def marginal(pairs: dict[tuple[int, int], float], side: int) -> dict[int, float]:
    sums: dict[int, float] = {}
    for cell, count in pairs.items():
        sums[cell[side]] = sums.get(cell[side], 0.0) + count
    return sums


def bits(counts: list[float]) -> float:
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count) if total else math.nan


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("given_side", SIDES)
@given(matrix=matrices())
def test_conditional_entropy_is_the_sum_over_cells(matrix: ConfusionMatrix, given_side: Given, gaps: Gaps) -> None:
    """H(X|Y) = −Σ p(y,x) log2 p(x|y): another form than the product's Σ p(y) H_y."""
    pairs, side = pairs_of(matrix, gaps), SIDES.index(given_side)
    total, sums = sum(pairs.values()), marginal(pairs, side)
    expected = -sum(count / total * math.log2(count / sums[cell[side]]) for cell, count in pairs.items() if count)
    found = conditional_entropy(matrix, given=given_side, gaps=gaps)
    assert found == pytest.approx(expected if total else math.nan, abs=1e-12, nan_ok=True)
    each = confusion_entropy(matrix, given=given_side, gaps=gaps)
    rows = [[count for cell, count in pairs.items() if cell[side] == code] for code in sums]
    assert each.tolist() == pytest.approx([bits(row) for row in rows], abs=1e-12, nan_ok=True)
    assert each.index.name == given_side
    labels = list(matrix.gold if given_side == "gold" else matrix.predicted)
    assert each.index.tolist() == (labels if gaps == "exclude" else [*labels, "∅"])


@pytest.mark.parametrize("gaps", GAPS)
@given(matrix=matrices())
def test_information_is_the_same_from_both_sides(matrix: ConfusionMatrix, gaps: Gaps) -> None:
    """I = H(X) − H(X|Y) = H(Y) − H(Y|X) = Σ p log2 p / (p p), each for `ml`."""
    found = confusion_information(matrix, gaps=gaps)
    pairs = pairs_of(matrix, gaps)
    total = sum(pairs.values())
    if not total:
        assert math.isnan(found)
        return
    rows, columns = marginal(pairs, 0), marginal(pairs, 1)
    direct = sum(
        count / total * math.log2(count * total / (rows[y] * columns[x])) for (y, x), count in pairs.items() if count
    )
    assert found == pytest.approx(direct, abs=1e-12)
    for other, side in ((0, 1), (1, 0)):
        own = marginal_entropy(matrix, SIDES[side], gaps=gaps)
        assert own == pytest.approx(bits(list(marginal(pairs, side).values())), abs=1e-12)
        left = conditional_entropy(matrix, given=SIDES[other], gaps=gaps)
        assert found == pytest.approx(own - left, abs=1e-12)
        ratio = uncertainty_coefficient(matrix, SIDES[side], gaps)
        assert ratio == pytest.approx(direct / own if own > 0 else math.nan, abs=1e-9, nan_ok=True)
        assert not ratio > 1


@given(matrices(), st.randoms())
def test_other_names_for_predicted_phones_change_nothing(matrix: ConfusionMatrix, random: object) -> None:
    order = list(range(len(matrix.predicted)))
    random.shuffle(order)  # type: ignore[attr-defined]
    turned = ConfusionMatrix(matrix.gold, [f"new{n}" for n in order], matrix.counts[:, [*order, len(matrix.predicted)]])
    for gaps in GAPS:
        for side in SIDES:
            ours = conditional_entropy(matrix, given=side, gaps=gaps)
            assert conditional_entropy(turned, given=side, gaps=gaps) == pytest.approx(ours, nan_ok=True, abs=1e-12)
        ours = confusion_information(matrix, gaps=gaps)
        assert confusion_information(turned, gaps=gaps) == pytest.approx(ours, nan_ok=True, abs=1e-12)


@given(matrices())
def test_bounds(matrix: ConfusionMatrix) -> None:
    if not matrix.substitutions.sum():
        return
    for side, size in (("gold", len(matrix.gold)), ("predicted", len(matrix.predicted))):
        given_other: Given = "predicted" if side == "gold" else "gold"
        left = conditional_entropy(matrix, given=given_other)
        assert -1e-12 <= left <= marginal_entropy(matrix, "gold" if side == "gold" else "predicted") + 1e-12
        assert left <= math.log2(size) + 1e-12
    assert mutual_information(matrix) == confusion_information(matrix) >= 0


def test_scikit_learn_gives_the_same_information() -> None:
    generator = np.random.default_rng(3)
    gold = generator.integers(0, 5, 400)
    heard = np.where(generator.random(400) < 0.6, gold, generator.integers(0, 4, 400))
    counts = np.zeros((5, 5))
    np.add.at(counts, (gold, heard), 1)
    matrix = ConfusionMatrix(list("abcde"), list("vwxyz"), counts)
    nats = math.log(2)
    assert confusion_information(matrix) * nats == pytest.approx(mutual_info_score(gold, heard))
    assert uncertainty_coefficient(matrix, "gold") == pytest.approx(homogeneity_score(gold, heard))
    assert uncertainty_coefficient(matrix, "predicted") == pytest.approx(completeness_score(gold, heard))
    for row, value in zip(counts, confusion_entropy(matrix), strict=True):
        assert value == pytest.approx(float(scipy.stats.entropy(row, base=2)))


def test_a_one_to_one_correspondence_is_certain_whatever_the_symbols() -> None:
    matrix = ConfusionMatrix(["a", "b", "c"], ["y", "z", "x"], [[0, 7, 0], [0, 0, 2], [5, 0, 0]])
    assert conditional_entropy(matrix) == 0
    assert conditional_entropy(matrix, given="predicted") == 0
    assert uncertainty_coefficient(matrix, "gold") == 1 == uncertainty_coefficient(matrix, "predicted")


def test_always_the_same_phone_is_certain_one_way_only() -> None:
    matrix = ConfusionMatrix(["a", "b"], ["e", "o"], [[6, 0], [2, 0]])
    assert conditional_entropy(matrix) == 0
    assert conditional_entropy(matrix, given="predicted") == pytest.approx(bits([6, 2]))
    assert confusion_information(matrix) == 0
    assert math.isnan(uncertainty_coefficient(matrix, "predicted"))
    assert confusion_entropy(matrix, given="predicted").isna().tolist() == [False, True]


def test_without_gaps_deleted_tokens_do_not_count() -> None:
    """a: 2 heard as x, 6 deleted; b: 2 heard as x or y evenly. Half of the tokens that were not deleted are a's."""
    matrix = ConfusionMatrix(["a", "b"], ["x", "y"], [[2, 0, 6], [1, 1, 0], [0, 0, 0]])
    assert conditional_entropy(matrix) == pytest.approx(0.5)
    assert marginal_entropy(matrix, "gold") == pytest.approx(1)
    assert conditional_entropy(matrix, gaps="include") == pytest.approx(0.8 * bits([2, 6]) + 0.2 * 1)


def test_a_phone_without_tokens_has_no_entropy() -> None:
    matrix = ConfusionMatrix(["a", "b"], ["x"], [[3, 0], [0, 5], [0, 0]])
    values = confusion_entropy(matrix)
    assert values["a"] == 0
    assert math.isnan(values["b"])
    assert conditional_entropy(matrix) == 0


@pytest.mark.parametrize("estimator", ["ml", "miller-madow", "chao-shen"])
@given(matrix=matrices())
def test_estimators_are_applied_row_by_row(matrix: ConfusionMatrix, estimator: str) -> None:
    rows = [row for row in matrix.substitutions if row.sum()]
    total = sum(row.sum() for row in rows)
    found = conditional_entropy(matrix, estimator)
    expected = sum(row.sum() / total * entropy(row, estimator) for row in rows) if rows else math.nan
    assert found == pytest.approx(expected, nan_ok=True, abs=1e-12)
    parts = (matrix.substitutions.sum(axis=0), matrix.substitutions.sum(axis=1), matrix.substitutions)
    across, down, joint = (entropy(part, estimator) for part in parts)
    information = confusion_information(matrix, estimator)
    assert information == pytest.approx(across + down - joint, nan_ok=True, abs=1e-12)


def test_perplexity() -> None:
    assert perplexity(0.0) == 1
    assert perplexity(1.0) == 2
    assert perplexity(math.log2(26)) == pytest.approx(26)
    assert math.isnan(perplexity(math.nan))
