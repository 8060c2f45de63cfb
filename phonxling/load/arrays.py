"""Matrices in npz, npy, safetensors, Kaldi's archives and HDF5; no pickled object is ever loaded.

npz has an array an utterance, npy is one utterance, HDF5 has a data set an utterance, in groups or not. Whether a file
is of safetensors its library says; its tensors are read here, because the library maps the file (see `stored`). Of
Kaldi's archives (.ark, binary or text) and lists (.scp) places are found here, so that no line of a list is ever run as
a command; kaldi_native_io reads the matrices.
"""

import io
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from tokenize import TokenError
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors, Renamed
from phonxling.load.stored import (
    RESERVED,
    DataType,
    Reopened,
    Stamp,
    StoredMatrix,
    check_size,
    raw_posteriors,
)
from phonxling.load.text import is_file, library, read_lines

_Header = tuple[tuple[int, ...], bool, DataType]  # shape, order, type
_HEADER = (ValueError, SyntaxError, TokenError, MemoryError, RecursionError, OverflowError, TypeError)  # of odd headers
_SMALL = 1 << 22  # bytes: a file that is read at once
_LONGEST_HEADER = 10_000  # bytes, as NumPy has it
_PARSING = Lock()


class _Kept(io.FileIO):
    """A file that is closed without a word when nobody needs it any more."""

    def __del__(self) -> None:
        self.close()


