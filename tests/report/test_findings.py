"""The sentences of the page: for each case what is said, and that no sentence claims more than its interval."""

import math
from urllib.parse import parse_qs

import pytest
from hypothesis import given, strategies as st

from phonxling.analyses.measures import measure
from phonxling.report.findings import findings
from phonxling.report.numbers import Cell, Number, Numbers, figure, percent

RATE = Number(0.287, 0.281, 0.293, 58512)
CONSTANT = Number(0.282, 0.279, 0.285, 58512, "constant: always “e”")
SKILLED = {("wper", ""): RATE, ("chance_wper", "best"): CONSTANT, ("skill_wper", "best"): Number(0.4, 0.3, 0.5)}
FEW = "descriptive: the interval rests on 3 speakers only"


def said(**more: object) -> str:
    """Return all sentences of a corpus with these numbers."""
    return "\n".join(map(str, findings(Numbers(**more))))  # type: ignore[arg-type]


def with_skill(skill: Number, chance: Number = CONSTANT) -> str:
    numbers = {("wper", ""): RATE, ("chance_wper", "best"): chance, ("skill_wper", "best"): skill}
    return "\n".join(map(str, findings(Numbers(numbers))[1:]))


def information(excess: Number, **more: Number) -> dict[tuple[str, str], Number]:
    return {
        ("mutual_information", measure("mutual_information").variant): Number(0.48, 0.44, 0.52),
        ("mutual_information_excess", "best"): excess,
        **{(name, ""): number for name, number in more.items()},
    }


NOT_DEFINED = Number(math.nan, note="the chance rate is 0")  # of a corpus of one phone: whoever says it makes no error
ALWAYS_A = Number(0.0, note="constant: always “a”")
ALONE = "predictions cannot be shuffled: there is one utterance only"
BETTER = Number(0.2, 0.1, 0.3)
ALWAYS = "Always “e” would score 0.282 [0.279, 0.285].\n"


JUDGED = {  # a skill, and what is said of it after the level of chance
    Number(-0.02, -0.031, -0.009): "The recogniser is worse than that: its skill is −0.0200 [−0.0310, −0.0090].",
    Number(0.004, -0.01, 0.018): "The recogniser does not differ clearly from that: its skill is 0.0040 [",
    BETTER: "The recogniser is better than that: it covers 20.0 % [10.0, 30.0] of the distance from there to 0.",
    Number(0.87, 0.83, 0.9): "The recogniser is far better than that: it covers 87.0 % [83.0, 90.0] of the distance",
    Number(0.001, 0.0005, 0.0015): "The recogniser is hardly better than that: it covers at most 0.1 % of the distance",
    Number(0.87): "Its skill, 0.870, has no interval, so nothing is said of better or worse.",
    Number(0.87, 0.8, 0.9, note=f"not judged against unigram predictions; {FEW}"): (
        "Its skill is 0.870 [0.800, 0.900], but the interval rests on 3 speakers only, so nothing is said of better or"
    ),
    NOT_DEFINED: f"The skill is not defined: {NOT_DEFINED.note}.",
}
BY_MODEL = {  # a level of chance, and what is said of it
    Number(math.nan, note=ALONE): f"No chance level stands beside the rate: {ALONE}.",
    ALWAYS_A: "Always “a” would score 0.",
    **{
        Number(0.3, 0.2, 0.4, note=f"{model}: 20 replicates; of another text"): (
            f"Predictions of the {model} model would score 0.300 [0.200, 0.400].\nThe recogniser is better than that"
        )
        for model in ("shuffled", "unigram")
    },
}


@pytest.mark.parametrize(
    ("skill", "chance", "told"),
    [
        *((skill, CONSTANT, ALWAYS + told) for skill, told in JUDGED.items()),
        *((BETTER, chance, told) for chance, told in BY_MODEL.items()),
    ],
)
def test_what_is_said_of_chance_follows_the_interval_of_the_skill(skill: Number, chance: Number, told: str) -> None:
    said_of_it = with_skill(skill, chance)
    assert said_of_it.startswith(told)
    assert "replicates" not in said_of_it


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5), st.booleans())
def test_no_sentence_claims_more_than_its_interval(value: float, below: float, above: float, few: bool) -> None:
    skill = Number(value, value - below, value + above, note=FEW * few)
    sentence = with_skill(skill)
    claims = {words for words in ("worse than that", "better than that") if words in sentence}
    assert bool(claims) == ((skill.low > 0 or skill.high < 0) and not few)
    assert ("worse than that" in sentence) == (skill.high < 0 and not few)


