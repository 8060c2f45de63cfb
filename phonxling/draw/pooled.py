"""What pooling changes most: observed and pooled shares of what gold phones are heard as, and the habit."""

from collections.abc import Iterator
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
from phonxling.draw.style import BLUE, EDGE, GREY, LINE, ORANGE, PHONE, SMALL, FigureOptions, house_style

_MOST, _LEAST = 24, 0.05  # cells, and a share that one of them has at least
_ABOVE, _AXIS, _ENTRY, _BESIDE, _ROW = 8.0, 7.4, 2.8, 12.0, 3.0  # mm
_LOOKS: dict[str, dict[str, Any]] = {
    "observed": {"marker": "o", "color": GREY, "markerfacecolor": "white", "linestyle": "none"},
    "pooled": {"marker": "o", "color": BLUE, "linestyle": "none"},
    "habit": {"marker": "|", "color": ORANGE, "linestyle": "none", "markeredgewidth": 1.2},
}
_MEANINGS = {
    "observed": "observed share",
    "pooled": "pooled share of the speakers’ mean, with its limits",
    "habit": "habit of the recogniser",
}


def draw_pooled(table: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return the shares that pooling changes most, each observed and pooled, with the habit where there is one."""
    shown = _shown(table)
    cells = [f"{gold} → {heard}" for gold, heard in zip(shown["gold"], shown["predicted"], strict=True)]
    with house_style(options.font):
        names = [fitted(cell, options.width_mm * NAMES, size=PHONE) for cell in cells]
        sizes = [text_size(name, PHONE) for name in names]
        step = max([_ROW, *(height + 0.2 for _, height, _ in sizes)])
        lines = wrap_notes(" ".join(_notes(shown)), options.width_mm)
        entries = _legend(shown)
        legend = EDGE + LINE * len(lines) + 0.8
        bottom = legend + _ENTRY * len(entries) + _AXIS
        left = EDGE + AXIS_LABEL + max(width for width, *_ in sizes) + 2.5
        top = bottom + step * len(shown)
        figure = sheet(options.width_mm, top + _ABOVE)
        axes = axes_at(figure, left, bottom, options.width_mm - left - _BESIDE - EDGE, step * len(shown))
        _draw_shares(axes, shown, names)
        legend_at(figure, EDGE, legend, entries, 1)
        write_title(figure, top + _ABOVE, f"{corpus}: what pooling changes most")
        write_at(figure, options.width_mm - EDGE, top + 0.8, "tokens", SMALL, ha="right", va="bottom")
        write_at(figure, EDGE, (bottom + top) / 2, "cell", upwards=True, va="center")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("pooled", figure, shown)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    large = table[table[["observed", "pooled"]].max(axis=1) >= _LEAST]
    moved = (large["pooled"] - large["observed"]).abs().sort_values(ascending=False, kind="stable")
    most = large.loc[moved.index[:_MOST]].sort_index()
    ordered = most.sort_values("tokens", kind="stable").reset_index(drop=True)
    return ordered[["gold", "predicted", "tokens", "observed", "pooled", "low", "high", "habit"]]


def _draw_shares(axes: Axes, shown: pd.DataFrame, names: list[str]) -> None:
    rows = np.arange(len(shown), dtype=np.float64)
    axes.hlines(rows, 0, 1, color="#efefef", linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
    axes.hlines(rows, shown["low"], shown["high"], color=BLUE, linewidth=0.9, zorder=1.5)
    for name, look in _LOOKS.items():
        axes.plot(shown[name], rows, markersize=5.0 if name == "habit" else 3.2, clip_on=False, **look)
    for row, tokens in zip(rows, shown["tokens"], strict=True):
        write_beside(axes, float(row), f"{tokens:,.0f}", _BESIDE)
    name_rows(axes, rows, names, pad=4.0)
    axes.set(xlim=(0, 1), ylim=(len(shown) - 0.5, -0.5))
    axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("share of the tokens of the gold phone", fontsize=SMALL + 0.5)


def _legend(shown: pd.DataFrame) -> dict[str, Artist]:
    return {
        _MEANINGS[name]: Line2D([], [], markersize=3.4, **look)
        for name, look in _LOOKS.items()
        if shown[name].notna().any()
    }


def _notes(shown: pd.DataFrame) -> Iterator[str]:
    yield f"The {len(shown)} cells of pooled.tsv with a share of {_LEAST:g} or more that pooling changes most."
    yield "Limits are of the mean of the language’s speakers, not of one of them."


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    table = corpus.tables["pooled"]
    return draw_pooled(table, corpus.title, corpus.options) if len(table) else None


FIGURE = DeclaredFigure("pooled", ("pooled",), _of_corpus)
