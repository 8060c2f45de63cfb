"""The figure of pooled shares: the cells that pooling changes most, phones with fewest tokens on top."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_pooled
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

Check = Callable[[Figure], None]


def cells(phones: int, *, habit: bool = True) -> pd.DataFrame:
    """Cells of so many phones, three a phone: one that moves by a tenth, one by a hundredth, one that is rare."""
    names = np.repeat([f"k͡p{place}" for place in range(phones)], 3)
    observed, pooled = np.tile([0.6, 0.39, 0.01], phones), np.tile([0.7, 0.28, 0.02], phones)
    return pd.DataFrame(
        {
            "gold": names,
            "predicted": np.tile(["k", "p", "t"], phones),
            "tokens": np.repeat(np.arange(phones, 0, -1) * 10, 3),
            "observed": observed,
            "pooled": pooled,
            "low": pooled / 2,
            "high": (1 + pooled) / 2,
            "habit": 0.5 if habit else np.nan,
        }
    )


@pytest.mark.parametrize("phones", [1, 20])
def test_the_cells_that_move_most_are_shown_and_rare_shares_are_not(
    phones: int, options: FigureOptions, legible: Check
) -> None:
    drawing = draw_pooled(cells(phones), "yoruba", options)
    legible(drawing.figure)
    assert len(drawing.shown) == min(2 * phones, 24)
    assert "t" not in set(drawing.shown["predicted"])
    assert drawing.shown["tokens"].is_monotonic_increasing
    (axes,) = drawing.figure.axes
    shown = {name: line.get_xdata() for name, line in zip(("observed", "pooled", "habit"), axes.lines, strict=True)}
    assert all(np.array_equal(drawing.shown[name], values) for name, values in shown.items())


def test_without_a_habit_nothing_is_said_of_it(options: FigureOptions) -> None:
    for habit in (True, False):
        figure = draw_pooled(cells(2, habit=habit), "yoruba", options).figure
        texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
        assert ("habit of the recogniser" in " ".join(texts)) == habit
