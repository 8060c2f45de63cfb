"""Posteriors from files of matrices, one an utterance: which format, which labels, one file or many."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from phonxling.core.arrays import read_only
from phonxling.core.errors import ConfigurationError, DataError, shown
from phonxling.core.posteriorgram import Frames, RawPosteriors, Renamed
from phonxling.load.arrays import open_npy, open_npz, open_safetensors
from phonxling.load.building import wrong_kind
from phonxling.load.hdf5 import open_hdf5
from phonxling.load.kaldi_matrices import archives, open_ark, open_scp
from phonxling.load.labels import BESIDE, LISTS, Labels, files_beside, given_labels, labels_beside
from phonxling.load.paths import files_below, find_files, is_folder, matching, suffixes_below
from phonxling.load.rows import ROW_FORMATS, open_rows
from phonxling.load.stored import MOST_COLUMNS
from phonxling.load.text import check_plain, is_file, unopened

FORMATS = {
    ".npz": "npz",
    ".npy": "npy",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".ark": "kaldi-ark",
    ".scp": "kaldi-ark",
    ".safetensors": "safetensors",
}
_SHOWN = 20  # names in a message


def load_raw_posteriors(
    path: Path, form: str | None = None, labels: Path | Sequence[str] | None = None
) -> RawPosteriors:
    """Return the posteriors of a file, or of a folder or glob of files of one format; frames are read later."""
    kind = form or _guessed(path)
    if kind not in format_names():
        known = ", ".join(format_names())
        raise DataError(f"{path}: no format of posteriors is called '{kind}'; there are: {known}")
    raw = _opened(path, kind)
    given = given_labels(labels)
    found = given if given.names else Labels(raw.labels) if raw.labels else labels_beside(path)
    if not found.names:
        msg = f"{path}: the labels of the columns are not in the file (an npz or HDF5 keeps them as `phones`)"
        beside = f"nor in {BESIDE} or Hugging Face's {LISTS[1]} beside it"
        raise DataError(f"{msg}, {beside}; give labels: (decode: --labels), a file with one label a line")
    return _checked(replace(raw, labels=found.names, blank=found.blank), str(path))


def posteriors_in_memory(
    data: object, labels: Path | Sequence[str] | None, *, form: str | None, frame_shift: float | None
) -> RawPosteriors:
    """Return the posteriors of arrays [frames, columns], by id or in a list."""
    for name, fault in (("format", form is not None), ("labels", labels is None), ("frame_shift", frame_shift is None)):
        if fault:
            needed = "is for files; leave it out" if name == "format" else "is needed for posteriors in memory"
            raise ConfigurationError(f"posteriors: {name} {needed}")
    listed = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, Iterable) else None
    if listed is None or isinstance(data, str | bytes) or hasattr(data, "shape"):
        msg = "a path is needed, or a mapping {id: array of frames × columns}"
        raise DataError(f"posteriors: {msg}, or a list of such arrays, not {type(data).__name__}")
    pairs = [(str(utterance), _matrix(utterance, values)) for utterance, values in listed]
    names, read = tuple(name for name, _ in pairs), dict(pairs).__getitem__
    found = given_labels(labels)
    raw = RawPosteriors(source="posteriors", labels=found.names, utterances=names, read=read, blank=found.blank)
    return _checked(raw, "posteriors")


def _matrix(utterance: object, values: Any) -> Frames:  # noqa: ANN401 - whatever NumPy makes an array of
    if isinstance(utterance, bool) or not isinstance(utterance, str | int):
        raise wrong_kind("posteriors", "an utterance id", utterance, "a text or a whole number")
    try:
        array: Frames = np.asarray(values)
    except Exception as error:  # each library has its own
        msg = f"posteriors: utterance '{utterance}' cannot be made an array of NumPy"
        raise DataError(f"{msg}: {shown(str(error), 300)}") from error
    return cast("Frames", read_only(array, array.dtype))


def _checked(raw: RawPosteriors, path: str) -> RawPosteriors:
    """Return posteriors whose labels and ids can be used; DataError when they cannot."""
    for names, what in ((raw.labels, "column label"), (raw.utterances, "utterance id")):
        for name in names:
            check_plain(name, what, path)
        twice = sorted(name for name, number in Counter(names).items() if number > 1)
        if twice:
            more = f" and {len(twice) - _SHOWN} more" if len(twice) > _SHOWN else ""
            raise DataError(f"{path}: {what}s must differ; these occur twice: {' '.join(twice[:_SHOWN])}{more}")
    if len(raw.labels) > MOST_COLUMNS:
        raise DataError(f"{path}: {len(raw.labels):,} columns; posteriors have at most {MOST_COLUMNS:,} here")
    if not raw.utterances:
        raise DataError(f"{path}: holds no utterance")
    return raw


def format_names() -> tuple[str, ...]:
    """Return the names of the formats of posteriors."""
    return tuple(dict.fromkeys([*FORMATS.values(), "npy-directory", *ROW_FORMATS.values()]))


def known_endings(form: str | None = None) -> tuple[str, ...]:
    """Return the endings of a format's files (of all formats where none is given), and of lists of labels."""
    endings = [ending for ending, name in FORMATS.items() if form is None or name == form.removesuffix("-directory")]
    return (*endings, f".{BESIDE}", *LISTS)


