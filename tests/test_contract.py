"""docs/contract.md lists all that users can see; here it is held against what there is."""

import re
from pathlib import Path

import pytest
from test_limits import options_of_score, settings_of
from typer.main import get_command

import phonxling
from phonxling.analyses.measures import measures
from phonxling.cli import app
from phonxling.configuration.models import Experiment
from phonxling.draw.gallery import FIGURES
from phonxling.results.tables import column_names, declared_tables

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "contract.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w[\w ]*)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
THERE_IS = {
    "Commands": {*get_command(app).commands},  # type: ignore[attr-defined]
    "Options of score": {*options_of_score()},
    "Settings": {*settings_of(Experiment)},
    "Measures": {one.name for one in measures()},
    "Figures": {one.name for one in FIGURES},
    "Python": {*dir(phonxling)} - {"__version__"},
}


def listed(section: str) -> list[str]:
    """Return the names that a section lists: those in its lists and tables, not in its sentences."""
    lines = [line.partition("|")[2] if line.startswith("|") else line for line in SECTIONS[section].splitlines()]
    return [name for line in lines if line[:1] in {"-", " "} for name in re.findall(r"`([^`]+)`", line)]


@pytest.mark.parametrize("section", THERE_IS)
def test_a_section_lists_what_there_is(section: str) -> None:
    names = listed(section)
    assert len({*names}) == len(names)
    assert {*names} == THERE_IS[section]


def test_the_tables_have_these_columns() -> None:
    rows = re.findall(r"^\| `([\w/]+)` \| [^|]+ \| (.+) \|$", SECTIONS["Tables"], re.MULTILINE)
    listed = {name: re.findall(r"`(\w+)`", columns) for name, columns in rows}
    assert listed == {table.table: column_names(table.table) for table in declared_tables()}
