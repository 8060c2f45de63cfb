"""phonxling init: a configuration that runs as it stands, for what is in a folder."""

from pathlib import Path

import pytest
from small_experiment import make_experiment
from support import write
from typer.testing import CliRunner

from phonxling.cli import app
from phonxling.experiment.configuration.reading import load_configuration
from phonxling.experiment.starter import guessed_symbols


def command(*arguments: object) -> tuple[int, str]:
    found = CliRunner().invoke(app, list(map(str, arguments)))
    return getattr(found.exception, "exit_code", found.exit_code), found.output + str(found.exception or "")


def test_a_folder_s_starter_passes_check_as_it_stands(tmp_path: Path) -> None:
    make_experiment(tmp_path / "my data").unlink()
    code, said = command("init", tmp_path / "my data")
    assert code == 0, said
    experiment = load_configuration(tmp_path / "my data/experiment.yaml")
    assert {name: corpus.role for name, corpus in experiment.corpora.items()} == {
        "english": "reference",
        "yoruba": "target",
    }
    assert experiment.corpora["yoruba"].predicted.symbols == "arpabet"
    code, said = command("check", tmp_path / "my data/experiment.yaml")
    assert code == 0, said


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "gold.tsv", "utterance\tphones\nu\ta b\n")
    assert command("init", tmp_path)[0] == 0
    before = (tmp_path / "experiment.yaml").read_bytes()
    code, said = command("init", tmp_path)
    assert code == 2
    assert "is there already" in said
    assert (tmp_path / "experiment.yaml").read_bytes() == before


def test_a_folder_without_gold_says_what_was_looked_for(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "hello\n")
    code, said = command("init", tmp_path)
    assert code == 1
    assert "gold, ref, reference" in said
    assert not (tmp_path / "experiment.yaml").exists()


def test_a_file_that_cannot_be_read_is_marked_and_odd_names_do_not_break_the_file(tmp_path: Path) -> None:
    write(tmp_path / 'odd: "name" #1/gold.tsv', "utterance\tphones\nu\ta b\n")
    write(tmp_path / 'odd: "name" #1/predicted.tsv', "no table\n")
    assert command("init", tmp_path)[0] == 0
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    assert "# could not be read: " in text
    (corpus,) = load_configuration(tmp_path / "experiment.yaml").corpora.values()
    assert corpus.gold.path == tmp_path / 'odd: "name" #1/gold.tsv'


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ("k͡p a ɔ̃", "ipa"),
        ("HH AH0 T", "arpabet"),
        ("bcl b ax-h h#", "timit61"),
        ("t_S @ E~", "xsampa"),
        ("p t k", "ipa"),
    ],
)
def test_symbols_are_guessed_from_the_labels(labels: str, name: str) -> None:
    assert guessed_symbols(labels.split()) == (name, [])
