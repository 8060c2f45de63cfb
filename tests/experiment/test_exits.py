"""How a command ends; what it changes of its process is put back."""

import gc
import io
import os
import signal
import sys

import pytest
from running import python

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.exits import run_to_exit

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process may have")


def fine() -> None:
    assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert sys.stdout.encoding == "utf-8"
    assert gc.get_threshold()[0] > 10_000


def bad_data() -> None:
    raise DataError("no phones")


def bad_usage() -> None:
    raise ConfigurationError("no such setting")


def no_memory() -> None:
    raise MemoryError


@pytest.mark.parametrize(("command", "code"), [(fine, 0), (bad_data, 1), (bad_usage, 2), (no_memory, 1)])
def test_handlers_and_streams_are_what_they_were(command: object, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1", errors="replace"))
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    thresholds = gc.get_threshold()
    if code:
        with pytest.raises(SystemExit) as caught:
            run_to_exit(command)
        assert caught.value.code == code
    else:
        run_to_exit(command)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert gc.get_threshold() == thresholds
    assert (sys.stdout.encoding, sys.stdout.errors) == ("latin-1", "replace")


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


INSTALLED, MODULE = "from phonxling.__main__ import script; script()", "from phonxling.cli import main; main()"


def ended(code: str, *arguments: str) -> tuple[int, str, str]:
    done = python("-c", code, *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("arguments", "code"), [(["schema"], 0), (["check", "nowhere.yaml"], 1), (["chek"], 2)])
def test_the_installed_command_ends_as_the_module_does(arguments: list[str], code: int) -> None:
    ours = ended(INSTALLED, *arguments)
    assert ours[0] == code
    assert ours == ended(MODULE, *arguments)


def test_what_waits_for_the_end_of_a_process_is_done() -> None:
    begun = "import atexit; from phonxling.exits import run_as_process"
    assert ended(f"{begun}; atexit.register(print, 'removed'); run_as_process(exit)") == (0, "removed\n", "")
