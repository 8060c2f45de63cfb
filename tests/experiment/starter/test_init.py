"""phonxling init: what it writes, what it prints, and what it does with odd folders."""

import os
from pathlib import Path

import made_folders as made
import pytest
from made_folders import IPA, LABELS, UTTERANCES, spoken
from ruamel.yaml import YAML
from running import command
from small_experiment import make_experiment
from support import write

from phonxling.experiment import starter_files
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.starter import SHOWN, default_lines, write_starter
from phonxling.settings.models import Experiment

SIDES = ("gold", "predicted")


def small_folder(folder: Path) -> Path:
    made.table(folder / "gold.tsv", spoken(IPA))
    made.table(folder / "hyp.tsv", spoken(LABELS, 4))
    return folder


def test_a_folder_s_starter_passes_check_as_it_stands(tmp_path: Path) -> None:
    make_experiment(tmp_path / "my data").unlink()
    code, printed = command("init", tmp_path / "my data")
    assert code == 0, printed
    assert "2 corpora (english, yoruba); phonxling check finds no problems" in printed
    following = next(line for line in printed.splitlines() if line.startswith("next: "))
    path = Path(following.removeprefix("next: phonxling run "))  # from here where that is shorter
    assert path.resolve() == (tmp_path / "my data/experiment.yaml").resolve()
    experiment = load_configuration(tmp_path / "my data/experiment.yaml")
    assert {name: corpus.role for name, corpus in experiment.corpora.items()} == {
        "english": "reference",
        "yoruba": "target",
    }
    assert experiment.corpora["yoruba"].predicted.symbols == "arpabet"
    code, printed = command("check", tmp_path / "my data/experiment.yaml")
    assert code == 0, printed


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        (LABELS, "    recogniser: {inventory: arpabet}   # the phones that it can predict"),
        (["dx", *LABELS], "    recogniser: {inventory: timit39}   #"),
        (IPA, "    # recogniser: {name: …, inventory: phones.txt}    #"),
    ],
    ids=["ARPAbet", "TIMIT", "IPA"],
)
def test_the_inventory_is_written_where_the_labels_tell_it(tmp_path: Path, labels: list[str], line: str) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", spoken(labels, 4))
    code, printed = command("init", tmp_path)
    assert code == 0, printed
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    assert [one for one in text.splitlines() if "recogniser:" in one and one.startswith(line)]
    assert text.count("recogniser:") == 1


def test_the_defaults_that_are_shown_are_those_of_the_models() -> None:
    first, *lines = default_lines()
    assert first.startswith("# What follows are defaults")
    assert all(len(line) <= 120 and line.startswith("# ") for line in lines)
    shown = YAML(typ="safe").load("\n".join(line[2:] for line in lines))
    defaults = Experiment.model_validate({"name": "any", "corpora": {"a": {side: {"path": "a.tsv"} for side in SIDES}}})
    whole = defaults.model_dump(mode="json")
    assert shown == {name: whole[name] for name in SHOWN}


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    small_folder(tmp_path)
    assert command("init", tmp_path)[0] == 0
    before = (tmp_path / "experiment.yaml").read_bytes()
    code, printed = command("init", tmp_path)
    assert code == 2
    assert "is there already" in printed
    assert (tmp_path / "experiment.yaml").read_bytes() == before


def test_a_folder_without_phones_says_what_is_missing(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "hello\n")
    code, printed = command("init", tmp_path)
    assert code == 1
    assert "holds no gold phones" in printed
    assert "gold.tsv" in printed
    assert not (tmp_path / "experiment.yaml").exists()


def test_gold_without_predictions_is_written_with_what_is_to_be_decided(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    code, printed = command("init", tmp_path)
    assert code == 0
    assert "no file holds predictions, or posteriors, of the same utterances" in printed
    assert "until something is decided" in printed
    text = (tmp_path / "experiment.yaml").read_text(encoding="utf-8")
    assert "    # predicted: {path:" in text


def test_utterances_of_one_side_alone_are_to_be_decided(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, ids=UTTERANCES[:-1]))
    starter = write_starter(tmp_path)
    (decision,) = starter.decisions
    assert f"1 of 12 utterances are in gold alone: {UTTERANCES[-1]}; add what is missing" in decision
    assert "pairing: {allow_unpaired: 0.09}" in decision


