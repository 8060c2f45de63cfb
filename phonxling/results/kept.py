"""Finished steps of a run, kept in its folder, so that a run that was interrupted or is changed goes on from them.

A step is one function over all its tasks, such as the alignments of a corpus. It is found again by the hash of what its
numbers depend on: the function's name, what its tasks share, the tasks, this package's source and its libraries. A step
that holds what cannot be hashed is computed again each time. Each step is a zip archive of NumPy's files, put in place
when its last record is there; all of them may be removed.
"""

import pickle
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np

from phonxling.core.files import report_write_errors, source_digest
from phonxling.core.work import Common, Record, Task, Work

LIBRARIES = ("numpy", "numba", "scipy", "scikit-learn", "umap-learn", "pynndescent")


class KeptWork:
    """A `Work` whose finished steps are kept in a folder.

    `report` is called with how many tasks of a step are done, and how many there are. Whoever makes it has the folder
    to himself.
    """

    def __init__(self, work: Work, folder: Path, report: Callable[[int, int], object]) -> None:
        self.work, self.folder, self.report = work, folder, report
        self.used, self.reused = set[str](), set[str]()

    @property
    def workers(self) -> int:
        return self.work.workers

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        step = _hash_of(f"{function.__module__}.{function.__qualname__}", common, tasks)
        file = self.folder / f"{step}.step"
        if step and _is_whole(file):
            self.reused.update({step} - self.used)
            records = _read_records(file, len(tasks))
        else:
            records = self.work.map(function, common, tasks)
            if step:
                records = _keep_records(file, records)
        self.used.update({step} - {""})
        for done, record in enumerate(records, start=1):
            self.report(done, len(tasks))
            yield record

    def tidy(self) -> None:
        """Remove the steps that were not used since this began, and those that did not end."""
        for file in (*self.folder.glob("*.step"), *self.folder.glob("*.part")):
            if file.stem not in self.used:
                file.unlink()


def _hash_of(name: str, common: object, tasks: Sequence[object]) -> str:
    """Return what a step is found by; "" where it holds what cannot be hashed, such as a function of a function."""
    versions = [(library, version(library)) for library in LIBRARIES]
    try:
        # joblib hashes arrays by their bytes; the hash finds a step and protects nothing, so a short one will do.
        return str(joblib.hash((source_digest(), versions, name, common, list(tasks)), hash_name="sha1"))
    except (pickle.PicklingError, AttributeError, TypeError):
        return ""


def _is_whole(file: Path) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            # Each array has a checksum: after a power cut a file may be there, and not what was written.
            return archive.testzip() is None
    except (OSError, EOFError, zipfile.BadZipFile):
        return False


def _read_records(file: Path, number: int) -> Iterator[Record]:
    records: list[dict[str, str]] = [{} for _ in range(number)]
    # No pickles: a folder of results may come from others, and must not run code.
    with np.load(file, allow_pickle=False) as stored:
        for entry in stored.files:
            place, _, name = entry.partition("/")
            records[int(place)][name] = entry
        for names in records:
            yield {name: stored[entry] for name, entry in names.items()}


def _keep_records(file: Path, records: Iterator[Record]) -> Iterator[Record]:
    """Yield records, and keep them one by one; DataError where they cannot be written, as on a full disk."""
    part = file.with_suffix(".part")
    try:
        with report_write_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            archive = zipfile.ZipFile(part, "w")
        for place, record in enumerate(records):
            with report_write_errors(file):
                for name, array in record.items():
                    with archive.open(f"{place}/{name}.npy", "w", force_zip64=True) as entry:
                        np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)
            yield record
        with report_write_errors(file):
            archive.close()
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)
