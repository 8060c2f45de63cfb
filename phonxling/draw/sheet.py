"""Placing things on a figure in millimetres: axes, text, notes, legends, and how large a text is.

Names beside the rows and below the columns of a plot, with their ticks.

matplotlib's own ticks are five things to make, measure and draw for each name, which took a fifth of a figure's time.
"""

import io
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, takewhile
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.text import Text

from phonxling.core.arrays import Floats
from phonxling.draw.style import EDGE, GREY, LINE, PASSING, PHONE, SMALL, TEXT, house_style

_MM = 25.4
_SHOWN = 150  # dots an inch in a notebook
NAMES = 0.42  # of a panel's width: what the names beside its rows may take
_LINE = 1.17  # of the size: the height of a line, whatever the font says of its own (Charis SIL: 1.6)


class Sheet(Figure):
    """A figure that a notebook shows as the value of a cell, whether or not it has set matplotlib up for that."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        with house_style():
            self.savefig(picture, format="png", dpi=_SHOWN)
        return picture.getvalue()


def sheet(width_mm: float, height_mm: float) -> Figure:
    """Return an empty figure of this size, with a canvas that can measure text."""
    figure = Sheet(figsize=(width_mm / _MM, height_mm / _MM))
    FigureCanvasAgg(figure)
    return figure


def axes_at(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Return new axes at a place given in mm from the figure's lower left corner."""
    wide, high = (side * _MM for side in figure.get_size_inches())
    return figure.add_axes((left / wide, bottom / high, width / wide, height / high))


def write_at(
    figure: Figure,
    left: float,
    bottom: float,
    text: str,
    size: float = TEXT,
    *,
    ha: str = "left",
    va: str = "baseline",
    bold: bool = False,
    upwards: bool = False,
) -> None:
    """Write text at a place given in mm from the figure's lower left corner."""
    wide, high = (side * _MM for side in figure.get_size_inches())
    written = figure.text(left / wide, bottom / high, text, fontsize=size, ha=ha, va=va)
    written.set(fontweight="bold" if bold else "normal", rotation=90 if upwards else 0)


def write_title(figure: Figure, top: float, title: str, left: float = EDGE) -> None:
    """Write the title of a figure or a panel, whose upper edge is at `top` mm; of a corpus too long for it a part."""
    corpus, colon, subject = title.partition(": ")
    room = figure.get_size_inches()[0] * _MM - left - EDGE - text_size(colon + subject, TEXT, bold=True)[0]
    write_at(figure, left, top - 1, fitted(corpus, room, bold=True) + colon + subject, va="top", bold=True)


def write_notes(figure: Figure, lines: Sequence[str]) -> None:
    """Write lines of small text at the foot of a figure."""
    for place, line in enumerate(reversed(lines)):
        write_at(figure, EDGE, EDGE + LINE * place, line, SMALL, va="bottom")


def write_beside(axes: Axes, row: float, text: str, distance: float) -> None:
    """Write small text beside a row of the axes, so that it ends `distance` mm right of them."""
    axes.annotate(
        text,
        (1, row),
        (distance / _MM * 72, 0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=SMALL,
        annotation_clip=False,
    )


def legend_at(figure: Figure, left: float, bottom: float, entries: Mapping[str, Artist], columns: int) -> None:
    """Draw a legend whose lower left corner is given in mm."""
    wide, high = (side * _MM for side in figure.get_size_inches())
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="lower left",
        bbox_to_anchor=(left / wide, bottom / high),
        ncols=columns,
        borderpad=0,
        borderaxespad=0,
        labelspacing=0.3,
        columnspacing=1.2,
        handlelength=1.6,
    )


