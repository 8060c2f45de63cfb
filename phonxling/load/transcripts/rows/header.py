"""The first line of a table: which column is which, and what the file looks like when the columns are not there."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.load.field_names import HEADER_LETTERS, ROLES, advice, listed
from phonxling.load.text import is_number

_MARKS = {"tsv": "\t", "csv": ","}
_CALLED = {"tsv": "tab-separated", "csv": "comma-separated"}
_SHOWN = 100  # letters of a first line
_LONGEST = 6  # letters of what may be a phone


def positions(path: Path, header: list[str], columns: Mapping[str, str], form: str) -> dict[str, int]:
    """Return the places of the columns by what they mean; `columns` renames, and `id` does for `utterance`.

    Raises
    ------
    DataError
        If a name occurs twice, or a column is missing: the message says what the columns seem to hold.
        If the first line is no header, or separated otherwise than the format `form` is (tsv or csv).
    """
    titles = {name: columns.get(name, name) for name in ROLES if name != "times" or name in columns}
    if "utterance" not in columns and "utterance" not in header:
        titles["utterance"] = "id"
    places = {name: header.index(title) for name, title in titles.items() if title in header}
    needed = ("utterance", "start", "end", "phone") if "phone" in places else ("utterance", "phones")
    missing = [columns.get(name, name) for name in {*needed, *columns} if name not in places]
    if (missing or len(set(header)) != len(header)) and (what := _odd(header, form)):
        raise DataError(f"{path}:1: {what}")
    if len(set(header)) != len(header):
        raise DataError(f"{path}:1: a column name occurs twice: {shown(', '.join(header), HEADER_LETTERS)}")
    if missing:
        msg = f"{path}:1: no column {', '.join(sorted(missing))}; the file has: {listed(header)}"
        raise DataError(f"{msg}. {advice(header)}")
    return places


def _odd(header: Sequence[str], form: str) -> str:
    """Return what is wrong with a first line that lacks columns, "" if it seems to be a header."""
    mark = _MARKS[form]
    other = next((name for name in _MARKS if name != form and _MARKS[name] in header[0]), "") if header else ""
    if len(header) == 1 and other:
        fix = f"give format: {other} (--format {other}), or rename the file to .{other}"
        return f"looks {_CALLED[other]}, not {_CALLED[form]}; {fix}"
    line = shown(mark.join(header).replace("\t", "<tab>"), _SHOWN)
    if len(header) == 1 and len(header[0].split()) > 1:
        kaldi = "lines of an id and its phones, separated by spaces, are format: kaldi-text (--format kaldi-text)"
        return f"one column alone, '{line}': columns are {_CALLED[form]}; {kaldi}"
    if not _is_row(header):
        return ""
    names = mark.join(_names_for(header)).replace("\t", "<tab>")
    return f"no header: the first line is '{line}'. Write this line above it: {names}"


def _is_row(cells: Sequence[str]) -> bool:
    """Return whether cells are those of a row: a number, or several short symbols in one cell."""
    symbols = (cell.split() for cell in cells)
    return any(map(is_number, cells)) or any(len(each) > 1 and max(map(len, each)) <= _LONGEST for each in symbols)


def _names_for(cells: Sequence[str]) -> list[str]:
    """Return the header that a row seems to lack."""
    numbers = [place for place, cell in enumerate(cells) if is_number(cell)]
    texts = [place for place in range(len(cells)) if place not in numbers] or [0]
    phones = max(texts, key=lambda place: (len(cells[place].split()), place))
    roles = {phones: "phones" if len(numbers) < 2 else "phone"}
    if len(numbers) > 1:
        roles |= {numbers[0]: "start", numbers[1]: "end"}
    first = next((place for place in range(len(cells)) if place not in roles), None)
    if first is not None:
        roles[first] = "utterance"
    return [roles.get(place, f"column{place + 1}") for place in range(len(cells))]
