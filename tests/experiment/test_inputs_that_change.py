"""Inputs that another program changes at any moment of a run: an error, nothing written, and the next run is right."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_experiment import make_experiment

import phonxling as px
from phonxling.configuration.reading import load_configuration
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run

SETTINGS = ["chance.replicates=1", "information.permutations=2"]


class Meddler(SilentProgress):
    """Does things to files when steps begin."""

    def __init__(self, deeds: dict[str, Callable[[], object]]) -> None:
        self.deeds = deeds

    def step(self, label: str) -> None:
        """Do what is due."""
        for step in [step for step in self.deeds if label.startswith(step)]:
            self.deeds.pop(step)()


def cut(path: Path) -> None:
    """Leave whole lines, as a copy that has not ended does."""
    text = path.read_bytes()
    path.write_bytes(text[: text.index(b"\n", len(text) // 2) + 1])


def gone(path: Path) -> None:
    path.unlink()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    make_experiment(tmp_path, utterances=6)
    return tmp_path


def go(data: Path, deeds: dict[str, Callable[[], object]] | None = None) -> None:
    experiment = load_configuration(data / "small.yaml", SETTINGS)
    run(experiment, data / "out", SERIAL, Meddler(deeds or {}))


@pytest.mark.parametrize(
    ("step", "name", "change"),
    [
        ("loading", "yoruba/posteriors.npz", gone),
        ("reading posteriors of yoruba", "yoruba/posteriors.npz", cut),
        ("measuring", "english/speakers.tsv", gone),
    ],
)
def test_an_input_that_changes_is_named_and_nothing_is_written(
    data: Path, step: str, name: str, change: Callable[[Path], None]
) -> None:
    deeds = {step: lambda: change(data / name)}
    with pytest.raises(px.DataError, match=name):
        go(data, deeds)
    assert not deeds
    assert not (data / "out" / "manifest.json").exists()
    assert not list((data / "out").glob("*.tsv"))


def test_an_input_that_was_another_one_while_it_was_read_is_no_input(data: Path) -> None:
    """Copied anew over itself, a file is cut short for a moment: its content before and after says nothing."""
    name = "yoruba/posteriors.npz"
    path, aside = data / name, data / "aside"
    shutil.copy2(path, aside)

    def back() -> None:
        shutil.copy2(aside, path)
        os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 4_000_000))

    other = data / "english" / Path(name).name
    deeds = {"loading": lambda: path.write_bytes(other.read_bytes().replace(b"english", b"yoruba")), "measuring": back}
    with pytest.raises(px.DataError, match=name):
        go(data, deeds)
    assert not (data / "out" / "manifest.json").exists()
