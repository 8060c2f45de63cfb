"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest.

Whether anything is to be done is found out first: what computes and draws is imported where it is needed.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import resolve_settings
from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import State, state_of
from phonxling.core.work import MessageRecord, Progress, Work
from phonxling.experiment.manifest import describe_blas, describe_experiment, input_files, relative_path
from phonxling.phones.pairing import shorten
from phonxling.results import folder as on_disk
from phonxling.results.kept import KeptWork
from phonxling.results.tables import write_json

_LOOKS = ("figures", "report")  # sections of the configuration that no table depends on
# What tables depend on beside the other sections. Not the kind of processor: its last bits are no reason to run again.
_NUMBERS = ("phonxling", "source", "inputs", "libraries", "loaders", "feature_table")
# What a manifest says of how its tables were computed.
_RUN_FACTS = ("costs", "signatures", "blas", "messages", "tables")
_SHOWN_FILES = 10


def run(
    experiment: Experiment, folder: Path, work: Work, progress: Progress, *, fresh: bool = False
) -> on_disk.WrittenFiles:
    """Run an experiment and write its results when all is there, without computing again what an earlier run finished.

    Earlier results in the folder stay as they are until then.
    """
    from phonxling.draw.style import figure_options, font_files

    on_disk.check_folder(folder)  # before anything is read or made
    if gone := vanishing_corpora(folder, experiment):
        progress.say(gone)
    font_files(figure_options(resolve_settings(experiment)["figures"]).font)  # fails before anything is computed
    progress.step("reading inputs")
    try:
        states = input_states(experiment)
        described = describe_experiment(experiment)
    except DataError:  # loaders know what is wrong
        from phonxling.experiment.corpora import load_corpora

        load_corpora(experiment)
        raise
    # Inputs are known before the folder is locked: one that is a result there would be replaced by this run.
    with on_disk.lock_folder(folder, progress.say, inputs=states):
        earlier = on_disk.any_manifest(folder) if (folder / on_disk.MANIFEST).exists() else {}
        if earlier and (fresh or earlier.get("layout") != on_disk.LAYOUT or any(on_disk.changed_outputs(folder))):
            earlier = {}
        same = bool(earlier) and _numbers_of(earlier) == _numbers_of(described)
        if same and _looks_of(earlier) == _looks_of(described):
            for message in (*earlier["messages"], "the results are up to date; nothing is computed or drawn again"):
                progress.say(message)
            return _list_written(folder, earlier)
        with on_disk.replace_folder(folder) as new:
            clock, about = time.perf_counter(), _describe_run(experiment, folder, work)
            if same:
                _take_over(folder, new, earlier["tables"], earlier["messages"], progress)
                facts = {name: earlier[name] for name in _RUN_FACTS}
                tables = {name: earlier["outputs"][name] for name in facts["tables"]}
            else:
                with KeptWork(work, folder / on_disk.KEPT, progress.shards) as kept:
                    if fresh:
                        kept.tidy()  # of all, since none is used yet
                    tables, facts = _compute(experiment, states, new, kept, progress)
                    # Once more at the end: tables of files that changed meanwhile would be of no state of the data.
                    check_states(states, experiment)
                    kept.tidy()
                about |= {"steps": len(kept.used), "steps_reused": len(kept.reused)}
            about["seconds_computing"] = round(time.perf_counter() - clock, 3)
            write_json(new / on_disk.RUN, about)
            _write_results(new, {**described, **facts}, tables, progress)
        return _list_written(folder, on_disk.read_manifest(folder))


def _compute(
    experiment: Experiment, states: Mapping[Path, State | None], new: Path, kept: KeptWork, progress: Progress
) -> tuple[dict[str, str], dict[str, Any]]:
    """Compute all tables and write them; return the sha256 of each, and what the manifest says of them."""
    from phonxling.core.jit import time_compiling
    from phonxling.experiment.computing import computed_tables

    messages = MessageRecord(progress)
    try:
        with time_compiling() as compiling:
            made, about = computed_tables(experiment, kept, messages)
    except DataError:
        check_states(states, experiment)  # files that others write to meanwhile do not fit together
        raise
    if compiling.seconds >= 1:  # said to the person alone: the manifest is the same whoever compiled
        progress.say(f"{compiling.seconds:.0f} s of this were compiling, which an installation needs once")
    if kept.reused:
        progress.say(f"kept from an earlier run: {len(kept.reused)} of {len(kept.used)} steps")
    tables = on_disk.write_tables(new, made)
    facts = {**about, "blas": describe_blas(), "messages": messages.messages, "tables": sorted(tables)}
    # As it will be read back (lists for tuples), since it is compared with the manifest of a later run.
    return tables, json.loads(json.dumps(facts))


def _take_over(folder: Path, new: Path, tables: list[str], messages: list[str], progress: Progress) -> None:
    """Let earlier tables stand in the new results, too."""
    for message in (*messages, "the tables are up to date; figures and the page are made again"):
        progress.say(message)
    for name in tables:
        on_disk.link(folder / name, new / name)


def _write_results(new: Path, described: Mapping[str, Any], tables: Mapping[str, str], progress: Progress) -> None:
    from phonxling.experiment.results import write_results

    drawn = write_results(new, described, progress)
    on_disk.write_manifest(new, described, {**tables, **on_disk.outputs(new, drawn)})


def _list_written(folder: Path, described: Mapping[str, Any]) -> on_disk.WrittenFiles:
    names = *described["outputs"], on_disk.RUN, on_disk.MANIFEST
    return on_disk.WrittenFiles(folder, tuple(folder / name for name in names))


def _describe_run(experiment: Experiment, folder: Path, work: Work) -> dict[str, Any]:
    """Return what tells of this run alone, and stands beside the manifest."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "workers": work.workers,
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.machine()}",
        "configuration_folder": Path(os.path.relpath(experiment.folder or Path.cwd(), folder)).as_posix(),
    }


def _numbers_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a manifest decides the tables."""
    settings = {name: value for name, value in described["configuration"].items() if name not in _LOOKS}
    return {"settings": settings, **{name: described.get(name) for name in _NUMBERS}}


def _looks_of(described: Mapping[str, Any]) -> dict[str, Any]:
    return {name: described["configuration"].get(name) for name in _LOOKS}


def input_states(experiment: Experiment) -> dict[Path, State | None]:
    """Return every input, and by what it is seen that it was written to."""
    return {path: state_of(path) for path in input_files(experiment)}


def check_states(before: Mapping[Path, State | None], experiment: Experiment) -> None:
    """Raise DataError when inputs were written to, came or went since their states were taken."""
    now = input_states(experiment)
    odd = [relative_path(path, experiment) for path in sorted({*before, *now}) if before.get(path) != now.get(path)]
    if odd:
        remedy = "Nothing was written. Wait until all are there and whole, then run again."
        raise DataError(join_problems("inputs changed while they were read:", odd, remedy, limit=_SHOWN_FILES))


def vanishing_corpora(folder: Path, experiment: Experiment) -> str:
    """Return which corpora of earlier results in a folder a configuration lacks, "" where it has them all."""
    earlier = on_disk.any_manifest(folder).get("configuration", {}) if (folder / on_disk.MANIFEST).exists() else {}
    gone = [name for name in earlier.get("corpora", {}) if name not in experiment.corpora]
    number = "one corpus" if len(gone) == 1 else f"{len(gone)} corpora"
    remedy = "these results are removed, unless --output names another folder"
    return f"{folder} has {number} that this configuration lacks ({shorten(gone)}): {remedy}" if gone else ""
