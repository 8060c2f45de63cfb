"""Which objects an address stands for."""

import fnmatch
from collections.abc import Iterator, Sequence

from phonxling.core.errors import DataError
from phonxling.load.remote.entries import Entry, Listing, check, entry_of
from phonxling.load.remote.errors import is_absent, unfetched
from phonxling.load.remote.systems import About, System, first_answer, open_system
from phonxling.load.remote.urls import Url
from phonxling.load.remote.walking import files_below
from phonxling.load.remote.wanted import Wanted


def list_objects(url: Url, wanted: Wanted) -> tuple[System, Listing]:
    """Return the file system of an address, and what is to be fetched of it.

    Raises
    ------
    DataError
        If nothing is there, the host cannot be reached, or its file system refuses.
        If a folder or glob holds no wanted file, or one file is needed and it is a folder.
        If the name of an object would lead out of the folder of copies, or two copies would stand in one place.
    """
    system, path = open_system(url, url.fixed if url.pattern else url.text)
    try:
        listing = _listed(system, path, url, wanted)
    except DataError:
        raise
    except Exception as error:  # file systems raise errors of their own libraries
        raise unfetched(url, error) from error
    check(url, wanted, listing)
    return system, listing


def _listed(system: System, path: str, url: Url, wanted: Wanted) -> Listing:
    top = url.spoken(url.fixed.rpartition("/")[2])
    if url.pattern and (found := _literal(system, url)) is None:
        place = "/".join([top, *map(url.spoken, url.pattern)])
        return Listing(place, tuple(_matches(system, path, url, wanted, top)))
    if url.pattern:
        name = url.spoken(url.bare.rpartition("/")[2])
        return Listing(name, (entry_of(name, url.bare, found or {}),))
    about = _about(system, path, url)
    if about.get("type") == "directory":
        if not wanted.endings:
            raise DataError(f"{url}: is a folder, and one file is needed")
        held = [(rest, each) for rest, each in files_below(system, path, url, None) if wanted.takes(rest)]
        return Listing(top, tuple(entry_of(f"{top}/{rest}", f"{url.bare}/{rest}", each) for rest, each in held))
    return Listing(top, (entry_of(top, url.text, about), *_beside(system, url, wanted, top)))


def _about(system: System, path: str, url: Url) -> About:
    """Return what a file system says of a path; a web address that ends in a slash is a folder."""
    found: About = first_answer(url, lambda: system.info(path))
    return {**found, "type": "directory"} if url.web and url.text.endswith("/") else found


def _literal(system: System, url: Url) -> About | None:
    """Return the object whose name is a glob's very text, if there is one."""
    path = open_system(url, url.text)[1]
    try:
        found: About = first_answer(url, lambda: system.info(path))
    except Exception as error:  # file systems raise errors of their own libraries
        if is_absent(error):
            return None
        raise
    return found if found.get("type") == "file" else None


def _matches(system: System, path: str, url: Url, wanted: Wanted, top: str) -> Iterator[Entry]:
    """Yield what a glob stands for, by the rules of globs of paths, and lists that may stand beside."""
    pattern = [url.spoken(part) for part in url.pattern]
    for rest, about in files_below(system, path, url, url.pattern):
        if _fits(rest.split("/"), pattern) or (len(pattern) == 1 and rest in wanted.beside):
            yield entry_of(f"{top}/{rest}", f"{url.fixed}/{rest}", about)


def _fits(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":  # folders, any number of them
        return any(_fits(parts[skipped:], pattern[1:]) for skipped in range(len(parts)))
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])


def _beside(system: System, url: Url, wanted: Wanted, top: str) -> Iterator[Entry]:
    """Yield the lists that stand beside a file and may belong to it."""
    folder = url.bare.rpartition("/")[0]
    for pattern in wanted.beside:
        name = pattern.replace("*", top.rpartition(".")[0])
        try:
            about = system.info(open_system(url, f"{folder}/{name}")[1])
        except Exception as error:  # file systems raise errors of their own libraries
            if is_absent(error):
                continue
            raise
        if about.get("type") == "file":
            yield entry_of(name, f"{folder}/{name}", about)
