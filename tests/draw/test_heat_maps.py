"""Heat maps: cells are the tables', orders are shared, and what is left out is named."""

from dataclasses import replace

import made_drawings as made
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PatchCollection, QuadMesh
from matplotlib.figure import Figure

from phonxling.analyses.features import order_rows
from phonxling.core.arrays import Floats
from phonxling.draw.figure import StoredTables, phone_orders
from phonxling.draw.gallery import draw
from phonxling.draw.style import FigureOptions


def mesh_of(figure: Figure) -> QuadMesh:
    return next(artist for artist in figure.axes[0].collections if isinstance(artist, QuadMesh))


def cells_of(figure: Figure) -> Floats:
    """Return the values drawn, NaN where nothing is."""
    return np.asarray(np.ma.asarray(mesh_of(figure).get_array(), dtype=np.float64).filled(np.nan))


def cell(figure: Figure, row: str, column: str) -> float:
    axes = figure.axes[0]
    return float(cells_of(figure)[made.row_names(axes).index(row), made.column_names(axes).index(column)])


def labels_of(figure: Figure) -> tuple[list[str], list[str]]:
    return [*made.row_names(figure.axes[0]), *made.written(figure, 1)], made.column_names(figure.axes[1])


def test_a_cell_is_the_tables_share_in_its_order() -> None:
    drawing = made.drawn("confusions", made.CONFUSIONS)
    gold, predicted = labels_of(drawing.figure)
    cells = cells_of(drawing.figure)
    of_phones = made.CONFUSIONS[made.CONFUSIONS["gold"] != "∅"]
    for phone, heard, share in of_phones[["gold", "predicted", "share_of_gold"]].to_numpy(object):
        place = predicted.index(heard) + (heard == "∅")  # the gap is a column of its own
        assert cells[gold.index(phone), place] == pytest.approx(share)
    assert (gold, predicted[-1]) == ([*phone_orders(made.CONFUSIONS, "similarity", {})[0], "∅"], "∅")
    outlines = [artist for artist in drawing.figure.axes[0].collections if not isinstance(artist, QuadMesh)]
    assert len(outlines[-1].get_paths()) == len({"a", "i", "d͡ʒ"})  # of the same symbol


def test_unattested_is_zero_the_gap_is_blank_and_bars_are_the_tokens() -> None:
    small = made.table_of("gold predicted count", ("a", "a", 3), ("a", "∅", 1), ("b", "b", 2), ("∅", "a", 1))
    figure = made.drawn("confusions", small).figure
    cells = cells_of(figure)
    assert cells[:, [0, 1, 3]].tolist() == [[0.75, 0.0, 0.25], [0.0, 1.0, 0.0]]  # deleted: 1 of 4, 0 of 2
    assert np.isnan(cells[:, 2]).all()
    inserted, tokens, answers = (figure.axes[place].patches for place in (1, 2, 3))
    assert [bar.get_height() for bar in inserted] == [0.25, 0.0]  # 1 of 4 tokens of a
    assert figure.axes[1].get_ylim() == (0, 0.5)
    assert ([bar.get_width() for bar in tokens], [bar.get_height() for bar in answers]) == ([4, 2], [4, 2, 1])


@pytest.mark.slow
def test_too_many_phones_are_folded_and_named() -> None:
    many = [f"{letter}{mark}" for letter in "abdefhijklmnopstuvwz" for mark in ("ʷʰ", "ʲː", "ˤː", "ʰː", "ⁿː", "ˡː")]
    figure = made.drawn("confusions", made.count_table(many, many)).figure
    gold, predicted = labels_of(figure)
    folded = len(many) - len(predicted) + 2
    assert (len(gold), predicted[-2:]) == (len(many) + 1, [f"other ({folded})", "∅"])
    assert figure.get_size_inches()[1] * 25.4 < 240
    assert f"other ({folded}): predicted phones of at most " in made.said(figure)
    made.legible(figure)


