"""Names beside the rows and below the columns of a plot, with their ticks.

matplotlib's own ticks are five things to make, measure and draw for each name, which took a fifth of a figure's time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT

from phonxling.core.arrays import Floats
from phonxling.draw.colours import GREY, PASSING
from phonxling.draw.sheet import line_spacing
from phonxling.draw.style import PHONE

_WIDTH, _BEHIND = 0.4, 0.5  # points; the place of axes in the order in which things are drawn
_LOOK: dict[str, Any] = {"zorder": _BEHIND}


def name_rows(
    axes: Axes,
    places: Floats,
    names: Sequence[str],
    *,
    pad: float = 1.5,
    tick: float = 0,
    drop: float = 0,
    levels: Sequence[int] = (),
    size: float = PHONE,
    inks: Sequence[str] | None = None,
) -> None:
    """Write names left of rows at these places; their distance from the plot or a tick, and its length, in points.

    Each name stands on its level, `drop` points further left than the one before it; by default on the first.
    """
    axes.set_yticks([])
    of_names = np.array(levels or [0] * len(names), dtype=np.intp)
    look: dict[str, Any] = {**_LOOK, "fontsize": size, "va": "center", "linespacing": line_spacing()}
    beside = [axes.get_yaxis_text1_transform(pad + tick + level * drop) for level in range(of_names.max(initial=0) + 1)]
    for place, name, level, ink in zip(places, names, of_names, inks or ["black"] * len(names), strict=True):
        transform, _, side = beside[level]
        axes.text(0, place, name, color=ink, ha=side, transform=transform, **look)
    at: dict[str, Any] = {"marker": TICKLEFT, "transform": axes.get_yaxis_transform("tick1")}
    for level in range(len(beside) if tick else 0):
        rows = places[of_names == level]
        _mark(axes, Line2D(np.zeros(len(rows)), rows, **at), tick + level * drop, level)


def name_columns(
    axes: Axes, places: Floats, names: Sequence[str], *, pad: float, tick: float, drop: float, levels: Sequence[int]
) -> None:
    """Write names below columns at these places, each on its level, `drop` points below the one before it."""
    axes.set_xticks([])
    of_names = np.array(levels, dtype=np.intp)
    lengths = [tick + level * drop for level in range(of_names.max(initial=0) + 1)]
    below = [axes.get_xaxis_text1_transform(pad + length) for length in lengths]
    for at, name, level in zip(places, names, levels, strict=True):
        transform, _, side = below[level]
        axes.text(at, 0, name, fontsize=PHONE, va="baseline", ha=side, transform=transform, **_LOOK)
    look: dict[str, Any] = {"marker": TICKDOWN, "transform": axes.get_xaxis_transform("tick1")}
    for level, length in enumerate(lengths):
        columns = places[of_names == level]
        _mark(axes, Line2D(columns, np.zeros(len(columns)), **look), length, level)


def _mark(axes: Axes, ticks: Line2D, length: float, level: int) -> None:
    """Draw ticks; those that pass by other names, to names on a further level, are pale."""
    colour = PASSING if level else GREY
    ticks.set(linestyle="none", color=colour, markersize=length, markeredgewidth=_WIDTH, zorder=_BEHIND, clip_on=False)
    axes.add_artist(ticks)
