import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from phonxling.core.arrays import Floats
from phonxling.draw.sheet import Sheet, name_columns, name_rows
from phonxling.draw.style import GREY, PASSING, PHONE, house_style

NAMES = ["a", "d͡ʒ", "ɛ̃́", "", "ŋ", "…", "∅"]


def _plot() -> tuple[Figure, Axes]:
    figure = Sheet(60, 50)
    axes = figure.axes_at(15, 15, 40, 30)
    axes.set(xlim=(0, 8), ylim=(8, 0))
    return figure, axes


def _pixels(figure: Figure) -> NDArray[np.uint8]:
    figure.finish()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())


def _places(seed: int) -> Floats:
    return np.sort(np.random.default_rng(seed).uniform(0.1, 7.9, len(NAMES)))


@pytest.mark.parametrize(("seed", "tick"), [(1, 0.0), (2, 2.55), (3, 3.1)])
def test_names_of_rows_look_like_matplotlibs(seed: int, tick: float) -> None:
    inks = ["black", GREY] * 3 + ["black"]
    with house_style("DejaVu Sans"):
        figure, axes = _plot()
        name_rows(axes, _places(seed), NAMES, pad=1.2, tick=tick, inks=inks)
        other, theirs = _plot()
        theirs.set_yticks(_places(seed), NAMES, fontsize=PHONE, va="center")
        theirs.tick_params(axis="y", length=tick, pad=1.2, color=GREY)
        for label, ink in zip(theirs.get_yticklabels(), inks, strict=True):
            label.set_color(ink)
        assert np.array_equal(_pixels(figure), _pixels(other))


def test_names_of_rows_on_two_levels_look_like_matplotlibs() -> None:
    with house_style("DejaVu Sans"):
        figure, axes = _plot()
        name_rows(axes, _places(4), NAMES, tick=2.5, drop=9.5, levels=[k % 2 for k in range(len(NAMES))])
        other, theirs = _plot()
        theirs.set_yticks(_places(4), NAMES, fontsize=PHONE, va="center")
        theirs.tick_params(axis="y", length=2.5, pad=1.5, color=GREY)
        for place, mark in enumerate(theirs.yaxis.get_major_ticks()):
            mark.set_pad(1.5 + place % 2 * 9.5)
            mark.tick1line.set(markersize=2.5 + place % 2 * 9.5, markeredgecolor=PASSING if place % 2 else GREY)
        assert np.array_equal(_pixels(figure), _pixels(other))


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_names_of_columns_look_like_matplotlibs(levels: int) -> None:
    with house_style("DejaVu Sans"):
        figure, axes = _plot()
        turns = [place % levels for place in range(len(NAMES))]
        name_columns(axes, _places(levels), NAMES, pad=7.5, tick=2.55, drop=8.3, levels=turns)
        other, theirs = _plot()
        theirs.set_xticks(_places(levels), NAMES, fontsize=PHONE, va="baseline")
        theirs.tick_params(axis="x", length=2.55, color=GREY)
        for place, mark in enumerate(theirs.xaxis.get_major_ticks()):
            mark.set_pad(7.5 + place % levels * 8.3)
            mark.tick1line.set(
                markersize=2.55 + place % levels * 8.3, markeredgecolor=PASSING if place % levels else GREY
            )
        assert np.array_equal(_pixels(figure), _pixels(other))


def test_a_plot_without_rows_has_no_names() -> None:
    with house_style("DejaVu Sans"):
        figure, axes = _plot()
        name_rows(axes, np.zeros(0), [])
        other, theirs = _plot()
        theirs.set_yticks([])
        assert np.array_equal(_pixels(figure), _pixels(other))
