"""A figure measured in millimetres: axes, texts, notes and legends at their places, and how large a text is."""

import hashlib
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text
from textalloc import allocate

from phonxling.core.arrays import Floats
from phonxling.core.errors import escape_unprintable
from phonxling.draw.style import EDGE, GREY, LINE, PHONE, SMALL, TEXT, house_style

_MM = 25.4
_SHOWN_LETTERS = 150  # dots an inch in a notebook
NAMES = 0.42  # of a panel's width: what the names beside its rows may take
WIDE_FIGURE = 150.0  # mm from which panels stand side by side
_HANDLE, _COLUMN_GAP = 5.6, 2.8  # mm: the mark of an entry of a legend, between columns
_LINE = 1.17  # of the size: the height of a line, whatever the font says of its own (Charis SIL: 1.6)


class Sheet(Figure):
    """An empty figure of a size in mm, with a canvas that can measure text; places are from its lower left corner."""

    def __init__(self, width_mm: float, height_mm: float) -> None:
        super().__init__(figsize=(width_mm / _MM, height_mm / _MM))
        FigureCanvasAgg(self)
        self.title = self.notes = ""

    def _repr_png_(self) -> bytes:
        """Return the picture as a notebook shows it, whether or not it has set matplotlib up for that."""
        picture = io.BytesIO()
        with house_style():
            self.savefig(picture, format="png", dpi=_SHOWN_LETTERS)
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
        self.write_panel_title(self.get_size_inches()[1] * _MM, title, EDGE)

    def write_panel_title(self, top: float, title: str, left: float) -> Text:
        corpus, colon, subject = title.partition(": ")
        room = self.get_size_inches()[0] * _MM - left - EDGE - text_size(colon + subject, TEXT, bold=True)[0]
        shown = cut_to_width(corpus, room, bold=True) + colon + subject
        return self.write(left, top - 1, shown, va="top", weight="bold")

    def legend_at(self, left: float, bottom: float, entries: Mapping[str, Artist], columns: int) -> None:
        wide, high = self.get_size_inches() * _MM
        look: dict[str, Any] = {"borderpad": 0, "borderaxespad": 0, "labelspacing": 0.3, "columnspacing": 1.2}
        look |= {"bbox_to_anchor": (left / wide, bottom / high), "ncols": columns, "handlelength": 1.6}
        self.legend(list(entries.values()), list(entries), loc="lower left", **look)

    def legend_across(self, left: float, bottom: float, entries: Mapping[str, Artist]) -> None:
        """Draw a legend in as many columns as the width has room for, `legend_lines` high."""
        width = self.get_size_inches()[0] * _MM
        room = width - left - EDGE - _HANDLE
        own = {cut_to_width(meaning, room, size=SMALL): artist for meaning, artist in entries.items()}
        self.legend_at(left, bottom, own, legend_columns(own, width))

    def finish(self, notes: Sequence[str] = ()) -> None:
        """Write lines of notes; make ticks while the style holds, and lines of text as high as in any font."""
        self.notes = " ".join(filter(None, notes))
        for place, line in enumerate(reversed(notes)):
            self.write(EDGE, EDGE + LINE * place, line, SMALL, va="bottom")
        # Ticks are made when they are asked for: later, outside of the style, they would have the user's.
        for axes in self.axes:
            for axis in axes.xaxis, axes.yaxis:
                axis.get_ticklabels(which="both")
        placed = {text for axes in self.axes for text in axes.texts}  # labels of points stay where they found room
        for text in self.findobj(Text):
            if text not in placed and text.get_verticalalignment() != "baseline":
                text.set_linespacing(line_spacing())
        for text in (text for legend in self.legends for text in legend.get_texts()):
            text.set_linespacing(1 / _lines(tuple(mpl.rcParams["font.family"]))[1])


def legend_columns(meanings: Iterable[str], width_mm: float) -> int:
    """Return how many columns of a legend the width has room for."""
    widest = max((text_size(meaning, SMALL)[0] for meaning in meanings), default=0) + _HANDLE
    return max(int((width_mm - 2 * EDGE + _COLUMN_GAP) / (widest + _COLUMN_GAP)), 1)


def legend_lines(meanings: Collection[str], width_mm: float) -> int:
    return -(-len(meanings) // legend_columns(meanings, width_mm))


def write_beside(axes: Axes, rows: Iterable[float], texts: Iterable[str], distance: float, size: float = SMALL) -> None:
    """Write small texts beside rows of the axes, so that they end `distance` mm right of them."""
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "center", "fontsize": size}
    for row, text in zip(rows, texts, strict=True):
        at = axes.get_yaxis_transform()
        axes.annotate(text, (1, row), (distance / _MM * 72, 0), xycoords=at, annotation_clip=False, **look)


def line_spacing() -> float:
    """Return the spacing, in matplotlib's measure, that gives a line of text the same height in every font."""
    return _LINE / _lines(tuple(mpl.rcParams["font.family"]))[0]


@cache
def _lines(family: tuple[str, ...]) -> tuple[float, float]:
    """Return how high a line of the font is, and how high matplotlib makes one of a legend, as shares of its size."""
    # Charis SIL has room for stacked accents: natural lines 1.6 sizes high, which no figure has room for.
    font = get_font(findfont(FontProperties(family=list(family))))
    natural, table = (font.ascender - font.descender) / font.units_per_EM, font.get_sfnt_table("OS/2")
    if table is None:
        return natural, natural
    return natural, (table["sTypoAscender"] - table["sTypoDescender"]) / font.units_per_EM


