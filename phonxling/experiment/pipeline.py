"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest.

Whether anything is to be done is found out first: what computes and draws is imported where it is needed.
"""

import os
import platform
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from phonxling.core.compiled import saying_what_compiles
from phonxling.core.errors import DataError
from phonxling.core.work import MessageRecord, Progress, Work
from phonxling.experiment.configuration import resolved
from phonxling.experiment.manifest import blas, check_inputs, loader_sources, manifest, read_inputs
from phonxling.phones.pairing import some
from phonxling.settings.models import Experiment
from phonxling.store import folder as on_disk
from phonxling.store.tasks import Inputs, Parts, Stages, Steps, Tasks, content_digest, forget, kept, versions
from phonxling.tables.files import write_json

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
) -> on_disk.Written:
    """Run an experiment and write its results, when all is computed; what is kept for a next run is written before."""
    from phonxling.draw.style import figure_options, font_files

    on_disk.check_folder(folder)
    if gone := vanishing(folder, experiment):
        progress.say(gone)
    fonts = font_files(figure_options(resolved(experiment)["figures"]).font)  # fails before anything is computed
    with on_disk.writing(folder, experiment.corpora, progress.say):
        about: dict[str, Any] = {
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds_computing": 0.0,
            "workers": work.workers,
            "python": sys.version.split()[0],
            "machine": f"{platform.system()} {platform.machine()}",
            "configuration_folder": Path(os.path.relpath(experiment.folder or Path.cwd(), folder)).as_posix(),
        }
        clock = time.perf_counter()
        if fresh:
            forget(folder)
        stages = Stages(folder / on_disk.CACHE, folder)
        progress.step("reading inputs")
        try:
            inputs, digests = read_inputs(experiment)
        except DataError:  # loaders know what is wrong
            from phonxling.experiment.corpora import load_corpora

            load_corpora(experiment)
            raise
        described = manifest(experiment, digests)
        tables = tables_key(experiment, described)
        results = content_digest((tables, described, fonts))
        done = stages.read(_RESULTS, results)
        if done is not None and on_disk.is_whole(folder):
            for message in (*done.about["messages"], _UP_TO_DATE, kept(done.about["parts"])):
                progress.say(message)
            write_json(folder / on_disk.RUN, {**about, "reused": {"tables": True, "parts": done.about["parts"]}})
            names = *on_disk.read_manifest(folder)["outputs"], on_disk.RUN, on_disk.MANIFEST
            return on_disk.Written(folder, tuple(folder / name for name in names))
        if done := stages.read(_TABLES, tables):
            for message in (*done.about["messages"], _UP_TO_DATE):
                progress.say(message)
            on_disk.begin_writing(folder)
            on_disk.remove_other_tables(folder, done.files)
            files, said, about["reused"] = done.files, dict(done.about), {"tables": True}
        else:
            steps = Steps(folder, inputs, progress)
            files, said = _computed(
                experiment, folder, Tasks(work, progress.shards, steps), progress, inputs=inputs, names=digests
            )
            if steps.reused:
                progress.say(kept([f"{steps.reused} of {steps.number} steps"]))
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
        stages.write(_RESULTS, results, on_disk.outputs(folder, [folder / on_disk.MANIFEST]), said)
        return written


def _computed(
    experiment: Experiment, folder: Path, work: Work, progress: Progress, *, inputs: Inputs, names: Iterable[str]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Compute all tables and write them; return the sha256 of each, and what is kept beside them."""
    from phonxling.experiment.computing import computed_tables

    messages = MessageRecord(progress)
    with saying_what_compiles(progress.say):
        made, costs = computed_tables(experiment, work, messages, inputs)
    check_inputs(experiment, inputs, names)
    on_disk.begin_writing(folder)
    files = on_disk.write_tables(folder, made)
    return files, {"costs": costs, "blas": blas(), "messages": messages.messages}


def vanishing(folder: Path, experiment: Experiment) -> str:
    """Return which corpora of earlier results in a folder a configuration lacks, "" where it has them all."""
    stored = on_disk.manifest_of(folder)
    earlier = on_disk.read_manifest(folder, stored.name).get("configuration", {}) if stored.exists() else {}
    gone = [name for name in earlier.get("corpora", {}) if name not in experiment.corpora]
    number = "one corpus" if len(gone) == 1 else f"{len(gone)} corpora"
    remedy = "these results are removed, unless --output names another folder"
    return f"{folder} has {number} that this configuration lacks ({some(gone)}): {remedy}" if gone else ""


def tables_key(experiment: Experiment, described: Mapping[str, Any]) -> str:
    settings = {name: value for name, value in described["configuration"].items() if name not in _NO_NUMBERS}
    return content_digest((versions(), loader_sources(experiment), {**described, "configuration": settings}))
