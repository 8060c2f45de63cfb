"""Posteriors from files of matrices, one an utterance: which format, which labels, one file or many."""

# npz has an array an utterance, npy is one utterance, HDF5 has a data set an utterance, in groups or not. Whether a
# file is of safetensors its library says; its tensors are read here, because the library maps the file. Of Kaldi's
# archives (.ark, binary or text) and lists (.scp) places are found here, so that no line of a list is ever run as a
# command; kaldi_native_io reads the matrices.
#
# Nothing is mapped into memory: a mapped file that another program cuts off meanwhile ends the process (SIGBUS) without
# a word, and one that it overwrites changes numbers that were read already.

import io
import json
import math
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from phonxling.core.arrays import read_only
from phonxling.core.errors import ConfigurationError, DataError, OtherFileError
from phonxling.core.posteriorgram import Frames, RawPosteriors, RenamedReader, Rows
from phonxling.load.building import wrong_kind
from phonxling.load.resources import LABELS_FILE, LISTS, Labels, read_labels
from phonxling.load.text import (
    check_plain,
    detect_binary,
    explain_pickle,
    files_below,
    find_files,
    import_library,
    is_file,
    is_folder,
    matching_files,
    name_errors,
    read_bytes,
    read_lines,
    suffixes_below,
)

DataType = np.dtype[Any]
_Header = tuple[tuple[int, ...], bool, DataType]  # shape, whether it is column by column, type
# Limits that no recogniser reaches, so that a damaged header asks for no more memory than a machine has.
LARGEST_ARRAY = 1_000_000_000  # bytes of one utterance's matrix: 17 hours of 10 ms frames over 40 phones in float32
MOST_COLUMNS = 5_000
_LARGEST_LABELS = 8_000_000  # bytes
_LABELS, _SHIFT = _RESERVED_KEYS = ("phones", "frame_shift_s")  # what a file says of itself, not an utterance
_SMALL = 1 << 22  # bytes: a file that is read at once
_PIECE = 1 << 20  # bytes that are read at a time
_LONGEST_HEADER = 10_000  # bytes, as NumPy has it
_PARSING = Lock()
_BEGINNINGS = {"npz": b"PK\3\4", "npy": npy.MAGIC_PREFIX, "hdf5": b"\x89HDF"}


# Files that may be damaged, of another kind, or changed while they are read.


@contextmanager
def _opening(path: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        head = read_bytes(path, 100)  # raises when the file is not there
        other = next((name for name, beginning in _BEGINNINGS.items() if head.startswith(beginning)), "")
        what = detect_binary(path, head)
        if other not in {"", kind} and (other != "npz" or what.startswith("arrays")):  # of zip archives
            raise DataError(f"{path}: looks like {other}, not {kind}; give format: {other}") from error
        if other != kind and what:
            raise DataError(f"{path}: looks like {what}") from error
        with name_errors(f"{path}: not a readable {kind} file"):
            raise


class Stamp(NamedTuple):
    """What shows that a file is still the one that was opened, on any machine, without reading it again."""

    size: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> "Stamp":
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns)

    def check(self, path: Path) -> None:
        try:
            current = Stamp.of(path)
        except OSError as error:
            raise OtherFileError(f"{path}: went away while it was read: {error.strerror}") from error
        if current != self:
            here = f"was changed while it was read: {current}, before {self}"
            raise OtherFileError(f"{path}: {here}; run again when nobody writes to it, and all machines have the same")

    def __str__(self) -> str:
        return f"{self.size:,} bytes of {datetime.fromtimestamp(self.changed / 1e9, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"


@dataclass(eq=False)
class _OpenFile:
    # A copy that went to another process opens the file when it is first used.
    path: Path
    stamp: Stamp
    handle: Any = field(default=None, repr=False)
    places: Mapping[str, Any] = field(default_factory=dict, repr=False)  # where the file has each, if names do not say

    def __call__(self, name: str) -> Rows:
        # Whatever else is wrong with a file, that it has changed goes before it.
        try:
            with name_errors(f"{self.path}: '{name}' cannot be read"):
                if self.handle is None:
                    self.handle = self.open()
                return self.matrix(name)
        finally:
            self.stamp.check(self.path)

    def open(self) -> Any:  # noqa: ANN401 - each library's own
        return None

    def matrix(self, name: str) -> Rows:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "path": self.path.absolute(), "handle": None}


