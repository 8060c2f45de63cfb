"""How a command ends: errors as messages, interruptions, exit codes. What it changes of the process is put back."""

import atexit
import ctypes
import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from phonxling.core.errors import DataError, PhonxlingError, from_here
from phonxling.workers.at_work import SELDOM
from phonxling.workers.compiled import keep_compiled_code, remove_compiled_code

# The end of a command that no longer answers: the system ends it, whatever compiled code does meanwhile.


@contextmanager
def ended_by_the_system(numbers: Iterable[int]) -> Iterator[None]:
    """Let a second of these signals end the process at once, and a first one that is not answered, in ten seconds."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is None or not hasattr(library, "sysv_signal"):
        yield
        return
    handle_once, handle = library.sysv_signal, library.signal
    for function in (handle_once, handle):
        function.argtypes, function.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    for number in numbers:
        handle_once(number, handle(number, signal.SIG_DFL))
    before = handle(signal.SIGUSR1, ctypes.cast(library.alarm, ctypes.c_void_p))
    heard_before, pipe = _tell_of_signals()
    try:
        yield
    finally:
        signal.set_wakeup_fd(heard_before)
        answered()
        handle(signal.SIGUSR1, before)
        for end in pipe:
            os.close(end)


def _tell_of_signals() -> tuple[int, tuple[int, int]]:
    """Let the system send SIGUSR1 when a signal has arrived for Python; return what was set before, and the pipe."""
    import fcntl  # not on Windows

    pipe = os.pipe()
    os.set_blocking(pipe[1], False)
    fcntl.fcntl(pipe[0], fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe[0], fcntl.F_SETSIG, signal.SIGUSR1)
    fcntl.fcntl(pipe[0], fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    return signal.set_wakeup_fd(pipe[1], warn_on_full_buffer=False), pipe


def answered() -> None:
    """Let the process go on: Python has heard the signal and ends what it does by itself."""
    with suppress(AttributeError):  # on Windows
        signal.alarm(0)


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


class _Interrupted(BaseException):
    """Ctrl-C or a request to end; no error, so nothing but `run_to_exit` handles it."""


def run_to_exit(command: Callable[[], object]) -> None:
    """Run a command; an error is one message on standard error, and an exit code: 1 data, 2 usage."""
    with _interruptions(), _any_letters(), _one_thread_of_blas(), _garbage_collected_seldom():
        try:
            keep_compiled_code()
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


def _end_now(code: int) -> NoReturn:
    sys.stderr.flush()
    remove_compiled_code()
    os._exit(code)


@contextmanager
def _interruptions() -> Iterator[None]:
    """Make Ctrl-C and a request to end raise `_Interrupted`."""
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with ended_by_the_system(before):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _interrupt(number: int, _: object) -> None:
    answered()
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process as it stands
    raise _Interrupted(number)


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Let OpenBLAS, when it is imported, start no further threads, which take memory: a product is computed by one."""
    ours = "OPENBLAS_NUM_THREADS" not in os.environ
    if ours:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if ours:
            del os.environ["OPENBLAS_NUM_THREADS"]


@contextmanager
def _garbage_collected_seldom() -> Iterator[None]:
    """Look for garbage in cycles seldom: a command makes little of it, and looking took up to a fifth of its time."""
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)  # a process that ends gives back its memory anyway: garbage is not looked for once more
    try:
        yield
    finally:
        gc.set_threshold(*before)


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
