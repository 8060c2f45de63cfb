"""Functions of a library that are compiled where they are first called, not where they are defined."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from phonxling.core.interface.replaced import replaced


@contextmanager
def compiled_when_called() -> Iterator[None]:
    """Let what is imported here, and is given signatures by `numba.njit`, be compiled when it is first needed.

    Numba would compile it at once, needed or not. Each function has its signatures then as it would have now, so its
    results are the same.
    """
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