def _make_posteriors(read: _OpenFile, names: Sequence[str], stored: Mapping[str, Any]) -> RawPosteriors:
    path, shift = read.path, None
    labels: tuple[str, ...] = ()
    if (held := stored.get(_LABELS)) is not None:
        with name_errors(f"{path}: `phones` must be a {'JSON ' * isinstance(held, str)}list of strings"):
            held = json.loads(held) if isinstance(held, str) else np.asarray(held).tolist()
            if not isinstance(held, list) or not all(type(label) in {str, bytes, int} for label in held):
                raise TypeError(f"not {held!s:.60}")
            labels = tuple(label.decode() if isinstance(label, bytes) else str(label) for label in held)  # HDF5: bytes
    if _SHIFT in stored:
        with name_errors(f"{path}: `frame_shift_s` must be one number"):
            shift = float(np.asarray(stored[_SHIFT]).item())
    own = tuple(name for name in names if name not in _RESERVED_KEYS)
    return RawPosteriors(source=str(path), labels=labels, utterances=own, read=read, files=(path,), frame_shift=shift)


def _check_size(shape: Sequence[int], dtype: DataType, name: str = "") -> None:
    size, most = math.prod(shape) * dtype.itemsize, _LARGEST_LABELS if name in _RESERVED_KEYS else LARGEST_ARRAY
    if size > most:  # a damaged file, or one that unpacks to very much
        msg = f"it would take {size / 1e9:,.3g} GB, more than the {most / 1e9:g} GB that it may"
        raise ValueError(f"{msg}; the file is damaged, or needs splitting into utterances")


def _read_numbers(file: io.BufferedIOBase | io.RawIOBase, number: int, dtype: DataType) -> NDArray[Any]:
    # A piece at a time: unpacked data would otherwise stand in memory twice.
    values = np.empty(number, dtype)
    left = memoryview(values.view(np.uint8).data)
    while len(left) and (got := file.readinto(left[:_PIECE])):  # which may be less than was asked for
        left = left[got:]
    if len(left):
        raise ValueError("the file ends before the array does")
    return values


@dataclass(frozen=True, slots=True)
class StoredMatrix:
    """A matrix of numbers in a file, row after row; `matrix[a:b]` reads these rows."""

    path: Path
    stamp: Stamp
    begin: int
    shape: tuple[int, ...]
    dtype: DataType

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Frames:
        first, last, _ = rows.indices(len(self))
        number, wide = max(last - first, 0), self.shape[1:]
        return self._read(first * math.prod(wide), (number, *wide))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = self._read(0, self.shape)
        return values if dtype is None else values.astype(dtype, copy=False)

    def _read(self, first: int, shape: tuple[int, ...]) -> NDArray[Any]:
        try:
            with name_errors(f"{self.path}: cannot be read"), self.path.open("rb", buffering=0) as file:
                file.seek(self.begin + first * self.dtype.itemsize)
                return _read_numbers(file, math.prod(shape), self.dtype).reshape(shape)
        finally:
            self.stamp.check(self.path)


# NumPy's formats: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Their arrays of objects are
# pickles, which run any program when they are loaded.


class _Npz(_OpenFile):
    def open(self) -> zipfile.ZipFile:
        return zipfile.ZipFile(self.path)

    def matrix(self, name: str) -> Frames:
        # NumPy takes the memory that a header asks for before it reads; here the header has to fit the member's size.
        member = self.handle.NameToInfo.get(name) or self.handle.getinfo(f"{name}.npy")
        with self.handle.open(member) as file:
            shape, by_column, dtype = _read_header(file)
            _check_size(shape, dtype, name)
            _check_filled(shape, dtype, member.file_size)
            return _read_numbers(file, math.prod(shape), dtype).reshape(shape, order="F" if by_column else "C")


def open_npz(path: Path, _: str = "") -> RawPosteriors:
    """Return an archive's matrices under their names; `phones` labels the columns, `frame_shift_s` is in seconds."""
    with _opening(path, "npz"):
        read = _Npz(path, Stamp.of(path))
        read.handle = read.open()
    names = [name.removesuffix(".npy") for name in read.handle.namelist()]
    return _make_posteriors(read, names, {name: read(name) for name in _RESERVED_KEYS if name in names})


