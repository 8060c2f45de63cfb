"""Panels of equal size on a page: how large they are, and where each stands. All in mm."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.core.arrays import Floats
from phonxling.draw.style import EDGE, LINE, PAGE_HEIGHT

CAPTION_LINES = 3
LEAST_HIGH, MOST_HIGH = 0.65, 1.0  # a panel's height over its width
_TITLE, _BETWEEN = 5.8 + LINE, 3.0  # above a panel, between panels
_GAP, _LEGEND_ROW = 1.7, 2.8  # below all panels: air, and each row of the legend
_AIR = 0.1  # so that rounding makes no page too high
_LEGEND_WIDE = 80.0  # holds all entries in a row


@dataclass(frozen=True, slots=True)
class Panels:
    """Panels in rows and columns: the figure's width, and each panel's width and height."""

    width: float
    columns: int
    rows: int
    side: float
    high: float

    @property
    def height(self) -> float:
        """The figure's height."""
        return _below(self.width) + self.rows * (self.high + _TITLE)

    def corner(self, place: int) -> tuple[float, float]:
        """Return the lower left corner of the panel at a place, counted by rows from the top."""
        row, column = divmod(place, self.columns)
        return EDGE + column * (self.side + _BETWEEN), _below(self.width) + (self.rows - 1 - row) * (self.high + _TITLE)


def plan_panels(number: int, ratio: float, width: float, columns: int) -> Panels:
    """Return so many panels, of a height `ratio` times their width, in columns that fill the figure's width.

    There are no more columns than panels. Where the panels would not fit on a page they are made lower, but not lower
    than 0.65 times their width.
    """
    columns = min(columns, number)
    side = (width - 2 * EDGE - (columns - 1) * _BETWEEN) / columns
    rows = -(-number // columns)
    room = (PAGE_HEIGHT - _AIR - _below(width)) / rows - _TITLE
    high = max(min(side * ratio, room), side * LEAST_HIGH)
    return Panels(width, columns, rows, side, high)


def legend_columns(width: float) -> int:
    """Return in how many columns the legend's four entries stand."""
    return 4 if width >= _LEGEND_WIDE else 2


def _below(width: float) -> float:
    return EDGE + CAPTION_LINES * LINE + _GAP + _LEGEND_ROW * (4 // legend_columns(width))


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """What all panels must hold: its middle [2], and its extent [2] with a margin."""

    middle: Floats
    extent: Floats

    @property
    def ratio(self) -> float:
        """The height over the width that a panel would best have."""
        return min(float(self.extent[1] / self.extent[0]), MOST_HIGH)

    def limits(self, ratio: float) -> tuple[float, float, float, float]:
        """Return limits of x and of y in a panel of this height over width, units equal on both axes."""
        wide = max(self.extent[0], self.extent[1] / ratio)
        (x, y), tall = self.middle, wide * ratio
        return x - wide / 2, x + wide / 2, y - tall / 2, y + tall / 2


def span_of(points: pd.DataFrame) -> Span:
    """Return the span of all points and circles."""
    reach = points["spread"].fillna(0)
    low = np.array([(points[axis] - reach).min() for axis in "xy"])
    high = np.array([(points[axis] + reach).max() for axis in "xy"])
    return Span((low + high) / 2, np.where(high > low, (high - low) * 1.14, 1.0))
