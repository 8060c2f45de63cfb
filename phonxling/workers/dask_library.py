"""Dask (extra `distributed`), imported so that it writes nothing into the user's folders and prints nothing itself."""

import signal
from importlib import import_module
from types import ModuleType
from typing import Any

from phonxling.core.errors import ConfigurationError, install_command

TRIES = 3  # how often a task, or the connection, may be lost
_SILENT = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 GB",  # a task brings its utterances with it
    "distributed.scheduler.allowed-failures": TRIES,
    "distributed.scheduler.http.routes": [],  # pages for other programs, which nobody here reads
    "logging": dict.fromkeys(_SILENT, "critical"),  # what goes wrong is our message, not their tracebacks
}


def dask_library(name: str = "distributed") -> ModuleType:
    """Return Dask, or the part of this name; ConfigurationError that says how to install it when it is missing."""
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        dask: Any = import_module("dask.config")
        dask.PATH = __file__  # it copies its settings into the user's home, unless that is a file
        dask.set(_SETTINGS)
        return import_module(name)
    except ImportError as error:
        raise missing(error) from None
    finally:
        if signal.getsignal(signal.SIGINT) is not interrupted:  # dask-jobqueue would end us without a word
            signal.signal(signal.SIGINT, interrupted)


def missing(error: ImportError) -> ConfigurationError:
    """Return how to install what a cluster needs."""
    problem = f'a Dask cluster needs the extra "distributed" ({error.name or "cryptography"} is not installed)'
    return ConfigurationError(f"{problem}: {install_command('distributed')}")
