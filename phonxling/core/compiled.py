"""Compiled code: where it is kept, and that it is being compiled.

It is kept beside the code or in the user's folder, else in a temporary one for this process. It is compiled where it
is first called, not where it is defined.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any

from phonxling.core.errors import replaced

_VARIABLE = "NUMBA_CACHE_DIR"
_TEMPORARY: list[str] = []  # made by this process
_ONCE = "compiling, which is done once on a machine and takes seconds, or a minute for a map"
_AGAIN = (
    "compiling, which takes seconds, or a minute for a map; "
    "let NUMBA_CACHE_DIR name a writable folder, and it is done once"
)


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


def remove_compiled_code() -> None:
    """Remove the temporary folder, if there is one: at the end of the process, or before one that ends at once."""
    while _TEMPORARY:
        shutil.rmtree(_TEMPORARY.pop(), ignore_errors=True)


def keep_compiled(package: ModuleType, functions: Iterable[str]) -> None:
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
                say(_AGAIN if _TEMPORARY else _ONCE)

        def on_end(self, compiled: event.Event) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


@contextmanager
def compiled_when_called() -> Iterator[None]:
    """Let what is imported here, and is given signatures by `numba.njit`, be compiled when it is first needed."""
    import numba

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
