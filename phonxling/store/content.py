"""The content of values, and of the files that an experiment reads, as one sha256.

It is equal for equal values, on every machine and in every process. Each part is written with its kind and its length,
so that no two values are written alike. A path stands for what its file holds. What could be equal without being the
same (an unknown type, a closure) is refused, never guessed from how it prints.

Files are digested before anything is loaded; whether they are still the same after that is told by how they look.

What a number depends on beside inputs and settings: this package's own source, libraries, the interpreter.
"""

import dataclasses
import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import digest
from phonxling.core.posteriorgram import Posteriorgrams

Chunks = Iterator[bytes | memoryview]
FileDigest = Callable[[Path], str]
_OURS = __name__.partition(".")[0]
_State = tuple[int, int, int]  # size, nanoseconds of the last change, inode
_AT_ONCE = 4  # files: more readers make one disk slower
_SHOWN = 10


def content_digest(value: object, files: FileDigest = digest) -> str:
    """Return the sha256 of a value's content."""
    sha256 = hashlib.sha256()
    for chunk in _chunks(value, files):
        sha256.update(chunk)
    return sha256.hexdigest()


def _chunks(value: object, files: FileDigest) -> Chunks:  # noqa: C901 - a case for each kind
    match value:
        case np.ndarray() | np.generic():
            yield from _array(np.asarray(value))
        case Mapping():
            yield from _sequence("mapping", [part for pair in value.items() for part in pair], files)
        case set() | frozenset():
            yield from _sequence("set", sorted(content_digest(part, files) for part in value), files)
        case tuple() | list() if set(map(type, value)) == {str}:  # a million utterances' names, quickly
            yield from _run(f"strings of {_name(type(value))}", "".join(value))
            yield from _array(np.fromiter(map(len, value), np.int64, len(value)))
        case tuple() | list():
            yield from _sequence(_name(type(value)), value, files)
        case bytes():
            yield from _run("bytes", value)
        case Enum():
            yield from _run("enum", f"{_name(type(value))}.{value.name}")
        case None | bool() | int() | Fraction() | str():
            yield from _run(type(value).__name__, str(value))
        case float():
            yield from _run("float", value.hex())
        case Path():
            yield from _run("file", files(value))
        case FunctionType():
            if value.__module__.partition(".")[0] != _OURS or "<" in value.__qualname__:
                raise TypeError(f"a function that is no module's own of {_OURS}: {_name(value)}")
            yield from _run("function", _name(value))
        case _:
            yield from _sequence(_name(type(value)), list(_fields(value)), files)


def _fields(value: object) -> Iterator[object]:
    """Yield names and values of what a dataclass or a configuration was made from; what follows from that is left."""
    if configured := getattr(type(value), "model_fields", None):  # of a section of the configuration
        names = list(configured)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
    else:
        raise TypeError(f"a {_name(type(value))} has no content that could be compared")
    if isinstance(value, Posteriorgrams):
        unread = {"spelling", *(["read"] if value.files else [])}  # no task reads labels; and `read` reads these files
        names = [name for name in names if name not in unread]
    for name in names:
        yield name
        yield getattr(value, name)


def _sequence(kind: str, parts: Sequence[object], files: FileDigest) -> Chunks:
    yield f"{kind}*{len(parts)}:".encode()
    for part in parts:
        yield from _chunks(part, files)


def _array(array: NDArray[Any]) -> Chunks:
    if array.dtype.hasobject:
        raise TypeError("an array of objects has no content that could be compared")
    yield f"array {array.dtype.descr} {array.shape}:".encode()
    yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data if array.size else b""


def _name(named: type | FunctionType) -> str:
    return f"{named.__module__}.{named.__qualname__}"


def _run(kind: str, content: bytes | str) -> Chunks:
    content = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    yield f"{kind} {len(content)}:".encode()
    yield content


class Inputs:
    """The sha256 of each input as it was first read, and how the file looked then."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._found: dict[Path, tuple[_State, str]] = {}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            wanted = list(dict.fromkeys(map(_plain, paths)))
            self._found |= zip(wanted, pool.map(_read, wanted), strict=True)

    def digest(self, path: Path) -> str:
        """Return the sha256 that a file had when it was first asked for."""
        plain = _plain(path)
        if plain not in self._found:
            self._found[plain] = _read(plain)
        return self._found[plain][1]

    def touched(self, paths: Iterable[Path]) -> list[Path]:
        """Return the files that are gone or look otherwise than when they were first read."""
        return [path for path in paths if state_of(path) != self._found[_plain(path)][0]]

    def check(self) -> None:
        """Raise DataError when a file was written to since it was first read: all of them are named."""
        changed = [str(path) for path in self.touched(self._found)]
        if changed:
            remedy = "Nothing was written. Wait until they are whole, then run again."
            raise DataError(join_problems("inputs changed while they were read:", changed, remedy, limit=_SHOWN))


def _plain(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - a link stays a link: what it leads to may change


def _read(path: Path) -> tuple[_State, str]:
    before = state_of(path)
    return before or (-1, -1, -1), digest(path)


def state_of(path: Path) -> _State | None:
    """Return by what it is seen that a file was written to; None when there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns, state.st_ino


_LIBRARIES = (
    *("numpy", "numba", "scipy", "pandas", "scikit-learn", "umap-learn", "pynndescent", "panphon"),
    *("matplotlib", "jinja2"),
)


@cache
def versions() -> tuple[str, ...]:
    """Return the source's digest, the version of each library, of Python, and the kind of machine."""
    interpreter = f"python {sys.version_info.major}.{sys.version_info.minor}"
    machine = f"{platform.system()} {platform.machine()}"
    return own_source(), interpreter, machine, *(f"{name} {version(name)}" for name in _LIBRARIES)


@cache
def own_source() -> str:
    """Return the sha256 of this package's files, as they were when it was first asked for."""
    return source_digest(Path(__file__).parent.parent)


def source_digest(folder: Path) -> str:
    """Return the sha256 of a package's files: whoever edits one keeps nothing from before."""
    sha256 = hashlib.sha256()
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    for path in sorted(files):
        content = path.read_bytes()
        sha256.update(f"{path.relative_to(folder).as_posix()} {len(content)}:".encode())
        sha256.update(content)
    return sha256.hexdigest()
