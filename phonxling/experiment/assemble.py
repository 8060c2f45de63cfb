"""Everything computed of an experiment, put into the tables of its results."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import pandas as pd

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.forced.reading import ForcedCorpus
from phonxling.analyses.map.embedding import PhoneMap
from phonxling.analyses.measures import measures
from phonxling.analyses.registry import analyse
from phonxling.analyses.rows import Section, number_tables
from phonxling.core.corpus import SymbolAudit
from phonxling.core.means import TokenPosteriors
from phonxling.core.work import SERIAL, Work
from phonxling.resample.linear_algebra import one_thread
from phonxling.settings.models import Experiment
from phonxling.tables.columns import column_names, declared_columns
from phonxling.tables.files import Table, table_of


@dataclass(frozen=True, eq=False, kw_only=True)
class Computed:
    """An experiment's corpora, what was computed from each by its name, and the phone map."""

    corpora: list[LoadedCorpus]
    analyses: Mapping[str, AnalysedCorpus]
    tokens: Mapping[str, TokenPosteriors]
    forced: Mapping[str, ForcedCorpus]
    phone_map: PhoneMap

    def cases(self, experiment: Experiment, work: Work) -> list[Case]:
        """Return each corpus as analyses are given it, with the reference beside the targets."""
        reference = next((loaded for loaded in self.corpora if loaded.role == "reference"), None)
        beside = None if reference is None else self._case(reference, None, experiment, work)
        return [
            beside if beside is not None and loaded is reference else self._case(loaded, beside, experiment, work)
            for loaded in self.corpora
        ]

    def _case(self, loaded: LoadedCorpus, reference: Case | None, experiment: Experiment, work: Work) -> Case:
        return Case(
            loaded=loaded,
            experiment=experiment,
            aligned=self.analyses.get(loaded.name),
            tokens=self.tokens.get(loaded.name),
            forced=self.forced.get(loaded.name),
            reference=reference,
            corpora=tuple(self.corpora),
            phone_map=self.phone_map,
            work=work,
        )


@one_thread()
def result_tables(experiment: Experiment, computed: Computed, work: Work = SERIAL) -> dict[str, Table]:
    """Return every table of the results by its path below the results' folder."""
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    for case in computed.cases(experiment, work):
        own_sections, own_tables = analyse(case)
        sections += own_sections
        tables |= {f"{case.name}/{name}.tsv": table for name, table in own_tables.items()}
    audits = {loaded.name: loaded.audits for loaded in computed.corpora}
    return {**number_tables(sections), "symbols.tsv": symbol_table(audits), **_explanations(), **tables}


def _explanations() -> dict[str, Table]:
    """Return measures.tsv and columns.tsv: what every row of the numbers means, and every column of every table."""
    rows = {
        "measures": [{"measure": one.name, **asdict(one)} for one in measures()],
        "columns": [asdict(one) for one in declared_columns()],
    }
    return {
        f"{table}.tsv": table_of(table, ([row[name] for name in column_names(table)] for row in lines))
        for table, lines in rows.items()
    }


def symbol_table(audits: Mapping[str, Mapping[str, SymbolAudit]]) -> pd.DataFrame:
    """Return symbols.tsv from audits by corpus and side: what became of each raw symbol, most frequent first."""
    rows = [
        (corpus, side, row.raw, row.symbol, row.action, row.count, row.features)
        for corpus, sides in audits.items()
        for side, audit in sides.items()
        for row in sorted(audit, key=lambda row: (-row.count, row.raw))
    ]
    return table_of("symbols", rows)
