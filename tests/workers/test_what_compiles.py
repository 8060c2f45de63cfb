"""What is said while code is being compiled: once, of our own code alone, and not of code that was kept."""

import numba
import pytest

from phonxling.workers import compiled
from phonxling.workers.compiled import saying_what_compiles


def twice(number: int) -> int:
    return 2 * number


def said_of(module: str, monkeypatch: pytest.MonkeyPatch, calls: int = 2) -> list[str]:
    """Return what is said when a function of a module is called with so many types, each of which is compiled."""
    monkeypatch.setattr(twice, "__module__", module)
    function, said = numba.njit(twice), []
    with saying_what_compiles(said.append):
        for number in (1, 1.0)[:calls]:
            assert function(number) == 2
    function(1j)  # nobody listens any more
    return said


def test_our_own_code_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said_of("phonxling.made", monkeypatch) == [
        "compiling, which is done once on a machine and takes seconds, or a minute for a map"
    ]


@pytest.mark.slow
def test_other_code_is_not_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said_of("umap.made", monkeypatch) == []


def test_where_nothing_can_be_kept_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "compiles_anew", lambda: True)
    (said,) = said_of("phonxling.made", monkeypatch)
    assert "let NUMBA_CACHE_DIR name a folder that can be written to" in said


def test_compiled_code_is_not_compiled_again() -> None:
    function = numba.njit(twice)
    function(1)
    said: list[str] = []
    with saying_what_compiles(said.append):
        function(1)
    assert said == []
