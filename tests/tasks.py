"""Functions that tests give to workers: other processes must be able to import them."""

import ctypes
import gc
import os
import signal
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_info

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.core.work import Record
from phonxling.workers.processes import Processes


def times(factor: int, number: int) -> Record:
    """Return factor · number, after a moment, and who computed it."""
    time.sleep(0.05)
    return {"product": np.array([factor * number]), "process": np.array([os.getpid()])}


def how_it_is_set(_: None, __: int) -> Record:
    """Return how seldom garbage is looked for."""
    return {"garbage": np.array(gc.get_threshold())}


def die_once(marks: Path, number: int) -> Record:
    """Return the number; the first time that it is 3, die as by kill -9."""
    if number == 3 and not (marks / "died").exists():
        (marks / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": np.array([number])}


def die_always(_: None, number: int) -> Record:
    """Die of the number 1."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": np.array([number])}


def wait_for_ever(marks: Path, number: int) -> Record:
    """Hold a lock on the file of this number, and neither return nor let Python do anything else."""
    import fcntl  # not on Windows

    held = (marks / f"{number}").open("w")
    fcntl.flock(held, fcntl.LOCK_EX)
    (marks / f"{number} is held").touch()
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)
    return {}


def give_work_without_end(marks: Path) -> None:
    """Let two processes wait for ever."""
    with Processes(2) as work:
        list(work.map(wait_for_ever, marks, range(2)))


def refuse_odd(_: None, number: int) -> Record:
    """Return the number; an odd one is an error, the more at once the greater it is."""
    if number % 2:
        time.sleep(0.2 / number)
        raise DataError(f"{number} is odd")
    return {"number": np.array([number])}


def look_into(_: None, path: Path) -> Record:
    """Return how many bytes a file has."""
    return {"size": np.array([len(path.read_bytes())])}


def sum_of(posteriors: RawPosteriors, utterance: str) -> Record:
    """Return the sum of an utterance's frames."""
    return {"sum": np.asarray(posteriors.read(utterance)).sum(axis=0)}


def fail(_: None, number: int) -> Record:
    """Fail in a way that is no fault of the data."""
    raise ZeroDivisionError(f"task {number}")


def writeable(common: NDArray[np.int64], task: NDArray[np.int64]) -> Record:
    """Return the sums of both."""
    return {"sum": common + task}


def blas_threads(_: None, __: object) -> Record:
    """Return by how many threads each library for matrix products computes, here and now."""
    return {"threads": np.array([found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"])}
