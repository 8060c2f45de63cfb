"""Reading text files, with errors that say what to do."""

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from phonxling.core.errors import DataError, shown
from phonxling.load.encoding import decode
from phonxling.load.unreadable import check_regular, unreadable

LONGEST_LINE = 1 << 24  # letters: some four million phones, five days of speech
LONGEST_NAME = 4_096  # letters of an utterance id or a speaker
LONGEST_SYMBOL = 10_000  # letters of a phone, or of a word of joined phones
LARGEST_DOCUMENT = 1 << 26  # bytes of a file that holds one utterance and is read whole
_BLOCK = 1 << 16
MOST_MARKS = 100  # combining ones in a row
_UNFIT = frozenset({"Cc", "Cs"})  # control characters and lone surrogates: no table could hold them


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
    """Return a file's bytes; DataError when it is missing, no regular file, not readable, or larger than the memory."""
    return _read(path, -1)


def read_head(path: Path, size: int = 4096) -> bytes:
    """Return a file's first bytes; DataError when it is missing, no regular file, or not readable."""
    return _read(path, size)


def read_document(path: Path) -> bytes:
    """Return the bytes of a file that holds one utterance; DataError as for any, and when it has more than 64 MB."""
    data = _read(path, LARGEST_DOCUMENT + 1)
    if len(data) > LARGEST_DOCUMENT:
        msg = f"{path}: more than {LARGEST_DOCUMENT >> 20} MB for one utterance; cut the recording into utterances"
        raise DataError(msg)
    return data


def _read(path: Path, size: int) -> bytes:
    try:
        check_regular(path)
        with path.open("rb") as file:
            return _bytes_of(file, path, size)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise unreadable(path, error) from error


def _bytes_of(file: BinaryIO, path: Path, size: int) -> bytes:
    try:
        return file.read(size)
    except MemoryError as error:
        raise DataError(f"{path}: {path.stat().st_size / 1e9:,.1f} GB, more than there is memory for") from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a UTF-8 file, without line ends, blank lines left out.

    DataError as for `read_text`, and when a line has more than 16 million letters: what is read from it takes several
    times its memory.
    """
    return lines_of(path, read_text(path))


def document_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that holds one utterance; errors as for `read_lines` and `read_document`."""
    return lines_of(path, decode(path, read_document(path)))


def lines_of(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file's text as `read_lines` does."""
    for number, line in enumerate(_lines_of(text), start=1):
        bare = line.rstrip("\r")
        if bare.strip():
            check_length(path, number, bare)
            yield number, bare


def check_length(source: Path | str, number: int | str, line: str) -> None:
    """Raise DataError when a line is longer than what one utterance could need."""
    if len(line) > LONGEST_LINE:
        msg = f"a line of {len(line):,} letters, more than the {LONGEST_LINE:,} that one may have"
        raise DataError(f"{source}:{number}: {msg}; is it text, with a line an utterance?")


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


def check_plain(text: str, what: str, where: str, longest: int = LONGEST_NAME) -> None:
    """Raise DataError when tables could not hold a text, or nothing could show it.

    That is when it holds a tab, a line end or another control character, or half of a surrogate pair; or has more
    letters than `longest`.
    """
    if len(text) > longest:
        raise DataError(f"{where}: the {what} '{shown(text)}' is longer than the {longest:,} letters that it may have")
    if not text.isprintable() and any(unicodedata.category(letter) in _UNFIT for letter in text):
        held = "holds a tab, a line end, or another control character"
        raise DataError(f"{where}: the {what} '{shown(text)}' {held}")


def check_symbol(text: str, where: str) -> None:
    """Raise DataError when a symbol is unfit for tables, has more than 10,000 letters, or 100 marks in a row.

    To put marks in order takes time that grows with the square of their number.
    """
    check_plain(text, "symbol", where, LONGEST_SYMBOL)
    if len(text) > MOST_MARKS and _longest_run(text) > MOST_MARKS:
        raise DataError(f"{where}: the symbol '{shown(text)}' has more than {MOST_MARKS} marks in a row")


def _longest_run(text: str) -> int:
    runs = groupby(text, lambda letter: unicodedata.combining(letter) > 0)
    return max((sum(1 for _ in run) for marks, run in runs if marks), default=0)


def is_number(text: str) -> bool:
    """Return whether a text is a number as Python reads them."""
    try:
        float(text)
    except ValueError:
        return False
    return True
