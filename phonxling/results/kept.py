"""Finished steps of a run, kept in its folder, so that a run that was interrupted or is changed goes on from them.

A step is one function over all its tasks, such as the alignments of a corpus. It is found again by the hash of what its
numbers depend on: the function's name, what its tasks share, the tasks, this package's source and its libraries. A step
that holds what cannot be hashed is computed again each time.
"""

import pickle
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np

from phonxling.core.files import source_digest, writing
from phonxling.core.work import Common, Record, Task, Work

LIBRARIES = ("numpy", "numba", "scipy", "scikit-learn", "umap-learn", "pynndescent")


@dataclass(frozen=True)
class KeptWork:
    """A `Work` whose finished steps are kept in a folder, one file a step; `tell` hears how many tasks are done."""

    work: Work
    folder: Path
    tell: Callable[[int, int], object]
    used: set[Path] = field(default_factory=set)
    reused: set[Path] = field(default_factory=set)

    @property
    def workers(self) -> int:
        return self.work.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        path = self._path(f"{function.__module__}.{function.__qualname__}", common, tasks)
        if path is not None and _is_whole(path):
            self.reused.update({path} - self.used)
            records = _read(path, len(tasks))
        else:
            records = self.work.map(function, common, tasks)
            if path is not None:
                records = _written(path, records)
        if path is not None:
            self.used.add(path)
        for done, record in enumerate(records, start=1):
            self.tell(done, len(tasks))
            yield record

    def _path(self, name: str, common: object, tasks: Sequence[object]) -> Path | None:
        versions = [(library, version(library)) for library in LIBRARIES]
        try:
            key = joblib.hash((source_digest(), versions, name, common, list(tasks)), hash_name="sha1")
        except (pickle.PicklingError, AttributeError, TypeError):  # a function of a function, say
            return None
        return self.folder / f"{key}.npz"

    def tidy(self) -> None:
        """Remove the steps that this run did not need."""
        for path in kept_files(self.folder):
            if path not in self.used:
                path.unlink(missing_ok=True)


def kept_files(folder: Path) -> list[Path]:
    """Return what is kept in a folder, and nothing else that may be there."""
    return [*folder.glob(f"{'[0-9a-f]' * 40}.npz"), *folder.glob(f"{'[0-9a-f]' * 40}.part")]


def _written(path: Path, records: Iterator[Record]) -> Iterator[Record]:
    """Yield records, and write them, one by one, to a file that has its name when it is whole."""
    scratch = path.with_suffix(".part")
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            archive = zipfile.ZipFile(scratch, "w")
        with archive:
            for number, record in enumerate(records):
                for name, array in record.items():
                    with writing(path), archive.open(f"{number}/{name}.npy", "w", force_zip64=True) as file:
                        np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
                yield record
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _is_whole(path: Path) -> bool:
    """Tell whether a file is there and holds what was written; after a power cut, say, it may not."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False


def _read(path: Path, tasks: int) -> Iterator[Record]:
    with np.load(path, allow_pickle=False) as stored:
        names: list[list[str]] = [[] for _ in range(tasks)]
        for entry in stored.files:
            number, _, name = entry.partition("/")
            names[int(number)].append(name)
        for number, own in enumerate(names):
            yield {name: stored[f"{number}/{name}"] for name in own}
