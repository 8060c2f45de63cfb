"""Functions with signatures are compiled when they are needed, and by these alone."""

import math
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numba
import numpy as np
import pytest

from phonxling.workers.compiled import compiled_when_called


def squared(number: int) -> int:
    return number * number


def defined(given: object, postponed: bool = True) -> Any:  # noqa: ANN401 - of Numba, which has no types
    if not postponed:
        return numba.njit(given)(squared)
    with compiled_when_called():
        return numba.njit(given)(squared)


@pytest.mark.parametrize("given", ["i4(i8)", ["i4(i8)", "f4(f8)"], (numba.int16,), numba.float32(numba.int32)])
@pytest.mark.parametrize("argument", [3, 70_000, 2.5, np.int16(9)])
def test_a_function_has_its_signatures_and_results_when_it_is_called(given: object, argument: float) -> None:
    """A result that is too large for a signature's type is cut off to it, so other types are other results."""
    ours, at_once = defined(given), defined(given, postponed=False)
    assert (ours.signatures, len(at_once.signatures)) == ([], len(given) if isinstance(given, list) else 1)
    assert outcome(ours, argument) == outcome(at_once, argument)
    assert ours.signatures == at_once.signatures
    assert outcome(ours, argument) == outcome(at_once, argument)


def outcome(function: Any, argument: float) -> object:  # noqa: ANN401
    try:
        return function(argument)
    except TypeError:
        return TypeError


def test_it_is_compiled_when_another_function_needs_it() -> None:
    inner = defined("i4(i8)")
    outer = numba.njit(lambda number: inner(number) + 1)
    assert outer(70_000) == inner(70_000) + 1 == defined("i4(i8)", postponed=False)(70_000) + 1
    assert inner.signatures == [(numba.int64,)]


with compiled_when_called():

    @numba.njit(["i4(i4)", "i8(i8)"])
    def factorial(number: int) -> int:
        return number * factorial(number - 1) if number > 1 else 1


def test_a_function_may_call_itself_and_be_compiled_again() -> None:
    for _ in range(2):
        assert (factorial(np.int32(5)), factorial(20), len(factorial.signatures)) == (120, math.factorial(20), 2)
        factorial.recompile()


def test_threads_that_call_it_at_once_have_one_result() -> None:
    function, together = defined("i4(i8)"), Barrier(4)

    def called(_: int) -> int:
        together.wait()
        return int(function(70_000))

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(called, range(4))) == {defined("i4(i8)", postponed=False)(70_000)}


def test_what_has_no_signature_is_numbas_and_so_is_njit_in_the_end() -> None:
    original = numba.njit
    with compiled_when_called():
        functions = [numba.njit(squared), numba.njit(fastmath=True)(squared), numba.njit()(squared)]
    assert numba.njit is original
    assert [function(2.5) for function in functions] == [6.25] * 3
    assert functions[1].targetoptions["fastmath"] is True
