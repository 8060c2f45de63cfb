"""Every kind of figure: legible, called alike, in the gallery, and saved as the same bytes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from check_figures import overlaps
from made_drawings import (
    ASSOCIATION,
    CALIBRATION,
    CONFUSIONS,
    DIFFERENCES,
    EXPECTED,
    FEATURES,
    FIGURE_OF,
    GOLD,
    LONG_NAME,
    MANY,
    MAP,
    OPTIONS,
    PHONES,
    SUMMARY,
    column_names,
    count_table,
    drawn,
    error_shares,
    joint,
    languages,
    legible,
    map_of,
    row_names,
    said,
    spoken,
)
from matplotlib.text import Text
from PIL import Image

from phonxling.configuration.models import FigureKinds, MainKinds
from phonxling.core.errors import DataError
from phonxling.draw import style
from phonxling.draw.figure import Drawing, StoredTables
from phonxling.draw.gallery import FIGURES, draw, tables_drawn
from phonxling.draw.sheet import Sheet, with_drawable_names
from phonxling.draw.style import FALLBACK_FONT, PAGE_HEIGHT, FigureOptions, choose_font, house_style
from phonxling.results.tables import tables_of

LETTERS = [*"abdefhijklmnopstuvwz"]
LONG = ["x" * 300, "of the north " * 23, "עברית" * 60, "a\u0301\u0323" * 100, "x" * 299 + "y", "ʒ"]
RENAMED = dict(zip(GOLD, LONG, strict=True))
COUNTS = with_drawable_names(CONFUSIONS.replace({"gold": RENAMED, "predicted": RENAMED | {"z": "z" * 300}}))
TITLE = "y" * 100
SHARES = error_shares()
KINDS: dict[str, Callable[[FigureOptions], Drawing]] = {
    "association": partial(drawn, "association", ASSOCIATION),
    "calibration": partial(drawn, "calibration", CALIBRATION, ece__=0.1),
    "confusions": partial(drawn, "confusions", CONFUSIONS),
    "consonants": partial(drawn, "consonants", CONFUSIONS),
    "differences": partial(drawn, "differences", DIFFERENCES),
    "errors": partial(joint, "errors", summary=SHARES, titles={"yor": "Yoruba"}),
    "features": partial(drawn, "features", FEATURES),
    "languages": partial(joint, "languages", tables=languages(0.8, 0.5, 0.1), summary=SUMMARY),
    "map": partial(map_of, MAP, {"yoruba": MAP.assign(x=MAP["x"] + 0.3), "ewe": MAP[:2]}),
    "phones": partial(drawn, "phones", PHONES, conditional_entropy__=1.4),
    "rates": partial(joint, "rates", summary=SUMMARY),
    "residuals": partial(drawn, "residuals", EXPECTED),
    "utterances": partial(drawn, "utterances", spoken(1.0), wper__=0.28, chance_wper__best=0.31),
    "vowels": partial(drawn, "vowels", CONFUSIONS),
}
MANY_GOLD = [*"abdefhijklmnorstuw", "ã", "ĩ", "ũ", "ɔ̃", "ɛ̃", *"ɔɛɡʃ", "ɡ͡b", "k͡p", "d͡ʒ"]
MANY_PREDICTED = [*"abdefhijklmnopstuvwzæðŋɑɔəɛɡɨɪɹʃʉʊʌʒʔθ", "t͡ʃ", "d͡ʒ", "ə˞", "ɜ˞"]
PECULIAR: dict[str, Callable[[FigureOptions], Drawing]] = {
    "a corpus of a long name": partial(drawn, "calibration", CALIBRATION, title=TITLE),
    "rates of a long name": partial(joint, "rates", summary=SUMMARY.replace({"corpus": {"yoruba": TITLE}})),
    "long phones": partial(drawn, "confusions", COUNTS),
    "rows of long phones": partial(drawn, "phones", with_drawable_names(PHONES.replace({"phone": RENAMED}))),
    "phones with entropies": lambda own: drawn("phones", PHONES.assign(entropy_low=0.0), replace(own, entropy=True)),
    "hostile phones": partial(drawn, "confusions", count_table(["$x$", "_{", "^\\frac"], ["$x$", "&"]), title="a_$b$"),
    "one row": partial(drawn, "confusions", count_table(["a"], LETTERS)),
    "one column": partial(drawn, "confusions", count_table(LETTERS, ["a"])),
    "rates of fifty": partial(joint, "rates", summary=MANY),
    "rates without chance": partial(joint, "rates", summary=SUMMARY[SUMMARY["measure"] == "per"]),
    "a phone of few tokens": partial(map_of, MAP[:3].assign(spread=np.nan), {"x": MAP[:1]}),
    "30 by 42 phones": partial(drawn, "confusions", count_table(MANY_GOLD, MANY_PREDICTED)),
}


def kind(name: str, width: float = OPTIONS.width_mm) -> Drawing:
    return {**KINDS, **PECULIAR}[name](replace(OPTIONS, width_mm=width))


@pytest.mark.parametrize("width", [60.0, 84.0, 174.0])
@pytest.mark.parametrize("name", KINDS)
def test_every_figure_is_legible_and_as_wide_as_asked_for(name: str, width: float) -> None:
    drawing = kind(name, width)
    assert drawing.caption.startswith(f"{drawing.figure.title}. ")
    assert drawing.figure.get_size_inches()[0] * 25.4 == pytest.approx(width)
    legible(drawing.figure)


@pytest.mark.parametrize("name", PECULIAR)
def test_peculiar_figures_are_legible_on_a_page(name: str) -> None:
    drawing = kind(name, 60.0)
    assert drawing.figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    legible(drawing.figure)


def test_every_kind_of_figure_is_here() -> None:
    assert {*FIGURE_OF} == {*KINDS}
    assert len(FIGURES) <= 14
    assert {figure.name for figure in FIGURES} | {"main", "all"} == {*get_args(FigureKinds)}
    assert {figure.name for figure in FIGURES if figure.main} == {*get_args(MainKinds)}


@pytest.mark.slow
def test_every_figure_is_legible_in_an_ipa_font_whose_lines_are_high() -> None:
    if choose_font() == FALLBACK_FONT:
        pytest.skip("no IPA font is installed")
    for make in KINDS.values():
        legible(make(FigureOptions()).figure)


@pytest.mark.parametrize("width", [60.0, 84.0, 120.0])
def test_many_phones_have_smaller_letters_and_then_the_rarest_are_one(width: float) -> None:
    drawing = kind("30 by 42 phones", width)
    names = drawing.figure.axes[1].get_xticklabels()
    assert {text.get_fontsize() for text in names} < {*style.PHONES}
    assert any(text.get_text().startswith("other") for text in names) == (width < 84)


def chosen(name: str, source: object, phones: set[str], width: float = 84.0) -> Drawing:
    return drawn(name, source, replace(OPTIONS, phones=frozenset(phones), width_mm=width))


def test_chosen_phones_are_drawn_alone_with_what_answers_them() -> None:
    full, some = drawn("confusions", CONFUSIONS).figure, chosen("confusions", CONFUSIONS, {"a", "i"}).figure
    assert {*row_names(some.axes[0])} == {"a", "i"}
    names, every = ([*column_names(one.axes[1])] for one in (some, full))
    assert {"a", "i", "∅"} <= {*names} < {*every, "other (1)"}
    bars = [one.axes[3].patches[own.index("a")].get_height() for one, own in ((some, names), (full, every))]
    assert bars[0] == bars[1]  # of all tokens predicted so
    for name, table, phone in (
        ("phones", PHONES, "i"),
        ("residuals", EXPECTED, "a"),
        ("association", ASSOCIATION, "a"),
    ):
        assert row_names(chosen(name, table, {phone}).figure.axes[0]) == [phone]
    panel = map_of(MAP, {"yoruba": MAP}, replace(OPTIONS, phones=frozenset({"a"}))).figure
    charts = [chosen(name, CONFUSIONS, {phone}).figure for name, phone in (("vowels", "i"), ("consonants", "k͡p"))]
    bold = [
        text.get_text()
        for one in (*charts, panel)
        for text in one.axes[0].texts
        if text.get_text() and text.get_fontweight() == "bold"
    ]
    assert bold == ["i", "k͡p", "a"]


def test_no_label_of_a_map_stands_on_another_on_a_point_or_on_a_line() -> None:
    first, second = (
        MAP.iloc[[0] * 18].assign(x=place[:, 0], y=place[:, 1], phone=[f"p{number}" for number in range(18)], tokens=90)
        for place in np.random.default_rng(2).normal(size=(2, 18, 2))
    )
    for font in ("DejaVu Sans", "auto"):
        figure = map_of(first, {"yoruba": second}, FigureOptions(font=font)).figure
        with house_style(font):
            assert [*overlaps(figure)] == []


def test_long_names_are_told_apart_and_lose_their_middle() -> None:
    figure = PECULIAR["rates of a long name"](OPTIONS).figure
    title = row_names(figure.axes[0])[1]
    assert (title[:2], title[-2:], "…" in title) == ("yy", "yy", True)
    assert figure.axes[0].get_position().width * OPTIONS.width_mm > 15
    columns = column_names(PECULIAR["long phones"](replace(OPTIONS, width_mm=174.0)).figure.axes[1])
    assert len(set(columns)) == CONFUSIONS["predicted"].nunique()
    names = row_names(PECULIAR["rows of long phones"](OPTIONS).figure.axes[0])
    assert len(set(names)) == len(names)
    first, second = row_names(kind("differences").figure.axes[0])[0].split(" − ")
    beginning, cut, end = second.partition("…")
    assert (first, LONG_NAME.startswith(beginning), cut, LONG_NAME.endswith(end)) == ("k͡p-corpus", True, "…", True)


ENGLISH = {"phones": PHONES, "expected": EXPECTED.iloc[:0], "map": MAP}
OF_ONE = {"confusions": CONFUSIONS, "association": ASSOCIATION, "calibration": CALIBRATION}
YORUBA = {**ENGLISH, **OF_ONE, "expected": EXPECTED}
CORPORA = {"english": ENGLISH, "yoruba": YORUBA}


def draw_all(summary: pd.DataFrame = SUMMARY, tables: object = CORPORA, **more: object) -> Iterator[Drawing]:
    """Yield every figure, as a run with one worker draws them."""
    stored = StoredTables(tables=tables, options=OPTIONS, summary=summary, vowels=frozenset("ai"), **more)  # type: ignore[arg-type]
    yield from draw(stored, "corpus")
    yield from draw(stored, "corpora")


def test_corpora_are_called_by_their_titles_in_each_figure() -> None:
    titles = {"english": "English", "yoruba": "Yoruba (dev)"}
    drawings = {one.name: one.figure for one in draw_all(reference="english", titles=titles)}
    every = ["confusions", "vowels", "consonants", "phones", "residuals", "association", "calibration"]
    own = {"english": ["phones"], "yoruba": every}
    assert [*drawings] == [*(f"{corpus}-{name}" for corpus in own for name in own[corpus]), "rates", "map"]
    for name, figure in drawings.items():
        texts = [text.get_text() for text in figure.findobj(Text)]
        called = titles.get(name.partition("-")[0])  # those of one corpus begin with its name
        for title in titles.values():
            assert name == "map" or any(title in text for text in texts) is (called in {title, None}), name
        assert not {"english", "yoruba"} & set(texts)
    assert "Another recogniser: a, reference b." in said(drawings["yoruba-residuals"])


@pytest.mark.parametrize(("method", "called"), [("umap", "UMAP keeps"), ("pca", "PCA keeps 9 % of the variance: x.")])
def test_a_map_says_how_far_it_is_trusted(method: str, called: str) -> None:
    note = "PCA keeps 9 % of the variance: x" * (method == "pca")
    summary = SUMMARY[:1].assign(corpus="english", measure="trustworthiness", value=0.873, note=note)
    (drawing,) = draw_all(summary, {"english": {"map": MAP}}, reference="english", method=method)
    assert "trustworthiness 0.87" in said(drawing.figure)
    assert called in said(drawing.figure)


def test_what_has_no_data_has_no_figure() -> None:
    phones = pd.DataFrame({"side": ["gold"], "phone": ["a"], "tokens": [0.0], "accuracy": [np.nan]})
    for tables in ({}, {"x": {"phones": phones}}):
        assert [*draw_all(SUMMARY[:0], tables, reference="x")] == []
    without = StoredTables(tables={}, options=OPTIONS, summary=SHARES[SHARES["corpus"] == "none"])
    assert [*draw(without, "corpora")] == []


def test_every_figure_draws_tables_that_are_written() -> None:
    for of in ("corpus", "corpora"):
        assert {*tables_drawn(of)} <= {*tables_of("results")}  # type: ignore[arg-type]
    assert {f"comparison/{name}" for name in tables_drawn("comparison")} <= {*tables_of("comparison")}


def test_saved_twice_from_the_same_numbers_the_bytes_are_the_same(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        for name, formats in (("confusions", ["pdf", "png", "svg"]), ("map", ["svg"])):
            KINDS[name](OPTIONS).save(tmp_path / folder, formats)
    saved = [{path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("one", "two")]
    assert (len(saved[0]), saved[0]) == (4, saved[1])
    assert ">k͡p<" in saved[0]["confusions.svg"].decode()  # text stays text
    with Image.open(tmp_path / "one/confusions.png") as picture:
        assert picture.width / picture.info["dpi"][0] * 25.4 == pytest.approx(OPTIONS.width_mm, abs=0.5)


def test_a_name_with_a_slash_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'\.\./x-rates' cannot be a file name"):
        Drawing("../x-rates", Sheet(60, 20)).save(tmp_path, ["png"])
