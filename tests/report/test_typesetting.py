"""Tables for papers: digits that follow the interval, and text that neither LaTeX nor Markdown takes for markup."""

import math

import pytest
from hypothesis import given, strategies as st

from phonxling.report.rounding import PaperTable, decimals, latex, markdown, probability, rounded


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.28734, 0.2839, 0.2917, "0.2873 [0.2839, 0.2917]"),
        (-0.0196, -0.0262, -0.0138, "−0.0196 [−0.0262, −0.0138]"),
        (58512.4, 58000.2, 59000.7, "58,512 [58,000, 59,001]"),
        (4.5046, math.nan, math.nan, "4.50"),
        (0.0, math.nan, math.nan, "0"),
        (math.inf, math.nan, math.nan, "∞"),
        (math.nan, math.nan, math.nan, ""),
        (0.0001, -0.3, 0.3, "0.00 [−0.30, 0.30]"),
    ],
)
def test_digits_follow_the_interval(value: float, low: float, high: float, text: str) -> None:
    assert rounded(value, low, high) == text


@given(st.floats(1e-4, 40))
def test_a_spread_shows_two_digits(spread: float) -> None:
    shown = f"{spread:.{decimals(spread)}f}"
    digits = shown.replace(".", "").lstrip("0")
    assert len(digits) == 2 or digits == "100"


def test_latex_s_letters_and_line_breaks_in_notes_are_text() -> None:
    table = PaperTable(["a & b_c"], [["50 % of {x}~^\\"]], ["one\ntwo"])
    text = latex(table)
    assert r"a \& b\_c \\" in text
    assert r"50~\% of \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} \\" in text
    assert "% one two\n" in text


def test_markdown_holds_no_markup_of_data() -> None:
    text = markdown(PaperTable(["x"], [["<img src=x>|&"]]))
    assert "| &lt;img src=x>\\|&amp; |" in text


def test_phonetic_columns_are_set_in_the_phonetic_font() -> None:
    text = latex(PaperTable(["phone", "n"], [["k͡p", "1"], ["", "2"]], phonetic=frozenset({0})))
    assert "\\ipa{k͡p} & 1 \\\\" in text
    assert "\n & 2 \\\\" in text


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0497, "0.0497"), (0.0503, "0.0503"), (0.05, "0.05"), (0.0213, "0.021"), (0.0004, "< 0.001")]
)
def test_no_probability_is_rounded_across_five_per_cent(p: float, shown: str) -> None:
    assert probability(p) == shown
