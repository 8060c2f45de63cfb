"""The address is the state of the page: a link points at a cell, back returns, and nothing is lost on the way."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page
from waiting import at, settle

Opener = Callable[..., Page]


def test_a_link_to_a_cell_opens_its_utterances(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&view=probability&gold=k͡p&heard=p")
    assert page.inner_text("#tabs a[aria-current]") == "yoruba"
    assert page.input_value("#view") == "probability"
    assert page.inner_text("#behind-title") == "Gold k͡p heard as p"
    assert page.locator("#behind-list .hit").count() > 0
    assert page.evaluate("document.activeElement.id") == "behind-title"


def test_a_pair_that_the_view_has_no_cell_for_opens_its_utterances(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&view=excess&gold=k͡p&heard=p")
    rows = page.locator("#matrix tbody th").all_inner_texts()
    assert "k͡p" not in rows
    assert page.inner_text("#behind-title") == "Gold k͡p heard as p"
    assert page.inner_text("#behind-count").startswith("19 tokens in ")
    assert "has no cell of gold k͡p heard as p" in page.inner_text("#cell")


def test_back_returns_to_what_was_shown_before(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&gold=k͡p&heard=p")
    page.locator("#tabs a", has_text="English").click()
    page.wait_for_selector("#behind", state="hidden")
    page.go_back()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == "Gold k͡p heard as p"


def test_of_many_addresses_in_a_row_the_last_is_shown(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    for last, other in (("english", "yoruba"), ("yoruba", "english")):
        addresses = [f"#corpus={other}&view=npmi&other={last}", f"#corpus={other}&speaker=speaker1", f"#corpus={last}"]
        page.evaluate("addresses => addresses.forEach(each => { location.hash = each })", addresses[:-1])
        at(page, addresses[-1])
        heads = page.locator("#matrix tbody th").all_inner_texts()
        counts = page.locator("#matrix td").evaluate_all("cells => cells.map(each => +each.ariaLabel.split(': ')[1])")
        pairs = pd.read_csv(results / last / "alignments.tsv", sep="\t", keep_default_na=False, quoting=3)
        assert set(heads) - {"∅"} == set(pairs["gold"]) - {"∅"}
        assert sum(counts) == len(pairs)


@pytest.mark.parametrize(
    "address", ["#corpus=none&gold=x&heard=y", "#view=none&order=none&speaker=none", "#=&==", "#a=%"]
)
def test_an_address_that_names_nothing_shows_the_page(address: str, results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at=address)
    assert page.locator("#matrix td").count() > 0
    assert not page.is_visible("#behind")


def test_a_control_changes_the_address_without_a_step_to_go_back(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    steps = page.evaluate("history.length")
    page.select_option("#view", "npmi")
    settle(page)
    assert "view=npmi" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == steps
    at(page, "#view=counts")
    assert page.input_value("#view") == "counts"
