"""Numbers on the page: in words, side by side, copied for a paper, sorted; definitions lead back; what is printed."""

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page
from waiting import wait_until

from phonxling.report.render import script
from phonxling.report.rounding import rounded

Opener = Callable[..., Page]
NONE = float("nan")


def table(results: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(results / name, sep="\t", keep_default_na=False, quoting=3)


def test_a_click_on_a_number_gives_a_line_for_a_paper(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    page.click('#numbers-table tr[data-measure="per"] button[data-corpus="yoruba"]')
    line = page.input_value("#copied input")
    row = table(results, "summary.tsv").query("corpus == 'yoruba' and measure == 'per'").iloc[0]
    number = rounded(*(float(row[name]) for name in ("value", "low", "high")))
    assert line.startswith(f"phone error rate, yoruba: {number} (95 % interval), n = {row['n']:,.0f}; phonxling ")
    assert line.endswith(row["signature"])
    shown = page.inner_text('#numbers-table tr[data-measure="per"] button[data-corpus="yoruba"]')
    assert shown == number


def test_a_measure_is_chosen_in_words_and_drawn_side_by_side(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#measure=conditional_entropy")
    assert page.locator("#measure option:checked").inner_text() == "entropy of what is heard, given gold"
    options = page.eval_on_selector_all("#measure option", "each => each.map(option => option.textContent)")
    assert not [text for text in options if "_" in text]
    groups = page.locator("#measure optgroup").all()
    for group in groups:
        words = [text.lower() for text in group.locator("option").all_inner_texts() if "…" not in text]
        assert words == sorted(words)
    told = page.locator("#side-by-side li").all_inner_texts()
    row = table(results, "summary.tsv").query("corpus == 'yoruba' and measure == 'conditional_entropy'").iloc[0]
    assert any(rounded(*(float(row[name]) for name in ("value", "low", "high"))) + " bits" in text for text in told)


def test_a_definition_leads_back(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=english&measure=per")
    page.click('#numbers-table tr[data-measure="wper"] a')
    assert page.evaluate("location.hash") == "#def-wper"
    assert page.locator("#def-wper").evaluate("each => getComputedStyle(each).borderLeftWidth") == "4px"
    assert page.inner_text("#tabs a[aria-current]") == "english"
    page.click("#def-wper .back")
    wait_until(page, "location.hash === '#corpus=english&measure=per'")


def test_a_head_sorts_its_column(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#table=yoruba/phones.tsv")
    head = page.locator("#table-shown th", has_text="tokens").first
    place = page.locator("#table-shown th").all_inner_texts().index("tokens")
    tokens = table(results, "yoruba/phones.tsv")["tokens"].tolist()
    for way, order in (("ascending", sorted(tokens)), ("descending", sorted(tokens, reverse=True))):
        head.locator("button").click()
        page.wait_for_selector(f"#table-shown th[aria-sort={way}]")
        cells = page.locator(f"#table-shown tbody td:nth-child({place + 1})").all_inner_texts()
        assert list(map(int, cells)) == order


def test_whole_numbers_have_no_point(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#table=summary.tsv")
    cells = page.locator("#table-shown td").all_inner_texts()
    assert not [text for text in cells if re.fullmatch(r"-?\d+\.0", text)]


def test_numbers_are_rounded_as_in_papers(browser: Browser) -> None:
    page = browser.new_page()
    values = [0.0, 1e-9, 0.000123456, 0.05, 0.287348, 0.5, 0.9999, 1.0, 12.34, 1666.0, 98765.4321, -0.3333, -2.0]
    widths = [NONE, 0.0, 1e-7, 0.003, 0.0951, 0.1, 0.4, 7.0, 40.0]
    cases = [(value, value - width, value + width) for value, width in product(values, widths)]
    given = [[None if number != number else number for number in case] for case in cases]
    shown = page.evaluate(
        f"cases => {{ {script('rounding')} return cases.map(([value, low, high]) =>"
        " $rounding.rounded(value, low ?? NaN, high ?? NaN)); }",
        given,
    )
    assert shown == [rounded(*case) for case in cases]


@pytest.mark.parametrize("scripts", [True, False])
def test_findings_numbers_and_confusions_are_printed(scripts: bool, results: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((results / "report.html").as_uri())
    page.emulate_media(media="print")
    for shown in ("#findings-section", "#numbers-table", "#printed-section figure path", "#cite-section code"):
        assert page.locator(shown).first.is_visible(), shown
    for hidden in ("#matrix-section", "#tables-section", "#definitions-section"):
        assert not page.locator(hidden).is_visible(), hidden
    signatures = set(table(results, "summary.tsv")["signature"]) | set(table(results, "details.tsv")["signature"])
    assert set(page.locator("#cite-section code").all_inner_texts()) == signatures
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert 1 <= pages <= 5
    context.close()
