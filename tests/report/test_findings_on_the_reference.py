"""What is said beside a reference: only where the recogniser hears, with a word for what the test supports."""

import math

import pytest

from phonxling.report.findings import findings
from phonxling.report.numbers import Number, Numbers, Residual

RATE = Number(0.2, 0.18, 0.22, 5000)
JS = {
    ("expected_js", ""): Number(0.1, 0.08, 0.12),
    ("expected_level", ""): Number(0.11, 0.06, 0.16),
    ("expected_pattern", ""): Number(0.09),
    ("expected_share_kept", ""): Number(0.58),
}
CELLS = (Residual("ɛ", "e", 0.02, 0.01), Residual("a", "a", 0.5, 0.001), Residual("o", "u", -0.01, 0.2))


def said(p: float, js: Number | None = None, skill: Number | None = None, pattern: float = 0.5) -> str:
    """Return the sentences on a target whose number of errors has this p, and whose kinds of errors have that one."""
    numbers = {
        ("wper", ""): RATE,
        ("chance_wper", "best"): Number(0.3, note="unigram: 20 replicates"),
        ("skill_wper", "best"): skill or Number(0.4, 0.3, 0.5),
        **JS,
        ("expected_level_p", ""): Number(p),
        ("expected_pattern_p", ""): Number(pattern if p == p else math.nan),
    }
    if js is not None:
        numbers["expected_js", ""] = js
    return "\n".join(map(str, findings(Numbers(numbers, reference="english", residuals=CELLS, name="yoruba"))))


def test_number_and_kinds_of_errors_are_told_apart_by_their_own_p() -> None:
    told = said(0.003)
    assert (
        "On the 58.0 % of aligned pairs whose phones are common, errors in 100 tokens are 11.0 [6.0, 16.0] above "
        "those in english: more errors than expected, p = 0.003." in told
    )
    assert "are 0.0900 from english’s (0: the same, 1: all others): no difference is shown, p = 0.5." in told
    assert "make a divergence of 0.100 [0.080, 0.120] bits from what is expected." in told
    assert "2 of 3 cells tested differ from that (q below 0.05); the largest excess is ɛ heard as e." in told
    other = said(0.5, pattern=0.001)
    assert "above those in english: no difference is shown, p = 0.5." in other
    assert "other kinds than expected, p = 0.001." in other


def test_a_language_like_its_reference_is_not_told_apart_and_no_cell_is_named() -> None:
    """Two tests at .04 and .5 show nothing together (Holm)."""
    for told in (said(0.4), said(0.04)):
        assert "tested differ" not in told
        assert "ɛ" not in told


def test_without_a_test_nothing_is_judged() -> None:
    told = said(math.nan)
    assert told.count("whether they differ is not judged.") == 2
    assert "p =" not in told


@pytest.mark.parametrize("skill", [Number(0.01, -0.02, 0.04), Number(-0.1, -0.2, -0.05), Number(0.02, 0.01, 0.03)])
def test_nothing_is_said_beside_the_reference_where_the_rate_is_not_clearly_better_than_chance(skill: Number) -> None:
    told = said(0.001, skill=skill)
    assert "divergence" not in told
    assert "cells tested" not in told


@pytest.mark.parametrize(
    "warning", ["another recogniser: a, reference b", "a small reference (30 utterances)", "are the roles swapped?"]
)
def test_what_weakens_the_comparison_is_told_beside_it(warning: str) -> None:
    told = said(0.003, Number(0.1, 0.08, 0.12, note=f"{warning}; no interval: too few"))
    assert f"p = 0.003. {warning.capitalize()}{'' if warning.endswith('?') else '.'}\n" in told


def test_why_nothing_can_be_expected_is_said() -> None:
    told = said(math.nan, Number(math.nan, note="no aligned pair is of common phones"))
    assert "Nothing can be expected from english: no aligned pair is of common phones." in told
