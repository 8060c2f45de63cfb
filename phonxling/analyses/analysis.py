"""What an analysis is, which there are, and what remains of them without any sign that answers depend on gold.

Where nothing shows that the answers depend on what was said, claims on the language stay empty. Confusions of such a
recogniser differ by the answers that it prefers alone, and tests would take that for the language's own.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from phonxling.analyses.beside_chance import confusions_beside_chance
from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.measures import Row, above_chance, row_of
from phonxling.analyses.mispronunciation import mispronunciations
from phonxling.analyses.rates import error_rates, feature_edits, information, people
from phonxling.configuration.models import Chance
from phonxling.core.estimate import Estimate
from phonxling.core.sequences import Corpus
from phonxling.results.tables import StreamedTable, Table

REASON = "nothing shows that the answers depend on what was said"
_CLAIMS = ("error_share", "expected_level_p")
_COLUMNS = {"contrasts": ("type",), "expected": ("q",), "groups": ("p", "q")}
_TONE_MODES = {
    "attach": "tone is part of the phones (tone: attach)",
    "strip": "tone is stripped (tone: strip)",
}


def tone_tier(case: CorpusContext, settings: Chance) -> AnalysisOutput:
    """Yield the error rate of the tone tier, its chance and skill, and the confusions of tones; or why not."""
    if why := _lack_of_tones(case.corpus, case.loaded.symbols):
        tones = case.corpus.gold.tones
        yield row_of("tone_error_rate", math.nan, 0 if tones is None else len(tones.codes), "", why)
        return
    from phonxling.analyses.tiers import tone_rows  # which most corpora have no use for

    yield from tone_rows(case, settings)


def _lack_of_tones(corpus: Corpus, symbols: Mapping[str, str]) -> str:
    """Return why a corpus, with these symbol sets and rules, has no tone measures; "" when it has."""
    if "raw" in symbols["sym"].split(","):
        return "raw symbols are compared as they stand, with their tones"
    for mode, why in _TONE_MODES.items():
        if mode in symbols["tone"].split(","):
            return why
    sides = ((corpus.gold, "the gold phones carry no tone"), (corpus.predicted, "the recogniser predicts no tone"))
    return next((why for side, why in sides if side.tones is None or not len(side.tones.codes)), "")


@dataclass(frozen=True, slots=True)
class Analysis:
    run: Callable[[CorpusContext, Any], AnalysisOutput]
    settings: str
    needs: Literal["predictions", "posteriors"] = "predictions"


_RATES = Analysis(error_rates, "")
_INFORMATION = Analysis(information, "entropy"), Analysis(people, "")
_TONES, _DETECTION = Analysis(tone_tier, "chance"), Analysis(mispronunciations, "")
FIRST = (_RATES, *_INFORMATION, _TONES, _DETECTION)  # what every score has
INFORMATION_BESIDE_CHANCE = (Analysis(confusions_beside_chance, ""),)


def every_analysis() -> tuple[Analysis, ...]:
    """Return all analyses, in the order of their rows in summary.tsv; they bring pandas."""
    from phonxling.analyses.association import association, posteriors
    from phonxling.analyses.calibration import confidence
    from phonxling.analyses.contrasts import contrasts
    from phonxling.analyses.error_parts import errors
    from phonxling.analyses.expected import analyse_expected
    from phonxling.analyses.features import class_rates, classes, features
    from phonxling.analyses.forced import analyse_forced
    from phonxling.analyses.map import phone_map
    from phonxling.analyses.phones import contexts, inventories, phones
    from phonxling.analyses.tiers import segmentation
    from phonxling.analyses.utterances import speaker_groups, weighted_tables

    return (
        _RATES,
        Analysis(class_rates, ""),
        Analysis(weighted_tables, ""),
        *_INFORMATION,
        *INFORMATION_BESIDE_CHANCE,
        Analysis(speaker_groups, ""),
        Analysis(phones, ""),
        Analysis(features, ""),
        Analysis(classes, ""),
        Analysis(contrasts, "contrasts"),
        Analysis(contexts, "context"),
        Analysis(inventories, ""),
        Analysis(segmentation, "boundaries"),
        Analysis(feature_edits, ""),
        _TONES,
        _DETECTION,
        Analysis(analyse_expected, "expected"),
        Analysis(errors, "expected"),
        Analysis(analyse_forced, "times", "posteriors"),
        Analysis(association, "information", "posteriors"),
        Analysis(phone_map, "map", "posteriors"),
        Analysis(confidence, "confidence"),
        Analysis(posteriors, "confidence", "posteriors"),
    )


def analyse(
    case: CorpusContext, analyses: Iterable[Analysis], report: Callable[[str], object] = lambda _: None
) -> tuple[list[Row], dict[str, Table]]:
    """Return the rows of the summary, and the tables by name, that the analyses make of a corpus."""
    rows, tables = list[Row](), dict[str, Table]()
    for analysis in analyses:
        settings = getattr(case.experiment, analysis.settings) if analysis.settings else None
        needed = case.loaded.corpus if analysis.needs == "predictions" else case.tokens
        if needed is None or (analysis.settings and settings is None):
            continue
        report(f"measuring {case.name}: {analysis.run.__name__.replace('_', ' ').strip()}")
        for item in analysis.run(case, settings):
            if isinstance(item, Row):
                rows.append(item)
            else:
                tables |= dict([item])
    if case.loaded.corpus is None or above_chance({(row.measure, row.variant): row.estimate for row in rows}):
        return rows, tables
    nothing = Estimate(math.nan, status="not-above-chance", note=REASON)
    kept = [replace(row, estimate=nothing, note="") if row.measure in _CLAIMS else row for row in rows]
    return kept, {name: drop_claims(name, table) for name, table in tables.items()}


def drop_claims(name: str, table: Table) -> Table:
    """Return a table without what claims something of the language."""
    if name == "errors" and not isinstance(table, StreamedTable):
        return table[table["reason"] != "expected"]
    columns = [column for column in _COLUMNS.get(name, ()) if not isinstance(table, StreamedTable) and column in table]
    if isinstance(table, StreamedTable) or not columns:
        return table
    every = np.ones(len(table), dtype=bool)
    empty: dict[str, Any] = {column: table[column].mask(every) for column in columns}  # of the type that the column has
    if "status" in table:
        empty["status"] = "not-above-chance"
    return table.assign(**empty)
