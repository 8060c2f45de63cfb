"""What a number depends on beside inputs and settings: this package's own source, libraries, the interpreter."""

import hashlib
import platform
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = (
    *("numpy", "numba", "scipy", "pandas", "scikit-learn", "umap-learn", "pynndescent", "panphon"),
    *("matplotlib", "jinja2"),
)


@cache
def versions() -> tuple[str, ...]:
    """Return the source's digest, the version of each library, of Python, and the kind of machine."""
    interpreter = f"python {sys.version_info.major}.{sys.version_info.minor}"
    machine = f"{platform.system()} {platform.machine()}"
    return own_source(), interpreter, machine, *(f"{name} {version(name)}" for name in _LIBRARIES)


@cache
def own_source() -> str:
    """Return the sha256 of this package's files, as they were when it was first asked for."""
    return source_digest(Path(__file__).parent.parent)


def source_digest(folder: Path) -> str:
    """Return the sha256 of a package's files: whoever edits one keeps nothing from before."""
    sha256 = hashlib.sha256()
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    for path in sorted(files):
        content = path.read_bytes()
        sha256.update(f"{path.relative_to(folder).as_posix()} {len(content)}:".encode())
        sha256.update(content)
    return sha256.hexdigest()
