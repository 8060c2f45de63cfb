"""Folders of results that are compared: their names, and their tables, which must be as their manifest says."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.core.errors import DataError
from phonxling.core.files import digest
from phonxling.store.folder import MANIFEST
from phonxling.tables.files import read_table

KIND = "comparison"  # what a comparison's manifest says of itself


def checked_table(folder: Path, name: str, manifest: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table of results.

    Raises
    ------
    DataError
        If the manifest names no such table, or the file is missing or has other content than the manifest says.
    """
    path, wanted = folder / name, manifest["outputs"].get(name)
    if wanted is None:
        raise DataError(f"{folder / MANIFEST}: names no {name}, which a comparison needs; run the experiment again")
    if digest(path) != wanted:
        raise DataError(
            f"{path}: was changed after it was written (its sha256 is not the manifest's); run the experiment again"
        )
    return read_table(folder, name)


def distinct_names(folders: Sequence[Path]) -> list[str]:
    """Return the shortest endings of paths that tell them all apart.

    Examples
    --------
    >>> distinct_names([Path("/a/x/out"), Path("/a/y/out")]), distinct_names([Path("/a/x"), Path("/a/y")])
    (['x/out', 'y/out'], ['x', 'y'])
    """
    longest = max(len(folder.parts) for folder in folders)
    for length in range(1, longest + 1):
        names = ["/".join(folder.parts[-length:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names
