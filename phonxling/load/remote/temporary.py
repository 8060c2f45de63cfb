"""Copies of inputs by URL for as long as they are read, for callers who name an input and keep no copies."""

import shutil
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from phonxling.core.errors import PhonxlingError
from phonxling.core.posteriorgram import Rows
from phonxling.load.remote.copies import Copies
from phonxling.load.remote.fetching import fetch
from phonxling.load.remote.urls import Url, given
from phonxling.load.remote.wanted import Wanted


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads utterances of copies; its errors name addresses. It can go to another process, as what it calls can."""

    read: Callable[[str], Rows]
    copies: Copies

    def __call__(self, utterance: str) -> Rows:
        try:
            return self.read(utterance)
        except PhonxlingError as error:
            raise type(error)(self.copies.named(str(error))) from error


class TemporaryCopies:
    """Paths of inputs, fetched where they are addresses; the copies are removed at the end, and errors name addresses.

    Examples
    --------
    >>> with TemporaryCopies() as here:
    ...     here.path("data/gold.tsv", Wanted())
    PosixPath('data/gold.tsv')
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._copies = Copies()

    def path(self, source: str | Path, wanted: Wanted) -> Path:
        """Return the path of an input; DataError when it cannot be fetched, ConfigurationError when it is refused."""
        found = given(source)
        if not isinstance(found, Url):
            return found
        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="phonxling-"))
        copy = fetch(found, wanted, self._folder, lambda _: None)
        self._copies = Copies((*self._copies.each, copy))
        return copy.path

    def named(self, text: str) -> str:
        """Return a text with addresses where it names copies."""
        return self._copies.named(text)

    def keep_for(self, read: Callable[[str], Rows]) -> Callable[[str], Rows]:
        """Return a reader that is called later: the copies are there as long as it is."""
        if self._folder is None:
            return read
        reads = _Reader(read, self._copies)
        weakref.finalize(reads, shutil.rmtree, self._folder, ignore_errors=True)
        self._folder = None
        return reads

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if isinstance(error, PhonxlingError) and (said := self.named(str(error))) != str(error):
            raise type(error)(said) from error
