"""The first screen: a verdict that its interval supports, bars on one scale, errors that sum up, telling confusions."""

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from phonxling.report.findings import cautions, short_verdict
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Cell, Number, Numbers, address

FULL = {
    ("per", ""): Number(0.5, 0.4, 0.6),
    ("floor_per", ""): Number(0.2),
    ("chance_per", "best"): Number(0.8),
    ("skill_per", "best"): Number(0.375, 0.3, 0.45),
    ("attainable_skill_per", "best"): Number(0.5, 0.4, 0.6),
}
FEW = "descriptive: the interval rests on 3 speakers only"
DIFFERENT = {
    **FULL,
    ("skill_per", "best"): Number(0.4, 0.3, 0.5),
    ("expected_js", ""): Number(0.1, 0.08, 0.12),
}
FREQUENT = (
    Cell("a", "e", 50, 90),
    Cell("o", "u", 30, 60),
    Cell("i", "e", 9, 40),
    Cell("a", "a", 99, 99),
)
CELLS = (
    Cell("i", "e", residual=0.02, q=0.01),
    Cell("o", "u", residual=0.5, q=0.2),
    Cell("a", "e", residual=-0.1, q=0.001),
)


def card_of(numbers: dict[tuple[str, str], Number], **more: object) -> dict[str, Any]:
    (card,) = cards({"yoruba": Numbers(numbers, name="yoruba", **more)})  # type: ignore[arg-type]
    return card


def verdict(**changes: Number) -> str:
    """Return the verdict where some numbers are others."""
    changed = {key: changes.get(key[0], number) for key, number in FULL.items()}
    return str(short_verdict(Numbers(changed)))


NONE = Number(math.nan, note="the reason")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Better than chance: 50 % [40, 60] of the way to the best that the recogniser’s phones allow."),
        ({"floor_per": Number(0.0)}, "Better than chance: 37.5 % [30.0, 45.0] of the way to no errors."),
        (
            {"skill_per": Number(0.7, 0.6, 0.8), "floor_per": Number(0.0)},
            "Far better than chance: 70 % [60, 80] of the way",
        ),
        ({"skill_per": Number(0.02, 0.01, 0.04)}, "Hardly better than chance, by 4.0 % of it at most."),
        ({"skill_per": Number(0.1, -0.1, 0.3)}, "Not told apart from chance."),
        ({"skill_per": Number(-0.1, -0.2, -0.05)}, "Worse than chance."),
        ({"skill_per": Number(0.7, 0.6, 0.8, note=FEW)}, "Not judged against chance: the interval rests on 3 speakers"),
        ({"skill_per": Number(0.7)}, "Not tested against chance: its skill has no interval."),
        ({"skill_per": NONE}, "No skill above chance to speak of: the reason."),
        ({"chance_per": NONE}, "Not held against chance: the reason."),
        ({"per": NONE}, "No error rate: the reason."),
        ({"per": Number()}, "No error rate: no predictions were given."),
    ],
)
def test_the_verdict_is_what_the_interval_of_the_skill_supports(changes: dict[str, Number], words: str) -> None:
    assert verdict(**changes).startswith(words)


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5), st.booleans())
def test_no_verdict_claims_more_than_its_interval(value: float, below: float, above: float, few: bool) -> None:
    skill = Number(value, value - below, value + above, note=FEW * few)
    words = verdict(skill_per=skill).lower()
    assert ("better than" in words) == (skill.low > 0 and not few)
    assert ("worse than" in words) == (skill.high < 0 and not few)


WEIGHTED = {("wper", ""): Number(0.2, 0.1, 0.3), ("chance_wper", "best"): Number(0.3)}


def test_the_verdict_is_of_the_weighted_rate_and_another_one_of_per_is_said() -> None:
    skilled = {**FULL, **WEIGHTED, ("skill_wper", "best"): Number(0.4, 0.3, 0.5)}
    for skill, words in ((Number(0.1, -0.1, 0.3), "not told apart from"), (Number(-0.2, -0.3, -0.1), "worse than")):
        numbers = Numbers({**skilled, ("skill_per", "best"): skill})
        assert str(short_verdict(numbers)) == "Better than chance: 40 % [30, 50] of the way to no errors."
        assert str(cautions(numbers)) == f"PER, which counts every wrong phone as 1, is {words} chance."
    for alike in (Number(0.4, 0.3, 0.5), Number(0.7, 0.6, 0.8), Number(0.7), Number(0.7, 0.6, 0.8, note=FEW)):
        assert not cautions(Numbers({**skilled, ("skill_per", "best"): alike})).parts


