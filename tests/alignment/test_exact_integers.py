"""Fractions over one denominator: exact where 32 bits hold them, else rounded, and said so."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.alignment.costs import fractions_of, over_one_denominator
from phonxling.core.costs import LARGEST
from phonxling.core.errors import DataError


def array(values: list[Fraction]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@given(st.lists(st.fractions(0, 3, max_denominator=60), min_size=1, max_size=8))
def test_small_fractions_stay_exact_over_the_least_denominator(values: list[Fraction]) -> None:
    (whole,), denominator, note = over_one_denominator([array(values)])
    if not note:
        assert [Fraction(int(number), denominator) for number in whole] == values
        assert np.gcd.reduce([denominator, *whole]) == 1  # no smaller one would do


@given(st.lists(st.fractions(0, 5000), min_size=1, max_size=8))
def test_any_costs_fit_32_bits_and_are_nearest_to_what_was_given(values: list[Fraction]) -> None:
    (whole,), denominator, note = over_one_denominator([array(values)])
    assert max(denominator, whole.max()) <= LARGEST
    error = max(abs(Fraction(int(number), denominator) - value) for number, value in zip(whole, values, strict=True))
    assert error <= (Fraction(1, 2 * denominator) if note else 0)
    if note and denominator not in (1_000_000, 100_000):
        assert error <= Fraction(1, 10**14)  # long decimals of simple fractions


def test_rounding_is_said() -> None:
    fine = px.feature_costs(["a"], ["b"], insertion=Fraction(1, 2**31))
    assert fine.note == "costs rounded to multiples of 1/1000000: no common denominator fits 32 bits"
    assert fine.cost(None, "b") == 0
    assert px.feature_costs(["a"], ["b"], insertion=Fraction(1, 2**20)).note == ""
    third = px.feature_costs(["a"], ["b"], "unit", insertion=Fraction(1, 3), deletion=0.1)
    assert (third.denominator, third.cost(None, "b"), third.cost("a", None)) == (30, Fraction(1, 3), Fraction(1, 10))


def test_simple_fractions_that_are_spelled_as_long_decimals_are_found_again_and_it_is_said() -> None:
    """As panphon's own gap costs are where a program prints them."""
    gaps = {"b": 23 / 24, "d": 2 / 3, "z": 45.5 / 48}
    costs = px.feature_costs(["a"], list(gaps), insertion=gaps, deletion=Fraction("0.9791666666666666"))
    assert (costs.denominator, costs.cost(None, "d"), costs.cost("a", None)) == (96, Fraction(2, 3), Fraction(47, 48))
    assert costs.note.startswith("costs rounded to multiples of 1/96")


def test_a_cost_beyond_32_bits_is_refused() -> None:
    with pytest.raises(DataError, match="too large for 32 bits"):
        over_one_denominator([array([Fraction(LARGEST + 1)])])


def test_integers_come_back() -> None:
    numbers = np.array([[0, 3], [6, 3]])
    assert over_one_denominator([fractions_of(numbers, 6)])[0][0].tolist() == [[0, 1], [2, 1]]
    assert fractions_of(np.zeros((2, 0), dtype=np.int64), 4).shape == (2, 0)
