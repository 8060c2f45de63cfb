"""Which files there are below a folder: few are looked at where there are many, and nothing odd is opened."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.errors import shown

MOST_FOLDERS, DEEPEST, MOST_FILES = 300, 6, 200_000
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results
_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))


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
            elif _OF_THE_SYSTEM & {real, *real.parents}:
                walk.leave_out("folders of the system", place)
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
            every = sorted((entry for entry in entries if entry.name[:1] != "."), key=lambda entry: entry.name)
    except OSError:
        walk.leave_out("folders that cannot be read", folder)
        return []
    if folder != walk.root and not _OF_A_RUN.isdisjoint(entry.name for entry in every):
        return []
    if len(every) > MOST_FILES:
        walk.leave_out(f"names beyond the first {MOST_FILES:,} of a folder", folder, len(every) - MOST_FILES)
    kinds = [(folder / entry.name, _kind(entry)) for entry in every[:MOST_FILES]]
    for path, kind in kinds:
        if kind not in {"file", "folder"}:
            walk.leave_out(kind, path)
    if files := [path for path, kind in kinds if kind == "file"]:
        walk.files[folder] = files
    return [path for path, kind in kinds if kind == "folder"]


def _kind(entry: os.DirEntry[str]) -> str:
    """Return "file", "folder", or why it is left out."""
    if not entry.name.isprintable():
        return "names that cannot be printed"
    try:
        if entry.is_dir():
            return "folder"
        if entry.is_file():
            return "file"
        return "links that lead nowhere" if not Path(entry.path).exists() else "pipes, sockets or devices"
    except OSError:
        return "links that lead nowhere"
