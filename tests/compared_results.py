"""Small finished results to be compared, and what `compare` made of them."""

from pathlib import Path
from typing import Any

import pandas as pd
from support import transcript
from typer.testing import CliRunner, Result

import phonxling as px
from phonxling.cli import app
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.computing import compute, result_tables
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.manifest import manifest
from phonxling.store.folder import outputs
from phonxling.tables.files import write_json, write_table

ALONE = """\
name: {name}
corpora: {{one: {{gold: {gold}, predicted: {predicted}, speakers: one/speakers.tsv}}}}
chance: {{models: [constant, unigram], replicates: 2}}
uncertainty: {{resamples: 50}}
figures: {{formats: [svg]}}
"""


def write(path: Path, names: list[str], lines: list[list[str]]) -> None:
    transcript(path, dict(zip(names, lines, strict=True)))


def finish(folder: Path, name: str, text: str, *settings: str) -> Path:
    """Run an experiment and return its results, which are whole but for the figures."""
    config = folder / f"{name}.yaml"
    config.write_text(text, encoding="utf-8")
    experiment, out = load_configuration(config, list(settings)), folder / "results" / name
    tables = result_tables(compute(experiment, SERIAL, Silent()))
    for path, found in tables.items():
        write_table(out, path, found)
    write_json(
        out / "manifest.json", {**manifest(experiment), "outputs": outputs(out, [out / path for path in tables])}
    )
    return out


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)], catch_exceptions=True)


def refusal(*arguments: object) -> str:
    found = invoke(*arguments)
    assert isinstance(found.exception, px.PhonxlingError), found.output
    return f"{found.exception.exit_code}: {found.exception}"


def table(path: Path) -> pd.DataFrame:
    limits = ("low", "high", "other_low", "other_high", "difference_low", "difference_high")
    numbers = ("p", "q", "value", "other_value", "difference", *limits)
    return pd.read_csv(path, sep="\t", keep_default_na=False, na_values={one: [""] for one in numbers}, quoting=3)


def row(folder: Path, *wanted: str) -> dict[str, Any]:
    """Return the row of comparison.tsv with this measure, item, other item and test."""
    chosen = only(
        table(folder / "comparison.tsv"), dict(zip(("measure", "item", "other", "test"), wanted, strict=True))
    )
    return {str(key): value for key, value in chosen.items()}


def only(rows: pd.DataFrame, wanted: dict[str, str]) -> pd.Series:
    chosen = rows[(rows[list(wanted)] == pd.Series(wanted)).all(axis=1)]
    assert len(chosen) == 1
    return chosen.iloc[0]
