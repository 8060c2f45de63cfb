"""The names that stand beside the rows and below the columns of a drawn plot."""

from matplotlib.axes import Axes
from matplotlib.text import Text


def row_names(axes: Axes) -> list[str]:
    """Return the names of the rows, in their order on the axis."""
    return [name for _, name in sorted((text.get_position()[1], text.get_text()) for text in _texts(axes, "center"))]


def column_names(axes: Axes) -> list[str]:
    """Return the names of the columns, in their order on the axis."""
    return [name for _, name in column_places(axes)]


def column_places(axes: Axes) -> list[tuple[float, str]]:
    """Return where on the axis each name of a column stands."""
    return sorted((float(text.get_position()[0]), text.get_text()) for text in _texts(axes, "baseline"))


def _texts(axes: Axes, side: str) -> list[Text]:
    return [text for text in axes.texts if type(text) is Text and text.get_va() == side]
