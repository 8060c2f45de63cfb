"""The formats that other distributions add, by the entry-point group `phonxling.loaders`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from phonxling.core.errors import DataError
from phonxling.load.reading import Format

GROUP = "phonxling.loaders"


@cache  # looking through all that is installed takes 10 ms
def plugged() -> Mapping[str, EntryPoint]:
    """Return the entry points by format name, nothing imported yet; DataError when two distributions claim a name."""
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            msg = f"the format '{point.name}' is claimed by two installed packages, {_owner(other)} and {_owner(point)}"
            raise DataError(f"{msg}; uninstall one")
    return points


def plugged_format(point: EntryPoint) -> Format:
    """Return the format behind an entry point: a `Format`, or a loader for files that end in the format's name."""
    try:
        loaded = point.load()
    except Exception as error:  # whatever a stranger's module does when it is imported
        raise DataError(f"the loader of '{point.name}' ({_owner(point)}) cannot be imported: {error}") from error
    library = point.dist.name if point.dist is not None else None
    if isinstance(loaded, Format):
        return replace(loaded, name=point.name, library=library)
    if not callable(loaded):
        msg = f"the loader of '{point.name}' ({_owner(point)}) is no loader: {point.value} is a {type(loaded).__name__}"
        raise DataError(msg)
    return Format(point.name, loaded, (f".{point.name}",), frozenset({"columns", "tier"}), library=library)


def _owner(point: EntryPoint) -> str:
    """Return the name and version of the distribution that an entry point comes with."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
