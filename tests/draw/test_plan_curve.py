"""The curve of a plan: what its lines show, one panel an item, and what it does without speakers."""

import math
from collections.abc import Callable

import pandas as pd
import pytest
from made_drawings import draw_plan
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions


@pytest.fixture
def plan() -> pd.DataFrame:
    designs = [(12, 8), (6, 8), (24, 8), (6, math.inf), (12, math.inf), (24, math.inf)]
    rows = [
        {"item": item, "other": other, "speakers": speakers, "utterances": each, "least_difference": 0.1 / speakers}
        for item, other in (("k͡p-corpus", ""), ("k͡p-corpus", "a-very-long-name-of-another-system-on-the-same-speech"))
        for speakers, each in designs
    ]
    return pd.DataFrame(rows).assign(measure="wper", needed="no", power=0.8, level=0.95, difference=0.005)


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_lines_are_the_tables(plan: pd.DataFrame, width: float, legible: Callable[[Figure], None]) -> None:
    drawing = draw_plan(plan, FigureOptions(width_mm=width, font="DejaVu Sans"))
    assert drawing is not None
    assert len(drawing.figure.axes) == 2
    for axes in drawing.figure.axes:
        lines = {line.get_label(): line for line in axes.lines}
        assert set(lines) == {"8 utterances each", "any number", "a difference of 0.005", "12 of 8"}
        assert list(lines["8 utterances each"].get_xdata()) == [6, 12, 24]
        assert list(lines["8 utterances each"].get_ydata()) == [0.1 / 6, 0.1 / 12, 0.1 / 24]
        assert list(lines["12 of 8"].get_ydata()) == [0.1 / 12]
    assert len(drawing.shown) == len(plan)
    legible(drawing.figure)


def test_without_speakers_the_line_is_over_utterances(plan: pd.DataFrame, options: FigureOptions) -> None:
    alone = plan[plan["other"].eq("") & plan["utterances"].eq(8)].assign(speakers=math.nan, utterances=[100, 50, 200])
    drawing = draw_plan(alone.assign(difference=math.nan), options)
    assert drawing is not None
    line, dot = drawing.figure.axes[0].lines
    assert list(line.get_xdata()) == [50, 100, 200]
    assert dot.get_label() == "100 utterances"


def test_without_a_least_difference_there_is_no_figure(plan: pd.DataFrame, options: FigureOptions) -> None:
    assert draw_plan(plan.assign(least_difference=math.nan), options) is None
