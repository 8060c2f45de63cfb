"""Matrices in safetensors: a tensor an utterance."""

from pathlib import Path
from typing import Any

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.matrices.labels import stored_labels, stored_shift
from phonxling.load.matrices.limits import library
from phonxling.load.matrices.reopened import Reopened


def open_safetensors(path: Path) -> RawPosteriors:
    """Return a file's tensors under their names; its metadata may hold `phones` (a JSON list) and `frame_shift_s`."""
    safetensors = library("safetensors", path, "safetensors")
    try:
        file = _opened(path)
    except (OSError, safetensors.SafetensorError) as error:
        raise DataError(f"{path}: not a readable safetensors file: {error}") from error
    metadata = file.metadata() or {}
    return RawPosteriors(
        source=str(path),
        labels=stored_labels(path, metadata["phones"]) if "phones" in metadata else (),
        utterances=tuple(file.keys()),
        read=Reopened(path, _opened, _read, file),
        files=(path,),
        frame_shift=stored_shift(path, metadata["frame_shift_s"]) if "frame_shift_s" in metadata else None,
    )


def _opened(path: Path) -> Any:  # noqa: ANN401 - the library has no types
    return library("safetensors", path, "safetensors").safe_open(path, framework="np")


def _read(path: Path, file: Any, name: str) -> Frames:  # noqa: ANN401
    kind = file.get_slice(name).get_dtype()
    if kind == "BF16":
        raise DataError(f"{path}: '{name}' is of the type bfloat16, which NumPy lacks; save it as float16 or float32")
    try:
        return np.asarray(file.get_tensor(name))
    except (TypeError, ValueError, OSError) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
