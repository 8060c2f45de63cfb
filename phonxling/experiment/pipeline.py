"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest.

Whether anything is to be done is found out first: what computes and draws is imported where it is needed.
"""

import os
import platform
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phonxling.core.errors import DataError
from phonxling.core.work import MessageRecord, Progress, Work
from phonxling.experiment.configuration import resolved
from phonxling.experiment.manifest import blas, check_inputs, loader_sources, local_inputs, manifest, read_inputs
from phonxling.phones.pairing import some
from phonxling.settings.models import Experiment
from phonxling.store.folder import (
    CACHE,
    MANIFEST,
    RUN,
    Written,
    begin_writing,
    check_folder,
    is_whole,
    manifest_of,
    outputs,
    read_manifest,
    remove_other_tables,
    write_tables,
    writing,
)
from phonxling.store.tasks import Inputs, Parts, Stages, Steps, Tasks, content_digest, forget, kept, versions
from phonxling.tables.files import write_json
from phonxling.workers.compiled import saying_what_compiles

if TYPE_CHECKING:
    from phonxling.tables.files import Table

_TABLES, _RESULTS = "tables", "results"  # stages
_NO_NUMBERS = frozenset({"figures", "report", "cluster"})  # sections of the configuration that tables do not depend on
_UP_TO_DATE = "the tables are up to date; nothing is computed again"


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
    from phonxling.draw.style import figure_options, font_files

    check_folder(folder)
    if gone := vanishing(folder, experiment):
        progress.say(gone)
    fonts = font_files(figure_options(resolved(experiment)["figures"]).font)  # fails before anything is computed
    with (
        writing(folder, experiment.corpora, progress.say),
        local_inputs(experiment, folder / CACHE / "remote", progress) as local,
    ):
        about, clock = _about(local, folder, work), time.perf_counter()
        if fresh:
            forget(folder)
        stages = Stages(folder / CACHE, folder)
        progress.step("reading inputs")
        inputs, described = _inputs(local)
        tables = tables_key(local, described)
        results = content_digest((tables, described, fonts))
        done = stages.read(_RESULTS, results)
        if done is not None and is_whole(folder):
            _say(progress, *done.about["messages"], _UP_TO_DATE, kept(done.about["parts"]))
            write_json(folder / RUN, {**about, "reused": {"tables": True, "parts": done.about["parts"]}})
            return Written(folder, tuple(folder / name for name in (*read_manifest(folder)["outputs"], RUN, MANIFEST)))
        if done := stages.read(_TABLES, tables):
            _say(progress, *done.about["messages"], _UP_TO_DATE)
            begin_writing(folder)
            remove_other_tables(folder, done.files)
            files, said, about["reused"] = done.files, done.about, {"tables": True}
        else:
            steps = Steps(folder, inputs, progress)
            made, said = _computed(local, inputs, described, Tasks(work, progress.shards, steps), progress)
            if steps.reused:
                progress.say(kept([f"{steps.reused} of {steps.number} steps"]))
            begin_writing(folder)
            files = write_tables(folder, made)
            stages.write(_TABLES, tables, files, said)
            steps.tidy()
            about["reused"] = {"tables": False, "steps": steps.reused, "of_steps": steps.number}
        about["seconds_computing"] = round(time.perf_counter() - clock, 3)
        from phonxling.experiment.results import write_results

        parts = Parts(stages, files)
        workers = min(drawers or work.workers, os.cpu_count() or 1)
        manifest_of_all = {**described, "costs": said["costs"], "blas": said["blas"]}
        written = write_results(folder, manifest_of_all, parts, run=about, progress=progress, workers=workers)
        said = {"messages": [*said["messages"], *parts.messages], "parts": parts.names}
        stages.write(_RESULTS, results, outputs(folder, [folder / MANIFEST]), said)
        return written


def vanishing(folder: Path, experiment: Experiment) -> str:
    """Return which corpora of earlier results in a folder a configuration lacks, "" where it has them all."""
    stored = manifest_of(folder)
    earlier = read_manifest(folder, stored.name).get("configuration", {}) if stored.exists() else {}
    gone = [name for name in earlier.get("corpora", {}) if name not in experiment.corpora]
    number = "one corpus" if len(gone) == 1 else f"{len(gone)} corpora"
    remedy = "these results are removed, unless --output names another folder"
    return f"{folder} has {number} that this configuration lacks ({some(gone)}): {remedy}" if gone else ""


def _about(experiment: Experiment, folder: Path, work: Work) -> dict[str, Any]:
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds_computing": 0.0,
        "workers": work.workers,
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.machine()}",
        "configuration_folder": Path(os.path.relpath(experiment.folder or Path.cwd(), folder)).as_posix(),
    }


def _inputs(experiment: Experiment) -> tuple[Inputs, dict[str, Any]]:
    """Return what the experiment reads, and its manifest but for outputs; if that fails, loaders know what is wrong."""
    try:
        inputs, digests = read_inputs(experiment)
    except DataError:
        from phonxling.experiment.corpora import load_corpora

        load_corpora(experiment)
        raise
    return inputs, manifest(experiment, digests)


def tables_key(experiment: Experiment, described: Mapping[str, Any]) -> str:
    settings = {name: value for name, value in described["configuration"].items() if name not in _NO_NUMBERS}
    return content_digest((versions(), loader_sources(experiment), {**described, "configuration": settings}))


def _say(progress: Progress, *messages: str) -> None:
    for message in messages:
        progress.say(message)


def _computed(
    experiment: Experiment, inputs: Inputs, described: Mapping[str, Any], tasks: Tasks, progress: Progress
) -> tuple[dict[str, "Table"], dict[str, Any]]:
    from phonxling.experiment.computing import computed_tables

    messages = MessageRecord(progress)
    with saying_what_compiles(progress.say):
        tables, costs = computed_tables(experiment, tasks, messages, inputs)
    check_inputs(experiment, inputs, described["inputs"])
    return tables, {"costs": costs, "blas": blas(), "messages": messages.messages}
