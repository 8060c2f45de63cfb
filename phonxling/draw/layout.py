"""How large a heat map must be for its labels to stand free, and how many phones a page can hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import floor

from phonxling.draw.order import is_rest
from phonxling.draw.sheet import fitted, text_size
from phonxling.draw.style import EDGE, PAGE_HEIGHT, PHONE, TWO_COLUMNS, FigureOptions, house_style

TICK, AXIS_LABEL, MARGIN_BAR = 0.9, 3.6, 9.0  # mm
STRIP, BETWEEN = 6.0, 1.2  # mm: the height of the bars of ∅, and between them and the cells
ABOVE_AND_BELOW = 58.0  # mm a page needs beside the cells: title, bars, strip, labels, colour bar, notes
_LEAST_CELL, _MOST_CELL = 1.15, 5.0  # mm
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
    """Sizes in mm: a square cell's `side`, and what stands around the cells; the most columns and rows that fit.

    `row_levels` and `column_levels` say for each label on which level it stands, `row_drop` how far these are apart.
    """

    width: float
    left: float
    side: float
    row_drop: float
    row_levels: tuple[int, ...]
    column_levels: tuple[int, ...]
    label_height: float
    label_ascent: float
    room_columns: int
    room_rows: int

    @property
    def below_cells(self) -> float:
        """The height of the column labels and of their ticks."""
        return TICK + (max(self.column_levels, default=0) + 1) * self.label_height + 0.4


def plan_layout(
    rows: Sequence[str], columns: Sequence[str], options: FigureOptions, *, bars: bool = False, gap: float = 0.0
) -> Layout:
    """Return the layout for these labels: the width that was asked for if its labels fit, else two columns.

    Labels stand on one level or, where they are too close, on two or three in turn; that of phones that are drawn as
    one has a line of its own below the columns. `gap` is the share of a cell that sets ∅ apart, `bars` whether bars of
    token counts stand beside the cells.
    """
    with house_style(options.font):
        row_sizes = [text_size(row_label(phone), PHONE)[:2] for phone in rows]
        sizes = [text_size(column_label(phone), PHONE) for phone in columns]
        line = text_size("lp", PHONE)  # no line is lower than this
    widths = [width for phone, (width, *_) in zip(columns, sizes, strict=True) if not is_rest(phone)]
    ascent = max(height - depth for _, height, depth in [*sizes, line])
    descent = max(depth for *_, depth in [*sizes, line])
    tallest = max((height for _, height in row_sizes), default=0) + 0.1
    drop = max((width for width, _ in row_sizes), default=0) + _AIR
    least = max((max(widths, default=0) + _AIR) / _MOST_LEVELS, tallest / _MOST_LEVELS, _LEAST_CELL)
    spare = max((width - least for phone, (width, *_) in zip(columns, sizes, strict=True) if is_rest(phone)), default=0)
    right = EDGE + max(MARGIN_BAR + 2 if bars else 0, spare / 2)
    height = PAGE_HEIGHT - ABOVE_AND_BELOW
    most = max(_MOST_CELL, LEAST_SIDE / (max(len(rows), len(columns)) + gap))
    for width, levels in product((options.width_mm, max(TWO_COLUMNS, options.width_mm)), range(1, _MOST_LEVELS + 1)):
        left = EDGE + AXIS_LABEL + TICK + 1.6 + drop * levels
        room_columns, room_rows = floor((width - left - right) / least - gap), floor(height / least)
        space = (width - left - right) / (min(len(columns), room_columns) + gap)
        side = min(space, height / min(len(rows), room_rows), most)
        if side >= tallest / levels and len(columns) <= room_columns:
            break
    return Layout(
        width=width,
        left=left,
        side=side,
        row_drop=drop,
        row_levels=tuple(place % levels for place in range(len(rows))),
        column_levels=_column_levels(columns, [width for width, *_ in sizes], side),
        label_height=ascent + descent + 0.3,
        label_ascent=ascent,
        room_columns=room_columns,
        room_rows=room_rows,
    )


def _column_levels(columns: Sequence[str], widths: Sequence[float], side: float) -> tuple[int, ...]:
    """Return the level of each label, in turn, so that none touches the next on its level."""
    own = [0 if is_rest(phone) else width for phone, width in zip(columns, widths, strict=True)]
    levels = next((number for number in range(1, _MOST_LEVELS) if _is_free(own, number, side)), _MOST_LEVELS)
    return tuple(levels if is_rest(phone) else place % levels for place, phone in enumerate(columns))


def _is_free(widths: Sequence[float], levels: int, side: float) -> bool:
    pairs = zip(widths, widths[levels:], strict=False)  # each label and the next on its level
    return all((width + following) / 2 + _AIR <= levels * side for width, following in pairs)
