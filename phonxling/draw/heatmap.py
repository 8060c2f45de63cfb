"""Heat maps of phones: confusions of a corpus, what differs from the reference, and what goes together.

Confusions: a cell is the share of a gold phone's tokens. The column of ∅, set apart, are deletions, the bars at ∅
insertions. Phones of fewer than five tokens, and the rarest where the figure has no room, are added up as one. Where
phones are chosen, so are answers to them of less than a twentieth.

Residuals, shares of a target less what its reference leads one to expect: rows and columns without a difference that
could be seen are left out by name. The diagonal is muted, since what is kept right differs by far more than what is
confused with what.

Association of gold phones with recognised ones, from posteriors: a cell is their normalised pointwise mutual
information (Bouma 2009), 0 where they are independent, 1 where they come only together. Cells of .1 or less are left
blank. The rarest phones that have no room are left out by name.

Cells are square and as large as the width and the page allow. Where there are many, labels are smaller, and stand free
on up to three levels.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import floor
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, Normalize, PowerNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Floats, divide
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.inventory import GAP
from phonxling.draw.figure import (
    OF_PAIRS,
    OF_POSTERIORS,
    Phones,
    StoredCorpus,
    cells,
    is_rest,
    list_phones,
    order_phones,
    other_phones,
    phones_of,
    rarest_phones,
)
from phonxling.draw.sheet import Sheet, cut_to_width, legend_lines, name_rows, text_size, wrap
from phonxling.draw.style import (
    AXIS_LABEL,
    EDGE,
    FEW_TOKENS_DRAWN,
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
    diverging_map,
    sequential_map,
)

GAP_WIDTH = 0.5  # cells between the phones and ∅
_TICK, _MARGIN_BAR, _AIR = 0.9, 9.0, 0.5  # mm: to a label, the bars of tokens, between labels
_BARS = _MARGIN_BAR + 2  # mm: what these take right of the cells
_STRIP, _BETWEEN = 6.0, 1.2  # mm: the height of the bars of ∅, and between them and the cells
_ABOVE_AND_BELOW = 58.0  # mm a page needs beside the cells: title, bars, strip, labels, colour bar, notes
# With three levels of labels a cell of this width still has one of 3 mm; larger cells than the most look like few data.
_LEAST_CELL, _MOST_CELL, _MOST_LEVELS = 1.15, 5.0, 3  # mm
_WIDEST_ROW, _WIDEST_COLUMN = 30.0, _MOST_LEVELS * _MOST_CELL - _AIR  # mm: a longer label is cut
_ROW_LABEL = 0.14  # of the width: a longer label is cut, too
_ENTRY = 3.0  # mm: a line of the legend
_PAD, _BESIDE_SCALE = 1.6, 15.0  # points: from a tick to its label; from the bars of ∅ to their name
_BOXES: dict[str, dict[str, Any]] = {  # marks that fill cells, in the order in which they are drawn
    "missing": {"facecolor": PALE_GREY, "edgecolor": "white", "linewidth": 0.25},
    "muted": {"facecolor": (1, 1, 1, 0.65), "edgecolor": "none"},
    "few": {"facecolor": (1, 1, 1, 0.6), "edgecolor": GREY, "hatch": "//////", "linewidth": 0},
    "outlined": {"facecolor": "none", "linewidth": 0.6, "zorder": 3, "clip_on": False},
}
_SIGNS: dict[str, dict[str, Any]] = {"missing": {"marker": "x", "color": GREY}, "dashed": {"marker": "_", "color": INK}}
_IN_LEGEND: dict[str, dict[str, Any]] = {
    "missing": {"markersize": 2.5, "markeredgewidth": 0.5},
    "dashed": {"markersize": 3},
}
_LEVELS = range(1, _MOST_LEVELS + 1)
FEW_MEANING = f"fewer than {FEW_TOKENS_DRAWN} tokens"
Scale = tuple[Colormap, Normalize, str, Sequence[float]]  # colours, the values' norm, their unit, ticks


class _Layout(NamedTuple):
    """Sizes in mm (`side`: a cell's), and of labels in points; their levels; how many rows and columns fit."""

    left: float
    size: float
    side: float
    row_names: list[str]
    column_names: list[str]
    row_drop: float
    row_levels: list[int]
    column_levels: list[int]
    label_height: float
    label_ascent: float
    room: tuple[int, int]


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
    marks = {**marks, "missing": np.isnan(values)}
    legend = {kind: meaning for kind, meaning in legend.items() if marks[kind].any()}
    layout = _plan(*labels, options, has_gap=tokens is not None)
    lines = [line for note in notes for line in wrap([note], options.width_mm)]
    foot = EDGE + LINE * len(lines) + 0.8
    bar = foot + _ENTRY * legend_lines(legend.values(), options.width_mm) + 3.4
    frame = _frame(layout, len(labels[0]), bar + 6, has_gap=tokens is not None)
    x, y = _centres(len(labels[1]), apart=tokens is not None), _centres(len(labels[0]), apart=False)
    figure = Sheet(options.width_mm, frame.top)
    figure.write_title(title)
    lowest = axes = figure.axes_at(frame.left, frame.bottom, frame.wide, frame.high)
    _draw_cells(axes, values, (x, y), scale, marks, outline=outline)
    inks = [INK] * len(labels[0])
    if tokens is not None:
        lowest = _draw_tokens(figure, axes, (x, y), frame, tokens)
        inks = [GREY if few else INK for few in tokens[0] < FEW_TOKENS_DRAWN]
    _name_phones(axes, lowest, (x, y), layout, inks)
    figure.write(EDGE, frame.middle, f"{sides[0]} phone", va="center", rotation=90)
    figure.write(frame.left + frame.wide / 2, frame.below, f"{sides[1]} phone", va="top", ha="center")
    _draw_bar(figure, bar, scale)
    if legend:
        figure.legend_across(EDGE, foot, _entries(legend, outline))
    figure.finish(lines)
    return figure


class _Frame(NamedTuple):
    """The cells' left and lower sides, size and middle in mm, what is below their labels, and the sheet's height."""

    left: float
    bottom: float
    wide: float
    high: float
    middle: float
    below: float
    top: float


def _frame(layout: _Layout, rows: int, foot: float, *, has_gap: bool) -> _Frame:
    high, wide = rows * layout.side, (len(layout.column_names) + GAP_WIDTH * has_gap) * layout.side
    below = foot + AXIS_LABEL
    labels = _TICK + (max(layout.column_levels, default=0) + 1) * layout.label_height + 2 * _AIR
    bottom, block = below + labels + (_STRIP + _BETWEEN) * has_gap, max(high, LEAST_SIDE)
    top = bottom + block + TEXT * 0.6 + _MARGIN_BAR * has_gap + 1
    return _Frame(layout.left, bottom, wide, high, bottom + block / 2, below, top)


def _plan(rows: Sequence[str], columns: Sequence[str], options: FigureOptions, *, has_gap: bool = False) -> _Layout:
    """Return the layout for these labels in the width that was asked for.

    Where one row of labels has no room, they are smaller; where the smallest have none, they stand on several levels.
    """
    for levels, size in product(_LEVELS, PHONES):
        layout, fits = _try_layout(rows, columns, options, size, levels, has_gap=has_gap)
        if fits:
            break
    return layout


def _try_layout(
    rows: Sequence[str], columns: Sequence[str], options: FigureOptions, size: float, levels: int, *, has_gap: bool
) -> tuple[_Layout, bool]:
    """Return the layout with labels of a size on so many levels, and whether none touches another."""
    row_names = [cut_to_width(phone, min(_WIDEST_ROW, _ROW_LABEL * options.width_mm), size=size) for phone in rows]
    column_names = [cut_to_width(phone, _WIDEST_COLUMN, size=size) for phone in columns]
    row_sizes, sizes = ([text_size(name, size) for name in names] for names in (row_names, column_names))
    line, gap = text_size("lp", size), GAP_WIDTH * has_gap  # no line is lower than this
    ascent = max(height - depth for _, height, depth in [*sizes, line])
    descent = max(depth for *_, depth in [*sizes, line])
    tallest = max((height for _, height, _ in row_sizes), default=0) + _AIR
    of_rows = [width for phone, (width, *_) in zip(rows, row_sizes, strict=True) if not is_rest(phone)]
    drop = max(of_rows, default=0) + _AIR
    names = max(drop * levels, *(drop * (levels - 1) + width + _AIR for width, *_ in row_sizes if width >= drop), 0.0)
    own = [0 if is_rest(phone) else wide for phone, (wide, *_) in zip(columns, sizes, strict=True)]
    least = max((max(own, default=0) + _AIR) / _MOST_LEVELS, tallest / _MOST_LEVELS, _LEAST_CELL)
    spare = max((width - least for phone, (width, *_) in zip(columns, sizes, strict=True) if is_rest(phone)), default=0)
    left, right = EDGE + AXIS_LABEL + _TICK + 1.6 + names, EDGE + max(_BARS if has_gap else 0, spare / 2)
    height, wide = PAGE_HEIGHT - _ABOVE_AND_BELOW, options.width_mm - left - right
    room = max(floor(height / least), 1), max(floor(wide / least - gap), 2)
    most = max(_MOST_CELL, LEAST_SIDE / (max(len(rows), len(columns)) + gap))
    side = min(wide / (min(len(columns), room[1]) + gap), height / min(len(rows), room[0]), most)
    free = 1  # levels on which labels stand in turn, so that none touches the next on its own
    while free < _MOST_LEVELS and any(
        (one + following) / 2 + _AIR > free * side for one, following in zip(own, own[free:], strict=False)
    ):
        free += 1
    layout = _Layout(
        left=left,
        size=size,
        side=side,
        row_names=row_names,
        column_names=column_names,
        row_drop=drop,
        row_levels=[(place - len(rows)) % levels for place in range(len(rows))],  # a wide last one stands outside
        column_levels=[free if is_rest(phone) else place % free for place, phone in enumerate(columns)],
        label_height=ascent + descent + 0.3,
        label_ascent=ascent,
        room=room,
    )
    fits = side >= tallest / levels and len(columns) <= room[1] and len(rows) <= room[0] and free <= levels
    return layout, fits


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
    for kind, own in _BOXES.items():
        if squares := [Rectangle((x[j] - 0.5, y[i] - 0.5), 1, 1) for i, j in np.argwhere(marks.get(kind, []))]:
            look = {"edgecolor": outline, **own}
            axes.add_collection(PatchCollection(squares, **look), autolim=False)
    for kind, own in _SIGNS.items():
        if len(at := np.argwhere(marks.get(kind, []))):
            look = {"linestyle": "none", "markersize": 1.8, "markerfacecolor": "none", "markeredgewidth": 0.45, **own}
            axes.plot(x[at[:, 1]], at[:, 0] + 0.5, **look)


def _draw_tokens(
    figure: Sheet, cells: Axes, centres: tuple[Floats, Floats], frame: _Frame, tokens: tuple[Floats, Floats, Floats]
) -> Axes:
    """Draw bars of tokens beside and above the cells, and those of ∅ below; return the axes of these."""
    (x, y), (of_rows, of_columns, of_gap) = centres, tokens
    below = figure.axes_at(frame.left, frame.bottom - _STRIP - _BETWEEN, frame.wide, _STRIP)
    _draw_gaps(below, x[:-1], of_gap)
    below.set_xlim(cells.get_xlim())
    side = figure.axes_at(frame.left + frame.wide + 1, frame.bottom, _MARGIN_BAR - 2, frame.high)
    over = figure.axes_at(frame.left, frame.bottom + frame.high + 1, frame.wide, _MARGIN_BAR - 2)
    side.barh(y, of_rows, height=0.72, color=GREY)
    over.bar(x, of_columns, width=0.72, color=GREY)
    side.set(ylim=cells.get_ylim(), xlim=(0, None), yticks=[])
    over.set(xlim=cells.get_xlim(), ylim=(0, None), xticks=[])
    over.yaxis.tick_right()
    for bars, axis, limit in ((side, side.xaxis, side.get_xlim()[1]), (over, over.yaxis, over.get_ylim()[1])):
        tick = round_to(limit)  # one number: bars are beside the cells for orientation, tables have the tokens
        axis.set_ticks([tick], [f"{tick:,.0f}"])
        bars.spines[:].set_visible(False)
        bars.tick_params(length=1.5, pad=0.8, color=GREY)
    side.set_xlabel("tokens", fontsize=SMALL, labelpad=0.5)
    return below


def _draw_gaps(axes: Axes, x: Floats, share: Floats) -> None:
    shown = np.nan_to_num(share)
    axes.bar(x, shown, width=0.72, color=MIDDLE)
    limit = round_to(float(shown.max(initial=0)), up=True)
    axes.set_ylim(0, limit)
    axes.set_yticks([0, limit], ["0", f"{limit:,g}"])
    axes.tick_params(axis="y", length=1.5, pad=0.8, color=GREY, labelcolor=INK)
    axes.spines[["bottom", "top", "right"]].set_visible(False)
    axes.axhline(0, color=GREY, linewidth=0.4, clip_on=False)
    beside = axes.get_yaxis_text1_transform(_BESIDE_SCALE)[0]
    axes.text(0, limit / 2, GAP, fontsize=PHONE, va="center", ha="right", transform=beside)


def _name_phones(
    axes: Axes, lowest: Axes, centres: tuple[Floats, Floats], layout: _Layout, inks: Sequence[str]
) -> None:
    """Write the phones beside the rows, and below the columns of the lowest axes."""
    (x, y), points = centres, 72 / 25.4
    look: dict[str, Any] = {"tick": _TICK * points, "size": layout.size}
    below: dict[str, Any] = {"pad": _PAD + layout.label_ascent * points, "drop": layout.label_height * points}
    name_rows(lowest, x, layout.column_names, levels=layout.column_levels, columns=True, **below, **look)
    beside: dict[str, Any] = {"pad": _PAD, "drop": layout.row_drop * points}
    name_rows(axes, y, layout.row_names, inks=inks, levels=layout.row_levels, **beside, **look)


def round_to(limit: float, *, up: bool = False) -> float:
    """Return the greatest 1, 2 or 5 times a power of ten that is not above the limit, or the least not below it."""
    power = 10.0 ** np.floor(np.log10(limit)) if limit > 0 else 1.0
    steps = [step * power for step in (1, 2, 5, 10)]
    if up:
        return float(min(step for step in steps if step >= limit))
    return float(max(step for step in steps if step in (power, limit) or step < limit))


def _draw_bar(figure: Sheet, bottom: float, scale: Scale) -> None:
    (colours, norm, unit, ticks), left, width = scale, EDGE + AXIS_LABEL, figure.get_size_inches()[0] * 25.4
    figure.write(left, bottom + 2.5, unit, SMALL, va="bottom")
    axes = figure.axes_at(left, bottom, min(max(40.0, text_size(unit, SMALL)[0]), width - 2 * EDGE - AXIS_LABEL), 2)
    bar = figure.colorbar(ScalarMappable(norm, colours), cax=axes, orientation="horizontal")
    bar.ax.xaxis.set_major_locator(FixedLocator(list(ticks)))
    bar.ax.xaxis.set_minor_locator(NullLocator())
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(length=1.5, pad=1, labelsize=SMALL)


def _entries(legend: Mapping[str, str], outline: str) -> dict[str, Artist]:
    """Return what the marks mean, for the legend."""
    handles: dict[str, Artist] = {
        "outlined": Patch(facecolor="none", edgecolor=outline, linewidth=0.8),
        "few": Patch(**_BOXES["few"]),
        "muted": Patch(facecolor=PALE_GREY, edgecolor="none"),
        **{kind: Line2D([], [], linestyle="none", **_SIGNS[kind], **size) for kind, size in _IN_LEGEND.items()},
    }
    return {meaning: handles[kind] for kind, meaning in legend.items()}


_Places = NDArray[np.intp]
_NONE: _Places = np.arange(0)
# Of fewer tokens one confusion is a share of .25 or more, in as strong a colour as a systematic one.
_RARE = 5  # tokens; phones of fewer are drawn as one
_OFTEN = 0.05  # of the tokens of a chosen phone: such answers have a column
_SAME = "same symbol"
_GAPS = (
    f"{GAP} column: share of a gold phone’s tokens deleted.",
    f"Bars at {GAP}: share of a predicted phone’s tokens inserted.",
)


class _Counts(NamedTuple):
    """Counts [gold, predicted + ∅] of what is drawn, tokens of the columns, share inserted of each, and notes."""

    counts: Floats
    gold: list[str]
    predicted: list[str]
    tokens: Floats
    inserted: Floats
    notes: list[str]


def draw_confusions(corpus: StoredCorpus) -> Sheet | None:
    """Return the shares of each gold phone's tokens by what was predicted; None where no phone is to be drawn."""
    drawn = _count_confusions(corpus)
    if drawn is None:
        return None
    pairs = drawn.counts[:, :-1]  # deletions order nothing: phones that are deleted alike need not be confused alike
    similar = divide(pairs, pairs.sum(axis=1, keepdims=True))
    rows, columns = order_phones(similar, (drawn.gold, drawn.predicted), corpus.orders)
    gold, predicted = [drawn.gold[row] for row in rows], [*(drawn.predicted[column] for column in columns), GAP]
    columns = np.array([*columns, len(columns)])
    counts = drawn.counts[rows][:, columns]
    tokens = counts.sum(axis=1)
    beside, above = (  # many phones in one have no bar, for theirs would dwarf the others
        np.where([is_rest(phone) for phone in phones], np.nan, own)
        for phones, own in ((gold, tokens), (predicted, drawn.tokens[columns]))
    )
    # √: confusions are shares of .05 to .3, which a scale of even steps to 1 would leave nearly white.
    scale = (
        sequential_map(),
        PowerNorm(0.5, 0, 1),
        "share of the gold phone’s tokens, √ scale",
        [0, 0.05, 0.2, 0.5, 1],
    )
    few = np.repeat(tokens[:, None] < FEW_TOKENS_DRAWN, len(predicted), axis=1)
    return draw_heatmap(
        divide(counts, tokens[:, None]),
        (gold, predicted),
        corpus.options,
        sides=OF_PAIRS,
        title=corpus.titled("confusions"),
        notes=[*_GAPS, *drawn.notes],
        scale=scale,
        legend={"outlined": _SAME, "few": FEW_MEANING},
        marks={"outlined": same_symbol(gold, predicted), "few": few},
        tokens=(beside, above, drawn.inserted[columns[:-1]]),
    )


def _count_confusions(corpus: StoredCorpus) -> _Counts | None:
    """Return the counts that are drawn, with rare phones as one, and the rarest where there is no room for all."""
    table, options = corpus.tables["confusions"], corpus.options
    every, predicted = (phones_of(table[side]) for side in OF_PAIRS)
    gold = options.chosen(every)
    if not gold:
        return None
    counts = cells(table, "count", OF_PAIRS, ([*every, GAP], [*predicted, GAP]), blank=0)
    own = np.isin([*every, GAP], gold)
    counts = np.vstack([counts[own], counts[-1], counts[:-1][~own[:-1]].sum(axis=0)])  # last what is not drawn
    further = np.flatnonzero(~_are_answers(counts, predicted, options)) if options.phones else _NONE
    room = _plan(gold, [*predicted, GAP], options, has_gap=True).room
    fits = len(gold) <= room[0] and len(predicted) < room[1]
    if (
        not fits
        or len(further)
        or any(len(_find_rare(side)) for side in (counts[:-2].sum(axis=1), counts.sum(axis=0)[:-1]))
    ):
        # The label of phones that are drawn as one is wide, and takes room from the cells.
        longest = [*gold, other_phones(len(gold))], [*predicted, other_phones(len(predicted)), GAP]
        room = _plan(*longest, options, has_gap=True).room
    kept, gold, few_gold = _fold("gold", counts[:-1], gold, room[0])
    by_phone = np.vstack([kept, counts[-1:]]).T
    by_phone, predicted, few_predicted = _fold("predicted", by_phone, predicted, room[1] - 1, further)
    counts, tokens = by_phone.T[:-1], by_phone.sum(axis=1)
    tokens[-1] = counts[:, -1].sum()
    return _Counts(counts[:-1], gold, predicted, tokens, divide(counts[-1], tokens), [*few_gold, *few_predicted])


def _find_rare(tokens: Floats) -> _Places:
    """Return the phones of few tokens, where there are several of them, and others."""
    rare = np.flatnonzero(tokens < _RARE)
    return rare if 1 < len(rare) < len(tokens) else rare[:0]


def _are_answers(counts: Floats, predicted: Sequence[str], options: FigureOptions) -> Bools:
    """Return which predicted phones are chosen themselves, or are often the answer to a chosen phone, [P]."""
    own = counts[:-2]
    often = np.any(divide(own, own.sum(axis=1, keepdims=True)) >= _OFTEN, axis=0)
    return np.asarray(np.isin(predicted, options.chosen(predicted)) | np.asarray(often)[:-1])


def _fold(
    side: str, counts: Floats, phones: list[str], room: int, further: _Places = _NONE
) -> tuple[Floats, list[str], list[str]]:
    """Return counts [phones + ∅, …] and phones with the rarest added up as one, and a note on which those were.

    So are `further` ones, whatever their tokens.
    """
    tokens = counts[:-1].sum(axis=1)
    few = np.union1d(_find_rare(tokens), further).astype(np.intp)
    if len(tokens) - len(few) + bool(len(few)) > room:
        few = np.union1d(few, rarest_phones(np.where(np.isin(np.arange(len(tokens)), few), -1, tokens), room))
    if not len(few):
        return counts, phones, []
    few = few[np.argsort(-tokens[few], kind="stable")]
    others = np.setdiff1d(np.arange(len(phones)), few)
    labels = [*(phones[place] for place in others), other_phones(len(few))]
    together = np.vstack([counts[others], counts[few].sum(axis=0), counts[-1:]])
    most, every = tokens[few].max(), tokens[few].sum()
    which = f"{side} phones of at most {most:,.0f} tokens, {every:,.0f} in all, as one and without"
    return together, labels, [f"{labels[-1]}: {which} a bar ({list_phones([phones[place] for place in few])})."]


_LEAST_SHARE = 0.05  # of the largest difference: a row or column below it everywhere shows nothing


def draw_residuals(corpus: StoredCorpus) -> Sheet | None:
    table, options = corpus.tables["expected"], corpus.options
    tokens = table.groupby("gold")["observed"].transform("sum").to_numpy(float)
    table = table.assign(difference=divide(table["residual"].to_numpy(float), tokens))
    table = table[table["gold"].isin(options.chosen(table["gold"]))]
    phones = phones_of(table["gold"]), phones_of(table["predicted"])
    if table.empty:
        return None
    difference, q = (cells(table, column, OF_PAIRS, phones) for column in ("difference", "q"))
    # What is kept right differs by more than what is confused with what: at half, it orders less, and hides nothing.
    strength = np.nan_to_num(np.abs(difference)) * np.where(same_symbol(*phones), 0.5, 1)
    kept, left_out = list[_Places](), list[str]()
    for axis, room in enumerate(_plan(*phones, options).room):
        strongest, own = strength.max(axis=1 - axis, initial=0), phones[axis]
        invisible = np.flatnonzero(strongest < _LEAST_SHARE * strongest.max())
        weak = np.union1d(invisible, rarest_phones(strongest, room)).astype(np.intp)
        kept.append(np.setdiff1d(np.arange(len(own)), weak))
        left_out += [f"{OF_PAIRS[axis]} {list_phones([own[place] for place in weak])}"] if len(weak) else []
    labels, places = _in_order(corpus, phones, kept, strength)
    difference, q, same = difference[places], q[places], same_symbol(*labels)
    # The scale ends at the largest difference off the diagonal, whose own would leave all others pale.
    most = float(np.nanmax(np.abs(difference[~same]), initial=0)) or float(np.nanmax(np.abs(difference), initial=0.001))
    tick, note = round_to(most), corpus.note("expected_js")  # another recogniser, phones left out
    notes = [*([f"{note[:1].upper()}{note[1:]}."] if note else []), *_without_reference(corpus)]
    notes += ["White, too: cells of too few tokens to be compared."] * bool(np.isnan(difference).any())
    notes += [f"Left out, because no cell differs visibly: {'; '.join(left_out)}."] if left_out else []
    return draw_heatmap(
        np.nan_to_num(difference),
        labels,
        options,
        sides=OF_PAIRS,
        title=corpus.titled("residuals"),
        notes=notes,
        scale=(diverging_map(), Normalize(-most, most), "P(predicted | gold) − expected", [-tick, 0, tick]),
        legend={"few": FEW_MEANING, "outlined": f"q < {SIGNIFICANT:g}", "dashed": "less", "muted": f"{_SAME}, paler"},
        marks={
            "few": corpus.few(labels[0], len(labels[1])),
            "muted": same,
            "outlined": q < SIGNIFICANT,
            "dashed": difference < -0.1 * most,
        },
        outline=INK,
    )


def _in_order(
    corpus: StoredCorpus, phones: Phones, kept: Sequence[_Places], weights: Floats
) -> tuple[tuple[list[str], list[str]], tuple[_Places, ...]]:
    """Return the phones that are kept, in the order of the corpus' heat maps, and an index to their cells."""
    rows, columns = ([own[place] for place in places] for own, places in zip(phones, kept, strict=True))
    down, along = order_phones(weights[np.ix_(*kept)], (rows, columns), corpus.orders)
    labels = [rows[place] for place in down], [columns[place] for place in along]
    return labels, np.ix_(kept[0][down], kept[1][along])


def _without_reference(corpus: StoredCorpus) -> list[str]:
    """Return which gold phones are not common, with their share of the errors on gold phones."""
    table = corpus.tables.get("confusions", pd.DataFrame(columns=["gold", "predicted", "count"]))
    wrong = table[(table["gold"] != GAP) & (table["gold"] != table["predicted"])]
    left_out = wrong[~wrong["gold"].isin(corpus.tables["expected"]["gold"])]
    if left_out.empty:
        return []
    share = f"{100 * left_out['count'].sum() / wrong['count'].sum():.0f} % of the errors on gold phones"
    phones = phones_of(left_out["gold"])
    return [f"Not here, because not common to both: {len(phones)} gold phones ({list_phones(phones)}), {share}."]


_FORCED_NOTE = "At times that were found from the posteriors."
_NPMI = "NPMI (0 independent, 1 only together)"
_CLEARLY = 0.1  # NPMI: up to this a cell is left blank


def draw_association(corpus: StoredCorpus) -> Sheet | None:
    table = corpus.tables["association"]
    table = table[table["gold"].isin(corpus.options.chosen(table["gold"]))]
    if corpus.options.phones:
        table = table[table["recognised"].isin(table.loc[table["npmi"] > _CLEARLY, "recognised"])]
    if table.empty:
        return None
    phones = phones_of(table["gold"]), phones_of(table["recognised"])
    npmi = cells(table, "npmi", OF_POSTERIORS, phones)
    sums = (table.groupby(side, sort=False)["p_joint"].sum() for side in OF_POSTERIORS)
    sizes = [np.nan_to_num(own.reindex(names)) for own, names in zip(sums, phones, strict=True)]
    labels, places, left_out = _choose_largest(corpus, phones, sizes, np.clip(np.nan_to_num(npmi), 0, None))
    npmi = npmi[places]
    drawn, missing = npmi > _CLEARLY, np.isnan(npmi)
    blank = int((npmi <= _CLEARLY).sum())
    left_blank = f"Left blank: {blank:,} of {npmi.size:,} cells, whose NPMI is {_CLEARLY:g} or less."
    return draw_heatmap(
        np.where(drawn | missing, npmi, 0),
        labels,
        corpus.options,
        sides=OF_POSTERIORS,
        title=corpus.titled("association"),
        notes=[left_blank, *[_FORCED_NOTE] * (corpus.value("times_certainty") is not None), *left_out],
        scale=(sequential_map(), Normalize(0, 1), _NPMI, [0, 0.25, 0.5, 0.75, 1]),
        legend={"outlined": _SAME, "missing": "no data", "few": FEW_MEANING},
        marks={"outlined": same_symbol(*labels), "few": corpus.few(labels[0], len(labels[1]))},
    )


def _choose_largest(
    corpus: StoredCorpus, phones: Phones, sizes: Sequence[Floats], weights: Floats
) -> tuple[tuple[list[str], list[str]], tuple[_Places, ...], list[str]]:
    """Return the phones of the largest sizes that have room, in order, their cells, and notes on the others."""
    kept, notes = list[_Places](), list[str]()
    for side, own, size, room in zip(OF_POSTERIORS, phones, sizes, _plan(*phones, corpus.options).room, strict=True):
        kept.append(np.sort(np.argsort(-size, kind="stable")[:room]))
        if without := [phone for place, phone in enumerate(own) if place not in kept[-1]]:
            notes.append(f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)}).")
    return *_in_order(corpus, phones, kept, weights), notes
