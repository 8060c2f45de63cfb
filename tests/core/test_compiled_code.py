"""Numba has a place for its code, or gets one that is nobody else's; and what is said while code is compiled."""

import os
import shutil
from pathlib import Path
from types import ModuleType

import numba
import pytest
from running import python

import phonxling
from phonxling.core.compiled import keep_compiled, saying_what_compiles

_SCORED = """\
import os, stat
from pathlib import Path
import phonxling as px
corpus = px.load_corpus([["a", "b"], ["k"]], [["a", "p"], ["g"]])
aligned = px.align_corpus(corpus, px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory))
print(px.count_confusions(aligned).counts.sum())
place = Path(os.environ.get("NUMBA_CACHE_DIR", ""))
print(place, stat.S_IMODE(place.stat().st_mode))
"""


@pytest.mark.slow  # everything is compiled anew
def test_where_nothing_can_be_kept_it_is_a_private_folder_that_goes_with_the_process(tmp_path: Path) -> None:
    """Neither the installation nor a home can be written to: `__pycache__` is a file, at which even root fails."""
    own = tmp_path / "phonxling"
    shutil.copytree(Path(phonxling.__file__).parent, own, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (own, *(path for path in own.iterdir() if path.is_dir())):
        (folder / "__pycache__").touch()
    nowhere = {"PYTHONPATH": str(tmp_path), "HOME": "/dev/null/x", "XDG_CACHE_HOME": "/dev/null/x"}
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | nowhere
    tokens, place, mode = python("-c", _SCORED, env=environment, cwd=tmp_path, check=True).stdout.split()
    assert float(tokens) == 3
    assert int(mode) == 0o700
    assert not Path(place).exists()
    scored = ["score", *(str(tmp_path / side) for side in ("gold.tsv", "predicted.tsv"))]
    for side, phones in (("gold", "a b"), ("predicted", "a p")):
        (tmp_path / f"{side}.tsv").write_text(f"utterance\tphones\n1\t{phones}\n", encoding="utf-8")
    done = python("-m", "phonxling", *scored, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "let NUMBA_CACHE_DIR name a writable folder" in " ".join(done.stderr.split())


def test_a_function_of_a_package_is_kept_and_what_is_none_is_left_alone() -> None:
    package = ModuleType("package")
    package.part = ModuleType("package.part")  # type: ignore[attr-defined]
    package.part.function = function = numba.njit(twice)
    package.part.nowhere = numba.njit(eval("lambda number: number"))  # noqa: S307 - a function without a file
    package.part.plain = twice
    for _ in range(2):
        keep_compiled(package, ["part.function", "part.nowhere", "part.plain", "part.missing", "missing.function"])
    assert function.stats.cache_path is not None
    assert package.part.nowhere.stats.cache_path is None
    assert (package.part.nowhere(2), package.part.plain(2)) == (2, 4)


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


def test_compiled_code_is_not_compiled_again() -> None:
    function = numba.njit(twice)
    function(1)
    said: list[str] = []
    with saying_what_compiles(said.append):
        function(1)
    assert said == []
