"""Numba, which all kernels take from here: it refuses to work where it can keep compiled code in no folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import numba
from numba.core.event import Event, TimingListener, install_listener

__all__ = ["CompileClock", "numba", "time_compiling"]

try:
    numba.njit(lambda: None, cache=True)
except RuntimeError:  # neither the package's folder nor the user's can be written: one that goes with the process
    _FOLDER = TemporaryDirectory(prefix="phonxling-")
    os.environ["NUMBA_CACHE_DIR"] = _FOLDER.name
    numba.config.reload_config()  # type: ignore[no-untyped-call]


class CompileClock(TimingListener):
    """Times the compiling of kernels of this package, inner ones within outer ones; other libraries' do not count."""

    def on_start(self, event: Event) -> None:
        if _is_own(event):
            super().on_start(event)  # type: ignore[no-untyped-call]

    def on_end(self, event: Event) -> None:
        if _is_own(event):
            super().on_end(event)  # type: ignore[no-untyped-call]

    @property
    def seconds(self) -> float:
        return float(self.duration) if self.done else 0.0


def _is_own(event: Event) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith("phonxling.")


@contextmanager
def time_compiling() -> Iterator[CompileClock]:
    """Yield a clock that goes while kernels are compiled, not while compiled ones are loaded."""
    with install_listener("numba:compile", clock := CompileClock()):  # type: ignore[no-untyped-call]
        yield clock
