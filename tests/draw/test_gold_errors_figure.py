"""The figure of numbers and claims over the share of the gold phones that are wrong."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from phonxling.draw.figures.further.gold_errors import draw_gold_errors
from phonxling.draw.labels import with_drawable_names
from phonxling.draw.style import FigureOptions

Check = Callable[[Figure], None]
RATES = (0.0, 0.05, 0.1)


def numbers(*measures: str) -> pd.DataFrame:
    rows = [(rate, name, 0.5 - rate, 0.4 - rate, 0.6 - rate) for name in measures for rate in RATES]
    return pd.DataFrame(rows, columns=["rate", "measure", "value", "low", "high"])


def claims(*ends: float) -> pd.DataFrame:
    words = [f"a is heard as e{place} more often than the reference leads one to expect" for place in range(len(ends))]
    return pd.DataFrame({"claim": words, "holds_to": 0.0, "ends_at": list(ends)})


def words(figure: Figure) -> str:
    return " ".join(text.get_text() for text in sorted(figure.texts, key=lambda text: -text.get_position()[1]))


def test_curves_are_the_numbers_and_crosses_where_claims_end(options: FigureOptions, legible: Check) -> None:
    drawing = draw_gold_errors(numbers("per", "wper", "skill_per"), claims(0.1, 0.05, np.nan), "yoruba", options)
    legible(drawing.figure)
    rates, skills, ending = drawing.figure.axes
    assert [len(axes.lines) for axes in (rates, skills, ending)] == [2, 1, 6]
    assert rates.lines[0].get_xdata() == pytest.approx([0, 5, 10])
    assert rates.lines[0].get_ydata() == pytest.approx([0.5, 0.45, 0.4])
    assert [float(line.get_xdata()[0]) for line in ending.lines if line.get_marker() == "x"] == [5, 10]
    assert "1 of 3 claims hold at all rates shown" in words(drawing.figure)
    assert len(drawing.shown) == 9


def test_claims_are_sentences_that_are_not_cut_as_names_are(options: FigureOptions) -> None:
    table = claims(0.1)
    drawing = draw_gold_errors(numbers("per"), with_drawable_names(table), "yoruba", options)
    assert drawing.figure.axes[-1].texts[0].get_text() == table["claim"][0]
    hostile = table.assign(claim=f"{'x' * 3000}\u202e is heard as e")
    assert len(with_drawable_names(hostile)["claim"][0]) == 200


def test_many_claims_are_counted(options: FigureOptions, legible: Check) -> None:
    drawing = draw_gold_errors(numbers("per"), claims(*[0.05] * 11), "yoruba", options)
    legible(drawing.figure)
    assert "3 more claims end" in words(drawing.figure)


def test_without_claims_there_are_curves(options: FigureOptions, legible: Check) -> None:
    drawing = draw_gold_errors(numbers("per", "conditional_entropy"), claims(), "yoruba", options)
    legible(drawing.figure)
    assert len(drawing.figure.axes) == 3
