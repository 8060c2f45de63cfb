"""The first screen as a reader meets it: on one screen, on a telephone, without scripts, and on to the evidence."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from waiting import wait_until

Opener = Callable[..., Page]
HEIGHT = "found => found.map(each => each.getBoundingClientRect().height)"


def test_four_corpora_have_room_on_one_screen(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", viewport={"width": 1440, "height": 900})
    cards = page.eval_on_selector_all(".card", HEIGHT)
    (section,) = page.eval_on_selector_all("#first-section", HEIGHT)
    above = page.evaluate("document.getElementById('first-section').getBoundingClientRect().top")
    assert above + (section - sum(cards)) + 4 * max(cards) <= 900


def test_on_a_telephone_a_card_is_a_column(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", viewport={"width": 390, "height": 844})
    lefts = page.eval_on_selector_all(".card > div", "found => found.map(each => each.getBoundingClientRect().left)")
    assert len(set(lefts)) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_no_text_of_a_card_lies_over_another(width: int, results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", viewport={"width": width, "height": 900})
    boxes = page.eval_on_selector_all(
        ".card h3, .card li, .card p, .card > div > svg",
        """found => found.map(each => {
            const {left, right, top, bottom} = each.getBoundingClientRect();
            return [left, right, top, bottom];
        })""",
    )
    for place, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:place]:
            beside = other[1] <= left + 1 or right <= other[0] + 1
            assert beside or other[3] <= top + 1 or bottom <= other[2] + 1, (boxes[place], other)


def test_a_confusion_on_the_first_screen_opens_its_utterances_and_back(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", viewport={"width": 1440, "height": 900})
    chip = page.locator(".chips a").first
    told, counted = chip.inner_text(), chip.locator("xpath=..").inner_text()
    chip.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == f"Gold {told}"
    tokens = counted.removeprefix(f"{told} ").split()[0]
    assert page.inner_text("#behind-count").split()[0] == tokens
    page.go_back()
    page.wait_for_selector("#behind", state="hidden")
    wait_until(page, "scrollY < 40")
    assert chip.is_visible()


def test_the_first_screen_and_all_findings_need_no_scripts(results: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((results / "report.html").as_uri())
    assert page.locator(".card .verdict").count() == 2
    for corpus in ("yoruba", "english"):
        assert page.is_visible(f"#findings-section article[data-corpus={corpus}]")
    context.close()


def test_a_title_leads_to_the_findings_of_its_corpus(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    page.locator(".card h3 a", has_text="english").click()
    page.wait_for_selector("#findings-section article[data-corpus=english]", state="visible")
    wait_until(page, "document.getElementById('findings-section').getBoundingClientRect().top < 200")
