from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from phonxling.draw.figures.rates import draw_rates
from phonxling.draw.sheet import legend_at, settle, sheet
from phonxling.draw.style import FigureOptions

Table = pd.DataFrame


def places(figure: Figure, panel: int, marker: str) -> list[float]:
    lines = [line for line in figure.axes[panel].lines if line.get_marker() == marker]
    return [float(np.atleast_1d(line.get_xdata())[0]) for line in lines]


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_points_and_chance_marks_are_the_summarys(
    width: float, summary: Table, legible: Callable[[Figure], None]
) -> None:
    figure = draw_rates(summary, FigureOptions(width_mm=width, font="DejaVu Sans")).figure
    assert places(figure, 0, "o") == [0.05, 0.287]
    assert places(figure, 0, "s") == [0.282, 0.282]
    assert places(figure, 0, "D") == pytest.approx([0.312, 0.312])
    assert places(figure, 1, "o") == [0.2, 0.92]
    legible(figure)


def test_rate_and_skill_are_written_with_the_sign_of_worse_than_chance(summary: Table, options: FigureOptions) -> None:
    figure = draw_rates(summary, options, {"english": "English"}).figure
    assert [text.get_text() for text in figure.axes[0].texts] == ["0.050 (+0.82)", "0.287 (−0.02)"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["English", "yoruba"]


def test_intervals_only_where_there_are_both_ends(summary: Table, options: FigureOptions) -> None:
    wper, per = (len(axes.collections) for axes in draw_rates(summary, options).figure.axes)
    assert wper - per == 2  # the summary has an interval for wPER, half a one for PER


def test_without_chance_there_is_no_shade_and_missing_rates_are_left_out(
    summary: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    bare = summary[summary["measure"].isin(["per", "wper"])].copy()
    bare.loc[bare["measure"] == "wper", "value"] = np.nan
    drawing = draw_rates(bare.assign(variant=np.nan), options)
    assert len(drawing.figure.axes) == 1
    assert [text.get_text() for text in drawing.figure.legends[0].get_texts()] == ["rate of the recogniser"]
    assert drawing.shown["measure"].tolist() == ["per", "per"]
    legible(drawing.figure)


def test_floors_are_hatched_and_the_attainable_skill_stands_beside_the_rate(
    summary: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    names = list(dict.fromkeys(summary["corpus"]))
    floors = [("floor_per", "", [0.0, 0.25]), ("attainable_skill_per", "best", [0.8, 0.5])]
    rows = [
        {"corpus": name, "measure": measure, "variant": variant, "value": value}
        for measure, variant, values in floors
        for name, value in zip(names, values, strict=True)
    ]
    figure = draw_rates(pd.concat([summary, pd.DataFrame(rows)]), options).figure
    wper, per = figure.axes
    hatched = [shape for shape in per.collections if shape.get_hatch()]
    assert [shape.get_paths()[0].get_extents().x1 for shape in hatched] == pytest.approx([0.25])
    assert [shape for shape in wper.collections if shape.get_hatch()] == []
    assert [text.get_text().partition(" ")[2] for text in per.texts] == ["(+0.80)", "(+0.50)"]
    assert {"rate (skill)", "rate (attainable skill)"} <= {text.get_text() for text in figure.texts}
    legible(figure)


def test_a_legend_is_as_high_in_a_font_of_high_lines() -> None:
    """Such as Charis SIL, in which a legend reached into the axis; cmsy10 comes with matplotlib."""
    heights = []
    for font in ("DejaVu Sans", "cmsy10"):
        with mpl.rc_context({"font.family": font, "font.size": 8}):
            figure = sheet(84, 40)
            legend_at(figure, 1, 1, {letter: Line2D([], []) for letter in "ABCD"}, 1)
            settle(figure)
        figure.draw_without_rendering()
        heights.append(figure.legends[0].get_window_extent().height)
    assert heights[1] == pytest.approx(heights[0], rel=0.05)
