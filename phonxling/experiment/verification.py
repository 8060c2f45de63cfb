"""Whether results are what they say: files as they were written, inputs as they were read, tables as computed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.files import digest, read_json
from phonxling.core.work import Progress, Work
from phonxling.experiment.configuration import restored
from phonxling.experiment.manifest import LIBRARIES, addresses, input_files, local_inputs, relative
from phonxling.load.text import is_file
from phonxling.load.urls import is_url
from phonxling.settings.models import Experiment
from phonxling.store.folder import RUN, changed_outputs, reading, whole_manifest
from phonxling.store.tasks import Tasks
from phonxling.tables.columns import declared_table, files_in
from phonxling.tables.files import table_digest
from phonxling.version import __version__
from phonxling.workers.compiled import saying_what_compiles

_SHOWN = 20


def verify(
    folder: Path, inputs: Path | None, work: Work | None, progress: Progress, *, remote: bool = False
) -> list[str]:
    """Return what is in order, a line each; with `work`, every table is computed anew. DataError with all problems."""
    with reading(folder):
        manifest = whole_manifest(folder)
        problems = [*changed_outputs(folder, manifest), *_unnamed_tables(folder, manifest)]
        limit, number = "", f"{len(manifest['outputs'])} files of"
        if manifest.get("kind") == "comparison":  # its inputs count from its own folder; it is quickly made again
            lines = [f"{number} a comparison, {len(manifest['inputs'])} inputs"]
            problems += _changed_results(inputs or folder, manifest)
        else:
            experiment = restored(manifest["configuration"], inputs or _configuration_folder(folder))
            unread = [] if remote else [str(url) for url in addresses(experiment)]
            if unread and work is not None:
                raise ConfigurationError(f"{folder}: to compute tables anew, inputs must be fetched; add --remote")
            lines = [f"{number} results, {len(manifest['inputs'])} inputs"]
            with ExitStack() as stack:
                try:
                    local = experiment if unread else stack.enter_context(local_inputs(experiment, None, progress))
                except DataError as error:
                    problems.append(str(error))
                else:
                    problems += _changed_inputs(local, manifest, unread)
                    if work is not None and not problems:
                        problems += _other_tables(folder, local, work, progress)
                        lines.append("every table comes out the same, byte for byte")
            if unread:
                shown = ", ".join(unread[:3]) + (f" and {len(unread) - 3} more" if len(unread) > 3 else "")
                lines.append(f"not checked: inputs at addresses ({shown}); --remote fetches and compares them")
                limit = ", as far as it was checked"
    if problems:
        remedy = "; ".join(["Run the experiment again, or restore the files.", *_versions(manifest)])
        raise DataError(join_problems(f"{folder}: not as its manifest says:", problems, remedy, limit=_SHOWN))
    return [*lines, *_versions(manifest), f"as the manifest says{limit}"]


def _changed_results(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    for name, expected in manifest["inputs"].items():
        if not is_file(folder / name):
            yield f"input {name}: is not there"
        elif digest(folder / name) != expected:
            yield f"input {name}: is another file than the one that was read"


def _configuration_folder(folder: Path) -> Path:
    try:
        written = read_json(folder / RUN)["configuration_folder"]
        return (folder / str(written)).resolve()
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):  # RuntimeError: links that lead in a circle
        problem = f"{folder / RUN}: does not say where the configuration was"
        raise DataError(f"{problem}; give its folder with --inputs") from None


def _unnamed_tables(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield which tables a manifest does not name: those that it must have, and any that stand in their places."""
    configuration = manifest.get("configuration", {})
    places = [folder, *(folder / name for name in configuration.get("corpora", {}))]
    tables = sorted(path.relative_to(folder).as_posix() for place in places for path in place.glob("*.tsv"))
    always = files_in("comparison" if manifest.get("kind") == "comparison" else "results")
    for name in dict.fromkeys([*always, *filter(declared_table, tables)]):
        declared = declared_table(name)
        wanted = declared is None or not declared.section or declared.section in configuration
        if name not in manifest["outputs"] and (name in tables or wanted):
            yield f"{name}: the manifest does not name it"


def _changed_inputs(experiment: Experiment, manifest: Mapping[str, Any], unread: Sequence[str]) -> Iterator[str]:
    """Yield which inputs are not those that were read; nothing on inputs at addresses when there are unread ones."""
    folder, missing = experiment.folder or Path(), False
    copies = {url: path for path, url in experiment.copies.items()}
    for name, expected in manifest["inputs"].items():
        if unread and is_url(name):
            continue
        path = copies.get(name) if is_url(name) else folder / name
        if path is None:
            yield f"input {name}: is not there any more"
        elif not is_file(path):
            missing = True
            yield f"input {name}: is not in {folder}; give the configuration's folder with --inputs"
        elif digest(path) != expected:
            yield f"input {name}: is another file than the one that was read"
    if not missing:
        names = (relative(path, experiment) for path in input_files(experiment))
        yield from (f"input {name}: was not there" for name in names if name not in manifest["inputs"])


def _other_tables(folder: Path, experiment: Experiment, work: Work, progress: Progress) -> Iterator[str]:
    from phonxling.experiment.computing import compute, result_tables  # with these come all libraries that compute

    tasks = Tasks(work, progress.shards)
    with saying_what_compiles(progress.say):
        tables = result_tables(compute(experiment, tasks, progress))
    for name, table in tables.items():
        path = folder / name
        if not is_file(path):
            yield f"{name}: is gone"
        elif digest(path) != table_digest(table):
            yield f"{name}: comes out differently"


def _versions(manifest: Mapping[str, Any]) -> list[str]:
    stored = {"phonxling": manifest["phonxling"], **manifest["libraries"]}
    installed = {name: version(name) if name in LIBRARIES else "unknown" for name in stored} | {
        "phonxling": __version__
    }
    other = [f"{name} {stored[name]} then, {installed[name]} now" for name in stored if stored[name] != installed[name]]
    return [f"other versions: {'; '.join(other)}"] if other else []
