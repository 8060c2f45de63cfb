"""Finished steps of a run, kept in its folder, so that a run that was interrupted or is changed goes on from them.

A step is one function over all its tasks, such as the alignments of a corpus. It is found again by the hash of what its
numbers depend on: the function's name, what its tasks share, the tasks, this package's source and its libraries. A step
that holds what cannot be hashed is computed again each time. All steps are in one SQLite file, which may be removed.
"""

import io
import pickle
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Self

import joblib
import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.files import report_write_errors, source_digest
from phonxling.core.work import Common, Record, Task, Work

LIBRARIES = ("numpy", "numba", "scipy", "scikit-learn", "umap-learn", "pynndescent")
_TABLES = """
CREATE TABLE IF NOT EXISTS records (step TEXT, place INTEGER, arrays BLOB, PRIMARY KEY (step, place));
CREATE TABLE IF NOT EXISTS finished (step TEXT PRIMARY KEY);
"""


class KeptWork:
    """A `Work` whose finished steps are kept in a folder. A context manager.

    `report` is called with how many tasks of a step are done, and how many there are. Whoever makes it has the folder
    to himself.
    """

    def __init__(self, work: Work, folder: Path, report: Callable[[int, int], object]) -> None:
        self.work, self.path, self.report = work, folder / "steps.sqlite", report
        self.used, self.reused = set[str](), set[str]()
        self._steps: sqlite3.Connection | None = None

    @property
    def workers(self) -> int:
        return self.work.workers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._steps is not None:
            self._steps.close()
            self._steps = None

    def map(
        self, function: Callable[[Common, Task], Record], common: Common, tasks: Sequence[Task]
    ) -> Iterator[Record]:
        step = _hash_of(f"{function.__module__}.{function.__qualname__}", common, tasks)
        if step and self._is_whole(step):
            self.reused.update({step} - self.used)
            records = self._read(step)
        else:
            records = self.work.map(function, common, tasks)
            if step:
                records = self._written(step, records)
        self.used.update({step} - {""})
        for done, record in enumerate(records, start=1):
            self.report(done, len(tasks))
            yield record

    def forget(self) -> None:
        """Remove all steps, so that everything is computed anew."""
        self.__exit__()
        self.path.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove the steps that this run did not need, and those that did not end."""
        if self._steps is None and not self.path.exists():
            return
        with self._changing() as steps:
            found = steps.execute("SELECT step FROM records UNION SELECT step FROM finished")
            others = [step for step in found if step[0] not in self.used]
            for table in ("records", "finished"):
                steps.executemany(f"DELETE FROM {table} WHERE step = ?", others)  # noqa: S608 - names from above
            steps.commit()
            if others:
                # SQLite keeps the room of deleted rows in its file; this gives it back.
                steps.execute("VACUUM")

    def _is_whole(self, step: str) -> bool:
        """Tell whether a finished step holds what was written; after a power cut, say, it may not."""
        if self._steps is None and not self.path.exists():
            return False
        try:
            steps = self._opened()
            if steps.execute("SELECT 1 FROM finished WHERE step = ?", (step,)).fetchone() is None:
                return False
            for (arrays,) in steps.execute("SELECT arrays FROM records WHERE step = ?", (step,)):
                with zipfile.ZipFile(io.BytesIO(arrays)) as archive:
                    # Each array has a checksum in the archive, which SQLite's own pages have not.
                    if archive.testzip() is not None:
                        return False
        except (sqlite3.Error, zipfile.BadZipFile):
            self.forget()
            return False
        return True

    def _read(self, step: str) -> Iterator[Record]:
        for (arrays,) in self._opened().execute("SELECT arrays FROM records WHERE step = ? ORDER BY place", (step,)):
            # No pickles: a folder of results may come from others, and must not run code.
            with np.load(io.BytesIO(arrays), allow_pickle=False) as stored:
                yield {name: stored[name] for name in stored.files}

    def _written(self, step: str, records: Iterator[Record]) -> Iterator[Record]:
        """Yield records, and keep them one by one; the step counts when the last is there."""
        with self._changing() as steps:
            steps.execute("DELETE FROM records WHERE step = ?", (step,))
        for place, record in enumerate(records):
            with self._changing() as steps:
                steps.execute("INSERT INTO records VALUES (?, ?, ?)", (step, place, _pack_record(record)))
            yield record
        with self._changing() as steps:
            steps.execute("INSERT OR REPLACE INTO finished VALUES (?)", (step,))
            steps.commit()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """Yield the steps to be written to; DataError where that cannot be, as on a full disk."""
        try:
            with report_write_errors(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
            yield self._opened()
        except sqlite3.Error as error:
            raise DataError(f"{self.path}: cannot be written: {error}") from error

    def _opened(self) -> sqlite3.Connection:
        if self._steps is None:
            self._steps = sqlite3.connect(f"{self.path.resolve().as_uri()}?nolock=1", uri=True)  # the folder is locked
            self._steps.executescript(_TABLES)
        return self._steps


def _hash_of(name: str, common: object, tasks: Sequence[object]) -> str:
    """Return what a step is found by; "" where it holds what cannot be hashed, such as a function of a function."""
    versions = [(library, version(library)) for library in LIBRARIES]
    try:
        # joblib hashes arrays by their bytes; the hash finds a step and protects nothing, so a short one will do.
        return str(joblib.hash((source_digest(), versions, name, common, list(tasks)), hash_name="sha1"))
    except (pickle.PicklingError, AttributeError, TypeError):
        return ""


def _pack_record(record: Record) -> bytes:
    """Return arrays as an uncompressed zip archive, each a file of NumPy's with its checksum."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, array in record.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
    return packed.getvalue()
