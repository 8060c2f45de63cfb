"""A folder of results: written beside its place, then put there whole. Nothing of the user's is ever lost.

Two rules hold for every command. A folder that is not empty is written into only where a manifest of ours is there. And
of what is there, only what that manifest names is ours: everything else stays, and where a result would need its name,
the command is refused.

While results/demo is written, results/.demo.phonxling-lock is locked, and results/.demo.phonxling-new is the folder to
be. At the end

1. results/demo is renamed to .demo.phonxling-old,
2. .demo.phonxling-new is renamed to results/demo,
3. what the earlier manifest does not name moves across from the old folder,
4. what is left of the old folder, which is ours alone, is removed.

A command that is killed before 1 leaves the earlier results as they were; from then on the new ones are complete, and
whoever has the lock next does what was left. So no journal is needed.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from phonxling.configuration.models import Experiment, Figures
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.files import digest, read_json, report_write_errors, state_of
from phonxling.load.text import is_file
from phonxling.results.tables import WholeTable, file_of, is_table, write_json, write_table

MANIFEST, RUN, PAGE = "manifest.json", "run.json", "report.html"
LAYOUT = 1  # of a folder of results: raised when tables or columns change, so that others are refused
KEPT = ".phonxling"  # finished steps of computing, which may be removed at any time
_MANIFEST_DIGEST = "sha256"  # of the rest of the manifest
_MAPPINGS = ("inputs", "outputs", "libraries")  # of texts, in every manifest
_SHOWN_FILES = 10
# What file systems answer that have no locks, as some network ones; any other error means that another run has it.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})


def check_folder(folder: Path, kind: str = "experiment") -> None:
    """Raise ConfigurationError when results of this kind cannot be written to a folder without losing what is there."""
    if folder.is_symlink() and not folder.exists():
        raise ConfigurationError(f"{folder}: is a link that leads nowhere; remove it, or make its target")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: is a file; results need a folder")
    try:
        if (folder / MANIFEST).exists():
            if (held := any_manifest(folder).get("kind", "experiment")) != kind:
                raise ConfigurationError(f"{folder}: holds the results of another kind ({held}); choose another folder")
        elif others := sorted(path.name for path in folder.iterdir() if path.name != KEPT):
            shown = ", ".join(others[:3]) + (" …" if len(others) > 3 else "")
            raise ConfigurationError(f"{folder}: holds files that are not results ({shown}); choose an empty folder")
    except OSError as error:  # no permission
        raise DataError(f"{folder}: cannot be read: {error.strerror}") from error
    if folder.resolve() in (here := Path.cwd(), *here.parents):
        raise ConfigurationError(f"{folder}: you stand in it, and results replace their folder; go to another folder")
    if folder.is_mount():
        raise ConfigurationError(f"{folder}: is a disk of its own and cannot be renamed; choose a folder below it")


@contextmanager
def lock_folder(
    folder: Path, say: Callable[[str], object], *, kind: str = "experiment", inputs: Iterable[Path] = ()
) -> Iterator[None]:
    """Have a folder to oneself, to write results of this kind; finish what a killed command began there.

    ConfigurationError as for `check_folder`, or when one of the inputs is a result in this folder; DataError when
    another command has the folder, or nothing can be written beside it.
    """
    with _hold_lock(folder, say):
        check_folder(folder, kind)
        own, place = _own_names(folder), folder.resolve()
        real = [path.resolve() for path in inputs]
        lost = [path for path in real if path.is_relative_to(place) and path.relative_to(place).as_posix() in own]
        if lost:
            headline = f"{folder}: these inputs are results in this folder, and would be replaced:"
            remedy = "Choose another folder for the new results (--output), or copy the inputs elsewhere."
            raise ConfigurationError(join_problems(headline, map(str, lost), remedy, limit=_SHOWN_FILES))
        # Before anything is computed; and a table that these results do not have would be read as theirs.
        _refuse_clash(place, [path.name for path in sorted(place.glob("*.tsv")) if is_table(path.name)], own)
        yield


def _refuse_clash(place: Path, names: Iterable[str], own: Collection[str]) -> None:
    """Raise DataError where files have the names of results, and are not our own."""
    if clash := [name for name in names if name not in own]:
        headline = f"{place}: files that no run of phonxling wrote have the names of results:"
        remedy = "Nothing was changed. Move them away, or choose another folder, and run again."
        raise DataError(join_problems(headline, clash, remedy, limit=_SHOWN_FILES))


@contextmanager
def _hold_lock(folder: Path, say: Callable[[str], object]) -> Iterator[None]:
    lock = _name_beside(folder, "lock")
    missing = [path for path in lock.parents if not path.exists()]
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("ab")
    except OSError as error:
        why = f"nothing can be written in {lock.parent} ({error.strerror})"
        raise DataError(f"{folder}: cannot be made, because {why}: choose another folder") from error
    with file:
        _take_lock(file, lock, folder, say)
        try:
            new, old, place = _name_beside(folder, "new"), _name_beside(folder, "old"), folder.resolve()
            try:  # do what a killed command left: see the order at the top
                if old.exists() and not place.exists():
                    (new if new.exists() else old).rename(place)
                _move_across(old, place)
                if new.exists():
                    shutil.rmtree(new)
            except OSError as error:
                raise DataError(f"{error.filename or folder}: an interrupted run left it: {error.strerror}") from error
            yield
        finally:
            lock.unlink(missing_ok=True)
            for path in missing:
                with suppress(OSError):  # it holds results
                    path.rmdir()


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder that takes the place of this one when all is written; else everything stays as it was.

    Whoever calls it has the folder `locked`. DataError when it cannot be written, or a file that is not ours has the
    name of a result.
    """
    new, old, place = _name_beside(folder, "new"), _name_beside(folder, "old"), folder.resolve()
    try:
        with report_write_errors(folder):
            new.mkdir()
        yield new
        with report_write_errors(folder):
            if place.exists():
                theirs = [path.relative_to(place) for path in _foreign_entries(place, place, _own_names(place), new)]
                _refuse_clash(place, [name.as_posix() for name in theirs if os.path.lexists(new / name)], ())
                place.rename(old)
            new.rename(place)
            _move_across(old, place)
    finally:
        if not old.exists():  # else the new folder is complete, and the next command puts it into its place
            shutil.rmtree(new, ignore_errors=True)


