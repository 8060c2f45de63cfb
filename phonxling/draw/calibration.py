"""Reliability diagrams: whether phones of a confidence are correct as often as it says, and how many there are."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import Sheet, text_size, wrap
from phonxling.draw.style import BLUE, DARK_GREY, EDGE, FEW, LINE, ORANGE, PALE_BLUE, SMALL

_NAMES = {"file": "Of the predictions", "posteriors": "From posteriors"}
_LEFT, _BETWEEN, _TITLE, _LABEL = 10.0, 3.5, 8.5, 7.2  # mm: axis and label, right of a panel, above and below panels
_COUNTS, _AIR, _ENTRY = 10.0, 2.5, 2.8  # mm: the histogram, between it and the diagram, a line of the legend
_WIDEST, _LEAST, _HANDLE = 52.0, 38.0, 5.5  # mm: a diagram, one that has its legend beside it, a mark of the legend
_PERFECT, _MASS, _INTERVAL, _WIDTH = "perfect calibration", "bins of equal mass", "interval", "bins of equal width"
_FEW = f"fewer than {FEW} phones"
_SHOWN = ["source", "binning", "bin", "from", "to", "tokens", "confidence", "accuracy", "accuracy_low", "accuracy_high"]


def draw_calibration(corpus: StoredCorpus) -> Drawing:
    """Return a reliability diagram of each source of confidences, above the number of phones by confidence.

    The legend stands beside the diagrams where they are large enough then, else below them.
    """
    calibration, full = corpus.tables["calibration"], corpus.options.width_mm
    bins = calibration[calibration["tokens"] > 0]
    by_source = {str(source): table for source, table in calibration.groupby("source", sort=False)}
    legend_width = max(text_size(meaning, SMALL)[0] for meaning in (_PERFECT, _MASS, _WIDTH, _FEW)) + _HANDLE
    widest = (full - 2 * EDGE) / len(by_source) - _LEFT - _BETWEEN
    beside = widest - legend_width / len(by_source) >= _LEAST
    side = min(widest - legend_width / len(by_source) if beside else widest, _WIDEST)
    right = EDGE + len(by_source) * (_LEFT + side + _BETWEEN)
    width = min(full, right + legend_width + EDGE) if beside else full
    few = bins.loc[bins["binning"] == "width", "tokens"].min() < FEW
    lines = wrap([_caption(calibration)], width)
    legend = EDGE + LINE * len(lines) + 0.8
    foot = legend + (0 if beside else (3 if few else 2) * _ENTRY) + _LABEL
    top = foot + _COUNTS + _AIR + side
    figure = Sheet(width, top + _TITLE)
    for place, (source, table) in enumerate(by_source.items()):
        equal, filled = table[table["binning"] == "width"], table[table["tokens"] > 0]
        left = EDGE + _LEFT + place * (side + _LEFT + _BETWEEN)
        _draw_diagram(figure.axes_at(left, foot + _COUNTS + _AIR, side, side), filled)
        _draw_counts(figure.axes_at(left, foot, side, _COUNTS), equal)
        title = f"{_NAMES.get(source, source)}: {_error(filled[filled['binning'] == 'width'])}"
        figure.write(left, top + 1.2, title, SMALL)
        figure.write(left - _LEFT, top - side / 2, "share correct", SMALL, rotation=90, va="center")
        figure.write(left - _LEFT, foot + _COUNTS / 2, "phones", SMALL, rotation=90, va="center")
        figure.write(left + side / 2, foot - _LABEL + 1, "confidence", SMALL, ha="center")
    figure.write_title(top + _TITLE, f"{corpus.title}: calibration")
    entries = figure.labelled()
    if beside:
        figure.legend_at(right, top - _ENTRY * len(entries), entries, 1)
    else:
        figure.legend_at(EDGE, legend, entries, 2)
    figure.finish(lines)
    return Drawing("calibration", figure, calibration[_SHOWN])


def _draw_diagram(axes: Axes, table: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], color=DARK_GREY, linewidth=0.6, linestyle=(0, (4, 2)), label=_PERFECT)
    mass, width = table[table["binning"] == "mass"], table[table["binning"] == "width"]
    look: dict[str, Any] = {"markersize": 2.6, "markerfacecolor": "white", "markeredgewidth": 0.6, "clip_on": False}
    axes.plot(mass["confidence"], mass["accuracy"], "D", color=ORANGE, label=_MASS, **look)
    ends = width[["accuracy_low", "accuracy_high"]].to_numpy(float)
    known = np.isfinite(ends).all(axis=1)
    if known.any():
        at = width["confidence"].to_numpy(float)[known]
        axes.vlines(at, *ends[known].T, color=BLUE, linewidth=0.9, label=_INTERVAL, clip_on=False)
    few = width["tokens"].to_numpy(float) < FEW
    for chosen, fill, meaning in ((~few, BLUE, _WIDTH), (few, "white", _FEW)):
        if chosen.any():
            dots = width[chosen]
            look = {"markersize": 3.6, "color": fill, "markeredgecolor": BLUE, "markeredgewidth": 0.7, "clip_on": False}
            axes.plot(dots["confidence"], dots["accuracy"], "o", label=meaning, **look)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_xticks(np.arange(6) / 5, [""] * 6)
    axes.set_yticks(np.arange(6) / 5)
    axes.grid(color="#e0e0e0", linewidth=0.4)


def _draw_counts(axes: Axes, table: pd.DataFrame) -> None:
    start, end = table["from"].to_numpy(float), table["to"].to_numpy(float)
    axes.bar(start, table["tokens"], end - start, align="edge", color=PALE_BLUE, edgecolor=BLUE, linewidth=0.5)
    highest = float(table["tokens"].max())
    axes.set(xlim=(0, 1), ylim=(0, max(highest, 1) * 1.05))
    axes.set_xticks(np.arange(6) / 5)
    axes.set_yticks([0, highest], ["0", f"{highest:,.0f}"])


def _error(bins: pd.DataFrame) -> str:
    apart = (bins["accuracy"] - bins["confidence"]).abs()
    return f"ECE {float((apart * bins['tokens']).sum() / bins['tokens'].sum()):.3f}"


def _caption(calibration: pd.DataFrame) -> str:
    numbers = calibration[calibration["binning"] == "width"].groupby("source", sort=False)["tokens"].sum()
    phones = " and ".join(f"{number:,.0f}" for number in dict.fromkeys(numbers))
    return (
        f"{phones} predicted phones. Below the dashed line the recogniser is surer than it is right. The expected "
        "calibration error (ECE) is over the bins of equal width."
    )


FIGURE = DeclaredFigure(
    "calibration",
    ("calibration",),
    draw_calibration,
    reading="A dot below the diagonal is a confidence that is too high: phones of it are right less often than it "
    "says. The bars say how many phones have such a confidence.",
)
