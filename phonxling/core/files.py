"""Files that are written whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from phonxling.core.errors import DataError


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically, as `write_parts` does."""
    write_parts(path, [content])


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file atomically, part after part: under another name in the same folder, then renamed.

    An interruption leaves nothing, nor does an error of whatever makes the parts.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or the disk is full.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with scratch.open("wb") as file:
                file.writelines(parts)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error
