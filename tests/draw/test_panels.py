"""Figures of rows, panels and time: what is drawn is what the tables say, and notes tell of what is not drawn."""

from collections.abc import Sequence
from dataclasses import replace

import matplotlib as mpl
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
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from phonxling.draw.phone_map import CIRCLES
from phonxling.draw.sheet import Sheet
from phonxling.draw.style import CONSONANT, PAGE_HEIGHT, VOWEL
from phonxling.draw.utterances import shown_utterance

SHARES = error_shares()


def test_confidences_are_drawn_above_a_histogram_beside_the_legend_or_above_it() -> None:
    figure = drawn("calibration", CALIBRATION, ece__=0.1009).figure
    points = {
        hollow: [
            tuple(pair)
            for line in figure.axes[0].lines
            if line.get_marker() == "o"
            for pair in np.asarray(line.get_xydata()).tolist()
            if (line.get_markerfacecolor() == "white") == hollow
        ]
        for hollow in (False, True)
    }
    assert points == {False: [(0.6, 0.5), (0.9, 0.8)], True: [(0.2, 0.0)]}
    assert [patch.get_height() for patch in figure.axes[1].patches] == [12, 0, 100, 1288]
    assert "1,400 predicted phones. Expected calibration error (ECE): 0.101." in said(figure)
    bare = drawn("calibration", CALIBRATION.assign(accuracy_low=np.nan, accuracy_high=np.nan)).figure
    assert (len(bare.axes), len(bare.axes[0].collections)) == (2, 0)
    assert "interval" not in legend(bare)
    diagram, beside = figure.axes[0].get_window_extent(), figure.legends[0].get_window_extent()
    assert diagram.width == pytest.approx(diagram.height)
    assert beside.x0 > diagram.x1
    narrow = drawn("calibration", CALIBRATION, replace(OPTIONS, width_mm=60.0)).figure
    assert narrow.legends[0].get_window_extent().y1 <= narrow.axes[1].get_window_extent().y0


def test_phones_stand_from_the_worst_on_beside_what_is_predicted_instead() -> None:
    figure = drawn("phones", PHONES, conditional_entropy__=1.4).figure
    assert len(figure.axes) == 1
    assert row_names(figure.axes[0]) == ["ɡ͡b", "d͡ʒ", "i", "a", "k͡p"]
    assert (marks(figure, 0, "o", hollow=True), marks(figure, 0, "o", hollow=False)) == ([0.95], [0.1, 0.6, 0.7, 0.8])
    assert written(figure)[5:] == ["b 70 %", "z 30 %", "", "∅ 10 %", "p 5 %"]  # deleted more often than i
    assert "500" in written(figure)
    assert "entropy" not in said(figure).lower()
    assert "No tokens: ɛ̃." in said(figure)


def with_entropies(phones: pd.DataFrame) -> Figure:
    return drawn("phones", phones, replace(OPTIONS, entropy=True), conditional_entropy__=1.4).figure


def test_entropies_stand_beside_the_accuracy_where_they_are_asked_for() -> None:
    figure = with_entropies(PHONES)
    assert (marks(figure, 1, "o", hollow=True), marks(figure, 1, "o", hollow=False)) == ([0.2], [2.0, 1.0, 1.0, 1.5])
    assert {"most without ∅: log₂ 7 = 2.81 bits", "H(predicted | gold) = 1.40 bits"} <= {*legend(figure)}
    assert "intervals end at 0" not in said(figure)
    assert "It has none where fewer than five" in said(figure)
    ends = PHONES["entropy_low"].where(PHONES["entropy_low"] != 0.7, 0.0)
    assert "intervals end at 0" in said(with_entropies(PHONES.assign(entropy_low=ends)))


@pytest.mark.parametrize("count", [1, 150])
def test_phones_of_one_and_of_more_than_a_page_holds(count: int) -> None:
    names = [f"p{place}" for place in range(count)]
    numbers = {"tokens": np.arange(count) + 30.0, "accuracy": 0.5, "deletion_rate": 0.0, "share": 0.2}
    limits = dict.fromkeys(["accuracy_low", "accuracy_high"], np.nan)
    table = pd.DataFrame({"side": "gold", "phone": names, "confused_with": "ʃ", **numbers, **limits})
    drawing = drawn("phones", table)
    assert drawing.figure.get_size_inches()[1] * 25.4 < PAGE_HEIGHT
    assert (len(row_names(drawing.figure.axes[0])) < count) == ("Left out" in said(drawing.figure))
    legible(drawing.figure)


