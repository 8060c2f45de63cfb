"""The page on today's models: its files are read, its commands run."""

import shlex
from pathlib import Path

import pytest
from documentation import ROOT, blocks, commands, prepare, run_python
from running import command
from support import symbols_by_utterance

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.load.formats import load_transcript

PAGE = ROOT / "docs/models.md"
COMMANDS = [
    words[1:] for block in blocks(PAGE) if block.language == "sh" and not block.why for words in commands(block)
]
HEARD = {"u1": ["k", "a"], "u2": ["k", "p", "a"], "u3": ["t", "a"]}


@pytest.mark.parametrize("words", COMMANDS, ids=shlex.join)
def test_commands_run(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(PAGE, tmp_path)
    monkeypatch.chdir(tmp_path)
    code, printed = command(*words)
    assert code == 0, printed


@pytest.mark.parametrize(("name", "column"), [("powsm.txt", ""), ("xeus.jsonl", "predicted_transcript")])
def test_phones_between_slashes_are_phones(name: str, column: str, tmp_path: Path) -> None:
    prepare(PAGE, tmp_path)
    read = load_transcript(tmp_path / name, columns={"phones": column} if column else None)
    assert symbols_by_utterance(read) == HEARD


def test_a_vocabulary_names_columns_by_number_and_its_padding_is_the_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(PAGE, tmp_path)
    monkeypatch.chdir(tmp_path)
    (writes_logits,) = (block for block in blocks(PAGE) if block.language == "python")
    run_python(writes_logits, {})
    (loaded,) = load_corpora(load_configuration(tmp_path / "huggingface.yaml"))
    assert loaded.decoded is not None
    assert symbols_by_utterance(loaded.decoded) == {"clips/u1.wav": ["k", "a"], "clips/u2.wav": ["k", "p", "a"]}
    assert loaded.posteriorgrams.blank == 6
    assert loaded.corpus.utterances == ("u1", "u2")
    assert [note for note in loaded.notes if "counted in frames" in note]
    assert [note for note in loaded.notes if "'clips/u1.wav' is 'u1'" in note]


def test_of_allophant_s_candidates_the_best_is_predicted(tmp_path: Path) -> None:
    prepare(PAGE, tmp_path)
    (loaded,) = load_corpora(load_configuration(tmp_path / "allophant.yaml"))
    assert [loaded.corpus.gold.phones_of(n) for n in range(2)] == [["k", "a"], ["k", "p", "a"]]
    assert [loaded.corpus.predicted.phones_of(n) for n in range(2)] == [["k", "a"], ["k", "a"]]
