"""Which files there are below a folder: few are looked at where there are many, and nothing odd is opened."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.errors import shown

MOST_FOLDERS, DEEPEST, MOST_FILES = 300, 6, 20_000
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results
_PIPES = (stat.S_ISFIFO, stat.S_ISSOCK, stat.S_ISCHR, stat.S_ISBLK)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of each folder, by name; and what was not looked at, with the number of times and the first case."""

    files: Mapping[Path, list[Path]]
    left_out: Mapping[str, tuple[int, str]]

    def notes(self) -> Iterator[str]:
        """Yield what was not looked at, a clause each."""
        for what, (number, first) in self.left_out.items():
            yield f"{number:,} {what}, such as {first}" if number > 1 else f"{what}: {first}"


@dataclass(slots=True)
class _Walk:
    root: Path
    files: dict[Path, list[Path]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    seen: set[Path] = field(default_factory=set)

    def leave_out(self, what: str, path: Path, number: int = 1) -> None:
        self.counts[what] += number
        self.first.setdefault(what, shown(path.relative_to(self.root).as_posix()) or ".")


def listing(root: Path) -> Listing:
    """Return the files below a folder, level by level; links to folders are followed, but not to those around it."""
    walk, level = _Walk(root), [root]
    around = {root.resolve(), *root.resolve().parents}
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for place in level:
            real = place.resolve()
            if real in walk.seen or (place != root and real in around):
                walk.leave_out("links to folders that were looked at, or hold this one", place)
            elif len(walk.seen) >= MOST_FOLDERS or depth == DEEPEST:
                walk.leave_out(f"folders not looked at, beyond {MOST_FOLDERS} or too deep", place)
            else:
                walk.seen.add(real)
                below += _look(walk, place)
        level = below
    return Listing(walk.files, {what: (walk.counts[what], first) for what, first in walk.first.items()})


def _look(walk: _Walk, folder: Path) -> list[Path]:
    """Enter a folder's files, and return the folders in it."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except OSError:
        walk.leave_out("folders that cannot be read", folder)
        return []
    if folder != walk.root and _OF_A_RUN & set(names):
        return []
    if len(names) > MOST_FILES:
        walk.leave_out(f"names beyond the first {MOST_FILES:,} of a folder", folder, len(names) - MOST_FILES)
    kinds = [(folder / name, _kind(walk, folder / name)) for name in names[:MOST_FILES]]
    if files := [path for path, kind in kinds if kind == "file"]:
        walk.files[folder] = files
    return [path for path, kind in kinds if kind == "folder"]


def _kind(walk: _Walk, path: Path) -> str:
    if not path.name.isprintable():
        walk.leave_out("names that cannot be printed", path)
        return ""
    try:
        state = path.stat()
    except OSError:
        walk.leave_out("links that lead nowhere, or names that cannot be reached", path)
        return ""
    if stat.S_ISDIR(state.st_mode):
        return "folder"
    if any(odd(state.st_mode) for odd in _PIPES):
        walk.leave_out("pipes, sockets or devices", path)
        return ""
    if not os.access(path, os.R_OK):
        walk.leave_out("files that you have no permission to read", path)
        return ""
    return "file" if state.st_size else ""
