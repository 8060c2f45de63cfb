"""What a run computes: corpora loaded, aligned, counted, measured, their phones mapped; and the tables of all that.

Nothing is written here.
"""

from collections.abc import Sequence

from phonxling.analyses.analysis import analyse, every_analysis
from phonxling.analyses.context import CorpusContext
from phonxling.analyses.expected import adjust_levels
from phonxling.analyses.languages import languages
from phonxling.analyses.loaded import LoadedCorpus, worse_reference
from phonxling.analyses.map import map_phones
from phonxling.analyses.measures import Row, number_rows
from phonxling.configuration.models import Experiment
from phonxling.core.errors import Note
from phonxling.core.work import SILENT, Progress, Work, one_thread
from phonxling.experiment.checking import (
    check_costs,
    frame_lines,
    general_notes,
    merge_notes,
    read_all,
    spreadsheet_notes,
)
from phonxling.experiment.corpora import load_corpora
from phonxling.results.tables import ByCorpus, StreamedTable, Table, WholeTable, table_of, tables_of


def computed_tables(
    experiment: Experiment, work: Work, progress: Progress
) -> tuple[dict[str, WholeTable], dict[str, object]]:
    """Return every table, and what the manifest says of each corpus' costs, and its signature."""
    cases = compute(experiment, work, progress)
    used = {case.name: case.costs for case in cases if case.loaded.corpus is not None}
    costs = {name: {key: getattr(own, key) for key in ("name", "denominator", "note")} for name, own in used.items()}
    return result_tables(cases, progress), {"costs": costs, "signatures": {case.name: case.signature for case in cases}}


@one_thread()
def compute(experiment: Experiment, work: Work, progress: Progress) -> list[CorpusContext]:
    progress.begin(2 * len(experiment.corpora) + 2)
    progress.step("loading")
    corpora = load_corpora(experiment, work)
    check_costs(corpora, experiment)
    notes = [Note(loaded.name, text) for loaded in corpora for text in loaded.notes]
    notes += [*general_notes(corpora, experiment), *spreadsheet_notes(corpora)]
    _say_notes(notes, corpora, progress)
    # Before the alignments, which take longer: bad posteriors are seen soonest.
    read = read_all(corpora, experiment, work, progress)
    reference = next((loaded for loaded in corpora if loaded.role == "reference"), None)
    tied = {loaded.name: read.get(loaded.name) for loaded in corpora}
    why = "no posteriors, so no association and no place on the phone map"
    ties = [Note(name, line) for name, one in tied.items() for line in (frame_lines(one) if one else ())]
    _say_notes([*ties, *(Note(name, why) for name, one in tied.items() if one is None)], corpora, progress)
    progress.step("mapping phones")
    phone_map = map_phones(
        {name: one.tokens for name, one in tied.items() if one is not None},
        experiment.map,
        reference=None if reference is None else reference.name,
        recognisers={loaded.name: loaded.recogniser for loaded in corpora},
        allow_other_recogniser=experiment.expected.allow_other_recogniser,
        seed=experiment.seed,
        work=work,
    )
    for problem in phone_map.problems:
        progress.say(problem)

    def case(loaded: LoadedCorpus, beside: CorpusContext | None) -> CorpusContext:
        tokens, forced = read.get(loaded.name, (None, None))
        return CorpusContext(
            loaded=loaded,
            experiment=experiment,
            tokens=tokens,
            forced=forced,
            reference=beside,
            corpora=tuple(corpora),
            phone_map=phone_map,
            work=work,
        )

    # The reference is one context, which all targets share, so what it has to compute is computed once.
    beside = None if reference is None else case(reference, None)
    cases = [beside if beside is not None and loaded is reference else case(loaded, beside) for loaded in corpora]
    for one in cases:
        progress.step(f"aligning {one.name}")
        if one.loaded.corpus is not None:
            one.align()
        else:
            progress.say(f"{one.name}: no predictions, so no alignments, rates or confusions")
    if beside is not None and (note := _warn_of_worse_reference(beside, cases)):
        progress.say(note)
    return cases


def _say_notes(notes: Sequence[Note], corpora: Sequence[LoadedCorpus], progress: Progress) -> None:
    for line in merge_notes(notes, len(corpora)):
        progress.say(line)


def _warn_of_worse_reference(reference: CorpusContext, cases: Sequence[CorpusContext]) -> str:
    alike = [case for case in cases if case.loaded.recogniser == reference.loaded.recogniser]
    # Under unit costs: a rate of phones alone, whatever costs the experiment has.
    compared = [case for case in alike if case.loaded.corpus is not None]
    rates = {case.name: float(case.unit_cost.sum() / case.gold_tokens.sum()) for case in compared}
    return worse_reference(reference.name, rates) if reference.name in rates else ""


@one_thread()
def result_tables(cases: Sequence[CorpusContext], progress: Progress = SILENT) -> dict[str, WholeTable]:
    """Return every table of results by its name: what each analysis says of each corpus, and all together."""
    analyses = every_analysis()
    progress.begin(len(cases) * len(analyses) + 1)
    rows: dict[str, list[Row]] = {}
    by_corpus: dict[str, list[tuple[str, Table]]] = {}
    for case in cases:
        rows[case.name], own_tables = analyse(case, analyses, progress.step)
        for name, table in own_tables.items():
            by_corpus.setdefault(name, []).append((case.name, table))
    progress.step("measuring all corpora together")
    # Tests of all corpora are one family, so their p-values are adjusted when the last corpus is there.
    adjust_levels(rows.values())
    summary = table_of("summary", [line for name, own in rows.items() for line in number_rows(name, own)], corpora=True)
    symbols = [
        (case.name, side, row.raw, row.symbol, row.action, row.count)
        for case in cases
        for side, audit in case.loaded.audits.items()
        for row in sorted(audit, key=lambda row: (-row.count, row.raw))
    ]
    tables: dict[str, WholeTable] = {"summary": summary, "symbols": table_of("symbols", symbols, corpora=True)}
    tables |= {name: table for name, table in languages(cases, summary) if len(table)}
    for name, parts in by_corpus.items():
        # A table is written of the corpora that have rows; of streamed ones that is known when they are written.
        if kept := tuple(part for part in parts if isinstance(part[1], StreamedTable) or len(part[1])):
            tables[name] = ByCorpus(kept)
    return {name: tables[name] for name in tables_of("results") if name in tables}
