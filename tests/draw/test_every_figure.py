"""Every kind of figure: legible, called alike, in the gallery, and saved as the same bytes."""

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from check_figures import overlaps
from made_drawings import (
    ASSOCIATION,
    CALIBRATION,
    CELLS,
    CONFUSIONS,
    EMBEDDING,
    EXPECTED,
    FEATURES,
    FIGURE_OF,
    FLOORED,
    GOLD,
    LONG_NAME,
    MANY,
    OPTIONS,
    PHONES,
    RANKING,
    SUMMARY,
    column_names,
    count_table,
    drawn,
    error_shares,
    joint,
    legible,
    map_of,
    rates_of_utterances,
    row_names,
    said,
    spoken,
)
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import phonxling.draw
from phonxling.core.errors import DataError
from phonxling.draw import style
from phonxling.draw.figure import Drawing, Stored
from phonxling.draw.gallery import FIGURES, draw, tables_drawn
from phonxling.draw.labels import with_drawable_names
from phonxling.draw.save import save
from phonxling.draw.style import FALLBACK_FONT, PAGE_HEIGHT, FigureOptions, choose_font, house_style
from phonxling.settings.files import MainKinds
from phonxling.tables.files import files_in

LETTERS = [*"abdefhijklmnopstuvwz"]
LONG = ["x" * 300, "of the north " * 23, "עברית" * 60, "a\u0301\u0323" * 100, "x" * 299 + "y", "ʒ"]
RENAMED = dict(zip(GOLD, LONG, strict=True))
COUNTS = with_drawable_names(CONFUSIONS.replace({"gold": RENAMED, "predicted": RENAMED | {"z": "z" * 300}}))
TITLE = "y" * 100
SHARES = error_shares()
LANGUAGES = [
    pd.DataFrame(place, columns=["x", "y"]).assign(
        phone=[f"p{number}" for number in range(20)], tokens=90, nearest_reference="", spread=0.05
    )
    for place in np.random.default_rng(5).normal(size=(5, 20, 2))
]
KINDS: dict[str, Callable[[FigureOptions], Drawing]] = {
    "compared differences": partial(drawn, "compared differences", CELLS),
    "association": partial(drawn, "association", ASSOCIATION),
    "calibration": partial(drawn, "calibration", CALIBRATION),
    "confusions": partial(drawn, "confusions", CONFUSIONS),
    "consonants": partial(drawn, "consonants", CONFUSIONS),
    "entropy": partial(drawn, "entropy", PHONES, conditional_entropy__=1.4),
    "errors": partial(joint, "errors", summary=SHARES, titles={"yor": "Yoruba"}),
    "features": partial(drawn, "features", FEATURES),
    "map": partial(map_of, EMBEDDING, {"yoruba": EMBEDDING.assign(x=EMBEDDING["x"] + 0.3), "ewe": EMBEDDING[:2]}),
    "compared rates": partial(drawn, "compared rates", RANKING),
    "rates": partial(joint, "rates", summary=SUMMARY),
    "residuals": partial(drawn, "residuals", EXPECTED),
    "timeline": partial(drawn, "timeline", spoken(1.0)),
    "rates-utterances": partial(drawn, "rates-utterances", rates_of_utterances(), chance_wper__best=0.31),
    "vowels": partial(drawn, "vowels", CONFUSIONS),
}
PECULIAR: dict[str, Callable[[FigureOptions], Drawing]] = {
    "one diagram": partial(drawn, "calibration", CALIBRATION[CALIBRATION["source"] == "file"]),
    "a corpus of a long name": partial(drawn, "calibration", CALIBRATION, title=TITLE),
    "rates of a long name": partial(joint, "rates", summary=SUMMARY.replace({"corpus": {"yoruba": TITLE}})),
    "long phones": partial(drawn, "confusions", COUNTS),
    "consonants of a long name": partial(drawn, "consonants", CONFUSIONS, title=TITLE),
    "vowels of a long name": partial(drawn, "vowels", CONFUSIONS, title=TITLE),
    "long associated phones": partial(
        drawn, "association", with_drawable_names(ASSOCIATION.replace({"gold": RENAMED, "recognised": RENAMED}))
    ),
    "entropies of long phones": partial(drawn, "entropy", with_drawable_names(PHONES.replace({"phone": RENAMED}))),
    "an interval that is cut": partial(drawn, "entropy", PHONES.assign(entropy_low=0.0)),
    "one phone": partial(drawn, "confusions", count_table(["a"], ["a"])),
    "hostile phones": partial(drawn, "confusions", count_table(["$x$", "_{", "^\\frac"], ["$x$", "&"]), title="a_$b$"),
    "one row": partial(drawn, "confusions", count_table(["a"], LETTERS)),
    "one column": partial(drawn, "confusions", count_table(LETTERS, ["a"])),
    "floors": partial(joint, "rates", summary=FLOORED),
    "rates of fifty": partial(joint, "rates", summary=MANY),
    "errors of fifty": partial(
        joint,
        "errors",
        summary=pd.concat([SHARES[SHARES["corpus"] == "yor"].assign(corpus=f"l{one}") for one in range(50)]),
    ),
    "rates without chance": partial(joint, "rates", summary=SUMMARY[SUMMARY["measure"] == "per"]),
    "another measure": partial(drawn, "compared rates", RANKING.assign(unlike="yes")),
    "four seconds": partial(drawn, "timeline", spoken(4.0, seed=4)),
    "a phone of few tokens": partial(map_of, EMBEDDING[:3].assign(spread=np.nan), {"x": EMBEDDING[:1]}),
    "five languages": partial(map_of, LANGUAGES[0], {f"of {n}": table for n, table in enumerate(LANGUAGES[1:])}),
}  # fmt: skip


