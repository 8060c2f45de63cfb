"""The README's code runs, and its configuration is one."""

import re
from pathlib import Path

import pytest

from phonxling.experiment.configuration.reading import load_configuration

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(block("python"), "README.md", "exec"), {})  # noqa: S102 - our own text
    printed = capsys.readouterr().out
    assert "[('k͡p', 'p'), ('a', 'ɑ')]" in printed


def test_the_configuration_example_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(block("yaml"), encoding="utf-8")
    assert list(load_configuration(path).corpora) == ["english", "yoruba"]


def test_shipped_configurations_are_valid() -> None:
    names = {load_configuration(path).name for path in (ROOT / "configs").glob("*.yaml")}
    assert names == {"demo", "demo-ctc", "yoruba-spanish"}


def test_files_that_the_readme_names_are_there() -> None:
    named = re.findall(r"\]\(((?!http)[^)]+)\)", README) + re.findall(r"`((?:scripts|configs)/[\w./-]+)`", README)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
