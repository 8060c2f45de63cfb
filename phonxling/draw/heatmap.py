"""The labelled heat map that confusions, differences and association share.

Cells are square and as large as the width and the page allow. Where there are many, labels are smaller, and stand free
on up to three levels, beside rows and below columns. Where there is ∅ (tokens are given), it is set apart: a column
beyond a gap, and bars below the cells; bars of the tokens of rows and columns stand beside and above them. Below are
the colour bar with its unit, the legend of the marks, and notes.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import floor
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from phonxling.core.arrays import Bools, Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import is_rest
from phonxling.draw.sheet import Sheet, fitted, name_rows, text_size, wrap
from phonxling.draw.style import (
    AXIS_LABEL,
    EDGE,
    FEW,
    GREY,
    INK,
    LEAST_SIDE,
    LINE,
    MIDDLE,
    PAGE_HEIGHT,
    PALE_GREY,
    PHONE,
    PHONES,
    SAME,
    SMALL,
    TEXT,
    FigureOptions,
)

GAP_WIDTH = 0.5  # cells between the phones and ∅
_TICK, _MARGIN_BAR, _AIR = 0.9, 9.0, 0.5  # mm: to a label, the bars of tokens, between labels
_BARS = _MARGIN_BAR + 2  # mm: what these take right of the cells
_STRIP, _BETWEEN = 6.0, 1.2  # mm: the height of the bars of ∅, and between them and the cells
_ABOVE_AND_BELOW = 58.0  # mm a page needs beside the cells: title, bars, strip, labels, colour bar, notes
_LEAST_CELL, _MOST_CELL, _MOST_LEVELS = 1.15, 5.0, 3  # mm
_WIDEST_ROW, _WIDEST_COLUMN = 30.0, _MOST_LEVELS * _MOST_CELL - _AIR  # mm: a longer label is cut
_ROW_LABEL = 0.14  # of the width: a longer label is cut, too
_ENTRY, _HANDLE = 3.0, 5.6  # mm: a line of the legend, its mark
_PAD, _BESIDE_SCALE = 1.6, 15.0  # points: from a tick to its label; from the bars of ∅ to their name
_MARKS: Mapping[str, dict[str, Any]] = {
    "dashed": {"marker": "_", "color": INK},
    "missing": {"marker": "x", "color": GREY},
}
_IN_LEGEND: Mapping[str, dict[str, Any]] = {
    "dashed": {"markersize": 3},
    "missing": {"markersize": 2.5, "markeredgewidth": 0.5},
}
_MUTED: dict[str, Any] = {"facecolor": (1, 1, 1, 0.65), "edgecolor": "none"}
_LEVELS = range(1, _MOST_LEVELS + 1)
_FEW_LOOK: dict[str, Any] = {"facecolor": (1, 1, 1, 0.6), "edgecolor": GREY, "hatch": "//////", "linewidth": 0}
FEW_MEANING = f"fewer than {FEW} tokens"
Scale = tuple[Colormap, Normalize, str, Sequence[float]]  # colours, the values' norm, their unit, ticks


class _Layout(NamedTuple):
    """Sizes in mm, of which `side` is a cell's, and of labels in points; their levels; how many rows and columns fit.

    `needs` is the width that has room for all columns.
    """

    left: float
    size: float
    side: float
    row_drop: float
    row_levels: list[int]
    column_levels: list[int]
    label_height: float
    label_ascent: float
    room: tuple[int, int]
    needs: float


def room_for(
    rows: Sequence[str], columns: Sequence[str], options: FigureOptions, *, has_gap: bool = False
) -> tuple[int, int, float]:
    """Return the most rows and columns with labels like these that fit, and the width in mm that all columns need."""
    layout = _plan(rows, columns, options, has_gap=has_gap)
    return *layout.room, layout.needs


def same_symbol(rows: Sequence[str], columns: Sequence[str]) -> Bools:
    return np.array([[one == other and not is_rest(one) for other in columns] for one in rows])


def draw_heatmap(
    values: Floats,
    labels: tuple[Sequence[str], Sequence[str]],
    options: FigureOptions,
    *,
    sides: tuple[str, str],
    title: str,
    notes: Iterable[str],
    scale: Scale,
    legend: Mapping[str, str],
    marks: Mapping[str, Bools],
    outline: str = SAME,
    tokens: tuple[Floats, Floats, Floats] | None = None,
) -> Sheet:
    """Return the figure of values [rows, columns], NaN where there are no data, and what stands beside them.

    `sides` say of which phones rows and columns are. `scale` are the colours, the values' norm, their unit and the
    colour bar's ticks. `marks` are cells that are outlined, dashed, muted, or hatched where rows have few
    tokens; `legend` says what they, or missing ones, mean, where there are such. `tokens` are those of the rows and of
    the columns, and the bars of ∅ below the columns; the last column is ∅.
    """
    rows, columns = labels
    marks = {**marks, "missing": np.isnan(values)}
    legend = {kind: meaning for kind, meaning in legend.items() if marks[kind].any()}
    layout, width = _plan(rows, columns, options, has_gap=tokens is not None), options.width_mm
    lines = [line for note in notes for line in wrap([note], width)]
    x, y = _centres(len(columns), apart=tokens is not None), _centres(len(rows), apart=False)
    high, wide = len(rows) * layout.side, (len(columns) + GAP_WIDTH * (tokens is not None)) * layout.side
    block, strip = max(high, LEAST_SIDE), 0.0 if tokens is None else _STRIP + _BETWEEN
    below_cells = _TICK + (max(layout.column_levels, default=0) + 1) * layout.label_height + 0.4
    key, unit = EDGE + LINE * len(lines) + 4.2, scale[2]  # the colour bar's lower side
    bar = min(max(40.0, text_size(unit, SMALL)[0]), width - 2 * EDGE - AXIS_LABEL)
    wide_legend = max((text_size(meaning, SMALL)[0] for meaning in legend.values()), default=0) + _HANDLE
    place = EDGE + AXIS_LABEL + bar + 2, _legend_foot(key, legend)
    if place[0] + wide_legend + EDGE > width:  # below the colour bar where there is no room beside it
        place = EDGE + AXIS_LABEL, key - 3.4
        key += _ENTRY * len(legend)
    bottom = max(key + 6, place[1] + _ENTRY * len(legend)) + AXIS_LABEL + below_cells + strip
    top = bottom + block + (TEXT * 0.6 + (0 if tokens is None else _MARGIN_BAR) + 1)
    figure = Sheet(width, top)
    figure.write_title(title)
    lowest = axes = figure.axes_at(layout.left, bottom, wide, high)
    _draw_cells(axes, values, (x, y), scale, marks, outline=outline)
    inks = [INK] * len(rows)
    if tokens is not None:
        lowest = _draw_gaps(figure.axes_at(layout.left, bottom - strip, wide, _STRIP), x[:-1], tokens[2])
        lowest.set_xlim(axes.get_xlim())
        inks = [GREY if few else INK for few in tokens[0] < FEW]
    step, ascent, tick, drop = (
        mm / 25.4 * 72 for mm in (layout.label_height, layout.label_ascent, _TICK, layout.row_drop)
    )
    below: dict[str, Any] = {"pad": _PAD + ascent, "tick": tick, "drop": step}
    size = layout.size
    names = [_column_label(phone, size) for phone in columns]
    name_rows(lowest, x, names, levels=layout.column_levels, columns=True, size=size, **below)
    beside: dict[str, Any] = {"pad": _PAD, "tick": tick, "drop": drop, "size": size}
    name_rows(
        axes, y, [_row_label(phone, size, width) for phone in rows], inks=inks, levels=layout.row_levels, **beside
    )
    figure.write(EDGE, bottom + block / 2, f"{sides[0]} phone", va="center", rotation=90)
    figure.write(layout.left + wide / 2, bottom - strip - below_cells, f"{sides[1]} phone", va="top", ha="center")
    if tokens is not None:
        thick = _MARGIN_BAR - 2
        side = figure.axes_at(layout.left + wide + 1, bottom, thick, high)
        over = figure.axes_at(layout.left, bottom + high + 1, wide, thick)
        _draw_tokens(side, over, (y, tokens[0]), (x, tokens[1]), axes)
    _draw_bar(figure, figure.axes_at(EDGE + AXIS_LABEL, key, bar, 2), scale)
    figure.write(EDGE + AXIS_LABEL, key + 2.5, unit, SMALL, va="bottom")
    if legend:
        figure.legend_at(*place, _entries(legend, outline), 1)
    figure.finish(lines)
    return figure


def _row_label(phone: str, size: float, width: float) -> str:
    return fitted(phone, min(_WIDEST_ROW, _ROW_LABEL * width), size=size)


def _column_label(phone: str, size: float) -> str:
    return fitted(phone, _WIDEST_COLUMN, size=size)  # labels on three levels must not meet


def _plan(rows: Sequence[str], columns: Sequence[str], options: FigureOptions, *, has_gap: bool) -> _Layout:
    """Return the layout for these labels in the width that was asked for.

    Where one row of labels has no room, they are smaller; where the smallest have none, they stand on several levels.
    """
    for levels, size in product(_LEVELS, PHONES):
        layout, fits = _tried(rows, columns, options, size, levels, has_gap=has_gap)
        if fits:
            break
    return layout


def _tried(
    rows: Sequence[str], columns: Sequence[str], options: FigureOptions, size: float, levels: int, *, has_gap: bool
) -> tuple[_Layout, bool]:
    """Return the layout with labels of a size on so many levels, and whether none touches another."""
    row_sizes = [text_size(_row_label(phone, size, options.width_mm), size)[:2] for phone in rows]
    sizes = [text_size(_column_label(phone, size), size) for phone in columns]
    line, gap = text_size("lp", size), GAP_WIDTH * has_gap  # no line is lower than this
    ascent = max(height - depth for _, height, depth in [*sizes, line])
    descent = max(depth for *_, depth in [*sizes, line])
    tallest = max((height for _, height in row_sizes), default=0) + 0.1
    of_rows = [width for phone, (width, _) in zip(rows, row_sizes, strict=True) if not is_rest(phone)]
    drop = max(of_rows, default=0) + _AIR
    names = max(drop * levels, *(drop * (levels - 1) + width + _AIR for width, _ in row_sizes if width >= drop), 0.0)
    own = [0 if is_rest(phone) else wide for phone, (wide, *_) in zip(columns, sizes, strict=True)]
    least = max((max(own, default=0) + _AIR) / _MOST_LEVELS, tallest / _MOST_LEVELS, _LEAST_CELL)
    spare = max((width - least for phone, (width, *_) in zip(columns, sizes, strict=True) if is_rest(phone)), default=0)
    left, right = EDGE + AXIS_LABEL + _TICK + 1.6 + names, EDGE + max(_BARS if has_gap else 0, spare / 2)
    height, wide = PAGE_HEIGHT - _ABOVE_AND_BELOW, options.width_mm - left - right
    room = max(floor(height / least), 1), max(floor(wide / least - gap), 2)
    most = max(_MOST_CELL, LEAST_SIDE / (max(len(rows), len(columns)) + gap))
    side = min(wide / (min(len(columns), room[1]) + gap), height / min(len(rows), room[0]), most)
    free = next((number for number in range(1, _MOST_LEVELS) if _is_free(own, number, side)), _MOST_LEVELS)
    layout = _Layout(
        left=left,
        size=size,
        side=side,
        row_drop=drop,
        row_levels=[levels - 1 if is_rest(phone) else place % levels for place, phone in enumerate(rows)],
        column_levels=[free if is_rest(phone) else place % free for place, phone in enumerate(columns)],
        label_height=ascent + descent + 0.3,
        label_ascent=ascent,
        room=room,
        needs=left + right + least * (len(columns) + gap),
    )
    fits = side >= tallest / levels and len(columns) <= room[1] and len(rows) <= room[0] and free <= levels
    return layout, fits


def _is_free(widths: Sequence[float], levels: int, side: float) -> bool:
    """Return whether no label touches the next on its level, where labels stand on so many levels in turn."""
    pairs = zip(widths, widths[levels:], strict=False)
    return all((width + following) / 2 + _AIR <= levels * side for width, following in pairs)


def _centres(count: int, *, apart: bool) -> Floats:
    """Return the middles of `count` cells, the last one beyond the gap."""
    middles = np.arange(count, dtype=np.float64) + 0.5
    middles[-1:] += GAP_WIDTH if apart else 0
    return np.asarray(middles)


def _draw_cells(
    axes: Axes, values: Floats, centres: Sequence[Floats], scale: Scale, marks: Mapping[str, Bools], *, outline: str
) -> None:
    x, y = centres
    edges = [np.unique([*middles - 0.5, *middles + 0.5]) for middles in centres]
    if len(edges[0]) > values.shape[1] + 1:  # the gap is a cell of its own
        values = np.insert(values, -1, np.nan, axis=1)
    look: dict[str, Any] = {"edgecolors": "white", "linewidth": 0.25}
    axes.pcolormesh(*edges, np.ma.masked_invalid(values), cmap=scale[0], norm=scale[1], **look)
    axes.set(xlim=edges[0][[0, -1]], ylim=edges[1][[-1, 0]], xticks=[])
    axes.spines[:].set_visible(False)
    boxes: dict[str, dict[str, Any]] = {
        "missing": {"facecolor": PALE_GREY, "edgecolor": "white", "linewidth": 0.25},
        "outlined": {"facecolor": "none", "edgecolor": outline, "linewidth": 0.6, "zorder": 3, "clip_on": False},
        "few": _FEW_LOOK,
        "muted": _MUTED,
    }
    for kind in ("missing", "muted", "few", "outlined", "dashed"):
        at = np.argwhere(marks.get(kind, np.zeros((0, 0), bool)))
        if kind in boxes and len(at):
            squares = [Rectangle((x[j] - 0.5, y[i] - 0.5), 1, 1) for i, j in at]
            axes.add_collection(PatchCollection(squares, **boxes[kind]), autolim=False)
        if kind in _MARKS and len(at):
            look = {"linestyle": "none", "markersize": 1.8, "markerfacecolor": "none", "markeredgewidth": 0.45}
            axes.plot(x[at[:, 1]], at[:, 0] + 0.5, **{**look, **_MARKS[kind]})


def _draw_gaps(axes: Axes, x: Floats, share: Floats) -> Axes:
    """Draw the bars of ∅ below the columns; return their axes."""
    shown = np.nan_to_num(share)
    axes.bar(x, shown, width=0.72, color=MIDDLE)
    limit = round_up(float(shown.max(initial=0)))
    axes.set_ylim(0, limit)
    axes.set_yticks([0, limit], ["0", f"{limit:,g}"])
    axes.tick_params(axis="y", length=1.5, pad=0.8, color=GREY, labelcolor=INK)
    axes.spines[["bottom", "top", "right"]].set_visible(False)
    axes.axhline(0, color=GREY, linewidth=0.4, clip_on=False)
    beside = axes.get_yaxis_text1_transform(_BESIDE_SCALE)[0]
    axes.text(0, limit / 2, GAP, fontsize=PHONE, va="center", ha="right", transform=beside)
    return axes


def _draw_tokens(
    side: Axes, over: Axes, rows: tuple[Floats, Floats], columns: tuple[Floats, Floats], cells: Axes
) -> None:
    side.barh(*rows, height=0.72, color=GREY)
    over.bar(*columns, width=0.72, color=GREY)
    side.set(ylim=cells.get_ylim(), xlim=(0, None))
    over.set(xlim=cells.get_xlim(), ylim=(0, None))
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


def _draw_bar(figure: Sheet, axes: Axes, scale: Scale) -> None:
    colours, norm, _, ticks = scale
    bar = figure.colorbar(ScalarMappable(norm, colours), cax=axes, orientation="horizontal")
    bar.ax.xaxis.set_major_locator(FixedLocator(list(ticks)))
    bar.ax.xaxis.set_minor_locator(NullLocator())
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(length=1.5, pad=1, labelsize=SMALL)


def _entries(legend: Mapping[str, str], outline: str) -> dict[str, Artist]:
    """Return what the marks mean, for the legend."""
    handles: dict[str, Artist] = {"outlined": Patch(facecolor="none", edgecolor=outline, linewidth=0.8)}
    handles["few"] = Patch(**_FEW_LOOK)
    handles["muted"] = Patch(facecolor=PALE_GREY, edgecolor="none")
    for kind, size in _IN_LEGEND.items():
        handles[kind] = Line2D([], [], linestyle="none", **{**_MARKS[kind], **size})
    return {meaning: handles[kind] for kind, meaning in legend.items()}


def _legend_foot(key: float, legend: Mapping[str, str]) -> float:
    """Return where the legend begins, so that its middle is that of the colour bar and its unit, if it is short."""
    return key + max(2.7 - _ENTRY * len(legend) / 2, -3.4)
