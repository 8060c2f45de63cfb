"""Paths that users give: a file, a folder, or a glob."""

import fnmatch
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.load.text import check_regular, unreadable

_GLOB = frozenset("*?[")


def find_files(path: Path, endings: str | Sequence[str]) -> list[tuple[str, Path]]:
    """Return (id, file) of a file, a folder's files with one of the endings (any case, any depth), or a glob, by id."""
    fixed, files = matching(path, (endings,) if isinstance(endings, str) else endings)
    named = sorted(("_".join((*file.parts[len(fixed.parts) : -1], file.stem)), file) for file in files)
    for (name, first), (other, second) in pairwise(named):
        if name == other:
            raise DataError(f"{first} and {second} would both be the utterance '{name}'; rename one")
    return named


def matching(path: Path, endings: Sequence[str]) -> tuple[Path, list[Path]]:
    """Return the folder from which names count, and the files there; errors as for `find_files`, but for ids."""
    if is_glob(path):
        fixed = next(n for n, part in enumerate(path.parts) if _GLOB & set(part))
        start = Path(*path.parts[:fixed])
        parts = [part for n, part in enumerate(path.parts) if n >= fixed and path.parts[n - 1 : n + 1] != ("**", "**")]
        files = [file for file in dict.fromkeys(_expanded(start, parts)) if not is_folder(file)]
        if not files:
            raise DataError(f"{path}: no such file (nothing matches the pattern)")
        return start, _checked(files)
    if is_folder(path):
        found = [
            (below / entry.name, entry.is_file(follow_symlinks=False))  # without asking for each file
            for below, entry in _files(path)
            if has_ending(entry.name, endings)
        ]
        if not found:
            raise DataError(f"{path}: holds no {shown_endings(endings)} file")
        _checked([file for file, regular in found if not regular])
        return path, [file for file, _ in found]
    return path.parent, _checked([path])


def files_below(folder: Path) -> Iterator[Path]:
    """Yield every file below a folder, in the order of names; links are followed."""
    return (below / entry.name for below, entry in _files(folder))


def suffixes_below(folder: Path) -> set[str]:
    """Return the suffixes of the files below a folder, in small letters; errors as for `files_below`."""
    return {os.path.splitext(entry.name)[1].lower() for _, entry in _files(folder)}  # noqa: PTH122 - many files


def _files(folder: Path) -> Iterator[tuple[Path, os.DirEntry[str]]]:
    """Yield the files below a folder, each after the folder that it is in."""
    return ((below, entry) for below, entries in _folders(folder) for entry in entries if not entry.is_dir())


def is_glob(path: Path) -> bool:
    """Return whether a path is meant as a glob: it holds `*`, `?` or `[`, and no file is called so."""
    return bool(_GLOB & set(str(path))) and not os.path.exists(path)  # noqa: PTH110 - no error for long names


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; DataError when that cannot be found out."""
    try:
        return path.is_dir()
    except OSError as error:  # no permission, or a name that is too long
        raise unreadable(path, error) from error


def has_ending(name: str, endings: Sequence[str]) -> bool:
    """Return whether a file's name ends so, in any case; an ending without a dot is a whole name."""
    name = name.lower()
    return name in endings or any(name.endswith(ending) for ending in endings if ending[:1] == ".")


def shown_endings(endings: Sequence[str]) -> str:
    """Return endings as a message shows them."""
    return ", ".join(f"*{ending}" if ending.startswith(".") else ending for ending in endings)


def _expanded(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield what a glob stands for, part by part: unlike pathlib's, it follows links and skips no locked folder."""
    if not parts:
        yield folder
    elif parts[0] == "**":
        for below, _ in _folders(folder):
            yield from _expanded(below, parts[1:])
    else:
        for entry in _entries(folder):
            if fnmatch.fnmatchcase(entry.name, parts[0]) and (len(parts) == 1 or entry.is_dir()):
                yield from _expanded(folder / entry.name, parts[1:])


def _folders(folder: Path, inside: tuple[Path, ...] = ()) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
    """Yield a folder and all below it, each with what it holds, the folders around it given."""
    real = folder.resolve()
    if real in inside or (folder.is_symlink() and real in folder.parent.resolve().parents):
        raise DataError(f"{folder}: a link to a folder that it stands in; remove the link")
    entries = _entries(folder)
    yield folder, entries
    for entry in entries:
        if entry.is_dir():
            yield from _folders(folder / entry.name, (*inside, real))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what a folder holds, by name; each knows what it is without the system being asked again."""
    try:
        with os.scandir(folder) as entries:
            named = sorted(entries, key=attrgetter("name"))
        for entry in named:
            entry.is_dir()  # which is an error here, where the system has to be asked and does not answer
    except OSError as error:
        raise unreadable(folder, error) from error
    return named


def _checked(files: list[Path]) -> list[Path]:
    """Return the files; DataError when a link leads nowhere, one cannot be reached, or is no regular file."""
    for path in files:
        try:
            check_regular(path)
        except FileNotFoundError as error:
            if path.is_symlink():
                raise DataError(f"{path}: a link to {path.readlink()}, which is not there") from error
            raise unreadable(path, error) from error
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
    return files
