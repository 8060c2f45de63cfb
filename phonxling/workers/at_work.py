"""How a process is set that computes or draws: garbage is looked for seldom, and freed memory is kept for what follows.

Both are for processes that we start, and for commands: a Python session of a user's stays as it is.
"""

import ctypes
import gc
import os
import sys
from contextlib import suppress

SELDOM = (50_000, 20, 100)  # objects between two looks for garbage, and how many looks leave out what is older
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # what glibc's mallopt calls its options
_KEPT = ((_MMAP_THRESHOLD, 32 << 20), (_TRIM_THRESHOLD, 64 << 20))
_BY_USER = {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"}


def set_for_work() -> None:
    """Set this process for work, until it ends."""
    gc.set_threshold(*SELDOM)
    keep_freed_memory()


def keep_freed_memory() -> None:
    """Let the C library keep what is freed of arrays, up to 64 MB, for the next ones; unless the user has chosen."""
    if sys.platform == "linux" and not _BY_USER & os.environ.keys():
        with suppress(AttributeError):
            library = ctypes.CDLL(None)
            for option, size in _KEPT:
                library.mallopt(option, size)
