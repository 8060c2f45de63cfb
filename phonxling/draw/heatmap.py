"""The labelled heat map that confusions, residuals and association share: cells, marks, bars of tokens, colour bar."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import floor
from typing import Any, cast

import numpy as np
import pandas as pd
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
from phonxling.draw.order import is_rest
from phonxling.draw.sheet import (
    axes_at,
    fitted,
    legend_at,
    name_columns,
    name_rows,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_notes,
    write_title,
)
from phonxling.draw.style import (
    EDGE,
    FEW,
    GREY,
    INK,
    LINE,
    MIDDLE_BLUE,
    OUTLINE,
    PAGE_HEIGHT,
    PALE_GREY,
    PHONE,
    SMALL,
    TEXT,
    TWO_COLUMNS,
    FigureOptions,
    house_style,
)

# How large a heat map must be for its labels to stand free, and how many phones a page can hold.

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
    """Sizes in mm: a square cell's `side`, and what stands around the cells; the most columns and rows that fit."""

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
    """Return the layout for these labels: the width that was asked for if its labels fit, else two columns."""
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


GAP_WIDTH = 0.5  # cells between the phones and ∅
_PAD = 1.6  # points between a tick and its label
_BESIDE_SCALE = 15.0  # points between the bars of ∅ and their name, for the numbers of their scale


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """What a heat map shows: values [rows, columns] with NaN where there are no data, and what stands beside them."""

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


# Panels of equal size on a page: how large they are, and where each stands. All in mm.

CAPTION_LINES = 3
LEAST_HIGH, MOST_HIGH = 0.65, 1.0  # a panel's height over its width
_TITLE, _BETWEEN = 5.8 + LINE, 3.0  # above a panel, between panels
_GAP, _LEGEND_ROW = 1.7, 2.8  # below all panels: air, and each row of the legend
_PANELS_AIR = 0.1  # so that rounding makes no page too high
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
    """Return so many panels, of a height `ratio` times their width, in columns that fill the figure's width."""
    columns = min(columns, number)
    side = (width - 2 * EDGE - (columns - 1) * _BETWEEN) / columns
    rows = -(-number // columns)
    room = (PAGE_HEIGHT - _PANELS_AIR - _below(width)) / rows - _TITLE
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
