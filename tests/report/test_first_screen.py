"""The first screen: a verdict that its interval supports, strips on one scale, errors that sum up, worst phones."""

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from phonxling.core.estimate import Estimate
from phonxling.report.findings import cautions, short_verdict
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Cell, Numbers, Phone, address

FULL = {
    ("per", ""): Estimate(0.5, 0.4, 0.6),
    ("floor_per", ""): Estimate(0.2),
    ("chance_per", "best"): Estimate(0.8),
    ("skill_per", "best"): Estimate(0.5, 0.4, 0.6),
}
FEW = Estimate(0.5, note="3 speakers: too few for intervals", status="too-few-clusters")


def card_of(numbers: dict[tuple[str, str], Estimate], **more: object) -> dict[str, Any]:
    (card,) = cards({"yoruba": Numbers(numbers, name="yoruba", **more)})  # type: ignore[arg-type]
    return card


NONE = Estimate(math.nan, note="the reason")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Better than chance: 50 % of the way from guessing to the best that its phones allow."),
        ({"floor_per": NONE}, "Better than chance: 50 % of the way from guessing to no errors"),
        ({"skill_per": Estimate(0.7, 0.6, 0.8)}, "Far better than chance: 70 % of the way"),
        ({"skill_per": Estimate(0.02, 0.01, 0.04)}, "Hardly better than chance, by at most 4.0 %"),
        ({"skill_per": Estimate(0.1, -0.1, 0.3)}, "Not clearly different from chance."),
        ({"skill_per": Estimate(-0.1, -0.2, -0.05)}, "Worse than chance."),
        ({"per": FEW}, "Nothing is judged. 3 speakers: too few for intervals."),
        ({"skill_per": Estimate(0.7)}, "Not tested against chance"),
        ({"skill_per": NONE}, "No skill: the reason."),
        ({"chance_per": NONE}, "No chance level: the reason."),
        ({"per": NONE}, "No error rate: the reason."),
    ],
)
def test_the_verdict_is_what_the_interval_of_the_skill_supports(changes: dict[str, Estimate], words: str) -> None:
    changed = {key: changes.get(key[0], number) for key, number in FULL.items()}
    card = card_of(changed)
    assert card["verdict"].startswith(words)
    assert (card["bar"] is None) == ("No error rate" in words)


def test_the_verdict_is_of_the_weighted_rate_and_another_one_of_per_is_said() -> None:
    weighted = {("wper", ""): Estimate(0.2, 0.1, 0.3), ("chance_wper", "best"): Estimate(0.3)}
    skilled = {**FULL, **weighted, ("skill_wper", "best"): Estimate(0.4, 0.3, 0.5)}
    for skill, words in (
        (Estimate(0.1, -0.1, 0.3), "PER is not clearly different from chance."),
        (Estimate(-0.2, -0.3, -0.1), "PER is worse than chance."),
        (Estimate(0.7, 0.6, 0.8), ""),
        (Estimate(0.7), ""),
    ):
        numbers = Numbers({**skilled, ("skill_per", "best"): skill})
        assert short_verdict(numbers).startswith("Better than chance: 40 % of the way from guessing to no errors")
        assert str(cautions(numbers)) == words


def test_bars_stand_on_one_scale_and_rates_beyond_1_within_it() -> None:
    other = {**FULL, ("per", ""): Estimate(1.5, 1.0, 2.0)}
    several = {"yoruba": Numbers(FULL, name="yoruba"), "spanish": Numbers(other, name="spanish")}
    first, second = (card["bar"] for card in cards(several))  # in the order in which they stand, being alike in skill
    places = {"floor": 0.2, "low": 0.4, "rate": 0.5, "high": 0.6, "chance": 0.8, "whole": 1.0}
    for name, place in places.items():
        assert first[name] == pytest.approx(72 / 2.0 * place, abs=0.01), name
    assert second["high"] == pytest.approx(72, abs=0.01)


@given(*[st.floats(0, 1).map(lambda number: round(number, 6))] * 4)
def test_numbers_of_levels_stand_on_the_strip_off_the_interval_and_off_each_other(
    low: float, width: float, floor: float, chance: float
) -> None:
    levels = {("floor_per", ""): Estimate(floor), ("chance_per", "best"): Estimate(chance)}
    bar = card_of({("per", ""): Estimate(low + width / 2, low, low + width), **levels})["bar"]
    labels = sorted(bar["labels"], key=lambda label: label[1])
    starts = [place for _, place in labels]
    ends = [place + (24 if "chance" in text else 21) + 4 * text.startswith("←") for text, place in labels]
    assert any("chance" in text for text, _ in bar["labels"])
    assert all(end <= 100.1 for end in ends)
    assert all(end <= bar["low"] + 0.1 or start >= bar["high"] - 0.1 for start, end in zip(starts, ends, strict=True))
    assert all(end <= start + 0.1 for end, start in zip(ends, starts[1:], strict=False))


def test_the_number_of_the_floor_stands_at_it_or_points_to_it() -> None:
    for floor, chance, label, place in ((0.1, 0.8, "floor 0.100", "floor"), (0.29, 1.0, "← floor 0.290", "high")):
        bar = card_of({**FULL, ("floor_per", ""): Estimate(floor), ("chance_per", "best"): Estimate(chance)})["bar"]
        assert bar["labels"][0] == (label, bar[place])
    without = card_of({**FULL, ("floor_per", ""): Estimate(0.0)})["bar"]
    assert [text for text, _ in without["labels"]] == ["chance 0.800"]


