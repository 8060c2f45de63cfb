"""The end of a command that no longer answers: the system ends it, whatever compiled code does meanwhile."""

import ctypes
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def ended_by_the_system(numbers: Iterable[int]) -> Iterator[None]:
    """Let a second of these signals end the process at once, and a first one that is not answered, in ten seconds.

    Python's handlers wait until compiled code returns, and some never does: where memory is short, OpenBLAS asks for it
    for ever. What is in C does not wait. So the C part of Python's handler is made to serve once for each signal; at
    the second one, the system does what it does by default: it ends the process. That C part also writes to a pipe,
    about which the system tells us by SIGUSR1; the handler of this is C's `alarm`, which is called with the number of
    the signal: 10. All this is done on Linux with the GNU C library; elsewhere nothing is.
    """
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
