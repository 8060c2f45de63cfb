"""What readers note is shown wherever notes are, once; what speakers were asked to say is read and checked."""

import json
from pathlib import Path

import pytest
from running import Command, printed
from support import write

import phonxling as px
from phonxling.core.errors import Note
from phonxling.experiment.checking import merge_notes

GOLD = "utterance\tphones\nu1\ta b t\nu2\tt s\nu3\ta\n"
CANONICAL = "utterance\tphones\nu1\ta b t\nu2\tt z\nu3\ta\n"
LATE = (
    "utterance\tphone\tstart\tend\n"
    "u1\tb\t0.1\t0.2\nu1\ta\t0\t0.1\nu1\td\t0.2\t0.3\nu2\tt\t0\t0.1\nu2\ts\t0.1\t0.2\nu3\ta\t0\t0.1\n"
)
CONFIG = "corpora: {made: {gold: gold.tsv, predicted: late.tsv, canonical: canonical.tsv}}\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "gold.tsv", GOLD)
    write(tmp_path / "late.tsv", LATE)
    write(tmp_path / "canonical.tsv", CANONICAL)
    write(tmp_path / "made.yaml", CONFIG)
    return tmp_path


def test_a_note_of_a_reader_is_said_by_each_command_once_with_its_side(data: Path, phonxling: Command) -> None:
    gold, late = str(data / "gold.tsv"), str(data / "late.tsv")
    corpus = px.load_corpus(gold, late)
    (note,) = corpus.notes
    assert note.startswith("predicted: ")
    assert note.endswith("were sorted")
    assert repr(corpus).endswith(f"\nnote: {note}")
    assert [one.text for one in px.score(gold, late).notes].count(note) == 1
    assert note in [one["text"] for one in json.loads(printed("score", gold, late, "--json"))["notes"]]
    assert phonxling("check", str(data / "made.yaml")).stdout.count(f"note: {note}\n") == 1


def test_a_note_of_both_sides_of_one_file_is_one() -> None:
    rows = [line.split("\t") for line in LATE.splitlines()[1:]]
    both = [{"utterance": row[0], "g": row[1], "p": row[1], "start": row[2], "end": row[3]} for row in rows]
    (note,) = px.load_corpus(both, columns=({"phone": "g"}, {"phone": "p"})).notes
    assert note.startswith("gold and predicted: ")


@pytest.mark.parametrize(
    ("canonical", "problem"),
    [
        (CANONICAL.replace("u3\ta\n", ""), "1 of 3 utterances lack a partner"),
        (CANONICAL.replace("z", "%"), "(canonical): 1 of 4 symbols is not known"),
        ("", "the file is empty"),
    ],
)
def test_what_is_wrong_with_canonical_phones_is_an_error(data: Path, canonical: str, problem: str) -> None:
    write(data / "canonical.tsv", canonical)
    (note,) = px.check(data / "made.yaml")
    assert (note.corpus, note.kind) == ("made", "error")
    assert problem in note.text


def test_ids_of_canonical_phones_are_compared_as_those_of_predictions(data: Path) -> None:
    write(data / "canonical.tsv", CANONICAL.replace("\nu", "\nwav/u"))
    told = [note.text for note in px.check(data / "made.yaml")]
    assert any("ids of canonical are those of gold but for folder" in text for text in told)


def test_notes_that_are_alike_in_many_corpora_are_one_and_a_few_or_each_on_request_are_as_they_are() -> None:
    many = [Note(f"c{n}", f"{n} of 9 utterances: 'u{n}'") for n in range(5)]
    (line,) = merge_notes(many, 5)
    assert line.startswith("all 5 corpora: 0 of 9 utterances: 'u0' (numbers of c0;")
    assert merge_notes(many[:2], 2) == ["c0: 0 of 9 utterances: 'u0'", "c1: 1 of 9 utterances: 'u1'"]
    assert len(merge_notes(many, 5, each=True)) == 5
    assert merge_notes([Note("a", "x"), Note("b", "x"), Note("a", "y"), Note("", "z")], 2) == ["a, b: x", "a: y", "z"]
