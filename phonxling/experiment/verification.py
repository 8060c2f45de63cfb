"""Whether results are what they say: files as they were written, inputs as they were read, tables as computed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import digest
from phonxling.core.progress import Progress
from phonxling.core.work import Work
from phonxling.experiment.assemble import result_tables
from phonxling.experiment.configuration.reading import restored
from phonxling.experiment.manifest import input_files, relative
from phonxling.experiment.pipeline import compute
from phonxling.experiment.remote_inputs import local_inputs
from phonxling.load.remote.urls import is_url
from phonxling.settings.models import Experiment
from phonxling.store.folder import RUN, changed_outputs, read_manifest, reading
from phonxling.store.tasks import Tasks
from phonxling.tables.files import table_digest
from phonxling.version import __version__

_SHOWN = 20


def verify(folder: Path, inputs: Path | None, work: Work | None, progress: Progress) -> list[str]:
    """Return what is in order, a line each; with `work`, every table is computed anew.

    Parameters
    ----------
    folder : Path
        Finished results.
    inputs : Path, optional
        The folder of the configuration, from which its paths count; by default where it was, seen from the results.
    work : Work, optional
        Who computes the tables anew; None: compare hashes alone.

    Raises
    ------
    DataError
        If it is no folder of finished results, or a run writes there.
        If a file was changed or is gone, an input is another one, or a table comes out differently: all are listed.
    ConfigurationError
        If the stored configuration is none of this version.
    """
    with reading(folder):
        return _verified(folder, inputs, work, progress)


def _verified(folder: Path, inputs: Path | None, work: Work | None, progress: Progress) -> list[str]:
    manifest = read_manifest(folder)
    problems = list(changed_outputs(folder, manifest))
    if manifest.get("kind") == "comparison":
        return _verified_comparison(folder, inputs or folder, manifest, problems)
    experiment = restored(manifest["configuration"], inputs or _configuration_folder(folder))
    lines = [f"{len(manifest['outputs'])} files of results, {len(manifest['inputs'])} inputs"]
    with ExitStack() as stack:
        try:
            experiment = stack.enter_context(local_inputs(experiment, None, progress))
        except DataError as error:
            return _conclusion(folder, manifest, [*problems, str(error)], lines)
        problems += _changed_inputs(experiment, manifest)
        if work is not None and not problems:
            problems += _other_tables(folder, experiment, work, progress)
            lines.append("every table comes out the same, byte for byte")
    return _conclusion(folder, manifest, problems, lines)


def _verified_comparison(folder: Path, inputs: Path, manifest: Mapping[str, Any], problems: list[str]) -> list[str]:
    """Return the lines on a comparison; its inputs count from its own folder, and it is quickly made again."""
    for name, expected in manifest["inputs"].items():
        if not (inputs / name).is_file():
            problems.append(f"input {name}: is not there")
        elif digest(inputs / name) != expected:
            problems.append(f"input {name}: is another file than the one that was read")
    lines = [f"{len(manifest['outputs'])} files of a comparison, {len(manifest['inputs'])} inputs"]
    return _conclusion(folder, manifest, problems, lines)


def _conclusion(folder: Path, manifest: Mapping[str, Any], problems: list[str], lines: list[str]) -> list[str]:
    """Return the lines of results without problems; DataError with all problems."""
    if problems:
        remedy = "; ".join(["Run the experiment again, or restore the files.", *_versions(manifest)])
        raise DataError(join_problems(f"{folder}: not as its manifest says:", problems, remedy, limit=_SHOWN))
    return [*lines, *_versions(manifest), "as the manifest says"]


def _configuration_folder(folder: Path) -> Path:
    try:
        written = json.loads((folder / RUN).read_text(encoding="utf-8"))["configuration_folder"]
        return folder / str(written)
    except (OSError, ValueError, KeyError, TypeError):
        problem = f"{folder / RUN}: does not say where the configuration was"
        raise DataError(f"{problem}; give its folder with --inputs") from None


def _changed_inputs(experiment: Experiment, manifest: Mapping[str, Any]) -> Iterator[str]:
    folder, missing = experiment.folder or Path(), False
    copies = {url: path for path, url in experiment.copies.items()}
    for name, expected in manifest["inputs"].items():
        path = copies.get(name) if is_url(name) else folder / name
        if path is None:
            yield f"input {name}: is not there any more"
        elif not path.is_file():
            missing = True
            yield f"input {name}: is not in {folder}; give the configuration's folder with --inputs"
        elif digest(path) != expected:
            yield f"input {name}: is another file than the one that was read"
    if not missing:
        names = (relative(path, experiment) for path in input_files(experiment))
        yield from (f"input {name}: was not there" for name in names if name not in manifest["inputs"])


def _other_tables(folder: Path, experiment: Experiment, work: Work, progress: Progress) -> Iterator[str]:
    tasks = Tasks(work, progress.shards)
    tables = result_tables(experiment, compute(experiment, tasks, progress), tasks)
    for name, table in tables.items():
        path = folder / name
        if not path.is_file():
            yield f"{name}: is gone"
        elif digest(path) != table_digest(table):
            yield f"{name}: comes out differently"


def _versions(manifest: Mapping[str, Any]) -> list[str]:
    stored = {"phonxling": manifest["phonxling"], **manifest["libraries"]}
    installed = {name: __version__ if name == "phonxling" else version(name) for name in stored}
    other = [f"{name} {stored[name]} then, {installed[name]} now" for name in stored if stored[name] != installed[name]]
    return [f"other versions: {'; '.join(other)}"] if other else []
