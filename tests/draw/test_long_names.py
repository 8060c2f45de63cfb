"""Names of any length in figures: no text is cut by the edge or stands over another."""

from collections.abc import Callable

import pandas as pd
import pytest
from figure_names import column_names, row_names
from made_drawings import draw_association, draw_calibration, draw_confusions, draw_entropy, draw_rates
from matplotlib.figure import Figure

from phonxling.draw.labels import with_drawable_names
from phonxling.draw.style import FigureOptions

Table = pd.DataFrame
Check = Callable[[Figure], None]
LONG = ["x" * 3000, "of the north " * 230, "עברית" * 600, "a\u0301\u0323" * 1000, "x" * 2999 + "y", "ʒ"]
CORPUS = "y" * 100


@pytest.fixture
def renamed() -> dict[str, str]:
    return dict(zip(["a", "k͡p", "ɡ͡b", "i", "ɛ̃", "d͡ʒ"], LONG, strict=True))


@pytest.mark.parametrize("width", [84.0, 174.0])
def test_the_longest_name_of_a_corpus_leaves_room_for_its_rates(width: float, summary: Table, legible: Check) -> None:
    options = FigureOptions(width_mm=width, font="DejaVu Sans")
    figure = draw_rates(summary.replace({"corpus": {"yoruba": CORPUS}}), options).figure
    title = row_names(figure.axes[0])[1]
    assert (title[:2], title[-2:], "…" in title) == ("yy", "yy", True)
    assert figure.axes[0].get_position().width * width > 15
    legible(figure)


def test_titles_end_at_the_edge(calibration: Table, options: FigureOptions, legible: Check) -> None:
    figure = draw_calibration(calibration, CORPUS, options).figure
    assert any(text.get_text().endswith("y: calibration") for text in figure.texts)
    legible(figure)


def test_long_phones_leave_room_for_their_entropies(
    phones: Table, renamed: dict[str, str], options: FigureOptions, legible: Check
) -> None:
    table = with_drawable_names(phones.replace({"phone": renamed}))
    figure = draw_entropy(table, CORPUS, options, conditional_entropy=1.4).figure
    names = row_names(figure.axes[0])
    assert len(set(names)) == len(names)
    legible(figure)


def test_labels_of_a_heat_map_do_not_meet(
    confusions: Table, association: Table, renamed: dict[str, str], options: FigureOptions, legible: Check
) -> None:
    counts = with_drawable_names(confusions.replace({"gold": renamed, "predicted": renamed | {"z": "z" * 3000}}))
    figure = draw_confusions(counts, CORPUS, options).figure
    columns = column_names(figure.axes[1])
    assert len(set(columns)) == confusions["predicted"].nunique()
    legible(figure)
    names = with_drawable_names(association.replace({"gold": renamed, "recognised": renamed}))
    legible(draw_association(names, CORPUS, options).figure)
