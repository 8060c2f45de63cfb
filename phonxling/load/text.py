"""Reading text files, with errors that say what to do."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.load.encoding import decode
from phonxling.load.unreadable import unreadable

_BLOCK = 1 << 16


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text (a byte-order mark is taken off).

    Raises
    ------
    DataError
        If the file is missing, a folder, or not readable.
        If it is not UTF-8: the message names the first bad line, and the encoding that the file seems to have.
    """
    return decode(path, read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes; DataError when it is missing, a folder, or not readable."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def read_head(path: Path, size: int = 4096) -> bytes:
    """Return a file's first bytes; DataError when it is missing, a folder, or not readable."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise unreadable(path, error) from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a UTF-8 file, without line ends, blank lines left out."""
    for number, line in enumerate(_lines_of(read_text(path)), start=1):
        bare = line.rstrip("\r")
        if bare.strip():
            yield number, bare


def _lines_of(text: str) -> Iterator[str]:
    """Yield what `split_lines` returns, a block at a time: the lines of a large text take several times its memory."""
    end = "\n" if "\n" in text else "\r"
    start = 0
    while (stop := text.find(end, start + _BLOCK)) >= 0:
        yield from text[start:stop].split(end)
        start = stop + 1
    yield from text[start:].split(end)


def split_lines(text: str) -> list[str]:
    r"""Return a text's lines; they end in line feeds or, in a text without any, in carriage returns (old Macs).

    Examples
    --------
    >>> split_lines("a\r\nb"), split_lines("a\rb")
    (['a\r', 'b'], ['a', 'b'])
    """
    return text.split("\n" if "\n" in text else "\r")


def check_plain(text: str, what: str, where: str) -> None:
    """Raise DataError when a text holds a tab, a line end or another control character: tables could not hold it."""
    if not text.isprintable() and any(unicodedata.category(letter) == "Cc" for letter in text):
        raise DataError(f"{where}: the {what} {text!r} holds a tab, a line end, or another control character")


def is_number(text: str) -> bool:
    """Return whether a text is a number as Python reads them."""
    try:
        float(text)
    except ValueError:
        return False
    return True
