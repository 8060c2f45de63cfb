"""Figures of rows, panels and time: what is drawn is what the tables say, and notes tell of what is not drawn."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from made_drawings import (
    CALIBRATION,
    DIFFERENCES,
    FEATURES,
    FLOORED,
    MANY,
    MAP,
    OPTIONS,
    PHONES,
    SUMMARY,
    drawn,
    error_shares,
    joint,
    languages,
    legend,
    legible,
    map_of,
    marks,
    row_names,
    said,
    spoken,
    written,
)
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from phonxling.draw.phone_map import CIRCLES
from phonxling.draw.style import CONSONANT, PAGE_HEIGHT, VOWEL
from phonxling.draw.utterances import shown_utterance

SHARES = error_shares()


def test_confidences_are_drawn_above_a_histogram() -> None:
    figure = drawn("calibration", CALIBRATION, ece__=0.1009).figure
    points = {
        (*np.ravel(line.get_xydata()), line.get_markerfacecolor() == "white")
        for line in figure.axes[0].lines
        if line.get_marker() == "o"
    }
    assert points == {(0.6, 0.5, 0.9, 0.8, False), (0.2, 0.0, True)}
    assert [patch.get_height() for patch in figure.axes[1].patches] == [12, 0, 100, 1288]
    assert "1,400 predicted phones. Expected calibration error (ECE): 0.101." in said(figure)
    bare = drawn("calibration", CALIBRATION.assign(accuracy_low=np.nan, accuracy_high=np.nan)).figure
    assert (len(bare.axes[0].collections), "interval" in legend(bare)) == (0, False)


def test_phones_stand_from_the_worst_on_beside_what_is_predicted_instead() -> None:
    figure = drawn("phones", PHONES, conditional_entropy__=1.4).figure
    assert len(figure.axes) == 1
    assert row_names(figure.axes[0]) == ["ɡ͡b", "d͡ʒ", "i", "a", "k͡p"]
    assert (marks(figure, 0, "o", hollow=True), marks(figure, 0, "o", hollow=False)) == ([0.95], [0.1, 0.6, 0.7, 0.8])
    assert written(figure)[5:] == ["b 70 %", "z 30 %", "", "∅ 10 %", "p 5 %"]  # deleted more often than i
    assert "No tokens: ɛ̃." in said(figure)


def test_entropies_stand_beside_the_accuracy_where_they_are_asked_for() -> None:
    ends = PHONES.assign(entropy_low=PHONES["entropy_low"].where(PHONES["entropy_low"] != 0.7, 0.0))
    figure, ending = (
        drawn("phones", phones, replace(OPTIONS, entropy=True), conditional_entropy__=1.4).figure
        for phones in (PHONES, ends)
    )
    assert (marks(figure, 1, "o", hollow=True), marks(figure, 1, "o", hollow=False)) == ([0.2], [2.0, 1.0, 1.0, 1.5])
    assert {"most without ∅: log₂ 7 = 2.81 bits", "H(predicted | gold) = 1.40 bits"} <= {*legend(figure)}
    assert ("intervals end at 0" in said(figure), "intervals end at 0" in said(ending)) == (False, True)


def test_of_more_phones_than_a_page_holds_some_are_left_out_with_a_word() -> None:
    names = [f"p{place}" for place in range(150)]
    numbers = {"tokens": np.arange(150) + 30.0, "accuracy": 0.5, "deletion_rate": 0.0, "share": 0.2}
    limits = dict.fromkeys(["accuracy_low", "accuracy_high"], np.nan)
    table = pd.DataFrame({"side": "gold", "phone": names, "confused_with": "ʃ", **numbers, **limits})
    figure = drawn("phones", table).figure
    assert figure.get_size_inches()[1] * 25.4 < PAGE_HEIGHT
    assert (len(row_names(figure.axes[0])) < 150, "Left out" in said(figure)) == (True, True)
    legible(figure)


def test_parts_of_errors_stand_in_one_order_and_fill_the_bar() -> None:
    axes = joint("errors", summary=SHARES, titles={"yor": "Yoruba"}).figure.axes[0]
    boxes = [patch.get_extents().transformed(axes.transData.inverted()) for patch in axes.patches]
    for row, shares in enumerate(([0.6, 0.4], [0.5, 0.04, 0.3, 0.06, 0.1])):
        parts = sorted((box.x0, box.x1) for box in boxes if box.ymin < row < box.ymax)
        ends = np.cumsum(shares)
        assert np.ravel(parts) == pytest.approx(np.ravel([*zip([0, *ends], ends, strict=False)]))
    assert row_names(axes) == ["eng", "Yoruba"]
    assert row_names(joint("errors", summary=SHARES, reference="eng").figure.axes[0]) == ["yor", "eng"]


def test_limits_stand_below_a_share_of_errors_where_there_is_room_and_shares_sum_to_100() -> None:
    drawing = joint("errors", summary=SHARES)
    assert {"20", "1,500", "60", "40", "50\n48–52", "30\n28–32"} <= {*written(drawing.figure)}
    assert "Left out, without errors: none. Left out, because nothing shows" in drawing.caption
    assert "depend on the gold phones: bad." in drawing.caption
    narrow = joint("errors", replace(OPTIONS, width_mm=60.0), summary=SHARES)
    assert "Parts of about 6 % or less may have no room for their number." in narrow.caption
    thirds = SHARES[SHARES["corpus"] == "eng"].assign(value=1 / 3, low=np.nan, high=np.nan)
    assert [text for text in written(joint("errors", summary=thirds).figure) if text != "20"] == ["34", "33", "33"]


@pytest.mark.parametrize("q", [0.2, 0.01])
def test_a_note_says_whose_errors_are_not_clearly_more_than_the_references(q: float) -> None:
    test = {"corpus": "yor", "measure": "expected_level_p", "variant": "q", "value": q}
    summary = pd.concat([SHARES, pd.DataFrame([test])])
    figure = joint("errors", summary=summary, titles={"yor": "Yoruba"}, reference="English").figure
    assert "confused as often as in the English data" in legend(figure)
    assert ("More often than in the reference data, but not clearly so: Yoruba." in said(figure)) == (q > 0.05)


def test_bars_of_features_are_the_shares_by_direction_in_the_order_of_groups() -> None:
    figure = drawn("features", FEATURES).figure
    kept, changes = figure.axes
    assert row_names(kept) == ["syllabic", "high"]
    assert marks(figure, 0, "o") == pytest.approx([0.5, 0.3])
    widths = np.reshape([bar.get_width() for bar in changes.patches], (3, 2))  # directions × features
    assert widths.ravel() == pytest.approx([0.15, 0.1, 0.05, 0.2, 0.0, 0.2])
    assert {"class", "vowel"} < {text.get_text() for text in figure.texts}
    assert "alike in them: high tone." in said(figure)
    never = drawn("features", FEATURES.assign(changed=[0.0, 0.0, 0.0, np.nan], transferred=np.nan))
    assert row_names(never.figure.axes[0]) == []


def test_every_utterance_with_a_rate_is_in_a_bin_above_the_median_one() -> None:
    tables = spoken(1.0)
    figure = drawn("utterances", tables, wper__=0.3, chance_wper__best=0.31).figure
    for bars in figure.axes[0].patches[:2]:
        assert sum(bars.get_data().values) == 401  # type: ignore[attr-defined]
    assert "because their gold is empty: 1." in said(figure)
    assert legend(figure)[2:4] == ["wPER of all: 0.300", "chance level of all: 0.310"]
    alone = drawn("utterances", {"utterances": tables["utterances"][:3]}).figure
    assert len(alone.axes) == 1  # without alignments
    assert all(tick == round(tick) for tick in alone.axes[0].get_yticks())


def test_differences_are_those_of_the_table_filled_where_they_are_clear() -> None:
    figure = drawn("differences", DIFFERENCES).figure
    assert len(figure.axes) == 2  # conditional entropy is no rate
    assert (marks(figure, 0, "o", hollow=False), marks(figure, 0, "o", hollow=True)) == ([-0.2], [-0.02])
    assert marks(figure, 1, "o", hollow=True) == [-0.3, -0.05]
    assert {(-0.25, -0.15), (-0.05, 0.01)} <= {*lines_of(figure, 0)}
    assert "Not defined alike" not in said(figure)
    noted = drawn("differences", DIFFERENCES.assign(unlike="yes")).figure
    assert "Not defined alike everywhere: PER, wPER; differences.tsv says how." in said(noted)


def test_of_many_pairs_those_of_the_best_item_are_drawn() -> None:
    pairs = [(f"i{one}", f"i{other}", abs(one - 5), abs(other - 5)) for one, other in combinations(range(13), 2)]
    many = pd.DataFrame(pairs, columns=["item", "other", "value", "other_value"])
    more = {"measure": "wper", "variant": "", "difference": 0.1, "unlike": ""}
    figure = drawn("differences", many.assign(**more, low=np.nan, high=np.nan, q=np.nan)).figure
    assert ["i5" in name for name in row_names(figure.axes[0])] == [True] * 12
    assert "Of many pairs, those of i5 alone" in said(figure)


def test_languages_stand_by_rank_with_letters_and_families_where_there_are_several() -> None:
    tables = languages(0.8, 0.5, 0.1)
    figure = joint("languages", tables=tables, titles={"l0": "Yoruba"}, summary=SUMMARY).figure
    assert row_names(figure.axes[0])[:3] == ["Yoruba", "l1", "l2"]
    assert marks(figure, 0, "o") == [0.8, 0.5, 0.1]
    assert [text for text in written(figure) if len(text) == 1] == ["a", "b", "c"]
    tables["l2"]["languages"] = tables["l2"]["languages"].assign(family="Uralic", letters="", status="no-speakers")
    figure = joint("languages", tables=tables, summary=SUMMARY).figure
    assert row_names(figure.axes[0])[:3] == ["l0 (Niger-Congo)", "l1 (Niger-Congo)", "l2 (Uralic)"]
    assert marks(figure, 0, "o", hollow=True) == [0.1]
    assert "not tested" in legend(figure)


def lines_of(figure: Figure, panel: int) -> list[tuple[float, float]]:
    """Return the ends of all horizontal and vertical lines along the axis."""
    paths = [path for drawn in figure.axes[panel].collections for path in drawn.get_paths()]
    ends = [np.asarray(path.vertices)[:, 0].tolist() for path in paths]
    return [(round(low, 6), round(high, 6)) for low, high in ends if np.isfinite([low, high]).all()]


def test_dots_of_rates_and_the_grey_part_are_the_summarys() -> None:
    figure = joint("rates", summary=SUMMARY, titles={"english": "English", "yoruba": "Yoruba"}).figure
    assert (marks(figure, 0, "o"), marks(figure, 1, "o")) == ([0.05, 0.287], [0.2, 0.92])
    for panel, lowest in enumerate((0.282, 0.88)):
        assert [bar.get_x() for bar in figure.axes[panel].patches if bar.get_x()] == [lowest, lowest]  # type: ignore[attr-defined]
        assert {(lowest, lowest), (round(lowest - 0.002, 3), round(lowest + 0.002, 3))} <= {*lines_of(figure, panel)}
    assert [text for text in written(figure) if "(" in text] == ["0.050 (+0.82)", "0.287 (−0.02)"]
    assert row_names(figure.axes[0]) == ["English", "Yoruba"]
    assert {(0.04, 0.06), (0.277, 0.297)} <= {*lines_of(figure, 0)}
    assert not any(high in {0.21, 0.93} for _, high in lines_of(figure, 1))  # half an interval of PER


def test_many_corpora_are_ranked_on_one_page_with_the_reference_last() -> None:
    is_best = (MANY["corpus"] == "l07") & MANY["measure"].str.startswith("skill")
    tables = {
        name: {"languages": pd.DataFrame({"measure": ["skill_wper"], "letters": ["ab" if name == "l07" else "b"]})}
        for name in MANY["corpus"]
    }
    about = {"summary": MANY.assign(value=MANY["value"].mask(is_best, 0.9)), "tables": tables, "reference": "l00"}
    figure = joint("rates", replace(OPTIONS, width_mm=165.0), **about).figure
    names = row_names(figure.axes[0])
    assert (names[0], names[-1], len(names)) == ("l07", "l00", 50)
    assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    assert [text for text in written(figure) if text in {"ab", "b"}][:2] == ["ab", "b"]
    assert (len(figure.axes), len(joint("rates", **about).figure.axes)) == (2, 1)  # PER beside, where there is room


def test_the_axis_is_broken_where_a_rate_is_far_above_the_others() -> None:
    far = SUMMARY.assign(value=SUMMARY["value"].where(SUMMARY["value"] != 0.287, 1.8))
    axes = joint("rates", summary=far).figure.axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()][-1] == "1.80"
    assert marks(axes.figure, 0, "o") == [0.05, 1.8]
    places = axes.transAxes.inverted().transform(axes.transData.transform([[0.05, 0], [1.8, 0]]))[:, 0]
    assert (places[0] > 0.1, 0.84 < places[1] < 1) == (True, True)  # the first on an even axis: 0.03
    assert joint("rates", summary=SUMMARY).figure.axes[0].get_xscale() == "linear"


def test_floors_are_hatched_and_the_skill_stands_beside_the_rate() -> None:
    figure = joint("rates", summary=FLOORED).figure
    hatched = [[bar.get_width() for bar in axes.patches if bar.get_hatch()] for axes in figure.axes]  # type: ignore[attr-defined]
    assert np.nan_to_num(hatched).tolist() == [[0, 0], [0, 0.25]]
    assert [text.partition(" ")[2] for text in written(figure, 1) if "(" in text] == ["(+0.77)", "(−0.05)"]
    assert "0.250" in written(figure, 1)
    ours = FLOORED[FLOORED["corpus"] == "yoruba"]
    for rows, best, line in ((ours, "allow.", "floor or chance"), (SUMMARY, "allow, or no errors", "chance")):
        shown = joint("rates", summary=rows).figure
        assert (f"phones {best}" in said(shown), f"interval of {line}" in legend(shown)) == (True, True)


def test_a_map_has_a_panel_a_target_or_one_for_the_reference_alone() -> None:
    figure = map_of(MAP, {"yoruba": MAP, "ewe": MAP.iloc[:2]}, titles={"home": "English"}).figure
    for text in ("yoruba", "ewe", f"UMAP keeps neighbourhoods, not distances. {CIRCLES}"):
        assert text in said(figure)
    texts = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert [(own.count(""), len(own)) for own in texts] == [(6, 12), (2, 4)]  # arrows, and all
    assert "home (reference)" in said(map_of(MAP, {}).figure)


def test_circles_stand_at_the_means_with_the_spread_as_radius() -> None:
    (axes,) = map_of(MAP, {}).figure.axes
    rim = next(artist for artist in axes.collections if isinstance(artist, PatchCollection))
    boxes = [path.get_extents() for path in rim.get_paths()]
    middles = sorted(((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes)
    assert np.allclose(middles, sorted(MAP[["x", "y"]].itertuples(index=False)))
    assert [box.width / 2 for box in boxes] == pytest.approx([0.2] * len(MAP), rel=1e-3)
    (left, right), (low, high), size = axes.get_xlim(), axes.get_ylim(), axes.get_window_extent()
    assert (right - left) / size.width == pytest.approx((high - low) / size.height)  # circles are round


def test_phones_of_a_map_are_written_once_a_panel_by_kind_and_number_of_tokens() -> None:
    foreign = MAP.assign(phone=["q", *MAP["phone"][1:]], x=MAP["x"] + 0.5, nearest_reference="i")
    figure = map_of(MAP, {"yoruba": foreign}).figure
    (yoruba,) = figure.axes
    assert sorted(filter(None, (text.get_text() for text in yoruba.texts))) == sorted([*foreign["phone"], "i"])
    starts = [text.xyann for text in yoruba.texts if not text.get_text()]  # type: ignore[attr-defined]
    origins = MAP.set_index("phone").loc[["i", *MAP["phone"][1:]], ["x", "y"]].to_numpy()
    assert np.allclose(starts, origins)  # of the nearest phone, and of those of the same symbol
    for marker, colour, number in (("o", VOWEL, 2), ("^", CONSONANT, 4)):
        assert len(marks(figure, 0, marker)) == number
        assert {line.get_color() for line in yoruba.lines if line.get_marker() == marker} == {colour}
    hollow = [*marks(figure, 0, "o", hollow=True), *marks(figure, 0, "^", hollow=True)]
    assert {*hollow} == {*foreign.loc[foreign["tokens"] < 20, "x"]}
    assert "under 20 tokens" in legend(figure)
    assert "under 20 tokens" not in legend(map_of(MAP.assign(tokens=20), {}).figure)


def test_of_a_target_the_longest_arrows_and_the_most_frequent_phones_have_names() -> None:
    phones = [f"p{place:02}" for place in range(30)]
    home = pd.DataFrame(
        {"phone": phones, "x": np.arange(30) % 6 / 1, "y": np.arange(30) // 6, "spread": 0.0, "tokens": 99}
    )
    moved = home.assign(tokens=range(30), nearest_reference=phones)
    moved.loc[:6, "x"] += [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    (axes,) = map_of(home, {"yoruba": moved}).figure.axes
    assert sorted(filter(None, (text.get_text() for text in axes.texts))) == phones[:6] + phones[-6:]


@pytest.mark.slow
def test_a_crowd_leaves_labels_out_rather_than_overprint() -> None:
    crowd = pd.DataFrame(
        {"phone": [f"phone {place:09}" for place in range(100)], "x": 0.0, "y": 0.0, "spread": 1.0, "tokens": 90}
    )
    figure = map_of(crowd, {}).figure
    assert len(written(figure)) < 100
    assert "No free place for the labels" in said(figure)
    legible(figure)


def crossed(figure: Figure) -> list[str]:
    """Return the labels of phones that a label's line, or a dot, stands on."""
    figure.draw_without_rendering()
    found = []
    for axes in figure.axes[1:]:  # the first is the histogram
        for line in axes.lines:
            points = axes.transData.transform(np.column_stack(line.get_data()))
            (x, low), high = points.min(axis=0), points.max(axis=0)[1]
            for text in phone_labels(axes):
                box = text.get_window_extent()
                found += [text.get_text()] if box.x0 < x < box.x1 and low < box.y1 and high > box.y0 else []
    return found


