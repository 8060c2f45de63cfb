"""Matrices and joint distributions as sums: neutral zero, any order, any inventories; and what they refuse."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import DataError
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.posteriorgram import JointDistribution

Cells = Counter[tuple[str, str]]
ORDERS = st.permutations(["a", "b", "c"])


@st.composite
def matrices(draw: st.DrawFn, same: bool = False) -> ConfusionMatrix:
    gold = ["b", "a", "c"] if same else draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=4))
    predicted = ["x", "a"] if same else draw(st.lists(st.sampled_from("axyb"), unique=True, max_size=4))
    size = (len(gold) + 1) * (len(predicted) + 1)
    counts = np.array(draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)))
    counts[-1] = 0
    return ConfusionMatrix(gold, predicted, counts.reshape(len(gold) + 1, len(predicted) + 1))


def cells(matrix: ConfusionMatrix) -> Cells:
    rows, columns = (*matrix.gold, GAP), (*matrix.predicted, GAP)
    return Counter(
        {
            (g, p): int(matrix.counts[i, j])
            for i, g in enumerate(rows)
            for j, p in enumerate(columns)
            if matrix.counts[i, j]
        }
    )


@given(matrices(), matrices())
def test_a_sum_holds_every_count_of_both(first: ConfusionMatrix, second: ConfusionMatrix) -> None:
    total = first + second
    assert cells(total) == cells(first) + cells(second)
    assert total == second + first
    assert set(total.gold) == {*first.gold, *second.gold}
    assert set(total.predicted) == {*first.predicted, *second.predicted}


@given(matrices(same=True), matrices(same=True), matrices(same=True))
def test_brackets_do_not_matter(first: ConfusionMatrix, second: ConfusionMatrix, third: ConfusionMatrix) -> None:
    assert (first + second) + third == first + (second + third)
    assert (first + second).gold.phones == ("b", "a", "c")


@given(matrices())
def test_zero_is_neutral(matrix: ConfusionMatrix) -> None:
    assert matrix + ConfusionMatrix.zero() == matrix
    assert ConfusionMatrix.zero() + matrix == matrix
    assert matrix + ConfusionMatrix.zero(matrix.gold, matrix.predicted) == matrix


@given(matrices())
def test_copies_are_equal(matrix: ConfusionMatrix) -> None:
    assert pickle.loads(pickle.dumps(matrix)) == matrix  # noqa: S301 - our own
    assert copy.deepcopy(matrix) == matrix


@given(matrices(same=True), ORDERS)
def test_another_order_of_phones_keeps_each_count(matrix: ConfusionMatrix, order: list[str]) -> None:
    turned = matrix.reindex(Inventory(tuple(order)), Inventory(("z", "a", "x")))
    assert cells(turned) == cells(matrix)
    with pytest.raises(KeyError):
        matrix.reindex(Inventory(("a", "b")), matrix.predicted)


@given(matrices())
def test_the_same_symbol_is_correct_wherever_it_stands(matrix: ConfusionMatrix) -> None:
    expected = [[g == p for p in matrix.predicted] for g in matrix.gold]
    assert matrix.same_symbol().tolist() == expected


@pytest.mark.parametrize("counts", [[[1, 2, 3]], [[-1]], [[np.nan]], [[np.inf]], [[1, 2], [3, 4]], [1]], ids=str)
def test_impossible_counts_are_refused(counts: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"counts|∅"):
        ConfusionMatrix(["a"], ["b"], counts)


def test_inventories_are_checked() -> None:
    with pytest.raises(DataError, match="twice"):
        ConfusionMatrix(["a", "a"], ["b"], [[1], [2]])
    with pytest.raises(DataError, match="∅"):
        ConfusionMatrix(["∅"], ["b"], [[1]])
    with pytest.raises(DataError, match="a list of phones is needed, not the string 'ab'"):
        ConfusionMatrix("ab", ["b"], [[1], [2]])


def test_a_matrix_cannot_be_changed() -> None:
    counts = np.array([[1.0]])
    matrix = ConfusionMatrix(["a"], ["b"], counts)
    counts[0, 0] = 5
    assert matrix.counts[0, 0] == 1
    with pytest.raises(AttributeError, match="cannot be changed"):
        matrix.counts = counts
    with pytest.raises(ValueError, match="read-only"):
        matrix.counts[0, 0] = 2
    with pytest.raises(TypeError):
        hash(matrix)
    assert matrix != 1
    with pytest.raises(TypeError):
        matrix + 1


@st.composite
def joints(draw: st.DrawFn) -> JointDistribution:
    rows = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=3))
    columns = draw(st.lists(st.sampled_from("wxyz"), unique=True, max_size=3))
    size = len(rows) * len(columns)
    mass = draw(st.lists(st.integers(0, 16), min_size=size, max_size=size))
    return JointDistribution(rows, columns, np.reshape(mass, (len(rows), len(columns))) / 16)


@given(joints(), joints())
def test_joint_distributions_add_up(first: JointDistribution, second: JointDistribution) -> None:
    total = first + second
    assert total == second + first
    assert first + JointDistribution.zero() == first
    parts = [
        {(y, e): part.mass[i, j] for i, y in enumerate(part.rows) for j, e in enumerate(part.columns)}
        for part in (first, second)
    ]
    for i, y in enumerate(total.rows):
        for j, e in enumerate(total.columns):
            assert total.mass[i, j] == sum(part.get((y, e), 0.0) for part in parts)


@given(joints())
def test_probabilities_of_a_joint_distribution(joint: JointDistribution) -> None:
    if joint.mass.sum():
        assert joint.probabilities().sum() == pytest.approx(1)
    else:
        assert np.isnan(joint.probabilities()).all()
    assert pickle.loads(pickle.dumps(joint)) == joint  # noqa: S301 - our own


@pytest.mark.parametrize("mass", [[[1, 2]], [[-1]], [[np.nan]]])
def test_impossible_mass_is_refused(mass: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="mass"):
        JointDistribution(["a"], ["x"], mass)
