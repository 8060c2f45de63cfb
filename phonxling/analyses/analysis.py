"""What an analysis is, and the few that every score has; the registry has all, and brings pandas with them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.information import information
from phonxling.analyses.loaded import features_of
from phonxling.analyses.rates import phone_error_rate, weighted_rate
from phonxling.analyses.rows import Row, Section
from phonxling.analyses.signature import signature, with_inventory
from phonxling.analyses.silence import heard_nothing, silenced, silenced_rows
from phonxling.analyses.tone import tone_tier
from phonxling.tables.files import Lines, Table


@dataclass(frozen=True, slots=True)
class Analysis:
    """One analysis."""

    run: Callable[[Case, Any], Items]
    settings: str
    signature: Callable[[Case], str]
    needs: Literal["predictions", "posteriors"] = "predictions"
    scored: bool = True


@dataclass(frozen=True, slots=True)
class JointAnalysis:
    """One analysis of all corpora of an experiment together."""

    run: Callable[[Sequence[Case], Any], Iterator[tuple[str, Table]]]
    settings: str


def of_costs(case: Case) -> str:
    """Return the signature of numbers of the alignment in use."""
    return signature(case.experiment, case.loaded, case.counted.costs, case.counted.scoring)


def of_best_alignment(costs: str) -> Callable[[Case], str]:
    """Return what gives the signature of numbers of the best alignments under costs of this name."""

    def line(case: Case) -> str:
        corpus = case.counted.corpus
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, features_of(case.experiment))
        return signature(case.experiment, case.loaded, table)

    return line


PHONE_ERROR_RATE = Analysis(phone_error_rate, "", of_best_alignment("unit"))
WEIGHTED_RATE = Analysis(weighted_rate, "", of_costs)
INFORMATION = Analysis(information, "entropy", of_costs)
TONE_TIER = Analysis(tone_tier, "chance", of_best_alignment("unit"))
FIRST = (PHONE_ERROR_RATE, WEIGHTED_RATE, INFORMATION, TONE_TIER)


def analyse(case: Case, analyses: Iterable[Analysis]) -> tuple[list[Section], dict[str, Table]]:
    """Return the sections of the summary and the tables by name that the analyses make of a case."""
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    for analysis in analyses:
        if _applies(analysis, case):
            own: dict[str, Table] = {}
            rows = list(_kept(analysis.run(case, _settings(analysis, case)), own))
            line = analysis.signature(case)
            sections.append(Section(case.name, line, rows, with_inventory(line, case.recogniser_inventory)))
            tables |= _marked(own, forced=case.forced is not None) if analysis.needs == "posteriors" else own
    if heard_nothing(sections):
        return [*map(silenced_rows, sections)], {name: silenced(name, table) for name, table in tables.items()}
    return sections, tables


def analyse_together(cases: Sequence[Case], analyses: Iterable[JointAnalysis]) -> dict[str, Table]:
    """Return the tables by name that the analyses make of all cases of an experiment."""
    applied = [analysis for analysis in analyses if _wanted(analysis, cases[0])]
    return {name: table for analysis in applied for name, table in analysis.run(cases, _settings(analysis, cases[0]))}


def _wanted(analysis: Analysis | JointAnalysis, case: Case) -> bool:
    return not analysis.settings or _settings(analysis, case) is not None


def _applies(analysis: Analysis, case: Case) -> bool:
    if not _wanted(analysis, case):
        return False
    return (case.aligned if analysis.needs == "predictions" else case.tokens) is not None


def _marked(tables: Mapping[str, Table], *, forced: bool) -> dict[str, Table]:
    """Return tables of posteriors, with a column that says so where they rest on forced times, else without it."""
    frames = {name: table for name, table in tables.items() if not isinstance(table, Lines)}
    if forced:
        return {name: table.assign(times="forced") for name, table in frames.items()}
    return {name: table.drop(columns="times", errors="ignore") for name, table in frames.items()}


def _settings(analysis: Analysis | JointAnalysis, case: Case) -> object:
    return getattr(case.experiment, analysis.settings) if analysis.settings else None


def _kept(items: Items, tables: dict[str, Table]) -> Iterator[Row]:
    """Yield the rows, and put the tables where they belong."""
    for item in items:
        if isinstance(item, Row):
            yield item
        else:
            tables[item[0]] = item[1]
