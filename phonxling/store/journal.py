"""Which files an unfinished run may have left: written down before each is, in `.unfinished`, until all are done."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.files import open_in_place, open_regular, parse_json, real_path
from phonxling.load.unreadable import is_file

JOURNAL = ".unfinished"


def note(folder: Path, names: Iterable[str]) -> None:
    """Write down files, by their paths below the folder, that are about to be written or are of an earlier run.

    DataError when that cannot be done.
    """
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
    return list(dict.fromkeys(name for line in lines if (name := _name(line))))


def _name(line: str) -> str:
    try:
        name = parse_json(line)
    except ValueError:
        return ""
    return name if isinstance(name, str) else ""


def remove_others(folder: Path, wanted: Iterable[str]) -> None:
    """Remove the files that were noted and are not wanted, with folders that are empty then; nothing outside.

    DataError when that cannot be done.
    """
    try:
        root = real_path(folder)
        for name in set(noted(folder)).difference(wanted):
            _remove(root / name, root)
    except OSError as error:
        raise DataError(f"{folder}: an earlier run's files cannot be removed: {error.strerror}") from error


def _remove(path: Path, root: Path) -> None:
    if not is_file(path) and not os.path.islink(path):  # noqa: PTH114 - pathlib's raises for names that are too long
        return
    above = path.parent
    if real_path(above) == above and above.is_relative_to(root):  # no link leads there
        path.unlink()
        if above != root and not any(above.iterdir()):
            above.rmdir()


def end(folder: Path) -> None:
    """Say that all files are whole and listed."""
    (folder / JOURNAL).unlink(missing_ok=True)
