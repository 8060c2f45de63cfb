from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from figure_names import column_names, column_places, row_names
from made_drawings import draw_confusions
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from phonxling.draw.heatmap import GAP_WIDTH
from phonxling.draw.order import order_gold
from phonxling.draw.style import FigureOptions

Table = pd.DataFrame


def cells_of(figure: Figure) -> NDArray[np.float64]:
    """The values drawn, NaN where nothing is."""
    mesh = next(artist for artist in figure.axes[0].collections if isinstance(artist, QuadMesh))
    return np.asarray(np.ma.asarray(mesh.get_array(), dtype=np.float64).filled(np.nan))


def labels_of(figure: Figure) -> tuple[list[str], list[str]]:
    return [*row_names(figure.axes[0]), *row_names(figure.axes[1])], column_names(figure.axes[1])


def inserted(figure: Figure) -> list[float]:
    """The bars of ∅, on a scale of their own."""
    return [bar.get_height() for bar in figure.axes[1].patches]  # type: ignore[attr-defined]


def counts(gold: list[str], predicted: list[str], values: list[list[float]]) -> Table:
    pairs = [(g, p, values[i][j]) for i, g in enumerate(gold) for j, p in enumerate(predicted) if values[i][j]]
    return pd.DataFrame(pairs, columns=["gold", "predicted", "count"])


def test_a_cell_is_the_tables_probability(confusions: Table, options: FigureOptions) -> None:
    drawing = draw_confusions(confusions, "yoruba", options)
    gold, predicted = labels_of(drawing.figure)
    shown = cells_of(drawing.figure)
    of_phones = confusions[confusions["gold"] != "∅"]
    assert len(of_phones) > 10
    for phone, heard, share in of_phones[["gold", "predicted", "p_predicted_given_gold"]].to_numpy(object):
        place = predicted.index(heard) + (heard == "∅")  # the gap is a column of its own
        assert shown[gold.index(phone), place] == pytest.approx(share)


def test_unattested_is_zero_and_the_gap_is_blank(options: FigureOptions) -> None:
    table = counts(["a", "b", "∅"], ["a", "b", "∅"], [[3, 0, 1], [0, 2, 0], [1, 0, 0]])
    figure = draw_confusions(table, "x", options).figure
    shown = cells_of(figure)
    assert shown[:, :2].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert shown[:, 3].tolist() == [0.25, 0.0]  # deleted: 1 of 4, 0 of 2
    assert inserted(figure) == [0.25, 0.0]  # 1 of 4 tokens heard as a
    assert figure.axes[1].get_ylim() == (0, 0.5)
    assert np.isnan(shown[:, 2]).all()


def test_where_the_gap_is_a_symbol_rows_are_over_all_tokens(options: FigureOptions) -> None:
    table = counts(["a", "b", "∅"], ["a", "b", "∅"], [[3, 0, 1], [0, 2, 0], [1, 0, 0]])
    shown = cells_of(draw_confusions(table.assign(p_joint=table["count"] / 7), "x", options).figure)
    assert shown[:2, [0, 1, 3]].tolist() == [[0.75, 0.0, 0.25], [0.0, 1.0, 0.0]]


def test_cells_may_be_counts_with_a_scale_that_says_so() -> None:
    table = counts(["a", "b", "∅"], ["a", "b", "∅"], [[3, 0, 1], [0, 2, 0], [1, 0, 0]])
    figure = draw_confusions(table, "x", FigureOptions(cells="count", font="DejaVu Sans")).figure
    shown = cells_of(figure)
    assert shown[:2, :2].tolist() == [[3, 0], [0, 2]]
    assert (shown[:, 3].tolist(), inserted(figure)) == ([1, 0], [1, 0])
    texts = [text.get_text() for text in figure.texts]
    assert "tokens, square-root scale" in texts
    assert "∅ column: tokens deleted. Bars at ∅: tokens inserted." in texts


def test_no_phone_stands_last_and_apart(confusions: Table, options: FigureOptions) -> None:
    figure = draw_confusions(confusions, "yoruba", options).figure
    gold, predicted = labels_of(figure)
    assert (gold[-1], predicted[-1]) == ("∅", "∅")
    steps = np.diff([place for place, _ in column_places(figure.axes[1])])
    assert steps[-1] == 1 + GAP_WIDTH
    assert set(steps[:-1]) == {1.0}


def test_shown_is_what_is_drawn_in_its_order(confusions: Table, options: FigureOptions) -> None:
    drawing = draw_confusions(confusions, "yoruba", options)
    gold, predicted = labels_of(drawing.figure)
    assert drawing.name == "confusions"
    assert list(dict.fromkeys(drawing.shown["gold"])) == gold
    assert drawing.shown["predicted"].tolist() == (predicted * len(gold))[:-1]
    assert drawing.shown["count"].sum() == confusions["count"].sum()


def test_same_symbols_have_an_outline(confusions: Table, options: FigureOptions) -> None:
    axes = draw_confusions(confusions, "yoruba", options).figure.axes[0]
    outlines = [artist for artist in axes.collections if not isinstance(artist, QuadMesh)]
    assert len(outlines[-1].get_paths()) == len({"a", "i", "d͡ʒ"})


def test_bars_are_the_tokens(options: FigureOptions) -> None:
    table = counts(["a", "b", "∅"], ["a", "b", "∅"], [[3, 0, 1], [0, 2, 0], [1, 0, 0]])
    _, _, right, above, *_ = draw_confusions(table, "x", options).figure.axes
    assert [bar.get_width() for bar in right.patches] == [4, 2]  # type: ignore[attr-defined]
    assert [bar.get_height() for bar in above.patches] == [4, 2, 1]  # type: ignore[attr-defined]


