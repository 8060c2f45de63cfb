"""What `scripts/check_figures.py` counts, on figures whose overlaps are known, and how it shows colours."""

import re

import numpy as np
import pytest
from check_figures import Recorder, overlaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle

from phonxling.draw.sheet import Sheet
from phonxling.draw.style import house_style


def page() -> Figure:
    with house_style("DejaVu Sans"):
        return Sheet(84, 40)


def found(figure: Figure) -> list[str]:
    with house_style("DejaVu Sans"):
        return [re.sub(", .*", "", one) for one in overlaps(figure)]


@pytest.mark.parametrize(("text", "rotation"), [("k͡p", 90), ("two\nlines", 0)])
def test_the_box_of_a_text_is_its_ink(text: str, rotation: int) -> None:
    figure = page()
    with house_style("DejaVu Sans"):
        figure.text(0.5, 0.5, text, rotation=rotation)
        recorder, canvas = Recorder(figure), FigureCanvasAgg(figure)
        figure.draw(recorder)
        canvas.draw()
    rows, columns = np.nonzero(np.asarray(canvas.buffer_rgba())[::-1, :, :3].min(axis=2) < 200)
    boxes = np.array([box.extents for _, box, _ in recorder.texts])
    found = [*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)]
    ink = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert found == pytest.approx(ink, abs=3)  # a letter begins and ends with air


def test_labels_over_labels_and_beyond_the_edge() -> None:
    figure = page()
    for x, text in ((0.1, "one"), (0.11, "two"), (0.3, "three"), (0.999, "four")):
        figure.text(x, 0.5, text)
    assert found(figure) == ["“one” over “two”", "“four” cut by the edge"]


@pytest.mark.parametrize(
    ("mark", "counts"),
    [
        (Rectangle((0.4, 0.4), 0.2, 0.2, facecolor="#8c8c8c", edgecolor="none"), True),
        (Rectangle((0.4, 0.4), 0.2, 0.2, facecolor="#e6e6e6", edgecolor="none"), False),  # pale: ground
        (Rectangle((0.4, 0.4), 0.2, 0.2, facecolor="none", edgecolor="black"), False),  # the text stands inside
        (Rectangle((0.51, 0.4), 0.2, 0.2, facecolor="none", edgecolor="black"), True),
        (Line2D([0.45, 0.55], [0.51, 0.51], color="black"), True),
        (Line2D([0.515], [0.51], marker="o", color="black", markersize=2), True),
        (Line2D([0.45, 0.65], [0.51, 0.51], marker="o", linestyle="none", color="black", markersize=2), False),
        (PatchCollection([Circle((0.51, 0.51), 0.005)], facecolor="black", edgecolor="none"), True),
    ],
)
def test_a_label_over_a_mark(mark: Rectangle | Line2D | PatchCollection, counts: bool) -> None:
    figure = page()
    figure.text(0.5, 0.5, "mm")
    figure.add_artist(mark)
    assert len(found(figure)) == counts
