"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest."""

import os
import platform
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from phonxling.analyses.case.analysed import AnalysedCorpus, analyse
from phonxling.analyses.case.cost_records import describe_costs
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.suspicions import phone_error_rate, worse_reference
from phonxling.analyses.case.token_resampling import token_resampling
from phonxling.analyses.map.embedding import map_phones
from phonxling.core.errors import DataError
from phonxling.core.progress import MessageRecord, Progress
from phonxling.core.work import Work
from phonxling.experiment.assemble import Computed, result_tables
from phonxling.experiment.checking import check_costs, spreadsheet_note
from phonxling.experiment.configuration.reading import resolved
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.drawing import figure_options
from phonxling.experiment.manifest import check_inputs, loader_sources, manifest, read_inputs
from phonxling.experiment.posterior_reading import frame_lines, read_all
from phonxling.experiment.remote_inputs import FOLDER, local_inputs
from phonxling.experiment.results import StoredTables, write_results
from phonxling.resample.linear_algebra import one_thread
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment
from phonxling.store.cache import Cache, Stage, open_cache
from phonxling.store.content import content_digest
from phonxling.store.folder import Written, begin_writing, check_folder, remove_other_tables, write_tables, writing
from phonxling.store.inputs import Inputs
from phonxling.store.signing import own_signatures
from phonxling.store.tasks import Tasks, TaskStore
from phonxling.store.versions import versions
from phonxling.tables.files import Table
from phonxling.workers.compiled import saying_what_compiles

_STAGE = "tables"
_NO_NUMBERS = frozenset({"figures", "report", "cluster"})  # sections of the configuration that tables do not depend on


def run(
    experiment: Experiment,
    folder: Path,
    work: Work,
    progress: Progress,
    *,
    fresh: bool = False,
    drawers: int | None = None,
) -> Written:
    """Run an experiment and write its results, when all is computed; what is kept for a next run is written before.

    What an earlier run finished is taken from the folder, unless `fresh`: tasks whose content is the same, tables that
    were made of the same inputs and settings, figures that were drawn of the same tables. Up to `drawers` processes
    draw here; by default, as many as work.

    Raises
    ------
    DataError
        If another run has the folder, it cannot be written to, or a folder in it is a link.
        If inputs cannot be fetched, the data cannot be analysed, or change while they are read.
    ConfigurationError
        If the folder holds something else than results, or figures cannot be drawn as asked.
    """
    check_folder(folder)
    figure_options(resolved(experiment)["figures"])
    signatures = own_signatures(progress.say)
    with (
        saying_what_compiles(progress.say),
        writing(folder, experiment.corpora, progress.say),
        local_inputs(experiment, folder / FOLDER, progress, signatures.sign) as local,
    ):
        started, clock = datetime.now(UTC), time.perf_counter()
        cache = open_cache(folder, progress, signatures, fresh=fresh)
        tables = _tables(local, folder, work=work, progress=progress, cache=cache)
        about = {
            "started": started.isoformat(timespec="seconds"),
            "seconds_computing": round(time.perf_counter() - clock, 3),
            "workers": work.workers,
            "python": sys.version.split()[0],
            "machine": f"{platform.system()} {platform.machine()}",
            "configuration_folder": Path(os.path.relpath(local.folder or Path.cwd(), folder)).as_posix(),
        }
        processes = min(drawers or work.workers, os.cpu_count() or 1)
        return write_results(folder, tables, run=about, progress=progress, workers=processes, cache=cache)


def _tables(experiment: Experiment, folder: Path, *, work: Work, progress: Progress, cache: Cache) -> StoredTables:
    """Return the tables that stand in the folder, when they are those that would be made now; else make them."""
    progress.step("reading inputs")
    inputs, digests = _inputs(experiment)
    described = manifest(experiment, digests)
    key = tables_key(experiment, described)
    if stage := cache.stages.read(_STAGE, key):
        return _unchanged_tables(folder, stage, described, progress)
    store, messages = TaskStore(cache.entries, inputs), MessageRecord(progress)
    tables, costs = _computed_tables(experiment, Tasks(work, progress.shards, store), messages, inputs)
    check_inputs(experiment, inputs, described["inputs"])
    if store.reused:
        progress.say(f"kept from an earlier run: {store.reused} of {store.tasks} tasks")
    begin_writing(folder)
    files = write_tables(folder, tables)
    cache.stages.write(_STAGE, key, files, {"costs": costs, "messages": messages.messages})
    cache.tidy(progress)
    reused = {"tables": False, "tasks": store.reused, "of_tasks": store.tasks}
    return StoredTables({**described, "costs": costs}, files, reused)


def _unchanged_tables(folder: Path, stage: Stage, described: Mapping[str, Any], progress: Progress) -> StoredTables:
    for message in stage.about["messages"]:
        progress.say(message)
    progress.say("the tables are up to date; nothing is computed again")
    begin_writing(folder)
    remove_other_tables(folder, stage.files)
    return StoredTables({**described, "costs": stage.about["costs"]}, stage.files, {"tables": True})


def _computed_tables(
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


def _inputs(experiment: Experiment) -> tuple[Inputs, dict[str, str]]:
    """Return what the experiment reads; where that fails, loaders know best what is wrong."""
    try:
        return read_inputs(experiment)
    except DataError:
        load_corpora(experiment)
        raise


def tables_key(experiment: Experiment, described: Mapping[str, Any]) -> str:
    """Return the content of all that tables depend on, `described` being the experiment's manifest.

    That is all of it but how results are drawn and who computes them, with the versions of all that computes.
    """
    settings = {name: value for name, value in described["configuration"].items() if name not in _NO_NUMBERS}
    return content_digest((versions(), loader_sources(experiment), {**described, "configuration": settings}))


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
    rates = {name: phone_error_rate(analyses[name].unit) for name in alike if name in analyses}
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
