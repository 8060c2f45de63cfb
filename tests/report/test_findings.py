"""The sentences of the page: for each case what is said, and that no sentence claims more than its interval."""

import math
import re
from urllib.parse import parse_qs

import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.measures import measure
from phonxling.core.estimate import Estimate
from phonxling.report.findings import findings
from phonxling.report.numbers import Cell, Numbers, Phone

RATE = Estimate(0.287, 0.281, 0.293)
CONSTANT = Estimate(0.282, 0.279, 0.285, note="constant: always “e”")
SKILLED = {
    ("wper", ""): RATE,
    ("chance_wper", "best"): CONSTANT,
    ("chance_wper", "constant"): Estimate(0.282, note="always “e”"),
    ("skill_wper", "best"): Estimate(0.4, 0.3, 0.5),
}


def said(**more: object) -> str:
    """Return all sentences of a corpus with these numbers."""
    return "\n".join(map(str, findings(Numbers(**more))))  # type: ignore[arg-type]


def with_skill(skill: Estimate, **more: Estimate) -> str:
    numbers = {**SKILLED, ("skill_wper", "best"): skill, **{(name, ""): number for name, number in more.items()}}
    return "\n".join(map(str, findings(Numbers(numbers))[1:]))


def information(excess: Estimate) -> dict[tuple[str, str], Estimate]:
    return {
        ("mutual_information", measure("mutual_information").variant): Estimate(0.48, 0.44, 0.52),
        ("mutual_information_excess", "best"): excess,
    }


JUDGED = [  # a skill, and what is said of it after the level of chance
    (Estimate(-0.02, -0.031, -0.009), "The recogniser is worse than that: its skill is −0.0200 [−0.0310, −0.0090]."),
    (Estimate(0.004, -0.01, 0.018), "The recogniser does not differ clearly from that: its skill is 0.00400 ["),
    (Estimate(0.2, 0.1, 0.3), "The recogniser is better than that: 20.0 % [10.0, 30.0] of the way from guessing to no"),
    (Estimate(0.87, 0.83, 0.9), "The recogniser is far better than that: 87.0 % [83.0, 90.0] of the way from guessing"),
    (Estimate(0.001, 0.0005, 0.0015), "The recogniser is hardly better than that: at most 0.1 % of the way from gues"),
    (Estimate(0.87), "Its skill, 0.870, has no interval, so nothing is said of better or worse."),
    (Estimate(math.nan, note="the chance rate is 0"), "The skill is not defined: the chance rate is 0."),
]


@pytest.mark.parametrize(("skill", "words"), JUDGED)
def test_what_is_said_of_chance_follows_the_interval_of_the_skill(skill: Estimate, words: str) -> None:
    guessing = "0.282 [0.279, 0.285] is what guessing scores (always “e”)"
    assert with_skill(skill).startswith(f"{guessing}.\n{words}")
    floored = f"{guessing}; no recogniser with these phones could score below 0.100.\n"
    assert with_skill(skill, floor_wper=Estimate(0.1)).startswith(floored + words.partition(" to no")[0])


def test_the_level_of_chance_is_that_of_the_lowest_model_or_missing_with_the_reason() -> None:
    best = "chance_wper", "best"
    levels = {best: Estimate(0.27, 0.2, 0.3), ("chance_wper", "unigram"): Estimate(0.27)}
    assert "is what guessing scores (by the unigram model of chance).\n" in said(by_name=SKILLED | levels)
    none = said(by_name=SKILLED | {best: Estimate(math.nan, note="there is one utterance only")})
    assert "No chance level stands beside the rate: there is one utterance only." in none


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5))
def test_no_sentence_claims_more_than_its_interval(value: float, below: float, above: float) -> None:
    skill = Estimate(value, value - below, value + above)
    sentence = with_skill(skill)
    claims = {words for words in ("worse than that", "better than that") if words in sentence}
    assert bool(claims) == (skill.low > 0 or skill.high < 0)
    assert ("worse than that" in sentence) == (skill.high < 0)


@pytest.mark.parametrize(
    ("excess", "words"),
    [
        (Estimate(0.26, 0.22, 0.3), "contain 0.220: the excess is 0.260 ["),
        (Estimate(0.02, -0.02, 0.06), "0.460: the excess, 0.0200 [−0.0200, 0.0600] bits, does not differ clearly"),
        (Estimate(-0.1, -0.2, -0.05), "contain 0.580: the excess is −0.100 [−0.200, −0.050] bits, below 0."),
        (Estimate(0.26), "their difference has no interval"),
    ],
)
def test_information_is_more_than_chance_only_when_the_interval_of_its_excess_says_so(
    excess: Estimate, words: str
) -> None:
    assert words in said(by_name=information(excess))


def test_kinds_of_errors_stand_largest_first_and_sum_up() -> None:
    shares = {"absent": 0.5, "inserted": 0.3, "deleted": 0.195, "unexplained": 0.005}
    text = said(by_name={**SKILLED, **{("error_share", name): Estimate(value) for name, value in shares.items()}})
    parts = re.findall(r"(\d+\.\d) % are", text.partition("Of all errors, ")[2])
    assert parts == ["50.0", "30.0", "19.5", "0.5"]


def test_errors_are_split_by_the_reference_only_where_there_are_more() -> None:
    more = {
        **SKILLED,
        ("error_share", "level"): Estimate(0.6, 0.5, 0.7),
        ("error_share", "expected"): Estimate(0.4),
        ("expected_level", ""): Estimate(0.1),
        ("expected_level_p", "q"): Estimate(0.001),
    }
    assert "60.0 % [50.0, 70.0] are confusions beyond the number in the reference; 40.0 %" in said(by_name=more)
    for fewer in ({("expected_level_p", "q"): Estimate(0.4)}, {("expected_level", ""): Estimate(-0.1)}):
        assert "100 % are confusions of phones that the reference has, too" in said(by_name={**more, **fewer})


