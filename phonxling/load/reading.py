"""A file format of transcripts: the loader of one file, its endings, and the options that it takes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript

Where = Mapping[str, Sequence[str]]
_Line = TypeVar("_Line")
_Row = TypeVar("_Row")
_NAMED = 10  # values of a column


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of a loader besides the file."""

    columns: Mapping[str, str] = field(default_factory=dict)
    tier: str | None = None
    utterance: str = ""
    speaker: str = ""
    where: Where = field(default_factory=dict)
    side: str = ""


Loader = Callable[[Path, Reading], Transcript]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of transcripts. A plug-in may be one of these, or a loader alone."""

    name: str
    load: Loader
    endings: tuple[str, ...]
    takes: frozenset[str] = frozenset()
    by_speaker: bool = False
    library: str | None = None
    shared: bool = False
    fields: Callable[[Path], list[str]] | None = None


class NoRowsError(DataError):
    """No row of a table has what `where` asks for; `seen` counts what its columns have."""

    def __init__(self, message: str, seen: Mapping[str, "Counter[str]"]) -> None:
        super().__init__(message)
        self.seen = seen


def rows_where(
    source: str, rows: Iterator[tuple[_Line, _Row]], where: Where, cell: Callable[[_Row, str], str | None]
) -> Iterator[tuple[_Line, _Row]]:
    """Yield the rows whose cells have one of the values asked for; those without such a cell are left to the reader."""
    seen: dict[str, Counter[str]] = {name: Counter() for name in where}
    left = 0
    for line, row in rows:
        cells = {name: cell(row, name) for name in where}
        for name, value in cells.items():
            seen[name][value or ""] += 1
        if all(value is None or value in where[name] for name, value in cells.items()):
            left += 1
            yield line, row
    if not left:
        raise no_rows(source, where, seen)


def no_rows(source: str, where: Where, seen: Mapping[str, "Counter[str]"]) -> NoRowsError:
    """Return the error that says what was asked for, and what there is."""
    asked = " and ".join(f"{name}: {' or '.join(values)}" for name, values in where.items())
    found = "; ".join(f"{name} is {_counted(values)}" for name, values in seen.items())
    return NoRowsError(f"{source}: no row has {asked}; {found}. Correct where:", seen)


def _counted(values: Counter[str]) -> str:
    named = ", ".join(f"{shown(value) or '(empty)'} ({number:,})" for value, number in values.most_common(_NAMED))
    return named + f" … and {len(values) - _NAMED} more" * (len(values) > _NAMED)
