"""Corpora built to mislead, and what is said of each: what each recogniser does is known."""

from pathlib import Path
from typing import Any

import pytest
from misleading import confuses, deletes, guesses, inserts, make_corpus, never_alike, renames, sentences, told_numbers

from phonxling.console import headline
from phonxling.report.first_screen import cards

RECOGNISERS = {"renamed": renames, "deleted": deletes, "inserted": inserts, "guessed": guesses, "again": confuses(0.1)}
OF_THE_REFERENCE = ("expected confusions", "cells tested", "beyond the number")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("misleading")


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, str]:
    recognisers = {"home": confuses(0.1), **RECOGNISERS}
    corpora = [make_corpus(folder / name, recogniser) for name, recogniser in recognisers.items()]
    corpora.append(make_corpus(folder / "unpaired", never_alike, phones="ptkf"))
    return sentences(folder, "".join(corpora), "home")


@pytest.fixture(scope="module")
def terminal(folder: Path, told: dict[str, str]) -> str:
    assert told
    return " ".join(headline(folder / "results").split())  # without line ends, which depend on the width


@pytest.fixture(scope="module")
def screen(folder: Path, told: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return the first screen's card of each corpus."""
    assert told
    return {card["title"].text: card for card in cards(told_numbers(folder, "home"))}


def test_a_perfect_relabelling_is_told_as_other_symbols(told: dict[str, str], terminal: str) -> None:
    for text in (told["renamed"], terminal):
        assert "would be right if symbols were renamed one to one, more than by chance: map the" in text
    assert "\n99" in told["renamed"]
    assert [name for name, text in told.items() if "map the symbols" in text] == ["renamed"]
    assert "The recogniser is worse than that" in told["renamed"]
    wrong = ("Neither the rate nor the information shows", *OF_THE_REFERENCE)
    assert [words for words in wrong if words in told["renamed"]] == []


def test_where_most_phones_are_deleted_it_is_said_of_what_the_rest_tells(told: dict[str, str], terminal: str) -> None:
    for text in (told["deleted"], terminal):
        assert "90.0 % of the gold phones are deleted" in text
        assert "hardly better than" in text
    assert "in the predicted phone (10.0 % of the gold phones are not deleted)" in told["deleted"]
    assert not any(words in told["deleted"] for words in OF_THE_REFERENCE)


def test_a_small_or_worse_reference_is_warned_of(tmp_path: Path) -> None:
    corpora = [make_corpus(tmp_path / "home", confuses(0.1), utterances=10)]
    corpora.append(make_corpus(tmp_path / "target", confuses(0.3)))
    text = sentences(tmp_path, "".join(corpora), "home")["target"]
    assert ("the expected confusions" in text, "A small reference: " in text) == (True, True)
    other = tmp_path / "other"
    corpora = [make_corpus(other / "home", confuses(0.5)), make_corpus(other / "target", confuses(0.1))]
    told = sentences(other, "".join(corpora), "home")
    assert ["are the roles swapped?" in told[name] for name in ("target", "home")] == [True, False]


def test_where_insertions_decide_the_rate_it_is_said(told: dict[str, str], terminal: str) -> None:
    for text in (told["inserted"], terminal):
        assert "phones are inserted for each gold phone" in text
        assert "so the skill says little" in text
    assert "100 % of the gold phones are right" in told["inserted"]


def test_nothing_of_the_language_is_said_of_a_recogniser_at_chance(told: dict[str, str], terminal: str) -> None:
    assert "Neither the rate nor the information shows" in told["guessed"]
    assert "guessed: Neither the rate nor the information shows" in terminal
    for words in (*OF_THE_REFERENCE, " → ", "Of all errors"):
        assert words not in told["guessed"]


def test_a_language_beside_itself_is_not_told_apart(told: dict[str, str]) -> None:
    assert told["again"].count("no difference is shown, q = ") == 1
    assert not any(words in told["again"] for words in OF_THE_REFERENCE[1:])


def test_answers_outside_the_common_phones_are_compared_too(told: dict[str, str]) -> None:
    assert "6 of 6 cells tested differ from the expected confusions" in told["unpaired"]


@pytest.mark.parametrize(
    ("corpus", "verdict", "hidden"),
    [
        ("renamed", "Worse than chance.", "answers depend on what was said: map the symbols."),
        ("deleted", "Hardly better than chance", "90.0 % of the gold phones are deleted."),
        ("inserted", "Hardly better than chance", "phones are inserted for each gold phone."),
        ("guessed", "Worse than chance.", "Nothing shows"),
        ("again", "Far better than chance: ", ""),
        ("unpaired", "Far better than chance: ", "No interval: "),
    ],
)
def test_the_first_screen_says_of_each_what_is_known_of_it(
    corpus: str, verdict: str, hidden: str, screen: dict[str, dict[str, Any]]
) -> None:
    card = screen[corpus]
    assert card["verdict"].startswith(verdict)
    assert hidden in str(card["cautions"])
    assert hidden or not card["cautions"].parts


def test_the_first_screen_names_no_errors_of_a_recogniser_at_chance_and_no_habit_of_the_reference(
    screen: dict[str, dict[str, Any]],
) -> None:
    assert (screen["guessed"]["errors"], screen["guessed"]["worst"]) == ([], [])
    for card in screen.values():
        assert "expect" not in " ".join(str(part["words"]) for part in card["errors"])
        assert (card["beyond"] is None) == (card["name"] != "unpaired")
    bar = screen["inserted"]["bar"]
    assert bar
    assert bar["whole"] < bar["low"] < bar["rate"] < bar["high"] <= 100  # rates of 1 and 2, and beyond
    assert bar["rate"] < (bar["chance"] or 0) <= 100


def test_of_three_speakers_it_is_said_of_whom_and_languages_are_not_compared(tmp_path: Path) -> None:
    corpora = make_corpus(tmp_path / "home", confuses(0.1), speakers=3)
    told = sentences(tmp_path, corpora + make_corpus(tmp_path / "target", confuses(0.3), speakers=3), "home")
    for text in told.values():
        assert text.count("Of these 3 speakers alone.") == 1
        assert "The recogniser is far better than that" in text
    assert headline(tmp_path / "results").count("Of these 3 speakers alone.") == 1  # once for both
    assert "whether that is a difference is not judged" in told["target"]


def test_few_utterances_judge_nothing(tmp_path: Path) -> None:
    corpora = make_corpus(tmp_path / "home", confuses(0.1), utterances=4, speakers=1)
    told = sentences(tmp_path, corpora + make_corpus(tmp_path / "target", guesses, utterances=4, speakers=1), "home")
    for text in (*told.values(), headline(tmp_path / "results")):
        assert "4 utterances: too few for intervals." in text
        for claim in ("better", "worse", "hardly", "clearly", "Neither the rate", "q ="):
            assert claim not in text
    for card in cards(told_numbers(tmp_path, "home")):
        assert card["verdict"] == "Nothing is judged. 4 utterances: too few for intervals."
