"""What an analysis is, and the few that every score has; the registry has all, and brings pandas with them.

Where nothing shows that the answers depend on what was said, claims on the language stay empty. Confusions of such a
recogniser differ by the answers that it prefers alone, and tests would take that for the language's own.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from phonxling.analyses.beside_chance import confusions_beside_chance
from phonxling.analyses.case import Case, Items
from phonxling.analyses.measures import Row, Section, above_chance
from phonxling.analyses.rates import information, people, phone_error_rate, weighted_rate
from phonxling.analyses.tone import tone_tier
from phonxling.core.estimate import Estimate
from phonxling.tables.files import Lines, Table

REASON = "nothing shows that the answers depend on what was said"
_CLAIMS = ("error_share", "expected_level_p")
_COLUMNS = {"contrasts": ("type",), "expected": ("q",), "groups": ("p", "q")}


@dataclass(frozen=True, slots=True)
class Analysis:
    run: Callable[[Case, Any], Items]
    settings: str
    needs: Literal["predictions", "posteriors"] = "predictions"
    scored: bool = True


PHONE_ERROR_RATE = Analysis(phone_error_rate, "")
WEIGHTED_RATE = Analysis(weighted_rate, "")
INFORMATION = Analysis(information, "entropy")
PEOPLE = Analysis(people, "")
TONE_TIER = Analysis(tone_tier, "chance")
FIRST = (PHONE_ERROR_RATE, WEIGHTED_RATE, INFORMATION, PEOPLE, TONE_TIER)
INFORMATION_BESIDE_CHANCE = (Analysis(confusions_beside_chance, ""),)


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
        sections.append(Section(case.name, [item for item in items if isinstance(item, Row)]))
        tables |= dict(item for item in items if not isinstance(item, Row))
    rows = {(row.measure, row.variant): row.estimate for section in sections for row in section.rows}
    if not case.aligned or above_chance(rows):
        return sections, tables
    for section in sections:
        for place, row in enumerate(section.rows):
            if row.measure in _CLAIMS:
                nothing = Estimate(math.nan, status="not-above-chance", note=REASON)
                section.rows[place] = replace(row, estimate=nothing, note="")
    return sections, {name: drop_claims(name, table) for name, table in tables.items()}


def drop_claims(name: str, table: Table) -> Table:
    """Return a table without what claims something of the language."""
    if name == "errors" and not isinstance(table, Lines):
        return table[table["reason"] != "expected"]
    columns = [column for column in _COLUMNS.get(name, ()) if not isinstance(table, Lines) and column in table]
    if isinstance(table, Lines) or not columns:
        return table
    every = np.ones(len(table), dtype=bool)
    empty: dict[str, Any] = {column: table[column].mask(every) for column in columns}  # of the type that the column has
    if "status" in table:
        empty["status"] = "not-above-chance"
    return table.assign(**empty)