def test_the_floor_of_the_inventory_stands_beside_the_skill() -> None:
    numbers = {**SKILLED, ("floor_wper", ""): Number(0.1), ("attainable_skill_wper", "best"): Number(0.6, 0.5, 0.7)}
    told = said(by_name=numbers)
    assert "; with the recogniser’s phones no answers score below 0.100.\n" in told
    assert "it covers 60.0 % [50.0, 70.0] of the distance from there to 0.100." in told


def test_reasons_and_what_weakens_a_number_are_said() -> None:
    missing = Number(math.nan, note="there are no predictions")
    assert str(findings(Numbers({("per", ""): missing}))[0]) == "There is no error rate: there are no predictions."


@pytest.mark.parametrize(
    ("excess", "words"),
    [
        (Number(0.26, 0.22, 0.3), "contain 0.220: the excess is 0.260 ["),
        (
            Number(0.02, -0.02, 0.06),
            "contain 0.460: the excess, 0.0200 [−0.0200, 0.0600] bits, does not differ clearly",
        ),
        (Number(-0.1, -0.2, -0.05), "contain 0.580: the excess is −0.100 [−0.200, −0.050] bits, below 0."),
        (Number(0.26, 0.22, 0.3, note=FEW), "described and not judged"),
        (Number(0.26), "their difference has no interval"),
    ],
)
def test_information_is_more_than_chance_only_when_the_interval_of_its_excess_says_so(
    excess: Number, words: str
) -> None:
    assert words in said(by_name=information(excess))


def test_what_is_told_is_told_of_a_share_of_the_gold_phones() -> None:
    numbers = information(Number(0.26, 0.22, 0.3), deletion_rate=Number(0.9, 0.88, 0.92))
    told = (
        "0.480 [0.440, 0.520] bits about the gold phone are in the predicted phone (10.0 % of the gold phones are not"
    )
    assert told in said(by_name=numbers)


def test_kinds_of_errors_are_told_largest_first_without_those_below_a_hundredth() -> None:
    shares = {"absent": 0.5, "inserted": 0.3, "deleted": 0.195, "confused": 0.005}
    told = said(by_name={("error_share", name): Number(value) for name, value in shares.items()})
    assert (
        "Of all errors, 50.0 % are on phones that the recogniser lacks; 30.0 % are insertions; "
        "19.5 % are deletions." in told
    )


def test_errors_are_split_by_the_reference_only_where_their_number_differs() -> None:
    shares = {
        ("error_share", "level"): Number(0.6, 0.5, 0.7),
        ("error_share", "expected"): Number(0.4),
        ("error_share", "pattern"): Number(0.0),
    }
    told = {**SKILLED, **shares, ("expected_level_p", ""): Number(0.001)}
    assert "60.0 % [50.0, 70.0] exceed the number of errors in the reference; 40.0 %" in said(by_name=told)
    untold = said(by_name={**told, ("expected_level_p", ""): Number(0.4)})
    assert "exceed" not in untold
    assert "100 % are confusions with another phone" in untold


def test_without_a_reference_nothing_is_said_of_habits_and_the_reference_itself_is_not_told_so() -> None:
    assert "No reference language is given" in said()
    assert "No reference" not in said(name="english", reference="english")


def test_confusions_leave_out_what_is_right_and_stand_by_their_number() -> None:
    cells = (Cell("a", "a", 90, 100), Cell("a", "e", 10, 100), Cell("o", "u", 30, 60))
    assert "o → u (30 of 60); a → e (10 of 100)" in said(confusions=cells)


def test_few_speakers_and_rare_phones_are_said() -> None:
    told = said(by_name={("wper", ""): Number(0.3, 0.2, 0.4, 100, FEW)}, phone_tokens=(3.0, 50.0))
    assert "Descriptive: the interval rests on 3 speakers only." in told
    assert "1 of 2 gold phones have fewer than 20 tokens, so what is said of each alone is weak." in told


def test_numbers_read_as_prose() -> None:
    assert [figure(value) for value in (0.5, -0.25, 3.0, 1e6, math.inf)] == ["0.500", "−0.250", "3", "1,000,000", "∞"]


@given(st.floats(-0.0005, 0.0005))
def test_no_zero_has_a_sign(value: float) -> None:
    spoken = (figure(value), percent(Number(value)), str(Number(value, value - 1e-4, value + 1e-4)))
    assert not {"−0.000", "−0.0 %", "−0", "-0.000"} & {text.split(" [")[0] for text in spoken}


