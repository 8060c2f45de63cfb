import numpy as np

from phonxling.analyses.features import order_rows
from phonxling.draw.order import given_order, order_columns, rarest, rest_last


def test_similar_rows_become_neighbours() -> None:
    profiles = np.array([[0.9, 0.1, 0, 0], [0, 0, 0.5, 0.5], [0.8, 0.2, 0, 0], [0, 0, 0.4, 0.6]])
    order = order_rows(profiles).tolist()
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1
    assert order[0] < order[-1]


def test_every_row_occurs_once_and_twice_the_same() -> None:
    profiles = np.random.default_rng(1).dirichlet(np.ones(12), size=30)
    assert sorted(order_rows(profiles)) == list(range(30))
    assert order_rows(profiles).tolist() == order_rows(profiles.copy()).tolist()


def test_small_equal_and_missing_rows() -> None:
    assert order_rows(np.zeros((0, 3))).tolist() == []
    assert order_rows(np.zeros((2, 3))).tolist() == [0, 1]
    assert sorted(order_rows(np.full((4, 3), np.nan))) == [0, 1, 2, 3]


def test_columns_follow_the_diagonal_and_empty_ones_go_last() -> None:
    permuted = [2, 0, 3, 1]
    weights = np.zeros((4, 5))
    weights[permuted, [0, 1, 3, 4]] = 0.9
    assert order_columns(weights).tolist() == [1, 4, 0, 3, 2]


def test_given_order_and_the_rest() -> None:
    assert given_order(["b", "…", "x", "a"], ["a", "b"]).tolist() == [3, 0, 1, 2]
    assert rest_last(np.array([1, 0, 2]), ["a", "other (2)", "b"]).tolist() == [0, 2, 1]
    assert rarest(np.array([3.0, 1.0]), room=2).tolist() == []
