"""Sentences on where variation comes from claim what intervals support, and no more."""

import numpy as np
import pandas as pd

from phonxling.report.further.variation import variation_sentences


def said(**rows: tuple[float, float, float]) -> list[str]:
    """Return the sentences of components with these shares and limits."""
    table = pd.DataFrame(
        [(name, 5, share, low, high, 0.6, 0.8, "") for name, (share, low, high) in rows.items()],
        columns=["component", "levels", "share", "low", "high", "right_below", "right_above", "note"],
    )
    table.loc[table["low"].isna(), "note"] = "too few"
    return [str(one) for one in variation_sentences("", {"variation": table})]


def test_shares_stand_in_their_order_with_their_intervals() -> None:
    assert said(speaker=(0.05, 0.02, 0.12), phone=(0.2, 0.1, 0.3), residual=(0.75, 0.6, 0.85)) == [
        "Of the variance of being right, 20 % [10, 30] lies between phones, 5.0 % [2.0, 12.0] between speakers.",
        "A phone one standard deviation below the mean has 60 % of its tokens right, one above it 80 %.",
    ]


def test_what_is_more_than_another_has_an_interval_of_its_own() -> None:
    sentences = said(phone=(0.2, 0.13, 0.3), speaker=(0.05, 0.02, 0.12))
    assert sentences[1] == "More lies between phones than between speakers: their intervals do not overlap."


def test_nothing_is_more_than_another_on_too_few_levels() -> None:
    data = {"component": ["phone", "speaker"], "levels": [20, 4], "share": [0.2, 0.05], "low": [0.13, 0.02]}
    ends = {"high": [0.3, 0.12], "right_below": 0.6, "right_above": 0.8}
    notes = ["", "descriptive: the interval rests on 4 speakers only"]
    table = pd.DataFrame({**data, **ends, "note": notes})
    assert "More lies" not in " ".join(map(str, variation_sentences("", {"variation": table})))


def test_what_reaches_0_is_not_shown() -> None:
    sentences = said(phone=(0.2, 0.1, 0.3), speaker=(0.05, 0.0, 0.12))
    assert sentences[-1] == "That anything lies between speakers is not shown: the interval reaches 0."


def test_what_is_described_is_no_estimate() -> None:
    sentences = said(language=(0.4, np.nan, np.nan), phone=(0.2, 0.1, 0.3))
    assert sentences[0].startswith("Of the variance of being right, 20 % [10, 30] lies between phones.")
    assert sentences[-1].startswith("40 % lies between languages (too few).")


def test_where_nothing_was_estimated_the_note_says_why() -> None:
    table = pd.DataFrame(
        {"component": ["residual"], "share": [np.nan], "low": [np.nan], "note": ["nothing to estimate"]}
    )
    assert [str(one) for one in variation_sentences("", {"variation": table})] == ["Residual: nothing to estimate."]
