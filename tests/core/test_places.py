import numpy as np
import pytest
from textalloc.non_overlapping_boxes import get_non_overlapping_boxes

from phonxling.core.arrays import Floats
from phonxling.draw.labels import Apart, Page, free_places

WIDE, HIGH = 900.0, 600.0
PAGE = Page(
    limits=np.array([50.0, 20, 50 + WIDE, 20 + HIGH]),
    margin=np.array([WIDE, HIGH * 1.5]) * 0.004,
    nearest=np.array([WIDE, HIGH * 1.5]) * 0.006,
    farthest=np.array([WIDE, HIGH * 1.5]) * 0.2,
)


@pytest.mark.parametrize(
    "apart", [Apart(boxes=True, lines=True), Apart(boxes=True, lines=False), Apart(boxes=False, lines=False)]
)
@pytest.mark.parametrize("crowd", [1, 12, 60])
def test_labels_stand_where_textalloc_puts_them(crowd: int, apart: Apart) -> None:
    drawn = np.random.default_rng(crowd)
    points = drawn.normal((450, 330), (120, 80), (crowd, 2))
    sizes = drawn.uniform((10, 18), (70, 26), (crowd, 2))
    taken = np.concatenate([points, drawn.normal((450, 330), (200, 120), (crowd * 3, 2))])
    places = free_places(points, sizes, taken, PAGE, apart)
    theirs = _textalloc(points, sizes, taken, apart)
    assert [None if place is None else place[:2].tolist() for place in places] == theirs
    assert (None in theirs) == (crowd == 60 and apart.boxes)


def _textalloc(points: Floats, sizes: Floats, taken: Floats, apart: Apart) -> list[list[float] | None]:
    found, _ = get_non_overlapping_boxes(
        [(*point, *size, 6.5) for point, size in zip(points.tolist(), sizes.tolist(), strict=True)],
        tuple(PAGE.limits[[0, 2]]),
        tuple(PAGE.limits[[1, 3]]),
        aspect_ratio=1.5,
        margin=0.004,
        min_distance=0.006,
        max_distance=0.2,
        verbose=False,
        nbr_candidates=600,
        draw_all=False,
        scatter_xy=taken,
        lines_xyxy=None,
        scatter_sizes=None,
        scatter_plot_bbs=None,
        text_scatter_sizes=None,
        direction=None,
        draw_lines=True,
        avoid_label_lines_overlap=apart.boxes,
        avoid_crossing_label_lines=apart.lines,
        priority_strategy=None,
    )
    placed = {int(number): [float(x), float(y)] for x, y, *_, number in found}
    return [placed.get(number) for number in range(len(points))]


def test_all_or_none_ends_with_the_first_box_without_a_place() -> None:
    points = np.random.default_rng(60).normal((450, 330), (60, 40), (60, 2))
    sizes, apart = np.tile([60.0, 25.0], (60, 1)), Apart(boxes=True, lines=True)
    every = free_places(points, sizes, points, PAGE, apart)
    begun = free_places(points, sizes, points, PAGE, apart, all_or_none=True)
    assert [place is None for place in begun] == [False] * (len(begun) - 1) + [True]
    assert 1 < len(begun) < 60
    assert all(np.array_equal(one, other) for one, other in zip(begun[:-1], every, strict=False))


@pytest.mark.parametrize("keep_off", [False, True])
def test_lines_keep_off_the_points_of_other_boxes(keep_off: bool) -> None:
    points, size = np.random.default_rng(5).normal((450, 330), (60, 40), (40, 2)), np.array([40.0, 20.0])
    places = free_places(points, np.tile(size, (40, 1)), points, PAGE, Apart(boxes=True, lines=False, points=keep_off))
    nearest, steps = np.inf, np.linspace(0, 1, 500)[:, None]
    for place, point in zip(places, points, strict=True):
        if place is not None:
            end = np.clip(point, place[:2], place[2:])
            way, others = point + steps * (end - point), points[(points != point).any(1)]
            nearest = min(nearest, np.hypot(*(way[:, None] - others).T).min())
    assert (nearest > PAGE.margin.max() - 0.1) == keep_off
    assert sum(place is not None for place in places) > 20
