"""What stands beside the cells of a heat map: bars of token counts, the colour bar, the meaning of the marks."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from phonxling.draw.colours import GREY, INK
from phonxling.draw.grid import Grid, Scale, centres
from phonxling.draw.layout import MARGIN_BAR
from phonxling.draw.page import axes_at, legend_at, write_at
from phonxling.draw.style import SMALL


def draw_bars(figure: Figure, grid: Grid, box: tuple[float, float, float, float]) -> None:
    """Draw the tokens of rows and columns beside and above the cells; their box: left, bottom, width, height in mm."""
    left, bottom, wide, high = box
    thick = MARGIN_BAR - 2
    side = axes_at(figure, left + wide + 1, bottom, thick, high)
    side.barh(centres(len(grid.rows), grid.apart), np.asarray(grid.row_tokens), height=0.72, color=GREY)
    over = axes_at(figure, left, bottom + high + 1, wide, thick)
    over.bar(centres(len(grid.columns), grid.apart), np.asarray(grid.column_tokens), width=0.72, color=GREY)
    main = figure.axes[0]
    side.set(ylim=main.get_ylim(), xlim=(0, None))
    over.set(xlim=main.get_xlim(), ylim=(0, None))
    for axis, limit in ((side.xaxis, side.get_xlim()[1]), (over.yaxis, over.get_ylim()[1])):
        tick = round_down(limit)
        axis.set_ticks([tick], [f"{tick:,.0f}"])
    over.yaxis.tick_right()
    side.set_yticks([])
    over.set_xticks([])
    for bars in (side, over):
        bars.spines[:].set_visible(False)
        bars.tick_params(length=1.5, pad=0.8, color=GREY)
    side.set_xlabel("tokens", fontsize=SMALL, labelpad=0.5)


def round_down(limit: float) -> float:
    """Return the greatest 1, 2 or 5 times a power of ten that is not above the limit."""
    power = 10.0 ** np.floor(np.log10(limit)) if limit > 0 else 1.0
    return float(max(step * power for step in (1, 2, 5) if step == 1 or step * power <= limit))


def draw_key(figure: Figure, grid: Grid, scale: Scale, place: tuple[float, float, float]) -> None:
    """Draw the colour bar with its unit and, beside it, what the marks mean; place: left, bottom, width in mm."""
    left, bottom, wide = place
    axes = axes_at(figure, left, bottom, wide, 2)
    bar = figure.colorbar(ScalarMappable(scale.norm, scale.colours), cax=axes, orientation="horizontal")
    bar.ax.xaxis.set_major_locator(FixedLocator(list(scale.ticks)))
    bar.ax.xaxis.set_minor_locator(NullLocator())
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(length=1.5, pad=1, labelsize=SMALL)
    write_at(figure, left, bottom + 2.5, scale.label, SMALL, va="bottom")
    handles: dict[str, Artist] = {
        "outlined": Patch(facecolor="none", edgecolor=grid.outline, linewidth=0.8),
        "dashed": Line2D([], [], linestyle="none", marker="_", markersize=3, color=INK),
        "dotted": Line2D([], [], linestyle="none", marker=".", markersize=2.5, color=GREY),
        "missing": Line2D([], [], linestyle="none", marker="x", markersize=2.5, markeredgewidth=0.5, color=GREY),
    }
    entries = {meaning: handles[kind] for kind, meaning in grid.legend.items()}
    if entries:
        legend_at(figure, left + wide + 2, bottom + 2.7 - 1.5 * len(entries), entries, 1)
