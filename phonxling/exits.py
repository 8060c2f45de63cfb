"""How a command begins and ends: output that takes IPA, errors as messages, exit codes."""

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from phonxling.core.errors import DataError, PhonxlingError, from_here

LEAST, EACH_CORE = 2_500, 20  # MB of addresses, most of which are never filled; docs/scale.md says how measured
INTERRUPTED = 130  # as shells have it for Ctrl-C
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


def check_memory() -> None:
    """Refuse to begin where the process may have too little: libraries would end it, or ask for memory for ever."""
    if sys.platform != "linux":
        return
    import resource  # not on Windows

    needed = LEAST + EACH_CORE * len(os.sched_getaffinity(0))
    for option, limit in (("-v", resource.RLIMIT_AS), ("-d", resource.RLIMIT_DATA)):
        allowed, _ = resource.getrlimit(limit)
        if allowed != resource.RLIM_INFINITY and allowed < needed * 1_000_000:
            has, remedy = f"{allowed // 1_000_000:,} MB of memory (ulimit {option})", f"say ulimit {option} unlimited"
            raise DataError(
                f"this process may have {has} and needs {needed:,} MB, whatever the data: {remedy}, or run where "
                "that is allowed; see docs/scale.md"
            )


def run_to_exit(command: Callable[[], object]) -> None:
    """Run a command; what goes wrong is one message on standard error and an exit code: 1 data, 2 usage, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # IPA, and names of files of any bytes, whatever the terminal is set to
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        command()
    except PhonxlingError as error:
        _end(f"error: {from_here(str(error))}", error.exit_code)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        close_output()  # Python would try to write what is left of it once more, and complain
        what = error.filename or "standard output or a temporary file"
        _end(f"error: {what}: cannot be written: {error.strerror}", DataError.exit_code)
    except KeyboardInterrupt:
        end_interrupted()
    except MemoryError:
        told = "error: there is not enough memory for these data; see docs/scale.md for what they take"
        _end(told, DataError.exit_code)


def end_interrupted() -> NoReturn:
    """End the process after Ctrl-C."""
    _end("interrupted" + "; what is finished is kept: run again to go on" * (sys.argv[1:2] == ["run"]), INTERRUPTED)


def close_output() -> None:
    """Let nothing more be written to standard output, whose other end is closed or full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _end(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    sys.exit(code)
