"""Objects behind an address and what their copies are called: never a name that leads elsewhere."""

import re
from dataclasses import dataclass, replace

from phonxling.core.errors import DataError
from phonxling.load.remote.systems import About
from phonxling.load.remote.urls import Url
from phonxling.load.remote.wanted import Wanted

_MARKS = frozenset(  # what says that an object is another one, by the names that file systems give it
    {"etag", "md5", "md5hash", "contentmd5", "crc32c", "checksum", "digest", "generation", "versionid"}
    | {"lastmodified", "mtime", "modified", "modify", "updated", "created", "lastwritetime"}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An object to be fetched.

    Parameters
    ----------
    name : str
        Where its copy stands, below the folder of copies.
    remote, url : str
        What it is called in its file system, and its address.
    size : int, optional
        Bytes, where the file system says.
    mark : str, optional
        What changes when the object does: its tag, time, …; None when the file system says nothing of the kind.
    """

    name: str
    remote: str
    url: str
    size: int | None
    mark: str | None

    def measured(self, about: About) -> "Entry":
        """Return the object with the size and the mark that its file system tells."""
        size = about.get("size")
        marks = {_plain(key): str(value) for key, value in about.items() if value not in (None, "")}
        mark = " ".join(f"{key}={marks[key]}" for key in sorted(_MARKS & set(marks)))
        return replace(self, size=None if size is None else int(size), mark=mark or None)


@dataclass(frozen=True, slots=True)
class Listing:
    """What an address stands for: the place of its copy below the folder of copies, and the objects there."""

    place: str
    entries: tuple[Entry, ...]


def entry_of(name: str, address: str, about: About) -> Entry:
    """Return an object whose copy stands at a place, with what its file system says of it."""
    return Entry(name, str(about.get("remote", about.get("name", address))), address, None, None).measured(about)


def check(url: Url, wanted: Wanted, listing: Listing) -> None:
    """Raise DataError when nothing is wanted, or a copy would stand elsewhere or in the place of another."""
    if not listing.entries:
        raise DataError(f"{url}: holds no {wanted} file" if not url.pattern else f"{url}: nothing matches the pattern")
    for entry in listing.entries:
        if wanted.refuses(entry.name):
            why = "a list of places on the machine that wrote it; give the .ark files, as a folder without it or a glob"
            raise DataError(f"{entry.url}: cannot be read from elsewhere: it is {why}")
        if not _is_safe(entry.name):
            raise DataError(f"{url}: the name {entry.name!r} would lead out of the folder of copies; rename the object")
    names: set[str] = set()
    for entry in listing.entries:
        if entry.name in names:
            raise DataError(f"{url}: two objects would have the copy '{entry.name}'; rename one")
        names.add(entry.name)
    for name in names:
        parts = name.split("/")
        if inside := next((place for end in range(1, len(parts)) if (place := "/".join(parts[:end])) in names), None):
            raise DataError(f"{url}: '{inside}' is both an object and the folder of '{name}'; rename one")


def _is_safe(name: str) -> bool:
    parts = name.split("/")
    return all(part not in ("", ".", "..") and not re.search(r"[\x00-\x1f\x7f\\]", part) for part in parts)


def _plain(key: object) -> str:
    return str(key).lower().replace("-", "").replace("_", "")
