"""Posteriors from npz (one array an utterance) and npy (one utterance); no pickled object is ever loaded."""

import mmap
import zipfile
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.lib.npyio import NpzFile

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.text import find_files, read_lines

_RESERVED = frozenset({"phones", "frame_shift_s"})
_FORMATS = ("npz", "npy", "npy-directory")


def load_raw_posteriors(
    path: Path, form: str | None = None, labels: Path | Sequence[str] | None = None
) -> RawPosteriors:
    """Return the posteriors of an .npz file, an .npy file, or a folder or glob of .npy files; frames are read later.

    An npz holds one array [frames, columns] an utterance, under its id, with `phones` (the columns' labels) and
    optionally `frame_shift_s`. For npy, `labels` (a list, or a file with a label a line) is needed.

    Raises
    ------
    DataError
        If the format is none of npz, npy and npy-directory.
        If the file is missing, no such archive, or holds objects instead of numbers.
        If there are no labels, or a label occurs twice.
    """
    kind = form or ("npz" if path.suffix.lower() == ".npz" else "npy")
    if kind not in _FORMATS:
        raise DataError(f"{path}: no format of posteriors is called '{kind}'; there are: {', '.join(_FORMATS)}")
    raw = _open_npz(path, labels) if kind == "npz" else _open_npy(path, labels)
    twice = sorted({label for label in raw.labels if raw.labels.count(label) > 1})
    if twice:
        raise DataError(f"{path}: column labels must differ; these occur twice: {' '.join(twice)}")
    if not raw.utterances:
        raise DataError(f"{path}: holds no utterance")
    return raw


class _Mapped(mmap.mmap):
    """A file's bytes without an open file: zipfile asks before it seeks, and mmap answers only from Python 3.13 on."""

    def seekable(self) -> bool:
        return True


def _mapped(path: Path) -> _Mapped:
    with path.open("rb") as file:
        return _Mapped(file.fileno(), 0, access=mmap.ACCESS_READ)


def _open_npz(path: Path, labels: Path | Sequence[str] | None) -> RawPosteriors:
    try:
        archive = np.load(cast("BinaryIO", _mapped(path)), allow_pickle=False)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise DataError(f"{path}: not a readable npz file: {error}") from error
    if not isinstance(archive, NpzFile):
        raise DataError(f"{path}: not an npz archive; give format: npy")
    given = _labels(labels) if labels is not None else None
    if given is None and "phones" not in archive.files:
        raise DataError(f"{path}: has no `phones` (the labels of the columns); add it, or give labels:")
    return RawPosteriors(
        source=str(path),
        labels=given or _own_labels(path, archive),
        utterances=tuple(name for name in archive.files if name not in _RESERVED),
        read=partial(_member, path, archive),
        frame_shift=_own_shift(path, archive) if "frame_shift_s" in archive.files else None,
    )


def _own_labels(path: Path, archive: NpzFile) -> tuple[str, ...]:
    labels = _member(path, archive, "phones")
    if labels.ndim != 1 or labels.dtype.kind not in "UTiu":
        raise DataError(f"{path}: `phones` must be a list of strings; it has the shape {labels.shape}, {labels.dtype}")
    return tuple(str(label) for label in labels)


def _own_shift(path: Path, archive: NpzFile) -> float:
    shift = _member(path, archive, "frame_shift_s")
    if shift.size != 1 or shift.dtype.kind not in "fiu":
        raise DataError(f"{path}: `frame_shift_s` must be one number; it has the shape {shift.shape}, {shift.dtype}")
    return float(shift.reshape(-1)[0])


def _member(path: Path, archive: NpzFile, name: str) -> Frames:
    try:
        values = archive[name]
    except (ValueError, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
    return np.asarray(values)


def _open_npy(path: Path, labels: Path | Sequence[str] | None) -> RawPosteriors:
    if labels is None:
        raise DataError(f"{path}: npy files carry no labels; give labels: (a file with one label a line)")
    files = dict(find_files(path, ".npy"))
    return RawPosteriors(
        source=str(path), labels=_labels(labels), utterances=tuple(files), read=lambda name: _read_npy(files[name])
    )


def _read_npy(path: Path) -> Frames:
    try:
        values = np.load(path, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not a readable npy file: {error}") from error
    if isinstance(values, NpzFile):
        values.close()
        raise DataError(f"{path}: an npz archive, not an npy file; give format: npz")
    return np.asarray(values)


def _labels(labels: Path | Sequence[str]) -> tuple[str, ...]:
    if isinstance(labels, Path):
        return tuple(text.strip() for _, text in read_lines(labels))
    return tuple(labels)
