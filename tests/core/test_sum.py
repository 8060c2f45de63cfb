"""Python's own `sum` adds up every type that accumulates."""

import pytest

import phonxling as px

MATRICES = [
    px.ConfusionMatrix(gold=["a"], predicted=["a", "b"], counts=[[2, 1]]),
    px.ConfusionMatrix(gold=["b"], predicted=["b"], counts=[[3, 0], [1, 0]]),
]
JOINTS = [
    px.JointDistribution(rows=["a"], columns=["x"], mass=[[0.5]]),
    px.JointDistribution(rows=["b"], columns=["x", "y"], mass=[[1, 2]]),
]


@pytest.mark.parametrize("parts", [MATRICES, JOINTS])
def test_sum_is_plus(parts: list[px.ConfusionMatrix] | list[px.JointDistribution]) -> None:
    assert sum(parts) == parts[0] + parts[1]  # type: ignore[operator]  # both are of one type
    assert sum(parts[:1]) == parts[0]
    with pytest.raises(TypeError):
        sum(parts, 1)  # type: ignore[arg-type]  # a count is no matrix
