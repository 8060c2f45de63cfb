"""Matrix products whose last bits do not depend on the machine's number of cores.

OpenBLAS, and others, cut a product into as many parts as they have threads, and the order of a float sum goes with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import scipy.linalg  # noqa: F401 - brings a library of its own, which must be there when threads are limited
from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Let matrix products be computed by one thread each, in the whole process, until this ends."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@cache
def one_thread_from_now_on() -> None:
    """Do so until the process ends: for those that do nothing but shards."""
    threadpool_limits(limits=1, user_api="blas")
