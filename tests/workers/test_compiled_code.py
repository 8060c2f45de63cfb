"""Numba has a place for its code, or gets one that is nobody else's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import phonxling.workers.compiled as compiled
from phonxling.workers.compiled import keep_compiled_code

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
compiled._places = lambda: []

def app():
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