class _Npy(_OpenFile):
    def matrix(self, _: str) -> Rows:
        with _opening(self.path, "npy"), self.path.open("rb") as file:
            shape, by_column, dtype = _read_header(file)
            begin = file.tell()
            _check_filled(shape, dtype, self.stamp.size - begin)
            if self.stamp.size > _SMALL and not by_column:
                return StoredMatrix(self.path, self.stamp, begin, shape, dtype)
            return _read_numbers(file, math.prod(shape), dtype).reshape(shape, order="F" if by_column else "C")


def open_npy(path: Path, utterance: str) -> RawPosteriors:
    with _opening(path, "npy"):
        return _make_posteriors(_Npy(path, Stamp.of(path)), [utterance], {})


def _check_filled(shape: tuple[int, ...], dtype: DataType, size: int) -> None:
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never loaded")
    if math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its header asks for the shape {shape}, which its bytes do not fill")


def _read_header(file: BinaryIO) -> _Header:
    size = file.read(2 if npy.read_magic(file) == (1, 0) else 4)
    if (length := int.from_bytes(size, "little")) > _LONGEST_HEADER:
        raise ValueError(f"a header of {length:,} bytes")
    header = _parse_header(length.to_bytes(2, "little") + file.read(length))
    if min(header[0], default=0) < 0:
        raise ValueError(f"its header asks for the shape {header[0]}")
    return header


@lru_cache(maxsize=4096)  # files of equal shape have equal headers
def _parse_header(header: bytes) -> _Header:
    # One at a time: Python before 3.11.5 cannot parse in two threads at once.
    with _PARSING:
        return npy.read_array_header_1_0(io.BytesIO(header))


# safetensors: eight bytes with the length of a JSON header, the header, the numbers
# (https://github.com/huggingface/safetensors#format).

_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


class _Tensors(_OpenFile):
    def open(self) -> tuple[int, dict[str, Any]]:
        with self.path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            return 8 + size, json.loads(file.read(size))

    def matrix(self, name: str) -> StoredMatrix:
        begin, header = self.handle
        kind, shape, (first, _) = (header[name][key] for key in ("dtype", "shape", "data_offsets"))
        if kind == "BF16":
            raise ValueError("it is of the type bfloat16, which NumPy lacks; save it as float16 or float32")
        if kind not in _KINDS:
            raise ValueError(f"it holds no real numbers but {kind}")
        dtype = np.dtype(_KINDS[kind])
        _check_size(shape, dtype)
        return StoredMatrix(self.path, self.stamp, begin + first, tuple(shape), dtype)


def open_safetensors(path: Path, _: str = "") -> RawPosteriors:
    """Return a file's tensors under their names; its metadata may hold `phones` (a JSON list) and `frame_shift_s`."""
    safetensors = import_library("safetensors", path, "safetensors")
    with _opening(path, "safetensors"):
        read = _Tensors(path, Stamp.of(path))
        with safetensors.safe_open(path, framework="np") as file:
            names, metadata = tuple(file.keys()), file.metadata() or {}
    return _make_posteriors(read, names, metadata)


# Kaldi's archives, and lists of places in them: https://kaldi-asr.org/doc/io.html. What a list names may end in | and
# is then a command, which Kaldi runs in a shell; here it is refused, as a list from elsewhere could do anything.

_SHOWN_LETTERS = 200  # letters of a line
_LONGEST, _BLOCK = 4096, 1 << 16  # bytes of a key, and of what is read at a time
_SIZES = {b"\0BFM ": 4, b"\0BDM ": 8}  # bytes a value
_COMPRESSED_KINDS = {b"\0BCM ": 1, b"\0BCM2": 2, b"\0BCM3": 1}


class _Archive(_OpenFile):
    def matrix(self, name: str) -> Frames:
        start = self.places[name]
        with self.path.open("rb") as file:
            _find_end(file, start)
        reader = import_library("kaldi_native_io", self.path, "a Kaldi archive").FloatMatrix
        return np.array(reader.read(f"{self.path}:{start}").numpy())


def open_kaldi(path: Path, _: str = "") -> RawPosteriors:
    import_library("kaldi_native_io", path, "a Kaldi archive")
    files: dict[str, Path] = {}
    starts: dict[Path, dict[str, int]] = {}
    for key, file, start, where in _list_entries(path) if path.suffix.lower() == ".scp" else _find_keys(path):
        if key in files:
            raise DataError(f"{where}: utterance '{key}' occurs again; ids must differ")
        files[key] = file
        starts.setdefault(file, {})[key] = start
    read = {file: _Archive(file, Stamp.of(file), places=each) for file, each in starts.items()}
    renamed = RenamedReader({key: (read[file], key) for key, file in files.items()})
    held = tuple(dict.fromkeys([path, *read]))
    return RawPosteriors(source=str(path), labels=(), utterances=tuple(files), read=renamed, files=held)


