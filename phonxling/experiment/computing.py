"""What a run computes: corpora loaded, aligned, counted, measured, their phones mapped; and the tables of all that.

Nothing is written here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from phonxling.analyses.analysed import AnalysedCorpus, analyse
from phonxling.analyses.analysis import analyse as analyse_case
from phonxling.analyses.case import Case
from phonxling.analyses.expected import adjust_levels
from phonxling.analyses.languages import languages
from phonxling.analyses.loaded import LoadedCorpus, worse_reference
from phonxling.analyses.map import map_phones
from phonxling.analyses.measures import Section, measures, number_tables
from phonxling.analyses.orders import orders
from phonxling.analyses.registry import ANALYSES
from phonxling.analyses.utterances import describe_costs
from phonxling.core.work import Progress, Silent, Work, one_thread
from phonxling.experiment.checking import check_costs, frame_lines, read_all, spreadsheet_note, table_notes
from phonxling.experiment.corpora import load_corpora
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table, column_names, declared_columns, table_of


def computed_tables(
    experiment: Experiment, work: Work, progress: Progress
) -> tuple[dict[str, Table], dict[str, object]]:
    """Return every table, and what the manifest says of each corpus' costs, and its signature."""
    cases = compute(experiment, work, progress)
    costs = {case.name: describe_costs(case.aligned.costs) for case in cases if case.aligned is not None}
    return result_tables(cases, progress), {"costs": costs, "signatures": {case.name: case.signature for case in cases}}


@one_thread()
def compute(experiment: Experiment, work: Work, progress: Progress) -> list[Case]:
    progress.begin(2 * len(experiment.corpora) + 2)
    progress.step("loading")
    corpora = load_corpora(experiment, work)
    check_costs(corpora, experiment)
    notes = [f"{loaded.name}: {note}" for loaded in corpora for note in loaded.notes]
    for note in (*notes, *table_notes(corpora, experiment), *filter(None, [spreadsheet_note(corpora)])):
        progress.say(note)
    read = read_all(corpora, experiment, work, progress)  # first, since they are soonest found to be bad
    analyses: dict[str, AnalysedCorpus] = {}
    for loaded in corpora:
        progress.step(f"aligning {loaded.name}")
        if loaded.corpus is not None:
            analyses[loaded.name] = analyse(loaded.corpus, experiment, work)
        else:
            progress.say(f"{loaded.name}: no predictions, so no alignments, rates or confusions")
    reference = next((loaded for loaded in corpora if loaded.role == "reference"), None)
    if reference is not None and (note := _worse(reference, corpora, analyses)):
        progress.say(note)
    tied = list[str]()
    for loaded in corpora:
        if loaded.name not in read or loaded.segments is None:
            progress.say(f"{loaded.name}: no posteriors, so no association and no place on the phone map")
            continue
        for line in frame_lines(read[loaded.name]):
            progress.say(f"{loaded.name}: {line}")
        tied.append(loaded.name)
    progress.step("mapping phones")
    phone_map = map_phones(
        {name: read[name].tokens for name in tied},
        experiment.embedding,
        reference=None if reference is None else reference.name,
        recognisers={loaded.name: loaded.recogniser for loaded in corpora},
        allow_other_recogniser=experiment.expected.allow_other_recogniser,
        seed=experiment.seed,
        work=work,
    )
    for problem in phone_map.problems:
        progress.say(problem)

    def case(loaded: LoadedCorpus, beside: Case | None) -> Case:
        tokens, forced = read.get(loaded.name, (None, None))
        return Case(
            loaded=loaded,
            experiment=experiment,
            aligned=analyses.get(loaded.name),
            tokens=tokens,
            forced=forced,
            reference=beside,
            corpora=tuple(corpora),
            phone_map=phone_map,
            work=work,
        )

    beside = None if reference is None else case(reference, None)
    return [beside if beside is not None and loaded is reference else case(loaded, beside) for loaded in corpora]


def _worse(reference: LoadedCorpus, corpora: list[LoadedCorpus], analyses: Mapping[str, AnalysedCorpus]) -> str:
    alike = [one.name for one in corpora if one.recogniser == reference.recogniser]
    compared = {name: analyses[name] for name in alike if name in analyses}
    rates = {name: float(one.unit_cost.sum() / one.gold_tokens.sum()) for name, one in compared.items()}
    return worse_reference(reference.name, rates) if reference.name in analyses else ""


@one_thread()
def result_tables(cases: Sequence[Case], progress: Progress | None = None) -> dict[str, Table]:
    heard = progress or Silent()
    heard.begin(len(cases) * len(ANALYSES) + 1)
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    for case in cases:
        own_sections, own_tables = analyse_case(case, ANALYSES, heard.step)
        sections += own_sections
        tables |= {f"{case.name}/{name}.tsv": table for name, table in own_tables.items()}
    heard.step("measuring all corpora together")
    explained = {  # what every row of the numbers means, and every column of every table
        "measures": [{"measure": one.name, **asdict(one)} for one in measures()],
        "columns": [one._asdict() for one in declared_columns()],
    }
    explanations: dict[str, Table] = {}
    for about, rows in explained.items():
        names = column_names(about)
        explanations[f"{about}.tsv"] = table_of(about, ([row[name] for name in names] for row in rows))
    symbols = [  # what became of each raw symbol, most frequent first
        (case.name, side, row.raw, row.symbol, row.action, row.count, row.features)
        for case in cases
        for side, audit in case.loaded.audits.items()
        for row in sorted(audit, key=lambda row: (-row.count, row.raw))
    ]
    adjust_levels(sections)
    numbers = number_tables(sections)
    own: dict[str, Table] = {"symbols.tsv": table_of("symbols", symbols), "orders.tsv": orders(cases, numbers)}
    own |= {f"{name}.tsv": table for name, table in languages(cases, numbers)}
    return {**numbers, **own, **explanations, **tables}
