"""Posteriors from files of matrices, one an utterance: which format, which labels, one file or many.

Labels of the columns may stand in a list beside the arrays, as recognisers keep them. A text file has one a line, or
each with its number (icefall's `tokens.txt`, Kaldi's `phones.txt`), which is then the order. JSON is Hugging Face's
`vocab.json` (numbers by label) or a list. YAML is a configuration of ESPnet (`token_list`) or NeMo (`vocabulary` or
`labels`, to which its blank comes last). What these programs call a blank is one, if the settings name none.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from phonxling.core.arrays import read_only
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.posteriorgram import RawPosteriors, RenamedReader
from phonxling.load.arrays import (
    MOST_COLUMNS,
    list_archives,
    name_errors,
    open_hdf5,
    open_kaldi,
    open_npy,
    open_npz,
    open_safetensors,
)
from phonxling.load.building import wrong_kind
from phonxling.load.text import (
    check_plain,
    explain_pickle,
    files_below,
    find_files,
    is_file,
    is_folder,
    matching_files,
    read_lines,
    read_text,
    suffixes_below,
)

LABELS_FILE = "phones.txt"  # the labels of the columns of posteriors, beside these
LISTS = (LABELS_FILE, "vocab.json", "tokens.txt")
BLANK = "<blank>"
_BLANKS = (BLANK, "<blk>", "[pad]", "<pad>")  # the first of these that a vocabulary has
_DISAMBIGUATION = re.compile(r"#\d+")
_SHOWN_LABELS = 5


class Labels(NamedTuple):
    """Labels in the order of the columns, and the one of the blank, where the file says it."""

    names: tuple[str, ...] = ()
    blank: str | None = None


def read_labels(labels: Path | Sequence[str] | None) -> Labels:
    """Return labels as given: a list, or the path of one; none when there are none."""
    if not isinstance(labels, Path):
        return Labels(tuple(labels or ()))
    ending = labels.suffix.lower()
    if ending == ".json":
        with name_errors(f"{labels}: no JSON"):
            return _order_vocabulary(labels, json.loads(read_text(labels)))
    if ending in {".yaml", ".yml"}:
        from ruamel.yaml import YAML

        with name_errors(f"{labels}: no YAML"):
            held = YAML(typ="safe", pure=True).load(read_text(labels))
        found = {key: value for key, value in _walk_keys(held) if isinstance(value, list)}
        # NeMo's network has one column more than its vocabulary: the blank, which no list names, is the last.
        for key, last in (("token_list", ()), ("vocabulary", (BLANK,)), ("labels", (BLANK,))):
            if key in found:
                return _order_vocabulary(labels, [*map(str, found[key]), *last])
        keys = "neither token_list (ESPnet) nor vocabulary or labels (NeMo)"
        raise DataError(f"{labels}: holds {keys} as a list of labels")
    lines = [text.strip() for _, text in read_lines(labels)]
    numbered = [line.rsplit(maxsplit=1) for line in lines]
    if lines and all(len(each) == 2 and each[1].isdecimal() for each in numbered):
        # Kaldi's phones.txt ends in #0, #1 …, which keep homophones of a lexicon apart and are no columns.
        tokens = {label: int(number) for label, number in numbered if not _DISAMBIGUATION.fullmatch(label)}
        return _order_vocabulary(labels, tokens)
    return Labels(tuple(lines))


def _list_label_files(path: Path) -> list[Path]:
    # Beside a file `x.npy`: x.phones.txt, else one of LISTS; of a folder, in it.
    folder = path if path.is_dir() else path.parent
    return [folder / f"{path.stem}.{LABELS_FILE}", *(folder / name for name in LISTS)]


def _order_vocabulary(path: Path, held: object) -> Labels:
    if isinstance(held, Mapping) and held and all(type(number) is int for number in held.values()):
        missing = sorted({*range(len(held))} - {*held.values()})
        if missing:
            numbers = " ".join(map(str, missing[:_SHOWN_LABELS])) + " …" * (len(missing) > _SHOWN_LABELS)
            why = "two labels have one number, or a second file has the others (added_tokens.json)"
            number = "1 column has" if len(missing) == 1 else f"{len(missing)} columns have"
            raise DataError(f"{path}: {number} no label: {numbers}; {why}")
        held = sorted(held, key=held.__getitem__)
    if not isinstance(held, list) or not held or not all(isinstance(label, str) for label in held):
        shape = 'numbers by label, {"[PAD]": 0, "a": 1}, as in Hugging Face\'s vocab.json, or a list of labels'
        raise DataError(f"{path}: no list of labels; it needs {shape}")
    # The first of several spellings counts, in the order in which the programs prefer them: [PAD] is Hugging Face's
    # blank.
    lower = {label.lower(): label for label in reversed(held)}
    return Labels(tuple(held), next((lower[name] for name in _BLANKS if name in lower), None))


def _walk_keys(held: object, depth: int = 3) -> Iterator[tuple[str, object]]:
    for key, value in held.items() if isinstance(held, Mapping) and depth else ():
        yield from _walk_keys(value, depth - 1)
        yield str(key), value


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


def load_raw_posteriors(
    path: Path, form: str | None = None, labels: Path | Sequence[str] | None = None
) -> RawPosteriors:
    """Return the posteriors of a file, or of a folder or glob of files of one format; frames are read later."""
    kind = form or _guess_format(path)
    if kind not in format_names():
        known = ", ".join(format_names())
        raise DataError(f"{path}: no format of posteriors is called '{kind}'; there are: {known}")
    suffixes = [suffix for suffix, each in FORMATS.items() if each == kind.removesuffix("-directory")]
    if ".scp" in suffixes and is_folder(path) and ".scp" in suffixes_below(path):
        suffixes = [".scp"]  # a list says more than the archives beside it
    opened = [_OPENERS[kind](file, name) for name, file in find_files(path, suffixes)]
    raw = opened[0] if len(opened) == 1 else _join_files(path, opened)
    found = read_labels(labels)
    # What the settings name goes before what the file holds, and that before a list that may belong to another file.
    if not found.names:
        beside = next(filter(is_file, _list_label_files(path)), None)
        found = Labels(raw.labels) if raw.labels else read_labels(beside)
    if not found.names:
        msg = f"{path}: the labels of the columns are not in the file (an npz or HDF5 keeps them as `phones`)"
        nor = f"nor in {LABELS_FILE} or Hugging Face's {LISTS[1]} beside it"
        raise DataError(f"{msg}, {nor}; give labels: (decode: --labels), a file with one label per line")
    return _check_posteriors(replace(raw, labels=found.names, blank=found.blank), str(path))


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
    names, arrays = list[str](), list[Any]()
    for utterance, values in listed:
        if isinstance(utterance, bool) or not isinstance(utterance, str | int):
            raise wrong_kind("posteriors", "an utterance id", utterance, "a text or a whole number")
        with name_errors(f"posteriors: utterance '{utterance}' cannot be made an array of NumPy"):
            array = np.asarray(values)
        names.append(str(utterance))
        arrays.append(read_only(array, array.dtype))
    read = dict(zip(names, arrays, strict=True)).__getitem__
    found = read_labels(labels)
    raw = RawPosteriors(source="posteriors", labels=found.names, utterances=tuple(names), read=read, blank=found.blank)
    return _check_posteriors(raw, "posteriors")


def _check_posteriors(raw: RawPosteriors, path: str) -> RawPosteriors:
    for names, what in ((raw.labels, "column label"), (raw.utterances, "utterance id")):
        for name in names:
            check_plain(name, what, path)
        twice = sorted(name for name, number in Counter(names).items() if number > 1)
        if twice:
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
    """Return the endings of all formats' files, and of lists of labels."""
    return (*FORMATS, f".{LABELS_FILE}", *LISTS)


def files_referred_to(path: Path) -> list[Path]:
    """Return the files that are read besides those at a path: lists of labels, and archives that a list names."""
    held = is_folder(path) and ".scp" in suffixes_below(path)
    lists = [path] if path.suffix.lower() == ".scp" else matching_files(path, (".scp",))[1] if held else []
    return [*filter(is_file, _list_label_files(path)), *(file for each in lists for file in list_archives(each))]


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
        other = next(
            (f". {file} looks like {what}" for file in files_below(path) if (what := explain_pickle(file))), ""
        )
        raise DataError(f"{path}: holds no file of posteriors ({known}){other}")
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
