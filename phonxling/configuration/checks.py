"""Checks of single configuration values, in words for those who write the file; messages continue `path.of.keys: …`."""

import difflib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from phonxling.core.errors import ConfigurationError
from phonxling.core.spelling import Query
from phonxling.load.text import URL_REMEDY, is_url

KeyPath: TypeAlias = tuple[str, ...]  # from the top to a value; the item of a list has its number, from 0, as text
PlainData: TypeAlias = "bool | int | float | str | list[PlainData] | dict[str, PlainData] | None"
_Item = TypeVar("_Item")
# Limits against what a program wrote by mistake: they end in a message, not in a full memory or stack.
MAX_DEPTH: Final = 50
LONGEST_PATH: Final = 4_096
_LONGEST_QUERY: Final = 1_000
_LONGEST_TITLE: Final = 60
_WIDTHS: Final = 60, 400  # mm: what a figure can be drawn in
_NUMBER = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?(/[-+]?[0-9.]*)?")
LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(mm|cm|in)")
SPEAKER: Final = "{speaker}"
_MILLIMETRES: Final = {"mm": 1.0, "cm": 10.0, "in": 25.4}


def mapping_of(value: PlainData) -> dict[str, PlainData]:
    return value if isinstance(value, dict) else {}


def fail(place: str, text: str) -> NoReturn:
    raise ConfigurationError(f"{place}: {text}") from None


def quote_value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "nothing (null)", True: "true", False: "false"}[value]
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    text = str(value)
    text = text if len(text) <= 60 else f"{text[:59]}…"
    return f"'{text}'" if isinstance(value, str) else text


def did_you_mean(word: object, names: Iterable[str]) -> str:
    """Return `; did you mean '…'?` with the nearest of the names, or nothing when none is near."""
    lower = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(str(word).casefold(), lower, n=1)  # one: a list of guesses is no answer
    return f"; did you mean '{lower[near[0]]}'?" if near else ""


def join_choices(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def check_choice(value: object, available: Sequence[str], otherwise: str = "") -> object:
    """Return one of the values that there are; the message proposes the nearest, or what is possible otherwise."""
    if isinstance(value, str) and value in available:
        return value
    hint = did_you_mean(value, available) or otherwise
    raise ValueError(f"must be {join_choices(available)}, not {quote_value(value)}{hint}")


def check_flag(value: object) -> object:
    if isinstance(value, bool):
        return value
    raise ValueError(f"must be true or false, not {quote_value(value)}")


def check_text(value: object) -> str:
    """Return a text that is not empty and holds no control character: signatures and tables quote it."""
    if isinstance(value, str) and value:
        if control := [letter for letter in value if unicodedata.category(letter) == "Cc"]:
            raise ValueError(f"{value[:60]!r} holds the control character U+{ord(control[0]):04X}")
        return value
    # YAML reads 2024 and 1.5 as numbers, and true as a truth value, where a name was meant.
    quotes = "; put it in quotes" if value is not None and not isinstance(value, str | list | dict) else ""
    raise ValueError(f"must be a text, not {'an empty one' if value == '' else quote_value(value)}{quotes}")


def check_title(value: object) -> str | None:
    if value is not None and (len(title := check_text(value)) > _LONGEST_TITLE or title != " ".join(title.split())):
        rule = f"a line of at most {_LONGEST_TITLE} letters, each space single"
        raise ValueError(f"must be {rule}, not {quote_value(title)}")
    return value  # type: ignore[return-value]


def check_pattern(value: object) -> str:
    """Return a pattern of ids: text, * for anything, and one {speaker}, which needs text or the end on each side."""
    pattern = check_text(value)
    if pattern.count(SPEAKER) != 1:
        raise ValueError(f"must hold {SPEAKER} once, such as {SPEAKER}_*, not {quote_value(pattern)}")
    # Between two wildcards that touch, any division fits.
    if f"*{SPEAKER}" in pattern or f"{SPEAKER}*" in pattern:
        remedy = f"write a text between * and {SPEAKER}"
        raise ValueError(f"{quote_value(pattern)} does not say where the speaker ends: {remedy}")
    return pattern


def check_list(value: object) -> object:
    if isinstance(value, list | tuple) and value:
        return value
    if isinstance(value, str):
        raise ValueError(f"must be a list: write [{value}]")
    actual = "an empty one" if value == [] else quote_value(value)
    raise ValueError(f"must be a list with at least one entry, not {actual}")


def check_once(values: tuple[_Item, ...]) -> tuple[_Item, ...]:
    for value, number in Counter(values).items():
        if number > 1:
            raise ValueError(f"{quote_value(value)} is listed twice")
    return values


def check_contrasts(value: object) -> object:
    if isinstance(value, str):
        return check_name_or_table(value, ("none", "auto"), "./pairs.tsv")
    for pair in check_list(value):  # type: ignore[attr-defined]
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ValueError(f"each must be a pair such as [p, b], not {quote_value(pair)}")
        first, second = map(check_text, pair)
        if first == second:
            raise ValueError(f"a pair has two different phones, not {first} and {second}")
    return value


def check_mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, dict):
        return value
    raise ValueError(f"must be a mapping (key: value), not {quote_value(value)}")


