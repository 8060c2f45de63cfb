"""Where compiled code is kept: beside the code or in the user's folder, else in a temporary one for this process."""

import atexit
import os
import shutil
import tempfile

_VARIABLE = "NUMBA_CACHE_DIR"
_TEMPORARY: list[str] = []  # made by this process


def keep_compiled_code() -> None:
    """Give Numba a temporary folder where it can write to no other: it refuses to work without one."""
    import numba  # takes a third of a second

    try:
        numba.njit(cache=True)(_tried)
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="phonxling-")
        os.environ[_VARIABLE] = folder  # for the processes that we start, too
        numba.config.reload_config()  # type: ignore[no-untyped-call]
        _TEMPORARY.append(folder)
        atexit.register(remove_compiled_code)


def _tried() -> None: ...


def compiles_anew() -> bool:
    return bool(_TEMPORARY)


def remove_compiled_code() -> None:
    """Remove the temporary folder, if there is one: at the end of the process, or before one that ends at once."""
    while _TEMPORARY:
        shutil.rmtree(_TEMPORARY.pop(), ignore_errors=True)
