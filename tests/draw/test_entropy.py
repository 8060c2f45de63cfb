from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from figure_names import row_names
from made_drawings import draw_entropy
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

Table = pd.DataFrame


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in [*figure.texts, *figure.legends[0].get_texts(), *figure.axes[0].texts]]


def test_phones_stand_in_order_of_entropy_ties_as_in_the_table(
    phones: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_entropy(phones, "yoruba", options, conditional_entropy=1.4)
    labels = row_names(drawing.figure.axes[0])
    assert labels == ["ɡ͡b", "a", "i", "d͡ʒ", "k͡p"]
    assert drawing.shown["phone"].tolist() == labels
    legible(drawing.figure)


def test_few_tokens_are_hollow(phones: Table, options: FigureOptions) -> None:
    lines = draw_entropy(phones, "yoruba", options).figure.axes[0].lines
    hollow = [line.get_xdata() for line in lines if line.get_marker() == "o" and line.get_markerfacecolor() == "white"]
    assert np.concatenate(hollow).tolist() == [0.2]


def test_the_largest_entropy_the_mean_and_what_is_missing_are_said(phones: Table, options: FigureOptions) -> None:
    drawing = draw_entropy(phones, "yoruba", options, conditional_entropy=1.4)
    said = words(drawing.figure)
    assert "most without ∅: log₂ 7 = 2.81 bits" in said
    assert "H(predicted | gold) = 1.40 bits" in said
    assert any("No entropy (no tokens): ɛ̃." in line for line in said)
    assert "500" in said


def test_intervals_that_end_where_entropies_end_are_told_of(
    phones: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    ends = phones["entropy_low"].where(phones["entropy_low"] != 0.7, 0.0)
    cut, whole = (draw_entropy(table, "x", options).figure for table in (phones.assign(entropy_low=ends), phones))
    assert any("intervals end there" in line for line in words(cut))
    assert not any("intervals end there" in line for line in words(whole))
    assert any("No interval where tokens" in line for line in words(whole))
    legible(cut)


def test_intervals_of_few_tokens_are_paler(phones: Table, options: FigureOptions) -> None:
    few = phones.assign(entropy_low=phones["entropy"] - 0.1, entropy_high=phones["entropy"] + 0.1)
    collections = draw_entropy(few, "x", options).figure.axes[0].collections
    widths = {float(lines.get_linewidths()[0]): len(lines.get_segments()) for lines in collections}  # type: ignore[attr-defined]
    assert (widths[0.5], widths[0.9]) == (1, 4)


def test_without_intervals_none_is_drawn(phones: Table, options: FigureOptions) -> None:
    bare = phones.drop(columns=["entropy_low", "entropy_high"])
    drawing = draw_entropy(bare, "yoruba", options)
    assert "interval" not in words(drawing.figure)
    assert list(drawing.shown) == ["phone", "tokens", "entropy"]
    assert "Dots are corrected for few tokens. No entropy (no tokens): ɛ̃." in words(drawing.figure)
    empty = draw_entropy(phones.assign(entropy_low=np.nan, entropy_high=np.nan), "yoruba", options)
    assert "interval" not in words(empty.figure)


@pytest.mark.parametrize("count", [1, 150])
def test_one_phone_and_more_than_a_page_holds(
    count: int, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    table = pd.DataFrame(
        {
            "side": "gold",
            "phone": [f"p{place}" for place in range(count)],
            "tokens": np.arange(count) + 30.0,
            "entropy": 1.0,
        }
    )
    drawing = draw_entropy(table, "x", options)
    assert drawing.figure.get_size_inches()[1] * 25.4 < 240
    assert (len(drawing.shown) < count) == any("Left out" in word for word in words(drawing.figure))
    legible(drawing.figure)
