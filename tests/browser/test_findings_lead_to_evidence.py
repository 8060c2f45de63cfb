"""The sentences of the page lead to what they name, and back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from waiting import wait_until

Opener = Callable[..., Page]
OF_YORUBA = "#findings-section article[data-corpus=yoruba]"


def test_a_pair_in_a_sentence_leads_to_its_utterances_and_back(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", viewport={"width": 1440, "height": 900})
    link = page.locator(f"{OF_YORUBA} a", has_text=" heard as ").first
    link.scroll_into_view_if_needed()
    before = page.evaluate("[location.href, scrollY]")
    told = link.inner_text()
    link.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == f"Gold {told}"
    page.go_back()
    page.wait_for_selector("#behind", state="hidden")
    wait_until(page, "before => location.href === before[0] && Math.abs(scrollY - before[1]) < 40", before)
    assert link.is_visible()


def test_every_address_in_the_sentences_leads_to_something(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    addresses = page.eval_on_selector_all("#findings-section a", "links => links.map(link => link.hash)")
    assert len(addresses) > 20
    plain = [address for address in addresses if "=" not in address]
    assert page.evaluate("names => names.filter(name => !document.querySelector(name))", plain) == []
    for name in ("gold", "measure"):
        assert any(f"&{name}=" in address for address in addresses)


@pytest.mark.parametrize(("corpus", "other"), [("yoruba", "english"), ("english", "yoruba")])
def test_the_findings_on_the_chosen_corpus_are_shown_and_all_are_printed(
    corpus: str, other: str, results: Path, open_page: Opener
) -> None:
    page = open_page(results / "report.html", at=f"#corpus={corpus}")
    shown = {name: page.is_visible(f"#findings-section article[data-corpus={name}]") for name in (corpus, other)}
    assert shown == {corpus: True, other: False}
    page.emulate_media(media="print")
    assert page.is_visible(f"#findings-section article[data-corpus={other}]")
