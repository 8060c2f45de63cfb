"""What is known of copies that were fetched before: a line of JSON each, so that a stopped fetch keeps what it had."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from phonxling.load.remote.entries import Entry


@dataclass(frozen=True, slots=True)
class Kept:
    """A finished copy: which object it is of (`size`, `mark`), and its own size and time, in nanoseconds."""

    name: str
    size: int | None
    mark: str | None
    copied: int
    written: int


def read_records(file: Path) -> dict[str, Kept]:
    """Return finished copies by name; those whose objects have no mark, and lines that cannot be read, are left out."""
    return {kept.name: kept for kept in _lines(file) if kept.mark is not None}


def _lines(file: Path) -> Iterator[Kept]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        try:
            yield Kept(**json.loads(line))
        except (ValueError, TypeError):  # a line cut short by whatever stopped the program
            continue


def add_record(file: Path, kept: Kept) -> None:
    """Add a finished copy."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(kept)) + "\n")


def finished(entry: Entry, copy: Path) -> Kept:
    """Return the record of a copy that was just made."""
    state = copy.stat()
    return Kept(entry.name, entry.size, entry.mark, state.st_size, state.st_mtime_ns)


def missing(entries: Sequence[Entry], kept: dict[str, Kept], folder: Path) -> list[Entry]:
    """Return the objects of which there is no copy, or one of another state, or one that was touched since."""
    return [entry for entry in entries if not _is_current(entry, kept.get(entry.name), folder / entry.name)]


def _is_current(entry: Entry, kept: Kept | None, copy: Path) -> bool:
    if kept is None or (kept.size, kept.mark) != (entry.size, entry.mark) or copy.is_symlink():
        return False
    try:
        return finished(entry, copy) == kept
    except OSError:
        return False
