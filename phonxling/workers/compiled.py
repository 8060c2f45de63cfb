"""Where compiled code is kept between runs, and that it is being compiled."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from types import ModuleType

_VARIABLE = "NUMBA_CACHE_DIR"
_ONCE = "compiling, which is done once on a machine and takes seconds, or a minute for a map"
_AGAIN = (
    "compiling, which takes seconds, or a minute for a map; "
    f"let {_VARIABLE} name a folder that can be written to, and it is done once"
)
_OURS: list[str] = []  # made by this process


def keep_compiled_code() -> None:
    """Give Numba a temporary folder where it has no other: it refuses to work without one that it can write to.

    So it is for a user without a home who may not write where this package is installed, as in many containers. The
    folder is ours alone, since whoever writes there decides what is run; it goes when this process ends.
    """
    if os.name != "posix" or _VARIABLE in os.environ or any(map(_writable, _places())):
        return
    folder = tempfile.mkdtemp(prefix="phonxling-")
    os.environ[_VARIABLE] = folder  # for the processes that we start, too
    _OURS.append(folder)
    atexit.register(remove_compiled_code)


def remove_compiled_code() -> None:
    """Remove the temporary folder, if there is one: at the end of the process, or before one that ends at once."""
    while _OURS:
        shutil.rmtree(_OURS.pop(), ignore_errors=True)


def keep_compiled(package: ModuleType, functions: Iterable[str]) -> None:
    """Let Numba keep what it compiles of functions that a package compiles in every process.

    A name that is not there, or is no function of Numba, is left alone, and so is one whose code cannot be kept: it is
    compiled in every process as before. Two functions of one source would share what is kept: name one of them only.
    """
    for name in functions:
        with suppress(AttributeError, RuntimeError):
            function = attrgetter(name)(package)
            if function.stats.cache_path is None:
                function.enable_caching()


@contextmanager
def saying_what_compiles(say: Callable[[str], None]) -> Iterator[None]:
    """Say, once, that our own code is being compiled, when it is: for seconds in which nothing else happens."""
    from numba.core import event

    class Listener(event.Listener):
        waiting = True

        def on_start(self, compiled: event.Event) -> None:
            ours = compiled.data["dispatcher"].py_func.__module__.startswith(__name__.partition(".")[0])
            if ours and self.waiting:
                self.waiting = False
                say(_AGAIN if _OURS else _ONCE)

        def on_end(self, compiled: event.Event) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def _places() -> list[Path]:
    """Return where Numba looks: beside the code, and in the user's folder."""
    caches = os.environ.get("XDG_CACHE_HOME")
    return [Path(__file__).parent, Path(caches) if caches else Path(os.path.expanduser("~")) / ".cache"]  # noqa: PTH111 - never fails


def _writable(place: Path) -> bool:
    """Return whether a folder can be written to, or made."""
    while not place.exists() and place != place.parent:
        place = place.parent
    return os.access(place, os.W_OK | os.X_OK)
