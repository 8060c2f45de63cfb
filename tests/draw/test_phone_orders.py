import numpy as np
import pandas as pd
import pytest
from figure_names import column_names, row_names
from made_drawings import draw_confusions

from phonxling.analyses.features import by_features
from phonxling.draw.order import order_gold, phone_orders
from phonxling.draw.style import FigureOptions

VECTORS = {"p": [-1, -1, 0], "b": [-1, 1, 0], "i": [1, 1, -1], "u": [1, 1, 1], "e": [1, 0, -1]}
FEATURES = {phone: np.array(values, float) for phone, values in VECTORS.items()}


@pytest.fixture
def table() -> pd.DataFrame:
    rows = [("p", "b", 2), ("i", "i", 9), ("b", "b", 4), ("u", "e", 5), ("x", "b", 7), ("∅", "i", 3), ("b", "∅", 9)]
    return pd.DataFrame(rows, columns=["gold", "predicted", "count"])


def test_phones_of_like_features_are_neighbours_and_those_without_are_last() -> None:
    ordered = by_features(["p", "?", "u", "b", "i", "p"], FEATURES)
    assert sorted(ordered) == sorted(["p", "?", "u", "b", "i"])
    assert ordered[-1] == "?"
    assert abs(ordered.index("p") - ordered.index("b")) == abs(ordered.index("i") - ordered.index("u")) == 1
    assert by_features(["a", "b"], {}) == ["a", "b"]


def test_both_sides_stand_in_one_order_of_features(table: pd.DataFrame) -> None:
    gold, predicted = phone_orders(table, "features", FEATURES)
    assert predicted is not None
    common = set(gold) & set(predicted)
    assert [phone for phone in gold if phone in common] == [phone for phone in predicted if phone in common]
    assert gold[-1] == "x"


def test_frequency_and_inventory(table: pd.DataFrame) -> None:
    assert phone_orders(table, "frequency", {}) == (["b", "i", "x", "u", "p"], ["b", "i", "e"])
    assert phone_orders(table, "inventory", {}) == (["p", "i", "b", "u", "x"], ["b", "i", "e"])
    assert phone_orders(table, "similarity", {}) == (order_gold(table), None)


def test_the_heat_map_stands_in_both_orders(table: pd.DataFrame) -> None:
    options = FigureOptions(order="frequency", font="DejaVu Sans")
    axes = draw_confusions(table, "x", options, *phone_orders(table, "frequency", {})).figure.axes
    assert row_names(axes[0]) == ["b", "i", "x", "u", "p"]
    assert column_names(axes[1]) == ["b", "i", "e", "∅"]
