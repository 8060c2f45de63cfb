"""The figure of where variation comes from shows the table, and only where there is one."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from figure_names import row_names
from matplotlib.figure import Figure

from phonxling.draw.figure import Stored
from phonxling.draw.figures.further.variation import FIGURE, draw_variation
from phonxling.draw.style import FigureOptions

TABLE = pd.DataFrame(
    {
        "component": ["language", "phone", "speaker", "residual"],
        "levels": [4, 39, 48, np.nan],
        "variance": [1.5, 1.0, 0.2, 3.29],
        "share": [0.25, 0.17, 0.03, 0.55],
        "low": [np.nan, 0.1, 0.01, 0.5],
        "high": [np.nan, 0.3, 0.05, 0.6],
        "right_below": [0.5, 0.6, 0.7, np.nan],
        "right_above": [0.9, 0.85, 0.8, np.nan],
        "note": "",
    }
)


def test_a_component_has_its_share_its_interval_and_what_it_means(
    options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_variation(TABLE, options)
    legible(drawing.figure)
    (axes,) = drawing.figure.axes
    assert row_names(axes)[:1] == ["language (4)"]
    marks = {line.get_label(): line for line in axes.lines}
    assert marks["share"].get_xdata().tolist() == [0.17, 0.03, 0.55]
    assert marks["these few alone"].get_xdata().tolist() == [0.25]
    assert {text.get_text() for text in axes.texts} >= {"50–90 %", "60–85 %", "70–80 %"}
    assert drawing.shown["high"].tolist()[1:] == [0.3, 0.05, 0.6]


def test_without_the_table_or_a_share_there_is_no_figure(options: FigureOptions) -> None:
    nothing = TABLE.tail(1).assign(share=np.nan)
    assert not list(FIGURE.draw(Stored(tables={}, options=options)))
    assert not list(FIGURE.draw(Stored(tables={}, together={"variation": nothing}, options=options)))
    assert [drawing.name for drawing in FIGURE.draw(Stored(tables={}, together={"variation": TABLE}, options=options))]
