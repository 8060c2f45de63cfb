"""Files that are written whole or not at all."""

import os
from pathlib import Path

from phonxling.core.errors import DataError


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically: under another name in the same folder, then renamed. An interruption leaves nothing.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or the disk is full.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            scratch.write_bytes(content)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error
