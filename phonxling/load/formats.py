"""Which loader reads a file: by the given format, by the file's name, or by its first lines."""

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.nist import load_ctm, load_stm, load_trn
from phonxling.load.tables import load_csv, load_tsv
from phonxling.load.text import read_lines
from phonxling.load.timit import load_phn

Loader = Callable[[Path, Mapping[str, str]], Transcript]
_BUILT_IN: dict[str, Loader] = {
    "tsv": load_tsv,
    "csv": load_csv,
    "ctm": load_ctm,
    "stm": load_stm,
    "trn": load_trn,
    "phn": load_phn,
}


def loaders() -> dict[str, Loader]:
    """Return the loaders by format name; the entry-point group `phonxling.loaders` adds others."""
    plugged = {point.name: point for point in entry_points(group="phonxling.loaders")}
    return {**{name: point.load() for name, point in plugged.items() if name not in _BUILT_IN}, **_BUILT_IN}


def load_transcript(path: Path, form: str | None = None, columns: Mapping[str, str] | None = None) -> Transcript:
    """Return a file's transcript; the format is guessed from the name and content unless given.

    Raises
    ------
    DataError
        If the file is missing, the format is unknown or cannot be guessed, or the file is not of that format.
    """
    known = loaders()
    name = form or guess_format(path)
    if name not in known:
        raise DataError(f"{path}: no format is called '{name}'; there are: {', '.join(sorted(known))}")
    return known[name](path, columns or {})


def guess_format(path: Path) -> str:
    """Return the format that a file's name or else its first lines speak for; DataError when neither does."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix in loaders():
        return suffix
    if path.is_dir():
        return "phn"
    _, line = next(((n, text) for n, text in read_lines(path) if not text.startswith(";;")), (0, ""))
    found = _guess_from(line)
    if not found:
        msg = f"{path}: the format cannot be told from its name or its first line"
        raise DataError(f"{msg}; give it (--format or format:), one of: {', '.join(sorted(loaders()))}")
    return found


def _guess_from(line: str) -> str:
    fields = line.split()
    numbers = [_is_number(field) for field in fields[:5]]
    if line.rstrip().endswith(")") and "(" in line:
        return "trn"
    if len(fields) in {5, 6} and numbers[2:4] == [True, True]:
        return "ctm"
    if len(fields) >= 5 and numbers[3:5] == [True, True]:
        return "stm"
    if len(fields) == 3 and fields[0].isdecimal() and fields[1].isdecimal():
        return "phn"
    return "tsv" if "\t" in line else ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
