"""A folder of results: its manifest, what may be written there, and whether its files are as the manifest says.

The manifest goes first and comes last, so a folder without one is unfinished. In between, files are replaced one by
one, each whole; what an earlier run named and this one did not write is removed before the manifest is written. While
figures are drawn again the manifest is put aside, where another `redraw` finds it.

Which files an unfinished run may have left is written down before each is, in a journal, `.unfinished`, until all are
done. Folders that are written into are no links, or files would be written elsewhere.

One run a folder: a lock that the system takes back when its process ends, however it ends.

The lock is the system's, on the open file `.lock`, so a file that a killed run left behind locks nothing. What stands
in it tells others who has the folder. At the end the file is removed, then unlocked: whoever waits with it open finds
that it has its name no more, and takes the one that has.
"""

import errno
import hashlib
import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.files import digest, open_in_place, open_regular, parse_json, read_json, real_path, state_of
from phonxling.load.text import is_file
from phonxling.settings.files import Figures
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table, files_in, write_json, write_table
from phonxling.version import __version__

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".lock"
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})
_HELD = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
_TRIES = 1000
_FIRST = 1 << 30  # Windows locks bytes that others cannot read: one far behind the text


@contextmanager
def locked(folder: Path, warn: Callable[[str], object]) -> Iterator[None]:
    """Have a folder to oneself, making it; what is empty at the end and was not there before goes again."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]  # the deepest first
    path = folder / LOCK
    descriptor = -1
    try:
        descriptor = _take(path, warn)
        yield
    except OSError as error:
        if descriptor >= 0:
            raise
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error
    finally:
        if descriptor >= 0:
            _leave(path, descriptor)
        with suppress(OSError):  # one holds something, or was never made
            for empty in made:
                empty.rmdir()


def refuse_if_held(folder: Path) -> None:
    """Raise DataError when a run has this folder: for commands that read it."""
    try:
        file = open_regular(folder / LOCK)
    except OSError:
        return
    with file:
        try:
            _lock(file.fileno(), shared=True)
        except OSError as error:
            if error.errno in _HELD:
                raise DataError(_refusal(folder / LOCK)) from error


def _take(path: Path, warn: Callable[[str], object]) -> int:
    """Return the open, locked file; the one that has this name now, since the last holder may just have removed it."""
    folder = path.parent
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):  # another run, which has just ended, removes the folder or the file meanwhile
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except FileExistsError:  # something had the name: a file, or a folder that has gone since
                if not stat.S_ISDIR(folder.lstat().st_mode):
                    raise
            descriptor = open_in_place(path, os.O_RDWR)
            try:
                _lock(descriptor)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    os.close(descriptor)
                    if error.errno in _HELD:
                        raise DataError(_refusal(path)) from error
                    raise
                warn(f"{folder}: its file system has no locks; see to it that no other run writes there")
            with suppress(OSError):  # the file has its name no more
                if os.path.samestat(path.stat(), os.fstat(descriptor)):
                    break
            os.close(descriptor)
    else:
        why = "other runs remove it again and again" if folder.exists() else "nothing can be written there"
        raise DataError(f"{path if folder.exists() else folder}: cannot be made, because {why}: choose another folder")
    about = {"process": os.getpid(), "host": platform.node(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, (json.dumps(about) + "\n").encode())
    except OSError:  # the disk is full, which is told before any work
        _leave(path, descriptor)
        raise
    return descriptor


def _lock(descriptor: int, *, shared: bool = False) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _FIRST, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _leave(path: Path, descriptor: int) -> None:
    if sys.platform == "win32":  # which removes no open file
        os.close(descriptor)
        path.unlink(missing_ok=True)
        return
    with suppress(OSError):  # the folder may be gone or locked away; the lock goes all the same
        path.unlink(missing_ok=True)
    os.close(descriptor)


def _refusal(path: Path) -> str:
    try:
        holder = read_json(path)
        who = f"process {holder['process']} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "which did not say who it is"
    return f"{path.parent}: another run is writing there ({who}); wait until it ends, or choose another folder"


CACHE = ".cache"  # what is stored for a next run
MANIFEST, RUN, PAGE = "manifest.json", "run.json", "report.html"
ASIDE = ".manifest.redrawing"  # the manifest's name while figures, papers' tables and the page are drawn again
JOURNAL = ".unfinished"
_OWN = "sha256"  # of the rest of the manifest
_SCRATCH = ".*.part"  # files that are being written
_MAPPINGS = ("inputs", "outputs", "libraries")  # of texts, in every manifest
_SHOWN = 10  # links
_UNFINISHED = {  # what a run that was stopped leaves in its folder
    "experiment": frozenset({*files_in("results"), RUN}),
    "comparison": frozenset(files_in("comparison")),
}


class Written(NamedTuple):
    """Where results were written, and which files."""

    folder: Path
    files: tuple[Path, ...]


def outputs(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): digest(path) for path in sorted(files)}


def manifest_of(folder: Path) -> Path:
    """Return the manifest's file; where there is none, the one that an interrupted `redraw` has left aside."""
    if (folder / ASIDE).exists() and not (folder / MANIFEST).exists():
        return folder / ASIDE
    return folder / MANIFEST


