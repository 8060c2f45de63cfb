"""What reads a file's matrices, here and in other processes: there it opens the file anew."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from phonxling.core.posteriorgram import Rows
from phonxling.load.matrices.stored import Stamp

Handle = TypeVar("Handle")


@dataclass(eq=False)
class Reopened(Generic[Handle]):
    """Reads from an open file; a copy that went to another process opens it when it is first used.

    Parameters
    ----------
    path : Path
        The file; absolute in the copy, whose folder may be another.
    opener : callable
        A module's own function: the path to what is open.
    reader : callable
        A module's own function: the path, what is open, and an utterance to its frames.
    handle : optional
        What is open already.
    stamp : Stamp, optional
        Of the file before it was opened, if it must stay as it was.
    """

    path: Path
    opener: Callable[[Path], Handle]
    reader: Callable[[Path, Handle, str], Rows]
    handle: Handle | None = field(default=None, repr=False)
    stamp: Stamp | None = None

    def __call__(self, utterance: str) -> Rows:
        """Return the frames of an utterance; DataError when the file has changed, whatever else is wrong with it."""
        try:
            return self.reader(self.path, self.opened(), utterance)
        finally:
            if self.stamp is not None:
                self.stamp.check(self.path)

    def opened(self) -> Handle:
        """Return what is open; it is opened when it is first asked for."""
        opened = self.opener(self.path) if self.handle is None else self.handle
        self.handle = opened
        return opened

    def __getstate__(self) -> dict[str, object]:
        return {
            **self.__dict__,
            "path": self.path.absolute(),
            "handle": None,
            "stamp": self.stamp and self.stamp.anywhere(),
        }
