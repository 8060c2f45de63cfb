"""What a run computes: corpora loaded, aligned, counted, measured, their phones mapped; and the tables of all that.

Nothing is written here.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from phonxling.analyses.analysed import AnalysedCorpus, analyse, token_resampling
from phonxling.analyses.analysis import analyse as analyse_case
from phonxling.analyses.analysis import analyse_together, heard_nothing, silenced
from phonxling.analyses.case import Case
from phonxling.analyses.forced_corpus import ForcedCorpus
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.analyses.map import PhoneMap, map_phones
from phonxling.analyses.measures import measures
from phonxling.analyses.notes import worse_reference
from phonxling.analyses.registry import ANALYSES, JOINT
from phonxling.analyses.rows import Section, number_tables
from phonxling.analyses.utterances import describe_costs
from phonxling.core.corpus import SymbolAudit
from phonxling.core.errors import DataError
from phonxling.core.means import TokenPosteriors
from phonxling.core.work import SERIAL, Progress, Work
from phonxling.experiment.checking import check_costs, spreadsheet_note
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.posterior_reading import frame_lines, read_all
from phonxling.resample.p_values import one_thread
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment
from phonxling.store.content import Inputs
from phonxling.tables.columns import column_names, declared_columns
from phonxling.tables.files import Table, table_of

if TYPE_CHECKING:
    import pandas as pd


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


def computed_tables(
    experiment: Experiment, work: Work, progress: Progress, inputs: Inputs
) -> tuple[dict[str, Table], dict[str, object]]:
    """Return every table, and what the manifest says of each corpus' costs."""
    try:
        computed = compute(experiment, work, progress)
    except DataError:
        inputs.check()  # files that others write to meanwhile do not fit together
        raise
    progress.step("measuring")
    costs: dict[str, object] = {name: describe_costs(analysis) for name, analysis in computed.analyses.items()}
    return result_tables(experiment, computed, work), costs


@one_thread()
def compute(experiment: Experiment, work: Work, progress: Progress) -> Computed:
    """Return everything computed of an experiment, with nothing written."""
    progress.begin(2 * len(experiment.corpora) + 3)
    corpora = _loaded(experiment, work, progress)
    read = read_all(corpora, experiment, work, progress)  # first, since they are soonest found to be bad
    analyses: dict[str, AnalysedCorpus] = {}
    for loaded in corpora:
        progress.step(f"aligning {loaded.name}")
        if loaded.corpus is not None:
            found = read[loaded.name].forced if loaded.name in read else None
            analyses[loaded.name] = analyse(loaded.name, loaded.corpus, experiment, work, found)
        else:
            progress.say(f"{loaded.name}: no predictions, so no alignments, rates or confusions")
    _tell_of_the_reference(corpora, analyses, progress)
    weights: dict[str, Resampling] = {}
    for loaded in corpora:
        if loaded.name not in read or loaded.segments is None:
            progress.say(f"{loaded.name}: no posteriors, so no association and no place on the phone map")
            continue
        for line in frame_lines(read[loaded.name]):
            progress.say(f"{loaded.name}: {line}")
        weights[loaded.name] = token_resampling(loaded.segments, analyses.get(loaded.name), experiment)
    progress.step("mapping phones")
    reference = next((loaded.name for loaded in corpora if loaded.role == "reference"), None)
    tokens = {name: found.tokens for name, found in read.items()}
    phone_map = map_phones(
        tokens,
        weights,
        experiment.embedding,
        reference=reference,
        recognisers={loaded.name: loaded.recogniser for loaded in corpora},
        allow_other_recogniser=experiment.expected.allow_other_recogniser,
        seed=experiment.seed,
        work=work,
    )
    for problem in phone_map.problems:
        progress.say(problem)
    forced = {name: found.forced for name, found in read.items() if found.forced is not None}
    return Computed(corpora=corpora, analyses=analyses, tokens=tokens, forced=forced, phone_map=phone_map)


def _tell_of_the_reference(
    corpora: list[LoadedCorpus], analyses: Mapping[str, AnalysedCorpus], progress: Progress
) -> None:
    """Say when the reference is worse than a target of the same recogniser."""
    reference = next((one for one in corpora if one.role == "reference" and one.name in analyses), None)
    alike = [one.name for one in corpora if reference and one.recogniser == reference.recogniser]
    compared = {name: analyses[name] for name in alike if name in analyses}
    rates = {name: float(one.unit_cost.sum() / one.gold_tokens.sum()) for name, one in compared.items()}
    if reference is not None and (note := worse_reference(reference.name, rates)):
        progress.say(note)


def _loaded(experiment: Experiment, work: Work, progress: Progress) -> list[LoadedCorpus]:
    """Return the corpora, whose costs can be made, and tell what is to be known of them."""
    progress.step("loading")
    corpora = load_corpora(experiment, work)
    check_costs(corpora, experiment)
    for loaded in corpora:
        for note in loaded.notes:
            progress.say(f"{loaded.name}: {note}")
    if note := spreadsheet_note(corpora):
        progress.say(note)
    return corpora


@one_thread()
def result_tables(experiment: Experiment, computed: Computed, work: Work = SERIAL) -> dict[str, Table]:
    """Return every table of the results by its path below the results' folder."""
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    cases = computed.cases(experiment, work)
    for case in cases:
        own_sections, own_tables = analyse_case(case, ANALYSES)
        sections += own_sections
        tables |= {f"{case.name}/{name}.tsv": table for name, table in own_tables.items()}
    audits = {loaded.name: loaded.audits for loaded in computed.corpora}
    deaf = frozenset(case.name for case in cases if heard_nothing(one for one in sections if one.corpus == case.name))
    joint = {f"{name}.tsv": silenced(name, table, deaf) for name, table in analyse_together(cases, JOINT).items()}
    own = {"symbols.tsv": symbol_table(audits), **joint}
    return {**number_tables(sections), **own, **_explanations(), **tables}


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


def symbol_table(audits: Mapping[str, Mapping[str, SymbolAudit]]) -> "pd.DataFrame":
    """Return symbols.tsv from audits by corpus and side: what became of each raw symbol, most frequent first."""
    rows = [
        (corpus, side, row.raw, row.symbol, row.action, row.count, row.features)
        for corpus, sides in audits.items()
        for side, audit in sides.items()
        for row in sorted(audit, key=lambda row: (-row.count, row.raw))
    ]
    return table_of("symbols", rows)
