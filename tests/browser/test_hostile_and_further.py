"""Hostile and endless names, of which nothing runs and no cell is hidden; further analyses on the page."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from hostile_experiment import LONG, MARK, PHONES, composed, make_hostile_experiment, make_long_experiment
from pages import Opener, ran, settle
from playwright.sync_api import expect
from support import write

from phonxling.report.findings import FurtherPart, stored_parts
from phonxling.report.numbers import Numbers, Sentence, address, sentence
from phonxling.report.render import CorpusPart, Page, packed_table, page_html


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    return ran(folder, make_hostile_experiment(folder))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    return ran(folder, make_long_experiment(folder))


def test_names_are_shown_as_letters_and_nothing_runs(open_page: Opener, hostile: Path) -> None:
    page = open_page(hostile / "report.html")
    told: list[str] = []
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    assert page.evaluate("document.scripts.length") == 2
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    page.click("#tables-section summary")
    for name in page.eval_on_selector_all("#table-name option", "found => found.map(option => option.value)"):
        page.select_option("#table-name", name)
        settle(page)
    page.select_option("#table-name", "first/association")
    page.fill("#table-filter", MARK)
    page.locator("#table-shown td", has_text=f"<script>{MARK}(1)</script>").first.wait_for()
    heads = page.eval_on_selector_all("#matrix thead th", "found => found.map(head => head.textContent)")
    assert set(heads[1:]) - {"∅"} == set(map(composed, PHONES))
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert told == []


@pytest.mark.parametrize("width", [390, 1440])
def test_names_without_end_widen_nothing(width: int, open_page: Opener, long: Path) -> None:
    page = open_page(long / "report.html", viewport={"width": width, "height": 900})
    page.locator("#matrix tbody tr").first.locator("td").nth(0).click()
    settle(page)
    assert page.locator("#behind-list .speaker .long").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#tables-section summary")
    for name in page.eval_on_selector_all("#table-name option", "found => found.map(option => option.value)"):
        page.select_option("#table-name", name)
        settle(page)
        wide = "found => Math.max(0, ...found.map(each => each.getBoundingClientRect().width))"
        assert page.eval_on_selector_all("#table-shown .long", wide) < 450
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    high = "found => Math.max(...found.map(each => each.getBoundingClientRect().height))"
    assert page.eval_on_selector_all(".long", high) < 120  # two lines, of whatever script


def test_a_name_without_end_is_shown_whole_where_it_is_clicked(open_page: Opener, long: Path) -> None:
    page = open_page(long / "report.html")
    page.click("#tables-section summary")
    page.select_option("#table-name", f"{'y' * 100}/phones")
    page.locator("#table-shown th", has_text="entropy low").first.wait_for()
    names = page.locator("#table-shown .long")
    assert set(names.all_inner_texts()) >= {composed(name.strip()) for name in LONG}
    for name in names.all()[: len(LONG)]:
        assert name.evaluate("each => each.scrollHeight - each.clientHeight") > 10
        name.click()
        assert name.evaluate("each => each.scrollHeight - each.clientHeight") <= 1


def sentences(corpus: str, contexts: pd.DataFrame) -> Iterator[Sentence]:
    yield sentence(f"{corpus} has {len(contexts)} cells.")


PART = FurtherPart("made", "A made analysis", "contexts", sentences)


def made_page(folder: Path, rows: int) -> Path:
    """Write a page of two corpora, of which one has the part's table."""
    lines = [
        "context\tgold\tpredicted\tcount\tshare_of_gold",
        *(f"#\ta\t<b{row}>\t1\t{row / 8}" for row in range(rows)),
    ]
    own = "\n".join(lines) + "\n"
    write(
        folder / "contexts.tsv",
        "".join(f"{'yoruba' if place else 'corpus'}\t{line}\n" for place, line in enumerate(lines)),
    )
    data = {"gold": ["a"], "predicted": ["a"], "alignments": None, "sampled": ""}
    corpora = [CorpusPart(name=name, title=name.title(), role="target", data=data) for name in ("yoruba", "swahili")]
    page = Page(
        title="Made",
        version="1",
        corpora=corpora,
        tables={"yoruba/contexts": packed_table(own.encode())},
        further=stored_parts(folder, {name: Numbers(name=name) for name in ("yoruba", "swahili")}, [PART]),
    )
    (folder / "report.html").write_text(page_html(page), encoding="utf-8")
    return folder / "report.html"


def test_the_table_of_a_part_leads_to_utterances(tmp_path: Path, open_page: Opener) -> None:
    page = open_page(made_page(tmp_path, 40), "#part=made")
    part = page.locator("#further-made")
    expect(part.locator("article li")).to_have_text("yoruba has 40 cells.")
    part.locator("article p a").click()
    rows = page.locator("#table-shown tbody tr")
    expect(rows).to_have_count(40)
    page.locator("#table-shown th", has_text="share of gold").locator("button").click()
    expect(rows.first).to_contain_text("a<b0>")
    assert rows.first.locator("a").nth(1).get_attribute("href") == address("yoruba", gold="a", predicted="<b0>")


def test_a_corpus_without_the_table_has_no_sentences(tmp_path: Path, open_page: Opener) -> None:
    page = open_page(made_page(tmp_path, 2), "#corpus=swahili&part=made")
    expect(page.locator("#further-made article:visible")).to_have_count(0)


def test_a_page_without_such_analyses_has_no_such_section(tmp_path: Path) -> None:
    assert 'id="further-section"' not in page_html(Page(title="Made", version="1", corpora=[]))
    assert stored_parts(tmp_path, {"yoruba": Numbers(name="yoruba")}, [PART]) == []
