"""The map as it is printed: every phone has its point, names lie apart and on the map, lines lead to points."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, strategies as st

from phonxling.report.render import LETTER, SIZE, printed_map

_Places = list[tuple[float, float]]
PLACES = st.tuples(st.floats(-10, 10), st.floats(-3, 3))


def embedding(places: _Places, first: int = 0) -> pd.DataFrame:
    names = [chr(ord("a") + first + number) for number in range(len(places))]
    return pd.DataFrame({"phone": names, "x": [x for x, _ in places], "y": [y for _, y in places]})


def points(side: dict[str, Any]) -> _Places:
    return [tuple(map(float, each.removesuffix("h0").split())) for each in side["points"].split("M") if each]  # type: ignore[misc]


@given(st.lists(PLACES, min_size=2, max_size=12), st.lists(PLACES, max_size=12))
def test_names_lie_on_the_map_and_off_each_other(
    own: list[tuple[float, float]], other: list[tuple[float, float]]
) -> None:
    drawn = printed_map("Yoruba", embedding(own), embedding(other, 12))
    assert drawn is not None
    assert [len(points(side)) for side in drawn["sides"]] == [len(own), len(other)]
    names = [name for side in drawn["sides"] for name in side["names"]]
    assert len(names) + drawn["missing"] == len(own) + len(other)
    for name in names:
        assert 0 <= name["x"] <= SIZE[0]
        assert 0 <= name["y"] <= SIZE[1]
    for one, two in itertools.combinations(names, 2):
        apart = max(abs(one["x"] - two["x"]) / (0.62 * LETTER), abs(one["y"] - two["y"]) / (1.15 * LETTER))
        assert apart > 0.95  # to a tenth of a unit, in which places are written


def test_distances_are_alike_on_both_axes_and_up_is_up() -> None:
    drawn = printed_map("", embedding([(0, 0), (2, 0), (0, 1)]), embedding([]))
    assert drawn is not None
    origin, right, up = map(np.array, points(drawn["sides"][0]))
    assert np.allclose((right - origin)[1], 0)
    assert np.allclose((up - origin)[0], 0)
    assert right[0] - origin[0] == 2 * (origin[1] - up[1]) > 0


def test_without_phones_there_is_no_map() -> None:
    assert printed_map("", embedding([]), embedding([(0, 0)])) is None
