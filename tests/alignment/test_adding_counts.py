"""Matrices and joint distributions as sums: neutral zero, any order, any inventories; and what they refuse."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.confusion import ConfusionMatrix, SummedNumbers
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.posteriorgram import JointDistribution


@st.composite
def sums(draw: st.DrawFn, kind: type[SummedNumbers], phones: bool = True) -> SummedNumbers:
    """Draw a matrix of counts or of mass over some phones, or over b, a, c and x, a."""
    gold = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=4)) if phones else ["b", "a", "c"]
    others = draw(st.lists(st.sampled_from("axyb"), unique=True, max_size=4)) if phones else ["x", "a"]
    shape = len(gold) + kind._gaps, len(others) + kind._gaps
    numbers = np.array(draw(st.lists(st.integers(0, 9), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])))
    if kind is ConfusionMatrix:
        numbers[-1] = 0
    return kind(gold, others, numbers.reshape(shape) / (16 if kind is JointDistribution else 1))


def cells(value: SummedNumbers) -> Counter[tuple[str, str]]:
    rows, columns, numbers = value._parts()
    names = [[*side, GAP] for side in (rows, columns)]
    return Counter({(names[0][i], names[1][j]): number for (i, j), number in np.ndenumerate(numbers) if number})


KINDS = st.sampled_from([ConfusionMatrix, JointDistribution])


@given(KINDS, st.data())
def test_a_sum_holds_every_count_of_both_and_zero_changes_nothing(
    kind: type[SummedNumbers], data: st.DataObject
) -> None:
    first, second, third = (data.draw(sums(kind)) for _ in range(3))
    total = first + second
    assert cells(total) == cells(first) + cells(second)
    assert total == second + first
    assert cells(total + third) == cells(first + (second + third))
    for one, other, phones in zip(first._parts()[:2], second._parts()[:2], total._parts()[:2], strict=True):
        assert set(phones) == {*one, *other}
    assert first + kind.zero() == kind.zero() + first == first + kind.zero(*first._parts()[:2]) == first
    assert sum([first, second]) == total
    assert pickle.loads(pickle.dumps(first)) == copy.deepcopy(first) == first  # noqa: S301 - our own
    with pytest.raises(TypeError):
        first + 1


@given(sums(ConfusionMatrix, phones=False), st.permutations(["a", "b", "c"]))
def test_another_order_of_phones_keeps_each_count(matrix: ConfusionMatrix, order: list[str]) -> None:
    assert (matrix + matrix).gold.phones == ("b", "a", "c")
    turned = matrix.reindex(Inventory(tuple(order)), Inventory(("z", "a", "x")))
    assert cells(turned) == cells(matrix)
    with pytest.raises(KeyError):
        matrix.reindex(Inventory(("a", "b")), matrix.predicted)


@pytest.mark.parametrize("counts", [[[1, 2, 3]], [[-1]], [[np.nan]], [[np.inf]], [[1, 2], [3, 4]], [1]], ids=str)
def test_impossible_numbers_are_refused(counts: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"counts|∅"):
        ConfusionMatrix(["a"], ["b"], counts)
    with pytest.raises(ValueError, match="mass"):
        JointDistribution(["a"], ["x"], counts)
