"""Runs of small experiments without drawing, which takes most of a run's time, and what the command line gave."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pandas as pd
from typer.testing import CliRunner

import phonxling as px
from phonxling.alignment.confusions import stack_confusions
from phonxling.analyses.statistics import confusion_information
from phonxling.cli import app
from phonxling.configuration.reading import load_configuration
from phonxling.core.confusion import Alignments
from phonxling.core.work import SERIAL, SilentProgress, Work
from phonxling.experiment.computing import compute, result_tables
from phonxling.results.tables import has_table, read_table, tables_of as tables_in, write_table

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
    """Return the tables of an experiment as they are read back, by name, and their rows of each corpus by corpus/name.

    Nothing is drawn.
    """
    with TemporaryDirectory() as folder:
        write_tables_of(configuration, Path(folder), *settings, work=work)
        return stored_tables(Path(folder))


def write_tables_of(configuration: Path, folder: Path, *settings: str, work: Work = SERIAL) -> None:
    """Write the tables of an experiment's results into a folder; nothing is drawn."""
    experiment = load_configuration(configuration, settings)
    for name, table in result_tables(compute(experiment, work, SilentProgress())).items():
        write_table(folder, name, table)


def stored_tables(folder: Path) -> Tables:
    """Return the tables in a folder of results by name, and their rows of each corpus by corpus/name."""
    whole = {name: read_table(folder, name) for name in tables_in("results") if has_table(folder, name)}
    parts = {
        f"{corpus}/{name}": rows.drop(columns="corpus").reset_index(drop=True)
        for name, table in whole.items()
        if "corpus" in table
        for corpus, rows in table.groupby("corpus", sort=False)
    }
    return {**whole, **parts}


def measured(tables: Mapping[str, pd.DataFrame], corpus: str, measure: str) -> pd.DataFrame:
    """Return the rows of one measure of a corpus by variant."""
    rows = tables["summary"]
    return rows[(rows["corpus"] == corpus) & (rows["measure"] == measure)].set_index("variant")


def read_tsv(path: Path) -> pd.DataFrame:
    """Return a written table, read by pandas alone: an empty cell is a missing number, and text stays as it is."""
    numbers = ("value", "low", "high", "p", "q")
    return pd.read_csv(path, sep="\t", keep_default_na=False, na_values={name: [""] for name in numbers}, quoting=3)


def jackknifed(aligned: Alignments, speakers: Sequence[str] | None, estimator: str) -> float:
    """Return I(X;Y) by an estimator, jackknifed over speakers or utterances: one matrix after the other."""

    def of(matrix: px.ConfusionMatrix) -> float:
        return confusion_information(matrix, estimator)

    stack = stack_confusions(aligned)
    return px.jackknife(of, stack, speakers=speakers, corrected=True).value


@contextmanager
def dask_cluster(workers: int) -> Iterator[Any]:
    """Start workers of Dask on this machine, in processes of their own, and give their LocalCluster."""
    from distributed import LocalCluster  # a third of a second, for slow tests alone

    with (
        patch.dict(os.environ),  # workers are started with variables that they leave behind
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
    ):
        yield cluster
