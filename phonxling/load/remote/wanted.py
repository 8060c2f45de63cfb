"""Which files of a remote folder are fetched: those that a reader would read there."""

from dataclasses import dataclass
from pathlib import Path

from phonxling.load.paths import has_ending, spoken


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader needs.

    Parameters
    ----------
    endings : tuple of str
        Of the files of a folder, as formats have them; a reader of one file has none.
    beside : tuple of str
        What may stand beside a file and belong to it; `*` stands for the file's name without its ending.
    refused : tuple of str
        Endings of files that cannot be read from elsewhere.
    """

    endings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def takes(self, name: str) -> bool:
        """Return whether a folder's file is wanted."""
        return has_ending(Path(name), (*self.endings, *self.refused))

    def refuses(self, name: str) -> bool:
        """Return whether a file cannot be read from elsewhere."""
        return has_ending(Path(name), self.refused)

    def __str__(self) -> str:
        return spoken(self.endings)
