"""What the page says of gold of which some phones may be wrong."""

import numpy as np
import pandas as pd

from phonxling.report.further.gold_errors import PART
from phonxling.report.further.part import Tables

NONE = float("nan")


def tables(rows: list[tuple[float, str, float, str]], claims: list[tuple[str, float, float]]) -> Tables:
    numbers = pd.DataFrame(rows, columns=["rate", "measure", "value", "note"])
    limits = {"low": numbers["value"] - 0.02, "high": numbers["value"] + 0.02}
    return {
        "gold_errors": numbers.assign(**limits),
        "gold_error_claims": pd.DataFrame(claims, columns=["claim", "holds_to", "ends_at"]),
    }


def said(made: Tables) -> list[str]:
    return [str(one) for one in PART.sentences("yoruba", made)]


RATES = [(rate, name, 0.5 - rate, "") for name in ("per", "wper", "skill_per") for rate in (0.0, 0.05, 0.1)]


def test_numbers_and_the_first_claim_to_end() -> None:
    claims = [("a is b", 0.1, NONE), ("c is d", 0.05, 0.1), ("e is f", 0.0, 0.05)]
    numbers, held, first, last = said(tables(RATES, claims))
    assert numbers == (
        "If 5 % of the gold phones were wrong, the phone error rate would be 0.450 [0.430, 0.470] instead of 0.500 "
        "[0.480, 0.520]; the weighted error rate would be 0.450 [0.430, 0.470] instead of 0.500 [0.480, 0.520]."
    )
    assert held == "1 of 3 claims are the same at all rates up to 10 % at which they are made."
    assert first == "The first to end, at 5 %: e is f."
    assert last.startswith("Which share is wrong, these data do not tell.")


def test_a_rate_at_which_nothing_is_told() -> None:
    rows = [
        (0.0, "per", 0.04, ""),
        (0.03, "per", 0.01, ""),
        (0.05, "per", NONE, "so many wrong gold phones"),
        (0.1, "per", NONE, "more"),
    ]
    sentences = said(tables(rows, []))
    assert sentences[0].startswith("If 3 % of the gold phones were wrong, the phone error rate would be 0.010")
    assert sentences[1].startswith("Nothing is told of 5 % or more: so many wrong gold phones")


def test_nothing_is_told_without_numbers() -> None:
    rows = [(np.nan, "per", NONE, "raw symbols have no phonological features; give a table of errors")]
    assert said(tables(rows, [])) == [
        "Nothing is told: raw symbols have no phonological features; give a table of errors."
    ]