@cache
def kind(name: str, width: float = OPTIONS.width_mm) -> Drawing:
    return KINDS[name](replace(OPTIONS, width_mm=width))


@pytest.mark.parametrize("width", [84.0, 174.0])
@pytest.mark.parametrize("name", KINDS)
def test_every_figure_is_legible_and_as_wide_as_asked_for(name: str, width: float) -> None:
    drawing = kind(name, width)
    assert drawing.name == name.removeprefix("compared ")
    as_wide = drawing.figure.get_size_inches()[0] * 25.4 == pytest.approx(width)
    assert as_wide or name == "map"  # which has several panels beside each other
    legible(drawing.figure)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in {"rates", "compared rates", "map"}])
def test_title_and_notes_leave_the_figure_with_their_room(name: str) -> None:
    whole, bare = kind(name), KINDS[name](replace(OPTIONS, title=False, notes=False))
    assert whole.caption == bare.caption
    assert whole.caption.startswith(f"{whole.figure.title}. ")
    assert whole.figure.title not in said(bare.figure)
    lines = len(whole.figure.texts) - len(bare.figure.texts) - 1
    heights = [figure.get_size_inches()[1] * 25.4 for figure in (whole.figure, bare.figure)]
    assert heights[0] - heights[1] == pytest.approx(4 + style.LINE * lines)
    for before, after in zip(whole.figure.axes, bare.figure.axes, strict=True):
        assert after.get_window_extent().size == pytest.approx(before.get_window_extent().size)
    legible(bare.figure)


def test_every_kind_of_figure_is_here() -> None:
    assert {*FIGURE_OF} == {*KINDS}
    assert len({figure.kind for figure in FIGURES}) <= 14
    assert {figure.kind for figure in FIGURES} | {"main", "all"} <= {*style.KINDS}
    assert {figure.name for figure in FIGURES if figure.main} == {*get_args(MainKinds)}
    assert all(figure.reading.count(". ") in {1, 2} and figure.reading.endswith(".") for figure in FIGURES)
    texts = (path.read_text(encoding="utf-8") for path in Path(phonxling.draw.__file__).parent.glob("*.py"))
    assert sum(text.count(" = DeclaredFigure(") for text in texts) == len(FIGURES)


@pytest.mark.parametrize("name", PECULIAR)
def test_peculiar_figures_are_legible(name: str) -> None:
    figure = PECULIAR[name](OPTIONS).figure
    assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    legible(figure)


@pytest.mark.slow
def test_every_figure_is_legible_in_an_ipa_font_whose_lines_are_high() -> None:
    if choose_font() == FALLBACK_FONT:
        pytest.skip("no IPA font is installed")
    for make in KINDS.values():
        legible(make(FigureOptions()).figure)


