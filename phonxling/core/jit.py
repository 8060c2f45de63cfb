"""Numba, which all kernels take from here: it refuses to work where it can keep compiled code in no folder."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import numba
from numba.core.event import Event, Listener, install_listener

__all__ = ["CompileClock", "numba", "time_compiling"]


def _probe() -> None: ...


try:
    numba.njit(cache=True)(_probe)
except RuntimeError:  # neither the package's folder nor the user's can be written: one that goes with the process
    _FOLDER = TemporaryDirectory(prefix="phonxling-")
    os.environ["NUMBA_CACHE_DIR"] = _FOLDER.name
    numba.config.reload_config()  # type: ignore[no-untyped-call]


class CompileClock(Listener):
    """The seconds in which kernels of this package were compiled; those of other libraries do not count."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._began = 0, 0.0

    def on_start(self, event: Event) -> None:
        if _is_own(event):
            # A kernel that calls others has them compiled meanwhile: its own time has theirs in it.
            self._began = self._began if self._depth else time.perf_counter()
            self._depth += 1

    def on_end(self, event: Event) -> None:
        if _is_own(event):
            self._depth -= 1
            self.seconds += 0.0 if self._depth else time.perf_counter() - self._began


def _is_own(event: Event) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith("phonxling.")


@contextmanager
def time_compiling() -> Iterator[CompileClock]:
    """Yield a clock that goes while kernels are compiled, not while compiled ones are loaded."""
    with install_listener("numba:compile", clock := CompileClock()):
        yield clock
