"""Numba, which all kernels take from here: it refuses to work where it can keep compiled code in no folder."""

import os
from tempfile import TemporaryDirectory

import numba

__all__ = ["numba"]


def _probe() -> None: ...


try:
    numba.njit(cache=True)(_probe)
except RuntimeError:  # neither the package's folder nor the user's can be written: one that goes with the process
    _FOLDER = TemporaryDirectory(prefix="phonxling-")
    os.environ["NUMBA_CACHE_DIR"] = _FOLDER.name
    numba.config.reload_config()  # type: ignore[no-untyped-call]