def check_where(value: object) -> object:
    """Return the values that each column may have, as texts: a number stands in a table as it is written."""
    lists = {name: each if isinstance(each, list | tuple) else [each] for name, each in check_mapping(value).items()}
    for name, values in lists.items():
        if not name or not values or not all(isinstance(each, str | int | float) for each in values):
            raise ValueError(f"must be a column and its value, such as {{lang: ibo}}, not {quote_value(value)}")
    texts = {check_text(name): [str(each) for each in values] for name, values in lists.items()}
    return {name: tuple(text and check_text(text).strip() for text in each) for name, each in texts.items()}  # "": none


def check_class_query(value: object) -> str:
    text = check_text(value)
    if len(text) > _LONGEST_QUERY:
        raise ValueError(f"a class is asked for in at most {_LONGEST_QUERY:,} letters, not {len(text):,}")
    return Query(text).text


def check_language(value: object) -> str:
    code = check_text(value)
    if not re.fullmatch(r"[a-z]{3}", code):
        raise ValueError(f"must be the ISO 639-3 code, three lower-case letters such as yor, not {quote_value(code)}")
    return code


def check_width(value: object) -> float:
    # Journals state the width of a column in mm, cm or inches.
    length = LENGTH.fullmatch(value) if isinstance(value, str) else None
    size = float(length[1]) * _MILLIMETRES[length[2]] if length else value
    narrowest, widest = _WIDTHS
    if isinstance(size, bool) or not isinstance(size, int | float) or not math.isfinite(size) or size <= 0:
        raise ValueError(f"must be a width such as 84 mm, 8.4 cm or 3.3 in, not {quote_value(value)}")
    if not narrowest <= size <= widest:
        rule = f"a figure is {narrowest} to {widest} mm wide (a column has 84, two 174)"
        raise ValueError(f"{rule}, not {quote_value(value)}")
    return round(float(size), 6)


def is_table_path(text: str) -> bool:
    """Return whether a text is meant as the path of a table: it holds a `.` or a `/`, and is no number or fraction."""
    # Whether a file is there does not decide, or a folder called `ipa` would change the numbers of an experiment.
    return ("." in text or "/" in text) and not _NUMBER.fullmatch(text)


def check_path(value: object) -> Path:
    if isinstance(value, str) and len(value) > LONGEST_PATH:
        raise ValueError(f"a path has at most {LONGEST_PATH:,} letters, not {len(value):,}")
    path = check_text(value)
    if is_url(path):
        raise ValueError(f"is a URL: {URL_REMEDY}")  # which may hold a password, and is not repeated
    return Path(path)


def check_name_or_table(value: object, available: Sequence[str], table: str) -> object:
    """Return one of the names, or the path of a table; `table` is what a message has as an example of a path."""
    if isinstance(value, str) and is_table_path(value):
        return check_path(value)
    return check_choice(value, available, f"; a table of your own: {table}")


def check_symbols(value: object, available: Sequence[str]) -> object:
    table = "./symbols.tsv"
    if isinstance(value, list | tuple) and value:
        first, *tables = (check_name_or_table(one, available, table) for one in value)
        if named := [one for one in tables if isinstance(one, str)]:
            rule = "after the first, each must be the path of a table laid over it"
            raise ValueError(f"{rule}, not {quote_value(named[0])}")
        if tables and first == "raw":
            raise ValueError("no table can be laid over 'raw', whose symbols are compared as they stand")
        return (first, *tables)
    return check_name_or_table(value, available, table)


def check_inventory(value: object, available: Sequence[str]) -> object:
    named = isinstance(value, str) and not is_table_path(value)
    others = "; phones of your own are a list, or the path of a file: ./phones.txt"
    return check_choice(value, available, others) if named else check_labels(value)


def check_labels(value: object) -> object:
    if isinstance(value, str):
        return check_path(value)
    if isinstance(value, list | tuple) and value:
        return [check_text(label) for label in value]
    raise ValueError(f"must be a list of labels or the path of a file of them, not {quote_value(value)}")