def test_several_rare_phones_are_drawn_as_one() -> None:
    rows = [("a", "a", 9), ("a", "z", 1), ("a", "∅", 2), ("b", "b", 7), ("x", "a", 3), ("x", "∅", 1), ("y", "z", 2)]
    figure = made.drawn("confusions", made.table_of("gold predicted count", *rows)).figure
    assert labels_of(figure) == (["a", "b", "other (2)", "∅"], ["a", "b", "z", "∅"])  # one rare is not pooled
    assert cells_of(figure)[2].tolist()[:3] == pytest.approx([0.5, 0.0, 1 / 3])  # x and y: 3 as a, 2 as z, 1 deleted
    assert "other (2): gold phones of at most 4 tokens, 6 in all, as one and without a bar (x y)." in made.said(figure)
    all_rare = made.table_of("gold predicted count", ("a", "a", 4), ("b", "a", 1), ("b", "b", 1))
    assert labels_of(made.drawn("confusions", all_rare).figure)[0] == ["a", "b", "∅"]


def test_rows_of_few_tokens_are_hatched() -> None:
    table = made.table_of("gold predicted count", ("a", "a", 19), ("a", "b", 1), ("b", "b", 18), ("b", "a", 1))
    figure = made.drawn("confusions", table).figure
    found = [one for one in figure.axes[0].collections if isinstance(one, PatchCollection) and one.get_hatch()]
    places = [int(path.get_extents().intervaly.mean()) for one in found for path in one.get_paths()]
    assert {made.row_names(figure.axes[0])[place] for place in places} == {"b"}
    few = made.drawn("residuals", {"expected": made.EXPECTED.assign(residual=0.05), "confusions": table}).figure
    assert "fewer than 20 tokens" in {*made.legend(figure)} & {*made.legend(few)}
    assert "fewer than 20 tokens" not in made.legend(made.drawn("residuals", made.EXPECTED).figure)


def test_ticks_pass_between_labels_with_ties_and_no_label_meets_that_of_many() -> None:
    phones = ["k", "k͡p", "ɡ͡b", "d͡ʒ", *"pbtdcɟqɢmnrfvszʃʒhjlw", "x", "ɣ"]
    pairs = [(phone, phone, 1 if phone in "xɣ" else 40) for phone in phones]
    pairs += [("p", vowel, 9) for vowel in "aeiouyøœɛɔəɨ"]
    axes = made.drawn("confusions", made.table_of("gold predicted count", *pairs)).figure.axes[0]
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    rows = [axes.transData.transform((0, place))[1] for place in axes.get_yticks()]
    passing = [(row, box) for row, own in zip(rows, boxes, strict=True) for box in boxes if own.x1 < box.x0]
    assert len(passing) > len(phones)
    assert min(max(row - box.y1, box.y0 - row) for row, box in passing) > 0.35 / 25.4 * 300
    assert not any(boxes[-1].overlaps(box) for box in boxes[:-1])


@pytest.mark.parametrize(("rows", "columns"), [(1, 20), (30, 40)])
def test_cells_are_square(rows: int, columns: int) -> None:
    table = made.count_table([f"g{place}" for place in range(rows)], [f"p{place}" for place in range(columns)])
    axes = made.drawn("confusions", table).figure.axes[0]
    (right, left), (low, high), box = axes.get_xlim(), axes.get_ylim(), axes.get_window_extent()
    assert box.width / abs(right - left) == pytest.approx(box.height / abs(high - low))


def test_residuals_are_centred_at_zero_marked_and_in_a_unit() -> None:
    figure = made.drawn("residuals", made.EXPECTED).figure
    assert mesh_of(figure).get_clim() == pytest.approx((-0.25, 0.25))  # of what is off the diagonal
    assert (cell(figure, "a", "a"), cell(figure, "a", "i")) == pytest.approx((-0.3, 0.25))  # over P(gold), .2
    outlines = [artist for artist in figure.axes[0].collections if isinstance(artist, PatchCollection)]
    assert [len(artist.get_paths()) for artist in outlines] == [3, 3]  # the diagonal, and q < .05
    assert len(made.marks(figure, 0, "_")) == 3  # −0.06, −0.04, −0.01
    assert {"q < 0.05", "less", "same symbol, paler"} <= {*made.legend(figure)}
    assert {"b", "z"}.isdisjoint(made.row_names(figure.axes[0]))
    assert "Left out, because no cell differs visibly: gold b z; predicted b z." in made.said(figure)
    assert cell(made.drawn("residuals", made.EXPECTED.assign(residual=0.0, q=np.nan)).figure, "a", "a") == 0


