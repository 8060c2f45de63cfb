"""Sentences on what two recognisers get wrong together claim what the intervals and q show, and no more."""

import math

import pytest

from phonxling.report.findings import sentences

ROW = {
    "tokens": 5754,
    "both_wrong": 1236,
    "both_wrong_expected": 762.5,
    "kappa_given_phone": 0.357,
    "kappa_given_phone_low": 0.33,
    "kappa_given_phone_high": 0.383,
    "q": 0.0001,
    "same_share": 0.47,
    "same_expected": 0.144,
    "same_excess": 0.326,
    "same_excess_low": 0.287,
    "same_excess_high": 0.365,
    "same_q": 0.0001,
}


def test_what_is_shown_is_said() -> None:
    wrong, same = sentences(ROW)
    assert wrong.startswith("The two are wrong at the same tokens more often than chance has it: 1,236 of 5,754 tokens")
    assert "762 were expected" in wrong
    assert "κ given the phone 0.357 [0.330, 0.383], q < 0.001" in wrong
    assert same.startswith("They make the same mistakes: 47 % of the tokens")
    assert "same in 14 % (excess 0.326 [0.287, 0.365], q < 0.001)" in same


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"both_wrong_expected": 1200.0}, "does not show that the two err together"),  # an excess of .0125
        ({"kappa_given_phone_low": -0.03, "kappa_given_phone_high": -0.01}, "does not show that the two err together"),
        ({"kappa_given_phone_low": 0.01}, "does not show that the two err together"),
        (
            {"kappa_given_phone": -0.2, "kappa_given_phone_low": -0.3, "kappa_given_phone_high": -0.1},
            "tokens less often",
        ),
        ({"q": math.nan}, "not tested"),
        ({"same_excess_low": 0.011}, "does not show more than the alignment alone may bring"),
        ({"same_q": math.nan}, "not tested"),
    ],
)
def test_what_is_not_shown_is_not_said(changed: dict[str, float], said: str) -> None:
    assert said in " ".join(sentences({**ROW, **changed}))


def test_nothing_is_said_of_what_is_not_defined() -> None:
    assert list(sentences({**ROW, "kappa_given_phone": math.nan, "same_excess": math.nan})) == []
