"""What is said beside a reference: only where the recogniser hears, with a word for what the test supports."""

import math

import pytest

from phonxling.report.findings import findings
from phonxling.report.findings.numbers import Number, Numbers, Residual

RATE = Number(0.2, 0.18, 0.22, 5000)
JS = {
    ("expected_js", ""): Number(0.1, 0.08, 0.12),
    ("expected_js_null", ""): Number(0.03, 0.02, 0.04),
    ("expected_share_kept", ""): Number(0.58),
}
CELLS = (Residual("ɛ", "e", 0.02, 0.01), Residual("a", "a", 0.5, 0.001), Residual("o", "u", -0.01, 0.2))


def said(p: float, js: Number | None = None, skill: Number | None = None) -> str:
    """Return the sentences on a target whose divergence has this p."""
    numbers = {
        ("wper", ""): RATE,
        ("chance_wper", "best"): Number(0.3, note="unigram: 20 replicates"),
        ("skill_wper", "best"): skill or Number(0.4, 0.3, 0.5),
        **JS,
        ("expected_js_p", ""): Number(p),
    }
    if js is not None:
        numbers["expected_js", ""] = js
    return "\n".join(map(str, findings(Numbers(numbers, reference="english", residuals=CELLS, name="yoruba"))))


def test_a_divergence_that_is_told_apart_has_its_null_its_share_and_its_largest_confusion() -> None:
    told = said(0.003)
    assert (
        "The confusions differ from those that english leads one to expect over the 58.0 % of the aligned pairs" in told
    )
    assert "divergence 0.100 [0.080, 0.120] bits, where no difference gives 0.030 [0.020, 0.040]; p = 0.003." in told
    assert "2 of 3 cells tested differ from that (q below 0.05); the largest excess is ɛ heard as e." in told


def test_a_language_like_its_reference_is_not_told_apart_and_no_cell_is_named() -> None:
    told = said(0.4)
    assert "The confusions are not told apart from those that english leads one to expect" in told
    assert "differ" not in told.replace("where no difference gives", "")
    assert "ɛ" not in told


@pytest.mark.parametrize("js", [Number(0.1, 0.0, 0.2, note="descriptive: the interval rests on 3 speakers only"), None])
def test_without_a_test_or_with_too_few_speakers_nothing_is_judged(js: Number | None) -> None:
    told = said(0.001 if js else math.nan, js)
    assert "Whether they differ is not judged." in told
    assert "differ from" not in told
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
