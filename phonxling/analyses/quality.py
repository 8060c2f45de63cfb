"""Confidence, calibration and posterior quality of one corpus: its tables and its sections of the summary."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from phonxling.analyses.case.analysis import Analysis
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.signature import posterior_signature, signature
from phonxling.analyses.confidence import tables as confidence_tables
from phonxling.analyses.confidence.confidences import Confidences, confidences
from phonxling.analyses.confidence.rows import confidence_rows
from phonxling.analyses.posteriors import tables as posterior_tables
from phonxling.analyses.posteriors.gold_labels import label_shares
from phonxling.analyses.posteriors.quality import TokenQuality, token_quality
from phonxling.analyses.posteriors.rows import posterior_rows
from phonxling.analyses.rows import Section
from phonxling.core.files import digest
from phonxling.core.means import TokenPosteriors
from phonxling.load.remote.urls import local
from phonxling.settings.models import Experiment


@dataclass(frozen=True)
class Quality:
    """Tables by name, and sections of the summary."""

    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()


def quality(
    loaded: LoadedCorpus,
    analysis: Analysis | None,
    tokens: Mapping[str, TokenPosteriors],
    reference: LoadedCorpus | None,
    experiment: Experiment,
) -> Quality:
    """Return what confidences and posteriors of one corpus are worth; `tokens` are of all corpora, by name."""
    tables: dict[str, pd.DataFrame] = {}
    sections: list[Section] = []
    if analysis is not None:
        sources, bins = list(confidences(loaded, analysis)), experiment.confidence.bins
        sections.append(confidence_section(loaded, analysis, sources, experiment))
        if any(not found.missing for found in sources):
            tables["confidence"] = confidence_tables.confidence_table(analysis, sources, bins)
            tables["calibration"] = confidence_tables.calibration_table(analysis, sources, bins)
    if loaded.name in tokens:
        found = token_quality(loaded, tokens[loaded.name], analysis, experiment)
        tables["posteriors"] = posterior_tables.by_phone(found)
        tables["posterior_utterances"] = posterior_tables.by_utterance(found)
        rows = list(posterior_rows(found, *_reference_shares(loaded, tokens, reference, experiment)))
        sections.append(Section(loaded.name, _posterior_line(loaded, found, experiment), rows))
    return Quality(tables, tuple(sections))


def confidence_section(
    loaded: LoadedCorpus, analysis: Analysis, sources: Iterable[Confidences], experiment: Experiment
) -> Section:
    """Return the summary rows of these confidences."""
    rows = [row for found in sources for row in confidence_rows(analysis, found, experiment.confidence.bins)]
    line = signature(experiment, loaded, analysis.costs)
    return Section(loaded.name, _marked(line, bins=str(experiment.confidence.bins)), rows)


def _reference_shares(
    loaded: LoadedCorpus,
    tokens: Mapping[str, TokenPosteriors],
    reference: LoadedCorpus | None,
    experiment: Experiment,
) -> tuple[Mapping[str, float] | None, str]:
    """Return the shares of the reference's gold phones, or why there are none; neither for the reference itself."""
    if loaded is reference:
        return None, ""
    if reference is None:
        return None, "no corpus has the role reference"
    if reference.name not in tokens:
        return None, f"the reference {reference.name} has no posteriors with times"
    return label_shares(tokens[reference.name], experiment), ""


def _posterior_line(loaded: LoadedCorpus, found: TokenQuality, experiment: Experiment) -> str:
    chosen, table = experiment.confidence, local(experiment.confidence.map)
    named = {} if table is None else {"same": f"{table.name}/{digest(table)[:8]}"}
    return _marked(
        posterior_signature(experiment, loaded),
        floor=f"{chosen.floor:g}",
        **named,
        boot=str(found.resampling.replicates),
        cluster=found.resampling.unit,
    )


def _marked(line: str, **parts: str) -> str:
    """Return a signature with further parts before its version; a part that it has already stays as it is."""
    head, version = line.rsplit("|", 1)
    new = [f"{key}:{value}" for key, value in parts.items() if f"|{key}:" not in head]
    return "|".join([head, *new, version])
