"""The first screen: a verdict that its interval supports, bars on one scale, errors that sum up, telling confusions."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from phonxling.report.findings import cautions, short_verdict
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Cell, Number, Numbers, address
from phonxling.report.render import Page, page_html

FULL = {
    ("per", ""): Number(0.5, 0.4, 0.6),
    ("floor_per", ""): Number(0.2),
    ("chance_per", "best"): Number(0.8),
    ("skill_per", "best"): Number(0.5, 0.4, 0.6),
}
FEW = Number(0.5, note="3 speakers: too few for intervals", status="too-few-clusters")
DIFFERENT = {
    **FULL,
    ("skill_per", "best"): Number(0.4, 0.3, 0.5),
    ("expected_js", ""): Number(0.1, 0.08, 0.12),
}
FREQUENT = (
    Cell("a", "e", 50, 90, share=50 / 90),
    Cell("o", "u", 30, 60, share=0.5),
    Cell("i", "e", 9, 40, share=9 / 40),
    Cell("a", "a", 99, 99, share=1.0),
)
CELLS = (
    Cell("i", "e", share=9 / 40, residual=0.02, q=0.01, expected=0.05),
    Cell("o", "u", residual=0.5, q=0.2),
    Cell("a", "e", residual=-0.1, q=0.001),
)


def card_of(numbers: dict[tuple[str, str], Number], **more: object) -> dict[str, Any]:
    (card,) = cards({"yoruba": Numbers(numbers, name="yoruba", **more)})  # type: ignore[arg-type]
    return card


def verdict(**changes: Number) -> str:
    """Return the verdict where some numbers are others."""
    changed = {key: changes.get(key[0], number) for key, number in FULL.items()}
    return short_verdict(Numbers(changed))


NONE = Number(math.nan, note="the reason")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Better than chance: 50 % of the way from guessing to the best that its phones allow."),
        ({"floor_per": NONE}, "Better than chance: 50 % of the way from guessing to no errors (its inventory is not"),
        ({"skill_per": Number(0.7, 0.6, 0.8)}, "Far better than chance: 70 % of the way"),
        ({"skill_per": Number(0.02, 0.01, 0.04)}, "Hardly better than chance, by at most 4.0 % of the way to the best"),
        ({"skill_per": Number(0.1, -0.1, 0.3)}, "Not clearly different from chance."),
        ({"skill_per": Number(-0.1, -0.2, -0.05)}, "Worse than chance."),
        ({"per": FEW}, "Nothing is judged. 3 speakers: too few for intervals."),
        ({"skill_per": Number(0.7)}, "Not tested against chance: its skill has no interval."),
        ({"skill_per": NONE}, "No skill: the reason."),
        ({"chance_per": NONE}, "No chance level: the reason."),
        ({"per": NONE}, "No error rate: the reason."),
        ({"per": Number()}, "No error rate: no predictions were given."),
    ],
)
def test_the_verdict_is_what_the_interval_of_the_skill_supports(changes: dict[str, Number], words: str) -> None:
    assert verdict(**changes).startswith(words)


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5))
def test_no_verdict_claims_more_than_its_interval(value: float, below: float, above: float) -> None:
    skill = Number(value, value - below, value + above)
    words = verdict(skill_per=skill).lower()
    assert ("better than" in words) == (skill.low > 0)
    assert ("worse than" in words) == (skill.high < 0)


WEIGHTED = {("wper", ""): Number(0.2, 0.1, 0.3), ("chance_wper", "best"): Number(0.3)}


def test_the_verdict_is_of_the_weighted_rate_and_another_one_of_per_is_said() -> None:
    skilled = {**FULL, **WEIGHTED, ("skill_wper", "best"): Number(0.4, 0.3, 0.5)}
    for skill, words in (
        (Number(0.1, -0.1, 0.3), "not clearly different from"),
        (Number(-0.2, -0.3, -0.1), "worse than"),
    ):
        numbers = Numbers({**skilled, ("skill_per", "best"): skill})
        assert short_verdict(numbers).startswith("Better than chance: 40 % of the way from guessing to no errors")
        assert str(cautions(numbers)) == f"PER is {words} chance."
    for alike in (Number(0.4, 0.3, 0.5), Number(0.7, 0.6, 0.8), Number(0.7)):
        assert not cautions(Numbers({**skilled, ("skill_per", "best"): alike})).parts


def test_per_stands_beside_the_bar_of_the_weighted_rate() -> None:
    card = card_of({**FULL, **WEIGHTED})
    bar = card["bar"]
    assert (bar["name"], bar["chance"]) == ("wPER", bar["high"])
    assert bar["rate"] == pytest.approx(100 * 0.2 / 0.315, abs=0.01)
    assert (bar["labels"]["rate"].text, card["per"].text) == ("wPER 0.200", "PER 0.500")
    assert bar["words"] == "wPER 0.200 [0.100, 0.300], chance 0.300"
    alone = card_of(FULL)
    assert (alone["bar"]["name"], alone["per"]) == ("PER", None)


def test_bars_stand_on_one_scale_and_rates_beyond_1_within_it() -> None:
    other = {**FULL, ("per", ""): Number(1.5, 1.0, 2.0)}
    several = {"yoruba": Numbers(FULL, name="yoruba"), "spanish": Numbers(other, name="spanish")}
    first, second = (card["bar"] for card in cards(several))  # in the order in which they stand, being alike in skill
    places = {"floor": 0.2, "low": 0.4, "rate": 0.5, "high": 0.6, "chance": 0.8, "whole": 1.0}
    for name, place in places.items():
        assert first[name] == pytest.approx(100 / (1.05 * 2.0) * place, abs=0.01), name
    assert second["high"] == pytest.approx(100 / 1.05, abs=0.01)


@pytest.mark.parametrize("level", ["floor", "chance"])
def test_a_level_that_is_not_known_is_not_drawn(level: str) -> None:
    bar = card_of({key: number for key, number in FULL.items() if not key[0].startswith(level)})["bar"]
    assert bar[level] is None
    assert set(bar["labels"]) == {"floor", "rate", "chance"} - {level}


def test_bars_of_no_errors_at_all_have_a_scale() -> None:
    assert card_of({("per", ""): Number(0.0)})["bar"]["rate"] == 0


def test_without_a_rate_there_is_no_bar() -> None:
    card = card_of({})
    assert (card["bar"], card["errors"], card["often"]) == (None, None, [])
    assert card["verdict"].text == "No error rate: no predictions were given."


def test_the_best_comes_first_by_tested_groups_and_the_reference_last() -> None:
    titles = {"eng": "English", "yor": "Yoruba", "spa": "Spanish", "swa": "Swahili"}
    skills = {"eng": 0.9, "yor": 0.2, "spa": 0.3, "swa": 0.4}
    several = {
        name: Numbers({**FULL, ("skill_per", "best"): Number(skill)}, name=name, reference="eng", titles=titles)
        for name, skill in skills.items()
    }
    assert [card["name"] for card in cards(several)] == ["swa", "spa", "yor", "eng"]
    grouped = cards(several, {"yor": "a", "swa": "ab", "spa": "b"})
    assert [(card["title"].text, card["group"]) for card in grouped] == [
        ("Yoruba", "a"),
        ("Swahili", "ab"),
        ("Spanish", "b"),
        ("English", ""),
    ]
    assert {card["group"] for card in cards(several, {"yor": "a", "swa": "a"})} == {""}  # no two are told apart
    assert [card["role"] for card in grouped] == ["", "", "", "reference"]


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda shares: sum(shares) > 0))
def test_the_largest_kind_of_errors_leads_to_its_phones(shares: list[float]) -> None:
    names = ("absent", "unexplained", "deleted", "inserted")
    of_all = {("error_share", name): Number(share / sum(shares)) for name, share in zip(names, shares, strict=True)}
    errors = card_of({**FULL, **of_all})["errors"]
    largest = max(names, key=lambda name: of_all["error_share", name].value)
    assert errors.address == address("yoruba", errors=largest)
    assert errors.text.startswith(f"{100 * max(shares) / sum(shares):.0f} % of all errors are ")


OFTEN = ["a → e 56 %", "o → u 50 %", "i → e 22 %"]


@pytest.mark.parametrize(("q", "beyond"), [(0.01, "i → e 22 %, expected 5 %"), (0.4, None), (math.nan, None)])
def test_a_confusion_beyond_a_reference_is_named_where_its_test_shows_it(q: float, beyond: str | None) -> None:
    cells = (replace(CELLS[0], q=q), *CELLS[1:])
    card = card_of(DIFFERENT, reference="english", confusions=FREQUENT, residuals=cells)
    assert [each.text for each in card["often"]] == OFTEN
    assert card["often"][0].address == address("yoruba", gold="a", heard="e")
    assert (card["beyond"].text if card["beyond"] else None) == beyond
    if card["beyond"]:
        assert card["beyond"].address == address("yoruba", view="excess", gold="i", heard="e")


def test_without_a_reference_share_and_lift_decide_what_comes_first() -> None:
    confusions = (
        Cell("i", "e", 90, 900, share=0.1, lift=1.0),
        Cell("k", "t", 30, 60, share=0.5, lift=6.0),
        Cell("a", "ʌ", 50, 60, share=0.8, lift=4.0),
    )
    assert [each.text for each in card_of(FULL, confusions=confusions)["often"]] == [
        *("a → ʌ 80 %", "k → t 50 %", "i → e 10 %")
    ]
    beside = card_of(FULL, reference="english", confusions=confusions)["often"]
    assert [each.text[0] for each in beside] == ["i", "a", "k"]


def test_the_first_screen_of_four_corpora_has_at_most_45_numbers() -> None:
    own = {
        **{key: number for key, number in DIFFERENT.items() if key[0] != "per"},
        **WEIGHTED,
        ("per", ""): Number(0.5, 0.4, 0.6),
        ("floor_wper", ""): Number(0.1),
        ("skill_wper", "best"): Number(0.4, 0.3, 0.5),
        ("expected_level_p", ""): Number(0.001),
        ("error_share", "absent"): Number(0.6),
        ("error_share", "deleted"): Number(0.4),
    }
    names = ["english", "yoruba", "swahili", "spanish"]
    each = {
        name: Numbers(own, name=name, reference="english", confusions=FREQUENT, residuals=CELLS * (name != "english"))
        for name in names
    }
    html = page_html(Page(title="demo", version="", corpora=[], cards=cards(each), reference="English"))
    (first,) = re.findall(r'<section id="first-section".*?</section>', html, re.DOTALL)
    numbers = re.findall(r"\d[\d.,]*", re.sub(r"<[^>]*>", " ", first))
    assert 40 <= len(numbers) <= 45
    assert first.count("expected 5 %") == 3
