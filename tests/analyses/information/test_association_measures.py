"""PMI, NPMI and mutual information: special cells, plain loops, scikit-learn, and the level without association."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import mutual_info_score

from phonxling.analyses.pointwise import mutual_information, npmi, pmi
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.means import JointDistribution
from phonxling.resample.estimators import entropy


def joint_of(mass: object) -> JointDistribution:
    values = np.asarray(mass, dtype=np.float64)
    return JointDistribution(
        [f"y{n}" for n in range(values.shape[0])], [f"e{n}" for n in range(values.shape[1])], values
    )


@st.composite
def joints(draw: st.DrawFn) -> JointDistribution:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = rows * columns
    mass = draw(st.lists(st.one_of(st.just(0.0), st.floats(0.001, 20)), min_size=size, max_size=size))
    return joint_of(np.reshape(mass, (rows, columns)))


@given(joints())
def test_every_cell_by_the_formula(joint: JointDistribution) -> None:
    mass, total = joint.mass.tolist(), joint.mass.sum()
    plain, normal = pmi(joint), npmi(joint)
    assert plain.index.tolist() == list(joint.rows)
    assert plain.columns.tolist() == list(joint.columns)
    for y, row in enumerate(mass):
        for e, value in enumerate(row):
            across, down = sum(row), sum(other[e] for other in mass)
            found, share = plain.iat[y, e], normal.iat[y, e]
            if not across or not down:
                assert math.isnan(found)
                assert math.isnan(share)
            elif not value:
                assert found == -math.inf
                assert share == -1
            else:
                expected = math.log2(value * total / (across * down))
                assert found == pytest.approx(expected, abs=1e-9)
                assert -1 <= share <= 1
                if value / total < 0.999:
                    assert share == pytest.approx(expected / -math.log2(value / total), abs=1e-6)


@given(joints())
def test_information_is_the_mean_of_pmi(joint: JointDistribution) -> None:
    found = mutual_information(joint)
    if not joint.mass.sum():
        assert math.isnan(found)
        return
    p, values = joint.probabilities(), pmi(joint).to_numpy()
    expected = sum(float(p[cell] * values[cell]) for cell in np.ndindex(p.shape) if p[cell])
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0 <= found <= entropy(joint.mass.sum(axis=1)) + 1e-9
    assert found == pytest.approx(mutual_information(joint_of(joint.mass.T)), abs=1e-9)
    assert found == pytest.approx(mutual_information(joint_of(joint.mass * 7)), abs=1e-9)


@given(st.lists(st.integers(0, 30), min_size=12, max_size=12).filter(any))
def test_of_whole_numbers_it_is_scikit_learns(mass: list[int]) -> None:
    table = np.reshape(mass, (3, 4))
    theirs = mutual_info_score(None, None, contingency=table)
    assert mutual_information(joint_of(table)) * math.log(2) == pytest.approx(theirs, abs=1e-9)


def test_special_cells() -> None:
    """Row 0 and column 0 only together; rows 1, 2 and columns 1, 2 independent; row 3 and column 3 empty."""
    table = npmi(joint_of([[4, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]])).to_numpy()
    assert table[0, 0] == pytest.approx(1)
    assert table[0, 1] == -1 == table[1, 0]
    assert np.isnan(table[3]).all()
    assert np.isnan(table[:, 3]).all()
    independent = npmi(joint_of([[2, 6], [1, 3]]))
    assert independent.to_numpy() == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    assert pmi(joint_of([[3, 1], [1, 3]])).to_numpy()[0].tolist() == pytest.approx([math.log2(1.5), -1])


def test_a_single_certain_pair_is_one_by_convention() -> None:
    assert npmi(joint_of([[5]])).iat[0, 0] == 1
    assert npmi(joint_of([[5, 0], [0, 0]])).iat[0, 0] == 1
    assert pmi(joint_of([[5]])).iat[0, 0] == 0


def test_nothing_is_known_of_an_empty_table() -> None:
    for table in (joint_of(np.zeros((2, 3))), ConfusionMatrix.zero(["a", "b"], ["x", "y", "z"])):
        assert np.isnan(pmi(table).to_numpy()).all()
        assert np.isnan(npmi(table).to_numpy()).all()
        assert math.isnan(mutual_information(table))


def test_ten_classes_at_point_nine() -> None:
    """Definition 8: a phone sampled from such posteriors gives 2.54 bits, the most probable phone 3.32."""
    posteriors = np.full((10, 10), 0.1 / 9)
    np.fill_diagonal(posteriors, 0.9)
    assert mutual_information(joint_of(posteriors)) == pytest.approx(2.54, abs=0.005)
    assert mutual_information(joint_of(np.eye(10))) == pytest.approx(3.32, abs=0.005)


def test_mass_below_the_smallest_quotient_is_no_mass() -> None:
    tiny = joint_of([[5e-324, 100], [100, 0]])
    assert mutual_information(tiny) == pytest.approx(1)
    assert npmi(tiny).iat[0, 0] == -1


def test_the_gap_is_a_row_and_a_column_where_it_is_a_symbol() -> None:
    matrix = ConfusionMatrix(["a", "b"], ["x", "y"], [[4, 1, 1], [0, 3, 0], [2, 0, 0]])
    joint = joint_of(matrix.counts)
    assert mutual_information(matrix) == pytest.approx(mutual_information(joint_of(matrix.substitutions)))
    for measure in (pmi, npmi):
        found = measure(matrix, gaps="include")
        assert found.index.tolist() == ["a", "b", "∅"]
        assert found.columns.tolist() == ["x", "y", "∅"]
        np.testing.assert_array_equal(found.to_numpy(), measure(joint).to_numpy())
        np.testing.assert_array_equal(measure(matrix).to_numpy(), measure(joint_of(matrix.substitutions)).to_numpy())
