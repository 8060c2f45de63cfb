"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest.

Whether anything is to be done is found out first: what computes and draws is imported where it is needed.
"""

import os
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phonxling.core.errors import DataError
from phonxling.core.work import MessageRecord, Progress, Work
from phonxling.experiment.configuration import resolved
from phonxling.experiment.manifest import check_inputs, loader_sources, manifest, read_inputs
from phonxling.experiment.remote_inputs import FOLDER, local_inputs
from phonxling.settings.models import Experiment
from phonxling.store.cache import Cache, Parts, Stage, kept, open_cache
from phonxling.store.content import Inputs, content_digest
from phonxling.store.entries import own_signatures
from phonxling.store.folder import (
    MANIFEST,
    RUN,
    Written,
    begin_writing,
    check_folder,
    is_whole,
    outputs,
    read_manifest,
    remove_other_tables,
    write_tables,
    writing,
)
from phonxling.store.tasks import Tasks, TaskStore
from phonxling.store.versions import versions
from phonxling.tables.files import write_json
from phonxling.workers.compiled import saying_what_compiles

if TYPE_CHECKING:
    from phonxling.experiment.results import StoredTables


_TABLES, _RESULTS = "tables", "results"  # stages
_NO_NUMBERS = frozenset({"figures", "report", "cluster"})  # sections of the configuration that tables do not depend on
_UP_TO_DATE = "the tables are up to date; nothing is computed again"


@dataclass(frozen=True, eq=False, kw_only=True)
class _Plan:
    """What a run is to make: of which inputs, its manifest but for outputs, and the keys of its tables and of all."""

    experiment: Experiment
    inputs: Inputs
    manifest: Mapping[str, Any]
    tables: str
    results: str


def run(
    experiment: Experiment,
    folder: Path,
    work: Work,
    progress: Progress,
    *,
    fresh: bool = False,
    drawers: int | None = None,
) -> Written:
    """Run an experiment and write its results, when all is computed; what is kept for a next run is written before."""
    check_folder(folder)
    fonts = _fonts(experiment)
    signatures = own_signatures(progress.say)
    with (
        writing(folder, experiment.corpora, progress.say),
        local_inputs(experiment, folder / FOLDER, progress, signatures.sign) as local,
    ):
        about, clock = _about(local, folder, work), time.perf_counter()
        cache = open_cache(folder, progress, signatures, fresh=fresh)
        progress.step("reading inputs")
        plan = _plan(local, fonts)
        stage = cache.stages.read(_RESULTS, plan.results)
        if stage is not None and is_whole(folder):
            return _unchanged(folder, stage, about, progress)
        tables = _tables(plan, folder, work=work, progress=progress, cache=cache)
        about["seconds_computing"] = round(time.perf_counter() - clock, 3)
        processes = min(drawers or work.workers, os.cpu_count() or 1)
        return _results(plan, folder, tables, about=about, progress=progress, workers=processes, cache=cache)


def _fonts(experiment: Experiment) -> tuple[Path, ...]:
    """Return the files of the fonts that figures are drawn in; ConfigurationError when figures cannot be drawn so."""
    from phonxling.draw.style import font_files
    from phonxling.experiment.drawing import figure_options

    return font_files(figure_options(resolved(experiment)["figures"]).font)


def _about(experiment: Experiment, folder: Path, work: Work) -> dict[str, Any]:
    """Return what is said of a run beside its results, some of which is no run's but this one's."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds_computing": 0.0,
        "workers": work.workers,
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.machine()}",
        "configuration_folder": Path(os.path.relpath(experiment.folder or Path.cwd(), folder)).as_posix(),
    }


def _plan(experiment: Experiment, fonts: tuple[Path, ...]) -> _Plan:
    inputs, digests = _inputs(experiment)
    described = manifest(experiment, digests)
    tables = tables_key(experiment, described)
    results = content_digest((tables, described, fonts))
    return _Plan(experiment=experiment, inputs=inputs, manifest=described, tables=tables, results=results)


def _inputs(experiment: Experiment) -> tuple[Inputs, dict[str, str]]:
    """Return what the experiment reads; where that fails, loaders know best what is wrong."""
    try:
        return read_inputs(experiment)
    except DataError:
        from phonxling.experiment.corpora import load_corpora

        load_corpora(experiment)
        raise


def tables_key(experiment: Experiment, described: Mapping[str, Any]) -> str:
    """Return the content of all that tables depend on, `described` being the experiment's manifest."""
    settings = {name: value for name, value in described["configuration"].items() if name not in _NO_NUMBERS}
    return content_digest((versions(), loader_sources(experiment), {**described, "configuration": settings}))


def _unchanged(folder: Path, stage: Stage, about: Mapping[str, Any], progress: Progress) -> Written:
    """Say again what was said of whole results, and return their files."""
    parts = stage.about["parts"]
    for message in (*stage.about["messages"], _UP_TO_DATE, kept(parts)):
        progress.say(message)
    write_json(folder / RUN, {**about, "reused": {"tables": True, "parts": parts}})
    names = (*read_manifest(folder)["outputs"], RUN, MANIFEST)
    return Written(folder, tuple(folder / name for name in names))


def _tables(plan: _Plan, folder: Path, *, work: Work, progress: Progress, cache: Cache) -> "StoredTables":
    """Return the tables that stand in the folder, when they are those that would be made now; else make them."""
    from phonxling.experiment.results import StoredTables

    if stage := cache.stages.read(_TABLES, plan.tables):
        for message in (*stage.about["messages"], _UP_TO_DATE):
            progress.say(message)
        begin_writing(folder)
        remove_other_tables(folder, stage.files)
        messages, costs = stage.about["messages"], stage.about["costs"]
        return StoredTables({**plan.manifest, "costs": costs}, stage.files, {"tables": True}, messages)
    from phonxling.experiment.computing import computed_tables

    store, messages = TaskStore(cache.entries, plan.inputs), MessageRecord(progress)
    tasks = Tasks(work, progress.shards, store)
    with saying_what_compiles(progress.say):
        tables, costs = computed_tables(plan.experiment, tasks, messages, plan.inputs)
    check_inputs(plan.experiment, plan.inputs, plan.manifest["inputs"])
    if store.reused:
        progress.say(kept([f"{store.reused} of {store.tasks} tasks"]))
    begin_writing(folder)
    files = write_tables(folder, tables)
    cache.stages.write(_TABLES, plan.tables, files, {"costs": costs, "messages": messages.messages})
    cache.tidy(progress)
    reused = {"tables": False, "tasks": store.reused, "of_tasks": store.tasks}
    return StoredTables({**plan.manifest, "costs": costs}, files, reused, messages.messages)


def _results(
    plan: _Plan,
    folder: Path,
    tables: "StoredTables",
    *,
    about: Mapping[str, object],
    progress: Progress,
    workers: int,
    cache: Cache,
) -> Written:
    """Write what is made of the tables, and the manifest; the next run finds that nothing is to be done."""
    from phonxling.experiment.results import write_results

    parts = Parts(cache.stages, tables.files)
    written = write_results(folder, tables, parts, run=about, progress=progress, workers=workers)
    said = {"messages": [*tables.messages, *parts.messages], "parts": parts.names}
    cache.stages.write(_RESULTS, plan.results, outputs(folder, [folder / MANIFEST]), said)
    return written
