"""The labels of the columns of posteriors, as recognisers keep them, and where they stand beside the arrays.

A text file has one label a line, or each with its number (icefall's `tokens.txt`, Kaldi's `phones.txt`), which is then
the order. JSON is Hugging Face's `vocab.json` (numbers by label) or a list. YAML is a configuration of ESPnet
(`token_list`) or NeMo (`vocabulary` or `labels`, to which its blank comes last). What these programs call a blank is
one, if the settings name none.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from phonxling.core.errors import DataError, shown
from phonxling.load.text import is_file, read_lines, read_text

BESIDE = "phones.txt"
LISTS = (BESIDE, "vocab.json", "tokens.txt")
BLANK = "<blank>"
_BLANKS = (BLANK, "<blk>", "[pad]", "<pad>")  # the first of these that a vocabulary has
_DISAMBIGUATION = re.compile(r"#\d+")  # of lexicons: no network has columns of them
_SHOWN = 5


class Labels(NamedTuple):
    """Labels in the order of the columns, and the one of the blank, where the file says it."""

    names: tuple[str, ...] = ()
    blank: str | None = None


def given_labels(labels: Path | Sequence[str] | None) -> Labels:
    """Return labels as given: a list, or the path of one; none when there are none."""
    if not isinstance(labels, Path):
        return Labels(tuple(labels or ()))
    ending = labels.suffix.lower()
    if ending == ".json":
        return _of_vocabulary(labels, _json(labels))
    if ending in {".yaml", ".yml"}:
        return _of_configuration(labels)
    lines = [text.strip() for _, text in read_lines(labels)]
    numbered = [line.rsplit(maxsplit=1) for line in lines]
    if lines and all(len(each) == 2 and each[1].isdecimal() for each in numbered):
        tokens = {label: int(number) for label, number in numbered if not _DISAMBIGUATION.fullmatch(label)}
        return _of_vocabulary(labels, tokens)
    return Labels(tuple(lines))


def labels_beside(path: Path) -> Labels:
    """Return the labels in the list beside a file (`x.phones.txt` for `x.npy`, else one of LISTS), or in a folder."""
    return given_labels(next((file for file in files_beside(path) if is_file(file)), None))


def files_beside(path: Path) -> list[Path]:
    """Return where a list of labels may stand beside a file, or in a folder."""
    folder = path if path.is_dir() else path.parent
    return [folder / f"{path.stem}.{BESIDE}", *(folder / name for name in LISTS)]


def _json(path: Path) -> Any:  # noqa: ANN401 - whatever somebody wrote
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON: {shown(str(error))}") from error


def _of_vocabulary(path: Path, held: object) -> Labels:
    """Return the labels of a list, or of a mapping to their numbers, which count from 0 and lack none."""
    if isinstance(held, Mapping) and held and all(type(number) is int for number in held.values()):
        ordered = [label for label, _ in sorted(held.items(), key=lambda item: item[1])]
        missing = sorted({*range(len(held))} - {*held.values()})
        if missing:
            numbers = " ".join(map(str, missing[:_SHOWN])) + " …" * (len(missing) > _SHOWN)
            why = "two labels have one number, or a second file has the others (added_tokens.json)"
            number = "1 column has" if len(missing) == 1 else f"{len(missing)} columns have"
            raise DataError(f"{path}: {number} no label: {numbers}; {why}")
        held = ordered
    if not isinstance(held, list) or not held or not all(isinstance(label, str) for label in held):
        shape = 'numbers by label, {"[PAD]": 0, "a": 1}, as in Hugging Face\'s vocab.json, or a list of labels'
        raise DataError(f"{path}: no list of labels; it needs {shape}")
    lower = {label.lower(): label for label in reversed(held)}
    return Labels(tuple(held), next((lower[name] for name in _BLANKS if name in lower), None))


def _of_configuration(path: Path) -> Labels:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        held = YAML(typ="safe", pure=True).load(read_text(path))
    except (YAMLError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: no YAML: {shown(str(error).splitlines()[0])}") from error
    found = {key: value for key, value in _keys(held) if isinstance(value, list)}
    if "token_list" in found:
        return _of_vocabulary(path, found["token_list"])
    for key in ("vocabulary", "labels"):
        if key in found:
            return _of_vocabulary(path, [*map(str, found[key]), BLANK])
    keys = "neither token_list (ESPnet) nor vocabulary or labels (NeMo)"
    raise DataError(f"{path}: holds {keys} as a list of labels")


def _keys(held: object, depth: int = 3) -> Iterator[tuple[str, object]]:
    """Yield the keys of a mapping and of those within it, the inner ones first."""
    for key, value in held.items() if isinstance(held, Mapping) and depth else ():
        yield from _keys(value, depth - 1)
        yield str(key), value
