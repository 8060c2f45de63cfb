"""Right and wrong together: the bars are the table's, at both widths, with long names and without κ."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_agreement
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

NUMBERS = ["tokens", "both_right", "item_right", "other_right", "both_wrong", "same_wrong", "both_wrong_expected"]
KAPPA = ["kappa_given_phone", "kappa_given_phone_low", "kappa_given_phone_high"]


@pytest.fixture
def agreement() -> pd.DataFrame:
    other = "results/a-very-long-name-of-a-system:yoruba"
    rows = [
        ("k͡p-corpus", other, 100, 50, 10, 20, 20, 8, 14.0, 0.25, 0.25, 0.2, 0.3),
        ("good", "perfect", 100, 100, 0, 0, 0, 0, 0.0, np.nan, np.nan, np.nan, np.nan),
    ]
    return pd.DataFrame(rows, columns=["item", "other", *NUMBERS, "same_expected", *KAPPA])


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_bars_are_the_tables(width: float, agreement: pd.DataFrame, legible: Callable[[Figure], None]) -> None:
    drawing = draw_agreement(agreement, FigureOptions(width_mm=width, font="DejaVu Sans"))
    bars = drawing.shown.set_index(["item", "bar"]).drop(columns="other")
    assert bars.loc["k͡p-corpus", "heard"].tolist() == pytest.approx([0.5, 0.1, 0.2, 0.12, 0.08])
    assert bars.loc["k͡p-corpus", "if independent"].tolist() == pytest.approx([0.44, 0.16, 0.26, 0.105, 0.035])
    widths = [patch.get_width() for patch in drawing.figure.axes[0].patches]
    assert widths == pytest.approx([bars.loc[item, bar].iloc[part] for bar in ("heard", "if independent")
                                    for part in range(5) for item in agreement["item"]])  # fmt: skip
    beside = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert {"0.25\n[0.20, 0.30]", "not defined"} <= set(beside)
    legible(drawing.figure)
