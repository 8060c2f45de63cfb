"""The formats that other distributions add."""

from dataclasses import replace
from importlib.metadata import EntryPoint

from phonxling.core.errors import DataError
from phonxling.load.names import owner
from phonxling.load.reading import Format


def plugged_format(point: EntryPoint) -> Format:
    """Return the format behind an entry point: a `Format`, or a loader for files that end in the format's name.

    Raises
    ------
    DataError
        If the plug-in cannot be imported, or is neither.
    """
    try:
        found = point.load()
    except Exception as error:  # whatever a stranger's module does when it is imported
        raise DataError(f"the loader of '{point.name}' ({owner(point)}) cannot be imported: {error}") from error
    library = point.dist.name if point.dist is not None else None
    if isinstance(found, Format):
        return replace(found, name=point.name, library=library)
    if not callable(found):
        msg = f"the loader of '{point.name}' ({owner(point)}) is no loader: {point.value} is a {type(found).__name__}"
        raise DataError(msg)
    return Format(point.name, found, (f".{point.name}",), frozenset({"columns", "tier"}), library=library)
