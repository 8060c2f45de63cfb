"""Figures of features, of confusions beside feature distances, and of the rates of single utterances."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from figure_checks.overlaps import overlaps
from figure_names import row_names
from made_drawings import draw_correspondence, draw_features, draw_utterance_rates
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions, house_style


@pytest.fixture
def features() -> pd.DataFrame:
    rows = [
        ("syl", 0.2, 0.15, 0.05, 0.0, 0.0, 0.5, 0.4),
        ("hi", 0.5, 0.1, 0.2, 0.1, 0.1, 0.3, np.nan),
        ("hitone", 0.0, 0.0, 0.0, 0.0, 0.0, np.nan, np.nan),
        ("deletions", np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan),
    ]
    columns = [
        "feature",
        "changed",
        "plus_to_minus",
        "minus_to_plus",
        "from_zero",
        "to_zero",
        "transfer",
        "transfer_sinfa",
    ]
    return pd.DataFrame(rows, columns=columns)


def said(figure: Figure) -> str:
    """All that is written outside of the plots, from the top down."""
    return " ".join(text.get_text() for text in sorted(figure.texts, key=lambda text: -text.get_position()[1]))


def test_bars_are_the_shares_by_direction_most_changed_first(
    features: pd.DataFrame, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    drawing = draw_features(features, "yoruba", options)
    changes = drawing.figure.axes[0]
    assert row_names(changes) == ["high", "syllabic"]
    widths = np.reshape([bar.get_width() for bar in changes.patches], (3, 2))  # directions × features
    assert widths.ravel() == pytest.approx([0.1, 0.15, 0.2, 0.05, 0.2, 0.0])
    assert widths.sum(axis=0) == pytest.approx([0.5, 0.2])
    assert "alike in them: high tone." in said(drawing.figure)
    legible(drawing.figure)


def test_intervals_of_transfer_are_drawn_where_they_are_there(features: pd.DataFrame, options: FigureOptions) -> None:
    bounds = features.assign(transfer_low=[0.45, 0.25, np.nan, np.nan], transfer_high=[0.55, 0.35, np.nan, np.nan])
    lines = draw_features(bounds, "yoruba", options).figure.axes[1].collections[0].get_segments()
    assert sorted(tuple(map(float, line[:, 0])) for line in lines) == [(0.25, 0.35), (0.45, 0.55)]


def test_the_dot_is_the_estimate_that_the_interval_is_of(
    features: pd.DataFrame, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    """The corrected transfer, which stands in the middle of its interval; the plain one is too high."""
    numbers = {"transfer_corrected": [0.45, -0.02, np.nan, np.nan], "transfer_low": [0.4, 0.0, np.nan, np.nan]}
    corrected = features.assign(**numbers, transfer_high=[0.5, 0.1, np.nan, np.nan])
    figure = draw_features(corrected, "yoruba", options).figure
    dots, diamonds = figure.axes[1].lines
    assert dots.get_xdata() == pytest.approx([0.0, 0.45])  # hi, which is negative, and syl
    assert np.asarray(diamonds.get_xdata()) == pytest.approx([np.nan, 0.4], nan_ok=True)
    for sentence in ("Dots and intervals are corrected", "Without a diamond: determined", "below 0 stand at 0"):
        assert sentence in said(figure)
    legible(figure)


def test_without_a_correction_no_note_tells_of_one(features: pd.DataFrame, options: FigureOptions) -> None:
    plain = features.assign(transfer_sinfa=features["transfer"], transfer_corrected=np.nan)
    figure = draw_features(plain, "yoruba", options).figure
    assert figure.axes[1].lines[0].get_xdata() == pytest.approx([0.3, 0.5])
    assert "corrected" not in said(figure)
    assert "diamond" not in said(figure)


def test_features_that_never_change_make_a_figure_too(features: pd.DataFrame, options: FigureOptions) -> None:
    drawing = draw_features(features.assign(changed=[0.0, 0.0, 0.0, np.nan], transfer=np.nan), "yoruba", options)
    assert len(drawing.shown) == 0


def test_a_point_a_confusion_at_its_distance_and_probability(
    confusions: pd.DataFrame, options: FigureOptions, legible: Callable[[Figure], None]
) -> None:
    table = confusions.assign(cost=np.where(confusions["gold"] == confusions["predicted"], 0.0, 0.25))
    drawing = draw_correspondence(table, "yoruba", options, tau=-0.2)
    (points,) = drawing.figure.axes[0].lines[:1]
    assert set(points.get_xdata()) == {0.25}
    assert np.square(points.get_ydata()) == pytest.approx(drawing.shown["p_predicted_given_gold"])
    kept = drawing.shown
    assert not (kept["gold"] == kept["predicted"]).any()
    assert "∅" not in set(kept["gold"]) | set(kept["predicted"])
    assert "−0.20" in said(drawing.figure)
    legible(drawing.figure)


def test_rare_phones_and_those_without_features_are_left_out_and_counted(options: FigureOptions) -> None:
    rows = [
        ("a", "e", 15.0, 0.5, 0.1),
        ("a", "a", 15.0, 0.5, 0.0),
        ("o", "u", 3.0, 1.0, 0.1),
        ("a", "?", 5.0, 0.1, np.nan),
    ]
    table = pd.DataFrame(rows, columns=["gold", "predicted", "count", "p_predicted_given_gold", "cost"])
    drawing = draw_correspondence(table, "yoruba", options)
    assert drawing.shown[["gold", "predicted"]].to_numpy().tolist() == [["a", "e"]]
    assert "Left out: 2 confusions" in said(drawing.figure)


def test_what_is_named_is_counted_and_stands_free(options: FigureOptions) -> None:
    heard = [f"p{place}" for place in range(40)]
    table = pd.DataFrame({"gold": "a", "predicted": heard, "count": 30.0, "cost": 0.1})
    crowd = draw_correspondence(table.assign(p_predicted_given_gold=np.linspace(0.021, 0.03, 40)), "x", options).figure
    named = [text.get_text() for text in crowd.axes[0].texts]
    assert 0 < len(named) < 12
    assert f"Named: {len(named)} of the 12 most probable confusions; for a → p" in said(crowd)
    few = draw_correspondence(table.assign(p_predicted_given_gold=0.03, cost=np.arange(40) / 20).head(3), "x", options)
    assert "Named: the 3 most probable confusions." in said(few.figure)
    with house_style(options.font):
        assert [*overlaps(crowd), *overlaps(few.figure)] == []


@pytest.mark.parametrize("most", [1.0, 0.3, 0.03, 0.0004])
def test_the_axis_of_probabilities_has_ticks(most: float, options: FigureOptions) -> None:
    row = {"gold": ["a"], "predicted": ["e"], "count": [30.0], "p_predicted_given_gold": [most], "cost": [0.1]}
    axes = draw_correspondence(pd.DataFrame(row), "x", options).figure.axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert np.square(axes.get_yticks()) == pytest.approx([float(label) for label in labels])
    assert len(labels) >= 4
    assert max(map(float, labels)) <= axes.get_ylim()[1] ** 2


def test_every_utterance_with_a_rate_is_in_a_bin(options: FigureOptions, legible: Callable[[Figure], None]) -> None:
    rng = np.random.default_rng(2)
    rates = np.append(rng.gamma(4, 0.07, 400), [np.nan, 5.0])
    table = pd.DataFrame({"wper": rates, "chance_cost": rates * 11, "cost": 3.0, "gold_tokens": 10.0})
    drawing = draw_utterance_rates(table, "yoruba", options, chance=0.31)
    assert drawing.shown["utterances"].sum() == 401
    assert drawing.shown["chance"].sum() == 401
    assert (drawing.shown["from"].iloc[0], drawing.shown["from"].tolist()[1:]) == (0, drawing.shown["to"].tolist()[:-1])
    assert "for their gold is empty: 1." in said(drawing.figure)
    legend = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    heard, chance = "utterances, as heard", "the same utterances at chance"
    assert legend == [heard, chance, "wPER of all: 0.300", "chance level of all: 0.310"]
    legible(drawing.figure)


@pytest.mark.parametrize("rates", [[0.3], [0.0, 0.0, 0.0], [0.2, 0.2]])
def test_few_or_equal_rates_make_a_figure_too(rates: list[float], options: FigureOptions) -> None:
    table = pd.DataFrame({"wper": rates, "cost": 1.0, "gold_tokens": 5.0})
    assert draw_utterance_rates(table, "yoruba", options).shown["utterances"].sum() == len(rates)
