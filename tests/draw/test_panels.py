"""Figures of rows, panels and time: what is drawn is what the tables say, and notes tell of what is not drawn."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from made_drawings import (
    CALIBRATION,
    EMBEDDING,
    FEATURES,
    FLOORED,
    MANY,
    PHONES,
    RANKING,
    SUMMARY,
    drawn,
    error_shares,
    joint,
    legend,
    legible,
    map_of,
    marks,
    rates_of_utterances,
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
from phonxling.draw.timeline import shown_utterance

SHARES = error_shares()


def test_the_first_source_of_confidences_is_drawn_above_a_histogram() -> None:
    drawing = drawn("calibration", CALIBRATION)
    first = drawing.figure.axes[0].lines
    points = {
        hollow: [
            tuple(pair)
            for line in first
            if line.get_marker() == "o"
            for pair in np.asarray(line.get_xydata()).tolist()
            if (line.get_markerfacecolor() == "white") == hollow
        ]
        for hollow in (False, True)
    }
    assert points == {False: [(0.6, 0.5), (0.9, 0.8)], True: [(0.2, 0.0)]}
    assert set(drawing.shown["source"]) == {"file"}
    assert [patch.get_height() for patch in drawing.figure.axes[1].patches] == [12, 0, 100, 1288]
    error = (12 * 0.2 + 100 * 0.1 + 1288 * 0.1) / 1400
    assert f"{error:.3f} of the predictions, {error:.3f} from posteriors" in said(drawing.figure)
    assert "1,400 predicted phones" in said(drawing.figure)


def test_one_source_stands_alone_beside_its_legend_and_without_intervals_none_is_drawn() -> None:
    alone = CALIBRATION[CALIBRATION["source"] == "posteriors"]
    figure = drawn("calibration", alone.assign(accuracy_low=np.nan, accuracy_high=np.nan)).figure
    assert (len(figure.axes), len(figure.axes[0].collections)) == (2, 0)
    assert "interval" not in legend(figure)
    diagram, beside = figure.axes[0].get_window_extent(), figure.legends[0].get_window_extent()
    assert diagram.width == pytest.approx(diagram.height)
    assert beside.x0 > diagram.x1
    assert beside.y1 <= diagram.y1


def test_phones_stand_in_order_of_entropy_ties_as_in_the_table() -> None:
    drawing = drawn("entropy", PHONES, conditional_entropy__=1.4)
    assert row_names(drawing.figure.axes[0]) == ["ɡ͡b", "a", "i", "d͡ʒ", "k͡p"] == drawing.shown["phone"].tolist()
    assert marks(drawing.figure, 0, "o", hollow=True) == [0.2]  # of few tokens
    assert {"most without ∅: log₂ 7 = 2.81 bits", "H(predicted | gold) = 1.40 bits"} <= {*legend(drawing.figure)}
    assert "No entropy (no tokens): ɛ̃." in said(drawing.figure)
    assert "500" in written(drawing.figure)
    assert "intervals end there" not in said(drawing.figure)
    assert "No interval where fewer than five" in said(drawing.figure)
    ends = PHONES["entropy_low"].where(PHONES["entropy_low"] != 0.7, 0.0)
    assert "intervals end there" in said(drawn("entropy", PHONES.assign(entropy_low=ends)).figure)


def test_intervals_of_few_tokens_are_paler_and_without_intervals_none_is_drawn() -> None:
    few = PHONES.assign(entropy_low=PHONES["entropy"] - 0.1, entropy_high=PHONES["entropy"] + 0.1)
    lines = drawn("entropy", few).figure.axes[0].collections
    widths = {float(one.get_linewidths()[0]): len(one.get_segments()) for one in lines}  # type: ignore[attr-defined]
    assert (widths[0.5], widths[0.9]) == (1, 4)
    bare = drawn("entropy", PHONES.drop(columns=["entropy_low", "entropy_high"]))
    assert list(bare.shown) == ["phone", "tokens", "entropy"]
    assert "Dots are corrected for few tokens. No entropy (no tokens): ɛ̃." in said(bare.figure)
    empty = drawn("entropy", PHONES.assign(entropy_low=np.nan, entropy_high=np.nan))
    assert "interval" not in legend(bare.figure) + legend(empty.figure)


@pytest.mark.parametrize("count", [1, 150])
def test_entropies_of_one_phone_and_of_more_than_a_page_holds(count: int) -> None:
    names = [f"p{place}" for place in range(count)]
    table = pd.DataFrame({"side": "gold", "phone": names, "tokens": np.arange(count) + 30.0, "entropy": 1.0})
    drawing = drawn("entropy", table)
    assert drawing.figure.get_size_inches()[1] * 25.4 < PAGE_HEIGHT
    assert (len(drawing.shown) < count) == ("Left out" in said(drawing.figure))
    legible(drawing.figure)


def test_parts_of_errors_stand_one_after_the_other_in_one_order_and_fill_the_bar() -> None:
    drawing = joint("errors", summary=SHARES, titles={"yor": "Yoruba"})
    patches = drawing.figure.axes[0].patches
    boxes = [patch.get_extents().transformed(drawing.figure.axes[0].transData.inverted()) for patch in patches]
    for row, shares in enumerate(([0.6, 0.4], [0.5, 0.04, 0.3, 0.06, 0.1])):
        parts = sorted((box.x0, box.x1) for box in boxes if box.ymin < row < box.ymax)
        ends = np.cumsum(shares)
        assert np.ravel(parts) == pytest.approx(np.ravel([*zip([0, *ends], ends, strict=False)]))
    order = ["absent", "unexplained", "deleted", "absent", "expected", "level", "unexplained", "inserted"]
    assert drawing.shown["reason"].tolist() == order
    assert {"eng", "Yoruba", "20", "1,500"} <= {*written(drawing.figure)}
    named = joint("errors", summary=SHARES.replace({"corpus": {"eng": "inserted", "yor": "absent"}})).shown
    assert named["reason"].tolist() == order
    assert named["corpus"].unique().tolist() == ["inserted", "absent"]  # a corpus may be called as a reason is
    reference = joint("errors", summary=SHARES, reference="eng")
    assert reference.shown["corpus"].unique().tolist() == ["yor", "eng"]


def test_limits_stand_below_a_share_of_errors_where_there_is_room() -> None:
    texts = written(joint("errors", summary=SHARES).figure)
    assert {"60 %", "40 %", "50 %\n48–52", "30 %\n28–32"} <= {*texts}
    assert not any(text.startswith("4 %") for text in texts)
    assert not any("–" in text for text in written(joint("errors", summary=SHARES[SHARES["corpus"] == "eng"]).figure))
    close = SHARES.assign(low=SHARES["value"] - 0.004, high=SHARES["value"] + 0.004)
    texts = written(joint("errors", summary=close).figure)
    assert "60.0 %\n59.6–60.4" in texts
    assert "10 %" not in texts  # without room


@pytest.mark.parametrize(("q", "unclear"), [(0.2, True), (0.01, False)])
def test_the_legend_has_the_reasons_that_occur_and_a_note_who_has_no_more_errors(q: float, unclear: bool) -> None:
    test = {"corpus": "yor", "measure": "expected_level_p", "variant": "q", "value": q}
    summary = pd.concat([SHARES[SHARES["variant"] != "inserted"], pd.DataFrame([test])])
    figure = joint("errors", summary=summary, titles={"yor": "Yoruba"}, reference="English").figure
    meanings = legend(figure)
    assert meanings[:2] == ["phones that the recogniser’s labels lack", "confused as often as in the English data"]
    assert "insertions" not in meanings
    assert ("More often than in the reference data, but not clearly so: Yoruba." in said(figure)) == unclear


def test_bars_of_features_are_the_shares_by_direction_in_the_order_of_groups() -> None:
    transfer, changes = drawn("features", FEATURES).figure.axes
    assert row_names(transfer) == ["syllabic", "high"]
    assert transfer.lines[0].get_xdata() == pytest.approx([0.5, 0.3])
    widths = np.reshape([bar.get_width() for bar in changes.patches], (3, 2))  # directions × features
    assert widths.ravel() == pytest.approx([0.15, 0.1, 0.05, 0.2, 0.0, 0.2])
    assert {"class", "vowel"} < {text.get_text() for text in drawn("features", FEATURES).figure.texts}
    assert "alike in them: high tone." in said(drawn("features", FEATURES).figure)
    never = drawn("features", FEATURES.assign(changed=[0.0, 0.0, 0.0, np.nan], transfer=np.nan))
    assert len(never.shown) == 0


def test_every_utterance_with_a_rate_is_in_a_bin() -> None:
    drawing = drawn("rates-utterances", rates_of_utterances(), chance_wper__best=0.31)
    assert drawing.shown["utterances"].sum() == drawing.shown["chance"].sum() == 401
    assert [0, *drawing.shown["to"]][:-1] == drawing.shown["from"].tolist()
    assert "because their gold is empty: 1." in said(drawing.figure)
    heard, chance = "utterances, as recognised", "the same utterances at chance"
    assert legend(drawing.figure) == [heard, chance, "wPER of all: 0.300", "chance level of all: 0.310"]
    for rates in ([0.3], [0.0, 0.0, 0.0], [0.2, 0.2]):
        few = drawn("rates-utterances", pd.DataFrame({"wper": rates, "cost": 1.0, "gold_tokens": 5.0}))
        assert few.shown["utterances"].sum() == len(rates)


def test_a_ranking_is_drawn_as_rates_with_letters_of_groups() -> None:
    ranking = RANKING.assign(floor=[0.02, 0.03, *[np.nan] * 3], group=["x", "y", "a", "ab", ""])  # letters of the skill
    figure = drawn("compared rates", ranking).figure
    (axes,) = figure.axes  # conditional entropy is no rate
    assert marks(figure, 0, "o") == [0.1, 0.3]
    assert [bar.get_x() for bar in axes.patches if bar.get_x()] == [0.25, 0.28]  # type: ignore[attr-defined]
    assert {(0.05, 0.15), (0.25, 0.35)} <= {*lines_of(figure, 0)}
    assert [text for text in written(figure) if text in {"a", "ab", "x", "y"}] == ["a", "ab"]
    assert "Skills that share a letter do not differ clearly" in said(figure)
    assert "Not defined alike" not in said(figure)
    noted = drawn("compared rates", RANKING.assign(unlike=["yes"] * 2 + [""] * 3)).figure
    assert "Not defined alike in all: wper; comparison.tsv says how." in said(noted)
    assert "share a letter" not in said(noted)


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
    orders = pd.DataFrame({"measure": "skill_wper", "corpus": [*letters], "group": [*letters.values()]})
    about = {"summary": best, "tables": {name: {"orders": orders} for name in letters}}
    figure = joint("rates", reference="l00", **about).figure
    names = row_names(figure.axes[0])
    assert (names[0], names[-1], len(names)) == ("l07", "l00", 50)
    width, height = figure.get_size_inches() * 25.4
    assert width == pytest.approx(165)
    assert height <= PAGE_HEIGHT
    assert [text for text in written(figure) if text in {"ab", "b"}][:2] == ["ab", "b"]
    assert len(figure.axes) == 2  # PER beside


def test_without_chance_there_is_no_grey_and_missing_rates_are_left_out() -> None:
    bare = SUMMARY[SUMMARY["measure"].isin(["per", "wper"])].assign(variant=np.nan)
    drawing = joint("rates", summary=bare.assign(value=bare["value"].where(bare["measure"] == "per")))
    assert len(drawing.figure.axes) == 1
    assert legend(drawing.figure) == ["rate of the recogniser"]
    assert drawing.shown["measure"].tolist() == ["per", "per"]


def test_floors_are_hatched_and_the_skill_stands_beside_the_rate() -> None:
    figure = joint("rates", summary=FLOORED).figure
    hatched = [[bar.get_width() for bar in axes.patches if bar.get_hatch()] for axes in figure.axes]  # type: ignore[attr-defined]
    assert np.nan_to_num(hatched).tolist() == [[0, 0], [0, 0.25]]
    assert [text.partition(" ")[2] for text in written(figure, 1) if "(" in text] == ["(+0.77)", "(−0.05)"]
    assert "0.250" in written(figure, 1)
    assert "rate (skill)" in {text.get_text() for text in figure.texts}


@pytest.mark.parametrize("floor", [0.001, 0.02, 0.85, 0.8789])
def test_a_floor_close_to_0_or_to_chance_keeps_its_number_apart(floor: float) -> None:
    figure = joint(
        "rates", summary=FLOORED.assign(value=FLOORED["value"].where(FLOORED["measure"] != "floor_per", floor))
    ).figure
    assert written(figure, 1).count(f"{floor:.3f}") == 2
    legible(figure)


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


@pytest.mark.parametrize(
    ("method", "caption"),
    [
        ("umap", "UMAP keeps neighbourhoods, not distances."),
        ("pca", "PCA: distances kept as far as two axes can."),
    ],
)
def test_a_map_has_a_panel_a_target_or_one_for_the_reference_alone(method: str, caption: str) -> None:
    targets = {"yoruba": EMBEDDING, "ewe": EMBEDDING.iloc[:2]}
    figure = map_of(EMBEDDING, targets, method=method, titles={"home": "English"}).figure
    for told in ("yoruba", "ewe", f"{caption} {CIRCLES}"):
        assert told in said(figure)
    arrows = [[text for text in axes.texts if text.get_text() == ""] for axes in figure.axes]
    assert [len(one) for one in arrows] == [6, 2]
    assert [len(axes.texts) - len(one) for axes, one in zip(figure.axes, arrows, strict=True)] == [6, 2]
    assert "home (reference)" in said(map_of(EMBEDDING, {}, method=method).figure)


def test_circles_stand_at_the_means_with_the_spread_as_radius() -> None:
    (axes,) = map_of(EMBEDDING, {}).figure.axes
    rim = next(artist for artist in axes.collections if isinstance(artist, PatchCollection))
    boxes = [path.get_extents() for path in rim.get_paths()]
    middles = {(round((box.x0 + box.x1) / 2, 6), round((box.y0 + box.y1) / 2, 6)) for box in boxes}
    assert middles == {(round(x, 6), round(y, 6)) for x, y in EMBEDDING[["x", "y"]].to_numpy()}
    assert [box.width / 2 for box in boxes] == pytest.approx([0.2] * len(EMBEDDING), rel=1e-3)
    (left, right), (low, high), size = axes.get_xlim(), axes.get_ylim(), axes.get_window_extent()
    assert (right - left) / size.width == pytest.approx((high - low) / size.height)  # circles are round


def test_phones_of_a_map_are_written_once_a_panel_by_kind_and_number_of_tokens() -> None:
    foreign = EMBEDDING.assign(phone=["q", *EMBEDDING["phone"][1:]], x=EMBEDDING["x"] + 0.5, nearest_reference="i")
    drawing, again = (map_of(EMBEDDING, {"yoruba": foreign}) for _ in range(2))
    (yoruba,) = drawing.figure.axes
    assert sorted(filter(None, (text.get_text() for text in yoruba.texts))) == sorted([*foreign["phone"], "i"])
    starts = [text.xyann for text in yoruba.texts if not text.get_text()]  # type: ignore[attr-defined]
    origins = EMBEDDING.set_index("phone").loc[["i", *EMBEDDING["phone"][1:]], ["x", "y"]].to_numpy()
    assert np.allclose(starts, origins)  # of the nearest phone, and of those of the same symbol
    assert drawing.shown["role"].tolist() == ["reference"] * 6 + ["target"] * 6
    assert drawing.shown["x"].tolist() == [*EMBEDDING["x"], *foreign["x"]]
    for marker, colour in (("o", VOWEL), ("^", CONSONANT)):  # vowels and consonants
        assert len(marks(drawing.figure, 0, marker)) == {"o": 2, "^": 4}[marker]
        assert {line.get_color() for line in yoruba.lines if line.get_marker() == marker} == {colour}
    hollow = [*marks(drawing.figure, 0, "o", hollow=True), *marks(drawing.figure, 0, "^", hollow=True)]
    assert {*hollow} == {*foreign.loc[foreign["tokens"] < 20, "x"]}
    assert "under 20 tokens" in legend(drawing.figure)
    assert "under 20 tokens" not in legend(map_of(EMBEDDING.assign(tokens=20), {}).figure)
    places = [[text.get_position() for axes in one.figure.axes for text in axes.texts] for one in (drawing, again)]
    assert places[0] == places[1]


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
        for axes in figure.axes
        for line in axes.lines
        for text in axes.texts
        if text.get_ha() == "center"
        if _on(text.get_window_extent(), axes.transData.transform(np.column_stack(line.get_data())))
    ]


def _on(box: Bbox, points: np.ndarray) -> bool:
    (x, low), high = points.min(axis=0), points.max(axis=0)[1]
    return bool(box.x0 < x < box.x1 and low < box.y1 and high > box.y0)


@pytest.mark.parametrize("seconds", [1.0, 4.0])
def test_all_labels_over_time_stand_free_and_the_table_has_what_is_drawn(seconds: float) -> None:
    tables = spoken(seconds, seed=int(seconds))
    drawing = drawn("timeline", tables)
    pairs, steps = tables["alignments"], tables["posteriorgrams"]
    assert crossed(drawing.figure) == []
    wanted = [*pairs["gold"], *pairs.loc[pairs["predicted"] != "∅", "predicted"]]
    assert sorted(phone_labels(drawing.figure)) == sorted(wanted)
    gold, posterior = (drawing.shown[drawing.shown["what"] == what] for what in ("gold", "posterior"))
    assert gold["phone"].tolist() == pairs["gold"].tolist()
    assert gold["start"].tolist() == pairs["gold_start"].tolist()
    columns = ["start", "end", "phone", "probability"]
    assert {*posterior[columns].itertuples(index=False, name=None)} <= {
        *steps[columns].itertuples(index=False, name=None)
    }
    if seconds == 1:
        highest = steps.groupby("phone")["probability"].max()
        assert set(posterior["phone"]) == set(highest.index[highest >= 0.2])


@pytest.mark.slow
def test_very_short_phones_get_a_dot_and_a_long_utterance_its_beginning() -> None:
    tables = spoken(40.0, shortest=0.01)
    figure, pairs = drawn("timeline", tables).figure, tables["alignments"]
    legible(figure)
    assert crossed(figure) == []
    assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    until = max(axes.get_xlim()[1] for axes in figure.axes)
    assert f"Drawn are the first {until:.1f} of {pairs['gold_end'].max() + 0.05:.1f} s." in said(figure)
    dots = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "o"]
    assert f"A dot is a phone too short for its label ({len(dots)})." in said(figure)
    here = pairs[["gold_start", "gold_end"]].mean(axis=1) < until
    assert len(phone_labels(figure)) + len(dots) == here.sum() + (here & (pairs["predicted"] != "∅")).sum()


def test_without_gold_times_phones_stand_at_their_places_in_the_alignment() -> None:
    tables = spoken(1.0)
    columns = [f"gold_{end}" for end in ("start", "end")]
    drawing = drawn("timeline", {**tables, "alignments": tables["alignments"].drop(columns=columns)})
    names: Sequence[str] = written(drawing.figure)
    assert {"gold", "predicted"} <= {*names}
    assert drawing.figure.axes[-1].get_xlabel() == "place in the alignment"
    pairs = tables["alignments"]
    for side in ("gold", "predicted"):
        own = drawing.shown[drawing.shown["what"] == side]
        assert own["start"].tolist() == [float(place) for place in np.flatnonzero(pairs[side] != "∅")]
        assert own["phone"].tolist() == pairs.loc[pairs[side] != "∅", side].tolist()


def test_the_median_of_those_with_posteriors_is_shown() -> None:
    tables = spoken(1.0)
    rates = pd.DataFrame({"utterance": ["v", "u", "w", "x", "y"], "per": [0.1, 0.4, 0.9, 0.3, np.nan]})
    kept = pd.concat([tables["posteriorgrams"].assign(utterance=name) for name in ("u", "v", "w")])
    assert shown_utterance(rates, kept) == "u"
    assert shown_utterance(rates, None) == "x"
    assert shown_utterance(rates[:0], None) == ""
    forced = tables["alignments"].assign(times="forced")
    figure = drawn("timeline", {"alignments": forced, "utterances": rates, "posteriorgrams": kept}).figure
    assert "u: the median of the 3 utterances of posteriorgrams.tsv by phone error rate (0.400)." in said(figure)
    assert "Gold times are forced: computed from the posteriors." in said(figure)
    assert figure.texts[0].get_text() == "yoruba: an utterance over time"
