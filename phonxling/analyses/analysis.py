"""What an analysis is, which there are, and what remains of them without any sign that answers depend on gold.

Where nothing shows that the answers depend on what was said, claims on the language stay empty. Confusions of such a
recogniser differ by the answers that it prefers alone, and tests would take that for the language's own.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.measures import Row, above_chance
from phonxling.analyses.mispronunciation import mispronunciations
from phonxling.analyses.rates import confusions_beside_chance, error_rates, feature_edits, information, people
from phonxling.analyses.tiers import segmentation, tone_tier
from phonxling.core.estimate import Estimate
from phonxling.results.tables import StreamedTable, Table

REASON = "nothing shows that the answers depend on what was said"
_CLAIMS = ("error_share", "expected_level_p")
_COLUMNS = {"contrasts": ("type",), "expected": ("q",), "groups": ("p", "q")}


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
        report(f"measuring {case.name}: {analysis.run.__name__.removeprefix('analyse').replace('_', ' ').strip()}")
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
    if isinstance(table, StreamedTable):  # utterances and alignments, which claim nothing
        return table
    if name == "errors":
        return table[table["reason"] != "expected"]
    # Masked, so that a column keeps its type.
    claims = [column for column in _COLUMNS.get(name, ()) if column in table]
    empty: dict[str, Any] = {column: table[column].mask(np.ones(len(table), dtype=bool)) for column in claims}
    return table.assign(**empty, **({"status": "not-above-chance"} if claims and "status" in table else {}))
