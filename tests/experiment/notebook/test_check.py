"""px.check: what the command says of an experiment, or of two sides, as objects."""

from pathlib import Path

import pytest
from running import Command
from support import transcript

import phonxling as px
from phonxling.console import escape_unprintable
from phonxling.experiment.checking import merge_notes

GOLD = {f"u{number}": "p a t a" for number in range(12)}
HEARD = {name: text.replace("p", "b") for name, text in GOLD.items()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in {"gold": GOLD, "heard": HEARD, "few": {"u1": "p sil a t a"}, "other": {"v1": "p a t a"}}.items():
        transcript(tmp_path / f"{name}.tsv", rows)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_nothing_is_said_of_two_sides_in_order() -> None:
    (unknown,) = px.check(GOLD, HEARD)
    assert unknown.text.endswith("several utterances; name them with --speakers FILE (in Python speakers=)")
    assert px.check("gold.tsv", "heard.tsv") == px.score(GOLD, HEARD).notes == [unknown]
    (prompts,) = px.check(GOLD, HEARD, speakers={name: f"s{place % 6}" for place, name in enumerate(GOLD)})
    assert prompts.text.startswith("12 of 12 utterances are prompts that several speakers read")


def test_notes_are_those_that_the_command_prints(folder: Path, phonxling: Command) -> None:
    corpora = {
        "one": {"gold": "few.tsv", "predicted": "few.tsv"},
        "two": {"gold": "gold.tsv", "predicted": "heard.tsv"},
    }
    notes = px.check({"corpora": corpora})
    (folder / "e.yaml").write_text(f"corpora: {corpora}\n", encoding="utf-8")
    done = phonxling("check", "e.yaml")
    assert {(note.corpus, note.kind) for note in notes} == {("one", "note"), ("two", "note")}
    assert [line.removeprefix("note: ") for line in done.stdout.splitlines() if line.startswith("note: ")] == [
        escape_unprintable(line) for line in merge_notes(notes, 2)
    ]
    assert len(notes) == 5  # silence, the same on both sides, one utterance; of both, speakers unknown
    assert notes == px.check("e.yaml")


def test_what_stops_a_run_is_an_error_of_its_corpus(folder: Path, phonxling: Command) -> None:
    corpora = {
        "one": {"gold": "gold.tsv", "predicted": "other.tsv"},
        "two": {"gold": "no.tsv", "predicted": "gold.tsv"},
    }
    first, second = px.check({"corpora": corpora})
    assert (first.corpus, first.kind, second.corpus, second.kind) == ("one", "error", "two", "error")
    assert first.text.startswith("13 of 13 utterances lack a partner")
    (folder / "e.yaml").write_text(f"corpora: {corpora}\n", encoding="utf-8")
    assert phonxling(
        "check", "e.yaml"
    ).stderr == f"error: corpus one: {first.text}\ncorpus two: {second.text}\n".replace(f"{folder}/", "")