def test_confusions_and_rare_phones_stand_by_their_number() -> None:
    cells = (Cell("a", "a", 90, 100), Cell("a", "e", 10, 100), Cell("o", "u", 30, 60))
    text = said(by_name=SKILLED, confusions=cells, phones=(Phone("a", 3), Phone("e", 50)))
    assert "o → u (30 of 60); a → e (10 of 100)" in text
    assert "Fewer than 20 tokens: 1 of 2 gold phones." in text


@pytest.mark.parametrize(("tokens", "told"), [(0.0, False), (40.0, True)])
def test_why_there_is_no_tone_error_rate_is_said_where_gold_has_tones(tokens: float, told: bool) -> None:
    missing = Estimate(math.nan, note="predictions carry no tones", status="undefined")
    key = "tone_error_rate", ""
    assert ("There is no tone error rate" in said(by_name={key: missing}, tokens={key: tokens})) == told


def test_forced_times_are_told_with_their_certainty() -> None:
    text = said(by_name={**SKILLED, ("times_certainty", ""): Estimate(0.9561, 0.95, 0.962)})
    assert "computed from the posteriors, with a mean certainty of 0.956 [0.950, 0.962]." in text
    assert "certainty" not in said(by_name=SKILLED)


def test_what_a_sentence_names_leads_to_it_and_its_text_is_that_of_its_parts() -> None:
    cells = (Cell("a&predicted=i", "e=#", 10, 100), Cell("o", "u", 5, 60))
    numbers = Numbers(SKILLED, name="my corpus", confusions=cells, phones=(Phone("a", 3),))
    every = findings(numbers)
    addresses = {part.text: part.address for each in every for part in each.parts if part.address}
    state = {text: parse_qs(address.removeprefix("#")) for text, address in addresses.items()}
    named = {"corpus": ["my corpus"]}
    assert state["a&predicted=i → e=#"] == named | {"gold": ["a&predicted=i"], "predicted": ["e=#"]}
    assert state["0.287 [0.281, 0.293]"] == named | {"measure": ["wper"]}
    assert state["40.0 % [30.0, 50.0]"] == named | {"measure": ["skill_wper best"]}
    assert state["1 of 1 gold phones"] == named | {"table": ["my corpus/phones"]}
    assert addresses["wPER"] == "#def-wper"
    for each in every:
        assert str(each) == "".join(part.text for part in each.parts)


CELLS = (
    Cell("ɛ", "e", residual=0.02, q=0.01),
    Cell("a", "a", residual=0.5, q=0.001),
    Cell("o", "u", residual=-0.01, q=0.2),
)


def beside_reference(q: float, skill: Estimate | None = None, note: str = "", js: Estimate | None = None) -> str:
    """Return the sentences on a target whose number of errors has this q."""
    numbers = {
        ("wper", ""): Estimate(0.2, 0.18, 0.22),
        ("chance_wper", "best"): Estimate(0.3),
        ("skill_wper", "best"): skill or Estimate(0.4, 0.3, 0.5),
        ("expected_js", ""): js or Estimate(0.1, 0.08, 0.12),
        ("expected_level", ""): Estimate(0.11, 0.06, 0.16, note=note),
        ("expected_level_p", "q"): Estimate(q),
    }
    return "\n".join(map(str, findings(Numbers(numbers, reference="english", residuals=CELLS, name="yoruba"))))


def test_the_number_of_errors_is_told_by_its_q_and_their_kinds_by_the_cells() -> None:
    text, unclear = beside_reference(0.003), beside_reference(0.5)
    assert "11.0 [6.0, 16.0] is the difference in confusions from english, per 100 tokens" in text
    assert "more confusions than expected, q = 0.003." in text
    assert "that both have: no difference is shown, q = 0.5." in unclear
    cells = "2 of 3 cells tested differ from the expected confusions (q below 0.05); the largest excess is ɛ → e."
    assert (cells in text, cells in unclear) == (True, True)


@pytest.mark.parametrize(
    "skill", [Estimate(0.01, -0.02, 0.04), Estimate(-0.1, -0.2, -0.05), Estimate(0.02, 0.01, 0.03)]
)
def test_nothing_is_said_beside_the_reference_where_the_rate_is_not_clearly_better_than_chance(skill: Estimate) -> None:
    text = beside_reference(0.001, skill=skill)
    assert [words for words in ("divergence", "cells tested") if words in text] == []


def test_why_nothing_can_be_expected_is_said_whatever_the_rate_is() -> None:
    hardly, not_better = Estimate(0.02, 0.01, 0.03), "The rate is not clearly better than chance, so errors are not"
    other = beside_reference(0.001, skill=hardly, js=Estimate(math.nan, note="another recogniser"))
    assert "Nothing can be expected from english: another recogniser." in other
    assert (not_better in beside_reference(0.001, skill=hardly), not_better in other) == (True, False)


@pytest.mark.parametrize("warning", ["another recogniser: a, reference b", "are the roles swapped?"])
def test_what_weakens_the_comparison_is_said_beside_it(warning: str) -> None:
    end = "" if warning.endswith("?") else "."
    assert f"q = 0.003.\n{warning.capitalize()}{end}\n" in beside_reference(0.003, note=warning)
