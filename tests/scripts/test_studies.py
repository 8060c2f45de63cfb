"""Studies of known truths: the documentation has what they print, warnings are on where they should be."""

import re

import numpy as np
import pytest
from interval_coverage import STUDIES
from running import ROOT, script
from simulations import reference
from simulations.runner import DESIGNS

pytestmark = pytest.mark.slow  # processes of their own


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_documentation_has_the_rows_that_the_script_prints() -> None:
    """Every row of every study, of one simulation each."""
    printed = rows_of("\n".join(line for study in STUDIES.values() for line in study(1)))
    shown = {(row[0], len(row)) for page in (ROOT / "docs").rglob("*.md") for row in rows_of(page.read_text("utf-8"))}
    labels = [(row[0], len(row)) for row in printed]
    assert len(labels) > 50
    assert sorted(label for label in labels if label not in shown) == []


def test_intervals_of_the_documentation_hold_the_truth_or_have_a_warning() -> None:
    """By five, 8, 12 and 20 speakers, equal or one with 40 %; brackets: few tokens."""
    documented = rows_of((ROOT / "docs" / "validation.md").read_text(encoding="utf-8"))
    rows = by_tokens(documented)
    assert len(rows) == 24
    assert [row for row in rows if min(int(row[2]), int(row[3])) < 90 and row[4] != "100"] == []
    rows = [row for row in documented if len(row) == 2 + len(DESIGNS) and re.fullmatch(r"[0-9,]+00", row[1])]
    given = [row for row in rows if "(has none)" not in row[0] and "over utterances" not in row[0]]
    assert len(given) > 40
    for row in given:
        assert all(91 <= int(cell.split()[0]) <= 98 for cell in row[2:] if "(100)" not in cell and cell != "–"), row


def by_tokens(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows by tokens of the matrix: tokens, tokens a cell, H(X|Y) held, I held, warned."""
    return [
        row for row in rows if len(row) == 5 and re.fullmatch(r"[0-9,]+", row[0]) and re.fullmatch(r"\d+\.\d", row[1])
    ]


def test_the_warning_is_on_for_few_tokens_a_cell_and_off_for_many() -> None:
    done = script("interval_coverage.py", "2", "--study", "information")
    assert done.returncode == 0, done.stderr
    rows = by_tokens(rows_of(done.stdout))
    assert {row[4] for row in rows if row[0] == "1,000" and float(row[1]) < 3.5} == {"100"}
    assert {row[4] for row in rows if row[0] in {"6,000", "30,000"}} == {"0"}


def test_phone_frequencies_and_neighbours_raise_no_alarm_and_worse_speakers_are_found() -> None:
    """Forty pairs of eight speakers: at most six alarms at .05 each, by chance in 1 of 70; more errors in most."""
    rows = [reference.row(8, 0.0, False, False, np.random.default_rng([5, number])) for number in range(40)]
    level, _, cells, any_q, worse, rate = np.nanmean(rows, axis=0)
    assert level <= 0.15
    assert cells <= 0.08
    assert any_q <= 0.1
    assert worse >= 0.45
    assert worse >= rate - 0.2