def _list_entries(path: Path) -> Iterator[tuple[str, Path, int, str]]:
    for line, text in read_lines(path):
        where, (key, _, target) = f"{path}:{line}", text.strip().partition(" ")
        target = target.strip()
        if "|" in target:
            remedy = "commands are not run; write its output to an .ark file"
            raise DataError(f"{where}: '{target[:_SHOWN_LETTERS]}' is a command, and {remedy}")
        match = re.fullmatch(r"(.+?)(?::([0-9]{1,18}))?", target)
        if match is None or target.endswith("]"):
            raise DataError(f"{where}: expected `key file:offset`, not '{target[:_SHOWN_LETTERS]}'")
        # Lists are written with paths from the folder in which a recipe runs, and are moved together with archives.
        name = Path(match[1])
        file = next((place for place in (name, path.parent / name) if is_file(place)), None)
        if file is None:
            looked = "from the working folder, or from that of the list"
            raise DataError(f"{where}: {str(name)[:_SHOWN_LETTERS]}: no such file ({looked})")
        yield key, file.absolute(), int(match[2] or 0), where


def _find_keys(path: Path) -> Iterator[tuple[str, Path, int, str]]:
    with _opening(path, "kaldi-ark"), path.open("rb") as file:
        size, at = path.stat().st_size, 0
        if not size:
            raise DataError(f"{path}: the file is empty")
        while at < size:
            file.seek(at)
            before, space, _ = file.read(_LONGEST).partition(b" ")
            name, start = before.strip(), at + len(before) + 1
            if not space or not name or b"\n" in name:
                raise ValueError(f"there is no key at byte {at}")
            key = name.decode("utf-8")
            yield key, path, start, str(path)
            with name_errors(f"{path}: '{key}'"):
                at = _find_end(file, start)


def _find_end(file: BinaryIO, start: int) -> int:
    # Of a binary matrix: \0B, its type in three letters, then for rows and columns each a byte 4 and an int32. Of a
    # compressed one (`CM`): two floats, rows, columns; a byte or two each value, and in its first form 8 bytes a
    # column. Source: kaldi-matrix.cc and compressed-matrix.h in
    # https://github.com/kaldi-asr/kaldi/tree/master/src/matrix
    size = file.seek(0, io.SEEK_END)
    file.seek(start)
    head = file.read(32).ljust(32, b"\0")  # cut off, its end comes too late
    kind, rows, columns, end = head[:5], 0, 0, size + 2  # of text, rows are not counted
    if kind in _SIZES:
        _, rows, _, columns = struct.unpack_from("<BiBi", head, 5)
        end = start + 15 + rows * columns * _SIZES[kind]
    elif kind in _COMPRESSED_KINDS:
        skip, per_column = (5, 8) if kind == b"\0BCM " else (6, 0)
        rows, columns = struct.unpack_from("<ii", head, skip + 8)
        end = start + skip + 16 + rows * columns * _COMPRESSED_KINDS[kind] + columns * per_column
    elif b"[" in head[:8]:
        file.seek(start)
        for at in range(start, size, _BLOCK):
            if b"]" in (piece := file.read(_BLOCK)):
                end = at + piece.find(b"]") + 2
                break
    else:
        raise ValueError(f"no matrix of floats begins at byte {start} but {head[2:5]!r}")
    if min(rows, columns) < 0:
        raise ValueError(f"a matrix cannot have the shape ({rows}, {columns})")
    _check_size((rows, columns), np.dtype(np.float32))
    if end > size + 1:  # the last line of a text archive may lack its end
        raise ValueError("the file ends before the matrix does")
    return end


# HDF5 (https://www.h5py.org). Its data sets may take their numbers from other files, by path: these are not followed,
# or a file from elsewhere would read what its writer cannot see.