def test_the_best_comes_first_by_tested_groups_and_the_reference_last() -> None:
    skills = {"eng": 0.9, "yor": 0.2, "spa": 0.3, "swa": 0.4}
    several = {
        name: Numbers({**FULL, ("skill_per", "best"): Estimate(skill)}, name=name, reference="eng")
        for name, skill in skills.items()
    }
    assert [card["name"] for card in cards(several)] == ["swa", "spa", "yor", "eng"]
    grouped = cards(several, {"yor": "a", "swa": "ab", "spa": "b"})
    assert [f"{card['name']} {card['group']}" for card in grouped] == ["yor a", "swa ab", "spa b", "eng "]
    assert {card["group"] for card in cards(several, {"yor": "a", "swa": "a"})} == {""}  # no two are told apart
    assert [card["role"] for card in grouped] == ["", "", "", "reference"]


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4).filter(lambda shares: sum(shares) > 0))
def test_errors_are_parts_of_one_bar_each_of_which_leads_to_its_phones(shares: list[float]) -> None:
    names = ("absent", "unexplained", "deleted", "inserted")
    of_all = {("error_share", name): Estimate(share / sum(shares)) for name, share in zip(names, shares, strict=True)}
    errors = card_of({**FULL, **of_all})["errors"]
    for part in errors:
        assert part["words"].parts[0].address == address("yoruba", errors=part["colour"])
    ends = [0.0, *(part["start"] + part["width"] for part in errors)]
    assert [part["start"] for part in errors] == pytest.approx(ends[:-1], abs=0.02)
    assert ends[-1] == pytest.approx(100, abs=0.05)
    assert f"{errors[0]['words']}".startswith(f"{100 * max(shares) / sum(shares):.0f} % of all errors are ")


PHONES = (
    Phone("a", 90, Estimate(0.3, 0.2, 0.4), "e", 0.6),
    Phone("k͡p", 40, Estimate(0.0, 0.0, 0.1), "p", 0.9, absent=True),
    Phone("ĩ", 60, Estimate(0.0, 0.0, 0.1), "∅", 0.5, absent=True),
    Phone("o", 19, Estimate(0.0, 0.0, 0.2), "u", 1.0),
    Phone("s", 50, Estimate(1.0, 0.9, 1.0)),
)


def test_the_worst_phones_come_first_and_lead_to_their_answers_and_utterances() -> None:
    worst = card_of(FULL, phones=PHONES)["worst"]
    assert [(each["phone"].text, each["accuracy"], each["answer"].text, each["absent"]) for each in worst] == [
        ("ĩ", "0 %", "∅ 50 %", True),
        ("k͡p", "0 %", "p 90 %", True),
        ("a", "30 %", "e 60 %", False),
    ]
    assert worst[2]["interval"] == [20, 30, 40]
    assert worst[2]["answer"].address == address("yoruba", gold="a", predicted="e")
    assert worst[2]["utterances"] == address("yoruba", at="utterances", search="a")
    many = tuple(Phone(str(number), 20 + number, Estimate(0.5)) for number in range(9))
    assert [each["phone"].text for each in card_of(FULL, phones=many)["worst"]] == [*"876543"]


@pytest.mark.parametrize(("q", "beyond"), [(0.01, "i → e 22 %, expected 5 %"), (0.4, ""), (math.nan, "")])
def test_a_confusion_beyond_a_reference_is_named_where_its_test_shows_it(q: float, beyond: str) -> None:
    numbers = {**FULL, ("expected_js", ""): Estimate(0.1, 0.08, 0.12)}
    cells = (
        Cell("i", "e", share=9 / 40, residual=0.02, q=q, expected=0.05),
        Cell("o", "u", residual=0.5, q=0.2),
        Cell("a", "e", residual=-0.1, q=0.001),
    )
    found = card_of(numbers, reference="english", residuals=cells)["beyond"]
    assert (found.text if found else "") == beyond
    assert not found or found.address == address("yoruba", view="excess", gold="i", predicted="e")


def test_what_applies_to_a_corpus_has_a_line_each() -> None:
    rates = {"per_vowels": 0.8, "per_consonants": 0.25, "mdd_recall": 0.7, "mdd_false_rejection": 0.1}
    numbers = FULL | {(name, ""): Estimate(value) for name, value in {**rates, "people_per": 0.1}.items()}
    numbers |= {("kappa", "people"): Estimate(0.9), ("kappa", "recogniser"): Estimate(0.6)}
    south = {"by": "accent", "group": "south", "measure": "per", "value": 0.3, "difference": -0.2, "q": 0.01}
    north = {**south, "group": "north", "value": 0.5, "difference": 0.1, "q": 0.02}
    lines = card_of(numbers, groups=(north, south))["asides"]
    assert [str(line) for line in lines] == [
        "80 % of the vowels and 25 % of the consonants are wrong or deleted.",
        "70 % of the mispronounced phones are detected, and 10 % of the right ones are rejected.",
        "0.300 is the PER of south (by accent), clearly different from the 0.500 of all other speakers.",
        "0.100 is the PER of a second transcriber, with κ 0.900; the recogniser’s κ is 0.600.",
    ]
    assert all(any(part.address for part in line.parts) for line in lines)
    for q, words in ((0.4, "no group of speakers differs clearly in PER."), (math.nan, "are not tested.")):
        (line,) = card_of(FULL, groups=({**north, "q": q},))["asides"]
        assert words in str(line)