def test_parts_of_errors_stand_one_after_the_other_in_one_order_and_fill_the_bar() -> None:
    drawing = joint("errors", summary=SHARES, titles={"yor": "Yoruba"})
    patches = drawing.figure.axes[0].patches
    boxes = [patch.get_extents().transformed(drawing.figure.axes[0].transData.inverted()) for patch in patches]
    for row, shares in enumerate(([0.6, 0.4], [0.5, 0.04, 0.3, 0.06, 0.1])):
        parts = sorted((box.x0, box.x1) for box in boxes if box.ymin < row < box.ymax)
        ends = np.cumsum(shares)
        assert np.ravel(parts) == pytest.approx(np.ravel([*zip([0, *ends], ends, strict=False)]))
    assert {"20", "1,500"} <= {*written(drawing.figure)}
    assert row_names(drawing.figure.axes[0]) == ["eng", "Yoruba"]
    named = joint("errors", summary=SHARES.replace({"corpus": {"eng": "inserted", "yor": "absent"}})).figure
    assert row_names(named.axes[0]) == ["inserted", "absent"]  # called as reasons are
    reference = joint("errors", summary=SHARES, reference="eng").figure
    assert row_names(reference.axes[0]) == ["yor", "eng"]


def test_limits_stand_below_a_share_of_errors_where_there_is_room_and_shares_sum_to_100() -> None:
    drawing = joint("errors", summary=SHARES)
    assert {"60", "40", "50\n48–52", "30\n28–32"} <= {*written(drawing.figure)}
    assert "Left out, without errors: none." in drawing.caption
    narrow = joint("errors", replace(OPTIONS, width_mm=60.0), summary=SHARES)
    assert "Parts of about 6 % or less may have no room for their number." in narrow.caption
    close = SHARES.assign(low=SHARES["value"] - 0.004, high=SHARES["value"] + 0.004)
    assert "60.0\n59.6–60.4" in written(joint("errors", summary=close).figure)
    thirds = SHARES[SHARES["corpus"] == "eng"].assign(value=1 / 3, low=np.nan, high=np.nan)
    assert [text for text in written(joint("errors", summary=thirds).figure) if text != "20"] == ["34", "33", "33"]


@pytest.mark.parametrize("q", [0.2, 0.01])
def test_a_note_says_who_has_no_more_errors_than_the_reference(q: float) -> None:
    test = {"corpus": "yor", "measure": "expected_level_p", "variant": "q", "value": q}
    summary = pd.concat([SHARES[SHARES["variant"] != "inserted"], pd.DataFrame([test])])
    figure = joint("errors", summary=summary, titles={"yor": "Yoruba"}, reference="English").figure
    assert "confused as often as in the English data" in legend(figure)
    assert "insertions" not in legend(figure)
    assert ("More often than in the reference data, but not clearly so: Yoruba." in said(figure)) == (q > 0.05)


def test_bars_of_features_are_the_shares_by_direction_in_the_order_of_groups() -> None:
    figure = drawn("features", FEATURES).figure
    kept, changes = figure.axes
    assert row_names(kept) == ["syllabic", "high"]
    assert marks(figure, 0, "o") == pytest.approx([0.5, 0.3])
    widths = np.reshape([bar.get_width() for bar in changes.patches], (3, 2))  # directions × features
    assert widths.ravel() == pytest.approx([0.15, 0.1, 0.05, 0.2, 0.0, 0.2])
    assert changes.get_xlim()[1] > 0.5  # the longest bar ends within
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
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    same, chance = "utterances, as recognised", "the same utterances at chance"
    assert entries == [same, chance, "wPER of all: 0.300", "chance level of all: 0.310"]
    alone = drawn("utterances", {"utterances": tables["utterances"][:3]}).figure
    assert len(alone.axes) == 1  # without alignments


def test_differences_are_those_of_the_table_filled_where_they_are_clear() -> None:
    figure = drawn("differences", DIFFERENCES).figure
    assert len(figure.axes) == 2  # conditional entropy is no rate
    assert (marks(figure, 0, "o", hollow=False), marks(figure, 0, "o", hollow=True)) == ([-0.2], [-0.02])
    assert marks(figure, 1, "o", hollow=True) == [-0.3, -0.05]
    assert {(-0.25, -0.15), (-0.05, 0.01)} <= {*lines_of(figure, 0)}
    assert "Not defined alike" not in said(figure)
    noted = drawn("differences", DIFFERENCES.assign(unlike="yes")).figure
    assert "Not defined alike everywhere: PER, wPER; differences.tsv says how." in said(noted)
    items = [f"i{place}" for place in range(13)]
    pairs = [(one, other) for place, one in enumerate(items) for other in items[place + 1 :]]
    many = pd.DataFrame(pairs, columns=["item", "other"]).assign(
        measure="wper", variant="", difference=0.1, low=np.nan, high=np.nan, q=np.nan, unlike=""
    )
    many["value"], many["other_value"] = (
        many[side].map(lambda name: abs(int(name[1:]) - 5)) for side in ("item", "other")
    )
    figure = drawn("differences", many).figure
    assert len(row_names(figure.axes[0])) == 12
    assert all("i5" in name for name in row_names(figure.axes[0]))
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
    assert written(figure).count("0.282") == 2
    assert {(0.04, 0.06), (0.277, 0.297)} <= {*lines_of(figure, 0)}
    assert not any(high in {0.21, 0.93} for _, high in lines_of(figure, 1))  # half an interval of PER