class _Hdf5(_OpenFile):
    def open(self) -> Any:  # noqa: ANN401 - h5py has no types
        return import_library("h5py", self.path, "HDF5").File(self.path, "r")

    def matrix(self, name: str) -> NDArray[Any]:
        if name in _RESERVED_KEYS and name in self.handle.attrs:
            attribute = self.handle.attrs.get_id(name)
            _check_size(attribute.shape or (), attribute.dtype, name)
            return np.asarray(self.handle.attrs[name])
        stored = self.handle[self.places[name]]
        if stored.external or stored.is_virtual:
            raise ValueError("it takes its numbers from other files; copy them into this one")
        for shape in (stored.shape, stored.chunks or ()):
            _check_size(shape, stored.dtype, name)
        if name not in _RESERVED_KEYS and stored.dtype.kind not in "fiu":
            raise ValueError(f"it holds no real numbers but {stored.dtype}")
        return np.asarray(stored[()])


def open_hdf5(path: Path, _: str = "") -> RawPosteriors:
    """Return the two-dimensional data sets of a file; a data set in a group has the id `group_name`."""
    import_library("h5py", path, "HDF5")
    with _opening(path, "hdf5"):
        read = _Hdf5(path, Stamp.of(path))
        file = read.handle = read.open()
        names: list[str] = []  # links, which may lead to other files, are not followed
        file.visititems(lambda name, item: names.append(name) if getattr(item, "shape", None) is not None else None)
    read.places = {name.replace("/", "_"): name for name in names}
    if len(read.places) < len(names):
        raise DataError(f"{path}: two data sets would be one utterance, because '/' is written '_' in ids")
    stored = {name: read(name) for name in _RESERVED_KEYS if name in read.places or name in file.attrs}
    return _make_posteriors(read, [*read.places], stored)


FORMATS = {
    ".npz": "npz",
    ".npy": "npy",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".ark": "kaldi-ark",
    ".scp": "kaldi-ark",
    ".safetensors": "safetensors",
}
_OPENERS: Mapping[str, Callable[[Path, str], RawPosteriors]] = {
    **dict.fromkeys(("npy", "npy-directory"), open_npy),
    "npz": open_npz,
    "hdf5": open_hdf5,
    "kaldi-ark": open_kaldi,
    "safetensors": open_safetensors,
}
_SHOWN_NAMES = 20  # names in a message


def _list_label_files(path: Path) -> list[Path]:
    # Beside a file `x.npy`: x.phones.txt, else one of LISTS; of a folder, in it.
    folder = path if path.is_dir() else path.parent
    return [folder / f"{path.stem}.{LABELS_FILE}", *(folder / name for name in LISTS)]


def load_raw_posteriors(
    path: Path, form: str | None = None, labels: Path | Sequence[str] | None = None
) -> RawPosteriors:
    """Return the posteriors of a file, or of a folder or glob of files of one format; frames are read later."""
    kind = form or _guess_format(path)
    if kind not in format_names():
        raise DataError(f"{path}: no format of posteriors is called '{kind}'; there are: {', '.join(format_names())}")
    suffixes = [suffix for suffix, each in FORMATS.items() if each == kind.removesuffix("-directory")]
    if ".scp" in suffixes and is_folder(path) and ".scp" in suffixes_below(path):
        suffixes = [".scp"]  # a list says more than the archives beside it
    opened = [_OPENERS[kind](file, name) for name, file in find_files(path, suffixes)]
    raw = opened[0] if len(opened) == 1 else _join_files(path, opened)
    columns = read_labels(labels)
    # What the settings name goes before what the file holds, and that before a list that may belong to another file.
    if not columns.names:
        beside = next(filter(is_file, _list_label_files(path)), None)
        columns = Labels(raw.labels) if raw.labels else read_labels(beside)
    if not columns.names:
        msg = f"{path}: the labels of the columns are not in the file (an npz or HDF5 keeps them as `phones`)"
        nor = f"nor in {LABELS_FILE} or Hugging Face's {LISTS[1]} beside it"
        raise DataError(f"{msg}, {nor}; give labels: (decode: --labels), a file with one label per line")
    return _check_posteriors(replace(raw, labels=columns.names, blank=columns.blank), str(path))


