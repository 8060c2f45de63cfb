"""How large a heat map must be for its labels to stand free, and how many phones a page can hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from phonxling.draw.sheet import fitted, text_size
from phonxling.draw.style import EDGE, PAGE_HEIGHT, PHONE, TWO_COLUMNS, FigureOptions, house_style

TICK, AXIS_LABEL, MARGIN_BAR = 0.9, 3.6, 9.0  # mm
ABOVE_AND_BELOW = 50.0  # mm a page needs beside the cells: title, bars, labels, colour bar, notes
_LEAST_CELL, _MOST_CELL = 1.3, 5.0  # mm
_AIR = 0.5  # mm between labels
_MOST_LEVELS = 3
_WIDEST_ROW, _WIDEST_COLUMN = 30.0, _MOST_LEVELS * _MOST_CELL - _AIR  # mm: a longer label is cut
LEAST_SIDE = 20.0  # mm, so that the axes' names fit beside few phones


def row_label(phone: str) -> str:
    """Return what stands beside a row: the phone, cut in its middle where it is very long."""
    return fitted(phone, _WIDEST_ROW, size=PHONE)


def column_label(phone: str) -> str:
    """Return what stands below a column: labels on three levels must not meet."""
    return fitted(phone, _WIDEST_COLUMN, size=PHONE)


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes in mm, how many `levels` the column labels stand on, and the most columns and rows that fit."""

    width: float
    left: float
    right: float
    cell_width: float
    cell_height: float
    label_height: float
    label_ascent: float
    levels: int
    room_columns: int
    room_rows: int

    @property
    def below_cells(self) -> float:
        """The height of the column labels and of their ticks."""
        return TICK + self.levels * self.label_height + 0.4


def plan_layout(
    rows: Sequence[str], columns: Sequence[str], options: FigureOptions, *, bars: bool = False, gap: float = 0.0
) -> Layout:
    """Return the layout for these labels: the width that was asked for if its labels fit, else two columns.

    Labels of columns stand on one level or, where they are too close, on two or three in turn. `gap` is the share of a
    cell that sets ∅ apart, `bars` whether bars of token counts stand beside the cells.
    """
    with house_style(options.font):
        row_sizes = [text_size(row_label(phone), PHONE)[:2] for phone in rows]
        sizes = [text_size(column_label(phone), PHONE) for phone in columns]
        line = text_size("lp", PHONE)  # no line is lower than this
    widths = [width for width, _, _ in sizes]
    ascent = max(height - depth for _, height, depth in [*sizes, line])
    descent = max(depth for *_, depth in [*sizes, line])
    left = EDGE + AXIS_LABEL + max((width for width, _ in row_sizes), default=0) + TICK + 1.6
    right = (MARGIN_BAR + 2 if bars else 0.0) + EDGE
    least = max((max(widths, default=0) + _AIR) / _MOST_LEVELS, _LEAST_CELL)
    needed = left + right + least * (len(columns) + gap)
    width = options.width_mm if needed <= options.width_mm else max(TWO_COLUMNS, options.width_mm)
    space, height = width - left - right, PAGE_HEIGHT - ABOVE_AND_BELOW
    tallest = max((height for _, height in row_sizes), default=0) + 0.1
    room_columns, room_rows = floor(space / least - gap), floor(height / tallest - gap)
    most = max(_MOST_CELL, LEAST_SIDE / (min(len(rows), len(columns)) + gap))
    cell_width = min(space / (min(len(columns), room_columns) + gap), most)
    square = min(cell_width, height / (min(len(rows), room_rows) + gap))
    return Layout(
        width=width,
        left=left,
        right=right,
        cell_width=cell_width,
        cell_height=max(tallest, square, LEAST_SIDE / (len(rows) + gap)),
        label_height=ascent + descent + 0.3,
        label_ascent=ascent,
        levels=_levels(widths, cell_width),
        room_columns=room_columns,
        room_rows=room_rows,
    )


def _levels(widths: Sequence[float], cell: float) -> int:
    """Return on how many levels the labels must stand in turn so that none touches the next on its level."""
    for levels in range(1, _MOST_LEVELS):
        pairs = zip(widths, widths[levels:], strict=False)  # each label and the next on its level
        if all((width + following) / 2 + _AIR <= levels * cell for width, following in pairs):
            return levels
    return _MOST_LEVELS
