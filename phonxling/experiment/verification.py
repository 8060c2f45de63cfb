"""Whether results are what they say: files as they were written, inputs as they were read, tables as computed.

Results may be a stranger's. Nothing outside their folder and the folder of inputs that the user names is opened or
searched, unless the user follows what the manifest says.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from phonxling.analyses.loaded import features_of
from phonxling.core.compiled import saying_what_compiles
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.files import digest, read_json, real_path
from phonxling.core.work import Progress, Work
from phonxling.experiment.configuration import addresses, configured_paths, local_inputs, restored
from phonxling.experiment.inventories import symbol_parts
from phonxling.experiment.manifest import LIBRARIES, blas, input_files, relative
from phonxling.load.remote import is_url
from phonxling.load.text import is_file
from phonxling.settings.models import Experiment
from phonxling.store.folder import CACHE, MANIFEST, RUN, changed_outputs, manifest_problem, reading, whole_manifest
from phonxling.store.tasks import Tasks
from phonxling.tables.files import Lines, Table, declared_table, files_in, read_rows, read_table, table_digest
from phonxling.version import __version__

_SHOWN = 20
_ROUNDING = 1e-9  # the largest relative difference that may come of another order of additions


class _Checked(NamedTuple):
    """What was found of one part: lines for the user, problems, and what was not checked."""

    lines: list[str]
    problems: list[str]
    unread: list[str]


def verify(
    folder: Path,
    inputs: Path | None,
    work: Work | None,
    progress: Progress,
    *,
    remote: bool = False,
    follow: bool = False,
) -> list[str]:
    """Return what is in order, a line each; with `work`, every table is computed anew. DataError with all problems."""
    with reading(folder):
        manifest = whole_manifest(folder)
        problems = [*changed_outputs(folder, manifest), *_unnamed_tables(folder, manifest)]
        problems += filter(None, [manifest_problem(folder)])
        roots = None if follow else [folder, *([inputs] if inputs else [])]
        if manifest.get("kind") == "comparison":  # its inputs count from its own folder; it is quickly made again
            found = _comparison(inputs or folder, manifest, roots)
        else:
            experiment = restored(manifest["configuration"], inputs or _configuration_folder(folder))
            problems += dict.fromkeys(_contradictions(folder, manifest, experiment))
            again = None if problems else work
            found = _experiment(folder, manifest, experiment, roots=roots, work=again, progress=progress, remote=remote)
    problems += found.problems
    if problems:
        remedy = "; ".join(["Run the experiment again, or restore the files.", *_versions(manifest)])
        raise DataError(join_problems(f"{folder}: not as its manifest says:", problems, remedy, limit=_SHOWN))
    what = "a comparison" if manifest.get("kind") == "comparison" else "results"
    lines = [f"{len(manifest['outputs'])} files of {what}, {len(manifest['inputs'])} inputs", *found.lines]
    if others := _unnamed(folder, manifest):
        lines.append(f"not of these results: {_some(others)}")
    limit = ", as far as it was checked" if found.unread else ""
    return [*lines, *_versions(manifest), f"as the manifest says{limit}"]


def _comparison(place: Path, manifest: Mapping[str, Any], roots: Sequence[Path] | None) -> _Checked:
    open_to_us = {name: place / name for name in manifest["inputs"] if _within(place / name, roots)}
    unread = [name for name in manifest["inputs"] if name not in open_to_us]
    problems: list[str] = []
    for name, path in open_to_us.items():
        if not is_file(path):
            problems.append(f"input {name}: is not there")
        elif digest(path) != manifest["inputs"][name]:
            problems.append(f"input {name}: is another file than the one that was read")
    return _Checked(_not_followed(unread), problems, unread)


def _experiment(
    folder: Path,
    manifest: Mapping[str, Any],
    experiment: Experiment,
    *,
    roots: Sequence[Path] | None,
    work: Work | None,
    progress: Progress,
    remote: bool,
) -> _Checked:
    far = [] if remote else [str(url) for url in addresses(experiment)]
    outside = [path for path in configured_paths(experiment) if not _within(path, roots)]
    if outside and work is not None:
        remedy = "add --follow, or name their folder with --inputs"
        raise ConfigurationError(f"{folder}: to compute tables anew, {outside[0]} must be read; {remedy}")
    if far and work is not None:
        raise ConfigurationError(f"{folder}: to compute tables anew, inputs must be fetched; add --remote")
    lines: list[str] = []
    with ExitStack() as stack:
        try:
            local = experiment if far else stack.enter_context(local_inputs(experiment, None, progress))
        except DataError as error:
            return _Checked([], [str(error)], [])
        named = [name for name in manifest["inputs"] if not is_url(name)]
        unread = [name for name in named if not _within((local.folder or Path()) / name, roots)]
        skipped = {*unread, *(name for name in manifest["inputs"] if far and is_url(name))}
        problems = [*_changed_inputs(local, manifest, skipped, searched=not outside)]
        same_panphon = manifest["libraries"].get("panphon") == version("panphon")
        if same_panphon and local.features.path not in (*outside, *addresses(experiment)):
            table = features_of(local)
            if manifest.get("feature_table") != {"name": table.name, "sha256": table.digest}:
                problems.append(f"{MANIFEST}: feature_table is not {table.name}, sha256 {table.digest[:12]}…")
        if work is not None and not problems:
            equal, problems = _compared_tables(folder, manifest, local, work, progress)
            lines += equal
    if far:
        lines.append(f"not checked: inputs at addresses ({_some(far)}); --remote fetches and compares them")
    return _Checked([*lines, *_not_followed(unread)], problems, [*unread, *far])


def _within(path: Path, roots: Sequence[Path] | None) -> bool:
    """Return whether a path lies in one of the folders when all links are followed; None: it may lie anywhere."""
    if roots is None:
        return True
    try:
        real = real_path(path)
    except ValueError:  # it is no path: a NUL is in it
        return False
    return any(real.is_relative_to(real_path(root)) for root in roots)


def _not_followed(unread: Sequence[str]) -> list[str]:
    remedy = "--follow reads them where the manifest says, --inputs FOLDER those in a folder of yours"
    number = "1 input" if len(unread) == 1 else f"{len(unread)} inputs"
    return [f"not checked: {number} outside the results ({_some(unread)}); {remedy}"] if unread else []


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _unnamed(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    known, others = {*manifest["outputs"], MANIFEST, RUN}, []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != CACHE)
        names = (Path(place, name).relative_to(folder).as_posix() for name in sorted(files) if name[0] != ".")
        others += [name for name in names if name not in known]
    return others


def _contradictions(folder: Path, manifest: Mapping[str, Any], experiment: Experiment) -> Iterator[str]:
    configuration = manifest["configuration"]
    for key in ("name", "seed"):
        if manifest.get(key) != configuration[key]:
            yield f"{MANIFEST}: {key} is {manifest.get(key)}, and {configuration[key]} in the configuration"
    try:
        rows = read_rows(folder, "summary.tsv")
    except DataError as error:
        yield str(error)
        return
    features, costs = manifest.get("feature_table"), manifest.get("costs")
    told = {
        "v": str(manifest["phonxling"]),
        "seed": str(manifest.get("seed")),
        "feat": str(features.get("sha256"))[:4] if isinstance(features, dict) else "",
    }
    for row in rows:
        parts = dict(part.partition(":")[::2] for part in str(row["signature"]).split("|"))
        yield from _unsigned(row, parts, told, experiment)
        if row["measure"] == "wper" and isinstance(costs, dict):
            own = costs.get(row["corpus"])
            name = own.get("name") if isinstance(own, dict) else None
            if parts.get("costs", "").partition("-")[0] != str(name).partition("-")[0]:
                yield f"{MANIFEST}: costs of {row['corpus']} are {name}, and {parts.get('costs')} in the signatures"


def _unsigned(
    row: Mapping[str, Any], parts: Mapping[str, str], told: Mapping[str, str], experiment: Experiment
) -> Iterator[str]:
    wanted = dict(told)
    if told["v"] == __version__ and row["corpus"] in experiment.corpora:  # older ones may say the same in other words
        wanted |= _settled(experiment, row["corpus"], alignment=row["measure"] == "wper")
    for key in wanted.keys() & parts.keys():
        if wanted[key] != parts[key]:
            yield f"{MANIFEST}: {key} is {wanted[key]}, and {parts[key]} in the signatures of summary.tsv"
    if parts.get("cluster") == "speaker" != experiment.uncertainty.cluster:
        yield f"{MANIFEST}: cluster is utterance, and speaker in the signatures of summary.tsv"
    if row["level"] == row["level"] != experiment.uncertainty.level:
        yield f"{MANIFEST}: level is {experiment.uncertainty.level:g}, and {row['level']:g} in summary.tsv"


def _settled(experiment: Experiment, corpus: str, *, alignment: bool) -> dict[str, str]:
    """Return what signatures of a corpus must say where they say it, as far as the settings alone decide it."""
    chosen, bits, confidence = experiment.embedding, experiment.information, experiment.confidence
    parts = symbol_parts(experiment.corpora[corpus], experiment) | {
        "gaps": experiment.entropy.gaps,
        "support": experiment.entropy.support,
        "boot": str(experiment.uncertainty.resamples),
        "unit": bits.unit,
        "perm": str(bits.permutations),
        "map": f"{chosen.method}/{chosen.metric}/{chosen.n_neighbors}/{chosen.batches}",
        "bins": str(confidence.bins),
        "floor": f"{confidence.floor:g}",
        "tolerance": f"{experiment.boundaries.tolerance:g}",
    }
    if experiment.symbols.tone_levels == "auto":  # which the data decide
        del parts["tone_levels"]
    if alignment:
        rules = experiment.alignment
        gaps = {"ins": rules.insertion, "del": rules.deletion}
        parts |= {key: f"{cost:g}" for key, cost in gaps.items() if isinstance(cost, int | float)}
        parts |= {} if isinstance(rules.costs, Path) else {"costs": str(rules.costs)}
    return parts


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
        settled = declared is None or not declared.section or declared.section in configuration
        wanted = settled and not (declared and declared.is_optional)
        if name not in manifest["outputs"] and (name in tables or wanted):
            yield f"{name}: the manifest does not name it"


def _changed_inputs(
    experiment: Experiment, manifest: Mapping[str, Any], skipped: Iterable[str], *, searched: bool
) -> Iterator[str]:
    """Yield which inputs are not those that were read; `searched`: whether others may have come in their places."""
    folder, missing = experiment.folder or Path(), False
    copies = {url: path for path, url in experiment.copies.items()}
    for name in manifest["inputs"].keys() - skipped:
        path = copies.get(name) if is_url(name) else folder / name
        if path is None:
            yield f"input {name}: is not there any more"
        elif not is_file(path):
            missing = True
            yield f"input {name}: is not in {folder}; give the configuration's folder with --inputs"
        elif digest(path) != manifest["inputs"][name]:
            yield f"input {name}: is another file than the one that was read"
    if searched and not missing:
        names = (relative(path, experiment) for path in input_files(experiment))
        yield from (f"input {name}: was not there" for name in names if name not in manifest["inputs"])


def _compared_tables(
    folder: Path, manifest: Mapping[str, Any], experiment: Experiment, work: Work, progress: Progress
) -> tuple[list[str], list[str]]:
    """Return what can be said of tables that were computed anew, and which come out differently, and by how much."""
    from phonxling.experiment.computing import compute, result_tables  # with these come all libraries that compute

    tasks = Tasks(work, progress.shards)
    with saying_what_compiles(progress.say):
        tables = result_tables(compute(experiment, tasks, progress))
    changed = {
        name: _difference(folder, name, table)
        for name, table in tables.items()
        if is_file(folder / name) and digest(folder / name) != table_digest(table)
    }
    gone = [f"{name}: is gone" for name in tables if not is_file(folder / name)]
    then, now = str(manifest.get("blas", "unknown")), blas()
    largest = max(changed.values(), default=0.0)
    if not changed and not gone:
        return ["every table comes out the same, byte for byte"], []
    if not gone and largest <= _ROUNDING and then != now:
        verdict = f"every table comes out equal to {largest:.0e}, {len(changed)} of {len(tables)} not byte for byte"
        return [f"{verdict}: they were computed on another kind of processor ({then} then, {now} now)"], []
    sizes = {name: "" if size == float("inf") else f", by up to {size:.1e}" for name, size in changed.items()}
    return [], [*gone, *(f"{name}: comes out differently{size}" for name, size in sizes.items())]


def _difference(folder: Path, name: str, table: Table) -> float:
    """Return the largest relative difference of numbers; infinite where anything else differs."""
    import numpy as np

    try:
        stored = read_table(folder, name)
    except DataError:
        return float("inf")
    if isinstance(table, Lines) or list(stored.columns) != list(table.columns) or len(stored) != len(table):
        return float("inf")
    numbers = [column for column in stored if stored[column].dtype.kind == "f"]
    texts = (column for column in stored if column not in numbers)
    if any(stored[each].tolist() != table[each].fillna("").astype(str).tolist() for each in texts):
        return float("inf")
    before, after = (each[numbers].to_numpy(np.float64) for each in (stored, table))
    with np.errstate(invalid="ignore"):
        apart = np.where(before == after, 0.0, abs(before - after) / np.maximum(abs(before), abs(after)))
    apart[np.isnan(before) & np.isnan(after)] = 0.0
    return float(np.nan_to_num(apart, nan=np.inf).max(initial=0.0))


def _versions(manifest: Mapping[str, Any]) -> list[str]:
    stored = {"phonxling": manifest["phonxling"], **manifest["libraries"]}
    installed = {name: version(name) if name in LIBRARIES else "unknown" for name in stored} | {
        "phonxling": __version__
    }
    other = [f"{name} {stored[name]} then, {installed[name]} now" for name in stored if stored[name] != installed[name]]
    return [f"other versions: {'; '.join(other)}"] if other else []