def test_many_corpora_are_ranked_on_one_page_with_the_reference_last() -> None:
    best = MANY.assign(
        value=np.where((MANY["corpus"] == "l07") & MANY["measure"].str.startswith("skill"), 0.9, MANY["value"])
    )
    letters = {name: "ab" if name == "l07" else "b" for name in MANY["corpus"]}
    tables = {
        name: {"languages": pd.DataFrame({"measure": ["skill_wper"], "letters": own})} for name, own in letters.items()
    }
    about = {"summary": best, "tables": tables, "reference": "l00"}
    figure = joint("rates", replace(OPTIONS, width_mm=165.0), **about).figure
    names = row_names(figure.axes[0])
    assert (names[0], names[-1], len(names)) == ("l07", "l00", 50)
    width, height = figure.get_size_inches() * 25.4
    assert width == pytest.approx(165)
    assert height <= PAGE_HEIGHT
    assert [text for text in written(figure) if text in {"ab", "b"}][:2] == ["ab", "b"]
    assert len(figure.axes) == 2  # PER beside
    narrow = joint("rates", **about).figure
    assert len(narrow.axes) == 1


def test_the_axis_is_broken_where_a_rate_is_far_above_the_others() -> None:
    far = SUMMARY.assign(value=SUMMARY["value"].where(SUMMARY["value"] != 0.287, 1.8))
    axes = joint("rates", summary=far).figure.axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()][-1] == "1.80"
    assert marks(axes.figure, 0, "o") == [0.05, 1.8]
    places = axes.transAxes.inverted().transform(axes.transData.transform([[0.05, 0], [1.8, 0]]))[:, 0]
    assert places[0] > 0.1  # of an even axis 0.03
    assert 0.84 < places[1] < 1
    assert "0.282" in written(axes.figure)
    even = joint("rates", summary=SUMMARY).figure.axes[0]
    assert even.get_xscale() == "linear"


def test_floors_are_hatched_and_the_skill_stands_beside_the_rate() -> None:
    figure = joint("rates", summary=FLOORED).figure
    hatched = [[bar.get_width() for bar in axes.patches if bar.get_hatch()] for axes in figure.axes]  # type: ignore[attr-defined]
    assert np.nan_to_num(hatched).tolist() == [[0, 0], [0, 0.25]]
    assert [text.partition(" ")[2] for text in written(figure, 1) if "(" in text] == ["(+0.77)", "(−0.05)"]
    assert "0.250" in written(figure, 1)
    assert "rate (skill)" in {text.get_text() for text in figure.texts}


def test_a_legend_is_as_high_in_a_font_of_high_lines() -> None:
    """Such as Charis SIL, in which a legend reached into the axis; cmsy10 comes with matplotlib."""
    heights = []
    for font in ("DejaVu Sans", "cmsy10"):
        with mpl.rc_context({"font.family": font, "font.size": 8}):
            figure = Sheet(84, 40)
            figure.legend_at(1, 1, {letter: Line2D([], []) for letter in "ABCD"}, 1)
            figure.finish()
        figure.draw_without_rendering()
        heights.append(figure.legends[0].get_window_extent().height)
    assert heights[1] == pytest.approx(heights[0], rel=0.05)


def test_a_map_has_a_panel_a_target_or_one_for_the_reference_alone() -> None:
    figure = map_of(MAP, {"yoruba": MAP, "ewe": MAP.iloc[:2]}, titles={"home": "English"}).figure
    for text in ("yoruba", "ewe", f"UMAP keeps neighbourhoods, not distances. {CIRCLES}"):
        assert text in said(figure)
    arrows = [[text for text in axes.texts if text.get_text() == ""] for axes in figure.axes]
    assert [len(one) for one in arrows] == [6, 2]
    assert [len(axes.texts) - len(one) for axes, one in zip(figure.axes, arrows, strict=True)] == [6, 2]
    assert "home (reference)" in said(map_of(MAP, {}).figure)


