"""Bad input as a user meets it: one clear message, the right exit code, no traceback, nothing written."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_experiment import make_experiment

Change = Callable[[Path], None]


def phonxling(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from phonxling.cli import main; main()", *arguments]
    return subprocess.run(  # noqa: S603 - our own program, on files made here
        command, capture_output=True, text=True, cwd=folder, check=False
    )


def rewrite(name: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def remove(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def utterance_rows(name: str, lines: list[str]) -> Change:
    text = "\n".join(["utterance\tphones", *lines]) + "\n"
    return lambda folder: (folder / name).write_text(text, encoding="utf-8") and None


def posteriors(values: float) -> Change:
    def change(folder: Path) -> None:
        path = folder / "yoruba/posteriors.npz"
        arrays = dict(np.load(path))
        arrays["yoruba_03"] = arrays["yoruba_03"].copy()
        arrays["yoruba_03"][5, 2] = values
        np.savez_compressed(path, **arrays)

    return change


def counterparts(folder: Path) -> None:
    (folder / "same.tsv").write_text("target\treference\nk͡p\tp\na\tœ\n", encoding="utf-8")
    rewrite("small.yaml", "information:", "expected:    {common: same.tsv}\ninformation:")(folder)


CASES: dict[str, tuple[Change, int, list[str]]] = {
    "classes of features that there are not": (
        rewrite("small.yaml", "information:", "classes: {tall: +syl +tall}\ninformation:"),
        2,
        ["small.yaml:18:17: classes.tall: 'tall' asks for tall, which the feature table panphon"],
    ),
    "counterparts that the reference lacks": (
        counterparts,
        1,
        ["corpus yoruba: phones that the reference language never has as gold:", "same.tsv:3: 'œ'"],
    ),
    "missing file": (remove("yoruba/gold.tsv"), 1, ["corpus yoruba", "gold.tsv: cannot be read: no such file"]),
    "unknown symbols": (
        rewrite("yoruba/gold.tsv", "k͡p", "kXp"),
        1,
        ["gold.tsv: 1 symbol not known to the feature table", "kXp", "times, first at", "unknown: keep or drop"],
    ),
    "unpaired ids": (
        rewrite("yoruba/predicted.tsv", "yoruba_07\t", "youba_07\t"),
        1,
        ["2 of 25 utterances lack a partner", "gold.tsv (1): yoruba_07", "predicted.tsv (1): youba_07"],
    ),
    "duplicate id": (
        utterance_rows("yoruba/predicted.tsv", ["yoruba_00\tP", "yoruba_00\tP"]),
        1,
        ["predicted.tsv:3: utterance 'yoruba_00' occurs again (first at line 2)"],
    ),
    "no gold phone at all": (
        utterance_rows("yoruba/gold.tsv", [f"yoruba_{number:02d}\tsil" for number in range(24)]),
        1,
        ["no times"],  # reported before anything else that is wrong with it
    ),
    "posteriors that do not sum to 1": (posteriors(0.9), 1, ["utterance 'yoruba_03', frame 5 does not sum to 1"]),
    "posteriors with NaN": (posteriors(np.nan), 1, ["utterance 'yoruba_03', frame 5 holds a value that is not finite"]),
    "negative posteriors": (posteriors(-0.5), 1, ["utterance 'yoruba_03', frame 5 holds a negative value"]),
    "misspelt key": (
        rewrite(
            "small.yaml",
            "recogniser: toy\n    gold:       {path: yoruba",
            "recognizer: toy\n    gold:       {path: yoruba",
        ),
        2,
        ["small.yaml:11:5: corpora.yoruba.recognizer: unknown key", "did you mean 'recogniser'?"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message_and_nothing_written(case: str, tmp_path: Path) -> None:
    change, code, texts = CASES[case]
    make_experiment(tmp_path)
    change(tmp_path)
    found = phonxling("run", "small.yaml", folder=tmp_path)
    assert found.returncode == code, found.stderr
    assert found.stderr.startswith("error: ")
    assert "Traceback" not in found.stderr
    for text in texts:
        assert text in found.stderr
    assert found.stdout == ""
    assert not (tmp_path / "results").exists()


def test_check_reports_the_problems_of_all_corpora_at_once(tmp_path: Path) -> None:
    make_experiment(tmp_path)
    (tmp_path / "english/gold.tsv").unlink()
    rewrite("yoruba/gold.tsv", "ĩ", "@")(tmp_path)
    found = phonxling("check", "small.yaml", folder=tmp_path)
    assert found.returncode == 1
    assert "corpus english" in found.stderr
    assert "corpus yoruba" in found.stderr


def test_check_of_good_data_says_what_became_of_the_symbols(tmp_path: Path) -> None:
    make_experiment(tmp_path)
    found = phonxling("check", "small.yaml", folder=tmp_path)
    assert found.returncode == 0
    assert "gold dropped: sil→– 48" in found.stdout
    assert "AA→ɑ" in found.stdout
    assert not (tmp_path / "results").exists()


def test_a_folder_with_other_files_is_not_written_to(tmp_path: Path) -> None:
    make_experiment(tmp_path)
    found = phonxling("run", "small.yaml", "--output", ".", folder=tmp_path)
    assert found.returncode == 2
    assert "holds files that are no results (small.yaml" in found.stderr
    assert not (tmp_path / "summary.tsv").exists()


def test_report_of_no_results(tmp_path: Path) -> None:
    found = phonxling("report", ".", folder=tmp_path)
    assert found.returncode == 1
    assert "no folder of finished results" in found.stderr


@pytest.mark.parametrize("arguments", [["run"], ["score", "a"], ["run", "x.yaml", "--workers", "0"], ["nothing"]])
def test_wrong_usage_has_its_exit_code(arguments: list[str], tmp_path: Path) -> None:
    found = phonxling(*arguments, folder=tmp_path)
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
