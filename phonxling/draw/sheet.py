"""A figure measured in millimetres: axes, texts, notes and legends at their places, and how large a text is.

Names beside the rows and below the columns of a plot are texts with marks of their own: matplotlib's ticks are five
things to make, measure and draw for each name, which took a fifth of a figure's time.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
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
WIDE = 150.0  # mm from which panels stand side by side
_WIDTH = 0.4  # points: of ticks
_LOOK: dict[str, Any] = {"zorder": 0.5}  # of names and ticks, behind what is drawn
_TITLE = 4.0  # mm: what a title takes
_LINE = 1.17  # of the size: the height of a line, whatever the font says of its own (Charis SIL: 1.6)


class Sheet(Figure):
    """An empty figure of a size in mm, with a canvas that can measure text; places are from its lower left corner."""

    def __init__(self, width_mm: float, height_mm: float) -> None:
        super().__init__(figsize=(width_mm / _MM, height_mm / _MM))
        FigureCanvasAgg(self)
        self.title = self.notes = ""
        self._of_title, self._of_notes = list[Text](), list[Text]()

    def _repr_png_(self) -> bytes:
        """Return the picture as a notebook shows it, whether or not it has set matplotlib up for that."""
        picture = io.BytesIO()
        with house_style():
            self.savefig(picture, format="png", dpi=_SHOWN)
        return picture.getvalue()

    def axes_at(self, left: float, bottom: float, width: float, height: float) -> Axes:
        wide, high = self.get_size_inches() * _MM
        return self.add_axes((left / wide, bottom / high, width / wide, height / high))

    def write(self, left: float, bottom: float, text: str, size: float = TEXT, **look: Any) -> Text:  # noqa: ANN401 - what matplotlib takes
        wide, high = self.get_size_inches() * _MM
        return self.text(left / wide, bottom / high, text, fontsize=size, **look)

    def write_title(self, title: str) -> None:
        """Write the title of the figure below its upper edge; a long corpus is cut."""
        self.title = title
        self._of_title.append(self.write_panel_title(self.get_size_inches()[1] * _MM, title, EDGE))

    def write_panel_title(self, top: float, title: str, left: float) -> Text:
        corpus, colon, subject = title.partition(": ")
        room = self.get_size_inches()[0] * _MM - left - EDGE - text_size(colon + subject, TEXT, bold=True)[0]
        shown = fitted(corpus, room, bold=True) + colon + subject
        return self.write(left, top - 1, shown, va="top", weight="bold")

    def legend_at(self, left: float, bottom: float, entries: Mapping[str, Artist], columns: int) -> None:
        wide, high = self.get_size_inches() * _MM
        look: dict[str, Any] = {"borderpad": 0, "borderaxespad": 0, "labelspacing": 0.3, "columnspacing": 1.2}
        look |= {"bbox_to_anchor": (left / wide, bottom / high), "ncols": columns, "handlelength": 1.6}
        self.legend(list(entries.values()), list(entries), loc="lower left", **look)

    def labelled(self) -> dict[str, Artist]:
        """Return what the axes have labelled for the legend, the last label first."""
        pairs = [pair for axes in self.axes for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
        return {meaning: handle for handle, meaning in reversed(pairs)}

    def write_notes(self, lines: Sequence[str]) -> None:
        self.notes = " ".join(filter(None, lines))
        for place, line in enumerate(reversed(lines)):
            self._of_notes.append(self.write(EDGE, EDGE + LINE * place, line, SMALL, va="bottom"))

    def trim(self, *, title: bool, notes: bool) -> None:
        """Take away the title or the notes, if they are not wanted, and the room that they stand in."""
        above, below = 0.0 if title or not self._of_title else _TITLE, 0.0 if notes else LINE * len(self._of_notes)
        for text in [*([] if title else self._of_title), *([] if notes else self._of_notes)]:
            text.remove()
        wide, high = self.get_size_inches()
        low, left = below / _MM, high - (above + below) / _MM
        for axes in self.axes:
            box = axes.get_position()
            axes.set_position((box.x0, (box.y0 * high - low) / left, box.width, box.height * high / left))
        for text in self.texts:
            text.set_y((text.get_position()[1] * high - low) / left)
        for legend in self.legends:
            x, y = self.transFigure.inverted().transform(legend.get_bbox_to_anchor().p0)
            legend.set_bbox_to_anchor((x, (y * high - low) / left), self.transFigure)
        self.set_size_inches(wide, left)

    def finish(self, notes: Sequence[str] = ()) -> None:
        """Write lines of notes; make ticks while the style holds, and lines of text as high as in any font."""
        if notes:
            self.write_notes(notes)
        for axes in self.axes:
            for axis in axes.xaxis, axes.yaxis:
                axis.get_ticklabels(which="both")
        placed = {text for axes in self.axes for text in axes.texts}  # labels of points stay where they found room
        for text in self.findobj(Text):
            if text not in placed and text.get_verticalalignment() != "baseline":
                text.set_linespacing(line_spacing())
        for text in (text for legend in self.legends for text in legend.get_texts()):
            text.set_linespacing(1 / _lines(tuple(mpl.rcParams["font.family"]))[1])


def write_beside(axes: Axes, rows: Iterable[float], texts: Iterable[str], distance: float) -> None:
    """Write small texts beside rows of the axes, so that they end `distance` mm right of them."""
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "center", "fontsize": SMALL}
    for row, text in zip(rows, texts, strict=True):
        at = axes.get_yaxis_transform()
        axes.annotate(text, (1, row), (distance / _MM * 72, 0), xycoords=at, annotation_clip=False, **look)


def line_spacing() -> float:
    """Return the spacing, in matplotlib's measure, that gives a line of text the same height in every font."""
    return _LINE / _lines(tuple(mpl.rcParams["font.family"]))[0]