@pytest.mark.slow
@pytest.mark.parametrize("width", [84.0, 174.0])
def test_thirty_by_forty_two_phones_are_legible(width: float) -> None:
    gold = [*"abdefhijklmnorstuw", "ã", "ĩ", "ũ", "ɔ̃", "ɛ̃", *"ɔɛɡʃ", "ɡ͡b", "k͡p", "d͡ʒ"]
    predicted = [*"abdefhijklmnopstuvwzæðŋɑɔəɛɡɨɪɹʃʉʊʌʒʔθ", "t͡ʃ", "d͡ʒ", "ə˞", "ɜ˞"]
    figure = drawn("confusions", count_table(gold, predicted), FigureOptions(width_mm=width, font="DejaVu Sans")).figure
    assert width <= figure.get_size_inches()[0] * 25.4 <= 174.01  # what one row of labels needs
    assert len({text.get_window_extent().y0 // 20 for text in figure.axes[1].texts if text.get_va() == "baseline"}) == 1
    legible(figure)


@pytest.mark.parametrize("font", ["DejaVu Sans", "auto"])
def test_no_label_of_a_map_stands_on_another_on_a_point_or_on_a_line(font: str) -> None:
    first, second = (
        pd.DataFrame(place, columns=["x", "y"]).assign(
            phone=[f"p{number}" for number in range(18)], tokens=90, nearest_reference="", spread=0.2
        )
        for place in np.random.default_rng(2).normal(size=(2, 18, 2))
    )
    figure = map_of(first, {"yoruba": second}, FigureOptions(font=font)).figure
    with house_style(font):
        assert [*overlaps(figure)] == []


def test_long_names_are_told_apart_and_lose_their_middle() -> None:
    figure = PECULIAR["rates of a long name"](OPTIONS).figure
    title = row_names(figure.axes[0])[1]
    assert (title[:2], title[-2:], "…" in title) == ("yy", "yy", True)
    assert figure.axes[0].get_position().width * OPTIONS.width_mm > 15
    assert "y: calibration" in said(PECULIAR["a corpus of a long name"](OPTIONS).figure)
    columns = column_names(PECULIAR["long phones"](OPTIONS).figure.axes[1])
    assert len(set(columns)) == CONFUSIONS["predicted"].nunique()
    names = row_names(PECULIAR["entropies of long phones"](OPTIONS).figure.axes[0])
    assert len(set(names)) == len(names)
    first, second = row_names(kind("compared rates").figure.axes[0])
    assert first == "k͡p-corpus"
    beginning, cut, end = second.partition("…")
    assert (LONG_NAME.startswith(beginning), cut, LONG_NAME.endswith(end)) == (True, "…", True)


ENGLISH = {"confusions": CONFUSIONS, "phones": PHONES, "expected": EXPECTED.iloc[:0], "embedding": EMBEDDING}
YORUBA = {**ENGLISH, "expected": EXPECTED, "association": ASSOCIATION, "calibration": CALIBRATION}
CORPORA = {"english": ENGLISH, "yoruba": YORUBA}


def draw_all(summary: pd.DataFrame = SUMMARY, tables: object = CORPORA, **more: object) -> Iterator[Drawing]:
    """Yield every figure, as a run with one worker draws them."""
    stored = Stored(tables=tables, options=OPTIONS, summary=summary, vowels=frozenset("ai"), **more)  # type: ignore[arg-type]
    yield from draw(stored, "corpus")
    yield from draw(stored, "corpora")


def test_each_figure_whose_table_has_rows_calls_corpora_alike() -> None:
    titles = {"english": "English", "yoruba": "Yoruba (dev)"}
    drawings = {one.name: one.figure for one in draw_all(reference="english", titles=titles)}
    own = {"english": ["confusions", "vowels", "consonants", "entropy"]}
    own["yoruba"] = [*own["english"], "residuals", "association", "calibration"]
    names = [f"{corpus}-{name}" for corpus in own for name in own[corpus]]
    assert [*drawings] == [*names, "rates", "map"]
    drawings = {name: figure for name, figure in drawings.items() if not name.startswith("map")}  # a panel a target
    for name, figure in drawings.items():
        texts = [text.get_text() for text in figure.findobj(Text)]
        called = titles.get(name.partition("-")[0])  # those of one corpus begin with its name
        assert any("Yoruba (dev)" in text for text in texts) is (called != "English"), name
        assert any("English" in text for text in texts) is (called != "Yoruba (dev)"), name
        assert not {"english", "yoruba"} & set(texts)
    assert "Another recogniser: a, reference b." in said(drawings["yoruba-residuals"])


@pytest.mark.parametrize(("method", "called"), [("umap", "UMAP keeps"), ("pca", "PCA keeps 9 % of the variance: x.")])
def test_a_map_says_its_method_and_how_far_it_is_trusted(method: str, called: str) -> None:
    note = "PCA keeps 9 % of the variance: x" if method == "pca" else ""
    rows = [("english", "trustworthiness", method, 0.873, note)]
    told = pd.DataFrame(rows, columns=["corpus", "measure", "variant", "value", "note"]).assign(low=np.nan, high=np.nan)
    (drawing,) = draw_all(told, {"english": {"embedding": EMBEDDING}}, reference="english", method=method)
    assert drawing.name == "map"
    texts = said(drawing.figure)
    assert "trustworthiness 0.87" in texts
    assert called in texts


def test_what_has_no_data_has_no_figure() -> None:
    phones = pd.DataFrame({"side": ["gold"], "phone": ["a"], "tokens": [0.0], "entropy": [np.nan]})
    for tables in ({}, {"x": {"phones": phones}}):
        assert [*draw_all(SUMMARY[:0], tables, reference="x")] == []
    unranked = Stored(tables={"": {"ranking": pd.DataFrame(columns=["measure"])}}, options=OPTIONS)
    assert [*draw(unranked, "comparison")] == []
    without = Stored(tables={}, options=OPTIONS, summary=SHARES[SHARES["corpus"] == "none"])
    assert [*draw(without, "corpora")] == []


def test_every_figure_draws_tables_that_are_written() -> None:
    for of, folders in {"corpus": ["corpus"], "corpora": ["corpus", "results"]}.items():
        assert {f"{name}.tsv" for name in tables_drawn(of)} <= {file for one in folders for file in files_in(one)}  # type: ignore[arg-type]
    assert {f"{name}.tsv" for name in tables_drawn("comparison")} <= {*files_in("comparison")}


def test_saved_twice_from_the_same_numbers_the_bytes_are_the_same(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        for name in ("confusions", "map"):
            save(KINDS[name](OPTIONS), tmp_path / folder, ["pdf", "png", "svg"])
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == [f"{name}.{form}" for name in ("confusions", "map") for form in ("pdf", "png", "svg", "tsv", "txt")]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert b"CreationDate" not in (tmp_path / "one/confusions.pdf").read_bytes()
    svg = (tmp_path / "one/confusions.svg").read_text(encoding="utf-8")
    assert "<dc:date>" not in svg
    assert ">k͡p<" in svg  # text stays text


def test_a_png_has_the_pixels_that_matplotlib_draws(tmp_path: Path) -> None:
    drawing = kind("confusions")
    png, *_ = save(drawing, tmp_path, ["png"])
    theirs = io.BytesIO()
    with house_style(OPTIONS.font):
        drawing.figure.savefig(theirs, format="png", dpi=300, metadata={"Software": "phonxling"})
    with Image.open(png) as ours, Image.open(theirs) as other:
        assert np.array_equal(np.asarray(ours), np.asarray(other))
        assert (ours.mode, ours.info) == (other.mode, other.info)


def test_hostile_names_and_the_table_beside_a_figure_stand_as_they_are(tmp_path: Path) -> None:
    drawing = drawn("confusions", count_table(["$x$", "_", "a<b"], ["$x$", "&", "^{"]), title="$l_1$")
    svg, tsv, _ = save(drawing, tmp_path, ["svg"])
    text = svg.read_text(encoding="utf-8")
    assert ">$x$<" in text
    assert ">a&lt;b<" in text
    assert "$x$\t&\t" in tsv.read_text(encoding="utf-8")
    shown = pd.DataFrame({"phone": ['"', "NA", "k͡p"], "value": [0.25, np.nan, -np.inf], "count": [1.0, 2.0, 3.0]})
    path, _ = save(Drawing("x", Figure(), shown), tmp_path, [])
    assert path.read_text(encoding="utf-8") == 'phone\tvalue\tcount\n"\t0.25\t1\nNA\t\t2\nk͡p\t-inf\t3\n'


def test_a_failed_save_leaves_what_was_there_and_a_name_with_a_slash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.png").write_bytes(b"before")

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        save(Drawing("x", Figure(), pd.DataFrame()), tmp_path, ["png"])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x.png", b"before")]
    with pytest.raises(DataError, match=r"'\.\./x-rates' cannot be a file name"):
        save(Drawing("../x-rates", Figure(), pd.DataFrame()), tmp_path, ["png"])
