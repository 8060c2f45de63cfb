"""What `scripts/check_figures.py` counts, on figures whose overlaps are known, and how it shows colours."""

import re

import numpy as np
import pytest
from check_figures import SEEN, Recorder, as_seen, overlaps
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


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("text", ["k͡p", "two\nlines"])
def test_the_box_of_a_text_is_its_ink(text: str, rotation: int) -> None:
    figure = page()
    with house_style("DejaVu Sans"):
        figure.text(0.5, 0.5, text, rotation=rotation)
        recorder, canvas = Recorder(figure), FigureCanvasAgg(figure)
        figure.draw(recorder)
        canvas.draw()
    rows, columns = np.nonzero(np.asarray(canvas.buffer_rgba())[::-1, :, :3].min(axis=2) < 200)
    boxes = [box for _, box, _ in recorder.texts]
    assert min(box.x0 for box in boxes) == pytest.approx(columns.min(), abs=3)  # a letter begins and ends with air
    assert max(box.x1 for box in boxes) == pytest.approx(columns.max() + 1, abs=3)
    assert min(box.y0 for box in boxes) == pytest.approx(rows.min(), abs=3)
    assert max(box.y1 for box in boxes) == pytest.approx(rows.max() + 1, abs=3)


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
        (Rectangle((0.6, 0.4), 0.2, 0.2, facecolor="black"), False),
        (Line2D([0.45, 0.55], [0.51, 0.51], color="black"), True),
        (Line2D([0.45, 0.55], [0.51, 0.51], color="#e8e8e8"), False),
        (Line2D([0.515], [0.51], marker="o", color="black", markersize=2), True),
        (Line2D([0.45, 0.65], [0.51, 0.51], marker="o", linestyle="none", color="black", markersize=2), False),
        (PatchCollection([Circle((0.5, 0.5), 0.3)], facecolor="none", edgecolor="black"), False),
        (PatchCollection([Circle((0.51, 0.51), 0.005)], facecolor="black", edgecolor="none"), True),
    ],
)
def test_a_label_over_a_mark(mark: Rectangle | Line2D | PatchCollection, counts: bool) -> None:
    figure = page()
    figure.text(0.5, 0.5, "mm")
    figure.add_artist(mark)
    assert len(found(figure)) == counts


def test_greys_stay_greys_and_red_is_seen_as_published() -> None:
    greys = np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(1, -1, 3)
    for matrix in SEEN.values():
        assert np.abs(as_seen(greys, matrix).astype(int) - greys).max() <= 1
    red = np.array([[[255, 0, 0, 255]]], dtype=np.uint8)
    assert as_seen(red, SEEN["grey"]).tolist() == [[[127, 127, 127]]]  # 1.055 · 0.2126^(1/2.4) − 0.055 = 0.498
    assert as_seen(red, SEEN["deuteranopia"]).tolist() == [[[163, 144, 0]]]  # of 0.367, 0.280 and less than nothing
