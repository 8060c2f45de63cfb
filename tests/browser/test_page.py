"""The page as a reader meets it: first screen, findings, numbers, tables, addresses, keyboard, print, no scripts."""

import math
import re
from itertools import product
from pathlib import Path

import pytest
from pages import Opener, at, settle, table, wait_until
from playwright.sync_api import Browser, Page, expect

from phonxling.report import render
from phonxling.report.numbers import round_number
from phonxling.results.folder import read_manifest


def cell(page: Page, gold: str, predicted: str):  # noqa: ANN201 - a locator
    return page.locator(f'#matrix td[aria-label^="gold {gold}, predicted {predicted}: "]')


def choose(page: Page, control: str, value: str) -> None:
    if control == "corpus":
        page.select_option("#tabs select", value)
    else:
        page.select_option(f"#{control}", value)
    settle(page)


def test_a_click_opens_as_many_tokens_as_the_table_counts(results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    counts = table(results, "confusions", "yoruba")
    for row in counts.sample(12, random_state=1).to_dict("records"):
        cell(page, row["gold"], row["predicted"]).click()
        settle(page)
        tokens = page.inner_text("#behind-count").split()[0]
        assert tokens == str(row["count"])
        while page.is_visible("#behind-more"):
            page.click("#behind-more")
        assert page.locator("#behind-list .hit").count() == int(tokens)
        first = page.locator("#behind-list .hit").first
        assert first.locator("span").all_inner_texts()[:2] == [row["gold"], row["predicted"]]


def test_every_cell_is_reached_with_the_keyboard_and_opened_with_enter(report: Opener) -> None:
    page = report()
    focused = "document.activeElement.getAttribute('aria-label')"
    page.locator("#matrix td").first.focus()
    rows = page.locator("#matrix tbody tr").count()
    columns = page.locator("#matrix tbody tr").first.locator("td").count()
    seen = set()
    for row in range(rows):
        page.keyboard.press("Home")
        for _ in range(columns):
            seen.add(page.evaluate(focused))
            page.keyboard.press("ArrowRight")
        if row < rows - 1:
            page.keyboard.press("ArrowDown")
    assert len(seen) == rows * columns
    assert page.locator("#matrix td[tabindex='0']").count() == 1
    page.keyboard.press("Control+Home")
    first = [page.inner_text("#matrix tbody th >> nth=0"), page.inner_text("#matrix thead th >> nth=1")]
    assert page.inner_text("#cell").startswith(f"Gold {first[0]} predicted as {first[1]}: ")
    page.keyboard.press("Enter")
    page.wait_for_selector("#behind", state="visible")


def test_a_speaker_s_counts_are_those_of_his_alignments(results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    choose(page, "speaker", "speaker3")
    choose(page, "view", "counts")
    own = table(results, "utterances", "yoruba").query("speaker == 'speaker3'")["utterance"]
    pairs = table(results, "alignments", "yoruba")
    pairs = pairs[pairs["utterance"].isin(own)]
    for (gold, answer), count in pairs.groupby(["gold", "predicted"]).size().items():
        assert cell(page, gold, answer).get_attribute("aria-label").endswith(f": {count}")
    total = page.locator("#matrix td").evaluate_all("found => found.map(each => +each.ariaLabel.split(': ')[1])")
    assert sum(total) == len(pairs)


@pytest.mark.parametrize("view", ["counts", "probability", "reverse", "excess", "association"])
def test_each_view_shows_the_numbers_of_the_tables(view: str, results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    choose(page, "view", view)
    name, columns, value = {
        "counts": ("confusions", ("gold", "predicted"), "count"),
        "probability": ("confusions", ("gold", "predicted"), "share_of_gold"),
        "reverse": ("confusions", ("gold", "predicted"), "share_of_predicted"),
        "excess": ("expected", ("gold", "predicted"), "residual"),
        "association": ("association", ("gold", "recognised"), "npmi"),
    }[view]
    rows = table(results, name, "yoruba")
    for row in rows.to_dict("records"):
        if row[value] == "" or (view in {"probability", "reverse"} and row["gold"] == "∅" == row["predicted"]):
            continue
        label = cell(page, row[columns[0]], row[columns[1]]).get_attribute("aria-label")
        shown = label.split(": ")[1].split(",")[0].replace("−", "-")
        assert float(shown) == pytest.approx(float(row[value]), abs=0.0006)


def test_a_long_table_is_searched_shown_on_and_leads_to_its_file_and_cells(results: Path, report: Opener) -> None:
    page = report()
    page.click("#tables-section summary")
    choose(page, "table-name", "summary")
    rows = table(results, "summary")
    lines = page.locator("#table-shown tbody tr")
    assert lines.count() == 100 < len(rows)
    assert set(rows["measure"]) <= set(page.locator("#definitions-section dt code").all_text_contents())
    cells = page.locator("#table-shown td").all_inner_texts()
    assert not [text for text in cells if re.fullmatch(r"-?\d+\.0", text)]  # whole numbers have no point
    page.click("#table-more")
    expect(lines).to_have_count(min(200, len(rows)))
    page.fill("#table-filter", "chance_wper")
    expect(lines).to_have_count(int((rows["measure"] == "chance_wper").sum()))
    assert page.inner_text("#table-size").startswith(f"{len(rows)} rows, {lines.count()} hold")
    page.fill("#table-filter", "")
    at(page, "#table=yoruba/confusions")
    assert (results / page.get_attribute("#download", "href")).samefile(results / "confusions.tsv")
    row = page.locator("#table-shown tbody tr", has=page.locator("td", has_text="k͡p")).first
    gold, predicted, *_ = row.locator("td").all_inner_texts()
    row.locator("td").nth(1).locator("a").click()
    settle(page)
    assert page.inner_text("#behind-title") == f"Gold {gold} predicted as {predicted}"


def test_nothing_runs_out_of_a_narrow_window(report: Opener) -> None:
    page = report(viewport={"width": 360, "height": 700})  # a telephone, or 720 pixels at a zoom of 200 %
    page.locator("#matrix td").nth(5).click()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_control_adds_no_step_to_go_back(report: Opener) -> None:
    page = report("#corpus=yoruba&view=probability&gold=k͡p&predicted=p")
    assert page.input_value("#view") == "probability"
    assert page.evaluate("document.activeElement.id") == "behind-title"
    steps = page.evaluate("history.length")
    choose(page, "view", "reverse")
    assert "view=reverse" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == steps


def test_of_many_addresses_in_a_row_the_last_is_shown(results: Path, report: Opener) -> None:
    page = report()
    for last, other in (("english", "yoruba"), ("yoruba", "english")):
        addresses = [f"#corpus={other}&view=reverse&other={last}", f"#corpus={other}&speaker=speaker1"]
        page.evaluate("addresses => addresses.forEach(each => { location.hash = each })", addresses)
        at(page, f"#corpus={last}&view=counts")
        pairs = table(results, "alignments", last)
        assert {*page.locator("#matrix tbody th").all_inner_texts()} - {"∅"} == {*pairs["gold"]} - {"∅"}
        counts = page.locator("#matrix td").evaluate_all("cells => cells.map(each => +each.ariaLabel.split(': ')[1])")
        assert sum(counts) == len(pairs)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("#corpus=klingon&gold=k͡p&predicted=p", "This page has no corpus “klingon”. It shows yoruba."),
        ("#corpus=yoruba&gold=q&predicted=p", "yoruba has no gold phone “q”."),
        ("#corpus=yoruba&view=nothing", "This page has no view “nothing”."),
        ("#gold=k͡p&predicted=∅", ""),
    ],
)
def test_what_an_address_names_and_the_page_does_not_have_is_said(address: str, words: str, report: Opener) -> None:
    page = report(address)
    assert page.inner_text("#unknown") == words
    assert (page.is_visible("#unknown"), page.is_visible("#behind")) == (bool(words), not words)


def test_a_pair_in_a_sentence_leads_to_its_utterances_and_back(report: Opener) -> None:
    page = report(viewport={"width": 1440, "height": 900})
    page.click("#findings-section summary")
    link = page.locator("#findings-section article[data-corpus=yoruba] li a", has_text=" → ").first
    link.scroll_into_view_if_needed()
    before = page.evaluate("location.href")
    pair, sentence = link.inner_text(), link.locator("xpath=..").inner_text()
    link.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == f"Gold {pair.replace('→', 'predicted as')}"
    tokens = sentence.partition(f"{pair} ")[2].strip("(").split()[0]
    assert page.inner_text("#behind-count").split()[0] == tokens
    page.go_back()
    page.wait_for_selector("#behind", state="hidden")
    wait_until(page, "before => location.href === before", before)
    assert link.is_visible()


def test_a_claim_beside_the_reference_has_what_is_expected_and_q(results: Path, report: Opener) -> None:
    expected = table(results, "expected", "yoruba").query("gold != predicted and observed > 0").iloc[0]
    gold, answer = expected["gold"], expected["predicted"]
    page = report(f"#corpus=yoruba&view=excess&gold={gold}&predicted={answer}")
    counts = table(results, "confusions", "yoruba").query("gold == @gold").set_index("predicted")["count"].astype(float)
    share = 100 * counts[answer] / counts.sum()
    claim = page.inner_text("#behind-claim")
    shown = [float(number) for number in re.findall(r"([\d.]+) %", claim)]
    leads = share * float(expected["expected"]) / float(expected["observed"])
    assert shown == pytest.approx([share, leads], abs=0.51)
    assert f"expected from english, {'q ' if expected['q'] else 'not tested'}" in claim


def test_numbers_are_rounded_as_in_papers(browser: Browser) -> None:
    page = browser.new_page()
    values = [0.0, 1e-9, 0.000123456, 0.05, 0.287348, 0.5, 0.9999, 1.0, 12.34, 1666.0, 98765.4321, -0.3333, -2.0]
    widths = [math.nan, 0.0, 1e-7, 0.003, 0.0951, 0.1, 0.4, 7.0, 40.0]
    cases = [(value, value - width, value + width) for value, width in product(values, widths)]
    given = [[None if math.isnan(number) else number for number in case] for case in cases]
    rounding = (Path(render.__file__).parent / "assets/scripts/rounding.js").read_text(encoding="utf-8")
    shown = page.evaluate(
        f"cases => {{ {rounding} return cases.map(([value, low, high]) => rounded(value, low ?? NaN, high ?? NaN)); }}",
        given,
    )
    assert shown == [round_number(*case) for case in cases]


@pytest.mark.parametrize("scripts", [True, False])
def test_findings_numbers_and_confusions_are_printed_with_scripts_or_without(
    scripts: bool, results: Path, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((results / "report.html").as_uri())
    if scripts:
        page.wait_for_selector("html[data-ready=yes]")
    else:
        assert page.locator(".card:visible .verdict").count() == 2
    page.emulate_media(media="print")
    drawn = ["#matrix td", "#vowels circle", "#map text"] if scripts else []
    articles = [f"#findings-section article[data-corpus={corpus}] li" for corpus in ("yoruba", "english")]
    for shown in (*articles, "#numbers-table", "#cite-section code", *drawn):
        assert page.locator(shown).first.is_visible(), shown
    for hidden in ("#bar", "#tables-section", "#definitions-section"):
        assert not page.locator(hidden).is_visible(), hidden
    signatures = page.locator("#cite-section code").all_inner_texts()
    assert sorted(signatures) == sorted({*read_manifest(results)["signatures"].values()})  # alike ones once
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 5
    context.close()
