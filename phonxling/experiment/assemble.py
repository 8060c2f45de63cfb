"""Everything computed of an experiment, put into the tables of its results."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from phonxling.align.costs.named import cost_table
from phonxling.analyses.association.association import Association
from phonxling.analyses.association.rows import association_rows
from phonxling.analyses.association.tables import association_table, frame_table
from phonxling.analyses.case.analysis import Analysis
from phonxling.analyses.case.features import features_for, features_of
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.signature import posterior_signature, signature
from phonxling.analyses.chance.measure_rows import beside_chance
from phonxling.analyses.classes.tables import class_tables
from phonxling.analyses.details import detail_rows, detail_tables
from phonxling.analyses.expected import rows as expectation
from phonxling.analyses.expected.cross_entropy_rows import cross_entropy_rows, missing_cross_entropy
from phonxling.analyses.expected.sensitivity import sensitivity_table
from phonxling.analyses.expected.tested import reference_test, tested_rows
from phonxling.analyses.features.table import feature_table
from phonxling.analyses.information import rows as confusion_rows
from phonxling.analyses.map.embedding import PhoneMap
from phonxling.analyses.missed.split import missed
from phonxling.analyses.missed.tables import missed_rows, missed_table
from phonxling.analyses.phones.table import phone_table
from phonxling.analyses.quality import quality
from phonxling.analyses.rates import gap_costs as gap_rates
from phonxling.analyses.rates import rows as rate_rows
from phonxling.analyses.rows import Row, Section, summary_table
from phonxling.analyses.tables import (
    alignment_lines,
    confusion_table,
    symbol_table,
    utterance_table,
)
from phonxling.analyses.tone.tier import tone_analysis, tone_rows, tone_table
from phonxling.core.means import TokenPosteriors
from phonxling.core.work import SERIAL, Work
from phonxling.experiment.cost_records import learned_tables
from phonxling.resample.linear_algebra import one_thread
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table

_Tables = Iterator[tuple[str, Table]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Computed:
    """An experiment's corpora, what was computed from each by its name, and the phone map."""

    corpora: list[LoadedCorpus]
    analyses: Mapping[str, Analysis]
    tokens: Mapping[str, TokenPosteriors]
    associations: Mapping[str, Association]
    phone_map: PhoneMap

    @property
    def reference(self) -> LoadedCorpus | None:
        """The corpus with the role reference, if any."""
        return next((loaded for loaded in self.corpora if loaded.role == "reference"), None)


@dataclass(frozen=True, eq=False)
class _Part:
    """Tables by name, and the summary rows made of the same numbers."""

    tables: Mapping[str, Table]
    section: Section


@one_thread()
def result_tables(experiment: Experiment, computed: Computed, work: Work = SERIAL) -> dict[str, Table]:
    """Return every table of the results by its path below the results' folder."""
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    for loaded in computed.corpora:
        analysis = computed.analyses.get(loaded.name)
        found = list(_posterior_tables(loaded, computed))
        if analysis is not None:
            found += _analysis_tables(loaded, analysis, experiment, work)
            sections += analysis_sections(loaded, analysis, experiment, work)
            for part in _beside_reference(loaded, analysis, computed, experiment):
                found += part.tables.items()
                sections.append(part.section)
        sections += _posterior_sections(loaded, computed, experiment)
        worth = quality(loaded, analysis, computed.tokens, computed.reference, experiment)
        sections += worth.sections
        found += worth.tables.items()
        tables |= {f"{loaded.name}/{name}.tsv": table for name, table in found}
    audits = {loaded.name: loaded.audits for loaded in computed.corpora}
    return {"summary.tsv": summary_table(sections), "symbols.tsv": symbol_table(audits), **tables}


def _analysis_tables(loaded: LoadedCorpus, analysis: Analysis, experiment: Experiment, work: Work) -> _Tables:
    entropy = experiment.entropy
    yield "utterances", utterance_table(analysis)
    yield "alignments", alignment_lines(analysis.path, analysis.weighed)
    yield "confusions", confusion_table(analysis)
    yield from learned_tables(analysis.learned, analysis.fitted, analysis.weighed)
    yield "phones", phone_table(analysis, entropy.estimators, entropy.gaps, entropy.support)
    known = features_for(experiment, raw=loaded.raw)
    yield "features", feature_table(analysis, known, experiment.alignment.tone_weight)
    yield from () if loaded.raw else class_tables(analysis, experiment)
    tones = tone_analysis(analysis)
    if tones is not None:
        yield "tones", tone_table(tones)
    yield from detail_tables(loaded, analysis, experiment)
    by_gap = gap_rates.rate_by_gap(analysis.corpus, experiment, analysis.resampling, work)
    if by_gap:
        yield "gap_costs", pd.DataFrame(by_gap, columns=gap_rates.COLUMNS)


