"""What an analysis is, and the few that every score has; the registry has all, and brings pandas with them.

Where nothing shows that the answers depend on what was said, claims on the language stay empty. Confusions of such a
recogniser differ by the answers that it prefers alone, and tests would take that for the language's own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from phonxling.analyses.beside_chance import heard_all_the_same
from phonxling.analyses.case import Case, Items, of_costs, of_named_costs, of_people, with_inventory
from phonxling.analyses.measures import Row, Section, measure
from phonxling.analyses.rates import information, people, phone_error_rate, weighted_rate
from phonxling.analyses.tone import tone_tier
from phonxling.core.estimate import Estimate, joined, nothing_heard
from phonxling.tables.files import Lines, Table

REASON = "nothing shows that the answers depend on what was said"
_MISSING = Estimate(float("nan"))
_CLAIMS = ("error_share", "expected_level_p")
_COLUMNS = {
    "expected": ("p", "q"),
    "group_confusions": ("p", "q"),
    "groups": ("p", "q", "least_difference"),
    "missed": ("expected", "level", "pattern", "unattested"),
    "nearest": ("share_nearest",),
}


@dataclass(frozen=True, slots=True)
class Analysis:
    run: Callable[[Case, Any], Items]
    settings: str
    signature: Callable[[Case], str]
    needs: Literal["predictions", "posteriors"] = "predictions"
    scored: bool = True


PHONE_ERROR_RATE = Analysis(phone_error_rate, "", of_named_costs("unit"))
WEIGHTED_RATE = Analysis(weighted_rate, "", of_costs)
INFORMATION = Analysis(information, "entropy", of_costs)
PEOPLE = Analysis(people, "", of_people)
TONE_TIER = Analysis(tone_tier, "chance", of_named_costs("unit"))
FIRST = (PHONE_ERROR_RATE, WEIGHTED_RATE, INFORMATION, PEOPLE, TONE_TIER)
HEARD = (Analysis(heard_all_the_same, "", of_costs),)


def analyse(
    case: Case, analyses: Iterable[Analysis], hear: Callable[[str], object] = lambda _: None
) -> tuple[list[Section], dict[str, Table]]:
    """Return the sections of the summary and the tables by name that the analyses make of a case."""
    sections, tables = list[Section](), dict[str, Table]()
    for analysis in analyses:
        settings = getattr(case.experiment, analysis.settings) if analysis.settings else None
        needed = case.aligned if analysis.needs == "predictions" else case.tokens
        if needed is None or (analysis.settings and settings is None):
            continue
        hear(f"measuring {case.name}: {analysis.run.__name__.replace('_', ' ').strip()}")
        items = list(analysis.run(case, settings))
        line = analysis.signature(case)
        rows = [item for item in items if isinstance(item, Row)]
        sections.append(Section(case.name, line, rows, with_inventory(line, case.recogniser_inventory)))
        own = dict(item for item in items if not isinstance(item, Row))
        if analysis.needs == "posteriors":  # a column says whether times were forced
            own = {
                name: table.assign(times="forced") if case.forced else table.drop(columns="times", errors="ignore")
                for name, table in own.items()
                if not isinstance(table, Lines)
            }
        tables |= own
    if not heard_nothing(sections):
        return sections, tables
    for section in sections:
        for place, row in enumerate(section.rows):
            if row.measure in _CLAIMS:
                section.rows[place] = replace(row, estimate=_MISSING, note=REASON)
    return sections, {name: silenced(name, table) for name, table in tables.items()}


def heard_nothing(sections: Iterable[Section]) -> bool:
    """Return whether the rows of one corpus show nothing that was heard; False where they have no skill."""
    rows = {(row.measure, row.variant): row for section in sections for row in section.rows}
    known = []
    for name in ("skill_wper", "skill_per", "mutual_information_excess"):  # with all that is noted of each
        row = rows.get((name, measure(name).variant))
        known.append(replace(row.estimate, note=joined([row.note, row.estimate.note])) if row else _MISSING)
    *skills, excess = known
    return nothing_heard(next((one for one in skills if one.value == one.value), _MISSING), excess)


def silenced(name: str, table: Table) -> Table:
    """Return a table without what claims something of the language."""
    columns = [column for column in _COLUMNS.get(name, ()) if not isinstance(table, Lines) and column in table]
    if isinstance(table, Lines) or not columns:
        return table
    every = np.ones(len(table), dtype=bool)
    empty: dict[str, Any] = {column: table[column].mask(every) for column in columns}  # of the type that the column has
    if "note" in table:
        empty["note"] = [joined([REASON, note]) for note in table["note"]]
    return table.assign(**empty)
