"""Reading text files: the encoding, missing files, folders and globs, with errors that say what to do."""

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from phonxling.core.errors import DataError

_GLOB = frozenset("*?[")
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text (a byte-order mark is taken off).

    Raises
    ------
    DataError
        If the file is missing, a folder, or not readable.
        If it is not UTF-8: the message names the first bad line, and the encoding that the file seems to have.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {_reason(error)}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        read = error.object  # without a byte-order mark, as the error's position is
        line = read.count(b"\n", 0, error.start) + 1
        guess = _MARKS.get(data[:2], "Latin-1 or Windows-1252")
        msg = f"{path}:{line}: not UTF-8 text (byte {read[error.start]:#04x}); it may be {guess}. Save it as UTF-8."
        raise DataError(msg) from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a UTF-8 file, without line ends, blank lines left out."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        bare = line.rstrip("\r")
        if bare.strip():
            yield number, bare


def check_plain(text: str, what: str, where: str) -> None:
    """Raise DataError when a text holds a tab, a line end or another control character: tables could not hold it."""
    if any(unicodedata.category(letter) == "Cc" for letter in text):
        raise DataError(f"{where}: the {what} {text!r} holds a tab, a line end, or another control character")


def find_files(path: Path, suffix: str) -> list[tuple[str, Path]]:
    """Return (id, file) of a file, a folder's files with a suffix (any case, at any depth), or a glob, sorted by id.

    The id is the path below the folder (or the glob's fixed part) without the suffix, "/" written "_".

    Raises
    ------
    DataError
        If nothing is there, or the folder or glob holds no such file.
        If two files would have the same id.
    """
    if _GLOB & set(str(path)) and not path.exists():
        fixed = Path(*path.parts[: _first_glob(path)])
        files = [found for found in fixed.glob(str(path.relative_to(fixed))) if found.is_file()]
    elif path.is_dir():
        fixed = path
        files = [found for found in path.rglob("*") if found.suffix.lower() == suffix and found.is_file()]
    else:
        fixed, files = path.parent, [path] if path.is_file() else []
    if not files:
        what = f"holds no *{suffix} file" if path.is_dir() else "no such file"
        raise DataError(f"{path}: {what}")
    named = sorted((_identify(found, fixed), found) for found in files)
    for (name, first), (other, second) in pairwise(named):
        if name == other:
            raise DataError(f"{first} and {second} would both be the utterance '{name}'; rename one")
    return named


def _identify(file: Path, folder: Path) -> str:
    return file.relative_to(folder).with_suffix("").as_posix().replace("/", "_")


def _first_glob(path: Path) -> int:
    return next(index for index, part in enumerate(path.parts) if _GLOB & set(part))


def _reason(error: OSError) -> str:
    return {FileNotFoundError: "no such file", IsADirectoryError: "it is a folder"}.get(
        type(error), str(error.strerror)
    )