def test_residuals_name_phones_that_the_reference_lacks() -> None:
    rows = [("k͡p", "p", 5), ("k͡p", "∅", 1), ("ɗ", "d", 3), ("a", "∅", 3), ("a", "a", 90), ("∅", "p", 7)]
    tables = {"expected": made.EXPECTED, "confusions": made.table_of("gold predicted count", *rows)}
    notes = made.said(made.drawn("residuals", tables).figure).replace("\n", " ")
    assert "not common to both: 2 gold phones (k͡p ɗ), 75 % of the errors on gold phones." in notes


def test_association_shows_what_is_together_and_says_what_is_left_blank() -> None:
    figure = made.drawn("association", made.ASSOCIATION).figure
    assert mesh_of(figure).get_clim() == (0, 1)
    assert (cell(figure, "a", "a"), cell(figure, "a", "p")) == (0.8, 0)  # the second: −0.3
    assert np.isnan(cell(figure, "x", "a"))
    assert len(made.marks(figure, 0, "x")) == 3
    assert "Left blank: 4 of 9 cells, whose NPMI is 0.1 or less." in made.said(figure)


def test_too_many_recognised_phones_leave_the_rarest_out() -> None:
    phones = [f"p{place}ʷʰː" for place in range(120)]
    table = pd.DataFrame({"gold": "a", "recognised": phones, "p_joint": np.arange(120) / 7140, "npmi": 0.3})
    drawing = made.drawn("association", table)
    kept = {*made.column_names(drawing.figure.axes[0])}
    assert kept == set(phones[-len(kept) :])
    assert f"Left out: the {120 - len(kept)} rarest recognised" in made.said(drawing.figure)


VECTORS = {"p": [-1, -1, 0], "b": [-1, 1, 0], "i": [1, 1, -1], "u": [1, 1, 1], "e": [1, 0, -1]}
FEATURES = {phone: np.array(values, float) for phone, values in VECTORS.items()}
HEARD = [("p", "b", 2), ("i", "i", 9), ("b", "b", 4), ("u", "e", 5), ("x", "b", 7), ("∅", "i", 3), ("b", "∅", 9)]
ORDERED = made.table_of("gold predicted count", *HEARD)


def test_similar_rows_become_neighbours() -> None:
    order = order_rows(np.array([[0.9, 0.1, 0, 0], [0, 0, 0.5, 0.5], [0.8, 0.2, 0, 0], [0, 0, 0.4, 0.6]])).tolist()
    assert abs(order.index(0) - order.index(2)) == abs(order.index(1) - order.index(3)) == 1
    assert order[0] < order[-1]
    for profiles in (np.random.default_rng(1).dirichlet(np.ones(12), size=30), np.full((4, 3), np.nan), np.eye(0, 3)):
        assert sorted(order_rows(profiles)) == [*range(len(profiles))]


def test_orders_by_features_frequency_inventory_and_similarity() -> None:
    gold, predicted = phone_orders(ORDERED, "features", FEATURES)
    assert predicted is not None
    assert [phone for phone in gold if phone in predicted] == [phone for phone in predicted if phone in gold]
    assert gold[-1] == "x"
    frequent = phone_orders(ORDERED, "frequency", {})
    assert frequent == (["b", "i", "x", "u", "p"], ["b", "i", "e"])
    assert phone_orders(ORDERED, "similarity", {})[1] is None  # predicted phones follow the diagonal
    axes = made.drawn("confusions", ORDERED, FigureOptions(order="frequency", font="DejaVu Sans"), frequent).figure.axes
    assert (made.row_names(axes[0]), made.column_names(axes[1])) == (frequent[0], ["b", "i", "e", "∅"])


def test_heat_maps_of_a_corpus_share_an_order() -> None:
    gold = ["d͡ʒ", "i", "a"]
    association = pd.DataFrame({"gold": gold, "recognised": "z", "p_joint": 0.3, "npmi": 0.3})
    tables = {"x": {"confusions": made.CONFUSIONS, "association": association}}
    options = replace(made.OPTIONS, kinds=("confusions", "association"))
    drawings = draw(StoredTables(tables=tables, options=options, summary=made.NO_NUMBERS), "corpus")
    first, second = (made.row_names(one.figure.axes[0]) for one in drawings)
    assert second == [phone for phone in first if phone in gold]
