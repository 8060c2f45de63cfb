"""The page on CTC: its configuration is one, its example runs, and programs for other libraries are Python."""

import ast
import re
from pathlib import Path

import pytest

from phonxling.experiment.configuration.reading import load_configuration

PAGE = (Path(__file__).resolve().parent.parent / "docs/ctc.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    text = block("python decode")
    exec(compile(text, "ctc.md", "exec"), {})  # noqa: S102 - our own text
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == re.findall(r"# (\[.*)", text)[0]
    assert (tmp_path / "predicted.tsv").is_file()


def test_the_configuration_is_valid(tmp_path: Path) -> None:
    (tmp_path / "ctc.yaml").write_text(block("yaml"), encoding="utf-8")
    experiment = load_configuration(tmp_path / "ctc.yaml")
    posteriors = experiment.corpora["spanish"].posteriors
    assert posteriors is not None
    assert (posteriors.blank, posteriors.scale, experiment.decoding.method) == ("<pad>", "logit", "greedy")


@pytest.mark.parametrize("library", ["wav2vec", "espnet", "nemo"])
def test_programs_for_other_libraries_can_be_read(library: str) -> None:
    assert ast.parse(block(f"python {library}")).body
