"""The labels of a file's columns: given, in the file, or in a list beside it."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from phonxling.core.errors import DataError
from phonxling.load.text import is_number, read_lines
from phonxling.load.unreadable import is_file

BESIDE = "phones.txt"


def given_labels(labels: Path | Sequence[str] | None) -> tuple[str, ...]:
    """Return labels as given: a list, or a text file with one a line; none when there are none."""
    if isinstance(labels, Path):
        return tuple(text.strip() for _, text in read_lines(labels))
    return tuple(labels or ())


def labels_beside(path: Path) -> tuple[str, ...]:
    """Return the labels in the list beside a file (`x.phones.txt` for `x.npy`, else `phones.txt`), or in a folder."""
    return given_labels(next((file for file in files_beside(path) if is_file(file)), None))


def files_beside(path: Path) -> list[Path]:
    """Return where a list of labels may stand beside a file, or in a folder."""
    folder = path if path.is_dir() else path.parent
    return [folder / f"{path.stem}.{BESIDE}", folder / BESIDE]


def stored_labels(source: Path, values: object) -> tuple[str, ...]:
    """Return labels as a file stores them: an array of strings, or a JSON list; DataError when it is neither."""
    if isinstance(values, str):
        values = _from_json(source, values)
    try:
        array = np.asarray(values)
    except ValueError:  # lists of unequal length
        array = np.asarray(None)
    if array.ndim != 1 or array.dtype.kind not in "UTiu":
        raise DataError(f"{source}: `phones` must be a list of strings; it has the shape {array.shape}, {array.dtype}")
    try:
        return tuple(str(label) for label in array)
    except SystemError:  # NumPy's, for a number beyond Unicode in an array of text
        raise DataError(f"{source}: `phones` holds a letter that there is none of in Unicode") from None


def stored_shift(source: Path, values: object) -> float:
    """Return the frame shift as a file stores it, in seconds; DataError when it is not one number."""
    shift = np.asarray(float(values) if isinstance(values, str) and is_number(values) else values)
    if shift.size != 1 or shift.dtype.kind not in "fiu":
        raise DataError(f"{source}: `frame_shift_s` must be one number; it has the shape {shift.shape}, {shift.dtype}")
    return float(shift.reshape(-1)[0])


def _from_json(source: Path, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"{source}: `phones` must be a JSON list of strings, not {text[:60]!r}") from None
