"""Panels of equal size on a page: how large they are, and where each stands. All in mm."""

from dataclasses import dataclass

from phonxling.draw.style import EDGE, LINE

CAPTION_LINES = 2
_TITLE, _BETWEEN, _LEGEND = 5.0, 3.0, 4.5  # above a panel, between panels, below all


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
        return _below() + self.rows * (self.high + _TITLE)

    def corner(self, place: int) -> tuple[float, float]:
        """Return the lower left corner of the panel at a place, counted by rows from the top."""
        row, column = divmod(place, self.columns)
        return EDGE + column * (self.side + _BETWEEN), _below() + (self.rows - 1 - row) * (self.high + _TITLE)


def plan_panels(number: int, ratio: float, width: float, columns: int) -> Panels:
    """Return so many panels, of a height `ratio` times their width, in columns that fill the figure's width."""
    side = (width - 2 * EDGE - (columns - 1) * _BETWEEN) / columns
    return Panels(width, columns, -(-number // columns), side, side * ratio)


def _below() -> float:
    return EDGE + CAPTION_LINES * LINE + _LEGEND
