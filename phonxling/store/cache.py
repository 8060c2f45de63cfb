"""What is kept of finished work in a folder of results, below `.cache`: opened by a run, tidied at its end."""

from dataclasses import dataclass
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.progress import Progress
from phonxling.store.entries import Entries, files_of
from phonxling.store.records import Records

CACHE = ".cache"


@dataclass(frozen=True, eq=False)
class Cache:
    """The entries of tasks and the records of stages of one folder of results."""

    entries: Entries
    records: Records

    def tidy(self, progress: Progress) -> None:
        """Remove the tasks that the run now finished did not need, and tell how much is left."""
        progress.detail(f"{self.entries.prune() / 1e6:,.1f} MB of finished tasks are kept for a next run")


def open_cache(results: Path, progress: Progress, *, fresh: bool = False) -> Cache:
    """Return what earlier runs kept; nothing of it when `fresh`. The folder is made when there is something to keep."""
    folder = results / CACHE
    if fresh:
        _empty(folder)
    entries = Entries(folder / "tasks", progress.detail, progress.say)
    return Cache(entries, Records(folder, results))


def _empty(folder: Path) -> None:
    """Remove what this package keeps there, and nothing else; DataError when that cannot be done."""
    try:
        for path in (*folder.glob(f"{'[0-9a-f]' * 16}.json"), *files_of(folder / "tasks")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be emptied: {error.strerror}") from error
