"""The files below a remote folder: none is left out because a folder could not be read, as fsspec's own walk does."""

import fnmatch
from collections.abc import Iterator, Sequence

from phonxling.core.errors import DataError
from phonxling.load.remote.systems import About, System
from phonxling.load.remote.urls import Url

_DEEPEST = 32  # folders: a web page may hold links that lead round in a circle


def files_below(system: System, path: str, url: Url, pattern: Sequence[str] | None) -> Iterator[tuple[str, About]]:
    """Yield each file below a folder, by name: its name from there, and what the file system says of it.

    With a pattern only folders that fit it are looked into. DataError when the listing names something elsewhere.
    """
    start = path.rstrip("/") + "/"
    steps = None if pattern is None or "**" in pattern else [url.spoken(part) for part in pattern]
    if steps is None and _lists_flat(system):
        found = [about for about in system.find(path, detail=True).values() if about.get("type") == "file"]
    else:
        found = list(_walked(system, start, url, steps, _DEEPEST))
    named = {str(about["name"]): about for about in found if not str(about["name"]).endswith("/")}
    for remote in sorted(named):
        if url.web and set("?#") & set(remote):
            continue  # links by which a page of a folder sorts itself
        if not remote.startswith(start):
            raise DataError(f"{url}: the listing names {remote!r}, which is not below it")
        yield url.spoken(remote.removeprefix(start)), {**named[remote], "remote": remote}


def _lists_flat(system: System) -> bool:
    """Return whether a store lists all below a name at once, so that no folder need be asked for."""
    general = next((kind for kind in type(system).__mro__ if kind.__name__ == "AsyncFileSystem"), None)
    return general is not None and getattr(type(system), "_find", None) is not getattr(general, "_find", None)


def _walked(system: System, folder: str, url: Url, steps: Sequence[str] | None, deepest: int) -> Iterator[About]:
    """Yield the files of a folder and of those in it that fit the next step of a pattern."""
    if not deepest:
        raise DataError(f"{url}: holds folders more than {_DEEPEST} deep; do links lead round in a circle?")
    for about in system.ls(folder, detail=True):
        name = str(about["name"]).rstrip("/")
        if about.get("type") != "directory":
            yield about
        elif name.startswith(folder) and name != folder.rstrip("/") and not set("?#") & set(name):
            fits = steps is None or fnmatch.fnmatchcase(url.spoken(name.removeprefix(folder)), steps[0])
            if fits and (steps is None or len(steps) > 1):
                yield from _walked(system, f"{name}/", url, None if steps is None else steps[1:], deepest - 1)
