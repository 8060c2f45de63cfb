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
from phonxling.draw.colours import GREY
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
    size: float = PHONE,
    inks: Sequence[str] | None = None,
) -> None:
    """Write names left of rows at these places; their distance from the plot or a tick, and its length, in points."""
    axes.set_yticks([])
    left, _, side = axes.get_yaxis_text1_transform(pad + tick)
    look: dict[str, Any] = {**_LOOK, "fontsize": size, "va": "center", "ha": side, "transform": left}
    look["linespacing"] = line_spacing()
    for place, name, ink in zip(places, names, inks or ["black"] * len(names), strict=True):
        axes.text(0, place, name, color=ink, **look)
    if tick:
        at: dict[str, Any] = {"marker": TICKLEFT, "transform": axes.get_yaxis_transform("tick1")}
        _mark(axes, Line2D(np.zeros(len(places)), places, **at), tick)


def name_columns(
    axes: Axes, places: Floats, names: Sequence[str], *, pad: float, tick: float, drop: float, levels: int
) -> None:
    """Write names below columns at these places, on levels in turn, each `drop` points below the one before it."""
    axes.set_xticks([])
    lengths = [tick + level * drop for level in range(levels)]
    below = [axes.get_xaxis_text1_transform(pad + length) for length in lengths]
    for place, (at, name) in enumerate(zip(places, names, strict=True)):
        transform, _, side = below[place % levels]
        axes.text(at, 0, name, fontsize=PHONE, va="baseline", ha=side, transform=transform, **_LOOK)
    look: dict[str, Any] = {"marker": TICKDOWN, "transform": axes.get_xaxis_transform("tick1")}
    for level, length in enumerate(lengths):
        _mark(axes, Line2D(places[level::levels], np.zeros(len(places[level::levels])), **look), length)


def _mark(axes: Axes, ticks: Line2D, length: float) -> None:
    ticks.set(linestyle="none", color=GREY, markersize=length, markeredgewidth=_WIDTH, zorder=_BEHIND, clip_on=False)
    axes.add_artist(ticks)