def test_forced_times_are_told_with_their_certainty_and_the_level_of_unrelated_phones() -> None:
    numbers = {
        **SKILLED,
        ("forced_certainty", ""): Number(0.9561, 0.95, 0.962),
        ("decision_mutual_information", ""): Number(3.46, 3.4, 3.52),
        ("decision_mutual_information_unrelated", ""): Number(0.802),
    }
    told = said(by_name=numbers)
    assert "computed from the posteriors, with a mean certainty of 0.956 [0.950, 0.962]." in told
    assert "contain 3.46 [3.40, 3.52] bits about the gold phones. Gold phones that nobody said, aligned in the" in told
    assert "give 0.802." in told
    assert "certainty" not in said(by_name=SKILLED)


def test_what_a_sentence_names_leads_to_it_and_its_text_is_that_of_its_parts() -> None:
    cells = (Cell("a&heard=i", "e=#", 10, 100), Cell("o", "u", 5, 60))
    numbers = Numbers(SKILLED, name="my corpus", confusions=cells, phone_tokens=(3.0,))
    every = findings(numbers)
    addresses = {part.text: part.address for each in every for part in each.parts if part.address}
    state = {text: parse_qs(address.removeprefix("#")) for text, address in addresses.items()}
    named = {"corpus": ["my corpus"]}
    assert state["a&heard=i → e=#"] == named | {"gold": ["a&heard=i"], "heard": ["e=#"]}
    assert state["0.287 [0.281, 0.293]"] == named | {"measure": ["wper"]}
    assert state["40.0 % [30.0, 50.0]"] == named | {"measure": ["skill_wper best"]}
    assert state["1 of 1 gold phones"] == named | {"table": ["my corpus/phones.tsv"]}
    assert addresses["wPER"] == "#def-wper"
    for each in every:
        assert str(each) == "".join(part.text for part in each.parts)


JS = {
    ("expected_js", ""): Number(0.1, 0.08, 0.12),
    ("expected_level", ""): Number(0.11, 0.06, 0.16),
    ("expected_share_kept", ""): Number(0.58),
}
CELLS = (
    Cell("ɛ", "e", residual=0.02, q=0.01),
    Cell("a", "a", residual=0.5, q=0.001),
    Cell("o", "u", residual=-0.01, q=0.2),
)


def beside(p: float, js: Number | None = None, skill: Number | None = None) -> str:
    """Return the sentences on a target whose number of errors has this p."""
    numbers = {
        ("wper", ""): Number(0.2, 0.18, 0.22, 5000),
        ("chance_wper", "best"): Number(0.3, note="unigram: 20 replicates"),
        ("skill_wper", "best"): skill or Number(0.4, 0.3, 0.5),
        **JS,
        ("expected_level_p", ""): Number(p),
    }
    if js is not None:
        numbers["expected_js", ""] = js
    return "\n".join(map(str, findings(Numbers(numbers, reference="english", residuals=CELLS, name="yoruba"))))


def test_the_number_of_errors_is_told_by_its_p_and_their_kinds_by_the_cells() -> None:
    told = beside(0.003)
    assert (
        "11.0 [6.0, 16.0] is the difference in errors per 100 tokens from english, on the 58.0 % of aligned pairs with "
        "common phones: more errors than expected, p = 0.003." in told
    )
    assert "0.100 [0.080, 0.120] bits is the divergence from the expected confusions" in told
    cells = "2 of 3 cells tested differ from the expected confusions (q below 0.05); the largest excess is ɛ → e."
    assert cells in told
    assert "common phones: no difference is shown, p = 0.5." in beside(0.5)
    assert cells in beside(0.5)


def test_without_a_test_nothing_is_judged() -> None:
    told = beside(math.nan)
    assert told.count("whether that is a difference is not judged.") == 1
    assert "p =" not in told


@pytest.mark.parametrize("skill", [Number(0.01, -0.02, 0.04), Number(-0.1, -0.2, -0.05), Number(0.02, 0.01, 0.03)])
def test_nothing_is_said_beside_the_reference_where_the_rate_is_not_clearly_better_than_chance(skill: Number) -> None:
    told = beside(0.001, skill=skill)
    assert "divergence" not in told
    assert "cells tested" not in told


@pytest.mark.parametrize(
    "warning", ["another recogniser: a, reference b", "a small reference (30 utterances)", "are the roles swapped?"]
)
def test_what_weakens_the_comparison_is_told_beside_it(warning: str) -> None:
    told = beside(0.003, Number(0.1, 0.08, 0.12, note=f"{warning}; no interval: too few"))
    assert f"p = 0.003.\n{warning.capitalize()}{'' if warning.endswith('?') else '.'}\n" in told


def test_why_nothing_can_be_expected_is_said() -> None:
    told = beside(math.nan, Number(math.nan, note="no aligned pair is of common phones"))
    assert "Nothing can be expected from english: no aligned pair is of common phones." in told