def _posterior_tables(loaded: LoadedCorpus, computed: Computed) -> _Tables:
    found = computed.associations.get(loaded.name)
    if found is not None:
        yield "association", association_table(found)
        yield "frames", frame_table(found.tokens)
    for name, table in (("embedding", computed.phone_map.embedding), ("nearest", computed.phone_map.nearest)):
        if loaded.name in table:
            yield name, table[loaded.name]


def analysis_sections(
    loaded: LoadedCorpus, analysis: Analysis, experiment: Experiment, work: Work = SERIAL
) -> Iterator[Section]:
    """Yield the summary rows of one corpus' alignments and confusions, under the signature of their costs."""
    entropy = experiment.entropy
    unit = cost_table("unit", analysis.corpus.gold_inventory, analysis.corpus.predicted_inventory, None)
    hamming = rate_rows.hamming_costs(analysis, features_of(experiment))
    by_costs = [
        (unit, None, rate_rows.unit_rows(analysis)),
        (analysis.costs, analysis.scoring, rate_rows.weighted_rows(analysis)),
        (
            analysis.costs,
            analysis.scoring,
            confusion_rows.confusion_rows(analysis, entropy.estimators, entropy.gaps, entropy.support),
        ),
        (analysis.costs, analysis.scoring, beside_chance(analysis)),
        (analysis.costs, analysis.scoring, detail_rows(loaded, analysis, experiment)),
        (hamming, None, rate_rows.feature_edit_rows(analysis, hamming, work)),
        (unit, None, tone_rows(loaded.name, analysis, loaded.symbols, experiment, work)),
    ]
    for costs, scoring, rows in by_costs:
        yield Section(loaded.name, signature(experiment, loaded, costs, scoring), list(rows))


def _beside_reference(
    loaded: LoadedCorpus, analysis: Analysis, computed: Computed, experiment: Experiment
) -> Iterator[_Part]:
    """Yield what the reference leads one to expect of a target, and why phones are missed: tables with their rows."""
    signed = signature(experiment, loaded, analysis.costs, analysis.scoring)
    if loaded.role != "reference":
        tables, rows = _expected(loaded, analysis, computed, experiment)
        yield _Part(tables, Section(loaded.name, signed, rows))
    split = missed(loaded, computed.corpora, computed.analyses, experiment)
    yield _Part({"missed": missed_table(split)}, Section(loaded.name, signed, list(missed_rows(split))))


def _expected(
    loaded: LoadedCorpus, analysis: Analysis, computed: Computed, experiment: Experiment
) -> tuple[dict[str, pd.DataFrame], list[Row]]:
    reference = computed.reference
    why = expectation.refusal(loaded, reference, experiment)
    if why or reference is None:
        return {}, [*expectation.missing_rows(why), *missing_cross_entropy(why)]
    other, smoothing = computed.analyses[reference.name], experiment.expected.smoothing
    found = expectation.expect(analysis, other, experiment)
    note = expectation.mark(loaded, reference)
    costs = expectation.union_costs(analysis.corpus, other.corpus, experiment)
    test = reference_test(found, analysis, other, experiment)
    raw = loaded.raw or reference.raw
    tables = {
        "expected": test.table(),
        "sensitivity": sensitivity_table(analysis.matrix, other.matrix, costs, experiment, raw=raw),
    }
    rows = tested_rows(expectation.expected_rows(found, costs, smoothing, note), loaded.name, test, costs, experiment)
    return tables, [*rows, *cross_entropy_rows(found, analysis, other, smoothing, note)]


def _posterior_sections(loaded: LoadedCorpus, computed: Computed, experiment: Experiment) -> Iterator[Section]:
    found = computed.associations.get(loaded.name)
    if found is None:
        return
    rows = list(association_rows(found, loaded.untied))
    yield Section(loaded.name, posterior_signature(experiment, loaded), rows)
    mapped = list(computed.phone_map.rows.get(loaded.name, ()))
    yield Section(loaded.name, posterior_signature(experiment, loaded), mapped)
