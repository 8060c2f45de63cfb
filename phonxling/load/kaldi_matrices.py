"""Matrices in Kaldi archives (.ark, binary or text) and the lists of places in them (.scp).

The places are found by us, so that no line of a list is ever run as a command; kaldi_native_io reads the matrices.
"""

import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.stored import Reopened, Stamp, check_size, library
from phonxling.load.text import is_file, read_lines

Place = tuple[Path, int]  # a file, and the byte at which a matrix begins
_Reader = Callable[[str], Any]
_SHOWN = 200  # letters of a line
_SIZES = {b"FM ": 4, b"DM ": 8}
_LONGEST, _BLOCK = 4096, 1 << 16  # bytes of a key, and of what is read at a time
_KINDS = {b"CM ": 1, b"CM2": 2, b"CM3": 1}  # compressed: bytes a value


def open_ark(path: Path) -> RawPosteriors:
    """Return an archive's matrices under their keys."""
    return _opened(path, [(key, (path, start), path) for key, start in _keys(path)])


def open_scp(path: Path) -> RawPosteriors:
    """Return the matrices that a list names: `key file:offset` a line, files from the working folder or the list's."""
    return _opened(path, _places(path))


def archives(path: Path) -> list[Path]:
    """Return the files that a list names, each once."""
    return list(dict.fromkeys(file for _, (file, _), _ in _places(path)))


def _places(path: Path) -> Iterator[tuple[str, Place, str]]:
    for line, text in read_lines(path):
        key, _, target = text.strip().partition(" ")
        yield key, _target(path, line, target.strip()), f"{path}:{line}"


def _opened(path: Path, places: Iterable[tuple[str, Place, Path | str]]) -> RawPosteriors:
    _reader(path)
    found: dict[str, Place] = {}
    for key, place, where in places:
        if key in found:
            raise DataError(f"{where}: utterance '{key}' occurs again; ids must differ")
        found[key] = place[0].absolute(), place[1]
    files = tuple(dict.fromkeys([path, *(file for file, _ in found.values())]))
    stamps = {file: Stamp.of(file) for file, _ in found.values()}
    read = Reopened(path, _reader, partial(_read, found, stamps))
    return RawPosteriors(source=str(path), labels=(), utterances=tuple(found), read=read, files=files)


def _reader(path: Path) -> _Reader:
    return library("kaldi_native_io", path, "a Kaldi archive").FloatMatrix.read  # type: ignore[no-any-return] # the library has no types


def _target(path: Path, line: int, target: str) -> Place:
    where = f"{path}:{line}"
    if "|" in target:
        raise DataError(
            f"{where}: '{target[:_SHOWN]}' is a command, and commands are not run; write its output to an .ark file"
        )
    match = re.fullmatch(r"(.+?)(?::([0-9]{1,18}))?", target)
    if match is None or target.endswith("]"):
        raise DataError(f"{where}: expected `key file:offset`, not '{target[:_SHOWN]}'")
    name = Path(match[1])
    file = next((place for place in (name, path.parent / name) if is_file(place)), None)
    if file is None:
        raise DataError(
            f"{where}: {str(name)[:_SHOWN]}: no such file (from the working folder, or from that of the list)"
        )
    return file, int(match[2] or 0)


def _read(places: dict[str, Place], stamps: dict[Path, Stamp], _: Path, matrix: _Reader, name: str) -> Frames:
    file, start = places[name]
    try:
        _check_matrix(file, name, start)
        return np.array(matrix(f"{file}:{start}").numpy())
    except (RuntimeError, OSError, ValueError) as error:
        raise DataError(f"{file}: '{name}' cannot be read at byte {start}") from error
    finally:
        stamps[file].check(file)


def _check_matrix(file: Path, name: str, start: int) -> None:
    with file.open("rb") as stream:
        stream.seek(start)
        head = stream.read(32)
    if head[:2] != b"\0B":
        if b"[" in head:
            return
        raise DataError(f"{file}: '{name}': there is no matrix at byte {start}")
    rows, columns, _ = _extent(head, 0, f"{file}: '{name}'")
    check_size(file, name, (rows, columns), np.dtype(np.float32))


def _keys(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each key of an archive and where its matrix begins, without reading the matrices."""
    with path.open("rb") as file:
        size, at = os.fstat(file.fileno()).st_size, 0
        if not size:
            raise DataError(f"{path}: the file is empty")
        while at < size:
            piece = _piece(file, at, _LONGEST)
            space = piece.find(b" ")
            name = piece[: max(space, 0)].strip()
            if not name or b"\n" in name:
                raise DataError(f"{path}: no Kaldi archive of matrices: no key at byte {at}")
            try:
                key, start = name.decode("utf-8"), at + space + 1
            except UnicodeDecodeError:
                raise DataError(f"{path}: the key {name!r} is not UTF-8") from None
            yield key, start
            at = _end(file, size, start, f"{path}: '{key}'")


def _piece(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _end(file: BinaryIO, size: int, start: int, what: str) -> int:
    """Return where a matrix ends, after its closing bracket in a text archive."""
    head = _piece(file, start, 32)
    if head[:2] == b"\0B":
        end = start + _extent(head, start, what)[2]
    else:
        end, at = size + 9, start if b"[" in head[:8] else size
        while piece := _piece(file, at, _BLOCK):
            if (closing := piece.find(b"]")) >= 0:
                end = at + closing + 2
                break
            at += len(piece)
    if end > size + 1:  # the last line of a text archive may lack its end
        raise DataError(f"{what} is no matrix, or the file ends before it does")
    return end


def _extent(head: bytes, start: int, what: str) -> tuple[int, int, int]:
    """Return the rows, columns and bytes of the binary matrix that begins with these bytes."""
    kind, body = head[2:5], head[5:]
    try:
        if kind in _SIZES:
            _, rows, _, columns = struct.unpack("<BiBi", body[:10])
            size = 15 + rows * columns * _SIZES[kind]
        elif kind in _KINDS:
            skip = 0 if kind == b"CM " else 1
            rows, columns = struct.unpack("<ii", body[skip + 8 : skip + 16])
            size = 21 + skip + rows * columns * _KINDS[kind] + (8 * columns if kind == b"CM " else 0)
        else:
            raise DataError(f"{what}: no matrix of floats begins at byte {start} but {kind!r}")
    except struct.error:
        raise DataError(f"{what}: the file ends before the matrix does") from None
    if min(rows, columns) < 0:
        raise DataError(f"{what}: a matrix cannot have the shape ({rows}, {columns})")
    return rows, columns, size