@contextmanager
def guard_reading(folder: Path) -> Iterator[None]:
    """Refuse to read while another command writes; DataError also when one wrote meanwhile."""
    if any(_name_beside(folder, part).exists() for part in ("lock", "old")):
        with _hold_lock(folder, lambda _: None):
            pass  # what a killed command began is finished
    # The manifest is the last file that a run writes, so its state is that of all.
    before = state_of(folder / MANIFEST)
    yield
    if state_of(folder / MANIFEST) != before:
        raise DataError(f"{folder}: another run wrote there while it was read; try again")


def _name_beside(folder: Path, part: str) -> Path:
    """Return the lock, the folder to be or the earlier one: at the same depth, so that relative paths hold there."""
    # Beside it, not in a temporary folder: only within one file system is renaming one step.
    place = folder.resolve()
    return place.parent / f".{place.name}.phonxling-{part}"


def _take_lock(file: BinaryIO, path: Path, folder: Path, say: Callable[[str], object]) -> None:
    held = DataError(f"{folder}: another run is writing there; wait until it ends, or choose another folder")
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            # The system takes it back, however a process ends.
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(file.fileno()), path.stat()):  # the last holder has just removed the file
            raise held
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise held from error
        say(f"{folder}: its file system has no locks; see to it that no other run writes there")


def _own_names(folder: Path) -> frozenset[str]:
    """Return the files that the manifest in a folder names, below it: what may be replaced or removed."""
    if not (folder / MANIFEST).exists():
        return frozenset()
    names = any_manifest(folder)["outputs"]
    # The manifest may be a stranger's: a name that leads out of the folder must not let anything there be removed.
    plain = (name for name in names if "\0" not in name and ".." not in PurePosixPath(name).parts)
    return frozenset({*(name for name in plain if not PurePosixPath(name).is_absolute()), MANIFEST, RUN})


def _foreign_entries(folder: Path, root: Path, own: Collection[str], beside: Path) -> Iterator[Path]:
    """Yield what is not ours below a folder: files, links (not followed), and folders with nothing of ours."""
    for path in sorted(folder.iterdir()):
        name = path.relative_to(root).as_posix()
        if path.is_dir() and not path.is_symlink():
            shared = (beside / name).is_dir() or any(one.startswith(f"{name}/") for one in own)
            yield from _foreign_entries(path, root, own, beside) if shared else [path]
        elif path.is_symlink() or name not in own:
            yield path


