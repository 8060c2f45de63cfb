"""Small values: estimates, errors, places."""

import copy
import math
import pickle

import pytest
from hypothesis import given, strategies as st

from phonxling.core.errors import LONGEST, DataError, escape_unprintable, quote
from phonxling.core.estimate import Estimate


@pytest.mark.parametrize(
    ("value", "low", "high", "expected", "note"),
    [
        (0.5, -0.5, 0.5, (0.5, 0.0, 0.5), ""),
        (0.5, 0.5, 1.5, (0.5, 0.5, 1.0), ""),
        (-0.1, -0.3, 0.1, (0.0, 0.0, 0.1), "the estimate is below the least possible value, which is given instead; "),
        (1.1, 0.9, 1.3, (1.0, 0.9, 1.0), "the estimate is above the greatest possible value, which is given instead; "),
        (1 + 1e-15, 0.9, 1.2, (1.0, 0.9, 1.0), ""),  # rounding is not worth a note
    ],
)
def test_values_and_limits_stay_in_the_range(
    value: float, low: float, high: float, expected: tuple[float, float, float], note: str
) -> None:
    bounded = Estimate(value, low, high, 0.9, note="few tokens").within(0, 1)
    assert (bounded.value, bounded.low, bounded.high) == pytest.approx(expected)
    assert (bounded.level, bounded.note) == (0.9, f"{note}few tokens")


def test_a_range_may_be_open_and_missing_limits_stay_missing() -> None:
    assert Estimate(7.0, -1.0, 9.0).within(0, math.inf).high == 9.0
    assert math.isnan(Estimate(7.0).within(0, math.inf).low)
    none = Estimate(-0.1, -0.2, -0.1, 0.9).within(0, 1)
    assert (math.isnan(none.low), none.note.endswith("all of it lies outside the possible values")) == (True, True)


def test_an_estimate_keeps_its_parts_in_a_copy_and_on_the_way_to_another_process() -> None:
    estimate = Estimate(0.25, 0.1, 0.4, 0.95, note="few", status="no-speakers")
    for again in (pickle.loads(pickle.dumps(estimate)), copy.deepcopy(estimate)):  # noqa: S301 - our own
        assert repr(again) == repr(estimate)


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
