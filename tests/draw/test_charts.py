"""Vowels and consonants in the charts of the IPA: every phone is there, with what it is confused with."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from check_figures import overlaps
from made_drawings import drawn, maybe_drawn, said, table_of, written
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from phonxling.draw.figure import Drawing
from phonxling.draw.style import PAGE_HEIGHT, FigureOptions, house_style
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import consonant_place, vowel_places

# gold: what it is recognised as, tokens
HEARD = {
    "a": {"ʌ": 480, "æ": 60, "a": 0, "∅": 10},
    "ã": {"ʌ": 30, "aʊ": 20, "ɑ": 20, "m": 18},
    "i": {"i": 700, "ɪ": 38},
    "ĩ": {"i": 60, "ɪ": 13},
    "ɔ": {"ɔ": 230, "ʌ": 60, "oʊ": 20},
    "u": {"oʊ": 150, "u": 4, "l": 60},
    "e": {"ɪ": 60, "eɪ": 64},
    "eː": {"eɪ": 12, "i": 7},
    "ɛ": {"ɛ": 318, "æ": 50},
    "aɪ": {"aɪ": 30, "ʌ": 10},
    "k": {"k": 104, "t": 65, "∅": 20},
    "k͡p": {"p": 80, "k": 50, "t": 10},
    "t": {"t": 78, "p": 17, "d": 6},
    "tʼ": {"t": 30},
    "ɡ͡b": {"ɡ": 74, "d": 14, "b": 10},
    "ɾ": {"t": 98, "ɹ": 40, "l": 30},
    "d͡ʒ": {"d͡ʒ": 101, "ʒ": 12},
    "ʃ": {"ʃ": 33},
    "ǃ": {"k": 9, "t": 10},
    "n": {"n": 281, "ŋ": 30, "i": 45},
    "7": {"n": 30},
}


def confusions(heard: dict[str, dict[str, int]]) -> pd.DataFrame:
    rows = [(gold, answer, count) for gold, answers in heard.items() for answer, count in answers.items() if count]
    return table_of("gold predicted count", *rows)


TABLE = confusions(HEARD)


@cache
def chart(name: str, width: float = 84.0) -> Drawing:
    return chart_of(name, TABLE, width)


def chart_of(name: str, table: pd.DataFrame, width: float = 84.0, **more: pd.DataFrame) -> Drawing:
    return drawn(name, {"confusions": table, **more}, FigureOptions(width_mm=width, font="DejaVu Sans"))


@pytest.mark.parametrize("width", [60.0, 84.0, 174.0])
@pytest.mark.parametrize("name", ["vowels", "consonants"])
def test_no_label_stands_on_another_on_a_mark_or_an_arrow(name: str, width: float) -> None:
    drawing = chart(name, width)
    with house_style("DejaVu Sans"):
        assert [*overlaps(drawing.figure)] == []
    assert min(text.get_fontsize() for axes in drawing.figure.axes for text in axes.texts) >= 5


def arrows(figure: Figure) -> list[FancyArrowPatch]:
    return [one for one in figure.axes[0].patches if isinstance(one, FancyArrowPatch) and one.get_zorder() == 2]


def test_arrows_of_vowels_are_confusions_of_a_quarter_with_their_share_or_the_five_largest() -> None:
    """Of twenty tokens at least, deleted ones too; and of a tenth at least."""
    figure = chart("vowels").figure
    shares = [
        count / sum(answers.values())
        for gold, answers in HEARD.items()
        for answer, count in answers.items()
        if vowel_places(gold) and vowel_places(answer) and gold != answer and sum(answers.values()) >= 20
    ]
    often = sorted(share for share in shares if share >= 0.25)
    widths = sorted(one.get_linewidth() for one in arrows(figure))
    assert np.diff(widths) / np.diff(often) == pytest.approx(2.0)
    assert {f"{100 * share:.0f}" for share in often} <= {*written(figure)}
    few = {"i": {"i": 70, "ɪ": 30}, "u": {"u": 80, "oʊ": 20}, "a": {"a": 95, "ʌ": 5}}
    assert len(arrows(chart_of("vowels", confusions(few)).figure)) == 2


def test_the_disc_of_the_key_fits_into_its_line_though_vowels_are_many_and_alike() -> None:
    alike = {vowel: {vowel: 50} for vowel in "iyɨʉɯueøɘɵɤoɛœɜɞʌɔæɐaɶɑɒ"}
    key = chart_of("vowels", confusions(alike)).figure.axes[1]
    (disc,) = (one for one in key.patches if isinstance(one, Circle))
    assert 2 * disc.radius <= 4.4 < key.get_ylim()[1]


def test_a_nasal_vowel_stands_beside_its_oral_one_however_it_is_written() -> None:
    for nasal in ("ĩ", "i\u0303"):
        axes = chart_of("vowels", confusions({nasal: {"i": 60}, "i": {"i": 90}, "a": {"a": 90}})).figure.axes[0]
        places = {text.get_text(): text.get_position() for text in axes.texts if text.get_fontweight() == "bold"}
        discs = [one.center for one in axes.patches if isinstance(one, Circle)]
        (x, y), (beside, level) = (
            min(discs, key=lambda disc, at=places[one]: np.hypot(*np.subtract(at, disc))) for one in ("i", nasal)
        )
        assert (level, 3 < beside - x < 12) == (pytest.approx(y), True)


def test_a_consonant_has_its_most_frequent_other_answer_and_share_below_it_and_its_voiced_one_beside_it() -> None:
    figure = chart("consonants", 174.0).figure
    rows = [(text.get_text(), *text.get_position()) for text in figure.axes[0].texts]
    (x, y), (beside, level) = (next(row[1:] for row in rows if row[0] == phone) for phone in ("k͡p", "ɡ͡b"))
    below = [row[0] for row in sorted(rows, key=lambda row: -row[2]) if row[1] == x and row[2] < y]
    assert below[:2] == ["p", "57"]
    assert (y, x < beside) == (level, True)
    assert figure.get_size_inches()[1] * 25.4 <= 110


def test_phones_of_few_tokens_are_hatched() -> None:
    others = {phone: {phone: 30, "u": 30} for phone in "opikt"}
    for name, phone in (("vowels", "eː"), ("consonants", "ǃ")):
        for one, hatched in ((chart(name), 1), (chart_of(name, confusions({phone: {phone: 20}, **others})), 0)):
            assert sum(bool(patch.get_hatch()) for patch in one.figure.axes[0].patches) == hatched


@pytest.mark.parametrize("name", ["vowels", "consonants"])
def test_a_phone_that_the_recogniser_cannot_answer_is_dashed(name: str) -> None:
    """What a recogniser never predicted it may have: only of a declared inventory is it said that it lacks a phone."""
    phones = [*HEARD]
    own = {phone for phone in phones if (vowel_places if name == "vowels" else consonant_place)(phone)}
    absent = {*phones} - {"a", "tʼ", "eː"}
    errors = pd.DataFrame({"gold": phones, "reason": "absent", "count": [phone in absent for phone in phones]})
    options = FigureOptions(font="DejaVu Sans")
    declared = drawn(name, {"confusions": TABLE, "errors": errors}, options, error_share__absent=0.3)
    never = own - {*TABLE["predicted"]}
    for drawing, lacking, words in (
        (chart(name), never, "never predicted"),
        (declared, own & absent, "the recogniser lacks it"),
    ):
        styles = [patch.get_linestyle() for patch in drawing.figure.axes[0].patches]
        assert sum(style not in {"-", "solid"} for style in styles) == len(lacking)
        assert words in written(drawing.figure, 1)


def test_what_the_charts_cannot_show_is_said() -> None:
    vowels, consonants = said(chart("vowels").figure), said(chart("consonants").figure)
    assert "Answers that are not vowels: u → l 28 %, ã → m 20 %." in vowels
    for text in (vowels, consonants):
        assert "1 gold phones have no place in the chart: 7." in text
    assert maybe_drawn("vowels", confusions({"t": {"t": 5}})) is None
    assert maybe_drawn("consonants", confusions({"a": {"a": 5}})) is None


@cache
def segments() -> list[str]:
    return [one for one in panphon_features().segments if consonant_place(one) or vowel_places(one)]


@pytest.mark.parametrize("seed", range(2))
def test_each_phone_of_any_inventory_is_in_a_chart_or_named_below_it(seed: int) -> None:
    """Of one drawn from PanPhon's segments at random; those of a place are many, so that rows become deep."""
    generator = np.random.default_rng(seed)
    phones = generator.choice(segments(), 40, replace=False).tolist()
    table = confusions({phone: {phone: int(generator.integers(20, 99)), "t": 9} for phone in phones})
    seen: list[str] = []
    for name in ("vowels", "consonants"):
        figure = chart_of(name, table, 174.0).figure
        assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
        seen += [text.get_text() for text in figure.axes[0].texts if text.get_fontweight() == "bold"]
    assert sorted(seen) == sorted(phones)


def test_an_inventory_that_no_page_holds_names_what_is_left_out() -> None:
    plosives = [one for one in segments() if one.startswith("t")][:120]
    table = confusions({phone: {phone: 300 - place} for place, phone in enumerate(plosives)})
    drawing = chart_of("consonants", table)
    bold = [text for text in drawing.figure.axes[0].texts if text.get_fontweight() == "bold"]
    left_out = len(plosives) - len(bold)
    assert left_out > 5
    assert f"No room for the {left_out} rarest" in said(drawing.figure)
    assert drawing.figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
