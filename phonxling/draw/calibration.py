"""Reliability diagrams: whether phones of a confidence are correct as often as it says, and how many there are."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    axes_at,
    labelled,
    legend_at,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_notes,
    write_title,
)
from phonxling.draw.style import BLUE, DARK_GREY, EDGE, FEW, LINE, ORANGE, PALE_BLUE, SMALL, FigureOptions, house_style

_NAMES = {"file": "Of the predictions", "posteriors": "From posteriors"}
_LEFT, _BETWEEN, _TITLE, _LABEL = 10.0, 3.5, 8.5, 7.2  # mm: axis and label, right of a panel, above and below panels
_COUNTS, _AIR, _ENTRY = 10.0, 2.5, 2.8  # mm: the histogram, between it and the diagram, a line of the legend
_WIDEST, _LEAST, _HANDLE = 52.0, 38.0, 5.5  # mm: a diagram, one that has its legend beside it, a mark of the legend
_PERFECT, _MASS, _INTERVAL, _WIDTH = "perfect calibration", "bins of equal mass", "interval", "bins of equal width"
_FEW = f"fewer than {FEW} phones"
_SHOWN = ["source", "binning", "bin", "from", "to", "tokens", "confidence", "accuracy", "accuracy_low", "accuracy_high"]


def draw_calibration(calibration: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return a reliability diagram of each source of confidences, above the number of phones by confidence."""
    sources = list(dict.fromkeys(calibration["source"]))
    with house_style(options.font):
        side, beside = _side(options.width_mm, len(sources))
        right = EDGE + len(sources) * (_LEFT + side + _BETWEEN)
        width = min(options.width_mm, right + _legend_width() + EDGE) if beside else options.width_mm
        few = _filled(calibration, "width")["tokens"].min() < FEW
        lines = wrap_notes(_caption(calibration), width)
        legend = EDGE + LINE * len(lines) + 0.8
        foot = legend + (0 if beside else (3 if few else 2) * _ENTRY) + _LABEL
        top = foot + _COUNTS + _AIR + side
        figure = sheet(width, top + _TITLE)
        for place, source in enumerate(sources):
            table = calibration[calibration["source"] == source]
            left = EDGE + _LEFT + place * (side + _LEFT + _BETWEEN)
            _draw_diagram(axes_at(figure, left, foot + _COUNTS + _AIR, side, side), table)
            _draw_counts(axes_at(figure, left, foot, side, _COUNTS), table[table["binning"] == "width"])
            write_at(figure, left, top + 1.2, f"{_NAMES.get(source, source)}: {_error(table)}", SMALL + 0.5)
            write_at(figure, left - _LEFT, top - side / 2, "share correct", SMALL + 0.5, upwards=True, va="center")
            write_at(figure, left - _LEFT, foot + _COUNTS / 2, "phones", SMALL + 0.5, upwards=True, va="center")
            write_at(figure, left + side / 2, foot - _LABEL + 1, "confidence", SMALL + 0.5, ha="center")
        write_title(figure, top + _TITLE, f"{corpus}: calibration")
        entries = labelled(figure)
        if beside:
            legend_at(figure, right, top - _ENTRY * len(entries), entries, 1)
        else:
            legend_at(figure, EDGE, legend, entries, 2)
        write_notes(figure, lines)
        settle(figure)
    return Drawing("calibration", figure, calibration[_SHOWN])


def _side(width: float, number: int) -> tuple[float, bool]:
    """Return how wide and high each of some diagrams is, and whether the legend has room beside them, in mm."""
    panels = (width - 2 * EDGE) / number - _LEFT - _BETWEEN
    less = panels - _legend_width() / number
    return (min(less, _WIDEST), True) if less >= _LEAST else (min(panels, _WIDEST), False)


def _legend_width() -> float:
    return max(text_size(meaning, SMALL)[0] for meaning in (_PERFECT, _MASS, _WIDTH, _FEW)) + _HANDLE


def _draw_diagram(axes: Axes, table: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], color=DARK_GREY, linewidth=0.6, linestyle=(0, (4, 2)), label=_PERFECT)
    mass = _filled(table, "mass")
    look: dict[str, Any] = {"markersize": 2.6, "markerfacecolor": "white", "markeredgewidth": 0.6, "clip_on": False}
    axes.plot(mass["confidence"], mass["accuracy"], "D", color=ORANGE, label=_MASS, **look)
    width = _filled(table, "width")
    ends = width[["accuracy_low", "accuracy_high"]].to_numpy(float)
    known = np.isfinite(ends).all(axis=1)
    if known.any():
        at = width["confidence"].to_numpy(float)[known]
        axes.vlines(at, *ends[known].T, color=BLUE, linewidth=0.9, label=_INTERVAL, clip_on=False)
    few = width["tokens"].to_numpy(float) < FEW
    for chosen, fill, meaning in (
        (~few, BLUE, _WIDTH),
        (few, "white", _FEW),
    ):
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


def _filled(table: pd.DataFrame, binning: str) -> pd.DataFrame:
    return table[(table["binning"] == binning) & (table["tokens"] > 0)]


def _error(table: pd.DataFrame) -> str:
    """Return the calibration error of the bins of equal width."""
    bins = _filled(table, "width")
    apart = (bins["accuracy"] - bins["confidence"]).abs()
    return f"ECE {float((apart * bins['tokens']).sum() / bins['tokens'].sum()):.3f}"


def _caption(calibration: pd.DataFrame) -> str:
    numbers = calibration[calibration["binning"] == "width"].groupby("source", sort=False)["tokens"].sum()
    phones = " and ".join(f"{number:,.0f}" for number in dict.fromkeys(numbers))
    return (
        f"{phones} predicted phones. Below the dashed line the recogniser is surer than it is right. The expected "
        "calibration error (ECE) is over the bins of equal width."
    )


def _of_corpus(corpus: StoredCorpus) -> Drawing:
    return draw_calibration(corpus.tables["calibration"], corpus.title, corpus.options)


FIGURE = DeclaredFigure("calibration", ("calibration",), _of_corpus)
