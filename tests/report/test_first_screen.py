"""The first screen: a verdict that its interval supports, strips on one scale, errors that sum up, worst phones."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from phonxling.core.estimate import Estimate
from phonxling.report.findings import cautions, short_verdict
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Cell, Numbers, Phone, address
from phonxling.report.render import Page, page_html

FULL = {
    ("per", ""): Estimate(0.5, 0.4, 0.6),
    ("floor_per", ""): Estimate(0.2),
    ("chance_per", "best"): Estimate(0.8),
    ("skill_per", "best"): Estimate(0.5, 0.4, 0.6),
}
FEW = Estimate(0.5, note="3 speakers: too few for intervals", status="too-few-clusters")
DIFFERENT = {
    **FULL,
    ("skill_per", "best"): Estimate(0.4, 0.3, 0.5),
    ("expected_js", ""): Estimate(0.1, 0.08, 0.12),
}
CELLS = (
    Cell("i", "e", share=9 / 40, residual=0.02, q=0.01, expected=0.05),
    Cell("o", "u", residual=0.5, q=0.2),
    Cell("a", "e", residual=-0.1, q=0.001),
)


def card_of(numbers: dict[tuple[str, str], Estimate], **more: object) -> dict[str, Any]:
    (card,) = cards({"yoruba": Numbers(numbers, name="yoruba", **more)})  # type: ignore[arg-type]
    return card


def verdict(**changes: Estimate) -> str:
    """Return the verdict where some numbers are others."""
    changed = {key: changes.get(key[0], number) for key, number in FULL.items()}
    return short_verdict(Numbers(changed))


NONE = Estimate(math.nan, note="the reason")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Better than chance: 50 % of the way from guessing to the best that its phones allow."),
        ({"floor_per": NONE}, "Better than chance: 50 % of the way from guessing to no errors (its inventory is not"),
        ({"skill_per": Estimate(0.7, 0.6, 0.8)}, "Far better than chance: 70 % of the way"),
        (
            {"skill_per": Estimate(0.02, 0.01, 0.04)},
            "Hardly better than chance, by at most 4.0 % of the way to the best",
        ),
        ({"skill_per": Estimate(0.1, -0.1, 0.3)}, "Not clearly different from chance."),
        ({"skill_per": Estimate(-0.1, -0.2, -0.05)}, "Worse than chance."),
        ({"per": FEW}, "Nothing is judged. 3 speakers: too few for intervals."),
        ({"skill_per": Estimate(0.7)}, "Not tested against chance: its skill has no interval."),
        ({"skill_per": NONE}, "No skill: the reason."),
        ({"chance_per": NONE}, "No chance level: the reason."),
        ({"per": NONE}, "No error rate: the reason."),
        ({"per": Estimate(math.nan)}, "No error rate: no predictions were given."),
    ],
)
def test_the_verdict_is_what_the_interval_of_the_skill_supports(changes: dict[str, Estimate], words: str) -> None:
    assert verdict(**changes).startswith(words)


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5))
def test_no_verdict_claims_more_than_its_interval(value: float, below: float, above: float) -> None:
    skill = Estimate(value, value - below, value + above)
    words = verdict(skill_per=skill).lower()
    assert ("better than" in words) == (skill.low > 0)
    assert ("worse than" in words) == (skill.high < 0)


WEIGHTED = {("wper", ""): Estimate(0.2, 0.1, 0.3), ("chance_wper", "best"): Estimate(0.3)}


def test_the_verdict_is_of_the_weighted_rate_and_another_one_of_per_is_said() -> None:
    skilled = {**FULL, **WEIGHTED, ("skill_wper", "best"): Estimate(0.4, 0.3, 0.5)}
    for skill, words in (
        (Estimate(0.1, -0.1, 0.3), "not clearly different from"),
        (Estimate(-0.2, -0.3, -0.1), "worse than"),
    ):
        numbers = Numbers({**skilled, ("skill_per", "best"): skill})
        assert short_verdict(numbers).startswith("Better than chance: 40 % of the way from guessing to no errors")
        assert str(cautions(numbers)) == f"PER is {words} chance."
    for alike in (Estimate(0.4, 0.3, 0.5), Estimate(0.7, 0.6, 0.8), Estimate(0.7)):
        assert not cautions(Numbers({**skilled, ("skill_per", "best"): alike})).parts


def test_per_stands_beside_the_bar_of_the_weighted_rate() -> None:
    card = card_of({**FULL, **WEIGHTED})
    bar = card["bar"]
    assert (card["rate_name"], bar["chance"]) == ("wPER", bar["high"])
    assert (card["rate"], card["per"]) == ("0.200 [0.100, 0.300]", "0.500")
    assert bar["words"] == "wPER 0.200 [0.100, 0.300], chance 0.300"
    alone = card_of(FULL)
    assert (alone["rate_name"], alone["rate"], alone["per"]) == ("PER", "0.500 [0.400, 0.600]", "")


def test_bars_stand_on_one_scale_and_rates_beyond_1_within_it() -> None:
    other = {**FULL, ("per", ""): Estimate(1.5, 1.0, 2.0)}
    several = {"yoruba": Numbers(FULL, name="yoruba"), "spanish": Numbers(other, name="spanish")}
    first, second = (card["bar"] for card in cards(several))  # in the order in which they stand, being alike in skill
    places = {"floor": 0.2, "low": 0.4, "rate": 0.5, "high": 0.6, "chance": 0.8, "whole": 1.0}
    for name, place in places.items():
        assert first[name] == pytest.approx(72 / 2.0 * place, abs=0.01), name
    assert second["high"] == pytest.approx(72, abs=0.01)


@given(*[st.floats(0, 1)] * 4)
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
    wide = card_of({**FULL, ("floor_per", ""): Estimate(0.1)})["bar"]
    assert wide["labels"][0] == ("floor 0.100", wide["floor"])
    narrow = card_of({**FULL, ("floor_per", ""): Estimate(0.29), ("chance_per", "best"): Estimate(1.0)})["bar"]
    assert narrow["labels"][0] == ("← floor 0.290", narrow["high"])
    assert [text for text, _ in card_of({**FULL, ("floor_per", ""): Estimate(0.0)})["bar"]["labels"]] == [
        "chance 0.800"
    ]


@pytest.mark.parametrize("level", ["floor", "chance"])
def test_a_level_that_is_not_known_is_not_drawn(level: str) -> None:
    bar = card_of({key: number for key, number in FULL.items() if not key[0].startswith(level)})["bar"]
    assert bar[level] is None
    assert level not in bar["words"]
    assert level not in str(bar["labels"])


def test_bars_of_no_errors_at_all_have_a_scale() -> None:
    assert card_of({("per", ""): Estimate(0.0)})["bar"]["rate"] == 0


def test_without_a_rate_there_is_no_bar() -> None:
    card = card_of({})
    assert (card["bar"], card["rate"], card["errors"], card["worst"]) == (None, "", [], [])
    assert card["verdict"] == "No error rate: no predictions were given."


def test_the_best_comes_first_by_tested_groups_and_the_reference_last() -> None:
    titles = {"eng": "English", "yor": "Yoruba", "spa": "Spanish", "swa": "Swahili"}
    skills = {"eng": 0.9, "yor": 0.2, "spa": 0.3, "swa": 0.4}
    several = {
        name: Numbers({**FULL, ("skill_per", "best"): Estimate(skill)}, name=name, reference="eng", titles=titles)
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
    assert [(each["phone"].text, each["accuracy"], each["answer"].text, each["tokens"]) for each in worst] == [
        ("ĩ", "0 %", "∅ 50 %", "60"),
        ("k͡p", "0 %", "p 90 %", "40"),
        ("a", "30 %", "e 60 %", "90"),
    ]
    assert worst[2]["interval"] == [20, 30, 40]
    assert worst[2]["answer"].address == address("yoruba", gold="a", predicted="e")
    assert worst[2]["utterances"] == address("yoruba", at="utterances", search="a")
    assert [each["absent"] for each in worst] == [True, True, False]
    many = tuple(Phone(str(number), 20 + number, Estimate(0.5)) for number in range(9))
    assert [each["phone"].text for each in card_of(FULL, phones=many)["worst"]] == [*"876543"]


@pytest.mark.parametrize(("q", "beyond"), [(0.01, "i → e 22 %, expected 5 %"), (0.4, None), (math.nan, None)])
def test_a_confusion_beyond_a_reference_is_named_where_its_test_shows_it(q: float, beyond: str | None) -> None:
    cells = (replace(CELLS[0], q=q), *CELLS[1:])
    card = card_of(DIFFERENT, reference="english", residuals=cells)
    assert (card["beyond"].text if card["beyond"] else None) == beyond
    if card["beyond"]:
        assert card["beyond"].address == address("yoruba", view="excess", gold="i", predicted="e")


def group(name: str, value: float, difference: float, q: float) -> dict[str, object]:
    return {"by": "accent", "group": name, "measure": "per", "value": value, "difference": difference, "q": q}


@pytest.mark.parametrize(
    ("numbers", "groups", "told"),
    [
        ({}, (), []),
        (
            {("per_vowels", ""): Estimate(0.8), ("per_consonants", ""): Estimate(0.25)},
            (),
            ["80 % of the vowels and 25 % of the consonants are wrong or deleted."],
        ),
        (
            {("mdd_recall", ""): Estimate(0.7), ("mdd_false_rejection", ""): Estimate(0.1)},
            (),
            ["70 % of the mispronounced phones are detected, and 10 % of the right ones are rejected."],
        ),
        (
            {
                ("people_per", ""): Estimate(0.1),
                ("kappa", "people"): Estimate(0.9),
                ("kappa", "recogniser"): Estimate(0.6),
            },
            (),
            ["0.100 is the PER of a second transcriber, with κ 0.900; the recogniser’s κ is 0.600."],
        ),
        (
            {},
            (group("north", 0.5, 0.1, 0.02), group("south", 0.3, -0.2, 0.01)),
            ["0.300 is the PER of south (by accent), clearly different from the 0.500 of all other speakers."],
        ),
        ({}, (group("north", 0.5, 0.1, 0.4),), ["By accent, no group of speakers differs clearly in PER."]),
        ({}, (group("north", 0.5, 0.1, math.nan),), ["By accent, groups of speakers are not tested."]),
    ],
)
def test_what_applies_to_a_corpus_has_a_line_each(
    numbers: dict[tuple[str, str], Estimate], groups: tuple[dict[str, object], ...], told: list[str]
) -> None:
    card = card_of({**FULL, **numbers}, groups=groups)
    assert [str(each) for each in card["asides"]] == told
    assert all(any(part.address for part in each.parts) for each in card["asides"])


def test_the_first_screen_has_at_most_30_numbers_beside_those_of_the_strips() -> None:
    own = {
        **{key: number for key, number in DIFFERENT.items() if key[0] != "per"},
        **WEIGHTED,
        ("per", ""): Estimate(0.5, 0.4, 0.6),
        ("floor_wper", ""): Estimate(0.1),
        ("skill_wper", "best"): Estimate(0.4, 0.3, 0.5),
        ("per_vowels", ""): Estimate(0.8),
        ("per_consonants", ""): Estimate(0.25),
        ("expected_level_p", "q"): Estimate(0.001),
        ("expected_level", ""): Estimate(0.1),
        **{("error_share", kind): Estimate(0.2) for kind in ("absent", "expected", "level", "deleted", "inserted")},
    }
    phones = tuple(Phone(phone, 30, Estimate(0.5, 0.4, 0.6), "x", 0.2) for phone in "aeioupk")
    more = {"name": "yoruba", "reference": "english", "residuals": CELLS, "phones": phones}
    shown = cards({"yoruba": Numbers(own, **more)})  # type: ignore[arg-type]
    html = page_html(Page(title="demo", version="", corpora=[], cards=shown, reference="English"))
    (card,) = re.findall(r'<article class="card.*?</article>', html, re.DOTALL)
    seen = re.sub(r"<title>.*?</title>|<[^>]*>", " ", card)
    assert 25 <= len(re.findall(r"\d[\d.,]*", seen)) <= 30
