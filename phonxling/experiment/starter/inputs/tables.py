"""Columns of a table → in which of them gold and predicted phones may be, by their names, the likeliest first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from phonxling.experiment.starter.inputs.names import Role
from phonxling.load.field_names import columns_of, meanings

_LANGUAGES = frozenset({"lang", "language", "lang_id", "iso", "locale"})
_TRIED = 4  # columns that may hold ids though they are not called so


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a file: the role that the columns' names give, and the columns."""

    role: Role = ""
    columns: Mapping[str, str] = field(default_factory=dict)


def by_role(fields: Sequence[str]) -> Iterator[list[Reading]]:
    """Yield the ways to read gold, and those to read predicted phones, where columns are called so."""
    kinds = meanings(fields)
    roles: tuple[Role, ...] = ("gold", "predicted")
    for role in roles:
        yield [reading for name in kinds.get(role, []) for reading in _readings(fields, role, name)]


def of_one_side(fields: Sequence[str]) -> list[Reading]:
    """Return the ways to read a table of one side."""
    if {"utterance", "start", "end", "phone"} <= set(fields):
        return [Reading()]
    kinds = meanings(fields)
    others = [name for name in fields if name not in {*kinds.get("phones", []), *kinds.get("utterance", [])}]
    return [reading for name in (*kinds.get("phones", []), *others) for reading in _readings(fields, "", name)]


def _readings(fields: Sequence[str], role: Role, phones: str) -> Iterator[Reading]:
    """Yield how a column of phones may be read: with the ids of the column that is called so, or else of any."""
    columns = columns_of(fields, phones)
    if "utterance" in columns or {"utterance", "id"} & set(fields):
        yield Reading(role, columns)
    else:
        ids = [name for name in fields if name not in columns.values()][:_TRIED]
        yield from (Reading(role, {"utterance": name, **columns}) for name in ids)


def remark_on(fields: Sequence[str]) -> str:
    """Return what a person should know of a table of several languages, whose rows make up one corpus."""
    called = [name for name in fields if name.lower() in _LANGUAGES]
    return f"the column {called[0]} tells languages apart: split the table for a corpus of each" if called else ""
