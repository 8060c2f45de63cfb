"""A configuration as plain data, with the place where each key and value was written; and what is wrong there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from phonxling.core.errors import ConfigurationError

KeyPath: TypeAlias = tuple[str, ...]
"""The keys from the top to a value; the item of a list has its number, from 0, as text."""

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""What a YAML file holds once it is read: nothing but plain data."""


@dataclass(frozen=True, slots=True)
class Position:
    """A line and a column of a file, both from 1; or an override of the command line, which has neither.

    Examples
    --------
    >>> str(Position("yoruba.yaml", 3, 9)), str(Position("--set seed"))
    ('yoruba.yaml:3:9', '--set seed')
    """

    source: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data, with the position of every key and of every value in it."""

    data: Plain
    keys_at: Mapping[KeyPath, Position]
    values_at: Mapping[KeyPath, Position]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where."""

    position: Position
    path: KeyPath
    text: str

    def __str__(self) -> str:
        """Return place, key and text; an option of the command line stands for the key."""
        key = ".".join(self.path)
        place = str(self.position)
        option = place == f"--set {key}" or (place.startswith("--") and not place.startswith("--set "))
        named = option or not key
        return f"{place}: {self.text}" if named else f"{place}: {key}: {self.text}"


def nearest(path: KeyPath, positions: Mapping[KeyPath, Position]) -> Position:
    """Return the position of a path, or that of the nearest mapping around it that is written down.

    The position of the whole document, at the empty path, must be among the positions.
    """
    while path not in positions:
        path = path[:-1]
    return positions[path]


def fail(position: Position, text: str) -> NoReturn:
    """Raise the error that names a position and what is wrong there."""
    raise ConfigurationError(f"{position}: {text}") from None
