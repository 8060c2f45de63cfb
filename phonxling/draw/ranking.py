"""Items ranked by each measure: a dot with its interval a row, the best on top, beside its chance level."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    labelled,
    legend_at,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_beside,
    write_notes,
    write_title,
)
from phonxling.draw.style import BLUE, DARK_GREY, EDGE, INK, LINE, PALE_GREY, SMALL, TEXT, FigureOptions, house_style

_NAMES = {
    "wper": "Weighted phone error rate (wPER)",
    "attainable_skill_wper": "Attainable skill of wPER",
    "skill_wper": "Skill of wPER",
    "per": "Phone error rate (PER)",
    "attainable_skill_per": "Attainable skill of PER",
    "skill_per": "Skill of PER",
    "conditional_entropy": "Confusion entropy (bits)",
}
_UNLIKE = "Not alike: the measure is not defined alike in all items; ranking.tsv says how."
_LANE, _TITLE, _AXIS, _FIGURES, _LEGEND = 3.4, 5.0, 6.5, 8.0, 4.0  # mm: a row, a title, an axis, numbers, the legend
_WIDE, _BESIDE = 150.0, 3  # mm from which panels stand side by side, so many at most


def draw_ranking(ranking: pd.DataFrame, options: FigureOptions) -> Drawing:
    """Return a panel for each measure: every item's value with its interval, and a bar at its lowest chance level."""
    measures = [measure for measure in _NAMES if (ranking["measure"] == measure).any()]
    number = max((ranking["measure"] == measure).sum() for measure in measures)
    beside = min(_BESIDE, len(measures)) if options.width_mm >= _WIDE else 1
    with house_style(options.font):
        width = (options.width_mm - EDGE * (beside + 1)) / beside
        high, panel = number * _LANE, _TITLE + number * _LANE + _AXIS
        unlike = set(ranking.loc[ranking["note"].ne(""), "measure"]) if "note" in ranking else set()
        lines = wrap_notes(_UNLIKE, options.width_mm) if unlike else []
        legend = EDGE + LINE * len(lines) + 0.8
        stacked, below = -(-len(measures) // beside), legend + _LEGEND
        figure = sheet(options.width_mm, panel * stacked + below)
        for place, measure in enumerate(measures):
            rows = ranking[ranking["measure"] == measure]
            start = EDGE + (width + EDGE) * (place % beside)
            bottom = below + panel * (stacked - 1 - place // beside) + _AXIS
            names = [fitted(name, width * NAMES) for name in rows["item"]]
            left = max(text_size(name, TEXT)[0] for name in names) + 3
            axes = axes_at(figure, start + left, bottom, width - left - _FIGURES, high)
            _draw_panel(axes, rows, names, number)
            alike = ": not alike" if measure in unlike else ""
            write_title(figure, bottom + high + _TITLE, f"{_NAMES[measure]}{alike}", start)
        _draw_legend(figure, legend)
        write_notes(figure, lines)
        settle(figure)
    return Drawing("ranking", figure, ranking)


def _draw_panel(axes: Axes, rows: pd.DataFrame, names: list[str], number: int) -> None:
    values = rows[["value", "low", "high", "chance"]].to_numpy(float)
    axes.set(
        xlim=(min(0.0, float(np.nanmin(values))), float(np.nanmax(values)) * 1.06 or 1.0), ylim=(number - 0.5, -0.5)
    )
    axes.hlines(
        range(len(values)), 0, 1, color=PALE_GREY, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0
    )
    for lane, (value, low, high, chance) in enumerate(values):
        if np.isfinite(chance):
            look: dict[str, Any] = {"color": DARK_GREY, "markersize": 5.5, "markeredgewidth": 1.6, "clip_on": False}
            axes.plot(chance, lane, "|", label="lowest chance level", **look)
        if np.isfinite(low) and np.isfinite(high):
            axes.hlines(lane, low, high, color=BLUE, linewidth=1.0, label="interval")
        axes.plot(value, lane, "o", color=BLUE, markersize=3.6, clip_on=False, label="value")
        write_beside(axes, lane, f"{value:.3f}".replace("-", "−"), _FIGURES)
    axes.set_yticks(range(len(names)), names, fontsize=TEXT, va="center", color=INK)
    axes.tick_params(axis="y", length=0, pad=4)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.spines["left"].set_visible(False)


def _draw_legend(figure: Figure, bottom: float) -> None:
    handles = labelled(figure)
    order: list[str] = ["value", "interval", "lowest chance level"]
    entries = {meaning: handles[meaning] for meaning in order if meaning in handles}
    legend_at(figure, EDGE, bottom, entries, len(entries))


def _of_comparison(comparison: StoredCorpus) -> Drawing:
    return draw_ranking(comparison.tables["ranking"], comparison.options)


FIGURE = DeclaredFigure("ranking", ("ranking",), _of_comparison, of="comparison")
