"""The memory that a command needs before it has any data."""

import os
import sys

from phonxling.core.errors import DataError

LEAST, EACH_CORE = 2_500, 20  # MB of addresses, most of which are never filled; docs/scale.md says how measured


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