def _move_across(old: Path, place: Path) -> None:
    """Move what is not ours from the earlier folder to the one in its place, and remove the rest."""
    if not old.exists():
        return
    own = _own_names(old)
    for path in _foreign_entries(old, old, own, place):
        target = place / path.relative_to(old)
        if os.path.lexists(target):  # written there since the check; the earlier one stays where it is
            raise DataError(f"{target}: is in the way of an earlier file of yours, {path}; move one of them away")
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    for name in sorted(own - {MANIFEST}):
        (old / name).unlink(missing_ok=True)
    # The deepest first: a folder can be removed when it is empty.
    for path in sorted((path for path in old.rglob("*") if path.is_dir()), reverse=True):
        path.rmdir()
    (old / MANIFEST).unlink(missing_ok=True)  # last: until then it says what is ours
    old.rmdir()


def write_tables(folder: Path, tables: Mapping[str, WholeTable]) -> dict[str, str]:
    """Write tables by their names into a folder, and return the sha256 of each file."""
    return {file_of(name): write_table(folder, name, table) for name, table in tables.items()}


def link(source: Path, target: Path) -> None:
    """Let a file stand in a second place, without copying what may be large where that can be."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copy2(source, target)


def outputs(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): digest(path) for path in sorted(files)}


def write_manifest(folder: Path, manifest: Mapping[str, Any], named: Mapping[str, str]) -> None:
    """Write the manifest with the sha256 of each file, and of itself."""
    plain = {name: part for name, part in manifest.items() if name != _MANIFEST_DIGEST}
    whole = {**plain, "layout": LAYOUT, "outputs": dict(sorted(named.items()))}
    write_json(folder / MANIFEST, {**whole, _MANIFEST_DIGEST: _digest_of(whole)})


def _digest_of(manifest: Mapping[str, Any]) -> str:
    # With sorted keys, since a manifest that was only written again in another order was not changed.
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of finished results; DataError when there is none, or another version's tables are there."""
    manifest = any_manifest(folder)
    # Not the version: most versions change no table, and results of an earlier one should stay readable.
    if manifest.get("layout") != LAYOUT:
        written = f"version {manifest['phonxling']} of phonxling wrote these results"
        raise DataError(f"{folder}: {written}, whose tables this version does not read; run the experiment again")
    return manifest


def any_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest that any version wrote, its files and libraries texts by names; DataError when it is none."""
    path = folder / MANIFEST
    try:
        manifest = read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        of_file = "; two files are compared by phonxling score GOLD PREDICTED" * folder.is_file()
        raise DataError(f"{folder}: no folder of finished results (it has no {MANIFEST}){of_file}") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(manifest, dict):
        raise DataError(f"{path}: is not a manifest")
    texts = {part: manifest.get(part) for part in _MAPPINGS} | {"phonxling": {"": manifest.get("phonxling")}}
    wrong = [part for part, held in texts.items() if not isinstance(held, dict) or {*map(type, held.values())} - {str}]
    if wrong:
        remedy = "it was changed; restore it, or run the experiment into another folder"
        raise DataError(f"{path}: is not a manifest of results, because its '{wrong[0]}' is not valid; {remedy}")
    return manifest


def whole_manifest(folder: Path) -> dict[str, Any]:
    """Return a manifest whose settings are valid; DataError where they were changed."""
    manifest = read_manifest(folder)
    if manifest.get("kind") == "score" and "configuration" not in manifest:
        raise DataError(f"{folder}: holds the tables of one score; this needs the results of phonxling run")
    try:
        if manifest.get("kind") == "comparison":
            Figures.model_validate(manifest.get("figures"))
        else:
            Experiment.model_validate(manifest.get("configuration"))
    except ValueError:
        fault = f"{folder / MANIFEST}: its settings are not valid: they were changed; run the experiment again"
        raise ConfigurationError(fault) from None
    return manifest


def changed_outputs(folder: Path) -> Iterator[str]:
    """Yield which of the files that a folder's manifest names, and it itself, are not as they were written, and why."""
    manifest = read_manifest(folder)
    plain = {name: part for name, part in manifest.items() if name != _MANIFEST_DIGEST}
    if manifest.get(_MANIFEST_DIGEST) != _digest_of(plain):
        yield f"{MANIFEST}: was changed after it was written"
    own = _own_names(folder)
    for name, expected in manifest["outputs"].items():
        if name not in own or not (folder / name).resolve().is_relative_to(folder.resolve()):
            yield f"{name}: lies outside the folder"
        elif not is_file(folder / name):
            yield f"{name}: is gone"
        elif digest(folder / name) != expected:
            yield f"{name}: was changed after it was written"
