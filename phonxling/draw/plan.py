"""What designs of a study find: the least difference over the number of speakers, a line each number of utterances."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from phonxling.analyses.measures import measure
from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import Sheet, wrap
from phonxling.draw.style import DARK_GREY, EDGE, GRID, INK, LINE, sequential

_HIGH, _LEFT, _RIGHT = 44.0, 11.0, 3.0  # mm: a panel's axes, and what stands beside them
_TITLE, _AXIS, _ENTRY, _COLUMNS = 6.0, 7.5, 2.9, 2  # mm: above the axes, below them, a line of the legend; its columns
_STEPS, _APART = (1, 2, 3, 5), 0.1  # ticks of a decade; the share of the axis that two numbers below it are apart
_SHOWN = ["item", "other", "measure", "speakers", "utterances", "least_difference", "difference"]


def draw_plan(source: StoredCorpus) -> Drawing | None:
    """Return a panel for each item, and each pair of systems: least differences over speakers, both logarithmic."""
    plan, width = source.tables["plan"], source.options.width_mm
    chosen = plan[plan["needed"].eq("no") & plan["least_difference"].notna()]
    panels = [rows for _, rows in chosen.groupby(["item", "other"], sort=False)]
    if not panels:
        return None
    each = np.unique(chosen["utterances"].to_numpy(float))
    inks = dict(zip(each.tolist(), sequential()(np.linspace(0.4, 0.95, len(each))), strict=True))
    test = chosen.iloc[0]
    note = (
        f"The least difference that a test at {1 - test['level']:.2g} finds with a probability of {test['power']:g}, "
        "averaged over what the pilot leaves open (assurance)."
    )
    notes = wrap([note], width)
    legends = [_ENTRY * math.ceil((len([*_lines(rows)]) + 2) / _COLUMNS) for rows in panels]
    top = EDGE + LINE * len(notes) + sum(_TITLE + _HIGH + _AXIS + legend + 2 for legend in legends)
    figure = Sheet(width, top)
    figure.title = "Least differences of designs"
    for rows, legend in zip(panels, legends, strict=True):
        figure.write_panel_title(top, _title(rows.iloc[0]), EDGE)
        bottom = top - _TITLE - _HIGH
        axes = figure.axes_at(EDGE + _LEFT, bottom, width - 2 * EDGE - _LEFT - _RIGHT, _HIGH)
        _draw_panel(axes, rows, inks)
        handles, labels = axes.get_legend_handles_labels()
        top = bottom - _AXIS - legend - 2
        figure.legend_at(EDGE + _LEFT, top + 2, dict(zip(labels, handles, strict=True)), _COLUMNS)
    figure.finish(notes)
    return Drawing("differences-plan", figure, chosen[_SHOWN])


def _draw_panel(axes: Axes, rows: pd.DataFrame, inks: Mapping[float, Any]) -> None:
    first = rows.iloc[0]
    across = "utterances" if math.isnan(first["speakers"]) else "speakers"
    look: dict[str, Any] = {"markersize": 2.2, "linewidth": 1}
    for label, line in _lines(rows):
        ink = inks[line["utterances"].iloc[0]]
        axes.plot(line[across], line["least_difference"], "o-", color=ink, label=label, **look)
    if not math.isnan(first["difference"]):
        look = {"color": DARK_GREY, "linewidth": 0.6, "linestyle": (0, (4, 2))}
        axes.axhline(first["difference"], label=f"a difference of {first['difference']:g}", **look)
    speakers, each = first["speakers"], first["utterances"]
    design = f"{each:g} utterances" if across == "utterances" else f"{speakers:g} of {each:g}"
    axes.plot(first[across], first["least_difference"], "D", color=INK, markersize=3.2, label=design, zorder=3)
    axes.set(xscale="log", yscale="log", xlabel=across, ylabel="least difference")
    _set_ticks(axes, np.unique(rows[across].to_numpy(float)))


def _lines(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the designs of each number of utterances, with what the legend calls them."""
    if rows["speakers"].isna().all():
        yield "utterances of all speakers", rows.sort_values("utterances")
        return
    for number, line in rows.groupby("utterances"):
        yield ("any number" if number == math.inf else f"{number:g} utterances each"), line.sort_values("speakers")


def _set_ticks(axes: Axes, across: Floats) -> None:
    low, high = axes.get_ylim()
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**decade for decade in decades for step in _STEPS if low <= step * 10.0**decade <= high]
    apart = (across[-1] / across[0]) ** _APART
    named = [place for place, after in zip(across, [*across[1:], math.inf], strict=True) if after >= place * apart]
    for axis, places in ((axes.xaxis, named), (axes.yaxis, ticks)):
        axis.set_major_locator(FixedLocator(places))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(axis="y", color=GRID, linewidth=0.4)


def _title(row: "pd.Series[float]") -> str:
    """Return what a panel is of: an item, whose name may be cut where it is too long, or two systems."""
    names = " and ".join(filter(None, (str(row["item"]), str(row["other"]))))
    one = measure(str(row["measure"]))
    return f"{names}: {one.short or one.title}, {'same utterances' if row['other'] else 'two corpora'}"


FIGURE = DeclaredFigure("differences-plan", ("plan",), draw_plan, of="plan")
