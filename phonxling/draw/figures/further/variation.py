"""Where variation comes from: the share of each component in the variance of being right."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from phonxling.draw.colours import BLUE, DARK_GREY, PALE_GREY
from phonxling.draw.figure import Drawing, JointFigure, Stored
from phonxling.draw.sheet import (
    axes_at,
    labelled,
    legend_at,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_beside,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, LINE, SMALL, TEXT, FigureOptions, house_style
from phonxling.draw.ticks import name_rows

_ROW, _ABOVE, _AXIS, _LEGEND, _BESIDE = 4.6, 9.0, 7.0, 3.8, 15.0  # mm
_COLUMNS = ["component", "levels", "variance", "share", "low", "high", "right_below", "right_above"]
_MEANING = "Beside: right tokens of a phone, speaker, … one standard deviation below and above the mean."
_RESIDUAL = "Residual: what a token adds by itself."


def draw_variation(table: pd.DataFrame, options: FigureOptions) -> Drawing:
    """Return a row a component: its share of the variance with the interval, hollow where it is only described.

    Parameters
    ----------
    table : DataFrame
        component, levels, share, low, high, right_below, right_above, in the order in which they are drawn.
    """
    names = [_name(component, levels) for component, levels in zip(table["component"], table["levels"], strict=True)]
    with house_style(options.font):
        lines = wrap_notes(f"{_MEANING} {_RESIDUAL}", options.width_mm)
        legend = EDGE + LINE * len(lines) + 0.8
        bottom, left = legend + _LEGEND + _AXIS, EDGE + max(text_size(name, TEXT)[0] for name in names) + 3
        top = bottom + _ROW * len(names)
        figure = sheet(options.width_mm, top + _ABOVE)
        axes = axes_at(figure, left, bottom, options.width_mm - left - _BESIDE - EDGE, _ROW * len(names))
        _draw_rows(axes, table, names)
        legend_at(figure, EDGE, legend, labelled(figure), 3)
        write_title(figure, top + _ABOVE, "Where variation comes from")
        write_at(figure, options.width_mm - EDGE, top + 0.6, "right tokens", SMALL, ha="right", va="bottom")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("variation", figure, table[_COLUMNS])


def _name(component: str, levels: float) -> str:
    return component if np.isnan(levels) else f"{component} ({levels:.0f})"


def _draw_rows(axes: Axes, table: pd.DataFrame, names: list[str]) -> None:
    rows = np.arange(len(table), dtype=np.float64)
    axes.hlines(rows, 0, 1, color=PALE_GREY, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0)
    axes.hlines(rows, table["low"], table["high"], color=DARK_GREY, linewidth=1.0, label="interval")
    described = table["low"].isna().to_numpy()
    for label, chosen, fill in (("share", ~described, BLUE), ("these few alone", described, "white")):
        if chosen.any():
            look: dict[str, Any] = {
                "markersize": 4,
                "markerfacecolor": fill,
                "markeredgecolor": BLUE,
                "linestyle": "none",
            }
            axes.plot(table["share"][chosen], rows[chosen], marker="o", clip_on=False, label=label, **look)
    for row, below, above in zip(rows, table["right_below"], table["right_above"], strict=True):
        if np.isfinite(below):
            write_beside(axes, float(row), f"{100 * below:.0f}–{100 * above:.0f} %", _BESIDE)
    name_rows(axes, rows, names, size=TEXT)
    most = float(np.nanmax(table[["share", "high"]].to_numpy(dtype=float)))
    axes.set(xlim=(0, min(most * 1.04, 1.0)), ylim=(len(rows) - 0.5, -0.5))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    axes.set_xlabel("share of the variance of being right (logits)", fontsize=SMALL + 0.5)
    axes.spines["left"].set_visible(False)


def _of_corpora(stored: Stored) -> Iterator[Drawing]:
    table = stored.together.get("variation")
    if table is not None and table["share"].notna().any():
        yield draw_variation(table, stored.options)


FIGURE = JointFigure("variation", ("variation",), _of_corpora)