def test_symbols_that_no_set_knows_are_kept_and_named(tmp_path: Path) -> None:
    rows = spoken(IPA)
    rows[UTTERANCES[0]][0] = "ẹẹẹ"
    made.table(tmp_path / "gold.tsv", rows)
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, 4))
    starter = write_starter(tmp_path)
    assert starter.problem == ""
    assert "ẹẹẹ (1): a symbol not known to ipa" in "".join(starter.decisions)


def test_odd_names_do_not_break_the_file(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / 'odd: "name" #1/- [x], {y}')
    starter = write_starter(tmp_path)
    assert starter.problem == ""
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.gold.path == folder / "gold.tsv"


def test_pipes_links_and_locked_files_are_left_alone_and_named(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / "data")
    os.mkfifo(folder / "gold.ctm")
    (folder / "loop").symlink_to(folder)
    (folder / "out").symlink_to("/")
    (folder / "nowhere.tsv").symlink_to(tmp_path / "missing.tsv")
    starter = write_starter(folder)
    assert starter.problem == ""
    assert len(starter.notes) == 3, starter.notes
    assert "gold.ctm" in "".join(starter.notes)


def test_of_very_many_files_few_are_looked_at_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter_files, "_TEXTS", 30)
    for number in range(40):
        write(tmp_path / f"z{number:03d}.txt", "nothing\n")
    small_folder(tmp_path)
    starter = write_starter(tmp_path)
    assert starter.problem == ""
    assert any("30 of 42 files of ." in note for note in starter.notes)


def test_results_of_a_run_are_no_data(tmp_path: Path) -> None:
    small_folder(tmp_path)
    made.table(tmp_path / "results/run/gold.tsv", spoken(IPA))
    made.table(tmp_path / "results/run/hyp.tsv", spoken(LABELS))
    write(tmp_path / "results/run/manifest.json", "{}")
    assert len(write_starter(tmp_path).corpora) == 1


def test_of_large_files_the_first_lines_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter_files, "LARGE", 50)
    monkeypatch.setattr(starter_files, "_HEAD", 220)
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", dict(reversed(spoken(LABELS, 4).items())))
    starter = write_starter(tmp_path)
    assert (starter.problem, starter.decisions) == ("", ())


def test_ids_that_differ_are_said_with_an_example(tmp_path: Path) -> None:
    made.table(tmp_path / "gold.tsv", spoken(IPA))
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, ids=[f"{name}.wav" for name in UTTERANCES]))
    (decision,) = write_starter(tmp_path).decisions
    assert "no id is that of a gold utterance (spk0_u00 there, spk0_u00.wav here)" in decision


def test_lines_without_ids_pair_by_their_number(tmp_path: Path) -> None:
    for name, rows in (("ref", spoken(IPA)), ("hyp", spoken(LABELS, 4))):
        write(tmp_path / f"{name}.txt", "".join(f"b {' '.join(phones)}\n" for phones in rows.values()))
    starter = write_starter(tmp_path)
    assert starter.problem == "", starter
    (corpus,) = load_configuration(starter.path).corpora.values()
    assert corpus.gold.format == "lines"


def test_a_table_of_several_languages_is_remarked_on(tmp_path: Path) -> None:
    rows = "".join(f"ewe\t{name}\t{' '.join(phones)}\n" for name, phones in spoken(IPA).items())
    write(tmp_path / "gold.tsv", "lang\tutterance\tphones\n" + rows)
    made.table(tmp_path / "hyp.tsv", spoken(LABELS, 4))
    assert "the column lang tells languages apart" in write_starter(tmp_path).path.read_text(encoding="utf-8")
