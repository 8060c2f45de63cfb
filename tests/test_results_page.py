"""The page on results in Python: its programs run, on a small experiment in the place of the demo."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

PAGE = (Path(__file__).resolve().parent.parent / "docs/results.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    found = re.search(rf"```python {name}\n(.*?)```", PAGE, re.DOTALL)
    return found[1]


def test_the_programs_run(small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(small_run / "results", tmp_path / "results/demo")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for name in ("results", "worst", "figure", "frames", "pandas"):
        exec(compile(block(name), "results.md", "exec"), names)  # noqa: S102 - our own text
    worst, per, phones = names["worst"], names["per"], names["phones"]
    assert isinstance(worst, pd.DataFrame)
    assert isinstance(per, pd.DataFrame)
    assert isinstance(phones, pd.DataFrame)
    assert worst["tokens"].min() >= 20
    assert len(names["evidence"]) >= names["pairs"]["count"].sum()
    assert per.notna().all().all()
    assert phones["deletion_rate"].dtype == float
    assert isinstance(names["figure"], Figure)
    assert names["paid"] == pytest.approx((2 + 5) / 24)  # p and b differ in one of 24 features
    assert (tmp_path / "yoruba.pdf").is_file()


def test_the_runs_are_valid_but_for_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran: list[str] = []
    monkeypatch.setattr(
        "phonxling.experiment.notebook.run_experiment", lambda _, folder, *__, **___: ran.append(str(folder))
    )
    monkeypatch.setattr("phonxling.experiment.notebook.load_results", lambda folder: folder)
    (tmp_path / "configs").symlink_to(Path(__file__).resolve().parent.parent / "configs")
    exec(compile(block("run"), "results.md", "exec"), {})  # noqa: S102 - our own text
    assert ran == ["results/demo", "results/mine"]
