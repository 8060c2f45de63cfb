"""What is printed in the place of the explorer: each corpus' confusion matrix, as shapes that need no script."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from phonxling.core.inventory import GAP
from phonxling.report.page.render import PrintedMatrix, Shade

_SHADES = 6  # steps of darkness
_Phones = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Cell:
    row: int
    column: int
    shade: int


def printed_matrix(confusions: pd.DataFrame, title: str, phones: _Phones) -> PrintedMatrix | None:
    """Return the matrix of a corpus' confusions.tsv, p(predicted | gold) in steps of darkness; None without rows.

    The column ∅ is of deletions; insertions have no row, for they have no gold phone. All are shares of all tokens.
    """
    if not len(confusions):
        return None
    rows, columns = list(phones["gold"]), [*phones["predicted"], GAP]
    cells = sorted(_cells(confusions, rows, columns), key=lambda cell: cell.shade)
    shades = [Shade(shade, _path(list(own))) for shade, own in groupby(cells, lambda cell: cell.shade)]
    return PrintedMatrix(title=title, rows=rows, columns=columns, shades=shades)


def _cells(confusions: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> Iterator[_Cell]:
    """Yield the cells that are dark enough to be seen."""
    of_gold = confusions[confusions["gold"] != GAP]
    shares = of_gold["count"] / of_gold.groupby("gold")["count"].transform("sum")
    places = [{phone: place for place, phone in enumerate(phones)} for phones in (rows, columns)]
    for gold, predicted, share in zip(of_gold["gold"], of_gold["predicted"], shares, strict=True):
        shade = round(_SHADES * float(share) ** 0.5)
        if shade:
            yield _Cell(places[0][gold], places[1][predicted], shade)


def _path(cells: Sequence[_Cell]) -> str:
    return "".join(f"M{cell.column} {cell.row}h1v1h-1z" for cell in cells)