def cut_to_width(text: str, width_mm: float, *, size: float = TEXT, bold: bool = False) -> str:
    """Return a text that is no wider, with … in its middle, or its name's, where it has to be cut."""
    shown, name, added = text, *text.rpartition(" (")[::2]
    if not name or text_size(added, size, bold=bold)[0] > width_mm / 2:  # “(not above chance)” stays whole, with room
        name, added = text, ""
    added, length = f" ({added}" * bool(added), len(name)
    while text_size(shown, size, bold=bold)[0] > width_mm and length > 2:
        length -= 1
        shown = f"{name[: -(-length // 2)]}…{name[len(name) - length // 2 :]}{added}"
    return shown


def text_size(text: str, size: float, *, bold: bool = False) -> tuple[float, float, float]:
    """Return width, height and of that the depth below the baseline of a text in mm, in the font that is in force."""
    return _measure_text(text, size, tuple(mpl.rcParams["font.family"]), "bold" if bold else "normal")


@lru_cache(maxsize=4096)
def _measure_text(text: str, size: float, family: tuple[str, ...], weight: str) -> tuple[float, float, float]:
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


def name_rows(axes: Axes, places: Floats, names: Sequence[str], *, size: float = PHONE, pad: float = 1.5) -> None:
    """Write names left of rows at these places, so many points from the axes."""
    axes.yaxis.set_ticks(places, names, fontsize=size, va="center")
    axes.yaxis.set_tick_params(length=0, pad=pad, color=GREY)


LONGEST_TITLE, _LONGEST_NAME = 80, 40  # letters: a corpus' title has 60 at most, before “(not above chance)”
_AIR, _SHORT = 6, 20  # pixels at 300 dpi: between labels and points; a shorter line to a point says nothing


def drawable_name(name: str, longest: int = _LONGEST_NAME) -> str:
    r"""Return a name as a figure shows it: what cannot be seen is escaped, what is too long is cut."""
    if len(name) <= longest and name.isprintable():
        return name
    seen = escape_unprintable(name).replace("\n", r"\n")
    if len(seen) <= longest:
        return seen
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:7]
    return f"{seen[: longest - len(mark) - 1]}…{mark}"


def with_drawable_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts can be drawn; the same table when they all can."""
    changed: dict[str, pd.Series[str]] = {}
    for column in map(str, table.select_dtypes(exclude="number")):
        names = {name: drawable_name(name) for name in table[column].unique()}
        if any(name != seen for name, seen in names.items()):
            changed[column] = table[column].map(names)
    return table.assign(**changed) if changed else table


# Places of names beside points are those of textalloc (Kjellson 2022, github.com/ckjellson/textalloc): each takes the
# nearest place that is on the axes, over no point and over no other name; nothing is drawn by chance.
def write_labels(
    axes: Axes,
    points: pd.DataFrame,
    inks: list[str],
    bold: int = 0,
    *,
    outlines: Sequence[Floats] = (),
    marks: Sequence[Floats] = (),
) -> list[str]:
    """Write each label near its point, with a thin line where it stands off; return those that find no free place.

    Labels keep off points and marks; off outlines, and their lines off labels and each other, where that leaves a
    place for every label.
    """
    if points.empty:
        return []
    phones, middles = points["phone"].tolist(), points[["x", "y"]].to_numpy(float)
    (wide, high), (figure_wide, figure_high) = axes.get_window_extent().size, axes.figure.bbox.size
    pixel = 1 / min(wide, high * figure_wide / figure_high)  # as textalloc measures: a share of the axes, both ways
    texts, lines = list[Any](), list[Any]()
    # textalloc looks once, so the ways get laxer: first off outlines and with lines apart, last off points alone.
    for off_outlines, apart in ((True, True), (False, True), (False, False)):
        for artist in filter(None, [*texts, *lines]):  # of a stricter way, which had no place for some
            artist.remove()
        taken = np.concatenate([middles, *marks, *(outlines if off_outlines else ())])
        *_, texts, lines = allocate(
            axes,
            middles[:, 0],
            middles[:, 1],
            text_list=phones,
            x_scatter=taken[:, 0],
            y_scatter=taken[:, 1],
            textsize=PHONE,
            fontweight=["bold"] * bold + ["normal"] * (len(phones) - bold),
            textcolor=inks,
            linecolor=inks,
            linewidth=0.3,
            margin=_AIR * pixel,
            min_distance=(_AIR + 1) * pixel,
            max_distance=0.15,
            draw_all=False,
            avoid_label_lines_overlap=apart,
            avoid_crossing_label_lines=apart,
            va="bottom",
        )
        if None not in texts:
            break
    for line in filter(None, lines):
        label, point = axes.transData.transform(line.get_xydata())
        way = point - label
        if np.hypot(*way) < _SHORT:
            line.remove()
        else:
            line.set_data(*axes.transData.inverted().transform([label + 2 * way / np.hypot(*way), point]).T)
    return [phone for phone, text in zip(phones, texts, strict=True) if text is None]
