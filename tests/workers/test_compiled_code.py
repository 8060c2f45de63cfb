"""Numba has a place for its code, or gets one that is nobody else's."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numba
import pytest

import phonxling.workers.compiled as compiled
from phonxling.workers.compiled import keep_compiled, keep_compiled_code

_SHOWN = """\
import os, stat
from pathlib import Path
from phonxling.workers import compiled
compiled._places = lambda: []
compiled.keep_compiled_code()
place = Path(os.environ["NUMBA_CACHE_DIR"])
print(place, stat.S_IMODE(place.stat().st_mode))
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere Numba finds a place itself")
def test_without_a_place_to_write_it_is_a_private_folder_that_goes_with_the_process() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", _SHOWN], env=environment, capture_output=True, text=True, check=True
    )
    place, mode = done.stdout.split()
    assert int(mode) == 0o700
    assert not Path(place).exists()


_INTERRUPTED = """\
import os, signal, sys
from phonxling import cli
from phonxling.workers import compiled
compiled._places = lambda **_: []

def app(**_):
    print(os.environ["NUMBA_CACHE_DIR"], flush=True)
    os.kill(os.getpid(), signal.SIGINT)

cli.app = app
cli.main()
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere Numba finds a place itself")
def test_the_private_folder_goes_when_the_command_line_is_interrupted() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", _INTERRUPTED], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
    assert not Path(done.stdout.strip()).exists()


def test_nothing_is_done_where_there_is_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(compiled, "_places", lambda: [tmp_path / "not" / "made" / "yet"])
    keep_compiled_code()
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_a_function_of_a_package_is_kept_and_what_is_none_is_left_alone() -> None:
    package = ModuleType("package")
    package.part = ModuleType("package.part")  # type: ignore[attr-defined]
    package.part.function = function = numba.njit(_doubled)
    package.part.nowhere = numba.njit(eval("lambda number: number"))  # noqa: S307 - a function without a file
    package.part.plain = _doubled
    for _ in range(2):
        keep_compiled(package, ["part.function", "part.nowhere", "part.plain", "part.missing", "missing.function"])
    assert function.stats.cache_path is not None
    assert package.part.nowhere.stats.cache_path is None
    assert (package.part.nowhere(2), package.part.plain(2)) == (2, 4)


def _doubled(number: int) -> int:
    return 2 * number


_FITTED = """\
import sys
import numpy as np
if sys.argv[1] != "later":
    import umap
from phonxling.analyses import projection as umap_plane
if sys.argv[1] == "anew":
    umap_plane._COMPILED = ("layouts.renamed",)
drawn = np.random.default_rng(1)
plane = umap_plane.umap_plane(drawn.random((30, 5)), drawn.random((7, 5)), 5, 20)
from pynndescent import rp_trees
from umap.umap_ import compute_membership_strengths, smooth_knn_dist
print(sum(smooth_knn_dist.stats.cache_hits.values()), len(rp_trees.euclidean_hub_split.signatures))
print(len(compute_membership_strengths.signatures))
print(plane[0].tobytes().hex(), plane[1].tobytes().hex())
"""


@pytest.mark.slow  # umap compiles itself for several seconds
def test_umap_gives_the_same_from_code_compiled_anew_or_kept_and_without_what_it_does_not_call() -> None:
    anew, _, kept, later = (_fitted(way) for way in ("anew", "kept", "kept", "later"))
    assert int(anew[0]) == 0
    assert int(kept[0]) > 0
    assert kept[3:] == anew[3:] == later[3:]
    assert (int(kept[1]) > 0, later[1], later[2]) == (True, "0", "1")


def _fitted(way: str) -> list[str]:
    command = [sys.executable, "-c", _FITTED, way]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()  # noqa: S603 - ourselves
