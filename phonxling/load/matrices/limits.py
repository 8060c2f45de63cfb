"""What a file may ask for before memory is taken for it, and libraries that are installed only on request."""

import importlib
import math
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from phonxling.core.errors import DataError, install_command

LARGEST = 1_000_000_000  # bytes of one utterance's matrix: 17 hours of 10 ms frames over 40 phones in float32
MOST_COLUMNS = 5_000
MOST_LABEL_BYTES = 8_000_000


def check_size(path: Path, name: str, shape: Sequence[int], dtype: np.dtype[np.generic]) -> None:
    """Raise DataError when a matrix would take more than 1 GB: a damaged file, or one that unpacks to very much."""
    size = math.prod(shape) * dtype.itemsize
    if size > LARGEST:
        msg = (
            f"{path}: '{name}' would take {size / 1e9:,.0f} GB, more than the {LARGEST / 1e9:.0f} GB that one utterance"
        )
        raise DataError(f"{msg} may; the file is damaged, or needs splitting into utterances")


def check_labels(path: Path, name: str, shape: Sequence[int], dtype: np.dtype[np.generic]) -> None:
    """Raise DataError when stored labels, or a stored frame shift, are more than a recogniser's columns could need."""
    number = math.prod(shape)
    if number > MOST_COLUMNS or number * dtype.itemsize > MOST_LABEL_BYTES:
        msg = f"{path}: '{name}' holds {number:,} values of {dtype.itemsize:,} bytes"
        raise DataError(f"{msg}; a recogniser has at most {MOST_COLUMNS:,} columns here")


def check_numbers(path: Path, name: str, dtype: np.dtype[np.generic]) -> None:
    """Raise DataError when an array holds anything but real numbers."""
    if dtype.kind not in "fiu":
        raise DataError(f"{path}: '{name}' cannot be read: it holds no real numbers but {dtype}")


def library(name: str, path: Path, what: str) -> ModuleType:
    """Return a module of the extra `formats`; DataError that says how to install it when it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        owner = name.partition(".")[0]
        raise DataError(f"{path}: {what} needs {owner}: {install_command('formats')}") from None
