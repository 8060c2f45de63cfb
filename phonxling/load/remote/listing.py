"""Which files a URL stands for, and what their copies are called: never a name that leads out of the folder."""

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from phonxling.core.errors import DataError
from phonxling.load.paths import has_ending, shown_endings
from phonxling.load.remote.systems import is_absent, open_system
from phonxling.load.remote.urls import Url

_DEEPEST = 32  # folders: a web page may hold links that lead round in a circle
_MARKS = re.compile(  # keys under which file systems tell that a file is another one
    "etag|md5|md5hash|contentmd5|crc32c|checksum|digest|generation|versionid|"
    "lastmodified|mtime|modified|modify|updated|created|lastwritetime"
)
_About = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Endings of the files that a reader takes from a folder (none: it reads one file), or that cannot be fetched.

    `beside` are names of files that may belong to a file beside them; `*` stands for its name without the ending.
    """

    endings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file to fetch, and the name of its copy; `mark` changes when the file does (None: its system tells nothing)."""

    name: str
    url: str
    path: str
    size: int | None
    mark: str | None


def list_files(url: Url, wanted: Wanted) -> tuple[str, list[RemoteFile]]:
    """Return what to read below the folder of copies (a file, a folder or a glob), and the files to fetch.

    DataError when there is no wanted file, or the name of one would lead elsewhere or stand for two.
    """
    system, path = open_system(url, url.text)
    try:
        about = system.info(path)
    except Exception as error:  # file systems raise errors of their own libraries
        if not (url.pattern and is_absent(error)):
            raise
        about = {"type": "directory"}
    if about["type"] == "directory" or (url.web and url.text.endswith("/")):
        place, files = _in_folder(url, wanted)
    else:  # also where a glob's very text is the name of a file
        place = url.decoded(url.bare.rpartition("/")[2])
        file = _remote_file(place, url.bare if url.pattern else url.text, about)
        files = [file, *_beside(url, wanted, place.rpartition(".")[0])]
    if not files:
        problem = "nothing matches the pattern" if url.pattern else f"holds no {shown_endings(wanted.endings)} file"
        raise DataError(f"{url}: {problem}")
    _check_names(url, files, wanted)
    return place, files


def _remote_file(name: str, url: str, about: _About) -> RemoteFile:
    marks = {re.sub("[-_]", "", key.lower()): f"{value}" for key, value in about.items() if value}
    mark = " ".join(f"{key}={marks[key]}" for key in sorted(marks) if _MARKS.fullmatch(key))
    return RemoteFile(name, url, about["name"], about.get("size"), mark or None)


def _in_folder(url: Url, wanted: Wanted) -> tuple[str, list[RemoteFile]]:
    if not (url.pattern or wanted.endings):
        raise DataError(f"{url}: is a folder, and one file is needed")
    top, pattern = url.decoded(url.fixed.rpartition("/")[2]), [url.decoded(part) for part in url.pattern]
    files = []
    for name, about in _files_below(url, pattern or ["**", "*"]):
        labels = len(pattern) == 1 and name in wanted.beside
        if labels or (_matches(name.split("/"), pattern) if pattern else _is_wanted(name, wanted)):
            files.append(_remote_file(f"{top}/{name}", f"{url.fixed}/{name}", about))
    return "/".join([top, *pattern]), files


def _is_wanted(name: str, wanted: Wanted) -> bool:
    return has_ending(Path(name), (*wanted.endings, *wanted.refused))


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":  # folders, any number of them
        return any(_matches(parts[skipped:], pattern[1:]) for skipped in range(len(parts)))
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _beside(url: Url, wanted: Wanted, stem: str) -> Iterator[RemoteFile]:
    """Yield the lists of labels that stand beside a file."""
    for name in (pattern.replace("*", stem) for pattern in wanted.beside):
        address = f"{url.bare.rpartition('/')[0]}/{name}"
        system, path = open_system(url, address)
        try:
            yield _remote_file(name, address, system.info(path))
        except Exception as error:  # file systems raise errors of their own libraries
            if not is_absent(error):
                raise


def _files_below(url: Url, pattern: Sequence[str]) -> Iterator[tuple[str, _About]]:
    """Yield the files below a folder, by name; unlike fsspec's walk, it leaves out no folder that cannot be read."""
    system, path = open_system(url, url.fixed if url.pattern else url.text)
    start = path.rstrip("/") + "/"
    general = next((kind for kind in type(system).__mro__ if kind.__name__ == "AsyncFileSystem"), None)
    lists_all_at_once = general is not None and type(system)._find is not general._find  # type: ignore[attr-defined]
    listed = system.find(path, detail=True).values() if lists_all_at_once else _walked(system, start, pattern, url)
    for about in sorted(listed, key=lambda about: str(about["name"])):
        name = str(about["name"])
        if name.endswith("/") or (url.web and set("?#") & set(name)):
            continue  # a folder's own entry, or a link by which a page of a folder sorts itself
        if not name.startswith(start):
            raise DataError(f"{url}: the listing names {name!r}, which is not below it")
        yield url.decoded(name.removeprefix(start)), about


def _walked(system: Any, folder: str, pattern: Sequence[str], url: Url, *, depth: int = 0) -> Iterator[_About]:  # noqa: ANN401
    """Yield the files of a folder and of the folders in it that fit the next step of a pattern."""
    if depth > _DEEPEST:
        raise DataError(f"{url}: holds folders more than {_DEEPEST} deep; do links lead round in a circle?")
    for about in system.ls(folder, detail=True):
        path = str(about["name"]).rstrip("/")
        name = path.removeprefix(folder)
        if about["type"] != "directory":
            yield about
        elif name not in ("", path) and path != folder.rstrip("/") and not set("?#") & set(name):
            is_fixed = "**" not in pattern[: depth + 1]
            if not is_fixed or (len(pattern) > depth + 1 and fnmatch.fnmatchcase(url.decoded(name), pattern[depth])):
                yield from _walked(system, f"{path}/", pattern, url, depth=depth + 1)


def _check_names(url: Url, files: Sequence[RemoteFile], wanted: Wanted) -> None:
    names: set[str] = set()
    for file in files:
        if has_ending(Path(file.name), wanted.refused):
            why = "a list of places on the machine that wrote it; give the .ark files, as a folder without it or a glob"
            raise DataError(f"{file.url}: cannot be read from elsewhere: it is {why}")
        if re.search(r"[\x00-\x1f\x7f\\]", file.name) or {"", ".", ".."} & set(file.name.split("/")):
            raise DataError(f"{url}: the name {file.name!r} would lead out of the folder of copies; rename the object")
        if file.name in names:
            raise DataError(f"{url}: two objects would have the copy '{file.name}'; rename one")
        names.add(file.name)
    for name in sorted(names):
        if both := names & {parent.as_posix() for parent in PurePosixPath(name).parents}:
            raise DataError(f"{url}: '{both.pop()}' is both an object and the folder of '{name}'; rename one")
