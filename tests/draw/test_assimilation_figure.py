"""The figure of contrasts: the best discriminated on top, unsure ones hollow, no more than there is room for."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_assimilation
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

Check = Callable[[Figure], None]
TYPES = ("TC", "SC", "CG", "UC", "UU")


def contrasts(number: int) -> pd.DataFrame:
    """So many contrasts of all types, sure and not."""
    js = np.random.default_rng(5).random(number)
    places = np.arange(number)
    return pd.DataFrame(
        {
            "phone": [f"k͡p{place}" for place in places],
            "other": [f"ɡ͡b{place}" for place in places],
            "type": [TYPES[place % 5] for place in places],
            "probability": np.where(places % 2, 0.95, 0.6),
            "js": js,
            "js_low": np.maximum(js - 0.1, 0),
            "js_high": np.minimum(js + 0.1, 1),
        }
    )


def words(figure: Figure) -> str:
    return " ".join(text.get_text() for text in figure.texts).replace("\n", " ")


@pytest.mark.parametrize("number", [1, 7, 60])
def test_the_best_discriminated_stand_on_top(number: int, options: FigureOptions, legible: Check) -> None:
    table = contrasts(number)
    drawing = draw_assimilation(table, "yoruba", options)
    legible(drawing.figure)
    assert drawing.shown["js"].tolist() == sorted(table["js"].head(30), reverse=True)
    (axes,) = drawing.figure.axes
    places = [tuple(np.ravel(line.get_data())) for line in axes.lines]
    assert places == [(value, row) for row, value in enumerate(drawing.shown["js"])]
    assert ("the first 30 of 60 contrasts" in words(drawing.figure)) == (number > 30)


def test_marks_tell_type_and_how_sure_it_is(options: FigureOptions) -> None:
    drawing = draw_assimilation(contrasts(10), "yoruba", options)
    (axes,) = drawing.figure.axes
    hollow = [line.get_markerfacecolor() == "white" for line in axes.lines]
    assert hollow == (drawing.shown["probability"] < 0.8).tolist()
    markers = {(name, line.get_marker()) for name, line in zip(drawing.shown["type"], axes.lines, strict=True)}
    assert len(markers) == len({marker for _, marker in markers}) == 5
    beside = [text.get_text() for text in axes.texts if " %" in text.get_text()]
    pairs = zip(drawing.shown["type"], drawing.shown["probability"], strict=True)
    assert beside == [f"{name} {100 * share:.0f} %" for name, share in pairs]


def test_contrasts_without_numbers_are_counted_and_intervals_may_be_missing(options: FigureOptions) -> None:
    table = contrasts(6)
    table.loc[0, ["js", "js_low", "js_high", "probability"]] = np.nan
    table.loc[1, ["js_low", "js_high", "probability"]] = np.nan
    drawing = draw_assimilation(table, "yoruba", options)
    assert len(drawing.shown) == 5
    assert "Left out: 1 with too few tokens." in words(drawing.figure)
