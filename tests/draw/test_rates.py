from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from figure_names import row_names
from made_drawings import draw_rates
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from phonxling.draw.sheet import Sheet
from phonxling.draw.style import FigureOptions

Table = pd.DataFrame


def dots(figure: Figure, panel: int) -> list[float]:
    """The rates, from the top down."""
    (line,) = (line for line in figure.axes[panel].lines if line.get_marker() == "o")
    return np.asarray(line.get_xdata(), dtype=float).tolist()


def lines(figure: Figure, panel: int) -> list[tuple[float, float]]:
    """The ends of all horizontal and vertical lines along the axis, NaN where there is none."""
    paths = [path for drawn in figure.axes[panel].collections for path in drawn.get_paths()]
    ends = [np.asarray(path.vertices)[:, 0].tolist() for path in paths]
    return [(round(low, 6), round(high, 6)) for low, high in ends if np.isfinite([low, high]).all()]


def written(figure: Figure, panel: int) -> list[str]:
    return [text.get_text() for text in figure.axes[panel].texts]


@pytest.fixture
def floored(summary: Table) -> Table:
    """The summary with a floor of PER for Yoruba and, of 0, for English."""
    names = list(dict.fromkeys(summary["corpus"]))
    floors = [("floor_per", "", [0.0, 0.25]), ("attainable_skill_per", "best", [0.8, 0.5])]
    rows = [
        {"corpus": name, "measure": measure, "variant": variant, "value": value}
        for measure, variant, values in floors
        for name, value in zip(names, values, strict=True)
    ]
    return pd.concat([summary, pd.DataFrame(rows)])


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_dots_and_the_grey_part_are_the_summarys(
    width: float, summary: Table, legible: Callable[[Figure], None]
) -> None:
    figure = draw_rates(summary, FigureOptions(width_mm=width, font="DejaVu Sans")).figure
    assert dots(figure, 0) == [0.05, 0.287]
    assert dots(figure, 1) == [0.2, 0.92]
    for panel, lowest in enumerate((0.282, 0.88)):
        grey = [bar.get_x() for bar in figure.axes[panel].patches if bar.get_x()]
        assert grey == [lowest, lowest]
        assert (lowest, lowest) in lines(figure, panel)
        assert (round(lowest - 0.002, 3), round(lowest + 0.002, 3)) in lines(figure, panel)
    legible(figure)


def test_rate_and_skill_are_written_with_the_sign_of_worse_than_chance(summary: Table, options: FigureOptions) -> None:
    figure = draw_rates(summary, options, {"english": "English", "yoruba": "Yoruba"}).figure
    assert [text for text in written(figure, 0) if "(" in text] == ["0.050 (+0.82)", "0.287 (−0.02)"]
    assert row_names(figure.axes[0]) == ["English", "Yoruba"]
    assert written(figure, 0).count("0.282") == 2


def test_intervals_only_where_there_are_both_ends(summary: Table, options: FigureOptions) -> None:
    figure = draw_rates(summary, options).figure
    assert {(0.04, 0.06), (0.277, 0.297)} <= set(lines(figure, 0))
    assert not any(high in {0.21, 0.93} for _, high in lines(figure, 1))  # half an interval of PER


def test_without_chance_there_is_no_grey_and_missing_rates_are_left_out(
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
    floored: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    figure = draw_rates(floored, options).figure
    hatched = [[bar.get_width() for bar in axes.patches if bar.get_hatch()] for axes in figure.axes]
    assert np.nan_to_num(hatched).tolist() == [[0, 0], [0, 0.25]]
    skills = [text.partition(" ")[2] for text in written(figure, 1) if "(" in text]
    assert skills == ["(+0.80)", "(+0.50)"]
    assert "0.250" in written(figure, 1)
    assert {"rate (skill)", "rate (attainable skill)"} <= {text.get_text() for text in figure.texts}
    legible(figure)


@pytest.mark.parametrize("floor", [0.001, 0.02, 0.85, 0.8789])
def test_a_floor_close_to_0_or_to_chance_keeps_its_number_apart(
    floor: float, floored: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    close = floored.assign(value=floored["value"].where(floored["measure"] != "floor_per", floor))
    figure = draw_rates(close, options).figure
    assert written(figure, 1).count(f"{floor:.3f}") == 2
    legible(figure)


def test_a_legend_is_as_high_in_a_font_of_high_lines() -> None:
    """Such as Charis SIL, in which a legend reached into the axis; cmsy10 comes with matplotlib."""
    heights = []
    for font in ("DejaVu Sans", "cmsy10"):
        with mpl.rc_context({"font.family": font, "font.size": 8}):
            figure = Sheet(84, 40)
            figure.legend_at(1, 1, {letter: Line2D([], []) for letter in "ABCD"}, 1)
            figure.finish()
        figure.draw_without_rendering()
        heights.append(figure.legends[0].get_window_extent().height)
    assert heights[1] == pytest.approx(heights[0], rel=0.05)
