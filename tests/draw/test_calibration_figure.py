from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_calibration
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

Table = pd.DataFrame


def points(figure: Figure, panel: int, marker: str, fill: str | None = None) -> list[tuple[float, float]]:
    lines = [line for line in figure.axes[panel].lines if line.get_marker() == marker]
    chosen = [line for line in lines if fill is None or (line.get_markerfacecolor() == "white") == (fill == "hollow")]
    return [tuple(map(float, pair)) for line in chosen for pair in np.asarray(line.get_xydata()).tolist()]


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_each_source_is_a_panel_of_its_bins(
    width: float, calibration: Table, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_calibration(calibration, "yoruba", FigureOptions(width_mm=width, font="DejaVu Sans"))
    assert drawing.name == "calibration"
    for panel in (0, 2):
        assert points(drawing.figure, panel, "o", "filled") == [(0.6, 0.5), (0.9, 0.8)]
        assert points(drawing.figure, panel, "o", "hollow") == [(0.2, 0.0)]
        assert points(drawing.figure, panel, "D") == [(0.7, 0.65), (0.95, 0.85)]
    assert drawing.shown["source"].tolist() == calibration["source"].tolist()
    legible(drawing.figure)


def test_the_histogram_has_the_numbers_and_the_error_is_that_of_the_bins(
    calibration: Table, options: FigureOptions
) -> None:
    figure = draw_calibration(calibration, "yoruba", options).figure
    assert [patch.get_height() for patch in figure.axes[1].patches] == [12, 0, 100, 1288]
    error = (12 * 0.2 + 100 * 0.1 + 1288 * 0.1) / 1400
    assert f"Of the predictions: ECE {error:.3f}" in [text.get_text() for text in figure.texts]
    assert any("1,400 predicted phones" in text.get_text() for text in figure.texts)


def test_without_intervals_none_is_drawn_and_one_source_stands_alone(
    calibration: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    bare = calibration[calibration["source"] == "file"].assign(accuracy_low=np.nan, accuracy_high=np.nan)
    figure = draw_calibration(bare, "x", options).figure
    assert len(figure.axes) == 2
    assert len(figure.axes[0].collections) == 0
    assert "interval" not in [text.get_text() for text in figure.legends[0].get_texts()]
    legible(figure)


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_the_legend_stands_beside_a_single_diagram(
    width: float, calibration: Table, legible: Callable[[Figure], None]
) -> None:
    """Which is smaller than the page is wide, and square."""
    alone = calibration[calibration["source"] == "posteriors"]
    figure = draw_calibration(alone, "x", FigureOptions(width_mm=width, font="DejaVu Sans")).figure
    diagram, legend = figure.axes[0].get_window_extent(), figure.legends[0].get_window_extent()
    assert diagram.width == pytest.approx(diagram.height)
    assert legend.x0 > diagram.x1
    assert legend.y1 <= diagram.y1
    assert diagram.height / figure.dpi * 25.4 < 55
    legible(figure)
