"""The labelled heat map that confusions, residuals and association share: cells, marks, bars of tokens, colour bar."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from phonxling.core.arrays import Bools, Floats
from phonxling.core.inventory import GAP
from phonxling.draw.colours import GREY, INK, MIDDLE_BLUE, OUTLINE, PALE_GREY
from phonxling.draw.layout import (
    AXIS_LABEL,
    BETWEEN,
    LEAST_SIDE,
    MARGIN_BAR,
    STRIP,
    TICK,
    Layout,
    column_label,
    row_label,
)
from phonxling.draw.sheet import (
    axes_at,
    legend_at,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, FEW, LINE, PHONE, SMALL, TEXT, house_style
from phonxling.draw.ticks import name_columns, name_rows

GAP_WIDTH = 0.5  # cells between the phones and ∅
_PAD = 1.6  # points between a tick and its label
_BESIDE_SCALE = 15.0  # points between the bars of ∅ and their name, for the numbers of their scale


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """What a heat map shows: values [rows, columns] with NaN where there are no data, and what stands beside them.

    `apart` sets the last column (∅) apart. Cells may be `outlined` (in the colour `outline`), `dashed` (negative: a
    sign that survives a grey print) or `dotted`. `row_tokens` and `column_tokens` are drawn as bars, and so is `below`,
    [columns], under the cells on a scale of its own, since its values have another denominator; it is named ∅.
    """

    values: Floats
    rows: Sequence[str]
    columns: Sequence[str]
    row_name: str
    column_name: str
    apart: bool = False
    outlined: Bools | None = None
    outline: str = OUTLINE
    dashed: Bools | None = None
    dotted: Bools | None = None
    row_tokens: Floats | None = None
    column_tokens: Floats | None = None
    below: Floats | None = None
    legend: dict[str, str] = field(default_factory=dict)  # outlined, dashed, dotted, missing: what it means


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Colours of the values, their unit as the colour bar's label, and its ticks."""

    colours: Colormap
    norm: Normalize
    label: str
    ticks: Sequence[float]


def draw_heatmap(grid: Grid, scale: Scale, layout: Layout, *, title: str, notes: Sequence[str], font: str) -> Figure:
    """Return the figure: title, bars of tokens, cells, labels, colour bar with its unit, legend, notes."""
    with house_style(font):
        lines = [line for note in notes for line in wrap_notes(note, layout.width)]
        high, wide = len(grid.rows) * layout.side, (len(grid.columns) + GAP_WIDTH * grid.apart) * layout.side
        block, strip = max(high, LEAST_SIDE), 0.0 if grid.below is None else STRIP + BETWEEN
        top = TEXT * 0.6 + (MARGIN_BAR if grid.column_tokens is not None else 0) + 1
        key = EDGE + LINE * len(lines) + 4.2  # the colour bar's lower side
        bottom = key + 2 + 4 + AXIS_LABEL + layout.below_cells
        bottom += strip
        figure = sheet(layout.width, bottom + block + top)
        write_title(figure, bottom + block + top, title)
        axes = axes_at(figure, layout.left, bottom, wide, high)
        _draw_cells(axes, grid, scale)
        lowest = axes if grid.below is None else _draw_below(axes, grid, (layout.left, bottom - strip, wide, STRIP))
        _label((axes, lowest), grid, layout)
        middle = bottom + block / 2
        write_at(figure, EDGE, middle, grid.row_name, va="center", ha="left", upwards=True)
        beneath = bottom - strip - layout.below_cells
        write_at(figure, layout.left + wide / 2, beneath, grid.column_name, va="top", ha="center")
        if grid.row_tokens is not None and grid.column_tokens is not None:
            _draw_bars(figure, grid, (layout.left, bottom, wide, high))
        _draw_key(figure, grid, scale, (EDGE + AXIS_LABEL, key, max(40.0, text_size(scale.label, SMALL)[0])))
        write_notes(figure, lines)
        settle(figure)
    return figure


def _draw_cells(axes: Axes, grid: Grid, scale: Scale) -> None:
    values = grid.values
    if grid.apart:
        values = np.insert(values, -1, np.nan, axis=1)
    x, y = _edges(len(grid.columns), grid.apart), _edges(len(grid.rows), apart=False)
    shown = np.ma.masked_invalid(values)
    axes.pcolormesh(x, y, shown, cmap=scale.colours, norm=scale.norm, edgecolors="white", linewidth=0.25)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[-1], y[0]), xticks=[])
    axes.spines[:].set_visible(False)
    missing = np.isnan(grid.values)
    _boxes(axes, grid, missing, {"facecolor": PALE_GREY, "edgecolor": "white", "linewidth": 0.25})
    _signs(axes, grid, missing, "x", GREY)
    if grid.dotted is not None:
        _signs(axes, grid, grid.dotted, "o", INK, inside="white")
    if grid.outlined is not None:
        look = {"facecolor": "none", "edgecolor": grid.outline, "linewidth": 0.6, "zorder": 3, "clip_on": False}
        _boxes(axes, grid, grid.outlined, look)
    if grid.dashed is not None:
        _signs(axes, grid, grid.dashed, "_", INK)


