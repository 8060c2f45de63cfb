"""The page as a reader meets it: first screen, findings, numbers, tables, addresses, keyboard, print, no scripts."""

import re
from itertools import product
from pathlib import Path

import pytest
from pages import Opener, at, settle, table, wait_until
from playwright.sync_api import Browser, Page, expect

from phonxling.report.numbers import round_number
from phonxling.report.render import script
from phonxling.results.folder import read_manifest

OF_YORUBA = "#findings-section article[data-corpus=yoruba]"
NONE = float("nan")


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
    page.locator("#matrix td").first.focus()
    rows = page.locator("#matrix tbody tr").count()
    columns = page.locator("#matrix tbody tr").first.locator("td").count()
    seen = set()
    for row in range(rows):
        page.keyboard.press("Home")
        for _ in range(columns):
            seen.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
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
    page.keyboard.press("Escape")
    page.wait_for_selector("#behind", state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"


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


def test_a_long_table_is_searched_and_shown_on(results: Path, report: Opener) -> None:
    page = report()
    page.click("#tables-section summary")
    choose(page, "table-name", "summary")
    rows = table(results, "summary")
    lines = page.locator("#table-shown tbody tr")
    assert lines.count() == 100 < len(rows)
    defined = set(page.locator("#definitions-section dt code").all_text_contents())
    assert set(rows["measure"]) <= defined
    cells = page.locator("#table-shown td").all_inner_texts()
    assert not [text for text in cells if re.fullmatch(r"-?\d+\.0", text)]  # whole numbers have no point
    page.click("#table-more")
    expect(lines).to_have_count(min(200, len(rows)))
    page.fill("#table-filter", "chance_wper")
    expect(lines).to_have_count(int((rows["measure"] == "chance_wper").sum()))
    assert lines.count() > 0
    assert not page.is_visible("#table-more")
    assert page.inner_text("#table-size").startswith(f"{len(rows)} rows, {lines.count()} hold")


def test_a_table_leads_to_its_file_and_its_phones_to_their_cells(results: Path, report: Opener) -> None:
    page = report("#table=yoruba/confusions")
    assert (results / page.get_attribute("#download", "href")).samefile(results / "confusions.tsv")
    row = page.locator("#table-shown tbody tr", has=page.locator("td", has_text="k͡p")).first
    gold, predicted, *_ = row.locator("td").all_inner_texts()
    row.locator("td").nth(1).locator("a").click()
    settle(page)
    assert page.inner_text("#behind-title") == f"Gold {gold} predicted as {predicted}"


@pytest.mark.parametrize("width", [360, 600])  # 600 is 1,200 pixels at a zoom of 200 %
def test_nothing_runs_out_of_a_narrow_window(width: int, report: Opener) -> None:
    page = report(viewport={"width": width, "height": 700})
    page.locator("#matrix td").nth(5).click()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_is_dark(report: Opener) -> None:
    grounds = [
        report(color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert grounds[0] == "rgb(255, 255, 255)"
    assert max(int(part) for part in grounds[1][4:-1].split(",")) < 60


def test_a_link_to_a_cell_opens_its_utterances(report: Opener) -> None:
    page = report("#corpus=yoruba&view=probability&gold=k͡p&predicted=p")
    assert page.locator("#tabs option:checked").inner_text() == "yoruba"
    assert page.input_value("#view") == "probability"
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    assert page.locator("#behind-list .hit").count() > 0
    assert page.evaluate("document.activeElement.id") == "behind-title"
    steps = page.evaluate("history.length")
    page.select_option("#view", "reverse")
    settle(page)
    assert "view=reverse" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == steps  # a control adds no step to go back


def test_of_many_addresses_in_a_row_the_last_is_shown(results: Path, report: Opener) -> None:
    page = report()
    for last, other in (("english", "yoruba"), ("yoruba", "english")):
        addresses = [f"#corpus={other}&view=reverse&other={last}", f"#corpus={other}&speaker=speaker1"]
        addresses.append(f"#corpus={last}&view=counts")
        page.evaluate("addresses => addresses.forEach(each => { location.hash = each })", addresses[:-1])
        at(page, addresses[-1])
        heads = page.locator("#matrix tbody th").all_inner_texts()
        counts = page.locator("#matrix td").evaluate_all("cells => cells.map(each => +each.ariaLabel.split(': ')[1])")
        pairs = table(results, "alignments", last)
        assert set(heads) - {"∅"} == set(pairs["gold"]) - {"∅"}
        assert sum(counts) == len(pairs)


@pytest.mark.parametrize(
    ("address", "said", "shown"),
    [
        ("#corpus=klingon&gold=k͡p&predicted=p", "This page has no corpus “klingon”. It shows yoruba.", False),
        ("#corpus=yoruba&gold=q&predicted=p", "yoruba has no gold phone “q”.", False),
        ("#corpus=yoruba&view=nothing", "This page has no view “nothing”.", False),
        ("#corpus=yoruba&gold=k͡p&predicted=q", "yoruba has no predicted phone “q”.", False),
        ("#corpus=yoruba&gold=k͡p&predicted=p", "", True),
        ("#gold=k͡p&predicted=∅", "", True),
    ],
)
def test_what_an_address_names_and_the_page_does_not_have_is_said(
    address: str, said: str, shown: bool, report: Opener
) -> None:
    page = report(address)
    assert page.inner_text("#unknown") == said
    assert page.is_visible("#unknown") == bool(said)
    assert page.is_visible("#behind") == shown


def test_a_pair_in_a_sentence_leads_to_its_utterances_and_back(report: Opener) -> None:
    page = report(viewport={"width": 1440, "height": 900})
    page.click("#findings-section summary")
    link = page.locator(f"{OF_YORUBA} li a", has_text=" → ").first
    link.scroll_into_view_if_needed()
    before = page.evaluate("location.href")
    told, sentence = link.inner_text(), link.locator("xpath=..").inner_text()
    link.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == f"Gold {told.replace('→', 'predicted as')}"
    tokens = sentence.partition(f"{told} ")[2].strip("(").split()[0]
    assert page.inner_text("#behind-count").split()[0] == tokens
    page.go_back()
    page.wait_for_selector("#behind", state="hidden")
    wait_until(page, "before => location.href === before", before)
    assert link.is_visible()


def test_a_claim_beside_the_reference_has_what_is_expected_and_q(results: Path, report: Opener) -> None:
    expected = table(results, "expected", "yoruba").query("gold != predicted and observed > 0").iloc[0]
    gold, answer = expected["gold"], expected["predicted"]
    page = report(f"#corpus=yoruba&view=excess&gold={gold}&predicted={answer}")
    counts = table(results, "confusions", "yoruba").query("gold == @gold")
    share = counts.set_index("predicted")["count"].astype(float) / counts["count"].astype(float).sum()
    leads = share[answer] * float(expected["expected"]) / float(expected["observed"])
    told = page.inner_text("#behind-claim")
    here, there = (float(number) for number in re.findall(r"([\d.]+) %", told))
    assert here == pytest.approx(100 * share[answer], abs=0.51)
    assert there == pytest.approx(100 * leads, abs=0.51)
    assert f"expected from english, {'q ' if expected['q'] else 'not tested'}" in told


def test_numbers_are_rounded_as_in_papers(browser: Browser) -> None:
    page = browser.new_page()
    values = [0.0, 1e-9, 0.000123456, 0.05, 0.287348, 0.5, 0.9999, 1.0, 12.34, 1666.0, 98765.4321, -0.3333, -2.0]
    widths = [NONE, 0.0, 1e-7, 0.003, 0.0951, 0.1, 0.4, 7.0, 40.0]
    cases = [(value, value - width, value + width) for value, width in product(values, widths)]
    given = [[None if number != number else number for number in case] for case in cases]
    shown = page.evaluate(
        f"cases => {{ {script(('rounding',))} return cases.map(([value, low, high]) =>"
        " modules.rounding.rounded(value, low ?? NaN, high ?? NaN)); }",
        given,
    )
    assert shown == [round_number(*case) for case in cases]


@pytest.mark.parametrize("scripts", [True, False])
def test_findings_numbers_and_confusions_are_printed(scripts: bool, results: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((results / "report.html").as_uri())
    page.emulate_media(media="print")
    if scripts:
        page.wait_for_selector("html[data-ready=yes]")
    drawn = ["#matrix td", "#vowels circle", "#map text"] if scripts else []
    for shown in ("#findings-section li", "#numbers-table", "#cite-section code", *drawn):
        assert page.locator(shown).first.is_visible(), shown
    for hidden in ("#bar", "#tables-section", "#definitions-section"):
        assert not page.locator(hidden).is_visible(), hidden
    shown = page.locator("#cite-section code").all_inner_texts()
    assert sorted(shown) == sorted({*read_manifest(results)["signatures"].values()})  # alike ones once
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert 1 <= pages <= 5
    context.close()
