"""Functions that tests give to workers: other processes must be able to import them."""

import os
import signal
import time

import numpy as np
from threadpoolctl import threadpool_info

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.core.work import Record


def times(factor: int, number: int) -> Record:
    """Return factor · number, after a moment, and who computed it."""
    time.sleep(0.05)
    return {"product": np.array([factor * number]), "process": np.array([os.getpid()])}


def die_always(_: None, number: int) -> Record:
    """Die of the number 1."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": np.array([number])}


def refuse_odd(_: None, number: int) -> Record:
    """Return the number; an odd one is an error, the more at once the greater it is."""
    if number % 2:
        time.sleep(0.2 / number)
        raise DataError(f"{number} is odd")
    return {"number": np.array([number])}


def sum_of(posteriors: RawPosteriors, utterance: str) -> Record:
    """Return the sum of an utterance's frames."""
    return {"sum": np.asarray(posteriors.read(utterance)).sum(axis=0)}


def blas_threads(_: None, __: object) -> Record:
    """Return by how many threads each library for matrix products computes, here and now."""
    return {"threads": np.array([found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"])}