def _boxes(axes: Axes, grid: Grid, chosen: Bools, look: dict[str, Any]) -> None:
    x, y = _centres(len(grid.columns), grid.apart), _centres(len(grid.rows), apart=False)
    boxes = [Rectangle((x[j] - 0.5, y[i] - 0.5), 1, 1) for i, j in np.argwhere(chosen)]
    if boxes:
        axes.add_collection(PatchCollection(boxes, **look), autolim=False)


def _signs(axes: Axes, grid: Grid, chosen: Bools, marker: str, colour: str, *, inside: str = "none") -> None:
    at = np.argwhere(chosen)
    if len(at):
        x, y = _centres(len(grid.columns), grid.apart)[at[:, 1]], at[:, 0] + 0.5
        look: dict[str, Any] = {"markersize": 1.8, "markeredgewidth": 0.45, "color": colour, "markerfacecolor": inside}
        axes.plot(x, y, linestyle="none", marker=marker, **look)


def _draw_below(axes: Axes, grid: Grid, box: tuple[float, float, float, float]) -> Axes:
    """Draw the bars of ∅ in a box in mm, columns as in the axes of the cells; return their axes."""
    strip = axes_at(cast("Figure", axes.figure), *box)
    shown = np.nan_to_num(np.asarray(grid.below))
    strip.bar(_centres(len(grid.columns), grid.apart)[: len(shown)], shown, width=0.72, color=MIDDLE_BLUE)
    limit = round_up(float(shown.max(initial=0)))
    strip.set(xlim=axes.get_xlim(), ylim=(0, limit))
    strip.set_yticks([0, limit], ["0", f"{limit:,g}"])
    strip.tick_params(axis="y", length=1.5, pad=0.8, color=GREY, labelcolor=INK)
    strip.spines[["bottom", "top", "right"]].set_visible(False)
    strip.axhline(0, color=GREY, linewidth=0.4, clip_on=False)
    beside = strip.get_yaxis_text1_transform(_BESIDE_SCALE)[0]
    strip.text(0, limit / 2, GAP, fontsize=PHONE, va="center", ha="right", transform=beside)
    return strip


def _label(places: tuple[Axes, Axes], grid: Grid, layout: Layout) -> None:
    """Name the rows beside the first axes, and the columns below the second."""
    step, ascent, tick, drop = (
        mm / 25.4 * 72 for mm in (layout.label_height, layout.label_ascent, TICK, layout.row_drop)
    )
    rows, columns = _centres(len(grid.rows), apart=False), _centres(len(grid.columns), grid.apart)
    inks = [GREY if few else INK for few in _few(grid)]
    names, levels = [*map(column_label, grid.columns)], layout.column_levels
    name_columns(places[1], columns, names, pad=_PAD + ascent, tick=tick, drop=step, levels=levels)
    names, levels = [*map(row_label, grid.rows)], layout.row_levels
    name_rows(places[0], rows, names, pad=_PAD, tick=tick, drop=drop, levels=levels, inks=inks)


def _few(grid: Grid) -> Bools:
    """Return which rows rest on few tokens."""
    tokens = np.full(len(grid.rows), np.inf) if grid.row_tokens is None else grid.row_tokens
    return np.asarray(tokens < FEW)


def _draw_bars(figure: Figure, grid: Grid, box: tuple[float, float, float, float]) -> None:
    """Draw the tokens of rows and columns beside and above the cells; their box: left, bottom, width, height in mm."""
    left, bottom, wide, high = box
    thick = MARGIN_BAR - 2
    side = axes_at(figure, left + wide + 1, bottom, thick, high)
    side.barh(_centres(len(grid.rows), apart=False), np.asarray(grid.row_tokens), height=0.72, color=GREY)
    over = axes_at(figure, left, bottom + high + 1, wide, thick)
    over.bar(_centres(len(grid.columns), grid.apart), np.asarray(grid.column_tokens), width=0.72, color=GREY)
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


def round_up(limit: float) -> float:
    """Return the least 1, 2 or 5 times a power of ten that is not below the limit; 1 for 0."""
    power = 10.0 ** np.floor(np.log10(limit)) if limit > 0 else 1.0
    return float(min(step * power for step in (1, 2, 5, 10) if step * power >= limit))


def _draw_key(figure: Figure, grid: Grid, scale: Scale, place: tuple[float, float, float]) -> None:
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
        "dotted": Line2D(
            [], [], linestyle="none", marker="o", markersize=2, markeredgewidth=0.45, color=INK, markerfacecolor="white"
        ),
        "missing": Line2D([], [], linestyle="none", marker="x", markersize=2.5, markeredgewidth=0.5, color=GREY),
    }
    entries = {meaning: handles[kind] for kind, meaning in grid.legend.items()}
    if entries:
        legend_at(figure, left + wide + 2, bottom + 2.7 - 1.5 * len(entries), entries, 1)


def _edges(count: int, apart: bool) -> Floats:
    """Return the borders of `count` cells; the last one is set apart by a gap, which is a cell of its own."""
    borders = np.arange(count + 1, dtype=np.float64)
    return np.asarray(np.concatenate([borders[:-1], borders[-2:] + GAP_WIDTH]) if apart else borders)


def _centres(count: int, apart: bool) -> Floats:
    """Return the middles of `count` cells, the last one beyond the gap."""
    middles = np.arange(count, dtype=np.float64) + 0.5
    middles[-1:] += GAP_WIDTH if apart else 0
    return np.asarray(middles)
