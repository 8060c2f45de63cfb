"""The orders of phones that the page carries, and whether its classes are those of the tables."""

import pandas as pd
import pytest

from phonxling.core.features import by_chart, chart_key
from phonxling.report.first_screen import classes_hold, phone_orders

ROWS = [("p", "b", 3), ("p", "a", 1), ("a", "a", 5), ("a", "∅", 2), ("∅", "b", 4)]
CLASSES = [("stops", "stops", 3), ("stops", "vowels", 1), ("vowels", "vowels", 5), ("vowels", "∅", 2)]


def table(rows: list[tuple[str, str, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["gold", "predicted", "count"])


def test_the_chart_goes_by_place_voice_height_and_rounding() -> None:
    rows = ["p b t d ʈ ɖ c ɟ k ɡ q ɢ ʔ", "f v s z ʃ ʒ x ɣ h ɦ", "i y ɨ ʉ ɯ u e ø o ɛ œ ɔ a ɑ ɒ"]
    for row in rows:
        assert sorted(set(row.split()), key=chart_key) == row.split()
    assert sorted(["ũ", "aɪ", "u", "i", "a", "uː"], key=chart_key) == ["i", "u", "uː", "ũ", "a", "aɪ"]


def test_classes_come_before_places() -> None:
    classes = {"m": "nasals", "b": "stops", "k": "stops", "n": "nasals", "?": "other"}
    assert by_chart(["?", "n", "k", "m", "b"], classes, ["stops", "nasals"]) == ["b", "k", "m", "n", "?"]


def test_orders_hold_each_phone_once_and_no_gap() -> None:
    orders = phone_orders(["b", "∅", "a", "p", "b", "i", "m", "SIL"])
    for name in ("inventory", "features"):
        assert sorted(orders[name]) == sorted(["b", "a", "p", "i", "m", "SIL"])
    assert orders["natural"] == {"vowels": ["i", "a"], "stops": ["p", "b"], "nasals": ["m"], "other": ["SIL"]}
    assert phone_orders([])["natural"] == {}


@pytest.mark.parametrize(
    ("stored", "holds"),
    [
        ([*CLASSES, ("∅", "stops", 4), ("∅", "vowels", 0)], True),
        ([*CLASSES, ("∅", "stops", 3)], False),
        ([*CLASSES, ("∅", "stops", 4), ("nasals", "stops", 1)], False),
        ([], False),
    ],
)
def test_classes_hold_where_the_sums_are_those_of_the_table(stored: list[tuple[str, str, int]], holds: bool) -> None:
    assert classes_hold(table(ROWS), table(stored), {"stops": ["p", "b"], "vowels": ["a"]}) is holds
