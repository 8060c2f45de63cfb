"""Entropies, PMI and information of confusions: textbook values, identities, plain loops, SciPy and scikit-learn."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from sklearn.metrics import mutual_info_score

from phonxling.analyses.association import mutual_information, npmi, pmi
from phonxling.analyses.statistics import (
    Gaps,
    GivenSide,
    conditional_entropy,
    confusion_entropy,
    confusion_information,
    marginal_entropy,
)
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.posteriorgram import JointDistribution
from phonxling.stats.estimators import entropy

SIDES: tuple[GivenSide, GivenSide] = ("gold", "predicted")
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
def test_conditional_entropy_is_the_sum_over_cells(matrix: ConfusionMatrix, given_side: GivenSide, gaps: Gaps) -> None:
    """H(X|Y) = −Σ p(y,x) log2 p(x|y): another form than the product's Σ p(y) H_y."""
    pairs, side = pairs_of(matrix, gaps), SIDES.index(given_side)
    total, sums = sum(pairs.values()), marginal(pairs, side)
    expected = -sum(count / total * math.log2(count / sums[cell[side]]) for cell, count in pairs.items() if count)
    found = conditional_entropy(matrix, given=given_side, gaps=gaps)
    assert found == pytest.approx(expected if total else math.nan, abs=1e-12, nan_ok=True)
    each = confusion_entropy(matrix, given=given_side, gaps=gaps)
    rows = [[count for cell, count in pairs.items() if cell[side] == code] for code in sums]
    assert each.tolist() == pytest.approx([bits(row) for row in rows], abs=1e-12, nan_ok=True)
    labels = list(matrix.gold if given_side == "gold" else matrix.predicted)
    assert (each.index.name, each.index.tolist()) == (given_side, labels + ["∅"] * (gaps == "include"))


@pytest.mark.parametrize("gaps", GAPS)
@given(matrix=matrices())
def test_information_is_the_same_from_both_sides(matrix: ConfusionMatrix, gaps: Gaps) -> None:
    """I = H(X) − H(X|Y) = H(Y) − H(Y|X) = Σ p log2 p / (p p), each for `ml`."""
    found, pairs = confusion_information(matrix, gaps=gaps), pairs_of(matrix, gaps)
    total, rows, columns = sum(pairs.values()), marginal(pairs, 0), marginal(pairs, 1)
    if not total:
        assert math.isnan(found)
        return
    direct = sum(
        count / total * math.log2(count * total / (rows[y] * columns[x])) for (y, x), count in pairs.items() if count
    )
    assert found == pytest.approx(direct, abs=1e-12)
    for other, side in ((0, 1), (1, 0)):
        own = marginal_entropy(matrix, SIDES[side], gaps=gaps)
        assert own == pytest.approx(bits(list(marginal(pairs, side).values())), abs=1e-12)
        left = conditional_entropy(matrix, given=SIDES[other], gaps=gaps)
        assert found == pytest.approx(own - left, abs=1e-12)


def test_scikit_learn_gives_the_same_information() -> None:
    generator = np.random.default_rng(3)
    gold = generator.integers(0, 5, 400)
    heard = np.where(generator.random(400) < 0.6, gold, generator.integers(0, 4, 400))
    counts = np.zeros((5, 5))
    np.add.at(counts, (gold, heard), 1)
    matrix = ConfusionMatrix(list("abcde"), list("vwxyz"), counts)
    for measure in (confusion_information, mutual_information):
        assert measure(matrix) * math.log(2) == pytest.approx(mutual_info_score(gold, heard))
    for row, value in zip(counts, confusion_entropy(matrix), strict=True):
        assert value == pytest.approx(float(scipy.stats.entropy(row, base=2)))


def test_worked_matrices() -> None:
    other_names = ConfusionMatrix(["a", "b", "c"], ["y", "z", "x"], [[0, 7, 0], [0, 0, 2], [5, 0, 0]])
    assert [conditional_entropy(other_names, given=side) for side in SIDES] == [0, 0]
    always_e = ConfusionMatrix(["a", "b"], ["e", "o"], [[6, 0], [2, 0]])
    assert conditional_entropy(always_e) == confusion_information(always_e) == 0
    assert conditional_entropy(always_e, given="predicted") == pytest.approx(bits([6, 2]))
    # a: 2 heard as x, 6 deleted; b: 2 heard as x or y evenly: half of the tokens that were not deleted are a's
    deleted = ConfusionMatrix(["a", "b"], ["x", "y"], [[2, 0, 6], [1, 1, 0], [0, 0, 0]])
    assert conditional_entropy(deleted) == pytest.approx(0.5)
    assert marginal_entropy(deleted, "gold") == pytest.approx(1)
    assert conditional_entropy(deleted, gaps="include") == pytest.approx(0.8 * bits([2, 6]) + 0.2 * 1)


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


