"""Small finished results to be compared, and what `compare` made of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from support import speakers_file, transcript
from typer.testing import CliRunner, Result

import phonxling as px
from phonxling.cli import app
from phonxling.configuration.reading import load_configuration
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.computing import computed_tables
from phonxling.experiment.pipeline import describe_experiment
from phonxling.results.folder import write_manifest, write_tables

ALONE = """\
name: {name}
corpora: {{one: {{gold: {gold}, predicted: {predicted}, speakers: one/speakers.tsv}}}}
chance: {{models: [constant, unigram], replicates: 2}}
figures: {{formats: [svg]}}
"""


def write(path: Path, names: list[str], lines: list[list[str]]) -> None:
    transcript(path, dict(zip(names, lines, strict=True)))


def misheard(line: Sequence[str], rate: float, generator: np.random.Generator, phones: Sequence[str]) -> list[str]:
    """Return a line with so many phones replaced, some deleted, and one added now and then."""
    heard = [str(generator.choice(phones)) if generator.random() < rate else phone for phone in line]
    kept = [phone for phone in heard if generator.random() > rate / 5]
    return [*kept, "a"] if generator.random() < rate else kept


def two_systems(folder: Path, text: str, *corpora: str) -> Path:
    """Return the comparison of a good and a bad system on corpora of eight speakers, made in a folder."""
    generator, phones = np.random.default_rng(5), ("p", "b", "a", "i")
    names = [f"u{number:02d}" for number in range(48)]
    speakers_file(folder / "speakers.tsv", {name: f"s{number % 8}" for number, name in enumerate(names)})
    for corpus in corpora:
        gold = [generator.choice(phones, 12).tolist() for _ in names]
        write(folder / f"{corpus}.tsv", names, gold)
        for system, rate in (("good", 0.1), ("bad", 0.4)):
            write(folder / f"{system}-{corpus}.tsv", names, [misheard(line, rate, generator, phones) for line in gold])
    results = [finish(folder, system, text.replace("SYSTEM", system)) for system in ("good", "bad")]
    assert invoke(*results, "--output", folder / "out").exit_code == 0
    return folder / "out"


def finish(folder: Path, name: str, text: str, *settings: str) -> Path:
    """Run an experiment and return its results, which are whole but for the figures."""
    config = folder / f"{name}.yaml"
    config.write_text(text, encoding="utf-8")
    experiment, out = load_configuration(config, list(settings)), folder / "results" / name
    tables, about = computed_tables(experiment, SERIAL, SilentProgress())
    out.mkdir(parents=True, exist_ok=True)
    write_manifest(out, {**describe_experiment(experiment), **about}, write_tables(out, tables))
    return out


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)], catch_exceptions=True)


def printed(found: Result) -> str:
    """Return what was printed as one line: the terminal breaks sentences."""
    return " ".join(found.stdout.split())


def refusal(*arguments: object) -> str:
    found = invoke(*arguments)
    assert isinstance(found.exception, px.PhonxlingError), found.output
    return f"{found.exception.exit_code}: {found.exception}"


def table(path: Path) -> pd.DataFrame:
    numbers = ("p", "q", "value", "other_value", "difference", "low", "high", "randomisation", "least_difference")
    return pd.read_csv(path, sep="\t", keep_default_na=False, na_values={one: [""] for one in numbers}, quoting=3)


def own_table(results: Path, name: str, corpus: str = "one") -> pd.DataFrame:
    """Return the rows of a corpus of results."""
    rows = table(results / f"{name}.tsv")
    return rows[rows["corpus"] == corpus].drop(columns="corpus")


def row(folder: Path, *wanted: str) -> dict[str, Any]:
    """Return the row of differences.tsv with this measure, item and other item."""
    chosen = only(table(folder / "differences.tsv"), dict(zip(("measure", "item", "other"), wanted, strict=True)))
    return {str(key): value for key, value in chosen.items()}


def only(rows: pd.DataFrame, wanted: dict[str, str]) -> pd.Series:
    chosen = rows[(rows[list(wanted)] == pd.Series(wanted)).all(axis=1)]
    assert len(chosen) == 1
    return chosen.iloc[0]
