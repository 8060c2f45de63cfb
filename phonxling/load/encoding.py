"""Bytes to text: UTF-8, and for formats that come in it UTF-16; or an error that says what the bytes seem to be."""

from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.load.binary import binary

_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_NAMES = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "Latin-1 or Windows-1252", "latin-1": "Latin-1"}
_SHOWN = 40  # letters of a line


def decode(path: Path, data: bytes, *, wide: bool = False) -> str:
    """Return the text of a file's bytes, a byte-order mark taken off; with `wide`, UTF-16 is read too.

    Raises
    ------
    DataError
        If the bytes are not UTF-8: the message names the first bad line, and an encoding that would have worked.
    """
    other = _wide(data)
    if other and wide:
        return _decoded(path, data, other)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refusal(path, data, error, other) from error
    if other:  # ASCII in UTF-16 without a mark is good UTF-8, with a NUL at every letter
        raise DataError(f"{path}:1: not UTF-8 text (byte 0x00); it may be UTF-16. Save it as UTF-8.")
    return text


def _wide(data: bytes) -> str:
    """Return the form of UTF-16 that bytes are in, told by their mark, or by NULs in every second place."""
    if data[:2] in _MARKS:
        return _MARKS[data[:2]]
    head = data[:200]
    nulls = head[::2].count(0), head[1::2].count(0)
    if 4 * max(nulls) <= len(head):
        return ""
    return "utf-16-be" if nulls[0] > nulls[1] else "utf-16-le"


def _decoded(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        msg = f"{path}: not whole UTF-16 text (byte {error.start} of {len(data)}); it may have been cut off"
        raise DataError(msg) from error


def _refusal(path: Path, data: bytes, error: UnicodeDecodeError, other: str) -> DataError:
    if what := binary(path, data):
        return DataError(f"{path}: looks like {what}")
    read = error.object  # without a byte-order mark, as the error's position is
    line = read.count(b"\n", 0, error.start) + 1
    bad = f"{path}:{line}: not UTF-8 text (byte {read[error.start]:#04x})"
    if not other and error.end == len(read) and error.reason == "unexpected end of data":
        return DataError(f"{bad}: the file ends within a letter; it has been cut off")
    encoding = other or _eight_bit(data)
    return DataError(f"{bad}; it may be {_NAMES[encoding]}{_sample(read, error.start, encoding)}. Save it as UTF-8.")


def _eight_bit(data: bytes) -> str:
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _sample(data: bytes, place: int, encoding: str) -> str:
    """Return how the bad line would read: only its reader can tell whether that is right."""
    if encoding.startswith("utf-16"):
        return ""
    start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
    start = max(start, place - _SHOWN // 2)
    text = data[start : end if end >= 0 else None].decode(encoding)[:_SHOWN]
    return f", in which the line reads: {text.strip()}"
