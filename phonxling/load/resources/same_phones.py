"""A user's table of which reference phone each target phone is the same as: a TSV with the header target, reference."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.inventory import GAP
from phonxling.core.phonology.spelling import canonical
from phonxling.load.text import check_symbol, read_lines

_HEADER = ("target", "reference")
_SHOWN = 10


def load_same_phones(path: Path) -> dict[str, tuple[str, int]]:
    """Return the counterpart of each phone listed, in canonical spelling, and its line; ∅ stands for none.

    Raises
    ------
    DataError
        If the file is missing or empty, or has another header.
        If a row has not two cells, a cell is empty, or a target phone is ∅ or stands twice: every such row is named.
    """
    lines = read_lines(path)
    _, first = next(lines, (1, ""))
    if tuple(first.split("\t")) != _HEADER:
        header = shown(first.replace("\t", ", ")) or "nothing"
        raise DataError(
            f"{path}:1: a table of phones has the header {', '.join(_HEADER)} (tab-separated), not {header}"
        )
    rows: dict[str, tuple[str, int]] = {}
    faults = _read(path, lines, rows)
    problems = [f"{path}:{text}" for text in islice(faults, _SHOWN)]
    more = sum(1 for _ in faults)  # counted, not kept
    if problems:
        raise DataError(join_problems(f"{path}: rows of the table of phones cannot be used:", problems, more=more))
    return rows


def _read(path: Path, lines: Iterator[tuple[int, str]], rows: dict[str, tuple[str, int]]) -> Iterator[str]:
    """Fill `rows`, and yield what is wrong with a line."""
    for line, text in lines:
        parts = [cell.strip() for cell in text.split("\t")]
        for part in parts:
            check_symbol(part, f"{path}:{line}")
        cells = [canonical(part) for part in parts]
        fault = _fault(cells, rows)
        if fault:
            yield f"{line}: {fault}"
        else:
            rows[cells[0]] = (cells[1], line)


def _fault(cells: list[str], rows: dict[str, tuple[str, int]]) -> str:
    if len(cells) != len(_HEADER):
        return f"{len(cells)} cells, but the header has {len(_HEADER)}"
    if "" in cells:
        return f"an empty {_HEADER[cells.index('')]}; no counterpart is written {GAP} (U+2205)"
    if cells[0] == GAP:
        return f"{GAP} is no phone of the target"
    return f"'{shown(cells[0])}' stands here again, after line {rows[cells[0]][1]}" if cells[0] in rows else ""
