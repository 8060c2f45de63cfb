"""Hostile and endless names, of which nothing runs and no cell is hidden; further analyses on the page."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from hostile_experiment import MARK, PHONES, composed, make_hostile_experiment, make_long_experiment
from pages import Opener, at, ran, settle
from playwright.sync_api import expect
from support import write

from phonxling.report.findings import FurtherPart, stored_parts
from phonxling.report.numbers import Numbers, Sentence, address, sentence
from phonxling.report.render import CorpusPart, Page, packed_table, page_html


def test_names_are_shown_as_letters_and_nothing_runs(open_page: Opener, tmp_path: Path) -> None:
    page = open_page(ran(tmp_path, make_hostile_experiment(tmp_path)) / "report.html")
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    assert page.evaluate("document.scripts.length") == 2
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
    assert dialogs == []


def test_names_without_end_widen_nothing_and_are_shown_whole_where_they_are_clicked(
    open_page: Opener, tmp_path: Path
) -> None:
    results = ran(tmp_path, make_long_experiment(tmp_path))
    for width in (390, 1440):
        page = open_page(results / "report.html", viewport={"width": width, "height": 900})
        page.locator("#matrix tbody tr").first.locator("td").nth(0).click()
        settle(page)
        assert page.locator("#behind-list .id .small .long").count() > 0
        page.click("#tables-section summary")
        for name in page.eval_on_selector_all("#table-name option", "found => found.map(option => option.value)"):
            page.select_option("#table-name", name)
            settle(page)
            wide = "found => Math.max(0, ...found.map(each => each.getBoundingClientRect().width))"
            assert page.eval_on_selector_all("#table-shown .long", wide) < 450
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        high = "found => Math.max(...found.map(each => each.getBoundingClientRect().height))"
        assert page.eval_on_selector_all(".long", high) < 120  # two lines, of whatever script
    page.select_option("#table-name", f"{'y' * 100}/phones")
    page.locator("#table-shown th", has_text="entropy low").first.wait_for()
    name = page.locator("#table-shown .long").first
    assert name.evaluate("each => each.scrollHeight - each.clientHeight") > 10
    name.click()
    assert name.evaluate("each => each.scrollHeight - each.clientHeight") <= 1


def test_an_analysis_of_a_corpus_leads_to_its_table_and_its_utterances(tmp_path: Path, open_page: Opener) -> None:
    def sentences(corpus: str, contexts: pd.DataFrame) -> Iterator[Sentence]:
        yield sentence(f"{corpus} has {len(contexts)} cells.")

    head = "context\tgold\tpredicted\tcount\tshare_of_gold\n"
    rows = [f"#\ta\t<b{row}>\t1\t{row / 8}\n" for row in range(40)]
    write(tmp_path / "contexts.tsv", f"corpus\t{head}" + "".join(f"yoruba\t{row}" for row in rows))
    data = {"gold": ["a"], "predicted": ["a"], "alignments": None, "sampled": ""}
    names = ("yoruba", "swahili")
    part = FurtherPart("made", "A made analysis", "contexts", sentences)
    made = Page(
        title="Made",
        version="1",
        corpora=[CorpusPart(name=name, title=name.title(), role="target", data=data) for name in names],
        tables={"yoruba/contexts": packed_table("".join([head, *rows]).encode())},
        further=stored_parts(tmp_path, {name: Numbers(name=name) for name in names}, [part]),
    )
    write(tmp_path / "report.html", page_html(made))
    page = open_page(tmp_path / "report.html", "#part=made")
    expect(page.locator("#further-made article:visible li")).to_have_text("yoruba has 40 cells.")
    page.locator("#further-made article p a").click()
    lines = page.locator("#table-shown tbody tr")
    expect(lines).to_have_count(40)
    page.locator("#table-shown th", has_text="share of gold").locator("button").click()
    expect(lines.first).to_contain_text("a<b0>")
    assert lines.first.locator("a").nth(1).get_attribute("href") == address("yoruba", gold="a", predicted="<b0>")
    at(page, "#corpus=swahili&part=made")
    expect(page.locator("#further-made article:visible")).to_have_count(0)
