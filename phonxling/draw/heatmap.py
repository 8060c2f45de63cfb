"""Heat maps of phones: confusions of a corpus, what differs from the reference, and what goes together."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import floor
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, Normalize, PowerNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Floats, divide
from phonxling.core.estimate import SIGNIFICANT, list_phones
from phonxling.core.inventory import GAP
from phonxling.draw import style
from phonxling.draw.figure import (
    OF_PAIRS,
    OF_POSTERIORS,
    Phones,
    StoredCorpus,
    cells,
    is_rest,
    order_phones,
    other_phones,
    phones_of,
    rarest_phones,
)
from phonxling.draw.sheet import Sheet, cut_to_width, legend_lines, text_size, wrap
from phonxling.draw.style import EDGE, FEW_TOKENS_DRAWN, GREY, INK, LINE, PHONE, PHONES, SMALL

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
_POINTS = 72 / 25.4  # a mm
_PAD, _BESIDE_SCALE = 1.6, 15.0  # points: from a tick to its label; from the bars of ∅ to their name
_BOXES: dict[str, dict[str, Any]] = {  # marks that fill cells, in the order in which they are drawn
    "missing": {"facecolor": style.PALE_GREY, "edgecolor": "white", "linewidth": 0.25},
    "muted": {"facecolor": (1, 1, 1, 0.65), "edgecolor": "none"},
    "few": {"facecolor": (1, 1, 1, 0.6), "edgecolor": GREY, "hatch": "//////", "linewidth": 0},
    "outlined": {"facecolor": "none", "linewidth": 0.6, "zorder": 3, "clip_on": False},
}
_SIGNS: dict[str, dict[str, Any]] = {"missing": {"marker": "x", "color": GREY}, "dashed": {"marker": "_", "color": INK}}
_IN_LEGEND: dict[str, dict[str, Any]] = {
    "missing": {"markersize": 2.5, "markeredgewidth": 0.5},
    "dashed": {"markersize": 3},
}
FEW_MEANING = f"fewer than {FEW_TOKENS_DRAWN} tokens"
Scale = tuple[Colormap, Normalize, str, Sequence[float]]  # colours, the values' norm, their unit, ticks


# Cells are square and as large as the width and the page allow. Where there are many, labels are smaller, and stand
# free on up to three levels.
class _Layout:
    """Sizes in mm (`side`: a cell's), and of labels in points, on so many levels; whether none touches another.

    `room` is how many rows and columns fit.
    """

    def __init__(
        self, rows: Sequence[str], columns: Sequence[str], width: float, size: float, levels: int, *, has_gap: bool
    ) -> None:
        self.size = size
        self.row_names = [cut_to_width(phone, min(_WIDEST_ROW, _ROW_LABEL * width), size=size) for phone in rows]
        self.column_names = [cut_to_width(phone, _WIDEST_COLUMN, size=size) for phone in columns]
        of_rows, of_columns = ([text_size(one, size) for one in own] for own in (self.row_names, self.column_names))
        line, gap = text_size("lp", size), GAP_WIDTH * has_gap  # no line is lower than this
        self.ascent = max(height - depth for _, height, depth in [*of_columns, line])
        self.line = self.ascent + max(depth for *_, depth in [*of_columns, line]) + 0.3
        tallest = max((height for _, height, _ in of_rows), default=0) + _AIR
        # A wide last label, of phones that are drawn as one, stands outside of the others, beyond the last level.
        high = [width for phone, (width, *_) in zip(rows, of_rows, strict=True) if not is_rest(phone)]
        self.drop = drop = max(high, default=0) + _AIR
        names = max(drop * levels, *(drop * (levels - 1) + wide + _AIR for wide, *_ in of_rows if wide >= drop), 0.0)
        own = [0 if is_rest(phone) else wide for phone, (wide, *_) in zip(columns, of_columns, strict=True)]
        least = max((max(own, default=0) + _AIR) / _MOST_LEVELS, tallest / _MOST_LEVELS, _LEAST_CELL)
        rest = [wide - least for phone, (wide, *_) in zip(columns, of_columns, strict=True) if is_rest(phone)]
        self.left = EDGE + style.AXIS_LABEL + _TICK + 1.6 + names
        wide = width - self.left - EDGE - max(_BARS if has_gap else 0, max(rest, default=0) / 2)
        height = style.PAGE_HEIGHT - _ABOVE_AND_BELOW
        self.room = max(floor(height / least), 1), max(floor(wide / least - gap), 2)
        most = max(_MOST_CELL, style.LEAST_SIDE / (max(len(rows), len(columns)) + gap))
        shown = min(len(rows), self.room[0]), min(len(columns), self.room[1]) + gap
        self.side = side = min(wide / shown[1], height / shown[0], most)
        free = 1  # levels on which labels stand in turn, so that none touches the next on its own
        while free < _MOST_LEVELS and any(
            (one + following) / 2 + _AIR > free * side for one, following in zip(own, own[free:], strict=False)
        ):
            free += 1
        self.row_levels = [(place - len(rows)) % levels for place in range(len(rows))]
        self.column_levels = [free if is_rest(phone) else place % free for place, phone in enumerate(columns)]
        has_room = len(rows) <= self.room[0] and len(columns) <= self.room[1]
        self.fits = has_room and side >= tallest / levels and free <= levels


def same_symbol(rows: Sequence[str], columns: Sequence[str]) -> Bools:
    return np.array([[one == other and not is_rest(one) for other in columns] for one in rows])


def draw_heatmap(
    values: Floats,
    labels: tuple[Sequence[str], Sequence[str]],
    options: style.FigureOptions,
    *,
    sides: tuple[str, str],
    title: str,
    notes: Iterable[str],
    scale: Scale,
    legend: Mapping[str, str],
    marks: Mapping[str, Bools],
    outline: str = style.SAME,
    tokens: tuple[Floats, Floats, Floats] | None = None,
) -> Sheet:
    """Return the figure of values [rows, columns], NaN where there are no data, and what stands beside them.

    `sides` say of which phones rows and columns are. `scale` are the colours, the values' norm, their unit and the
    colour bar's ticks. `marks` are cells that are outlined, dashed, muted, or hatched where rows have few
    tokens; `legend` says what they, or missing ones, mean, where there are such. `tokens` are those of the rows and of
    the columns, and the bars of ∅ below the columns; the last column is ∅.
    """
    has_gap, marks = tokens is not None, {**marks, "missing": np.isnan(values)}
    legend = {kind: meaning for kind, meaning in legend.items() if marks[kind].any()}
    layout = _plan(*labels, options.width_mm, has_gap=has_gap)
    lines = [line for note in notes for line in wrap([note], options.width_mm)]
    foot = EDGE + LINE * len(lines) + 0.8
    bar = foot + _ENTRY * legend_lines(legend.values(), options.width_mm) + 3.4
    high, wide = len(labels[0]) * layout.side, (len(labels[1]) + GAP_WIDTH * has_gap) * layout.side
    below = bar + 6 + style.AXIS_LABEL
    names = _TICK + (max(layout.column_levels, default=0) + 1) * layout.line + 2 * _AIR
    bottom, block = below + names + (_STRIP + _BETWEEN) * has_gap, max(high, style.LEAST_SIDE)
    figure = Sheet(options.width_mm, bottom + block + style.TEXT * 0.6 + _MARGIN_BAR * has_gap + 1)
    figure.write_title(title)
    y, x = (np.arange(len(own), dtype=np.float64) + 0.5 for own in labels)
    x[-1:] += GAP_WIDTH * has_gap
    lowest = axes = figure.axes_at(layout.left, bottom, wide, high)
    _draw_cells(axes, values, (x, y), scale, marks, outline=outline)
    inks = [INK] * len(labels[0])
    if tokens is not None:
        lowest = _draw_tokens(figure, axes, (x, y), (layout.left, bottom, wide, high), tokens)
        inks = [GREY if few else INK for few in tokens[0] < FEW_TOKENS_DRAWN]
    _name_phones(lowest.xaxis, x, layout, columns=True)
    _name_phones(axes.yaxis, y, layout, columns=False)
    for label, ink in zip(axes.yaxis.get_ticklabels(), inks, strict=True):
        label.set_color(ink)
    figure.write(EDGE, bottom + block / 2, f"{sides[0]} phone", va="center", rotation=90)
    figure.write(layout.left + wide / 2, below, f"{sides[1]} phone", va="top", ha="center")
    _draw_bar(figure, bar, scale)
    if legend:
        figure.legend_across(EDGE, foot, {meaning: _handle(kind, outline) for kind, meaning in legend.items()})
    figure.finish(lines)
    return figure


def _plan(rows: Sequence[str], columns: Sequence[str], width: float, *, has_gap: bool = False) -> _Layout:
    """Return the layout for these labels in the width that was asked for.

    Where one row of labels has no room, they are smaller; where the smallest have none, they stand on several levels.
    """
    for levels, size in product(range(1, _MOST_LEVELS + 1), PHONES):
        layout = _Layout(rows, columns, width, size, levels, has_gap=has_gap)
        if layout.fits:
            break
    return layout


def _name_phones(axis: Axis, places: Floats, layout: _Layout, *, columns: bool) -> None:
    if columns:
        names, levels = layout.column_names, layout.column_levels
        pad, drop = _PAD + layout.ascent * _POINTS, layout.line * _POINTS
    else:
        names, levels, pad, drop = layout.row_names, layout.row_levels, _PAD, layout.drop * _POINTS
    axis.set_ticks(places, names, fontsize=layout.size, va="baseline" if columns else "center")
    axis.set_tick_params(length=_TICK * _POINTS, pad=pad, color=GREY)
    for mark, level in zip(axis.get_major_ticks(), levels, strict=True):
        mark.set_pad(pad + level * drop)
        # ticks that pass by other names, to names on a further level, are pale
        mark.tick1line.set(markersize=_TICK * _POINTS + level * drop, markeredgecolor=style.PASSING if level else GREY)


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
    figure: Sheet,
    cells: Axes,
    centres: tuple[Floats, Floats],
    box: tuple[float, float, float, float],
    tokens: tuple[Floats, Floats, Floats],
) -> Axes:
    """Draw bars of tokens beside and above the cells in their box, and those of ∅ below; return the axes of these."""
    (x, y), (of_rows, of_columns, of_gap), (left, bottom, wide, high) = centres, tokens, box
    below = figure.axes_at(left, bottom - _STRIP - _BETWEEN, wide, _STRIP)
    inserted = np.nan_to_num(of_gap)
    below.bar(x[:-1], inserted, width=0.72, color=style.MIDDLE)
    limit = round_to(float(inserted.max(initial=0)), up=True)
    below.set(ylim=(0, limit))
    below.set_yticks([0, limit], ["0", f"{limit:,g}"])
    below.tick_params(axis="y", length=1.5, pad=0.8, color=GREY, labelcolor=INK)
    below.spines[["bottom", "top", "right"]].set_visible(False)
    below.axhline(0, color=GREY, linewidth=0.4, clip_on=False)
    beside = below.get_yaxis_text1_transform(_BESIDE_SCALE)[0]
    below.text(0, limit / 2, GAP, fontsize=PHONE, va="center", ha="right", transform=beside)
    below.set_xlim(cells.get_xlim())
    side = figure.axes_at(left + wide + 1, bottom, _MARGIN_BAR - 2, high)
    over = figure.axes_at(left, bottom + high + 1, wide, _MARGIN_BAR - 2)
    side.barh(y, of_rows, height=0.72, color=GREY)
    over.bar(x, of_columns, width=0.72, color=GREY)
    side.set(ylim=cells.get_ylim(), xlim=(0, None), yticks=[])
    over.set(xlim=cells.get_xlim(), ylim=(0, None), xticks=[])
    over.yaxis.tick_right()
    for bars, axis, end in ((side, side.xaxis, side.get_xlim()[1]), (over, over.yaxis, over.get_ylim()[1])):
        tick = round_to(end)  # one number: bars are beside the cells for orientation, tables have the tokens
        axis.set_ticks([tick], [f"{tick:,.0f}"])
        bars.spines[:].set_visible(False)
        bars.tick_params(length=1.5, pad=0.8, color=GREY)
    side.set_xlabel("tokens", fontsize=SMALL, labelpad=0.5)
    return below


def round_to(limit: float, *, up: bool = False) -> float:
    """Return the greatest 1, 2 or 5 times a power of ten that is not above the limit, or the least not below it."""
    power = 10.0 ** np.floor(np.log10(limit)) if limit > 0 else 1.0
    steps = [step * power for step in (1, 2, 5, 10)]
    if up:
        return float(min(step for step in steps if step >= limit))
    return float(max(step for step in steps if step in (power, limit) or step < limit))


def _draw_bar(figure: Sheet, bottom: float, scale: Scale) -> None:
    (colours, norm, unit, ticks), left, width = scale, EDGE + style.AXIS_LABEL, figure.get_size_inches()[0] * 25.4
    figure.write(left, bottom + 2.5, unit, SMALL, va="bottom")
    wide = min(max(40.0, text_size(unit, SMALL)[0]), width - 2 * EDGE - style.AXIS_LABEL)
    axes = figure.axes_at(left, bottom, wide, 2)
    bar = figure.colorbar(ScalarMappable(norm, colours), cax=axes, orientation="horizontal")
    bar.ax.xaxis.set_major_locator(FixedLocator(list(ticks)))
    bar.ax.xaxis.set_minor_locator(NullLocator())
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(length=1.5, pad=1, labelsize=SMALL)


def _handle(kind: str, outline: str) -> Artist:
    if kind in _SIGNS:
        return Line2D([], [], linestyle="none", **_SIGNS[kind], **_IN_LEGEND[kind])
    looks = {"outlined": {"facecolor": "none", "edgecolor": outline, "linewidth": 0.8}, "few": _BOXES["few"]}
    return Patch(**looks.get(kind, {"facecolor": style.PALE_GREY, "edgecolor": "none"}))


_Places = NDArray[np.intp]
# Of fewer tokens one confusion is a share of .25 or more, in as strong a colour as a systematic one.
_RARE = 5  # tokens; phones of fewer are drawn as one
_OFTEN = 0.05  # of the tokens of a chosen phone: such answers have a column
_SAME = "same symbol"
_GAPS = (
    f"{GAP} column: share of a gold phone’s tokens deleted.",
    f"Bars at {GAP}: share of a predicted phone’s tokens inserted.",
)


# Confusions: a cell is the share of a gold phone's tokens. The column of ∅, set apart, are deletions, the bars at ∅
# insertions. Phones of fewer than five tokens, and the rarest where the figure has no room, are added up as one. Where
# phones are chosen, so are answers to them of less than a twentieth.
def draw_confusions(corpus: StoredCorpus) -> Sheet | None:
    """Return the shares of each gold phone's tokens by what was predicted; None where no phone is to be drawn."""
    if not corpus.options.chosen(phones_of(corpus.tables["confusions"]["gold"])):
        return None
    counts, phones, tokens_of_columns, inserted, notes = _count_confusions(corpus)
    pairs = counts[:, :-1]  # deletions order nothing: phones that are deleted alike need not be confused alike
    rows, columns = order_phones(divide(pairs, pairs.sum(axis=1, keepdims=True)), phones, corpus.orders)
    gold, predicted = [phones[0][row] for row in rows], [*(phones[1][column] for column in columns), GAP]
    columns = np.array([*columns, len(columns)])
    counts = counts[rows][:, columns]
    tokens = counts.sum(axis=1)
    beside, above = (  # many phones in one have no bar, for theirs would dwarf the others
        np.where([is_rest(phone) for phone in labels], np.nan, own)
        for labels, own in ((gold, tokens), (predicted, tokens_of_columns[columns]))
    )
    # √: confusions are shares of .05 to .3, which a scale of even steps to 1 would leave nearly white.
    norm, ticks = PowerNorm(0.5, 0, 1), [0, 0.05, 0.2, 0.5, 1]
    few = np.repeat(tokens[:, None] < FEW_TOKENS_DRAWN, len(predicted), axis=1)
    return draw_heatmap(
        divide(counts, tokens[:, None]),
        (gold, predicted),
        corpus.options,
        sides=OF_PAIRS,
        title=corpus.titled("confusions"),
        notes=[*_GAPS, *notes],
        scale=(style.sequential_map(), norm, "share of the gold phone’s tokens, √ scale", ticks),
        legend={"outlined": _SAME, "few": FEW_MEANING},
        marks={"outlined": same_symbol(gold, predicted), "few": few},
        tokens=(beside, above, inserted[columns[:-1]]),
    )


def _count_confusions(corpus: StoredCorpus) -> tuple[Floats, Phones, Floats, Floats, list[str]]:
    """Return what is drawn, with rare phones as one, and the rarest where there is no room for all.

    Counts [gold, predicted + ∅] with their phones, tokens of the columns, share inserted of each, and notes.
    """
    table, options = corpus.tables["confusions"], corpus.options
    every, predicted = (phones_of(table[side]) for side in OF_PAIRS)
    gold = options.chosen(every)
    counts = cells(table, "count", OF_PAIRS, ([*every, GAP], [*predicted, GAP]), blank=0)
    own = np.isin([*every, GAP], gold)
    counts = np.vstack([counts[own], counts[-1], counts[:-1][~own[:-1]].sum(axis=0)])  # last what is not drawn
    further = np.arange(0)
    if options.phones:  # of the answers those that are chosen themselves, or are often one to a chosen phone
        often = np.any(divide(counts[:-2], counts[:-2].sum(axis=1, keepdims=True)) >= _OFTEN, axis=0)[:-1]
        further = np.flatnonzero(~(np.isin(predicted, options.chosen(predicted)) | often))
    room = _plan(gold, [*predicted, GAP], options.width_mm, has_gap=True).room
    rare = [_find_rare(side) for side in (counts[:-2].sum(axis=1), counts.sum(axis=0)[:-1])]
    if len(gold) > room[0] or len(predicted) >= room[1] or any(map(len, (further, *rare))):
        # The label of phones that are drawn as one is wide, and takes room from the cells.
        longest = [*gold, other_phones(len(gold))], [*predicted, other_phones(len(predicted)), GAP]
        room = _plan(*longest, options.width_mm, has_gap=True).room
    kept, gold, few_gold = _fold("gold", counts[:-1], gold, room[0])
    by_phone = np.vstack([kept, counts[-1:]]).T
    by_phone, predicted, few_predicted = _fold("predicted", by_phone, predicted, room[1] - 1, further)
    counts, tokens = by_phone.T[:-1], by_phone.sum(axis=1)
    tokens[-1] = counts[:, -1].sum()
    return counts[:-1], (gold, predicted), tokens, divide(counts[-1], tokens), [*few_gold, *few_predicted]


def _find_rare(tokens: Floats) -> _Places:
    """Return the phones of few tokens, where there are several of them, and others."""
    rare = np.flatnonzero(tokens < _RARE)
    return rare if 1 < len(rare) < len(tokens) else rare[:0]


def _fold(
    side: str, counts: Floats, phones: list[str], room: int, further: Sequence[int] | _Places = ()
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


# Residuals, shares of a target less what its reference leads one to expect: rows and columns without a difference that
# could be seen are left out by name. The diagonal is muted, since what is kept right differs by far more than what is
# confused with what.
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
    for axis, room in enumerate(_plan(*phones, options.width_mm).room):
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
    notes = [*[f"{note[:1].upper()}{note[1:]}."] * bool(note), *_without_reference(corpus)]
    notes += ["White, too: cells of too few tokens to be compared."] * bool(np.isnan(difference).any())
    notes += [f"Left out, because no cell differs visibly: {'; '.join(left_out)}."] if left_out else []
    return draw_heatmap(
        np.nan_to_num(difference),
        labels,
        options,
        sides=OF_PAIRS,
        title=corpus.titled("residuals"),
        notes=notes,
        scale=(style.diverging_map(), Normalize(-most, most), "P(predicted | gold) − expected", [-tick, 0, tick]),
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


# Association of gold phones with recognised ones, from posteriors: a cell is their normalised pointwise mutual
# information (Bouma 2009), 0 where they are independent, 1 where they come only together. Cells of .1 or less are left
# blank. The rarest phones that have no room are left out by name.
def draw_association(corpus: StoredCorpus) -> Sheet | None:
    table, options = corpus.tables["association"], corpus.options
    table = table[table["gold"].isin(options.chosen(table["gold"]))]
    if options.phones:
        table = table[table["recognised"].isin(table.loc[table["npmi"] > _CLEARLY, "recognised"])]
    if table.empty:
        return None
    phones = phones_of(table["gold"]), phones_of(table["recognised"])
    npmi = cells(table, "npmi", OF_POSTERIORS, phones)
    kept, left_out = list[_Places](), list[str]()
    for side, own, room in zip(OF_POSTERIORS, phones, _plan(*phones, options.width_mm).room, strict=True):
        sizes = np.nan_to_num(table.groupby(side, sort=False)["p_joint"].sum().reindex(own))
        kept.append(np.sort(np.argsort(-sizes, kind="stable")[:room]))
        if without := [phone for place, phone in enumerate(own) if place not in kept[-1]]:
            left_out.append(f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)}).")
    labels, places = _in_order(corpus, phones, kept, np.clip(np.nan_to_num(npmi), 0, None))
    npmi = npmi[places]
    blank = int((npmi <= _CLEARLY).sum())
    left_blank = f"Left blank: {blank:,} of {npmi.size:,} cells, whose NPMI is {_CLEARLY:g} or less."
    return draw_heatmap(
        np.where(npmi <= _CLEARLY, 0, npmi),
        labels,
        options,
        sides=OF_POSTERIORS,
        title=corpus.titled("association"),
        notes=[left_blank, *[_FORCED_NOTE] * (corpus.value("times_certainty") is not None), *left_out],
        scale=(style.sequential_map(), Normalize(0, 1), _NPMI, [0, 0.25, 0.5, 0.75, 1]),
        legend={"outlined": _SAME, "missing": "no data", "few": FEW_MEANING},
        marks={"outlined": same_symbol(*labels), "few": corpus.few(labels[0], len(labels[1]))},
    )
