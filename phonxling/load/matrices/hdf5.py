"""Matrices in HDF5: a data set an utterance, in groups or not."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.matrices.labels import stored_labels, stored_shift
from phonxling.load.matrices.limits import check_numbers, check_size, library
from phonxling.load.matrices.reopened import Reopened
from phonxling.load.matrices.stored import Stamp


def open_hdf5(path: Path) -> RawPosteriors:
    """Return the two-dimensional data sets of a file; a data set in a group has the id `group_name`.

    The labels are the attribute or data set `phones` at the root, the frame shift likewise `frame_shift_s`. Links to
    other files are not followed.
    """
    library("h5py", path, "HDF5")
    try:
        stamp = Stamp.of(path)
        file = _opened(path)
        names = _data_sets(file)
        labels, shift = (_stored(file, name) for name in ("phones", "frame_shift_s"))
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise DataError(f"{path}: not a readable HDF5 file: {error}") from error
    ids = {name.replace("/", "_"): name for name in names}
    if len(ids) < len(names):
        raise DataError(f"{path}: two data sets would both be the same utterance, for '/' is written '_' in ids")
    return RawPosteriors(
        source=str(path),
        labels=() if labels is None else stored_labels(path, labels),
        utterances=tuple(ids),
        read=Reopened(path, _opened, partial(_read, ids), file, stamp),
        files=(path,),
        frame_shift=None if shift is None else stored_shift(path, shift),
    )


def _opened(path: Path) -> Any:  # noqa: ANN401 - h5py has no types
    return library("h5py", path, "HDF5").File(path, "r")


def _data_sets(file: Any) -> list[str]:  # noqa: ANN401
    names: list[str] = []
    file.visititems(lambda name, item: names.append(name) if hasattr(item, "shape") else None)
    return [name for name in names if name not in {"phones", "frame_shift_s"}]


def _stored(file: Any, name: str) -> object | None:  # noqa: ANN401
    if name not in file.attrs and not (name in file and hasattr(file[name], "shape")):
        return None
    values = np.asarray(file.attrs[name] if name in file.attrs else file[name][()])
    texts = values.dtype.kind in "OS"  # strings come as objects: bytes from data sets, str from attributes
    return (
        np.vectorize(lambda text: text.decode() if isinstance(text, bytes) else str(text))(values) if texts else values
    )


def _read(ids: dict[str, str], path: Path, file: Any, name: str) -> Frames:  # noqa: ANN401
    try:
        stored = file[ids[name]]
        check_numbers(path, name, stored.dtype)
        check_size(path, name, stored.shape, stored.dtype)
        return np.asarray(stored[()])
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