def test_per_stands_beside_the_bar_of_the_weighted_rate() -> None:
    bar = card_of({**FULL, **WEIGHTED})["bar"]
    assert (bar["name"], bar["chance"]) == ("wPER", bar["high"])
    assert bar["rate"] == pytest.approx(100 * 0.2 / 0.315, abs=0.01)
    assert str(bar["beside"]) == "PER 0.500 [0.400, 0.600], floor 0.200, chance 0.800"
    alone = card_of(FULL)["bar"]
    assert (alone["name"], alone["beside"].parts) == ("PER", ())


def test_bars_stand_on_one_scale_and_rates_beyond_1_within_it() -> None:
    other = {**FULL, ("per", ""): Number(1.5, 1.0, 2.0)}
    several = {"yoruba": Numbers(FULL, name="yoruba"), "spanish": Numbers(other, name="spanish")}
    first, second = (card["bar"] for card in cards(several))
    places = {"floor": 0.2, "low": 0.4, "rate": 0.5, "high": 0.6, "chance": 0.8, "whole": 1.0}
    for name, place in places.items():
        assert first[name] == pytest.approx(100 / (1.05 * 2.0) * place, abs=0.01), name
    assert second["high"] == pytest.approx(100 / 1.05, abs=0.01)
    assert first["end"] == second["end"] == "2.100"
    assert second["labels"]["rate"].text == "1.500 [1.000, 2]"


@pytest.mark.parametrize("level", ["floor", "chance"])
def test_a_level_that_is_not_known_is_not_drawn(level: str) -> None:
    bar = card_of({key: number for key, number in FULL.items() if not key[0].startswith(level)})["bar"]
    assert bar[level] is None
    assert set(bar["labels"]) == {"floor", "rate", "chance"} - {level}


def test_without_a_rate_there_is_no_bar() -> None:
    card = card_of({})
    assert (card["bar"], card["errors"], card["confusions"]) == (None, [], [])
    assert str(card["verdict"]) == "No error rate: no predictions were given."


def test_the_reference_comes_last_and_corpora_are_called_by_their_titles() -> None:
    titles = {"eng": "English", "yor": "Yoruba"}
    both = {name: Numbers(FULL, name=name, reference="eng", titles=titles) for name in titles}
    assert [(card["title"].text, card["about"][0]) for card in cards(both)] == [
        ("Yoruba", "target"),
        ("English", "reference"),
    ]


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda shares: sum(shares) > 0))
def test_three_kinds_of_errors_and_the_rest_fill_the_bar(shares: list[float]) -> None:
    names = ("absent", "confused", "deleted", "inserted")
    of_all = {("error_share", name): Number(share / sum(shares)) for name, share in zip(names, shares, strict=True)}
    errors = card_of({**FULL, **of_all})["errors"]
    assert len([each for each in errors if each["kind"] != "others"]) <= 3
    assert sum(each["width"] for each in errors) == pytest.approx(100, abs=0.6)
    for one, other in pairwise(errors):
        assert other["start"] == pytest.approx(one["start"] + one["width"], abs=0.05)


@pytest.mark.parametrize(
    ("p", "told"),
    [
        (0.001, ["i heard as e 9 of 40, q 0.01", "a heard as e 50 of 90", "o heard as u 30 of 60"]),
        (0.4, ["a heard as e 50 of 90", "o heard as u 30 of 60", "i heard as e 9 of 40"]),
        (math.nan, ["a heard as e 50 of 90", "o heard as u 30 of 60", "i heard as e 9 of 40"]),
    ],
)
def test_confusions_beyond_a_reference_that_is_told_apart_come_first_with_q(p: float, told: list[str]) -> None:
    numbers = {**DIFFERENT, ("expected_level_p", ""): Number(p)}
    card = card_of(numbers, reference="english", confusions=FREQUENT, residuals=CELLS)
    assert [str(each) for each in card["confusions"]] == told
    place = next(place for place, one in enumerate(told) if one.startswith("i"))
    assert card["confusions"][place].parts[0].address == address("yoruba", gold="i", heard="e")
