"""Contrasts by predicted discriminability, each with its type of assimilation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import AXIS_LABEL
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    legend_at,
    name_rows,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_beside,
    write_notes,
    write_title,
)
from phonxling.draw.style import (
    BLUE,
    EDGE,
    GREY,
    INK,
    LINE,
    MIDDLE_BLUE,
    ORANGE,
    PHONE,
    SMALL,
    FigureOptions,
    house_style,
)

_MOST = 30  # contrasts
_SURE = 0.8
_ABOVE, _AXIS, _ENTRY, _BESIDE, _ROW = 8.0, 7.4, 2.8, 16.0, 3.0  # mm


@dataclass(frozen=True, slots=True)
class _Type:
    """How a type of assimilation looks, and what it is called."""

    marker: str
    colour: str
    meaning: str

    def look(self, *, sure: bool) -> dict[str, Any]:
        """Return how its marks look; those that are not sure are hollow."""
        fill = self.colour if sure else "white"
        return {"marker": self.marker, "markerfacecolor": fill, "markeredgecolor": self.colour}


_TYPES = {
    "TC": _Type("o", BLUE, "TC two-category"),
    "CG": _Type("^", MIDDLE_BLUE, "CG category-goodness"),
    "SC": _Type("s", ORANGE, "SC single-category"),
    "UC": _Type("D", GREY, "UC uncategorised–categorised"),
    "UU": _Type("X", INK, "UU uncategorised–uncategorised"),
    "": _Type(".", GREY, "no type"),
}


def draw_assimilation(table: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return a mark a contrast at its Jensen–Shannon divergence, with its interval, the best discriminated on top."""
    known = table[table["js"].notna()].assign(type=lambda rows: rows["type"].fillna(""))
    shown = known.head(_MOST).sort_values("js", ascending=False, kind="stable").reset_index(drop=True)
    pairs = [f"{phone} – {other}" for phone, other in zip(shown["phone"], shown["other"], strict=True)]
    with house_style(options.font):
        names = [fitted(pair, options.width_mm * NAMES, size=PHONE) for pair in pairs]
        sizes = [text_size(name, PHONE) for name in names]
        step = max([_ROW, *(height + 0.2 for _, height, _ in sizes)])
        lines = wrap_notes(" ".join(_notes(table, known, shown)), options.width_mm)
        entries = _legend(shown)
        legend = EDGE + LINE * len(lines) + 0.8
        bottom = legend + _ENTRY * -(-len(entries) // 2) + _AXIS
        left = EDGE + AXIS_LABEL + max(width for width, *_ in sizes) + 2.5
        top = bottom + step * len(shown)
        figure = sheet(options.width_mm, top + _ABOVE)
        axes = axes_at(figure, left, bottom, options.width_mm - left - _BESIDE - EDGE, step * len(shown))
        _draw_marks(axes, shown, names)
        legend_at(figure, EDGE, legend, entries, 2)
        write_title(figure, top + _ABOVE, f"{corpus}: how well contrasts are told apart")
        write_at(figure, options.width_mm - EDGE, top + 0.8, "replicates of the type", SMALL, ha="right", va="bottom")
        write_at(figure, EDGE, (bottom + top) / 2, "contrast", upwards=True, va="center")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("assimilation", figure, shown[["phone", "other", "type", "probability", "js", "js_low", "js_high"]])


def _draw_marks(axes: Axes, shown: pd.DataFrame, names: list[str]) -> None:
    rows = np.arange(len(shown), dtype=np.float64)
    axes.hlines(rows, 0, 1, color="#efefef", linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
    axes.hlines(rows, shown["js_low"], shown["js_high"], color=GREY, linewidth=0.9)
    for row, name, share, value in zip(rows, shown["type"], shown["probability"], shown["js"], strict=True):
        look = _TYPES[name].look(sure=share >= _SURE)
        axes.plot(value, row, markersize=3.4, markeredgewidth=0.7, clip_on=False, **look)
        said = name or "no type"
        write_beside(axes, float(row), said if np.isnan(share) else f"{said} {share:.0%}".replace("%", " %"), _BESIDE)
    name_rows(axes, rows, names, pad=4.0)
    axes.set(xlim=(0, 1), ylim=(len(shown) - 0.5, -0.5))
    axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Jensen–Shannon divergence of what they are heard as (bits)", fontsize=SMALL + 0.5)


def _legend(shown: pd.DataFrame) -> dict[str, Artist]:
    occur = set(shown["type"])
    return {
        look.meaning: Line2D([], [], linestyle="none", markersize=3.4, **look.look(sure=True))
        for name, look in _TYPES.items()
        if name in occur
    }


def _notes(table: pd.DataFrame, known: pd.DataFrame, shown: pd.DataFrame) -> Iterator[str]:
    yield "0: heard alike; 1: never heard as the same. Corrected for few tokens."
    if (shown["probability"] < _SURE).any():
        yield f"Hollow: fewer than {100 * _SURE:.0f} % of the replicates have the type."
    if (shown["type"] == "").all():
        yield "Nothing can be said of types: no phone is shown to be heard so more often than all phones are."
    elif (shown["type"] == "").any():
        yield "No type: a phone is not shown to be heard so more often than all phones are."
    if len(known) > len(shown):
        yield f"Shown: the first {len(shown)} of {len(known)} contrasts of assimilation.tsv."
    if len(table) > len(known):
        yield f"Left out: {len(table) - len(known)} with too few tokens."


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    table = corpus.tables["assimilation"]
    return None if table["js"].isna().all() else draw_assimilation(table, corpus.title, corpus.options)


FIGURE = DeclaredFigure("assimilation", ("assimilation",), _of_corpus)
