from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from figure_checks.overlaps import overlaps
from made_drawings import draw_map
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure

from phonxling.draw.phone_map import CIRCLES
from phonxling.draw.style import BLUE, ORANGE, PAGE_HEIGHT, FigureOptions, house_style

Table = pd.DataFrame
VOWELS = frozenset({"a", "i", "ɛ̃"})


@pytest.mark.parametrize(
    ("coordinates", "caption"),
    [
        ("umap", "UMAP keeps neighbourhoods, not distances."),
        ("pca", "PCA: distances kept as far as two axes can."),
        ("mds", "Classical MDS of phone means: distances kept as far as two axes can."),
    ],
)
def test_a_panel_for_the_reference_and_one_a_target(
    coordinates: str, caption: str, embedding: Table, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    targets = {"yoruba": embedding.assign(x=embedding["x"] + 0.3), "ewe": embedding.iloc[:2]}
    drawing = draw_map(
        embedding,
        targets,
        VOWELS,
        options,
        reference_name="english",
        coordinates=coordinates,
        titles={"english": "English"},
    )
    titles = [text.get_text() for text in drawing.figure.texts]
    assert {"English (reference)", "yoruba", "ewe"} <= set(titles)
    notes = "".join(title for title in titles if title not in {"English (reference)", "yoruba", "ewe"})
    assert sorted(notes.replace(" ", "")) == sorted(f"{caption} {CIRCLES}".replace(" ", ""))  # of lines in any order
    assert len(drawing.figure.axes) == 3
    legible(drawing.figure)


@pytest.mark.parametrize("font", ["DejaVu Sans", "auto"])
def test_no_label_stands_on_another_on_a_point_or_on_a_line(font: str) -> None:
    first, second = (
        pd.DataFrame(place, columns=["x", "y"]).assign(phone=[f"p{number}" for number in range(18)], spread=0.2)
        for place in np.random.default_rng(2).normal(size=(2, 18, 2))
    )
    figure = draw_map(first, {"yoruba": second}, VOWELS, FigureOptions(font=font)).figure
    with house_style(font):
        assert [*overlaps(figure)] == []


def test_circles_stand_at_the_means_with_the_spread_as_radius(embedding: Table, options: FigureOptions) -> None:
    drawing = draw_map(embedding, {}, VOWELS, options, coordinates="pca")
    (axes,) = drawing.figure.axes
    rim = next(artist for artist in axes.collections if isinstance(artist, PatchCollection))
    boxes = [path.get_extents() for path in rim.get_paths()]
    middles = {(round((box.x0 + box.x1) / 2, 6), round((box.y0 + box.y1) / 2, 6)) for box in boxes}
    assert middles == {(round(x, 6), round(y, 6)) for x, y in embedding[["pca_x", "pca_y"]].to_numpy()}
    assert [box.width / 2 for box in boxes] == pytest.approx([0.1] * len(embedding), rel=1e-3)
    left, right = axes.get_xlim()
    low, high = axes.get_ylim()
    size = axes.get_window_extent()
    assert (right - left) / size.width == pytest.approx((high - low) / size.height)  # circles are round


def test_each_phone_is_written_once_a_panel_and_shown(embedding: Table, options: FigureOptions) -> None:
    drawing = draw_map(embedding, {"yoruba": embedding}, VOWELS, options)
    reference, yoruba = drawing.figure.axes
    assert sorted(text.get_text() for text in reference.texts) == sorted(embedding["phone"])
    assert sorted(text.get_text() for text in yoruba.texts) == sorted([*embedding["phone"]] * 2)
    assert drawing.shown["role"].tolist() == ["reference"] * 6 + ["target"] * 6
    assert drawing.shown["x"].tolist() == [*embedding["x"]] * 2


def test_vowels_and_consonants_differ_in_colour_and_shape(embedding: Table, options: FigureOptions) -> None:
    (axes,) = draw_map(embedding, {}, VOWELS, options).figure.axes
    for marker, colour in (("o", BLUE), ("^", ORANGE)):
        points = [line for line in axes.lines if line.get_marker() == marker]
        assert sum(len(np.atleast_1d(line.get_xdata())) for line in points) == 3
        assert {line.get_color() for line in points} == {colour}


def test_phones_of_few_tokens_are_hollow(embedding: Table, options: FigureOptions) -> None:
    drawing = draw_map(embedding, {}, VOWELS, options)
    (axes,) = drawing.figure.axes
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white"]
    places = {float(x) for line in hollow for x in np.atleast_1d(line.get_xdata())}
    assert places == set(embedding.loc[embedding["tokens"] < 20, "x"])
    assert "under 20 tokens" in legend(drawing.figure)
    assert "under 20 tokens" not in legend(draw_map(embedding.assign(tokens=20), {}, VOWELS, options).figure)


@pytest.mark.slow
def test_five_languages_fit_on_a_page_with_labels_apart(legible: Callable[[Figure], None]) -> None:
    places = np.random.default_rng(5).normal(size=(5, 20, 2))
    tables = [
        pd.DataFrame(place, columns=["x", "y"]).assign(phone=[f"p{number}" for number in range(20)], spread=0.05)
        for place in places
    ]
    targets = {f"language {number}": table for number, table in enumerate(tables[1:])}
    faithful = {"trustworthiness": 0.88, "distance_correlation": 0.43}
    figure = draw_map(tables[0], targets, VOWELS, FigureOptions(width_mm=84), faithful=faithful).figure
    assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    legible(figure)


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for drawn in figure.legends for text in drawn.get_texts()]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_phones_without_spread(count: int, embedding: Table, options: FigureOptions) -> None:
    few = embedding.iloc[:count].drop(columns=["spread"])
    drawing = draw_map(few, {"x": few.assign(phone="$a_$")}, VOWELS, options)
    assert len(drawing.figure.axes[0].texts) == count


def test_a_target_without_coordinates_has_an_empty_panel(embedding: Table, options: FigureOptions) -> None:
    drawing = draw_map(embedding, {"x": embedding.assign(x=np.nan, y=np.nan)}, VOWELS, options)
    assert len(drawing.figure.axes) == 2
    assert drawing.shown["corpus"].tolist() == ["reference"] * 6


@pytest.mark.slow
def test_a_crowd_leaves_labels_out_rather_than_overprint(
    options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    crowd = pd.DataFrame({"phone": [f"phone {place:09}" for place in range(100)], "x": 0.0, "y": 0.0, "spread": 1.0})
    drawing = draw_map(crowd, {}, VOWELS, options)
    written = len(drawing.figure.axes[0].texts)
    assert written < 100
    assert any("No free place for the labels" in text.get_text() for text in drawing.figure.texts)
    legible(drawing.figure)


def test_the_map_is_the_same_twice(embedding: Table, options: FigureOptions) -> None:
    first, second = (draw_map(embedding, {"x": embedding}, VOWELS, options) for _ in range(2))
    assert [text.get_position() for axes in first.figure.axes for text in axes.texts] == [
        text.get_position() for axes in second.figure.axes for text in axes.texts
    ]
