"""A user's costs: a TSV of pairs (gold, predicted, cost), or of phones (phone, cost) for insertions or deletions.

A cost is a decimal number or a fraction, read exactly. ∅ (U+2205) on one side of a pair stands for no phone, so such a
row is the cost of a deletion or an insertion.
"""

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path

from phonxling.core.cost_entries import CostEntries, GapEntries, parse_cost
from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.inventory import GAP
from phonxling.core.phonology.spelling import canonical
from phonxling.load.text import check_symbol, read_bytes, read_lines

_SHOWN = 10
_Key = tuple[str, ...]


def load_cost_table(path: Path) -> CostEntries:
    """Return the costs of a TSV with the header `gold, predicted, cost`.

    Raises
    ------
    DataError
        If the file is missing or empty, has another header, or no row.
        If a row has not three cells, its cost is no number of at least 0, it pairs ∅ with ∅, or its pair stands twice:
        every such row is named.
    """
    rows = _rows(path, ("gold", "predicted"))
    return CostEntries(pairs={(gold, heard): cost for (gold, heard), cost in rows.items()}, **_origin(path))


def load_gap_costs(path: Path) -> GapEntries:
    """Return the costs of a TSV with the header `phone, cost`: of inserting, or of deleting, each phone.

    Errors as for `load_cost_table`.
    """
    return GapEntries(phones={phone: cost for (phone,), cost in _rows(path, ("phone",)).items()}, **_origin(path))


def _origin(path: Path) -> dict[str, str]:
    return {"source": str(path), "digest": hashlib.sha256(read_bytes(path)).hexdigest()}


def _rows(path: Path, names: tuple[str, ...]) -> dict[_Key, Fraction]:
    lines = read_lines(path)
    header = (*names, "cost")
    line, first = next(lines, (0, ""))
    if not line:
        raise DataError(f"{path}: the table of costs is empty; it needs the header {', '.join(header)} and rows")
    if tuple(first.split("\t")) != header:
        actual = shown(first.replace("\t", ", "))
        raise DataError(
            f"{path}:{line}: a table of costs has the header {', '.join(header)} (tab-separated), not {actual}"
        )
    rows: dict[_Key, Fraction] = {}
    faults = _read(path, lines, header, rows)
    problems = [f"{path}:{text}" for text in islice(faults, _SHOWN)]
    more = sum(1 for _ in faults)  # counted, not kept
    if problems:
        number = f"{len(problems) + more} row{'s' if len(problems) > 1 else ''} of the table of costs cannot be used:"
        raise DataError(join_problems(f"{path}: {number}", problems, more=more))
    if not rows:
        raise DataError(f"{path}: the table of costs has a header but no row")
    return rows


def _read(
    path: Path, lines: Iterator[tuple[int, str]], header: tuple[str, ...], rows: dict[_Key, Fraction]
) -> Iterator[str]:
    """Fill `rows`, and yield what is wrong with a line."""
    places: dict[_Key, int] = {}
    for line, text in lines:
        *cells, cost = text.split("\t")
        for cell in cells:
            check_symbol(cell.strip(), f"{path}:{line}")
        key = tuple(canonical(cell.strip()) for cell in cells)
        fault = _fault(key, header)
        if not fault and key in places:
            fault = f"{shown(' → '.join(key))} stands here again, after line {places[key]}"
        if not fault:
            places[key] = line
            try:
                rows[key] = parse_cost(cost)
            except ValueError as error:
                fault = str(error)
        if fault:
            yield f"{line}: {fault}"


def _fault(key: _Key, header: tuple[str, ...]) -> str:
    if len(key) + 1 != len(header):
        return f"{len(key) + 1} cells, but the header has {len(header)}"
    if "" in key:
        return f"an empty {header[key.index('')]}; no phone is written {GAP} (U+2205)"
    if set(key) == {GAP}:
        return f"no edit pairs {GAP} with {GAP}" if len(key) > 1 else f"{GAP} is no phone"
    return ""