def labelled(figure: Figure) -> dict[str, Artist]:
    """Return what the axes of a figure have labelled for its legend, the last label first."""
    pairs = [pair for axes in figure.axes for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
    return {meaning: handle for handle, meaning in reversed(pairs)}


def settle(figure: Figure) -> None:
    """Make the ticks now, while the style holds, and lines of text as high as in any other font."""
    for axes in figure.axes:
        for axis in axes.xaxis, axes.yaxis:
            axis.get_ticklabels(which="both")
    placed = {text for axes in figure.axes for text in axes.texts}  # labels of points stay where they found room
    spacing = line_spacing()
    for text in figure.findobj(Text):
        if text not in placed and text.get_verticalalignment() != "baseline":
            text.set_linespacing(spacing)
    for text in (text for legend in figure.legends for text in legend.get_texts()):
        text.set_linespacing(1 / _line_in_a_legend(tuple(mpl.rcParams["font.family"])))


def line_spacing() -> float:
    """Return the spacing, in matplotlib's measure, that gives a line of text the same height in every font."""
    return _LINE / _natural_line(tuple(mpl.rcParams["font.family"]))


@cache
def _natural_line(family: tuple[str, ...]) -> float:
    """Return how high a line of the font is, as a share of its size."""
    font = get_font(findfont(FontProperties(family=list(family))))
    return (font.ascender - font.descender) / font.units_per_EM


@cache
def _line_in_a_legend(family: tuple[str, ...]) -> float:
    """Return how high matplotlib makes a line of a legend, as a share of the font's size; 1 in DejaVu Sans."""
    font = get_font(findfont(FontProperties(family=list(family))))
    table = font.get_sfnt_table("OS/2")
    return (
        _natural_line(family)
        if table is None
        else (table["sTypoAscender"] - table["sTypoDescender"]) / font.units_per_EM
    )


def fitted(text: str, width_mm: float, *, size: float = TEXT, bold: bool = False) -> str:
    """Return a text that is no wider, with … in its middle where it has to be cut."""
    length = len(text)
    shown = text
    while text_size(shown, size, bold=bold)[0] > width_mm and length > 2:
        length -= 1
        shown = f"{text[: -(-length // 2)]}…{text[len(text) - length // 2 :]}"
    return shown


def text_size(text: str, size: float, *, bold: bool = False) -> tuple[float, float, float]:
    """Return width, height and of that the depth below the baseline of a text in mm, in the font that is in force."""
    return _measured(text, size, tuple(mpl.rcParams["font.family"]), "bold" if bold else "normal")


@lru_cache(maxsize=4096)
def _measured(text: str, size: float, family: tuple[str, ...], weight: str) -> tuple[float, float, float]:
    width, height, depth = _renderer().get_text_width_height_descent(  # type: ignore[no-untyped-call]
        text, FontProperties(family=list(family), size=size, weight=weight), False
    )
    return width * _MM / 300, height * _MM / 300, depth * _MM / 300


@cache
def _renderer() -> RendererAgg:
    """Return one renderer to measure with: each has a canvas of its own, and measuring takes thousands of calls."""
    return FigureCanvasAgg(Figure(figsize=(1, 1), dpi=300)).get_renderer()  # type: ignore[no-untyped-call, no-any-return]


def wrap_notes(text: str, width_mm: float) -> list[str]:
    """Return a note's lines of small text for a figure of this width."""
    return wrap(text, SMALL, width_mm - 2 * EDGE)


def wrap(text: str, size: float, width_mm: float) -> list[str]:
    """Return the text's lines, broken at spaces so that none is wider than `width_mm` (a longer word stands alone)."""
    lines, words = list[str](), text.split()
    while words:
        ends = accumulate(text_size(f"{word} ", size)[0] for word in words)  # nearly where the line ends
        number = max(sum(1 for _ in takewhile(lambda end: end <= width_mm, ends)), 1)
        while number > 1 and text_size(" ".join(words[:number]), size)[0] > width_mm:
            number -= 1
        while number < len(words) and text_size(" ".join(words[: number + 1]), size)[0] <= width_mm:
            number += 1
        lines.append(" ".join(words[:number]))
        words = words[number:]
    return lines


# Names beside the rows and below the columns of a plot, with their ticks.

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
    """Write names left of rows at these places; their distance from the plot or a tick, and its length, in points."""
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
