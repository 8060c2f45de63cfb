"""Compiled code: that it is being compiled, and when; and who has the same.

Functions that a library gives signatures to are compiled where they are first called, not where they are defined.
Workers on other machines must have the versions of this one, or might give other numbers.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any

from phonxling.core.compiled import compiles_anew
from phonxling.core.errors import ConfigurationError, join_problems, replaced
from phonxling.store.content import own_source
from phonxling.version import __version__

_ONCE = "compiling, which is done once on a machine and takes seconds, or a minute for a map"
_AGAIN = (
    "compiling, which takes seconds, or a minute for a map; "
    "let NUMBA_CACHE_DIR name a writable folder, and it is done once"
)
_LIBRARIES = ("numpy", "numba", "scipy")  # on which numbers may rest to the last bit


def keep_compiled(package: ModuleType, functions: Iterable[str]) -> None:
    """Let Numba keep what it compiles of functions that a package compiles in every process."""
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
                say(_AGAIN if compiles_anew() else _ONCE)

        def on_end(self, compiled: event.Event) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


@contextmanager
def compiled_when_called() -> Iterator[None]:
    """Let what is imported here, and is given signatures by `numba.njit`, be compiled when it is first needed."""
    from phonxling.core.jit import numba

    with replaced(numba, "njit", _postponing):
        yield


def _postponing(njit: Callable[..., Any]) -> Callable[..., Any]:
    def decorator(given: object = None, *settings: object, **options: object) -> Any:  # noqa: ANN401 - as njit's
        if given is None or isinstance(given, FunctionType):
            return njit(given, *settings, **options)
        signatures = given if isinstance(given, list) else [given]
        return lambda function: _postponed(njit(None, *settings, **options)(function), signatures)

    return decorator


def _postponed(function: Any, signatures: list[object]) -> Any:  # noqa: ANN401 - of Numba, which has no types
    """Return a function of Numba that compiles its signatures, and no others, when it would compile its first one."""
    from numba.core.compiler_lock import global_compiler_lock

    if isinstance(function, FunctionType):  # as it is where Numba compiles nothing
        return function
    waiting, at_once = list(signatures), function.compile

    def when_needed(signature: object) -> Any:  # noqa: ANN401
        with global_compiler_lock:
            if waiting and not function.is_compiling:  # of one that calls itself
                for each in waiting:
                    at_once(each)
                function.disable_compile()
                waiting.clear()
            return at_once(signature) if function._can_compile else function  # to be called anew

    function.compile = when_needed
    return function


def installed() -> dict[str, str]:
    """Return the versions on which numbers may rest, and the beginning of the sha256 of this package's source."""
    own = {"phonxling": __version__, "its source": own_source()[:12]}
    return own | {name: version(name) for name in _LIBRARIES}


def check_workers(client: Any, name: str) -> None:  # noqa: ANN401 - Dask has no types
    """Raise ConfigurationError when workers of a scheduler have other versions than this process."""
    own, problems = installed(), list[str]()
    with warnings.catch_warnings(action="ignore"):
        by_worker = client.run(installed, on_error="return")
    for worker, versions in by_worker.items():
        if isinstance(versions, BaseException):
            problems.append(f"{worker}: cannot be asked, is phonxling installed there? ({versions})")
        elif other := _differences(versions, own):
            problems.append(f"{worker}: {other}")
    _refuse(name, problems)


def check_here(worker: str, wanted: dict[str, str]) -> None:
    """Raise ConfigurationError when this process, a worker, has other versions than are wanted."""
    if other := _differences(_installed_once(), wanted):
        _refuse(worker, [other])


_installed_once = cache(installed)


def _refuse(name: str, problems: list[str]) -> None:
    if problems:
        headline = f"{name}: workers have other versions, and might give other numbers:"
        raise ConfigurationError(join_problems(headline, problems, "Install the same on all machines.", limit=10))


def _differences(other: dict[str, str], here: dict[str, str]) -> str:
    return ", ".join(f"{name} {other.get(name)}, here {here[name]}" for name in here if other.get(name) != here[name])
