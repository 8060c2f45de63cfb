"""How a command begins and ends: errors as messages, interruptions, exit codes. What it changes is put back.

Ctrl-C and a request to end raise `_Interrupted` where Python comes to it, which is when compiled code returns.
"""

import atexit
import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from phonxling.core.compiled import remove_compiled_code
from phonxling.core.errors import DataError, PhonxlingError, from_here
from phonxling.workers import SELDOM

LEAST, EACH_CORE = 2_500, 20  # MB of addresses, most of which are never filled; docs/scale.md says how measured
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


class _Interrupted(BaseException):
    """Ctrl-C or a request to end; no error, so nothing but `run_to_exit` handles it."""


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
    """Run a command; an error is one message on standard error, and an exit code: 1 data, 2 usage."""
    with _interruptions(), _any_letters(), _economy():
        try:
            command()
        except PhonxlingError as error:
            sys.stderr.write(f"error: {from_here(str(error))}\n")
            sys.exit(error.exit_code)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            what = error.filename or "standard output or a temporary file"
            sys.stderr.write(f"error: {what}: cannot be written: {error.strerror}\n")
            _end_now(1)  # Python would try to write what is left of the output once more, and complain
        except _Interrupted as interrupted:
            stored = "; what is finished is kept: run again to go on" if sys.argv[1:2] == ["run"] else ""
            sys.stderr.write(f"interrupted{stored}\n")
            sys.stdout.flush()
            _end_now(128 + interrupted.args[0])  # threads that compute are not waited for
        except MemoryError:
            sys.stderr.write("error: there is not enough memory for these data; see docs/scale.md for what they take\n")
            sys.exit(DataError.exit_code)


def run_as_process(command: Callable[[], object]) -> None:
    """Run a command and end its process: Python takes up to a fifth of a command to free each object by itself."""
    gc.set_threshold(*SELDOM)  # to the end, so that nothing looks for garbage once more
    try:
        command()
    except SystemExit as ended:
        atexit._run_exitfuncs()  # libraries remove their temporary files
        sys.stdout.flush()
        _end_now(ended.code if isinstance(ended.code, int) else 0)


def _end_now(code: int) -> NoReturn:
    sys.stderr.flush()
    remove_compiled_code()
    os._exit(code)


@contextmanager
def _interruptions() -> Iterator[None]:
    def interrupt(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)  # a second one ends the process as it stands
        raise _Interrupted(number)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def _economy() -> Iterator[None]:
    """Spare memory and time of this process.

    OpenBLAS, when it is imported, starts no further threads, which take memory: a product is computed by one. Garbage
    in cycles is looked for seldom: a command makes little of it, and looking took up to a fifth of its time.
    """
    ours, before = "OPENBLAS_NUM_THREADS" not in os.environ, gc.get_threshold()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if ours:
            del os.environ["OPENBLAS_NUM_THREADS"]


@contextmanager
def _any_letters() -> Iterator[None]:
    """Let standard output and error take IPA, and names of files of any bytes."""
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, io.TextIOWrapper)]
    before = [(stream.encoding, stream.errors) for stream in streams]
    for stream in streams:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        yield
    finally:
        for stream, (encoding, errors) in zip(streams, before, strict=True):
            with suppress(OSError, ValueError):  # a full disk is told of when Python ends
                stream.reconfigure(encoding=encoding, errors=errors)
