"""What the command line changes of its process is put back, however a command ends."""

import io
import signal
import sys

import pytest

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.exits import run_to_exit


def fine() -> None:
    assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert sys.stdout.encoding == "utf-8"


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
    if code:
        with pytest.raises(SystemExit) as caught:
            run_to_exit(command)
        assert caught.value.code == code
    else:
        run_to_exit(command)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert (sys.stdout.encoding, sys.stdout.errors) == ("latin-1", "replace")