def joint_of(mass: object) -> JointDistribution:
    values = np.asarray(mass, dtype=np.float64)
    names = [[f"{side}{n}" for n in range(size)] for side, size in zip("ye", values.shape, strict=True)]
    return JointDistribution(*names, values)


@st.composite
def joints(draw: st.DrawFn) -> JointDistribution:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = rows * columns
    mass = draw(st.lists(st.one_of(st.just(0.0), st.floats(0.001, 20)), min_size=size, max_size=size))
    return joint_of(np.reshape(mass, (rows, columns)))


@given(joints())
def test_every_cell_of_pmi_by_the_formula_and_information_is_its_mean(joint: JointDistribution) -> None:
    mass, total, mean = joint.mass.tolist(), joint.mass.sum(), 0.0
    plain, normal = pmi(joint), npmi(joint)
    assert (plain.index.tolist(), plain.columns.tolist()) == (list(joint.rows), list(joint.columns))
    for y, row in enumerate(mass):
        for e, value in enumerate(row):
            across, down = sum(row), sum(other[e] for other in mass)
            found, share = plain.iloc[y, e], normal.iloc[y, e]
            if not across or not down:
                assert math.isnan(found)
                assert math.isnan(share)
            elif not value:
                assert (found, share) == (-math.inf, -1)
            else:
                expected = math.log2(value * total / (across * down))
                mean += value / total * expected
                assert found == pytest.approx(expected, abs=1e-9)
                assert -1 <= share <= 1
                if value / total < 0.999:
                    assert share == pytest.approx(expected / -math.log2(value / total), abs=1e-6)
    for same in (joint, joint_of(joint.mass.T), joint_of(joint.mass * 7)):
        assert mutual_information(same) == pytest.approx(mean if total else math.nan, abs=1e-9, nan_ok=True)


def test_special_cells() -> None:
    """Row 0 and column 0 only together; rows 1, 2 and columns 1, 2 independent; row 3 and column 3 empty."""
    table = npmi(joint_of([[4, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]])).to_numpy()
    assert table[0, 0] == pytest.approx(1)
    assert table[0, 1] == -1 == table[1, 0]
    assert np.isnan(table[3]).all()
    assert npmi(joint_of([[2, 6], [1, 3]])).to_numpy() == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    certain = joint_of([[5, 0], [0, 0]])  # NPMI of a single certain pair is 1 by convention
    assert (npmi(certain).iloc[0, 0], pmi(certain).iloc[0, 0]) == (1, 0)
    tiny = joint_of([[5e-324, 100], [100, 0]])  # mass below the smallest quotient is no mass
    assert mutual_information(tiny) == pytest.approx(1)
    assert npmi(tiny).iloc[0, 0] == -1
    for empty in (joint_of(np.zeros((2, 3))), ConfusionMatrix.zero(["a", "b"], ["x", "y", "z"])):
        assert np.isnan([*pmi(empty).to_numpy().ravel(), *npmi(empty).to_numpy().ravel()]).all()
        assert math.isnan(mutual_information(empty))


def test_ten_classes_at_point_nine() -> None:
    """Definition 8: a phone sampled from such posteriors gives 2.54 bits, the most probable phone 3.32."""
    posteriors = np.full((10, 10), 0.1 / 9)
    np.fill_diagonal(posteriors, 0.9)
    assert mutual_information(joint_of(posteriors)) == pytest.approx(2.54, abs=0.005)
    assert mutual_information(joint_of(np.eye(10))) == pytest.approx(3.32, abs=0.005)


@pytest.mark.parametrize("measure", [pmi, npmi])
def test_the_gap_is_a_row_and_a_column_where_it_is_a_symbol(measure: Callable[..., pd.DataFrame]) -> None:
    matrix = ConfusionMatrix(["a", "b"], ["x", "y"], [[4, 1, 1], [0, 3, 0], [2, 0, 0]])
    found = measure(matrix, gaps="include")
    assert (found.index.tolist(), found.columns.tolist()) == (["a", "b", "∅"], ["x", "y", "∅"])
    for own, counts in ((found, matrix.counts), (measure(matrix), matrix.substitutions)):
        np.testing.assert_array_equal(own.to_numpy(), measure(joint_of(counts)).to_numpy())
    assert mutual_information(matrix) == pytest.approx(mutual_information(joint_of(matrix.substitutions)))
