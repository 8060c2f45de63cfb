import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_confusions
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import phonxling.draw
from phonxling.core.errors import DataError
from phonxling.draw.figure import DeclaredFigure, Drawing, Stored
from phonxling.draw.gallery import FIGURES, draw, tables_drawn
from phonxling.draw.save import save
from phonxling.draw.style import FALLBACK_FONT, FigureOptions, choose_font, house_style
from phonxling.tables.columns import files_in

Table = pd.DataFrame


def draw_all(
    summary: Table,
    corpora: dict[str, dict[str, Table]],
    reference: str | None,
    vowels: frozenset[str],
    options: FigureOptions,
    method: str = "umap",
) -> Iterator[Drawing]:
    """Yield every figure, as a run with one worker draws them."""
    stored = Stored(tables=corpora, options=options, summary=summary, reference=reference, vowels=vowels, method=method)
    yield from draw(stored, "corpus")
    yield from draw(stored, "corpora")


@pytest.fixture
def corpora(
    confusions: Table, phones: Table, expected: Table, association: Table, calibration: Table, embedding: Table
) -> dict[str, dict[str, Table]]:
    english = {"confusions": confusions, "phones": phones, "expected": expected.iloc[:0], "embedding": embedding}
    more = {"expected": expected, "association": association, "calibration": calibration}
    return {"english": english, "yoruba": {**english, **more}}


def test_each_figure_whose_table_has_rows(
    summary: Table, corpora: dict[str, dict[str, Table]], options: FigureOptions
) -> None:
    names = [drawing.name for drawing in draw_all(summary, corpora, "english", frozenset("ai"), options)]
    assert names == [
        "english-confusions",
        "english-entropy",
        "yoruba-confusions",
        "yoruba-entropy",
        "yoruba-residuals",
        "yoruba-association",
        "yoruba-calibration",
        "rates",
        "map",
        "map-pca",
        "map-mds",
    ]


def test_corpora_are_called_alike_in_all_figures(
    summary: Table, corpora: dict[str, dict[str, Table]], options: FigureOptions
) -> None:
    titles = {"english": "English", "yoruba": "Yoruba (dev)"}
    stored = Stored(tables=corpora, options=options, summary=summary, reference="english", titles=titles)
    for drawing in [*draw(stored, "corpus"), *draw(stored, "corpora")]:
        texts = [text.get_text() for text in drawing.figure.findobj(Text)]
        called = titles.get(drawing.name.partition("-")[0])  # those of one corpus begin with its name
        assert any("Yoruba (dev)" in text for text in texts) is (called != "English"), drawing.name
        assert any("English" in text for text in texts) is (called != "Yoruba (dev)"), drawing.name
        assert not {"english", "yoruba"} & set(texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "names"),
    [("umap", ["map", "map-pca", "map-mds"]), ("pca", ["map", "map-mds"]), ("mds", ["map", "map-pca"])],
)
def test_maps_by_the_method_of_the_first(
    method: str, names: list[str], embedding: Table, options: FigureOptions
) -> None:
    note = "keeps 9 % of the variance: under 20 %, so not drawn"
    rows = [
        ("english", "trustworthiness", method, 0.873, ""),
        ("english", "embedding_stability", method, np.nan, ""),
        ("english", "trustworthiness", "mds", np.nan, note),
    ]
    told = pd.DataFrame(rows, columns=["corpus", "measure", "variant", "value", "note"])
    drawings = list(draw_all(told, {"english": {"embedding": embedding}}, "english", frozenset("ai"), options, method))
    assert [drawing.name for drawing in drawings] == names
    texts = [text.get_text() for text in drawings[0].figure.texts]
    assert "trustworthiness 0.87" in texts
    assert "MDS keeps 9 % of the variance: under 20 %, so not drawn." in " ".join(texts[::-1]).replace("\n", " ")
    assert any({"umap": "UMAP", "pca": "PCA", "mds": "Classical MDS"}[method] in text for text in texts)
    assert "trustworthiness 0.87" not in [text.get_text() for text in drawings[1].figure.texts]


def test_a_comparison_of_two_recognisers_is_marked_on_the_figure(
    summary: Table, corpora: dict[str, dict[str, Table]], options: FigureOptions
) -> None:
    drawings = {found.name: found for found in draw_all(summary, corpora, None, frozenset(), options)}
    texts = [text.get_text() for text in drawings["yoruba-residuals"].figure.texts]
    assert any("Another recogniser: a, reference b." in text for text in texts)


def test_heat_maps_of_a_corpus_share_an_order(summary: Table, confusions: Table, options: FigureOptions) -> None:
    gold = ["d͡ʒ", "i", "a"]
    association = pd.DataFrame({"gold": gold, "recognised": "z", "p_joint": 0.3, "npmi": 0.3})
    tables = {"x": {"confusions": confusions, "association": association}}
    first, second, _ = draw_all(summary, tables, None, frozenset(), options)
    order = [phone for phone in dict.fromkeys(first.shown["gold"]) if phone in gold]
    assert second.shown["gold"].tolist() == order


