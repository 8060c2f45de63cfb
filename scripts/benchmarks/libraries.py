"""Peers that may or may not be installed."""

import importlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

DISTRIBUTIONS = {
    "Bio.Align": "biopython",
    "kaldialign": "kaldialign",
    "rapidfuzz.distance": "rapidfuzz",
    "rapidfuzz": "rapidfuzz",
    "parasail": "parasail",
    "edlib": "edlib",
    "polyleven": "polyleven",
    "polars": "polars",
    "duckdb": "duckdb",
    "panphon.distance": "panphon",
    "torch": "torch",
    "torchaudio.functional": "torchaudio",
}
_OURS = ("phonxling", "numba", "numpy", "scipy", "pandas")


def library(name: str) -> tuple[ModuleType | None, str]:
    """Return a module, or None and what to do to have it."""
    try:
        return importlib.import_module(name), ""
    except ImportError:
        return None, f"not installed: pip install {DISTRIBUTIONS[name]}"


def versions() -> dict[str, str]:
    """Return the versions of Python, of our libraries and of the peers that are installed, and the number of cores."""
    found = {"python": platform.python_version()}
    for name in dict.fromkeys((*_OURS, *DISTRIBUTIONS.values())):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "cores": str(os.cpu_count())}
