"""Pulled by sound or by habit: the share of wrong phones that were pulled, in all places and by context."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.draw.colours import BLUE, GREY, INK
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.layout import AXIS_LABEL, LEAST_SIDE
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_beside,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, LINE, PHONE, SMALL, FigureOptions, house_style
from phonxling.draw.ticks import name_rows
from phonxling.resample.p_values import SIGNIFICANT

_ABOVE, _AXIS, _TOKENS, _ROW = 8.0, 7.4, 11.0, 3.0  # mm
_BESIDE = {"left": "after {}", "right": "before {}"}
_FROM, _TO = -1.0, 1.5  # limits beyond are cut


def draw_habit(contexts: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return a dot a context at the share that was pulled there, with its interval, from the `habit_contexts` table.

    Dots are filled where q < 0.05 (of all places together, p), else hollow. Contexts without an interval are named in a
    note.

    Parameters
    ----------
    contexts : DataFrame
        kind, context, tokens, share, low, high, p, q.
    """
    shown = contexts[contexts["low"].notna()].reset_index(drop=True)
    with house_style(options.font):
        names = [fitted(name, options.width_mm * NAMES, size=PHONE) for name in _names(shown)]
        sizes = [text_size(name, PHONE) for name in names]
        step = max([_ROW, LEAST_SIDE / max(len(shown), 1), *(height + 0.2 for _, height, _ in sizes)])
        lines = wrap_notes(" ".join(_notes(contexts, shown)), options.width_mm)
        bottom = EDGE + LINE * len(lines) + 0.8 + _AXIS
        left, top = EDGE + AXIS_LABEL + max(width for width, *_ in sizes) + 2.5, bottom + step * len(shown)
        figure = sheet(options.width_mm, top + _ABOVE)
        axes = axes_at(figure, left, bottom, options.width_mm - left - _TOKENS - EDGE, step * len(shown))
        _draw_dots(axes, shown, names)
        write_title(figure, top + _ABOVE, f"{corpus}: wrong phones pulled by habit")
        write_at(figure, options.width_mm - EDGE, top + 0.8, "tokens", SMALL, ha="right", va="bottom")
        write_at(figure, EDGE, (bottom + top) / 2, "gold phone", upwards=True, va="center")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("habit", figure, shown[["kind", "context", "tokens", "share", "low", "high", "p", "q"]])


def _names(contexts: pd.DataFrame) -> list[str]:
    rows = zip(contexts["kind"], contexts["context"], strict=True)
    return [_BESIDE.get(kind, "{}").format(context) if kind != "all" else "all places" for kind, context in rows]


def _draw_dots(axes: Axes, shown: pd.DataFrame, names: list[str]) -> None:
    rows = np.arange(len(shown), dtype=np.float64)
    low, high = (shown[name].to_numpy(float) for name in ("low", "high"))
    ends = max(_FROM, min(-0.1, float(low.min()))), min(_TO, max(1.0, float(high.max())))
    axes.hlines(rows, 0, 1, color="#efefef", linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
    axes.axvline(0, color=INK, linewidth=0.6, zorder=0.95)
    axes.hlines(rows, np.clip(low, *ends), np.clip(high, *ends), color=GREY, linewidth=0.9)
    clear = _certain(shown)
    for row, share, filled, tokens in zip(rows, shown["share"], clear, shown["tokens"], strict=True):
        if ends[0] <= share <= ends[1]:
            fill = BLUE if filled else "white"
            axes.plot(share, row, "o", markersize=3.2, color=fill, markeredgecolor=BLUE, markeredgewidth=0.7)
        write_beside(axes, float(row), f"{tokens:,.0f}", _TOKENS)
    name_rows(axes, rows, names, pad=4.0)
    axes.set(xlim=ends, ylim=(len(shown) - 0.5, -0.5))
    axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("share of wrong phones pulled", fontsize=SMALL + 0.5)


def _certain(shown: pd.DataFrame) -> list[bool]:
    p = shown["q"].where(shown["kind"] != "all", shown["p"])
    return (p < SIGNIFICANT).tolist()


def _notes(contexts: pd.DataFrame, shown: pd.DataFrame) -> Iterator[str]:
    yield "0: what is heard does not follow the reference’s phonotactics; 1: as if all of it were drawn from them."
    clear = _certain(shown)
    if any(clear):
        yield f"Filled: q < {SIGNIFICANT:g} (all places: p)."
    yield "Of wrong phones between phones that were heard as usual."
    if shown["low"].min() < _FROM or shown["high"].max() > _TO:
        yield "Longer intervals are cut at the edge."
    without = _names(contexts[contexts["low"].isna()])
    if without:
        yield f"Without an interval: {', '.join(without)}."


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    table = corpus.tables["habit_contexts"]
    return None if table["low"].isna().all() else draw_habit(table, corpus.title, corpus.options)


FIGURE = DeclaredFigure("habit", ("habit_contexts",), _of_corpus)