def phone_labels(axes: Axes) -> list[Text]:
    return [text for text in axes.texts if text.get_ha() == "center"]


def test_all_labels_over_time_stand_free() -> None:
    tables = spoken(4.0, seed=4)
    figure, pairs = drawn("utterances", tables).figure, tables["alignments"]
    assert crossed(figure) == []
    wanted = [*pairs["gold"], *pairs.loc[pairs["predicted"] != "∅", "predicted"]]
    assert sorted(text.get_text() for axes in figure.axes for text in phone_labels(axes)) == sorted(wanted)


@pytest.mark.slow
def test_very_short_phones_get_a_dot_and_a_long_utterance_its_beginning() -> None:
    tables = spoken(40.0, shortest=0.01)
    figure, pairs = drawn("utterances", tables).figure, tables["alignments"]
    legible(figure)
    assert crossed(figure) == []
    assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    until = max(axes.get_xlim()[1] for axes in figure.axes[1:])
    assert f"Drawn are the first {until:.1f} of {pairs['gold_end'].max() + 0.05:.1f} s." in said(figure)
    dots = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "o"]
    assert f"Each dot: a phone too short for its label ({len(dots)})." in said(figure)
    here = pairs[["gold_start", "gold_end"]].mean(axis=1) < until
    labels = [text for axes in figure.axes for text in phone_labels(axes)]
    assert len(labels) + len(dots) == here.sum() + (here & (pairs["predicted"] != "∅")).sum()


def test_without_gold_times_phones_stand_at_their_places_in_the_alignment() -> None:
    tables = spoken(1.0)
    pairs = tables["alignments"].assign(gold_start=np.nan, gold_end=np.nan)
    figure = drawn("utterances", {**tables, "alignments": pairs}).figure
    assert {"gold", "predicted"} <= {*written(figure, 1)}
    assert figure.axes[-1].get_xlabel() == "place in the alignment"


def test_the_median_utterance_is_shown() -> None:
    rates = pd.DataFrame({"utterance": ["v", "u", "w", "x", "y"], "per": [0.1, 0.4, 0.9, 0.3, np.nan]})
    assert (shown_utterance(rates), shown_utterance(rates[:0])) == ("x", "")
    figure = drawn("utterances", spoken(1.0), times_certainty__=0.9).figure
    assert "Gold and predicted: u200, the median of 402 utterances by phone error rate" in said(figure)
    assert "Gold times are forced: computed from the posteriors." in said(figure)
