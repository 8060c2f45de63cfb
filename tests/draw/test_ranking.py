"""The ranking of compared items: what it shows, at both widths, with long names and without chance levels."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_ranking
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions


@pytest.fixture
def ranking() -> pd.DataFrame:
    rows = [
        ("wper", "k͡p-corpus", 0.1, 0.05, 0.15, 0.25),
        ("wper", "results/a-very-long-name-of-a-system:yoruba", 0.3, 0.25, 0.35, 0.28),
        ("conditional_entropy", "k͡p-corpus", 1.5, np.nan, np.nan, np.nan),
    ]
    return pd.DataFrame(rows, columns=["measure", "item", "value", "low", "high", "chance"])


def marks(figure: Figure, panel: int, marker: str) -> list[float]:
    lines = [line for line in figure.axes[panel].lines if line.get_marker() == marker]
    return [float(np.atleast_1d(line.get_xdata())[0]) for line in lines]


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_dots_and_chance_marks_are_the_tables(
    width: float, ranking: pd.DataFrame, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_ranking(ranking, FigureOptions(width_mm=width, font="DejaVu Sans"))
    assert marks(drawing.figure, 0, "o") == [0.1, 0.3]
    assert marks(drawing.figure, 0, "|") == [0.25, 0.28]
    assert marks(drawing.figure, 1, "o") == [1.5]
    assert marks(drawing.figure, 1, "|") == []
    assert len(drawing.figure.axes) == 2
    assert drawing.shown is ranking
    legible(drawing.figure)


def test_a_measure_that_is_not_defined_alike_says_so_in_its_title(
    ranking: pd.DataFrame, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    noted = ranking.assign(note=["not defined alike in all items", "not defined alike in all items", ""])
    figure = draw_ranking(noted, options).figure
    titles = [text.get_text() for text in figure.texts]
    assert "Weighted phone error rate (wPER): not alike" in titles
    assert "Confusion entropy (bits)" in titles
    assert any("Not alike: the measure is not defined alike" in text for text in titles)
    assert not any("Not alike" in text.get_text() for text in draw_ranking(ranking, options).figure.texts)
    legible(figure)


def test_a_name_too_long_loses_its_middle_and_the_best_stands_on_top(
    ranking: pd.DataFrame, options: FigureOptions
) -> None:
    axes = draw_ranking(ranking, options).figure.axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0] == "k͡p-corpus"
    assert names[1].startswith("results/")
    assert names[1].endswith("yoruba")
    assert "…" in names[1]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


def test_one_interval_without_ends_is_left_out(ranking: pd.DataFrame, options: FigureOptions) -> None:
    first, second = draw_ranking(ranking, options).figure.axes
    assert len(first.collections) - len(second.collections) == 2
