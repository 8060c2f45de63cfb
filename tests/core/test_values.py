"""Small values: estimates, errors, places."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from textalloc.non_overlapping_boxes import get_non_overlapping_boxes

from phonxling.console import Bar
from phonxling.core.arrays import Floats
from phonxling.core.errors import LONGEST, ConfigurationError, DataError, join_problems, printable, shown, whole_message
from phonxling.core.estimate import Estimate
from phonxling.draw.labels import Apart, Page, free_places


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-0.5, 0.5, (0.0, 0.5)), (0.5, 1.5, (0.5, 1.0)), (-2.0, -1.0, (0.0, 0.0)), (2.0, 3.0, (1.0, 1.0))],
)
def test_limits_stay_in_the_range_and_all_else_stays(low: float, high: float, expected: tuple[float, float]) -> None:
    bounded = Estimate(0.5, low, high, 0.9, "few tokens").within(0, 1)
    assert (bounded.low, bounded.high) == expected
    assert (bounded.value, bounded.level, bounded.note) == (0.5, 0.9, "few tokens")


@pytest.mark.parametrize(
    ("value", "low", "side", "end"), [(-0.1, -0.3, "below", "least"), (1.1, 0.9, "above", "greatest")]
)
def test_a_value_outside_the_range_is_set_to_its_end_and_the_note_says_so(
    value: float, low: float, side: str, end: str
) -> None:
    bounded = Estimate(value, low, low + 0.4, 0.9, "few tokens").within(0, 1)
    assert bounded.value == (value > 0)
    assert bounded.low <= bounded.value <= bounded.high
    assert bounded.note == f"the estimate is {side} the {end} possible value, which stands in its place; few tokens"
    none = Estimate(value, value, value, 0.9).within(0, 1)
    assert math.isnan(none.low)
    assert none.note.endswith("no interval: all of it lies outside what is possible")
    assert Estimate(1 + 1e-15, 0.9, 1.2, 0.9).within(0, 1) == Estimate(
        1.0, 0.9, 1.0, 0.9
    )  # rounding is not worth a note


def test_a_range_may_be_open_and_missing_limits_stay_missing() -> None:
    """Without an interval there is nothing to bound."""
    assert Estimate(7.0, -1.0, 9.0).within(0, math.inf).high == 9.0
    alone = Estimate(7.0, note="one speaker").within(0, math.inf)
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)
    assert alone.note == "one speaker"


def test_all_problems_are_shown_or_counted() -> None:
    assert join_problems("Three:", iter("abc"), "Do so.") == "Three:\n  a\n  b\n  c\nDo so."
    assert join_problems("Three:", "abc", limit=3) == "Three:\n  a\n  b\n  c"
    assert join_problems("Some:", "ab", "Do so.", more=3) == "Some:\n  a\n  b\n  … and 3 more\nDo so."
    assert join_problems("Some:", "abc", limit=1, more=3) == "Some:\n  a\n  … and 5 more"
    assert join_problems("None:", []) == "None:"
    assert (DataError.exit_code, ConfigurationError.exit_code) == (1, 2)


@given(text=st.text(st.characters(), max_size=40))
def test_what_is_printed_can_be_seen_and_printing_twice_changes_nothing(text: str) -> None:
    out = printable(text)
    assert all(letter.isprintable() or letter == "\n" for letter in out)
    assert printable(out) == out
    assert out.count("\n") == text.count("\n")
    assert "\n" not in shown(text)
    out.encode()


def test_text_that_can_be_seen_stays() -> None:
    for text in ("ɛ̃́ k͡p a˥˩ ∅ → …", "two\nlines", "", "한국어 \U0001f600"):
        assert printable(text) == text == whole_message(text)


def test_an_error_is_fit_for_a_terminal_keeps_what_it_was_given_and_has_an_end() -> None:
    error = DataError("x.tsv: 'u\x1b[2J\r\ud800\u202e'")
    assert str(error) == r"x.tsv: 'u\x1b[2J\r\ud800\u202e'"
    assert error.args == ("x.tsv: 'u\x1b[2J\r\ud800\u202e'",)
    assert str(DataError("a" * 5_000_000)) == "a" * 10_000 + "… (100,001 letters)\n  … and 4,900,000 more letters"
    assert len(str(DataError("a\n" * 5_000_000))) < LONGEST + 100
    assert shown("a" * 101) == "a" * 100 + "… (101 letters)"


def test_the_command_line_prints_hostile_names_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Bar(quiet=False) as bar:
        bar.say(f"{tmp_path.name}: \x1b[2J [red]u[/red] :a: \u202e")
    assert r"\x1b[2J [red]u[/red] :a: \u202e" in capsys.readouterr().err


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
