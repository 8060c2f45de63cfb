"""A user's table of errors in the gold: a TSV with the header written, true, probability.

A row says which share of the gold phones written so are another phone in truth: p(true | written), as one finds it by
checking some of the gold.
"""

import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from phonxling.core.errors import DataError, join_problems, shown
from phonxling.core.inventory import GAP
from phonxling.core.phonology.spelling import canonical
from phonxling.load.text import check_symbol, read_lines

_HEADER = ("written", "true", "probability")
_SHOWN = 10
_ROUNDING = 1e-9
Shares = dict[tuple[str, str], float]


def load_gold_errors(path: Path) -> Shares:
    """Return p(true | written) by (written, true) phone, in canonical spelling; rows of right phones are left out.

    Raises
    ------
    DataError
        If the file is missing or empty, or has another header.
        If a row has not three cells, a phone is empty or ∅, the probability is no number from 0 to 1, or the pair
        stands twice: every such row is named.
        If the errors of a written phone come to 1 or more.
    """
    lines = read_lines(path)
    _, first = next(lines, (1, ""))
    if tuple(first.split("\t")) != _HEADER:
        header = shown(first.replace("\t", ", ")) or "nothing"
        raise DataError(
            f"{path}:1: a table of gold errors has the header {', '.join(_HEADER)} (tab-separated), not {header}"
        )
    rows: Shares = {}
    faults = _read(path, lines, rows)
    problems = [f"{path}:{text}" for text in islice(faults, _SHOWN)]
    more = sum(1 for _ in faults)  # counted, not kept
    if problems:
        raise DataError(join_problems(f"{path}: rows of the table of gold errors cannot be used:", problems, more=more))
    wrong = {pair: share for pair, share in rows.items() if pair[0] != pair[1]}
    sums = {phone: math.fsum(share for (one, _), share in wrong.items() if one == phone) for phone, _ in wrong}
    if over := [f"{phone}: {total:g}" for phone, total in sums.items() if total >= 1 - _ROUNDING]:
        raise DataError(join_problems(f"{path}: a written phone is never right, its errors come to 1 or more:", over))
    return wrong


def _read(path: Path, lines: Iterator[tuple[int, str]], rows: Shares) -> Iterator[str]:
    """Fill `rows`, and yield what is wrong with a line."""
    for line, text in lines:
        *cells, number = [cell.strip() for cell in text.split("\t")]
        for cell in cells:
            check_symbol(cell, f"{path}:{line}")
        pair = tuple(canonical(cell) for cell in cells)
        fault = _fault(pair) or (f"{' → '.join(pair)} stands here again" if pair in rows else "")
        share = _share(number)
        if fault or share is None:
            yield f"{line}: {fault or f'no probability from 0 to 1: {shown(number)!r}'}"
        else:
            rows[pair[0], pair[1]] = share


def _fault(pair: tuple[str, ...]) -> str:
    if len(pair) + 1 != len(_HEADER):
        return f"{len(pair) + 1} cells, but the header has {len(_HEADER)}"
    if "" in pair:
        return f"an empty {_HEADER[pair.index('')]} phone"
    return f"{GAP} is no phone: missing and additional gold phones are not modelled" if GAP in pair else ""


def _share(text: str) -> float | None:
    try:
        share = float(text)
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None
