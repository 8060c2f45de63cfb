"""Whether results are what they say: files as they were written, inputs as they were read, tables as computed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import IN_MEMORY, restore_experiment
from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import digest, read_json
from phonxling.core.work import Progress, Work
from phonxling.experiment.manifest import LIBRARIES, blas, input_files, relative
from phonxling.load.text import is_file
from phonxling.results.folder import KEPT, MANIFEST, RUN, changed_outputs, reading, whole_manifest
from phonxling.results.tables import WholeTable, file_of, is_table, read_table, table_digest, write_table
from phonxling.version import __version__

_SHOWN_FILES = 20
_NAMED_ITEMS = 3  # files
_ROUNDING = 1e-9  # the largest relative difference that may come of another order of additions


def verify(folder: Path, inputs: Path | None, work: Work | None, progress: Progress) -> list[str]:
    """Return what is in order, a line each; with `work`, every table is computed anew. DataError with all problems.

    Inputs are looked for in `inputs`, the folder of the configuration, and where it was when that is not given.
    """
    with reading(folder):
        manifest = whole_manifest(folder)
        needed = ["differences.tsv"] if manifest.get("kind") == "comparison" else ["summary.tsv", "symbols.tsv"]
        unnamed = [f"{name}: the manifest does not name it" for name in needed if name not in manifest["outputs"]]
        problems = [*changed_outputs(folder), *unnamed]
        held = sum(1 for name in manifest["inputs"] if name.endswith(IN_MEMORY))
        files = len(manifest["inputs"]) - held
        lines = [f"{len(manifest['outputs'])} files, {files} inputs: as the manifest says"]
        if held:
            lines.append(f"{held} inputs were in memory and cannot be read again, so no table is computed anew")
        if manifest.get("kind") == "comparison":  # its inputs count from its own folder; it is quickly made again
            problems += _changed_inputs(inputs or folder, manifest)
        else:
            place = inputs or _configuration_folder(folder)
            experiment = restore_experiment(manifest["configuration"], place)
            if not (changed := [*_changed_inputs(place, manifest)]):
                names = (relative(path, experiment) for path in input_files(experiment))
                changed = [f"input {name}: was not there" for name in names if name not in manifest["inputs"]]
            problems += changed
            if work is not None and not problems and not held:
                equal, problems = _recompute(folder, manifest, experiment, work, progress)
                lines += equal
    stored = {"phonxling": manifest["phonxling"], **manifest["libraries"]}
    now = {"phonxling": __version__, **{name: version(name) for name in LIBRARIES}}
    other = [
        f"{name} {had} then, {now.get(name, 'unknown')} now" for name, had in stored.items() if had != now.get(name)
    ]
    versions = [f"other versions: {'; '.join(other)}"] if other else []
    if problems:
        remedy = "; ".join(["Run the experiment again, or restore the files.", *versions])
        raise DataError(join_problems(f"{folder}: not as its manifest says:", problems, remedy, limit=_SHOWN_FILES))
    if others := _other_files(folder, manifest):
        more = f" and {len(others) - _NAMED_ITEMS} more" if len(others) > _NAMED_ITEMS else ""
        lines.append(f"not of these results: {', '.join(others[:_NAMED_ITEMS])}{more}")
    return [*lines, *versions]


def _other_files(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    known, others = {*manifest["outputs"], MANIFEST, RUN}, []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != KEPT)
        names = (Path(place, name).relative_to(folder).as_posix() for name in sorted(files))
        others += [name for name in names if name not in known]
    return others


def _configuration_folder(folder: Path) -> Path:
    try:
        place = (folder / str(read_json(folder / RUN)["configuration_folder"])).resolve()
        with suppress(FileNotFoundError):  # it may have been moved
            place.stat()  # of links in a circle an error, as resolve gives until Python 3.12
        return place
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):
        problem = f"{folder / RUN}: does not say where the configuration was"
        raise DataError(f"{problem}; give its folder with --inputs") from None


def _changed_inputs(place: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield which inputs are not those that were read."""
    for name, expected in manifest["inputs"].items():
        if name.endswith(IN_MEMORY):
            continue
        if not is_file(place / name):
            yield f"input {name}: is not in {place}; give the configuration's folder with --inputs"
        elif digest(place / name) != expected:
            yield f"input {name}: is another file than the one that was read"


def _recompute(
    folder: Path, manifest: Mapping[str, Any], experiment: Experiment, work: Work, progress: Progress
) -> tuple[list[str], list[str]]:
    """Return what can be said of tables that were computed anew, and which come out differently, and by how much."""
    from phonxling.experiment.computing import compute, result_tables  # with these come all libraries that compute

    tables, outputs = result_tables(compute(experiment, work, progress)), manifest["outputs"]
    changed = {
        file_of(name): _difference(folder, name, table)
        for name, table in tables.items()
        if file_of(name) not in outputs or digest(folder / file_of(name)) != table_digest(name, table)
    }
    changed |= {name: np.inf for name in outputs if is_table(name) and name not in map(file_of, tables)}
    then, now = str(manifest.get("blas", "unknown")), blas()
    largest = max(changed.values(), default=0.0)
    if not changed:
        return ["every table comes out the same, byte for byte"], []
    if largest <= _ROUNDING and then != now:
        verdict = f"every table comes out equal to {largest:.0e}, {len(changed)} of {len(tables)} not byte for byte"
        return [f"{verdict}: they were computed on another kind of processor ({then} then, {now} now)"], []
    sizes = {name: "" if size == np.inf else f", by up to {size:.1e}" for name, size in changed.items()}
    return [], [f"{name}: comes out differently{size}" for name, size in sizes.items()]


def _difference(folder: Path, name: str, made: WholeTable) -> float:
    """Return the largest relative difference of numbers; infinite where anything else differs."""
    with TemporaryDirectory() as place:
        write_table(Path(place), name, made)
        table = read_table(Path(place), name)
    try:
        stored = read_table(folder, name)
    except DataError:
        return np.inf
    if len(table) != len(stored):
        return np.inf
    numbers = [column for column in stored if stored[column].dtype.kind == "f"]
    texts = (column for column in stored if column not in numbers)
    if any(stored[each].tolist() != table[each].tolist() for each in texts):
        return np.inf
    before, after = (each[numbers].to_numpy(np.float64) for each in (stored, table))
    with np.errstate(invalid="ignore"):
        apart = np.where(before == after, 0.0, abs(before - after) / np.maximum(abs(before), abs(after)))
    apart[np.isnan(before) & np.isnan(after)] = 0.0
    return float(np.nan_to_num(apart, nan=np.inf).max(initial=0.0))
