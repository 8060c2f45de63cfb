"""Copies on this machine of what addresses stand for, and which name goes with which."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from phonxling.load.remote.urls import Url


@dataclass(frozen=True, slots=True)
class Copy:
    """The copy of an input.

    Parameters
    ----------
    url : Url
        The address.
    folder, path : Path
        The folder of the copy, and what is read instead of the address: a file, a folder or a glob in it.
    files : mapping of Path to str
        The address of each file.
    """

    url: Url
    folder: Path
    path: Path
    files: Mapping[Path, str]

    def named(self, text: str) -> str:
        """Return a text with addresses where it names copies."""
        around = self.url.bare if not self.url.pattern else self.url.fixed
        text = text.replace(str(self.path), self.url.text.rstrip("/"))
        return text.replace(f"{self.folder}/", f"{around.rpartition('/')[0]}/")


@dataclass(frozen=True, slots=True)
class Copies:
    """The copies of all inputs of an analysis."""

    each: tuple[Copy, ...] = ()

    def url_of(self, path: Path) -> str | None:
        """Return the address of what is read at a path; None when it is no copy."""
        named = {copy.path: copy.url.text for copy in self.each}
        return named.get(path) or next((copy.files[path] for copy in self.each if path in copy.files), None)

    def path_of(self, url: str) -> Path | None:
        """Return the file that is the copy of an address; None when there is none."""
        return next((path for copy in self.each for path, known in copy.files.items() if known == url), None)

    def named(self, text: str) -> str:
        """Return a text with addresses where it names copies."""
        return reduce(lambda said, copy: copy.named(said), self.each, text)
