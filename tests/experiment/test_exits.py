"""How a command ends."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from running import python

from phonxling.cli import run_to_exit
from phonxling.core.errors import ConfigurationError, DataError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process may have")


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = python("-m", "phonxling", "schema", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert done.returncode == 1
    assert done.stderr == "error: standard output or a temporary file: cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, 0),
        (DataError("no phones"), 1),
        (ConfigurationError("no"), 2),
        (MemoryError(), 1),
        (OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300), 2),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_end_has_its_exit_code(
    error: BaseException | None, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1", errors="replace"))
    if error is None:
        run_to_exit(lambda: None)
        assert sys.stdout.encoding == "utf-8"
        return
    with pytest.raises(SystemExit) as caught:
        run_to_exit(Mock(side_effect=error))
    assert caught.value.code == code
    assert capsys.readouterr().err.count("\n") == 1


INTERRUPTED_IMPORT = """
import sys
from phonxling.__main__ import script


class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "phonxling.cli":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Interrupting())
script()
"""


def test_an_interruption_while_libraries_are_imported_is_one_line() -> None:
    done = python("-c", INTERRUPTED_IMPORT)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


@LINUX
@pytest.mark.parametrize(("option", "name"), [("-v", "AS"), ("-d", "DATA")])
def test_little_memory_is_refused_before_libraries_are_imported(option: str, name: str) -> None:
    import resource

    limit = getattr(resource, f"RLIMIT_{name}")
    little = {"preexec_fn": lambda: resource.setrlimit(limit, (10**9, 10**9))}
    done = python("-m", "phonxling", "check", "nowhere.yaml", **little)
    needed = f"{2_500 + 20 * len(os.sched_getaffinity(0)):,} MB"
    begin = f"error: this process may have 1,000 MB of memory (ulimit {option}) and needs {needed}, whatever the data: "
    assert done.stderr == f"{begin}say ulimit {option} unlimited, or run where that is allowed; see docs/scale.md\n"
    assert done.returncode == 1
