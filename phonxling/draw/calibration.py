"""A reliability diagram: whether phones of a confidence are correct as often as it says, and how many there are."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import Sheet, text_size, wrap
from phonxling.draw.style import AMOUNT, DARK_GREY, EDGE, FEW, GRID, LINE, PALE, SMALL

_NAMES = {"file": "of the predictions", "posteriors": "from posteriors"}
_LEFT, _BETWEEN, _TITLE, _LABEL = 10.0, 4.0, 6.0, 7.2  # mm: axis and label, before the legend, above and below panels
_COUNTS, _AIR, _ENTRY, _HANDLE = 10.0, 2.5, 3.0, 5.5  # mm: the histogram, above it, a line of the legend, its mark
_PERFECT, _DOTS, _INTERVAL, _FEW = "perfect calibration", "phones by confidence", "interval", f"fewer than {FEW} phones"
_SHOWN = ["source", "bin", "from", "to", "tokens", "confidence", "accuracy", "accuracy_low", "accuracy_high"]


def draw_calibration(corpus: StoredCorpus) -> Drawing:
    """Return the diagram of the predictions' confidences, or of those from posteriors, above the number of phones."""
    calibration, full = corpus.tables["calibration"], corpus.options.width_mm
    bins = calibration[calibration["binning"] == "width"]
    sources = {str(source): own for source, own in bins.groupby("source", sort=False)}
    shown = next(iter(sources.values()))
    beside = max(text_size(meaning, SMALL)[0] for meaning in (_PERFECT, _DOTS, _FEW)) + _HANDLE
    side = min(full - 2 * EDGE - _LEFT - _BETWEEN - beside, 60.0)
    errors = [f"{_error(own):.3f} {_NAMES.get(name, name)}" for name, own in sources.items()]
    said = f"{shown['tokens'].sum():,.0f} predicted phones. Expected calibration error (ECE): {', '.join(errors)}."
    drawn = "Drawn are the first." if len(sources) > 1 else ""
    lines = wrap([said, drawn, "Below the dashed line the recogniser is surer than it is right."], full)
    foot = EDGE + LINE * len(lines) + _LABEL
    top = foot + _COUNTS + _AIR + side
    figure, left = Sheet(full, top + _TITLE), EDGE + _LEFT
    _draw_diagram(figure.axes_at(left, foot + _COUNTS + _AIR, side, side), shown[shown["tokens"] > 0])
    _draw_counts(figure.axes_at(left, foot, side, _COUNTS), shown)
    figure.write(left - _LEFT, top - side / 2, "share correct", SMALL, rotation=90, va="center")
    figure.write(left - _LEFT, foot + _COUNTS / 2, "phones", SMALL, rotation=90, va="center")
    figure.write(left + side / 2, foot - _LABEL + 1, "confidence", SMALL, ha="center")
    figure.write_title(corpus.titled("calibration"))
    entries = figure.labelled()
    figure.legend_at(left + side + _BETWEEN, top - _ENTRY * len(entries), entries, 1)
    figure.finish(lines)
    return Drawing("calibration", figure, shown[_SHOWN])


def _draw_diagram(axes: Axes, table: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], color=DARK_GREY, linewidth=0.6, linestyle=(0, (4, 2)), label=_PERFECT)
    ends = table[["accuracy_low", "accuracy_high"]].to_numpy(float)
    known = np.isfinite(ends).all(axis=1)
    if known.any():
        at = table["confidence"].to_numpy(float)[known]
        axes.vlines(at, *ends[known].T, color=AMOUNT, linewidth=0.9, label=_INTERVAL, clip_on=False)
    few = table["tokens"].to_numpy(float) < FEW
    for chosen, fill, meaning in ((~few, AMOUNT, _DOTS), (few, "white", _FEW)):
        if chosen.any():
            dots = table[chosen]
            look: dict[str, Any] = {"markersize": 3.6, "color": fill, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}
            axes.plot(dots["confidence"], dots["accuracy"], "o", label=meaning, clip_on=False, **look)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_xticks(np.arange(6) / 5, [""] * 6)
    axes.set_yticks(np.arange(6) / 5)
    axes.grid(color=GRID, linewidth=0.4)


def _draw_counts(axes: Axes, table: pd.DataFrame) -> None:
    start, end = table["from"].to_numpy(float), table["to"].to_numpy(float)
    axes.bar(start, table["tokens"], end - start, align="edge", color=PALE, edgecolor=AMOUNT, linewidth=0.5)
    highest = float(table["tokens"].max())
    axes.set(xlim=(0, 1), ylim=(0, max(highest, 1) * 1.05))
    axes.set_xticks(np.arange(6) / 5)
    axes.set_yticks([0, highest], ["0", f"{highest:,.0f}"])


def _error(bins: pd.DataFrame) -> float:
    apart = (bins["accuracy"] - bins["confidence"]).abs()
    return float((apart * bins["tokens"]).sum() / bins["tokens"].sum())


FIGURE = DeclaredFigure("calibration", ("calibration",), draw_calibration)
