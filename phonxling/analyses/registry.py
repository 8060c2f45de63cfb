"""All analyses, in the order of their rows in summary.tsv: what each takes, and which signature its rows bear."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import pandas as pd

from phonxling.alignment.costs.named import cost_table
from phonxling.analyses.association.analysis import association
from phonxling.analyses.asymmetry import asymmetries
from phonxling.analyses.boundaries import segmentation
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.features import features_of
from phonxling.analyses.case.signature import (
    beside_forced,
    boundary_signature,
    confidence_signature,
    posterior_signature,
    quality_signature,
    signature,
)
from phonxling.analyses.chance.analysis import confusions_beside_chance
from phonxling.analyses.classes.analysis import classes
from phonxling.analyses.confidence.analysis import confidence
from phonxling.analyses.contexts.analysis import contexts
from phonxling.analyses.correspondence.analysis import correspondences, rank_correlation
from phonxling.analyses.correspondence.relabelling import relabelled_rates
from phonxling.analyses.decoded import decoded
from phonxling.analyses.expected.analysis import expected
from phonxling.analyses.features.analysis import features
from phonxling.analyses.forced.analysis import forced
from phonxling.analyses.information.analysis import information
from phonxling.analyses.insertions.analysis import insertions
from phonxling.analyses.inventories import inventories
from phonxling.analyses.map.analysis import phone_map
from phonxling.analyses.missed.analysis import missed
from phonxling.analyses.phones.analysis import phones
from phonxling.analyses.posteriors.analysis import posteriors
from phonxling.analyses.rates.analysis import feature_edits, learned_costs, phone_error_rate, weighted_rate
from phonxling.analyses.rows import Row, Section
from phonxling.analyses.tone.joint import tone_with_segment
from phonxling.analyses.tone.tier import tone_tier
from phonxling.tables.files import Table

Scored: TypeAlias = Literal["first", "all", "no"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """One analysis.

    Parameters
    ----------
    run : callable
        A case and a section of the configuration to rows of the summary and tables by name.
    settings : str
        The section's name; "" for none.
    signature : callable
        The signature of its rows.
    needs : {"predictions", "posteriors"}
        What a corpus must have for it.
    scored : {"first", "all", "no"}
        Whether `score` has its rows too: always, or where all numbers are asked for.
    """

    run: Callable[[Case, Any], Items]
    settings: str
    signature: Callable[[Case], str]
    needs: Literal["predictions", "posteriors"] = "predictions"
    scored: Scored = "all"


def _of_costs(case: Case) -> str:
    return signature(case.experiment, case.loaded, case.counted.costs, case.counted.scoring)


def _of_best_alignment(costs: str) -> Callable[[Case], str]:
    def line(case: Case) -> str:
        corpus = case.counted.corpus
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, features_of(case.experiment))
        return signature(case.experiment, case.loaded, table)

    return line


def _of_posteriors(case: Case) -> str:
    reference = None if case.reference is None else case.reference.loaded
    return beside_forced(posterior_signature(case.experiment, case.loaded), reference)


def _of_boundaries(case: Case) -> str:
    return boundary_signature(case.experiment, case.loaded, case.counted.costs)


def _of_confidence(case: Case) -> str:
    return confidence_signature(case.experiment, case.loaded, case.counted.costs)


def _of_quality(case: Case) -> str:
    reference = None if case.reference is None else case.reference.loaded
    return beside_forced(quality_signature(case.experiment, case.loaded, case.token_resampling), reference)


ANALYSES = (
    Analysis(decoded, "", _of_costs, scored="no"),
    Analysis(phone_error_rate, "", _of_best_alignment("unit"), scored="first"),
    Analysis(weighted_rate, "alignment", _of_costs, scored="first"),
    Analysis(information, "entropy", _of_costs, scored="first"),
    Analysis(rank_correlation, "", _of_costs),
    Analysis(confusions_beside_chance, "", _of_costs),
    Analysis(phones, "entropy", _of_costs, scored="no"),
    Analysis(features, "alignment", _of_costs, scored="no"),
    Analysis(classes, "classes", _of_costs, scored="no"),
    Analysis(correspondences, "", _of_costs, scored="no"),
    Analysis(relabelled_rates, "", _of_costs, scored="no"),
    Analysis(asymmetries, "", _of_costs, scored="no"),
    Analysis(learned_costs, "", _of_costs, scored="no"),
    Analysis(insertions, "", _of_costs),
    Analysis(contexts, "context", _of_costs),
    Analysis(tone_with_segment, "", _of_costs),
    Analysis(inventories, "", _of_costs),
    Analysis(segmentation, "boundaries", _of_boundaries),
    Analysis(feature_edits, "", _of_best_alignment("panphon-hamming")),
    Analysis(tone_tier, "chance", _of_best_alignment("unit"), scored="first"),
    Analysis(expected, "expected", _of_costs, scored="no"),
    Analysis(missed, "expected", _of_costs, scored="no"),
    Analysis(forced, "forced", _of_posteriors, "posteriors", scored="no"),
    Analysis(association, "information", _of_posteriors, "posteriors", scored="no"),
    Analysis(phone_map, "embedding", _of_posteriors, "posteriors", scored="no"),
    Analysis(confidence, "confidence", _of_confidence),
    Analysis(posteriors, "confidence", _of_quality, "posteriors", scored="no"),
)


def analyse(case: Case, scored: Sequence[Scored] = get_args(Scored)) -> tuple[list[Section], dict[str, Table]]:
    """Return the sections of the summary and the tables by name that the analyses make of a case: those so scored."""
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    for analysis in ANALYSES:
        if _applies(analysis, case) and analysis.scored in scored:
            own: dict[str, Table] = {}
            rows = list(_kept(analysis.run(case, _settings(analysis, case)), own))
            sections.append(Section(case.name, analysis.signature(case), rows))
            tables |= _marked(own, forced=case.forced is not None) if analysis.needs == "posteriors" else own
    return sections, tables


def _applies(analysis: Analysis, case: Case) -> bool:
    return (case.aligned if analysis.needs == "predictions" else case.tokens) is not None


def _marked(tables: Mapping[str, Table], *, forced: bool) -> dict[str, Table]:
    """Return tables of posteriors, with a column that says so where they rest on forced times, else without it."""
    frames = {name: table for name, table in tables.items() if isinstance(table, pd.DataFrame)}
    if forced:
        return {name: table.assign(times="forced") for name, table in frames.items()}
    return {name: table.drop(columns="times", errors="ignore") for name, table in frames.items()}


def _settings(analysis: Analysis, case: Case) -> object:
    return getattr(case.experiment, analysis.settings) if analysis.settings else None


def _kept(items: Items, tables: dict[str, Table]) -> Iterator[Row]:
    """Yield the rows, and put the tables where they belong."""
    for item in items:
        if isinstance(item, Row):
            yield item
        else:
            tables[item[0]] = item[1]
