"""Workers on other machines must have the versions of this one, or might give other numbers."""

import warnings
from functools import cache
from importlib.metadata import version
from typing import Any

from phonxling.core.errors import ConfigurationError, join_problems
from phonxling.store.versions import own_source
from phonxling.version import __version__

_LIBRARIES = ("numpy", "numba", "scipy")  # on which numbers may rest to the last bit


def installed() -> dict[str, str]:
    """Return the versions on which numbers may rest, and the beginning of the sha256 of this package's source."""
    return {
        "phonxling": __version__,
        "its source": own_source()[:12],
        **{name: version(name) for name in _LIBRARIES},
    }


def check_workers(client: Any, name: str) -> None:  # noqa: ANN401 - Dask has no types
    """Raise ConfigurationError when workers of a scheduler have other versions than this process."""
    own, problems = installed(), list[str]()
    with warnings.catch_warnings(action="ignore"):
        by_worker = client.run(installed, on_error="return")
    for worker, versions in by_worker.items():
        if isinstance(versions, BaseException):
            problems.append(f"{worker}: cannot be asked, is phonxling installed there? ({versions})")
        elif other := _differences(versions, own):
            problems.append(f"{worker}: {other}")
    _refuse(name, problems)


def check_here(worker: str, wanted: dict[str, str]) -> None:
    """Raise ConfigurationError when this process, a worker, has other versions than are wanted."""
    if other := _differences(_installed_once(), wanted):
        _refuse(worker, [other])


def _refuse(name: str, problems: list[str]) -> None:
    if problems:
        headline = f"{name}: workers have other versions, and might give other numbers:"
        raise ConfigurationError(join_problems(headline, problems, "Install the same on all machines.", limit=10))


def _differences(other: dict[str, str], here: dict[str, str]) -> str:
    return ", ".join(f"{name} {other.get(name)}, here {here[name]}" for name in here if other.get(name) != here[name])


@cache
def _installed_once() -> dict[str, str]:
    return installed()