def open_npz(path: Path) -> RawPosteriors:
    """Return an archive's matrices under their names; `phones` labels the columns, `frame_shift_s` is in seconds."""
    try:
        stamp = Stamp.of(path)
        archive = _opened(path)
    except (OSError, ValueError, zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise DataError(f"{path}: not a readable npz file: {error}") from error
    if not isinstance(archive, NpzFile):
        raise DataError(f"{path}: not an npz archive; give format: npy")
    stored = {name: _member(path, archive, name) for name in ("phones", "frame_shift_s") if name in archive.files}
    names = [name for name in archive.files if name not in RESERVED]
    read = Reopened(path, _opened, _member, archive, stamp)
    return raw_posteriors(path, names, read, stored.get("phones"), stored.get("frame_shift_s"))


def open_npy(path: Path, files: Sequence[tuple[str, Path]]) -> RawPosteriors:
    """Return the matrices of npy files, one each, under the ids that come with them; `path` is where they all are."""
    opened = {}
    for name, file in files:
        try:
            opened[name] = partial(_read_npy, file.absolute(), Stamp.of(file)), name
        except OSError as error:
            raise DataError(f"{file}: not a readable npy file: {error}") from error
    paths, source = tuple(file for _, file in files), path if len(files) > 1 else files[0][1]
    return RawPosteriors(source=str(source), labels=(), utterances=tuple(opened), read=Renamed(opened), files=paths)


def _opened(path: Path) -> NpzFile:
    return cast("NpzFile", np.load(_Kept(path), allow_pickle=False))


def _member(path: Path, archive: NpzFile, name: str) -> Frames:
    """Return a member whose header fits its size: NumPy takes the memory that the header asks for before it reads."""
    try:
        zipped = cast("zipfile.ZipFile", archive.zip)
        member = zipped.NameToInfo.get(name) or zipped.getinfo(f"{name}.npy")
        with zipped.open(member) if _packed(member) else io.BytesIO(_stored_bytes(zipped, member)) as file:
            shape, turned, dtype = _asked(file)
            check_size(path, name, shape, dtype, labels=name in RESERVED)
            _check_header(shape, dtype, member.file_size)
            values = np.frombuffer(file.read(), dtype, math.prod(shape))
            return values.reshape(shape[::-1]).T if turned else values.reshape(shape)
    except (*_HEADER, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error


def _packed(member: zipfile.ZipInfo) -> bool:
    return member.compress_type != zipfile.ZIP_STORED or bool(member.flag_bits & 1) or not hasattr(os, "pread")


def _stored_bytes(zipped: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member that is stored as it is: the library's own reading takes six times as long."""
    file, start = cast("BinaryIO", zipped.fp).fileno(), member.header_offset + 30
    names = os.pread(file, 4, start - 4)  # the lengths of what stands before the numbers
    data = os.pread(file, member.file_size, start + sum(struct.unpack("<HH", names)))
    if zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile("its bytes are not those that were written (CRC)")
    return data


def _check_header(shape: tuple[int, ...], dtype: DataType, size: int) -> None:
    """Raise ValueError when a header asks for objects, or for more than so many bytes hold."""
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never loaded")
    if math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its header asks for the shape {shape}, which its bytes do not fill")


def _asked(file: IO[bytes]) -> _Header:
    """Return the shape, the order and the type that a header asks for; ValueError before a long one is read."""
    version = npy.read_magic(file)
    size = file.read(2 if version == (1, 0) else 4)
    if (length := int.from_bytes(size, "little")) > _LONGEST_HEADER:
        raise ValueError(f"a header of {length:,} bytes")
    header = _parsed(length.to_bytes(2, "little") + file.read(length))
    if min(header[0], default=0) < 0:
        raise ValueError(f"its header asks for the shape {header[0]}")
    return header


@lru_cache(maxsize=4096)  # files of equal shape have equal headers
def _parsed(header: bytes) -> _Header:
    """Return what a header says; one at a time, since Python before 3.11.5 cannot parse in two threads at once."""
    with _PARSING:
        return npy.read_array_header_1_0(io.BytesIO(header))


def _read_npy(path: Path, stamp: Stamp, _: str) -> Frames | StoredMatrix:
    try:
        with path.open("rb") as file:
            if file.peek(4)[:4] == b"PK\3\4":
                raise DataError(f"{path}: an npz archive, not an npy file; give format: npz")
            shape, by_column, dtype = _asked(file)
            begin = file.tell()
            _check_header(shape, dtype, stamp.size - begin)
            if stamp.size > _SMALL:
                return StoredMatrix(path, stamp, begin, shape, dtype, by_column)
            values = np.frombuffer(file.read(), dtype, math.prod(shape))
        return values.reshape(shape, order="F" if by_column else "C")
    except (*_HEADER, OSError, EOFError) as error:
        raise DataError(f"{path}: not a readable npy file: {error}") from error
    finally:
        stamp.check(path)


# safetensors.

_Opened = tuple[Stamp, int, dict[str, Any]]  # where the tensors begin; of each its type, shape, and bytes from there
_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def open_safetensors(path: Path) -> RawPosteriors:
    """Return a file's tensors under their names; its metadata may hold `phones` (a JSON list) and `frame_shift_s`."""
    safetensors = library("safetensors", path, "safetensors")
    try:
        stamp = Stamp.of(path)
        with safetensors.safe_open(path, framework="np") as file:
            names, metadata = tuple(file.keys()), file.metadata() or {}
        opened = _tensors_opened(path)
        stamp.check(path)
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise DataError(f"{path}: not a readable safetensors file: {error}") from error
    read = Reopened(path, _tensors_opened, _tensor, opened, stamp)
    return raw_posteriors(path, names, read, metadata.get("phones"), metadata.get("frame_shift_s"))


def _tensors_opened(path: Path) -> _Opened:
    with path.open("rb") as file:
        stamp, size = Stamp.of(file.fileno()), int.from_bytes(file.read(8), "little")
        return stamp, 8 + size, json.loads(file.read(size))


def _tensor(path: Path, opened: _Opened, name: str) -> StoredMatrix:
    stamp, begin, header = opened
    kind, shape, (first, _) = (header[name][key] for key in ("dtype", "shape", "data_offsets"))
    if kind == "BF16":
        raise DataError(f"{path}: '{name}' is of the type bfloat16, which NumPy lacks; save it as float16 or float32")
    if kind not in _KINDS:
        raise DataError(f"{path}: '{name}' cannot be read: it holds no real numbers but {kind}")
    check_size(path, name, shape, np.dtype(_KINDS[kind]))
    return StoredMatrix(path, stamp, begin + first, tuple(shape), np.dtype(_KINDS[kind]))


Place = tuple[Path, int]  # a file, and the byte at which a matrix begins
_Reader = Callable[[str], Any]
_SHOWN = 200  # letters of a line
_SIZES = {b"FM ": 4, b"DM ": 8}
_LONGEST, _BLOCK = 4096, 1 << 16  # bytes of a key, and of what is read at a time
_COMPRESSED = {b"CM ": 1, b"CM2": 2, b"CM3": 1}  # compressed: bytes a value


def open_ark(path: Path) -> RawPosteriors:
    """Return an archive's matrices under their keys."""
    return _kaldi_opened(path, [(key, (path, start), path) for key, start in _keys(path)])


def open_scp(path: Path) -> RawPosteriors:
    """Return the matrices that a list names: `key file:offset` a line, files from the working folder or the list's."""
    return _kaldi_opened(path, _places(path))


def archives(path: Path) -> list[Path]:
    return list(dict.fromkeys(file for _, (file, _), _ in _places(path)))


def _places(path: Path) -> Iterator[tuple[str, Place, str]]:
    for line, text in read_lines(path):
        key, _, target = text.strip().partition(" ")
        yield key, _target(path, line, target.strip()), f"{path}:{line}"


def _kaldi_opened(path: Path, places: Iterable[tuple[str, Place, Path | str]]) -> RawPosteriors:
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
    kind, body = head[2:5], head[5:]
    try:
        if kind in _SIZES:
            _, rows, _, columns = struct.unpack("<BiBi", body[:10])
            size = 15 + rows * columns * _SIZES[kind]
        elif kind in _COMPRESSED:
            skip = 0 if kind == b"CM " else 1
            rows, columns = struct.unpack("<ii", body[skip + 8 : skip + 16])
            size = 21 + skip + rows * columns * _COMPRESSED[kind] + (8 * columns if kind == b"CM " else 0)
        else:
            raise DataError(f"{what}: no matrix of floats begins at byte {start} but {kind!r}")
    except struct.error:
        raise DataError(f"{what}: the file ends before the matrix does") from None
    if min(rows, columns) < 0:
        raise DataError(f"{what}: a matrix cannot have the shape ({rows}, {columns})")
    return rows, columns, size


def open_hdf5(path: Path) -> RawPosteriors:
    """Return the two-dimensional data sets of a file; a data set in a group has the id `group_name`."""
    library("h5py", path, "HDF5")
    try:
        stamp = Stamp.of(path)
        file = _hdf5_opened(path)
        names = _data_sets(file)
        labels, shift = (_hdf5_stored(path, file, name) for name in ("phones", "frame_shift_s"))
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path}: not a readable HDF5 file: {error}") from error
    ids = {name.replace("/", "_"): name for name in names}
    if len(ids) < len(names):
        raise DataError(f"{path}: two data sets would be one utterance, because '/' is written '_' in ids")
    read = Reopened(path, _hdf5_opened, partial(_hdf5_read, ids), file, stamp)
    return raw_posteriors(path, [*ids], read, labels, shift)


def _hdf5_opened(path: Path) -> Any:  # noqa: ANN401 - h5py has no types
    return library("h5py", path, "HDF5").File(path, "r")


def _data_sets(file: Any) -> list[str]:  # noqa: ANN401
    names: list[str] = []

    def visit(name: str, item: Any) -> None:  # noqa: ANN401
        if getattr(item, "shape", None) is not None:
            names.append(name)

    file.visititems(visit)
    return [name for name in names if name not in RESERVED]


def _hdf5_stored(path: Path, file: Any, name: str) -> NDArray[Any] | None:  # noqa: ANN401
    if name in file.attrs:
        attribute = file.attrs.get_id(name)
        check_size(path, name, attribute.shape or (), attribute.dtype, labels=True)
        values: NDArray[Any] = np.asarray(file.attrs[name])
    elif _is_own(file, name):
        _check_own(path, name, file[name])
        check_size(path, name, file[name].shape, file[name].dtype, labels=True)
        values = np.asarray(file[name][()])
    else:
        return None
    if values.dtype.kind not in "OS" or not all(isinstance(text, bytes | str) for text in values.flat):
        return values
    # strings come as objects: bytes from data sets, str from attributes
    texts = [text.decode() if isinstance(text, bytes) else str(text) for text in values.flat]
    return np.array(texts, dtype=np.str_).reshape(values.shape)


def _is_own(file: Any, name: str) -> bool:  # noqa: ANN401
    """Return whether a name is a data set of this file; links, which may lead to other files, are not followed."""
    link = file.get(name, getlink=True)
    return type(link).__name__ == "HardLink" and getattr(file[name], "shape", None) is not None


def _check_own(path: Path, name: str, stored: Any) -> None:  # noqa: ANN401
    """Raise DataError when a data set's numbers are in other files."""
    if stored.external or stored.is_virtual:
        raise DataError(f"{path}: '{name}' takes its numbers from other files; copy them into this one")


def _hdf5_read(ids: dict[str, str], path: Path, file: Any, name: str) -> Frames:  # noqa: ANN401
    try:
        stored = file[ids[name]]
        _check_own(path, name, stored)
        if stored.dtype.kind not in "fiu":
            raise DataError(f"{path}: '{name}' cannot be read: it holds no real numbers but {stored.dtype}")
        for shape in (stored.shape, stored.chunks or ()):
            check_size(path, name, shape, stored.dtype)
        return np.asarray(stored[()])
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