@cache
def _lines(family: tuple[str, ...]) -> tuple[float, float]:
    """Return how high a line of the font is, and how high matplotlib makes one of a legend, as shares of its size."""
    font = get_font(findfont(FontProperties(family=list(family))))
    natural, table = (font.ascender - font.descender) / font.units_per_EM, font.get_sfnt_table("OS/2")
    if table is None:
        return natural, natural
    return natural, (table["sTypoAscender"] - table["sTypoDescender"]) / font.units_per_EM


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


def wrap(notes: Iterable[str], width_mm: float, size: float = SMALL) -> list[str]:
    """Return the lines of notes on a figure of this width, broken at spaces; a longer word stands alone."""
    lines = list[str]()
    for word in " ".join(notes).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_size(longer, size)[0] <= width_mm - 2 * EDGE:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


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
    columns: bool = False,
) -> None:
    """Write names left of rows, or below columns, at these places.

    Their distance from the plot or a tick, its length, and how far a level is beyond the one before are in points.
    """
    kind = "x" if columns else "y"
    axes.set(**{f"{kind}ticks": []})
    of_names = np.array(levels or [0] * len(names), dtype=np.intp)
    lengths = [tick + level * drop for level in range(of_names.max(initial=0) + 1)]
    beside = [getattr(axes, f"get_{kind}axis_text1_transform")(pad + length) for length in lengths]
    look: dict[str, Any] = {"va": "baseline"} if columns else {"va": "center", "linespacing": line_spacing()}
    for place, name, level, ink in zip(places, names, of_names, inks or ["black"] * len(names), strict=True):
        transform, _, side = beside[level]
        x, y = (place, 0) if columns else (0, place)
        axes.text(x, y, name, color=ink, ha=side, fontsize=size, transform=transform, **look, **_LOOK)
    look = {
        "marker": TICKDOWN if columns else TICKLEFT,
        "linestyle": "none",
        "markeredgewidth": _WIDTH,
        "clip_on": False,
    }
    for level, length in enumerate(lengths if tick else ()):
        own = places[of_names == level]
        x, y = (own, np.zeros(len(own))) if columns else (np.zeros(len(own)), own)
        colour = PASSING if level else GREY  # ticks that pass by other names, to names on a further level, are pale
        at_edge = getattr(axes, f"get_{kind}axis_transform")("tick1")
        axes.add_artist(Line2D(x, y, color=colour, markersize=length, transform=at_edge, **look, **_LOOK))
