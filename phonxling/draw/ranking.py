"""Items ranked by each measure: a dot with its interval a row, the best on top, beside its chance level."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import NAMES, WIDE, Sheet, fitted, text_size, wrap, write_beside
from phonxling.draw.style import BLUE, DARK_GREY, EDGE, INK, LINE, PALE_GREY, SMALL, TEXT

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
_BESIDE = 3  # panels at most that stand side by side


def draw_ranking(comparison: StoredCorpus) -> Drawing:
    """Return a panel for each measure: every item's value with its interval, and a bar at its lowest chance level."""
    ranking, full = comparison.tables["ranking"], comparison.options.width_mm
    measures = [measure for measure in _NAMES if (ranking["measure"] == measure).any()]
    number = max((ranking["measure"] == measure).sum() for measure in measures)
    beside = min(_BESIDE, len(measures)) if full >= WIDE else 1
    width, high = (full - EDGE * (beside + 1)) / beside, number * _LANE
    unlike = set(ranking.loc[ranking["note"].ne(""), "measure"]) if "note" in ranking else set()
    lines = wrap([_UNLIKE] if unlike else [], full)
    legend, panel = EDGE + LINE * len(lines) + 0.8, _TITLE + high + _AXIS
    stacked, below = -(-len(measures) // beside), legend + _LEGEND
    figure = Sheet(full, panel * stacked + below)
    for place, measure in enumerate(measures):
        rows = ranking[ranking["measure"] == measure]
        start = EDGE + (width + EDGE) * (place % beside)
        bottom = below + panel * (stacked - 1 - place // beside) + _AXIS
        names = [fitted(name, width * NAMES) for name in rows["item"]]
        left = max(text_size(name, TEXT)[0] for name in names) + 3
        _draw_panel(figure.axes_at(start + left, bottom, width - left - _FIGURES, high), rows, names, number)
        alike = ": not alike" if measure in unlike else ""
        figure.write_title(bottom + high + _TITLE, f"{_NAMES[measure]}{alike}", start)
    handles = figure.labelled()
    order: list[str] = ["value", "interval", "lowest chance level"]
    entries = {name: handles[name] for name in order if name in handles}
    figure.legend_at(EDGE, legend, entries, len(entries))
    figure.finish(lines)
    return Drawing("rates", figure, ranking)


def _draw_panel(axes: Axes, rows: pd.DataFrame, names: list[str], number: int) -> None:
    values, lanes = rows[["value", "low", "high", "chance"]].to_numpy(float), np.arange(len(rows))
    least, most = min(0.0, float(np.nanmin(values))), float(np.nanmax(values)) * 1.06 or 1.0
    axes.set(xlim=(least, most), ylim=(number - 0.5, -0.5))
    axes.hlines(lanes, 0, 1, color=PALE_GREY, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0)
    look: dict[str, Any] = {"color": DARK_GREY, "markersize": 5.5, "markeredgewidth": 1.6, "clip_on": False}
    for lane, (value, low, high, chance) in enumerate(values):
        if np.isfinite(chance):
            axes.plot(chance, lane, "|", label="lowest chance level", **look)
        if np.isfinite(low) and np.isfinite(high):
            axes.hlines(lane, low, high, color=BLUE, linewidth=1.0, label="interval")
        axes.plot(value, lane, "o", color=BLUE, markersize=3.6, clip_on=False, label="value")
    write_beside(axes, lanes, [f"{value:.3f}".replace("-", "−") for value in values[:, 0]], _FIGURES)
    axes.set_yticks(lanes, names, fontsize=TEXT, va="center", color=INK)
    axes.tick_params(axis="y", length=0, pad=4)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.spines["left"].set_visible(False)


FIGURE = DeclaredFigure(
    "rates",
    ("ranking",),
    draw_ranking,
    of="comparison",
    reading="A row is a system or a language, best first, with its error rate between floor and chance. Those "
    "that share a letter are not told apart by the tests.",
)
