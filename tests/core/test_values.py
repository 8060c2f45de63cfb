"""Small values: estimates, errors, places."""

import math

import pytest
from hypothesis import given, strategies as st

from phonxling.core.errors import (
    LONGEST,
    DataError,
    escape_unprintable,
    join_problems,
    quote,
)
from phonxling.core.estimate import Estimate


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-0.5, 0.5, (0.0, 0.5)), (0.5, 1.5, (0.5, 1.0)), (-2.0, -1.0, (0.0, 0.0)), (2.0, 3.0, (1.0, 1.0))],
)
def test_limits_stay_in_the_range_and_all_else_stays(low: float, high: float, expected: tuple[float, float]) -> None:
    bounded = Estimate(0.5, low, high, 0.9, note="few tokens").within(0, 1)
    assert (bounded.low, bounded.high) == expected
    assert (bounded.value, bounded.level, bounded.note) == (0.5, 0.9, "few tokens")


@pytest.mark.parametrize(
    ("value", "low", "side", "end"), [(-0.1, -0.3, "below", "least"), (1.1, 0.9, "above", "greatest")]
)
def test_a_value_outside_the_range_is_set_to_its_end_and_the_note_says_so(
    value: float, low: float, side: str, end: str
) -> None:
    bounded = Estimate(value, low, low + 0.4, 0.9, note="few tokens").within(0, 1)
    assert bounded.value == (value > 0)
    assert bounded.low <= bounded.value <= bounded.high
    assert bounded.note == f"the estimate is {side} the {end} possible value, which is given instead; few tokens"
    none = Estimate(value, value, value, 0.9).within(0, 1)
    assert math.isnan(none.low)
    assert none.note.endswith("no interval: all of it lies outside the possible values")
    assert Estimate(1 + 1e-15, 0.9, 1.2, 0.9).within(0, 1) == Estimate(
        1.0, 0.9, 1.0, 0.9
    )  # rounding is not worth a note


def test_a_range_may_be_open_and_missing_limits_stay_missing() -> None:
    """Without an interval there is nothing to bound."""
    assert Estimate(7.0, -1.0, 9.0).within(0, math.inf).high == 9.0
    alone = Estimate(7.0, note="one speaker").within(0, math.inf)
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)
    assert alone.note == "one speaker"


def test_all_problems_are_shown_or_counted() -> None:
    assert join_problems("Three:", iter("abc"), "Do so.") == "Three:\n  a\n  b\n  c\nDo so."
    assert join_problems("Three:", "abc", limit=3) == "Three:\n  a\n  b\n  c"
    assert join_problems("Some:", "ab", "Do so.", more=3) == "Some:\n  a\n  b\n  … and 3 more\nDo so."
    assert join_problems("Some:", "abc", limit=1, more=3) == "Some:\n  a\n  … and 5 more"
    assert join_problems("None:", []) == "None:"


@given(text=st.text(st.characters(), max_size=40))
def test_what_is_printed_can_be_seen_and_printing_twice_changes_nothing(text: str) -> None:
    out = escape_unprintable(text)
    assert all(letter.isprintable() or letter == "\n" for letter in out)
    assert escape_unprintable(out) == out
    assert out.count("\n") == text.count("\n")
    assert "\n" not in quote(text)
    assert out == text or not text.replace("\n", "").isprintable()
    out.encode()


def test_an_error_is_fit_for_a_terminal_keeps_what_it_was_given_and_has_an_end() -> None:
    error = DataError("x.tsv: 'u\x1b[2J\r\ud800\u202e'")
    assert str(error) == r"x.tsv: 'u\x1b[2J\r\ud800\u202e'"
    assert error.args == ("x.tsv: 'u\x1b[2J\r\ud800\u202e'",)
    assert str(DataError("a" * 5_000_000)) == "a" * 10_000 + "… (100,001 letters)\n  … and 4,900,000 more letters"
    assert len(str(DataError("a\n" * 5_000_000))) < LONGEST + 100
    assert quote("a" * 101) == "a" * 100 + "… (101 letters)"
