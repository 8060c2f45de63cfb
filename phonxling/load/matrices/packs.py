"""Many small matrices read at once, one after the other into one array: npy files, and members of an npz.

Only what is as NumPy itself writes it is read so: version 1, a header of 128 bytes, rows of floating-point numbers,
not compressed. All else, and all that is wrong in any way, is left to who reads one matrix at a time and says what is
wrong with it.
"""

import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from phonxling.core.posteriorgram import Pack

_HEADER = 128  # bytes of a small matrix' header
_ROOM = 1 << 21  # bytes that are read at once
_USUAL = re.compile(
    rb"\x93NUMPY\x01\x00v\x00\{'descr': '(%cf[248])', 'fortran_order': False, 'shape': \(([0-9]+), ([0-9]+)\), \} *\n"
    % (b"<" if sys.byteorder == "little" else b">")
)
_LOCAL = 30  # bytes before a member's name in a zip archive
_PLACED = hasattr(os, "preadv")  # not on Windows


class Source(Protocol):
    """Files, or a file, of matrices by name."""

    def size(self, name: str) -> int:
        """Return a matrix' bytes with its header, 0 where it cannot be read at once with others."""
        ...

    def fill(self, name: str, header: bytearray, room: memoryview) -> bool:
        """Read a header and the bytes after it, which fill the room; return whether these are what was asked for."""
        ...


def read_packs(source: Source, names: Sequence[str]) -> Iterator[tuple[int, int, Pack | None]]:
    """Yield matrices by name, from one place until another, see `Posteriorgrams.packs`; None where one is unusual."""
    room, header = memoryview(b""), bytearray(_HEADER)
    begin, filled, kind, lengths = 0, 0, (b"", 0), list[int]()
    for place, name in enumerate(names):
        size = source.size(name) - _HEADER if _PLACED else 0
        if lengths and not 0 < size <= _ROOM - filled:
            yield begin, place, _pack(room[:filled], kind, lengths)
            begin, filled, lengths = place, 0, []
        if 0 < size <= _ROOM and not room:
            room = memoryview(bytearray(_ROOM))
        found = _found(source, name, header, room[filled : filled + size]) if 0 < size <= _ROOM else None
        if lengths and (found is None or found[0] != kind):
            yield begin, place, _pack(room[:filled], kind, lengths)
            begin, filled, lengths = place, 0, []
            found = None  # it is where a pack does not begin
        if found is None:
            yield place, place + 1, None
            begin = place + 1
            continue
        kind, filled = found[0], filled + size
        lengths.append(found[1])
    if lengths:
        yield begin, len(names), _pack(room[:filled], kind, lengths)


def _found(source: Source, name: str, header: bytearray, room: memoryview) -> tuple[tuple[bytes, int], int] | None:
    """Fill the room with a matrix; return its type and columns, and its rows, None where it is unusual."""
    try:
        usual = _USUAL.fullmatch(header) if source.fill(name, header, room) else None
    except OSError:
        return None
    if usual is None:
        return None
    kind, rows, columns = usual[1], int(usual[2]), int(usual[3])
    return ((kind, columns), rows) if rows * columns * int(kind[2:]) == len(room) else None


def _pack(room: memoryview, kind: tuple[bytes, int], lengths: list[int]) -> Pack:
    values = np.frombuffer(room, np.dtype(kind[0].decode())).reshape(-1, kind[1])
    return Pack(values, np.array(lengths, dtype=np.int64))


def fill_from_zip(file: int, member: zipfile.ZipInfo, header: bytearray, room: memoryview) -> bool:
    """Fill a header and a room from a stored member of an archive, by its descriptor; return whether all is right."""
    local = os.pread(file, _LOCAL, member.header_offset)
    begin = member.header_offset + _LOCAL + sum(int.from_bytes(local[at : at + 2], "little") for at in (26, 28))
    got = os.preadv(file, [header, room], begin)
    return got == _HEADER + len(room) and zlib.crc32(room, zlib.crc32(header)) == member.CRC


def fill_from_file(path: str, header: bytearray, room: memoryview) -> os.stat_result:
    """Fill a header and a room from the beginning of a file; return what the file is, once it was read."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.preadv(file, [header, room], 0)
        return os.fstat(file)
    finally:
        os.close(file)
