from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from figure_names import column_names, row_names
from made_drawings import draw_association, draw_residuals
from matplotlib.collections import PatchCollection, QuadMesh
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

Table = pd.DataFrame


def mesh_of(figure: Figure) -> QuadMesh:
    return next(artist for artist in figure.axes[0].collections if isinstance(artist, QuadMesh))


def cell(figure: Figure, row: str, column: str) -> object:
    axes = figure.axes[0]
    place = row_names(axes).index(row), column_names(axes).index(column)
    return np.ma.asarray(mesh_of(figure).get_array())[place]


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts] + [
        text.get_text() for legend in figure.legends for text in legend.get_texts()
    ]


def test_residuals_are_centred_at_zero_and_have_a_unit(
    expected: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    figure = draw_residuals(expected, "yoruba", options).figure
    assert mesh_of(figure).get_clim() == (-0.06, 0.06)
    assert cell(figure, "a", "a") == -0.06
    assert cell(figure, "a", "i") == 0.05
    assert "observed − expected (joint probability)" in words(figure)
    legible(figure)


def test_rows_with_nothing_to_show_are_added_up_and_named(expected: Table, options: FigureOptions) -> None:
    drawing = draw_residuals(expected, "yoruba", options)
    rows = row_names(drawing.figure.axes[0])
    assert rows[-1] == column_names(drawing.figure.axes[0])[-1] == "other (2)"
    assert {"b", "z"}.isdisjoint(rows)
    assert "other (2): the gold phones with the least residuals, added up: b z." in words(drawing.figure)
    assert drawing.shown["residual"].sum() == pytest.approx(expected["residual"].sum())


def test_significant_cells_are_outlined_and_negative_ones_carry_a_dash(expected: Table, options: FigureOptions) -> None:
    figure = draw_residuals(expected, "yoruba", options).figure
    axes = figure.axes[0]
    outlines = [artist for artist in axes.collections if isinstance(artist, PatchCollection)]
    assert [len(artist.get_paths()) for artist in outlines] == [3]
    (dashes,) = [line for line in axes.lines if line.get_marker() == "_"]
    assert len(np.atleast_1d(dashes.get_xdata())) == 3  # −0.06, −0.04, −0.01
    assert {"q < 0.05", "less than expected"} <= set(words(figure))


def test_no_residual_at_all(expected: Table, options: FigureOptions) -> None:
    figure = draw_residuals(expected.assign(residual=0.0, q=np.nan), "x", options).figure
    assert cell(figure, "a", "a") == 0


def test_association_shows_what_is_together_and_says_what_is_left_blank(
    association: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_association(association.assign(q=[0.001, 0.2, 0.001] * 3), "yoruba", options)
    assert mesh_of(drawing.figure).get_clim() == (0, 1)
    assert cell(drawing.figure, "a", "a") == 0.8
    assert cell(drawing.figure, "a", "p") == 0  # −0.3
    assert cell(drawing.figure, "x", "a") is np.ma.masked
    markers = {line.get_marker(): len(np.atleast_1d(line.get_xdata())) for line in drawing.figure.axes[0].lines}
    assert markers | {"x": 3, "o": 1} == markers  # of 0.8 and 0.5 the second has q 0.2
    assert {"same symbol", "q ≥ 0.05, or not tested", "no data"} <= set(words(drawing.figure))
    note = (
        "Left blank: 4 of 9 cells, whose NPMI is 0.1 or less; of these 2 are together less often than if independent "
        "(below −0.1, q < 0.05)."  # −1 and −0.2, while the q of −0.3 is too large
    )
    assert note in " ".join(words(drawing.figure)[::-1])
    assert drawing.shown["npmi"].dropna().tolist() == [0.8, 0.5]
    assert drawing.shown["npmi"].isna().sum() == 3
    legible(drawing.figure)


def test_too_many_recognised_phones_leave_the_rarest_out(options: FigureOptions) -> None:
    phones = [f"p{place}ʷʰː" for place in range(120)]
    table = pd.DataFrame({"gold": "a", "recognised": phones, "p_joint": np.arange(120) / 7140, "npmi": 0.3})
    drawing = draw_association(table, "x", options)
    kept = set(drawing.shown["recognised"])
    assert kept == set(phones[-len(kept) :])
    assert any(note.startswith(f"Left out: the {120 - len(kept)} rarest recognised") for note in words(drawing.figure))
