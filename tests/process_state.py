"""What belongs to the process and not to one test: it must be after each test as it was before.

Not among it: filters of warnings, which pytest itself puts back, and Python's own random numbers, which libraries draw
from to spread out what they try again; nothing here depends on either.
"""

import gc
import locale
import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np

_SIGNALS = {f"signal {number.name}": int(number) for number in signal.Signals}
State = Mapping[str, object]
_OWN = {  # pytest writes here which test runs, in which phase; scikit-learn and threadpoolctl set theirs when imported
    "PYTEST_CURRENT_TEST",
    "KMP_INIT_AT_FORK",
    "KMP_DUPLICATE_LIB_OK",
}


def process_state() -> dict[str, object]:
    """Return all that a test could leave changed for the next one, by name."""
    kind, key, *more = np.random.get_state()  # noqa: NPY002 - the global one, which nobody may touch
    return {
        "current folder": Path.cwd(),
        "sys.path": list(sys.path),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.getprofile(), sys.flags),
        "locale": locale.setlocale(locale.LC_ALL),
        "garbage collection": (gc.isenabled(), gc.get_threshold()),
        "random state of numpy": (kind, key.tobytes(), more),
        "numpy's errors and printing": (np.geterr(), np.get_printoptions()),
        "matplotlib's settings": dict(dict.items(mpl.rcParams)),
        "root logger": (logging.root.level, list(logging.root.handlers), logging.root.manager.disable),
        **{name: signal.getsignal(number) for name, number in _SIGNALS.items()},
        **{f"environment variable {name}": value for name, value in os.environ.items() if name not in _OWN},
    }


def differences(before: State, after: State) -> list[str]:
    """Return a line for each part of the state that is not as it was."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [f"{name}: {_shown(before.get(name))} before, {_shown(after.get(name))} after" for name in names]


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) < 200 else f"{text[:200]}…"
