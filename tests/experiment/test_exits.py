"""How a command ends, also one that answers nothing; what it changes of its process is put back."""

import gc
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.exits import run_to_exit

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system ends a process so on Linux alone")
STUCK = """
import ctypes
from phonxling.exits import run_to_exit

def wait_for_ever():
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)  # PyDLL holds the interpreter's lock
    print("begun", flush=True)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)

run_to_exit(wait_for_ever)
"""


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
    assert signal.set_wakeup_fd(-1) == -1


def stuck() -> subprocess.Popen[str]:
    """Return a command whose compiled code does not return, once it waits there."""
    process = subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":  # asleep
        time.sleep(0.01)
    return process


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_a_command_that_answers_nothing(number: signal.Signals) -> None:
    with stuck() as process:
        process.send_signal(number)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)  # the first is for Python, which does not hear it
        process.send_signal(number)
    assert process.returncode == -number


@LINUX
@pytest.mark.slow
def test_one_signal_ends_a_command_that_answers_nothing_for_ten_seconds() -> None:
    with stuck() as process:
        process.send_signal(signal.SIGTERM)
    assert process.returncode == -signal.SIGALRM


@LINUX
@pytest.mark.parametrize(("option", "name"), [("-v", "AS"), ("-d", "DATA")])
def test_little_memory_is_refused_before_libraries_are_imported(option: str, name: str) -> None:
    import resource

    limit = getattr(resource, f"RLIMIT_{name}")
    done = subprocess.run(
        [sys.executable, "-m", "phonxling", "check", "nowhere.yaml"],
        preexec_fn=lambda: resource.setrlimit(limit, (10**9, 10**9)),
        capture_output=True,
        text=True,
        check=False,
    )
    needed = f"{2_500 + 20 * len(os.sched_getaffinity(0)):,} MB"
    begin = f"error: this process may have 1,000 MB of memory (ulimit {option}) and needs {needed}, whatever the data: "
    assert done.stderr == f"{begin}say ulimit {option} unlimited, or run where that is allowed; see docs/scale.md\n"
    assert done.returncode == 1
