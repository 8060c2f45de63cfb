"""The manifest of an experiment: version, settings, inputs, libraries; and whether results are what it says.

Verifying looks at three things: files as they were written, inputs as they were read, tables as they were computed.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from phonxling.analyses.loaded import features_of
from phonxling.configuration.files import PhoneFile, PosteriorFile
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import IN_MEMORY, find_input_paths, resolve_settings, restore_experiment
from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import digest, read_json, source_digest
from phonxling.core.work import Progress, Work
from phonxling.load.building import Format
from phonxling.load.formats import format_of, transcript_files
from phonxling.load.text import files_below, is_file, is_folder, matching_files
from phonxling.results.folder import KEPT, MANIFEST, RUN, changed_outputs, guard_reading, whole_manifest
from phonxling.results.tables import WholeTable, file_of, is_table, read_table, table_digest, write_table
from phonxling.version import __version__

_SHOWN_FILES = 20
_NAMED_ITEMS = 3  # files
# The largest relative difference that may come of another order of additions: OpenBLAS has a kernel for each kind of
# processor, and each sums in an order of its own.
_ROUNDING = 1e-9
LIBRARIES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "umap-learn", "matplotlib")


def describe_experiment(experiment: Experiment) -> dict[str, Any]:
    """Return the manifest without outputs and BLAS: the same for the same inputs, settings and libraries anywhere."""
    table = features_of(experiment)
    return {
        "phonxling": __version__,
        "source": source_digest()[:12],
        "name": experiment.name,
        "seed": experiment.seed,
        "configuration": resolve_settings(experiment),
        "inputs": _digests(experiment),
        "libraries": {name: version(name) for name in LIBRARIES},
        "loaders": _describe_loaders(experiment),
        "feature_table": {"name": table.name, "sha256": table.digest},
    }


def _digests(experiment: Experiment) -> dict[str, str]:
    """Return the sha256 of each input by its name: files, and what is in memory."""
    files = {relative_path(path, experiment): digest(path) for path in input_files(experiment)}
    return files | {name: each for held in experiment.held.values() for name, each in held.digests.items()}


def input_files(experiment: Experiment) -> list[Path]:
    """Return every file that an experiment reads, folders and globs followed, sorted."""
    found = {file for one in _phone_files(experiment) for file in transcript_files(*one.reading)}
    for holder, name, path in find_input_paths(experiment):
        if isinstance(holder, PhoneFile) and name == "path":
            continue
        further: list[Path] = []  # that posteriors lead on to
        if isinstance(holder, PosteriorFile) and name == "path":
            from phonxling.load.posteriors import files_referred_to

            further = files_referred_to(path)
        for each in (path, *further):
            below = is_folder(each)
            found.update(
                [file for file in files_below(each) if file.is_file()] if below else matching_files(each, ())[1]
            )
    return sorted(found)


def describe_blas() -> str:
    """Return the library, its version and the kind of processor by which NumPy multiplies matrices."""
    from threadpoolctl import threadpool_info  # finds the library once NumPy has brought it

    # SciPy brings a second BLAS of its own; matrix products are NumPy's.
    own = [one for one in threadpool_info() if one["user_api"] == "blas" and "numpy" in one["filepath"]]
    parts = [str(one.get(key) or "") for one in own[:1] for key in ("internal_api", "version", "architecture")]
    return " ".join(filter(None, parts)) or "unknown"


def _describe_loaders(experiment: Experiment) -> dict[str, str]:
    """Return library, version and source (sha256) of each loader that another package adds, by the format's name."""
    forms = {form.name: form for file in _phone_files(experiment) if (form := format_of(*file.reading)).library}
    return {
        name: f"{form.library} {version(str(form.library))} {_source(form)}" for name, form in sorted(forms.items())
    }


def _source(form: Format) -> str:
    module = sys.modules.get(form.load.__module__)
    return digest(Path(module.__file__))[:12] if module is not None and module.__file__ else ""


def _phone_files(experiment: Experiment) -> Iterator[PhoneFile]:
    for corpus in experiment.corpora.values():
        files = (getattr(corpus, kind) for kind in corpus.FILES)
        yield from (file for file in files if isinstance(file, PhoneFile) and not file.path.name.endswith(IN_MEMORY))


def relative_path(path: Path, experiment: Experiment) -> str:
    """Return a path as the manifest names it: from the configuration's folder."""
    return Path(os.path.relpath(path, experiment.folder or Path.cwd())).as_posix()


def verify(folder: Path, inputs: Path | None, work: Work | None, progress: Progress) -> list[str]:
    """Return what is in order, a line each; with `work`, every table is computed anew. DataError with all problems.

    Inputs are looked for in `inputs`, the folder of the configuration, and where it was when that is not given.
    """
    with guard_reading(folder):
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
                names = (relative_path(path, experiment) for path in input_files(experiment))
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
    then, now = str(manifest.get("blas", "unknown")), describe_blas()
    largest = max(changed.values(), default=0.0)
    if not changed:
        return ["every table comes out the same, byte for byte"], []
    # On the same kind of processor every bit must come out again; only of another one is rounding taken as equal.
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
    # Relative to the larger of the two, so that neither table is the measure.
    before, after = (each[numbers].to_numpy(np.float64) for each in (stored, table))
    with np.errstate(invalid="ignore"):
        apart = np.where(before == after, 0.0, abs(before - after) / np.maximum(abs(before), abs(after)))
    apart[np.isnan(before) & np.isnan(after)] = 0.0
    return float(np.nan_to_num(apart, nan=np.inf).max(initial=0.0))
