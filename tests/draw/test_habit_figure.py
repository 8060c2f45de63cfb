"""The figure of what habit pulled: a dot a context with an interval, filled where it is certain."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from phonxling.draw.figures.further.habit import draw_habit
from phonxling.draw.style import FigureOptions

Check = Callable[[Figure], None]
CLASSES = ("vowels", "stops", "affricates", "fricatives", "approximants", "laterals", "nasals", "trills and taps", "#")


def contexts() -> pd.DataFrame:
    """All kinds of contexts; the last has no interval, one has limits beyond the axis."""
    names = [("all", "all"), *(("position", name) for name in ("initial", "medial", "final"))]
    names += [(kind, name) for kind in ("left", "right") for name in CLASSES]
    share = np.random.default_rng(5).uniform(-0.3, 0.9, len(names))
    table = pd.DataFrame(names, columns=["kind", "context"]).assign(
        tokens=np.arange(len(names)) * 50, share=share, low=share - 0.2, high=share + 0.2, p=0.01, q=0.2
    )
    table.loc[0, "q"] = np.nan
    table.loc[2, ["q", "low", "high"]] = 0.04, -3.0, 4.0
    table.loc[len(names) - 1, ["low", "high", "p", "q"]] = np.nan
    return table


def words(figure: Figure) -> str:
    """Return all text of a figure; lines of notes are written from the last to the first."""
    return " ".join(text.get_text() for text in reversed(figure.texts)).replace("\n", " ")


def test_each_context_with_an_interval_has_a_dot(options: FigureOptions, legible: Check) -> None:
    table = contexts()
    drawing = draw_habit(table, "yoruba", options)
    legible(drawing.figure)
    assert drawing.shown["share"].tolist() == table["share"].tolist()[:-1]
    (axes,) = drawing.figure.axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    filled = [line.get_markerfacecolor() != "white" for line in dots]
    assert filled == [True, False, True, *[False] * (len(dots) - 3)]  # all places by p, the others by q
    assert [float(line.get_xdata()[0]) for line in dots] == drawing.shown["share"].tolist()  # type: ignore[index]


def test_what_is_not_shown_is_named(options: FigureOptions) -> None:
    told = words(draw_habit(contexts(), "yoruba", options).figure)
    assert "Without an interval: before #." in told
    assert "Longer intervals are cut at the edge." in told
