"""What two recognisers of the same gold get wrong together, in sentences."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from phonxling.report.rounding import probability, rounded
from phonxling.resample.p_values import SIGNIFICANT

BY_ALIGNMENT = 0.02  # of κ, of agreement beyond that expected, and of same answers: what the alignment alone may bring


def sentences(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a row of agreement.tsv shows; no more than its intervals and q do."""
    if not math.isnan(row["kappa_given_phone"]):
        yield _wrong_together(row)
    if not math.isnan(row["same_excess"]):
        yield _same_answers(row)


def _wrong_together(row: Mapping[str, Any]) -> str:
    low, high = row["kappa_given_phone_low"], row["kappa_given_phone_high"]
    kappa = f"κ given the phone {rounded(row['kappa_given_phone'], low, high)}"
    both = f"{row['both_wrong']:,.0f} of {row['tokens']:,.0f} tokens are wrong in both"
    expected = (
        f"{row['both_wrong_expected']:,.0f} were expected of independent recognisers that find the same phones hard"
    )
    if math.isnan(row["q"]):
        return f"{both}, {expected}: {kappa}, not tested."
    shown = f"{kappa}, q {_q(row['q'])}"
    excess = (
        2 * (row["both_wrong"] - row["both_wrong_expected"]) / row["tokens"]
    )  # they agree on right ones as much more
    clear = (low > BY_ALIGNMENT or high < -BY_ALIGNMENT) and abs(excess) >= BY_ALIGNMENT
    if not (row["q"] < SIGNIFICANT and clear):
        return f"{both}, {expected}: {shown}. This does not show that the two err together."
    often = "more" if low > 0 else "less"
    return f"The two are wrong at the same tokens {often} often than chance has it: {both}, {expected} ({shown})."


def _same_answers(row: Mapping[str, Any]) -> str:
    low, high = row["same_excess_low"], row["same_excess_high"]
    same = f"{100 * row['same_share']:.0f} % of the tokens wrong in both have the same wrong answer"
    expected = f"independent answers would be the same in {100 * row['same_expected']:.0f} %"
    excess = f"excess {rounded(row['same_excess'], low, high)}"
    if math.isnan(row["same_q"]):
        return f"{same}; {expected} ({excess}, not tested)."
    shown = f"{excess}, q {_q(row['same_q'])}"
    if row["same_q"] < SIGNIFICANT and low > BY_ALIGNMENT:
        return f"They make the same mistakes: {same}, where {expected} ({shown})."
    return f"{same}; {expected} ({shown}). This does not show more than the alignment alone may bring."


def _q(q: float) -> str:
    shown = probability(q)
    return shown if shown.startswith("<") else f"= {shown}"
