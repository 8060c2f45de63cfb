"""A user's table of languages: code, and maybe name, family, group, whether seen in training, and further columns."""

import difflib
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.load.formats import fields_of, values_in
from phonxling.load.resources import language_name, take_rows
from phonxling.load.text import is_number, read_lines

KNOWN = ("code", "name", "family", "group", "seen")
_SEEN = {"yes": "seen", "no": "unseen", "": ""}
_NAMED = 10
_COLUMNS = frozenset(("lang", "language", "lang_sym", "lang_id", "iso", "iso639_3", "iso_639_3", "iso639-3", "locale"))


@dataclass(frozen=True, slots=True)
class Language:
    """A row: `seen` is "seen", "unseen" or "" (not known); `more` has the cells of further columns."""

    code: str
    line: int
    name: str = ""
    family: str = ""
    group: str = ""
    seen: str = ""
    more: Mapping[str, str] | None = None


def load_languages(path: Path) -> dict[str, Language]:
    """Return the languages of a TSV by code; DataError where a row is no language, or a code stands there twice."""
    lines = read_lines(path)
    _, first = next(lines, (1, ""))
    header = first.split("\t")
    if "code" not in header or len({*header}) < len(header) or "" in header:
        fault = "a column code, and each name once" if "code" in header else "a column code (tab-separated)"
        raise DataError(f"{path}:1: a table of languages has {fault}; this one has: {shown(', '.join(header), 400)}")
    found: dict[str, Language] = {}

    def take(line: int, text: str) -> str:
        cells = [cell.strip() for cell in text.split("\t")]
        if len(cells) != len(header):
            return f"{len(cells)} cells, but the header has {len(header)}"
        row = dict(zip(header, cells, strict=True))
        code, seen = row["code"], row.get("seen", "").lower()
        if not code:
            return "the code is empty"
        if code in found:
            return f"the code {shown(code)} stands here again, after line {found[code].line}"
        if seen not in _SEEN:
            return f"seen must be yes, no or empty, not '{shown(row['seen'])}'"
        about = {name: row.get(name, "") for name in ("family", "group")}
        more = {name: cell for name, cell in row.items() if name not in KNOWN}
        name = row.get("name") or language_name(code) or code
        found[code] = Language(code, line, name=name, seen=_SEEN[seen], more=more, **about)
        return ""

    take_rows(path, lines, take, lambda number: f"{path}: {number} row{'s' * (number > 1)} of the table of languages:")
    if not found:
        raise DataError(f"{path}: the table of languages has a header but no row")
    return found


def numbers_of(languages: Iterable[Language]) -> dict[str, list[float]]:
    """Return the further columns that hold numbers alone, at least three, as numbers; an empty cell is NaN."""
    rows = [one.more or {} for one in languages]
    cells = {name: [row.get(name, "") for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    return {
        name: [float(cell or "nan") for cell in own]
        for name, own in cells.items()
        if all(is_number(cell) for cell in own if cell) and sum(map(bool, own)) > 2
    }


def rows_of(path: Path, languages: Mapping[str, Language], corpora: Mapping[str, str | None]) -> dict[str, Language]:
    """Return the row of each corpus, given its code or None: that of its code, else that of its name.

    DataError for corpora without one.
    """
    own = {name: languages.get(code or name) or languages.get(name) for name, code in corpora.items()}
    if lacking := [corpora[name] or name for name, row in own.items() if row is None]:
        near = difflib.get_close_matches(lacking[0], languages, n=1)
        hint = f"; the nearest code there is '{near[0]}' (line {languages[near[0]].line})" if near else ""
        several = f"{len(lacking)} corpora have" if len(lacking) > 1 else "one corpus has"
        named = " ".join(lacking[:_NAMED]) + " …" * (len(lacking) > _NAMED)
        raise DataError(f"{path}: {several} no row in this table: {named}{hint}. Add a row for each")
    return {name: row for name, row in own.items() if row is not None}


def language_notes(path: Path, languages: Mapping[str, Language], used: Iterable[Language]) -> list[str]:
    """Return what is odd about a table: codes that ISO 639-3 has not, and rows that no corpus has."""
    codes = {one.code for one in used}
    idle = [one for one in languages.values() if one.code not in codes]
    odd = [one for one in languages.values() if re.fullmatch("[a-z]{3}", one.code) and not language_name(one.code)]
    return [
        f"{path}:{rows[0].line}: {shown(rows[0].code)} {what}" + f" (and {len(rows) - 1} more rows)" * (len(rows) > 1)
        for rows, what in (
            (odd, "is no code of ISO 639-3; it is read as a name of your own"),
            (idle, "is in no corpus"),
        )
        if rows
    ]


def unsplit_note(path: Path, form: str | None, columns: Mapping[str, str], chosen: Container[str]) -> str:
    """Return what to say of a table of several languages, none of which is chosen; "" where there is no such column."""
    for name in (each for each in fields_of(path, form) if each.lower() in _COLUMNS and each not in chosen):
        if (number := len(values_in(path, form, columns, name))) > 1:
            return f"the table has a column {name} with {number} values; split_by: {name} makes a corpus of each"
    return ""
