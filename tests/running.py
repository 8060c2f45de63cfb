"""Runs of small experiments without drawing, which takes most of a run's time, and what the command line gave."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from typer.testing import CliRunner

import phonxling as px
from phonxling.analyses.entropy import confusion_information
from phonxling.cli import app
from phonxling.core.confusion import Alignments
from phonxling.core.work import SERIAL, Silent, Work
from phonxling.experiment.computing import compute, result_tables
from phonxling.experiment.configuration import load_configuration
from phonxling.tables.files import NUMBERS, write_table

ROOT = Path(__file__).resolve().parent.parent
Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Outcome:
    """What a command gave: its exit code and its two outputs."""

    code: int
    stdout: str
    stderr: str


Command = Callable[..., Outcome]


def command(*arguments: object) -> tuple[int, str]:
    """Return the exit code of a command, and all that it says."""
    found = CliRunner().invoke(app, [*map(str, arguments)])
    return getattr(found.exception, "exit_code", found.exit_code), found.output + str(found.exception or "")


def printed(*arguments: object) -> str:
    """Return what a command that ends well prints; an error of ours is raised."""
    done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def python(*arguments: str, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401
    """Run Python in a process of its own, and return what it says; `check`: it must end well."""
    asked: dict[str, Any] = {"capture_output": True, "text": True, "check": False, **options}
    done = subprocess.run([sys.executable, *arguments], **asked)  # noqa: S603, PLW1510 - our own programs
    assert not check or done.returncode == 0, done.stderr
    return done


def script(name: str, *arguments: str, before: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run a program of `scripts` in a process of its own; folders stand before ours where it looks for modules."""
    places = os.pathsep.join(map(str, (*before, ROOT)))
    environment = {**os.environ, "PYTHONPATH": places, "PYTHONUTF8": "1"}
    return python(str(ROOT / "scripts" / name), *arguments, env=environment, encoding="utf-8")


def tables_of(configuration: Path, *settings: str, work: Work = SERIAL) -> Tables:
    """Return the tables of an experiment's results by their names; nothing is written or drawn."""
    experiment = load_configuration(configuration, settings)
    return result_tables(compute(experiment, work, Silent()))


def write_tables_of(configuration: Path, folder: Path, *settings: str, work: Work = SERIAL) -> None:
    """Write the tables of an experiment's results into a folder; nothing is drawn."""
    for name, table in tables_of(configuration, *settings, work=work).items():
        write_table(folder, name, table)


def all_numbers(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of summary.tsv and of details.tsv among tables by name."""
    return pd.concat([tables[name] for name in NUMBERS], ignore_index=True)


def measured(tables: Mapping[str, pd.DataFrame], corpus: str, measure: str) -> pd.DataFrame:
    """Return the rows of one measure of a corpus by variant."""
    rows = all_numbers(tables)
    return rows[(rows["corpus"] == corpus) & (rows["measure"] == measure)].set_index("variant")


def read_numbers_tsv(folder: Path) -> pd.DataFrame:
    """Return the rows of both tables in a folder of results, as `read_tsv` reads them."""
    return all_numbers({name: read_tsv(folder / name) for name in NUMBERS})


def read_tsv(path: Path) -> pd.DataFrame:
    """Return a written table, read by pandas alone: an empty cell is a missing number, and text stays as it is."""
    numbers = ("value", "low", "high", "p", "q")
    return pd.read_csv(path, sep="\t", keep_default_na=False, na_values={name: [""] for name in numbers}, quoting=3)


def jackknifed(aligned: Alignments, speakers: Sequence[str] | None, estimator: str) -> float:
    """Return I(X;Y) by an estimator, jackknifed over speakers or utterances: one matrix after the other."""

    def of(matrix: px.ConfusionMatrix) -> float:
        return confusion_information(matrix, estimator)

    stack = px.stack_confusions(aligned)
    return px.jackknife(of, stack, speakers=speakers, corrected=True).value
