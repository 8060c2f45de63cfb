"""The sentences of the page: for each case what is said, and that no sentence claims more than its interval."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phonxling.report.findings import Confusion, Number, Numbers, Residual, figure, findings

RATE = Number(0.287, 0.281, 0.293, 58512)
CONSTANT = Number(0.282, 0.279, 0.285, 58512, "constant: always “e”")
HEARS_NOTHING = "a recogniser that hears nothing"


def said(**more: object) -> str:
    """Return all sentences of a corpus with these numbers."""
    return " ".join(findings(Numbers(**more)))  # type: ignore[arg-type]


def with_skill(skill: Number, chance: Number = CONSTANT) -> Numbers:
    return Numbers({("wper", ""): RATE, ("chance_wper", "best"): chance, ("skill_wper", "best"): skill})


@pytest.mark.parametrize(
    ("skill", "verdict", "shown"),
    [
        (Number(-0.02, -0.031, -0.009), "That is worse than", "−0.020 [−0.031, −0.009]"),
        (Number(0.004, -0.01, 0.018), "That cannot be told apart from", "0.004 [−0.010, 0.018]"),
        (Number(0.2, 0.1, 0.3), "That is better than", "0.200 [0.100, 0.300]"),
        (Number(0.87, 0.83, 0.9), "That is far better than", "0.870 [0.830, 0.900]"),
    ],
)
def test_what_is_said_of_chance_follows_the_interval_of_the_skill(skill: Number, verdict: str, shown: str) -> None:
    assert findings(with_skill(skill))[:2] == [
        "The feature-weighted error rate is 0.287 [0.281, 0.293] over 58,512 gold phones.",
        f"{verdict} {HEARS_NOTHING} (always “e” scores 0.282 [0.279, 0.285]; skill {shown}).",
    ]


def test_without_an_interval_of_the_skill_nothing_is_claimed() -> None:
    told = findings(with_skill(Number(0.87)))[1]
    assert told.startswith("Whether that differs from chance cannot be said, for the skill has no interval (always “e”")


def test_a_skill_that_is_not_defined_has_its_reason() -> None:
    """A corpus of one phone: whoever always says it makes no error, and skill is a share of that."""
    told = findings(with_skill(Number(math.nan, note="the chance rate is 0"), Number(0.0, note="constant: always “a”")))
    assert told[1] == "There is no skill over chance to speak of (always “a” scores 0.000; the chance rate is 0)."


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5))
def test_no_sentence_claims_more_than_its_interval(value: float, below: float, above: float) -> None:
    skill = Number(value, value - below, value + above)
    sentence = findings(with_skill(skill))[1]
    claims = {"worse than", "better than"} & {words for words in ("worse than", "better than") if words in sentence}
    assert bool(claims) == (skill.low > 0 or skill.high < 0)
    assert ("worse than" in sentence) == (skill.high < 0)


def test_without_predictions_or_chance_the_reason_is_said() -> None:
    missing = Number(math.nan, note="there are no predictions")
    assert findings(Numbers({("per", ""): missing}))[0] == "There is no error rate: there are no predictions."
    alone = Number(math.nan, note="predictions cannot be shuffled: there is one utterance only")
    told = findings(with_skill(Number(), alone))
    assert told[1] == f"There is no chance level to hold it against: {alone.note}."


@pytest.mark.parametrize(
    ("excess", "words"),
    [
        (Number(0.26, 0.22, 0.3), "more than chance"),
        (Number(0.02, -0.02, 0.06), "cannot be told apart from chance"),
        (Number(-0.1, -0.2, -0.05), "less than chance"),
        (Number(0.26), "nothing is claimed"),
    ],
)
def test_information_is_more_than_chance_only_when_the_interval_of_its_excess_says_so(
    excess: Number, words: str
) -> None:
    summary = {
        ("mutual_information", "ml"): Number(0.48, 0.1, 0.2),  # its interval is of the corrected value: no part here
        ("mutual_information_null", "best"): Number(0.22, 0.21, 0.23),
        ("mutual_information_excess", "best"): excess,
    }
    assert words in said(summary=summary)


def test_kinds_of_errors_are_told_largest_first_without_those_below_a_hundredth() -> None:
    shares = {"absent": 0.5, "inserted": 0.3, "deleted": 0.195, "expected": 0.005}
    told = said(summary={("error_share", name): Number(value) for name, value in shares.items()})
    assert (
        "Of all errors, 0.500 are on phones that the recogniser does not have; 0.300 are insertions; "
        "0.195 are deletions." in told
    )


def test_confusions_beyond_the_reference_s_name_it_wherever_they_stand() -> None:
    shares = {"specific": 0.7, "expected": 0.3}
    told = said(summary={("error_share", name): Number(value) for name, value in shares.items()})
    assert "0.700 are confusions beyond those of the reference language; 0.300 are confusions that" in told


def test_a_divergence_stands_beside_what_chance_gives_and_says_when_recognisers_differ() -> None:
    told = said(
        summary={
            ("expected_js", ""): Number(0.1, 0.08, 0.12, note="another recogniser: a, reference b; smoothed"),
            ("expected_js_null", ""): Number(0.03, 0.02, 0.04),
        },
        reference="english",
    )
    assert "to expect; chance alone, were there no difference, gives 0.030 [0.020, 0.040]." in told
    assert "Another recogniser: a, reference b." in told


def test_without_a_reference_nothing_is_said_of_habits_and_the_reference_itself_is_not_told_so() -> None:
    assert "No reference language was given" in said(summary={})
    assert "No reference" not in said(summary={}, is_reference=True)


def test_cells_that_differ_from_the_reference_are_counted_among_those_tested() -> None:
    cells = (Residual("ɛ", "e", 0.02, 0.01), Residual("o", "u", -0.01, 0.2), Residual("a", "a", 0.0, math.nan))
    told = said(summary={("expected_js", ""): Number(0.1, 0.08, 0.12)}, reference="english", residuals=cells)
    assert "0.100 [0.080, 0.120] bit" in told
    assert "1 of 2 cells tested differ from that (q below 0.05); the largest excess is ɛ heard as e." in told


def test_nothing_is_named_when_no_cell_differs() -> None:
    cells = (Residual("ɛ", "e", 0.02, 0.4),)
    told = said(summary={("expected_js", ""): Number(0.1)}, reference="english", residuals=cells)
    assert "0 of 1 cells tested differ from that (q below 0.05)." in told


def test_confusions_leave_out_what_is_right_and_stand_by_their_number() -> None:
    cells = (Confusion("a", "a", 90, 100), Confusion("a", "e", 10, 100), Confusion("o", "u", 30, 60))
    assert "o heard as u (30 of 60); a heard as e (10 of 100)" in said(summary={}, confusions=cells)


def test_few_speakers_and_rare_phones_are_said() -> None:
    note = "descriptive: the interval rests on 4 speakers only"
    told = said(summary={("wper", ""): Number(0.3, 0.2, 0.4, 100, note)}, phone_tokens=(3.0, 50.0))
    assert "Descriptive: the interval rests on 4 speakers only." in told
    assert "1 of 2 gold phones has fewer than 20 tokens: what is said of it alone is weak." in told


def test_numbers_read_as_prose() -> None:
    assert [figure(value) for value in (0.5, -0.25, 3.0, 1e6, math.inf)] == ["0.500", "−0.250", "3", "1,000,000", "∞"]
