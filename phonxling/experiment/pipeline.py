"""The whole experiment: load, normalise, align, count, measure, project; then tables, figures, manifest.

Whether anything is to be done is found out first: what computes and draws is imported where it is needed. Verifying
looks at three things: files as they were written, inputs as they were read, tables as they were computed.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
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
from phonxling.core.files import State, digest, read_json, source_digest, state_of
from phonxling.core.work import MessageRecord, Progress, Work
from phonxling.load.formats import format_of, transcript_files
from phonxling.load.text import files_below, is_file, is_folder, matching_files
from phonxling.phones.pairing import shorten
from phonxling.results import folder as on_disk
from phonxling.results.kept import KeptWork
from phonxling.results.tables import WholeTable, file_of, is_table, read_table, table_digest, write_json, write_table
from phonxling.version import __version__

_LOOKS = ("figures", "report")  # sections of the configuration that no table depends on
# What tables depend on beside the other sections. Not the kind of processor: its last bits are no reason to run again.
_NUMBERS = ("phonxling", "source", "inputs", "libraries", "loaders", "feature_table")
# What a manifest says of how its tables were computed.
_RUN_FACTS = ("costs", "signatures", "blas", "messages", "tables")
_SHOWN_FILES = 20  # of a message
_NAMED_ITEMS = 3  # files
# The largest relative difference that may come of another order of additions: OpenBLAS has a kernel for each kind of
# processor, and each sums in an order of its own.
_ROUNDING = 1e-9
LIBRARIES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "umap-learn", "matplotlib")


def run(experiment: Experiment, folder: Path, work: Work, progress: Progress, *, fresh: bool = False) -> None:
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
            return
        with on_disk.replace_folder(folder) as new:
            about, clock = _describe_run(experiment, folder, work), time.perf_counter()
            if same:
                for message in (*earlier["messages"], "the tables are up to date; figures and the page are made again"):
                    progress.say(message)
                for name in earlier["tables"]:
                    on_disk.link(folder / name, new / name)
                facts = {name: earlier[name] for name in _RUN_FACTS}
                tables = {name: earlier["outputs"][name] for name in facts["tables"]}
            else:
                kept = KeptWork(work, folder / on_disk.KEPT, progress.shards)
                if fresh:
                    kept.tidy()  # of all, since none is used yet
                tables, facts = _compute(experiment, states, new, kept, progress)
                # Once more at the end: tables of files that changed meanwhile would be of no state of the data.
                check_states(states, experiment)
                kept.tidy()
                about |= {"steps": len(kept.used), "steps_reused": len(kept.reused)}
            about["seconds_computing"] = round(time.perf_counter() - clock, 3)
            write_json(new / on_disk.RUN, about)
            from phonxling.experiment.results import write_results

            manifest = {**described, **facts}
            drawn = write_results(new, manifest, progress)
            on_disk.write_manifest(new, manifest, {**tables, **on_disk.outputs(new, drawn)})


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


def describe_experiment(experiment: Experiment) -> dict[str, Any]:
    """Return the manifest without outputs and BLAS: the same for the same inputs, settings and libraries anywhere."""
    table, loaders = features_of(experiment), dict[str, str]()
    for file in _phone_files(experiment):
        if (form := format_of(*file.reading)).library:  # a loader that another package adds
            module = sys.modules.get(form.load.__module__)
            source = digest(Path(module.__file__))[:12] if module is not None and module.__file__ else ""
            loaders[form.name] = f"{form.library} {version(str(form.library))} {source}"
    digests = {relative_path(path, experiment): digest(path) for path in input_files(experiment)}
    return {
        "phonxling": __version__,
        "source": source_digest()[:12],
        "name": experiment.name,
        "seed": experiment.seed,
        "configuration": resolve_settings(experiment),
        # Of files, and of what is in memory.
        "inputs": digests | {name: each for held in experiment.held.values() for name, each in held.digests.items()},
        "libraries": {name: version(name) for name in LIBRARIES},
        "loaders": dict(sorted(loaders.items())),
        "feature_table": {"name": table.name, "sha256": table.digest},
    }


def input_files(experiment: Experiment) -> list[Path]:
    """Return every file that an experiment reads, folders and globs followed, sorted."""
    files = {file for one in _phone_files(experiment) for file in transcript_files(*one.reading)}
    for holder, name, path in find_input_paths(experiment):
        if isinstance(holder, PhoneFile) and name == "path":
            continue
        paths = [path]
        if isinstance(holder, PosteriorFile) and name == "path":
            from phonxling.load.posteriors import files_referred_to

            paths += files_referred_to(path)
        for each in paths:
            files |= {*filter(Path.is_file, files_below(each))} if is_folder(each) else {*matching_files(each, ())[1]}
    return sorted(files)


def describe_blas() -> str:
    """Return the library, its version and the kind of processor by which NumPy multiplies matrices."""
    from threadpoolctl import threadpool_info  # finds the library once NumPy has brought it

    # SciPy brings a second BLAS of its own; matrix products are NumPy's.
    own = [one for one in threadpool_info() if one["user_api"] == "blas" and "numpy" in one["filepath"]]
    parts = [str(one.get(key) or "") for one in own[:1] for key in ("internal_api", "version", "architecture")]
    return " ".join(filter(None, parts)) or "unknown"


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
    with on_disk.guard_reading(folder):
        manifest = on_disk.whole_manifest(folder)
        needed = ["differences.tsv"] if manifest.get("kind") == "comparison" else ["summary.tsv", "symbols.tsv"]
        unnamed = [f"{name}: the manifest does not name it" for name in needed if name not in manifest["outputs"]]
        problems = [*on_disk.changed_outputs(folder), *unnamed]
        held = sum(1 for name in manifest["inputs"] if name.endswith(IN_MEMORY))
        lines = [f"{len(manifest['outputs'])} files, {len(manifest['inputs']) - held} inputs: as the manifest says"]
        if held:
            lines.append(f"{held} inputs were in memory and cannot be read again, so no table is computed anew")
        if manifest.get("kind") == "comparison":  # its inputs count from its own folder; it is quickly made again
            problems += _changed_inputs(inputs or folder, manifest)
            lines += ["a comparison is not computed anew; phonxling compare makes it again"] * (work is not None)
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
    now = {"phonxling": __version__, **{name: version(name) for name in LIBRARIES}}
    then = {"phonxling": manifest["phonxling"], **manifest["libraries"]}
    other = [f"{name} {had} then, {now.get(name, 'unknown')} now" for name, had in then.items() if had != now.get(name)]
    versions = [f"other versions: {'; '.join(other)}"] if other else []
    if problems:
        remedy = "; ".join(["Run the experiment again, or restore the files.", *versions])
        raise DataError(join_problems(f"{folder}: not as its manifest says:", problems, remedy, limit=_SHOWN_FILES))
    others, known = list[str](), {*manifest["outputs"], on_disk.MANIFEST, on_disk.RUN}
    for below, folders, paths in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != on_disk.KEPT)
        inside = [Path(below, name).relative_to(folder).as_posix() for name in sorted(paths)]
        others += [name for name in inside if name not in known]
    if others:
        more = f" and {len(others) - _NAMED_ITEMS} more" if len(others) > _NAMED_ITEMS else ""
        lines.append(f"not of these results: {', '.join(others[:_NAMED_ITEMS])}{more}")
    return [*lines, *versions]


def _configuration_folder(folder: Path) -> Path:
    try:
        place = (folder / str(read_json(folder / on_disk.RUN)["configuration_folder"])).resolve()
        with suppress(FileNotFoundError):  # it may have been moved
            place.stat()  # of links in a circle an error, as resolve gives until Python 3.12
        return place
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):
        problem = f"{folder / on_disk.RUN}: does not say where the configuration was"
        raise DataError(f"{problem}; give its folder with --inputs") from None


def _changed_inputs(place: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield which inputs are not those that were read."""
    for name, expected in manifest["inputs"].items():
        if name.endswith(IN_MEMORY):
            continue
        if not is_file(place / name):
            gone = "" if place.is_dir() else ", a folder that does not exist"
            yield f"input {name}: is not in {place}{gone}; give the configuration's folder with --inputs"
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
