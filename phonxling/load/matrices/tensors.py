"""Matrices in safetensors: a tensor an utterance.

The library says whether a file is one; its tensors are read by us, for it maps the file (see `stored`).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.load.matrices.labels import stored_labels, stored_shift
from phonxling.load.matrices.limits import check_size, library
from phonxling.load.matrices.reopened import Reopened
from phonxling.load.matrices.stored import Stamp, StoredMatrix

_Opened = tuple[Stamp, int, dict[str, Any]]  # where the tensors begin; of each its type, shape, and bytes from there
_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def open_safetensors(path: Path) -> RawPosteriors:
    """Return a file's tensors under their names; its metadata may hold `phones` (a JSON list) and `frame_shift_s`."""
    safetensors = library("safetensors", path, "safetensors")
    try:
        stamp = Stamp.of(path)
        with safetensors.safe_open(path, framework="np") as file:
            names, metadata = tuple(file.keys()), file.metadata() or {}
        opened = _opened(path)
        stamp.check(path)
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise DataError(f"{path}: not a readable safetensors file: {error}") from error
    return RawPosteriors(
        source=str(path),
        labels=stored_labels(path, metadata["phones"]) if "phones" in metadata else (),
        utterances=names,
        read=Reopened(path, _opened, _tensor, opened, stamp),
        files=(path,),
        frame_shift=stored_shift(path, metadata["frame_shift_s"]) if "frame_shift_s" in metadata else None,
    )


def _opened(path: Path) -> _Opened:
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
