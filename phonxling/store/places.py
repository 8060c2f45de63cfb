"""The folders that results are written into: none of them may be a link, or files would be written elsewhere."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import real_path

CACHE = ".cache"  # what is stored for a next run
_SHOWN = 10  # links


def refuse_links(folder: Path, corpora: Iterable[str]) -> None:
    """Raise DataError when a folder that is written into is a link: for all who write, once they have the folder.

    These are the folders of the corpora, of figures and tables, and all of `.cache`. A file that is a link is replaced
    when it is written, and what it leads to stays. The folder of results itself may be a link: its user named it.
    """
    tops = [folder / name for name in ("figures", "tables", CACHE, *corpora)]
    links = [path for path in tops if path.is_symlink() or not real_path(path).is_relative_to(real_path(folder))]
    below = (entry for top in tops if top not in links for entry in _entries(top))
    links += [path for path in below if path.is_symlink() and not path.is_file()]
    if links:
        shown = [f"{path.relative_to(folder)} leads to {real_path(path)}" for path in links]
        headline = f"{folder}: folders that results are written into are links:"
        remedy = "Remove these links (what they lead to stays as it is), or choose another folder for the results."
        raise DataError(join_problems(headline, shown, remedy, limit=_SHOWN))


def _entries(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))