def test_a_given_order_is_kept(confusions: Table, options: FigureOptions) -> None:
    given = ["i", "ɛ̃", "a", "k͡p", "ɡ͡b", "d͡ʒ"]
    assert labels_of(draw_confusions(confusions, "x", options, given).figure)[0] == [*given, "∅"]
    own = order_gold(confusions)
    assert labels_of(draw_confusions(confusions, "x", options).figure)[0] == [*own, "∅"]


def test_a_phone_that_was_always_deleted_has_no_row_but_a_cross(options: FigureOptions) -> None:
    table = counts(["a", "b"], ["a", "∅"], [[3, 0], [0, 2]])
    figure = draw_confusions(table, "x", options).figure
    assert np.isnan(cells_of(figure)[1, 0])
    assert cells_of(figure)[1, 2] == 1
    assert "no tokens" in [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("phones", [["a"], ["a", "b"], ["$x$", "_{", "^\\frac"]])
def test_small_and_hostile_tables(phones: list[str], options: FigureOptions, legible: Callable[[Figure], None]) -> None:
    table = counts(phones, phones, np.eye(len(phones)).tolist())
    figure = draw_confusions(table, "a_$b$", options).figure
    legible(figure)
    assert set(labels_of(figure)[0]) == {*phones, "∅"}


def test_one_row_of_many_columns(
    make_counts: Callable[[list[str], list[str]], Table], options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    legible(draw_confusions(make_counts(["a"], [*"abdefhijklmnopstuvwz"]), "x", options).figure)
    legible(draw_confusions(make_counts([*"abdefhijklmnopstuvwz"], ["a"]), "x", options).figure)


@pytest.mark.slow
@pytest.mark.parametrize("width", [84.0, 174.0])
def test_thirty_by_forty_two_is_legible_in_the_width_asked_for(
    width: float, make_counts: Callable[[list[str], list[str]], Table], legible: Callable[[Figure], None]
) -> None:
    gold = [*"abdefhijklmnorstuw", "ã", "ĩ", "ũ", "ɔ̃", "ɛ̃", *"ɔɛɡʃ", "ɡ͡b", "k͡p", "d͡ʒ"]
    predicted = [*"abdefhijklmnopstuvwzæðŋɑɔəɛɡɨɪɹʃʉʊʌʒʔθ", "t͡ʃ", "d͡ʒ", "ə˞", "ɜ˞"]
    assert (len(gold), len(predicted)) == (30, 42)
    figure = draw_confusions(
        make_counts(gold, predicted), "x", FigureOptions(width_mm=width, font="DejaVu Sans")
    ).figure
    assert figure.get_size_inches()[0] * 25.4 == pytest.approx(width)
    legible(figure)


@pytest.mark.slow
def test_too_many_phones_are_folded_and_named(
    make_counts: Callable[[list[str], list[str]], Table], options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    many = [f"{letter}{mark}" for letter in "abdefhijklmnopstuvwz" for mark in ("ʷʰ", "ʲː", "ˤː", "ʰː", "ⁿː", "ˡː")]
    table = make_counts(many, many)
    drawing = draw_confusions(table, "x", options)
    gold, predicted = labels_of(drawing.figure)
    folded = len(many) - len(gold) + 2
    assert gold[-2:] == [f"other ({folded})", "∅"]
    assert predicted[-2].startswith("other (")
    assert drawing.figure.get_size_inches()[0] * 25.4 == pytest.approx(174)
    assert drawing.figure.get_size_inches()[1] * 25.4 < 240
    assert drawing.shown["count"].sum() == table["count"].sum()
    notes = [text.get_text() for text in drawing.figure.texts]
    assert any(note.startswith(f"other ({folded}): gold phones of at most ") for note in notes)
    legible(drawing.figure)


def test_rare_phones_are_drawn_as_one(options: FigureOptions, legible: Callable[[Figure], None]) -> None:
    table = counts(["a", "b", "x", "y"], ["a", "b", "z", "∅"], [[9, 0, 1, 2], [0, 7, 0, 0], [3, 0, 0, 1], [0, 0, 2, 0]])
    drawing = draw_confusions(table, "x", options)
    assert labels_of(drawing.figure) == (["a", "b", "other (2)", "∅"], ["a", "b", "z", "∅"])  # one rare is not pooled
    assert cells_of(drawing.figure)[2].tolist()[:3] == [0.6, 0.0, 0.4]  # x and y: 3 as a, 2 as z, 1 deleted
    notes = [text.get_text() for text in drawing.figure.texts]
    assert "other (2): gold phones of at most 4 tokens, 6 in all, as one and without a bar (x y)." in notes
    legible(drawing.figure)


def test_where_all_phones_are_rare_none_is_pooled(options: FigureOptions) -> None:
    table = counts(["a", "b"], ["a", "b"], [[4, 0], [1, 1]])
    assert labels_of(draw_confusions(table, "x", options).figure)[0] == ["a", "b", "∅"]


@pytest.mark.parametrize(("rows", "columns"), [(1, 20), (20, 1), (3, 9), (30, 40)])
def test_cells_are_square(
    rows: int, columns: int, make_counts: Callable[[list[str], list[str]], Table], options: FigureOptions
) -> None:
    gold, predicted = ([f"{side}{place}" for place in range(number)] for side, number in (("g", rows), ("p", columns)))
    (axes, *_) = draw_confusions(make_counts(gold, predicted), "x", options).figure.axes
    (right, left), (low, high) = axes.get_xlim(), axes.get_ylim()
    box = axes.get_window_extent()
    assert box.width / abs(right - left) == pytest.approx(box.height / abs(high - low))
