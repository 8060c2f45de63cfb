"""The first line of a table: which column is which, and what the file looks like when the columns are not there."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.load.field_names import HEADER_LETTERS, ROLES, advice, listed, meanings
from phonxling.load.text import is_number

_MARKS = {"tsv": "\t", "csv": ","}
_OTHERS = {
    "\t": ("tab-separated", "tsv"),
    ",": ("comma-separated", "csv"),
    ";": ("semicolon-separated", "csv"),
}
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
        raise DataError(f"{path}{':1' if header else ''}: {what}")
    if len(set(header)) != len(header):
        raise DataError(f"{path}:1: a column name occurs twice: {shown(', '.join(header), HEADER_LETTERS)}")
    if missing:
        msg = f"{path}:1: no column {', '.join(sorted(missing))}; the file has: {listed(header)}"
        line = _MARKS[form].join(("utterance", "phones")).replace("\t", "<tab>")
        unnamed = "" if meanings(header) else f". If this is the first utterance, write a header above it: {line}"
        raise DataError(f"{msg}. {advice(header)}{unnamed}")
    return places


def _odd(header: Sequence[str], form: str) -> str:
    """Return what is wrong with a first line that lacks columns, "" if it seems to be a header."""
    mark = _MARKS[form]
    line = shown(mark.join(header).replace("\t", "<tab>"), _SHOWN)
    if not header:
        return "the file is empty"
    if len(header) == 1 and (other := next((name for name in _OTHERS if name in header[0] and name != mark), "")):
        called, right = _OTHERS[other]
        fix = f"give format: {right} (--format {right}), or rename the file to .{right}"
        return f"looks {called}, not {_OTHERS[mark][0]}; {fix}"
    if len(header) == 1 and "|" in header[0]:
        return f"columns between |, not {_OTHERS[mark][0]}; write {'tabs' if form == 'tsv' else 'commas'} instead"
    if len(header) == 1 and len(header[0].split()) > 1:
        kaldi = "If a line is an id and its phones, with spaces between them, give format: kaldi-text"
        return f"the first line, '{line}', is one column: columns are {_OTHERS[mark][0]}. {kaldi} (--format kaldi-text)"
    if header[0].startswith("sep="):
        return "the first line, sep=…, is a mark for Excel; remove it"
    if any(name != name.strip() for name in header):
        return f"names of columns with spaces around them: '{line}'; remove the spaces beside the separators"
    if form == "tsv" and all(len(name) > 1 and name[0] == name[-1] == '"' for name in header):
        return (
            "names of columns in quotes, which are part of the names in a TSV; write it without (in R: quote = FALSE)"
        )
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
