"""What is not said of a corpus of which nothing shows that anything was heard: claims of its language stay empty.

The confusions of a recogniser that does not hear differ from phone to phone by what it likes to answer alone. Tests of
asymmetry, of other languages' confusions, and the reasons of errors would take that for the language's own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from phonxling.analyses.beside_chance import nothing_heard
from phonxling.analyses.measures import measure
from phonxling.analyses.rows import Row, Section
from phonxling.core.estimate import Estimate, joined
from phonxling.tables.files import Lines, Table

REASON = "nothing shows that anything was heard"
_CLAIMS = ("error_share", "error_share_null", "expected_level_p", "expected_pattern_p")
_COLUMNS: Mapping[str, Sequence[str]] = {
    "asymmetry": ("p", "q"),
    "differences": ("p", "q"),
    "expected": ("p", "q"),
    "missed": ("expected", "level", "pattern", "unattested"),
    "nearest": ("share_nearest",),
}


def heard_nothing(sections: Iterable[Section]) -> bool:
    """Return whether the rows of one corpus show nothing that was heard; False where they have no skill."""
    rows = {(row.measure, row.variant): row for section in sections for row in section.rows}
    known = [_estimate(rows, name) for name in ("skill_wper", "skill_per")]
    skill = next((one for one in known if one.value == one.value), Estimate(float("nan")))
    return nothing_heard(skill, _estimate(rows, "mutual_information_excess"))


def _estimate(rows: Mapping[tuple[str, str], Row], name: str) -> Estimate:
    """Return the number that stands for a measure, with all that is noted of it."""
    row = rows.get((name, measure(name).variant))
    return Estimate(float("nan")) if row is None else replace(row.estimate, note=joined([row.note, row.estimate.note]))


def silenced_rows(section: Section) -> Section:
    """Return a section without the numbers that claim something of the language."""
    rows = [
        replace(row, estimate=Estimate(float("nan")), note=REASON) if row.measure in _CLAIMS else row
        for row in section.rows
    ]
    return replace(section, rows=rows)


def silenced(name: str, table: Table, corpora: frozenset[str] | None = None) -> Table:
    """Return a table without what claims something of the language: of these corpora, or in all rows."""
    columns = [column for column in _COLUMNS.get(name, ()) if not isinstance(table, Lines) and column in table]
    if isinstance(table, Lines) or not columns:
        return table
    own = np.ones(len(table), dtype=bool)
    if corpora is not None:
        own = table[["corpus", "other"]].isin([*corpora]).any(axis=1).to_numpy(bool)
    empty = {column: table[column].mask(own) for column in columns}
    if "note" in table:
        empty["note"] = table["note"].where(~own, [joined([REASON, note]) for note in table["note"]])
    return table.assign(**empty)