def files_referred_to(path: Path) -> list[Path]:
    """Return the files that are read besides those at a path: lists of labels, and archives that a list names."""
    held = is_folder(path) and ".scp" in suffixes_below(path)
    lists = [path] if path.suffix.lower() == ".scp" else matching(path, (".scp",))[1] if held else []
    named = [file for rows in _row_files(path) for file in open_rows(rows).files if file != rows]
    return [*filter(is_file, files_beside(path)), *(file for each in lists for file in archives(each)), *named]


def _row_files(path: Path) -> list[Path]:
    """Return the files of rows at a path, where it holds no other posteriors."""
    if path.suffix.lower() in ROW_FORMATS:
        return [path]
    there = suffixes_below(path) if is_folder(path) else set()
    return [] if there & FORMATS.keys() or not there & ROW_FORMATS.keys() else matching(path, [*ROW_FORMATS])[1]


def _guessed(path: Path) -> str:
    """Return the format that a file's ending speaks for; that of its files for a folder or glob."""
    known_by = {**FORMATS, **ROW_FORMATS}
    if path.suffix.lower() in known_by:
        return known_by[path.suffix.lower()]
    known = f"known endings: {' '.join(FORMATS)}"
    if not is_folder(path):
        matching(path, ())  # says when nothing is there
        if what := unopened(path):
            raise DataError(f"{path}: looks like {what}")
        raise DataError(f"{path}: the ending does not say the format; give format:, {known}")
    there = suffixes_below(path)
    held = sorted({FORMATS[suffix] for suffix in there & FORMATS.keys()})
    held = held or sorted({ROW_FORMATS[suffix] for suffix in there & ROW_FORMATS.keys()})
    if len(held) > 1:
        raise DataError(f"{path}: holds files of several formats ({', '.join(held)}); give format:, or a glob")
    if not held:
        other = next((f". {file} looks like {what}" for file in files_below(path) if (what := unopened(file))), "")
        raise DataError(f"{path}: holds no file of posteriors ({known}){other}")
    return held[0]


def _opened(path: Path, kind: str) -> RawPosteriors:
    if kind in ROW_FORMATS.values():
        endings = [suffix for suffix, form in ROW_FORMATS.items() if form == kind]
        return _joined(path, [open_rows(file) for _, file in find_files(path, endings)])
    suffixes = [suffix for suffix, form in FORMATS.items() if form == kind.removesuffix("-directory")]
    if kind in {"npy", "npy-directory"}:  # a file an utterance
        return open_npy(path, find_files(path, suffixes[0]))
    if is_folder(path):
        there = suffixes_below(path)
        suffixes = [suffix for suffix in suffixes if suffix in there][-1:] or suffixes  # an .scp says more than .ark
    files = find_files(path, suffixes[0])
    return _joined(path, [_opener(kind, file)(file) for _, file in files])


def _opener(kind: str, file: Path) -> Callable[[Path], RawPosteriors]:
    if kind == "kaldi-ark":
        return open_scp if file.suffix.lower() == ".scp" else open_ark
    return {"npz": open_npz, "hdf5": open_hdf5, "safetensors": open_safetensors}[kind]


def _joined(path: Path, parts: list[RawPosteriors]) -> RawPosteriors:
    """Return several files' posteriors as one; labels and frame shifts must be the same in all."""
    if len(parts) == 1:
        return parts[0]
    owners: dict[str, RawPosteriors] = {}
    for part in parts:
        for name in part.utterances:
            if name in owners:
                raise DataError(f"{part.source}: utterance '{name}' occurs again (first in {owners[name].source})")
            owners[name] = part
        if (part.labels, part.frame_shift) != (parts[0].labels, parts[0].frame_shift):
            raise DataError(f"{part.source}: labels or frame shift are not those of {parts[0].source}")

    read = Renamed({name: (owner.read, name) for name, owner in owners.items()})
    files = tuple(dict.fromkeys(file for part in parts for file in part.files))
    return replace(parts[0], source=str(path), utterances=tuple(owners), read=read, files=files)