def test_every_figure_draws_tables_that_are_written() -> None:
    for of, folders in (
        *(("corpus", ["corpus"]), ("corpora", ["corpus", "results"])),
        *(("comparison", ["comparison"]), ("plan", ["plan"])),
    ):
        written = {file for folder in folders for file in files_in(folder)}
        assert {f"{name}.tsv" for name in tables_drawn(of)} <= written


def test_every_module_of_figures_is_in_the_gallery() -> None:
    folder = Path(phonxling.draw.__file__).parent
    modules = {path.stem for path in folder.glob("*.py") if "\nFIGURE = " in path.read_text(encoding="utf-8")}
    assert {
        (figure.draw_one if isinstance(figure, DeclaredFigure) else figure.draw_all).__module__.rpartition(".")[-1]
        for figure in FIGURES
    } == modules


def test_a_comparison_without_ranked_items_has_no_figure(options: FigureOptions) -> None:
    stored = Stored(tables={"": {"ranking": pd.DataFrame(columns=["measure"])}}, options=options)
    assert list(draw(stored, "comparison")) == []


def test_nothing_to_draw(summary: Table, options: FigureOptions) -> None:
    empty = summary.iloc[:0]
    tables = {"x": {"phones": pd.DataFrame({"side": ["gold"], "phone": ["a"], "tokens": [0.0], "entropy": [np.nan]})}}
    assert list(draw_all(empty, {}, "english", frozenset(), options)) == []
    assert list(draw_all(empty, tables, "x", frozenset(), options)) == []


def test_saved_twice_from_the_same_numbers_the_bytes_are_the_same(
    confusions: Table, options: FigureOptions, tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        save(draw_confusions(confusions, "yoruba", options), tmp_path / folder, ["pdf", "png", "svg"])
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == [f"confusions.{form}" for form in ("pdf", "png", "svg", "tsv")]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_png_has_the_pixels_that_matplotlib_draws(confusions: Table, options: FigureOptions, tmp_path: Path) -> None:
    drawing = draw_confusions(confusions, "yoruba", options)
    png, _ = save(drawing, tmp_path, ["png"])
    theirs = io.BytesIO()
    with house_style(options.font):
        drawing.figure.savefig(theirs, format="png", dpi=300, metadata={"Software": "phonxling"})
    with Image.open(png) as ours, Image.open(theirs) as other:
        assert np.array_equal(np.asarray(ours), np.asarray(other))
        assert (ours.mode, ours.info) == (other.mode, other.info)
    with Image.open(png) as whole:
        whole.verify()  # the checksum of each part


def test_files_hold_no_date_and_text_stays_text(confusions: Table, options: FigureOptions, tmp_path: Path) -> None:
    pdf, svg, _ = save(draw_confusions(confusions, "yoruba", options), tmp_path, ["pdf", "svg"])
    assert b"CreationDate" not in pdf.read_bytes()
    text = svg.read_text(encoding="utf-8")
    assert "<dc:date>" not in text
    assert ">k͡p<" in text


def test_the_table_beside_a_figure_reads_back(tmp_path: Path) -> None:
    shown = pd.DataFrame({"phone": ['"', "NA", "k͡p"], "value": [0.25, np.nan, -np.inf], "count": [1.0, 2.0, 3.0]})
    (path,) = save(Drawing("x", Figure(), shown), tmp_path, [])
    assert path.read_text(encoding="utf-8") == 'phone\tvalue\tcount\n"\t0.25\t1\nNA\t\t2\nk͡p\t-inf\t3\n'


def test_a_failed_save_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.png").write_bytes(b"before")

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        save(Drawing("x", Figure(), pd.DataFrame()), tmp_path, ["png"])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x.png", b"before")]


def test_a_corpus_name_with_a_slash_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'\.\./x-rates' cannot be a file name"):
        save(Drawing("../x-rates", Figure(), pd.DataFrame()), tmp_path, ["png"])


def test_hostile_names_are_drawn_as_they_stand(
    make_counts: Callable[[list[str], list[str]], Table], options: FigureOptions, tmp_path: Path
) -> None:
    drawing = draw_confusions(make_counts(["$x$", "_", "a<b"], ["$x$", "&", "^{"]), "$l_1$", options)
    svg, tsv = save(drawing, tmp_path, ["svg"])
    text = svg.read_text(encoding="utf-8")
    assert ">$x$<" in text
    assert ">a&lt;b<" in text
    assert "$x$\t&\t" in tsv.read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_figure_is_legible_in_an_ipa_font_whose_lines_are_high(
    summary: Table, corpora: dict[str, dict[str, Table]], legible: Callable[[Figure], None]
) -> None:
    if choose_font() == FALLBACK_FONT:
        pytest.skip("no IPA font is installed")
    for drawing in draw_all(summary, corpora, None, frozenset("ai"), FigureOptions()):
        legible(drawing.figure)