def posteriors_in_memory(
    data: object, labels: Path | Sequence[str] | None, *, form: str | None, frame_shift: float | None
) -> RawPosteriors:
    for name, fault in (("format", form is not None), ("labels", labels is None), ("frame_shift", frame_shift is None)):
        if fault:
            needed = "is for files; leave it out" if name == "format" else "is needed for posteriors in memory"
            raise ConfigurationError(f"posteriors: {name} {needed}")
    listed = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, Iterable) else None
    if listed is None or isinstance(data, str | bytes) or hasattr(data, "shape"):
        msg = "a path is needed, or a mapping {id: array of frames × columns}"
        raise DataError(f"posteriors: {msg}, or a list of such arrays, not {type(data).__name__}")
    names, arrays = list[str](), list[Any]()
    for utterance, values in listed:
        if isinstance(utterance, bool) or not isinstance(utterance, str | int):
            raise wrong_kind("posteriors", "an utterance id", utterance, "a text or a whole number")
        with name_errors(f"posteriors: utterance '{utterance}' cannot be made an array of NumPy"):
            array = np.asarray(values)
        names.append(str(utterance))
        arrays.append(read_only(array, array.dtype))
    read = dict(zip(names, arrays, strict=True)).__getitem__
    ids = tuple(names)
    columns = read_labels(labels)
    raw = RawPosteriors(source="posteriors", labels=columns.names, utterances=ids, read=read, blank=columns.blank)
    return _check_posteriors(raw, "posteriors")


def _check_posteriors(raw: RawPosteriors, path: str) -> RawPosteriors:
    for names, what in ((raw.labels, "column label"), (raw.utterances, "utterance id")):
        for name in names:
            check_plain(name, what, path)
        if twice := sorted(name for name, number in Counter(names).items() if number > 1):
            more = f" and {len(twice) - _SHOWN_NAMES} more" if len(twice) > _SHOWN_NAMES else ""
            raise DataError(f"{path}: {what}s must differ; these occur twice: {' '.join(twice[:_SHOWN_NAMES])}{more}")
    if len(raw.labels) > MOST_COLUMNS:
        raise DataError(f"{path}: {len(raw.labels):,} columns; posteriors have at most {MOST_COLUMNS:,} here")
    if not raw.utterances:
        raise DataError(f"{path}: holds no utterance")
    return raw


def format_names() -> tuple[str, ...]:
    return tuple(dict.fromkeys([*FORMATS.values(), "npy-directory"]))


def known_endings() -> tuple[str, ...]:
    return (*FORMATS, f".{LABELS_FILE}", *LISTS)


def files_referred_to(path: Path) -> list[Path]:
    """Return the files that are read besides those at a path: lists of labels, and archives that a list names."""
    held = is_folder(path) and ".scp" in suffixes_below(path)
    lists = [path] if path.suffix.lower() == ".scp" else matching_files(path, (".scp",))[1] if held else []
    return [
        *filter(is_file, _list_label_files(path)),
        *dict.fromkeys(file for each in lists for _, file, _, _ in _list_entries(each)),
    ]


def _guess_format(path: Path) -> str:
    if path.suffix.lower() in FORMATS:
        return FORMATS[path.suffix.lower()]
    known = f"known endings: {' '.join(FORMATS)}"
    if not is_folder(path):
        matching_files(path, ())  # says when nothing is there
        if what := explain_pickle(path):
            raise DataError(f"{path}: looks like {what}")
        raise DataError(f"{path}: the ending does not say the format; give format:, {known}")
    held = sorted({FORMATS[suffix] for suffix in suffixes_below(path) & FORMATS.keys()})
    if len(held) > 1:
        raise DataError(f"{path}: holds files of several formats ({', '.join(held)}); give format:, or a glob")
    if not held:
        pickles = (f". {file} looks like {what}" for file in files_below(path) if (what := explain_pickle(file)))
        raise DataError(f"{path}: holds no file of posteriors ({known}){next(pickles, '')}")
    return held[0]


def _join_files(path: Path, parts: list[RawPosteriors]) -> RawPosteriors:
    owners: dict[str, RawPosteriors] = {}
    for part in parts:
        for name in part.utterances:
            if name in owners:
                raise DataError(f"{part.source}: utterance '{name}' occurs again (first in {owners[name].source})")
            owners[name] = part
        # One order of columns for all: files of two recognisers would mix without an error.
        if (part.labels, part.frame_shift) != (parts[0].labels, parts[0].frame_shift):
            raise DataError(f"{part.source}: labels or frame shift are not those of {parts[0].source}")

    read = RenamedReader({name: (owner.read, name) for name, owner in owners.items()})
    files = tuple(dict.fromkeys(file for part in parts for file in part.files))
    return replace(parts[0], source=str(path), utterances=tuple(owners), read=read, files=files)