def test_circles_stand_at_the_means_with_the_spread_as_radius() -> None:
    (axes,) = map_of(MAP, {}).figure.axes
    rim = next(artist for artist in axes.collections if isinstance(artist, PatchCollection))
    boxes = [path.get_extents() for path in rim.get_paths()]
    middles = {(round((box.x0 + box.x1) / 2, 6), round((box.y0 + box.y1) / 2, 6)) for box in boxes}
    assert middles == {(round(x, 6), round(y, 6)) for x, y in MAP[["x", "y"]].to_numpy()}
    assert [box.width / 2 for box in boxes] == pytest.approx([0.2] * len(MAP), rel=1e-3)
    (left, right), (low, high), size = axes.get_xlim(), axes.get_ylim(), axes.get_window_extent()
    assert (right - left) / size.width == pytest.approx((high - low) / size.height)  # circles are round


def test_phones_of_a_map_are_written_once_a_panel_by_kind_and_number_of_tokens() -> None:
    foreign = MAP.assign(phone=["q", *MAP["phone"][1:]], x=MAP["x"] + 0.5, nearest_reference="i")
    drawing, again = (map_of(MAP, {"yoruba": foreign}) for _ in range(2))
    (yoruba,) = drawing.figure.axes
    assert sorted(filter(None, (text.get_text() for text in yoruba.texts))) == sorted([*foreign["phone"], "i"])
    starts = [text.xyann for text in yoruba.texts if not text.get_text()]  # type: ignore[attr-defined]
    origins = MAP.set_index("phone").loc[["i", *MAP["phone"][1:]], ["x", "y"]].to_numpy()
    assert np.allclose(starts, origins)  # of the nearest phone, and of those of the same symbol
    for marker, colour in (("o", VOWEL), ("^", CONSONANT)):  # vowels and consonants
        assert len(marks(drawing.figure, 0, marker)) == {"o": 2, "^": 4}[marker]
        assert {line.get_color() for line in yoruba.lines if line.get_marker() == marker} == {colour}
    hollow = [*marks(drawing.figure, 0, "o", hollow=True), *marks(drawing.figure, 0, "^", hollow=True)]
    assert {*hollow} == {*foreign.loc[foreign["tokens"] < 20, "x"]}
    assert "under 20 tokens" in legend(drawing.figure)
    assert "under 20 tokens" not in legend(map_of(MAP.assign(tokens=20), {}).figure)
    places = [[text.get_position() for axes in one.figure.axes for text in axes.texts] for one in (drawing, again)]
    assert places[0] == places[1]


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


def phone_labels(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_ha() == "center"]


def crossed(figure: Figure) -> list[str]:
    """Return the labels of phones that a label's line, or a dot, stands on."""
    figure.draw_without_rendering()
    return [
        text.get_text()
        for axes in figure.axes[1:]  # the first is the histogram
        for line in axes.lines
        for text in axes.texts
        if text.get_ha() == "center"
        if _on(text.get_window_extent(), axes.transData.transform(np.column_stack(line.get_data())))
    ]


def _on(box: Bbox, points: np.ndarray) -> bool:
    (x, low), high = points.min(axis=0), points.max(axis=0)[1]
    return bool(box.x0 < x < box.x1 and low < box.y1 and high > box.y0)


@pytest.mark.parametrize("seconds", [1.0, 4.0])
def test_all_labels_over_time_stand_free(seconds: float) -> None:
    tables = spoken(seconds, seed=int(seconds))
    figure, pairs = drawn("utterances", tables).figure, tables["alignments"]
    assert crossed(figure) == []
    wanted = [*pairs["gold"], *pairs.loc[pairs["predicted"] != "∅", "predicted"]]
    assert sorted(phone_labels(figure)) == sorted(wanted)


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
    assert len(phone_labels(figure)) + len(dots) == here.sum() + (here & (pairs["predicted"] != "∅")).sum()


def test_without_gold_times_phones_stand_at_their_places_in_the_alignment() -> None:
    tables = spoken(1.0)
    pairs = tables["alignments"].assign(gold_start=np.nan, gold_end=np.nan)
    figure = drawn("utterances", {**tables, "alignments": pairs}).figure
    names: Sequence[str] = written(figure, 1)
    assert {"gold", "predicted"} <= {*names}
    assert figure.axes[-1].get_xlabel() == "place in the alignment"


def test_the_median_utterance_is_shown() -> None:
    rates = pd.DataFrame({"utterance": ["v", "u", "w", "x", "y"], "per": [0.1, 0.4, 0.9, 0.3, np.nan]})
    assert (shown_utterance(rates), shown_utterance(rates[:0])) == ("x", "")
    figure = drawn("utterances", spoken(1.0), times_certainty__=0.9).figure
    assert "Below: u200, the median of all 402 utterances by phone error rate" in said(figure)
    assert "Gold times are forced: computed from the posteriors." in said(figure)