def changed_outputs(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield which of the files that a manifest names are not as they were written, and why."""
    for name, expected in manifest["outputs"].items():
        path = folder / name
        if not is_file(path):
            yield f"{name}: is gone"
        elif not real_path(path).is_relative_to(real_path(folder)):
            yield f"{name}: lies outside the folder"
        elif digest(path) != expected:
            yield f"{name}: was changed after it was written"


def is_whole(folder: Path) -> bool:
    """Return whether a folder with a manifest has every file as it says, and nobody was stopped while writing there."""
    stopped = any((folder / name).exists() for name in (ASIDE, JOURNAL)) or any(folder.rglob(_SCRATCH))
    return not stopped and not any(changed_outputs(folder, read_manifest(folder)))


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    refuse_if_held(folder)
    before = state_of(folder / MANIFEST)
    yield
    if state_of(folder / MANIFEST) != before:
        raise DataError(f"{folder}: another run wrote there while it was read; try again")


@contextmanager
def writing(folder: Path, corpora: Iterable[str], warn: Callable[[str], object]) -> Iterator[None]:
    """Have a folder to oneself, to write results of these corpora; DataError as for `locked` and `refuse_links`."""
    with locked(folder, warn):
        refuse_links(folder, corpora)
        yield


def refuse_links(folder: Path, corpora: Iterable[str]) -> None:
    """Raise DataError when a folder that is written into is a link: for all who write, once they have the folder."""
    tops = [folder / name for name in ("figures", "paper", CACHE, *corpora)]
    links = [path for path in tops if path.is_symlink() or not real_path(path).is_relative_to(real_path(folder))]
    for top in [top for top in tops if top not in links]:
        for place, folders, files in os.walk(top):
            below = (Path(place, name) for name in (*folders, *files))
            links += [path for path in below if path.is_symlink() and not path.is_file()]
    if links:
        shown = [f"{path.relative_to(folder)} leads to {real_path(path)}" for path in links]
        headline = f"{folder}: folders that results are written into are links:"
        remedy = "Remove these links (what they lead to stays as it is), or choose another folder for the results."
        raise DataError(join_problems(headline, shown, remedy, limit=_SHOWN))


def read_manifest(folder: Path, name: str = MANIFEST) -> dict[str, Any]:
    """Return a result folder's manifest, its files and libraries texts by names; DataError when there is none."""
    try:
        manifest = read_json(folder / name)
    except FileNotFoundError:
        if (folder / ASIDE).exists():
            msg = f"{folder}: drawing it again was interrupted; to finish it, run: phonxling report {folder}"
        else:
            msg = f"{folder}: no folder of finished results (it has no {MANIFEST})"
        raise DataError(msg) from None
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(manifest, dict):
        raise DataError(f"{folder / name}: is no manifest")
    texts = {part: manifest.get(part) for part in _MAPPINGS} | {"phonxling": {"": manifest.get("phonxling")}}
    wrong = [part for part, held in texts.items() if not isinstance(held, dict) or {*map(type, held.values())} - {str}]
    if wrong:
        remedy = "it was changed; restore it, or run the experiment into another folder"
        raise DataError(f"{folder / name}: is no manifest of results, because its '{wrong[0]}' is none; {remedy}")
    return manifest


def manifest_problem(folder: Path) -> str:
    """Return that a manifest was changed after it was written, "" where it was not, or is of an older version."""
    manifest = read_manifest(folder)
    told = manifest.pop(_OWN, None)
    older = told is None and manifest["phonxling"] != __version__
    return "" if older or told == _own_digest(manifest) else f"{MANIFEST}: was changed after it was written"


def _own_digest(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def whole_manifest(folder: Path, name: str = MANIFEST) -> dict[str, Any]:
    """Return a manifest whose settings are valid, with the defaults of those that an older version did not have."""
    manifest = read_manifest(folder, name)
    try:
        if manifest.get("kind") == "comparison":
            figures = Figures.model_validate(manifest.get("figures"))
            return {**manifest, "figures": figures.model_dump(mode="json")}
        experiment = Experiment.model_validate(manifest.get("configuration"))
        return {**manifest, "configuration": experiment.model_dump(mode="json", exclude={"cluster"})}
    except ValueError:
        writer = f"it is of version {manifest['phonxling']}, or was changed; run the experiment again"
        raise ConfigurationError(f"{folder / name}: its settings are none of this version: {writer}") from None


def check_folder(folder: Path, kind: str = "experiment") -> None:
    """Raise ConfigurationError when a folder holds files but no results of this kind, or is a file."""
    try:
        if folder.is_symlink() and not folder.exists():
            raise ConfigurationError(f"{folder}: is a link that leads nowhere; remove it, or make its target")
        if not folder.exists():
            return
        if not folder.is_dir():
            raise ConfigurationError(f"{folder}: is a file; results need a folder")
        if (manifest := manifest_of(folder)).exists():
            held = read_manifest(folder, manifest.name).get("kind", "experiment")
            if held != kind:
                raise ConfigurationError(f"{folder}: holds the results of another kind ({held}); choose another folder")
            return
        known = _UNFINISHED.get(kind, frozenset()) | {LOCK, JOURNAL} | ({PAGE} & set(noted(folder)))
        files = [path.name for path in folder.iterdir() if path.is_file() and path.name not in known]
    except OSError as error:  # no permission
        raise DataError(f"{folder}: cannot be read: {error.strerror}") from error
    if others := sorted(name for name in files if not name.endswith(".part"))[:3]:
        shown = ", ".join(others)
        raise ConfigurationError(f"{folder}: holds files that are no results ({shown} …); choose an empty folder")


def note(folder: Path, names: Iterable[str]) -> None:
    """Write down files, by their paths below the folder, that are about to be written or are of an earlier run."""
    lines = "".join(json.dumps(name) + "\n" for name in names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(open_in_place(folder / JOURNAL, os.O_WRONLY | os.O_APPEND), "ab", buffering=0) as file:  # noqa: PTH123
            file.write(f"\n{lines}".encode())  # in one piece; a line that a killed run left half is ended first
    except OSError as error:
        raise DataError(f"{folder / JOURNAL}: cannot be written: {error.strerror}") from error


def noted(folder: Path) -> list[str]:
    """Return the files that were written down, each once; lines that are not whole are left."""
    try:
        with open_regular(folder / JOURNAL) as file:
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    names: dict[str, None] = {}
    for line in lines:
        with suppress(ValueError):
            if isinstance(name := parse_json(line), str) and name:
                names[name] = None
    return list(names)


def remove_others(folder: Path, wanted: Iterable[str]) -> None:
    """Remove the files that were noted and are not wanted, with folders that are empty then; nothing outside."""
    try:
        root = real_path(folder)
        for name in set(noted(folder)).difference(wanted):
            path, above = root / name, (root / name).parent
            if not is_file(path) and not os.path.islink(path):  # noqa: PTH114 - pathlib's raises for names that are too long
                continue
            if real_path(above) == above and above.is_relative_to(root):  # no link leads there
                path.unlink()
                if above != root and not any(above.iterdir()):
                    above.rmdir()
    except OSError as error:
        raise DataError(f"{folder}: an earlier run's files cannot be removed: {error.strerror}") from error


def begin_writing(folder: Path) -> None:
    """Make a folder unfinished: what its manifest names is noted, and the manifest goes."""
    manifest = manifest_of(folder)
    note(folder, read_manifest(folder, manifest.name)["outputs"] if manifest.exists() else ())
    try:
        _remove_scratch(folder)
        for name in (ASIDE, MANIFEST):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error


def _remove_scratch(folder: Path) -> None:
    for scratch in folder.rglob(_SCRATCH):
        scratch.unlink(missing_ok=True)


def write_tables(folder: Path, tables: Mapping[str, Table]) -> dict[str, str]:
    """Write tables by their paths below the folder, and return the sha256 of each; DataError when that cannot be."""
    note(folder, tables)
    written = {name: write_table(folder, name, table) for name, table in tables.items()}
    remove_other_tables(folder, tables)
    return written


def remove_other_tables(folder: Path, tables: Iterable[str]) -> None:
    drawn = [name for name in noted(folder) if not name.endswith(".tsv") or name.startswith("figures/")]
    remove_others(folder, [*tables, *drawn])


def finish_writing(folder: Path, manifest: Mapping[str, Any], named: Mapping[str, str]) -> None:
    """Remove what else was noted, and write the manifest with the sha256 of each file; DataError when it cannot be."""
    remove_others(folder, [*named, RUN])
    _finish(folder, manifest, named)


@contextmanager
def redrawing(folder: Path, manifest: Mapping[str, Any]) -> Iterator[None]:
    """Put the manifest aside while files of a folder are drawn again; it is put back whatever error there is."""
    refuse_links(folder, manifest.get("configuration", {}).get("corpora", {}))
    try:
        _remove_scratch(folder)
        manifest_of(folder).replace(folder / ASIDE)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        yield
    except BaseException:
        with suppress(OSError):
            (folder / ASIDE).replace(folder / MANIFEST)
        raise


def finish_redrawing(folder: Path, manifest: Mapping[str, Any], files: Iterable[Path]) -> None:
    """Write the manifest with the sha256 of each file that was drawn again; DataError when it cannot be written."""
    named = {**manifest["outputs"], **outputs(folder, files)}
    plain = {name: part for name, part in manifest.items() if name != _OWN}
    changed = manifest.get(_OWN) not in (None, _own_digest(plain))  # then it stays as one that was changed
    _finish(folder, manifest, named, own=manifest[_OWN] if changed else None)


def _finish(folder: Path, manifest: Mapping[str, Any], named: Mapping[str, str], own: str | None = None) -> None:
    whole = {name: part for name, part in manifest.items() if name != _OWN} | {"outputs": dict(sorted(named.items()))}
    write_json(folder / MANIFEST, {**whole, _OWN: own or _own_digest(whole)}, lasting=True)
    (folder / ASIDE).unlink(missing_ok=True)
    (folder / JOURNAL).unlink(missing_ok=True)
