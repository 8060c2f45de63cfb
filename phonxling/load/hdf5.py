"""Matrices in HDF5: a data set an utterance, in groups or not."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Frames, RawPosteriors
from phonxling.load.stored import RESERVED, Reopened, Stamp, check_size, library, raw_posteriors


def open_hdf5(path: Path) -> RawPosteriors:
    """Return the two-dimensional data sets of a file; a data set in a group has the id `group_name`."""
    library("h5py", path, "HDF5")
    try:
        stamp = Stamp.of(path)
        file = _opened(path)
        names = _data_sets(file)
        labels, shift = (_stored(path, file, name) for name in ("phones", "frame_shift_s"))
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path}: not a readable HDF5 file: {error}") from error
    ids = {name.replace("/", "_"): name for name in names}
    if len(ids) < len(names):
        raise DataError(f"{path}: two data sets would be one utterance, because '/' is written '_' in ids")
    return raw_posteriors(path, [*ids], Reopened(path, _opened, partial(_read, ids), file, stamp), labels, shift)


def _opened(path: Path) -> Any:  # noqa: ANN401 - h5py has no types
    return library("h5py", path, "HDF5").File(path, "r")


def _data_sets(file: Any) -> list[str]:  # noqa: ANN401
    names: list[str] = []

    def visit(name: str, item: Any) -> None:  # noqa: ANN401
        if getattr(item, "shape", None) is not None:
            names.append(name)

    file.visititems(visit)
    return [name for name in names if name not in RESERVED]


def _stored(path: Path, file: Any, name: str) -> NDArray[Any] | None:  # noqa: ANN401
    if name in file.attrs:
        attribute = file.attrs.get_id(name)
        check_size(path, name, attribute.shape or (), attribute.dtype, labels=True)
        values: NDArray[Any] = np.asarray(file.attrs[name])
    elif _is_own(file, name):
        _check_own(path, name, file[name])
        check_size(path, name, file[name].shape, file[name].dtype, labels=True)
        values = np.asarray(file[name][()])
    else:
        return None
    if values.dtype.kind not in "OS" or not all(isinstance(text, bytes | str) for text in values.flat):
        return values
    # strings come as objects: bytes from data sets, str from attributes
    texts = [text.decode() if isinstance(text, bytes) else str(text) for text in values.flat]
    return np.array(texts, dtype=np.str_).reshape(values.shape)


def _is_own(file: Any, name: str) -> bool:  # noqa: ANN401
    """Return whether a name is a data set of this file; links, which may lead to other files, are not followed."""
    link = file.get(name, getlink=True)
    return type(link).__name__ == "HardLink" and getattr(file[name], "shape", None) is not None


def _check_own(path: Path, name: str, stored: Any) -> None:  # noqa: ANN401
    """Raise DataError when a data set's numbers are in other files."""
    if stored.external or stored.is_virtual:
        raise DataError(f"{path}: '{name}' takes its numbers from other files; copy them into this one")


def _read(ids: dict[str, str], path: Path, file: Any, name: str) -> Frames:  # noqa: ANN401
    try:
        stored = file[ids[name]]
        _check_own(path, name, stored)
        if stored.dtype.kind not in "fiu":
            raise DataError(f"{path}: '{name}' cannot be read: it holds no real numbers but {stored.dtype}")
        for shape in (stored.shape, stored.chunks or ()):
            check_size(path, name, shape, stored.dtype)
        return np.asarray(stored[()])
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise DataError(f"{path}: '{name}' cannot be read: {error}") from error
