"""The figure of errors by reason: parts as long as the shares, in one order, with limits where there is room."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_errors
from matplotlib.figure import Figure

from phonxling.draw.errors import FIGURE
from phonxling.draw.figure import Stored
from phonxling.draw.style import FigureOptions

TARGET = {"inserted": 0.1, "absent": 0.5, "level": 0.3, "expected": 0.04, "pattern": 0.06}
REFERENCE = {"absent": 0.0, "confused": 0.6, "deleted": 0.4}


@pytest.fixture
def shares() -> pd.DataFrame:
    """The reference, a target, and a corpus without errors."""
    rows = [
        (corpus, "error_share", reason, share, share - spread, share + spread, n)
        for corpus, of, spread, n in (("eng", REFERENCE, np.nan, 20.0), ("yor", TARGET, 0.02, 1500.0))
        for reason, share in of.items()
    ]
    rows += [("yor", "error_share_null", name, 0.034, 0.0, 0.1, 1500.0) for name in ("level", "pattern")]
    rows += [("none", "error_share", name, np.nan, np.nan, np.nan, 0.0) for name in ("absent", "inserted")]
    return pd.DataFrame(rows, columns=["corpus", "measure", "variant", "value", "low", "high", "n"])


def parts(figure: Figure, row: int) -> list[tuple[float, float]]:
    """Where the parts of a bar begin and end, from the left."""
    boxes = [patch.get_extents().transformed(figure.axes[0].transData.inverted()) for patch in figure.axes[0].patches]
    return sorted((box.x0, box.x1) for box in boxes if box.y0 < row < box.y1 or box.y1 < row < box.y0)


def written(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_parts_stand_one_after_the_other_in_one_order_and_fill_the_bar(
    width: float, shares: pd.DataFrame, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_errors(shares, FigureOptions(width_mm=width, font="DejaVu Sans"), {"yor": "Yoruba"})
    ends = np.cumsum([0.5, 0.04, 0.3, 0.06, 0.1])
    assert np.ravel(parts(drawing.figure, 1)) == pytest.approx(np.ravel([*zip([0, *ends], ends, strict=False)]))
    assert np.ravel(parts(drawing.figure, 0)) == pytest.approx([0, 0.6, 0.6, 1])
    order = ["absent", "confused", "deleted", "absent", "expected", "level", "pattern", "inserted"]
    assert drawing.shown["reason"].tolist() == order
    assert {"eng", "Yoruba", "20", "1,500"} <= set(written(drawing.figure))
    legible(drawing.figure)


def test_a_corpus_may_be_called_as_a_reason_is(shares: pd.DataFrame, options: FigureOptions) -> None:
    named = shares.replace({"corpus": {"eng": "inserted", "yor": "absent"}})
    shown = draw_errors(named, options).shown
    assert shown["reason"].tolist() == draw_errors(shares, options).shown["reason"].tolist()
    assert list(dict.fromkeys(shown["corpus"])) == ["inserted", "absent"]


def test_limits_stand_below_a_share_where_there_is_room(shares: pd.DataFrame, options: FigureOptions) -> None:
    figure = draw_errors(shares, options).figure
    assert {"60 %", "40 %", "50 %\n48–52", "30 %\n28–32"} <= set(written(figure))
    assert not any(text.startswith("4 %") for text in written(figure))
    assert not any("–" in text for text in written(draw_errors(shares[shares["corpus"] == "eng"], options).figure))


def test_limits_that_lie_close_have_a_decimal(shares: pd.DataFrame, options: FigureOptions) -> None:
    close = shares.assign(low=shares["value"] - 0.004, high=shares["value"] + 0.004)
    texts = written(draw_errors(close, options).figure)
    assert "60.0 %\n59.6–60.4" in texts
    assert "10 %" in texts  # without room for them


def test_the_legend_has_the_reasons_that_occur_and_notes_tell_of_chance(
    shares: pd.DataFrame, options: FigureOptions
) -> None:
    figure = draw_errors(shares, options, {"yor": "Yoruba"}, reference="English").figure
    meanings = [text.get_text() for text in figure.legends[0].get_texts()]
    assert meanings[:2] == ["phones that the recogniser lacks", "confused as in the English data"]
    assert "phones not in the English data" not in meanings
    said = " ".join(text.get_text() for text in sorted(figure.texts, key=lambda text: -text.get_position()[1]))
    assert "Wrong more often than in the English data by chance alone: Yoruba 3 %." in said


def test_the_reference_stands_last_and_without_any_error_there_is_no_figure(
    shares: pd.DataFrame, options: FigureOptions
) -> None:
    tables: dict[str, dict[str, pd.DataFrame]] = {"eng": {}, "yor": {}, "none": {}}
    stored = Stored(tables=tables, options=options, summary=shares, reference="eng", titles={"eng": "English"})
    (drawing,) = FIGURE.draw(stored)
    assert list(dict.fromkeys(drawing.shown["corpus"])) == ["yor", "eng"]
    empty = shares[shares["corpus"] == "none"]
    assert list(FIGURE.draw(Stored(tables=tables, options=options, summary=empty))) == []
