"""The first screen in a browser: a row selects in place, what it names leads on, many corpora are sorted and found."""

from pathlib import Path

import pytest
from pages import Opener, at, copied, page_of, settle, table
from playwright.sync_api import Page

from phonxling.core.estimate import Estimate
from phonxling.report.first_screen import cards, phone_orders
from phonxling.report.numbers import Numbers
from phonxling.report.render import CorpusPart, Page as PageParts, page_html

CARDS = ".card:visible"


def test_a_row_and_its_strip_select_their_corpus_in_place(report: Opener) -> None:
    page = report(viewport={"width": 1440, "height": 500})
    page.evaluate("scrollTo(0, 20)")
    for name, spot in (("english", "th a"), ("yoruba", "td:nth-child(2)")):
        # forced, because the name's link lies over all of its row
        page.locator(f"#strips tr[data-corpus={name}] {spot}").click(force=True)
        settle(page)
        assert page.locator(CARDS).get_attribute("data-corpus") == name
        assert page.inner_text("#strips .chosen th") == name
        assert page.evaluate("scrollY") == 20
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.locator(CARDS).get_attribute("data-corpus") == "yoruba"


def test_the_worst_phones_are_the_tables_and_lead_to_their_cells_and_utterances(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    phones = table(results, "phones", "yoruba").query("side == 'gold' and tokens >= 20")
    worst = phones.assign(accuracy=phones["accuracy"].astype(float), tokens=phones["tokens"].astype(int))
    worst = worst[worst["accuracy"] < 1].sort_values(["accuracy", "tokens"], ascending=[True, False]).head(6)
    assert page.locator(f"{CARDS} .worst tbody th").all_inner_texts() == worst["phone"].tolist()
    row = page.locator(f"{CARDS} .worst tbody tr").first
    phone, (answer, share) = row.locator("th").inner_text(), row.locator(".chip").inner_text().split(" ", 1)
    row.locator(".chip").click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == f"Gold {phone} predicted as {answer}"
    assert page.inner_text("#behind-claim").startswith(share)
    at(page, "#corpus=yoruba")
    row.locator("a", has_text="utterances").click()
    settle(page)
    assert phone in page.locator("#utterance-pairs .hit span").first.inner_text()


def overlapping(page: Page) -> list[str]:
    """Return the texts of the first screen that lie over another, or beyond the window."""
    return page.evaluate(
        """() => {
            const texts = "#strips :is(th, td:not(:nth-child(2)), .rate text), .card :is(h3, h4, p, caption, th, td)";
            const boxes = [...document.querySelectorAll(texts)].filter((each) => each.checkVisibility());
            const starts = (a, b) => a.left < b.right - 1 && a.top < b.bottom - 1;
            const over = (a, b) => starts(a, b) && starts(b, a);
            const places = boxes.map((each) => each.getBoundingClientRect());
            const isOver = (place, one) => places.slice(0, one).some((other) => over(place, other));
            const found = boxes.filter((_, one) => isOver(places[one], one));
            const beyond = boxes.filter((_, one) => places[one].right > innerWidth + 1);
            return [...found, ...beyond].map((each) => each.textContent);
        }"""
    )


@pytest.mark.parametrize("width", [390, 1440])
def test_no_text_lies_over_another_or_beyond_the_window(
    width: int, results: Path, open_page: Opener, tmp_path: Path
) -> None:
    report = page_of(copied(results, tmp_path, lambda text: text.replace("yoruba", "a-name-of-24-letters-long")))
    for path in (results / "report.html", report):
        assert overlapping(open_page(path, viewport={"width": width, "height": 900})) == []


def test_many_corpora_are_sorted_and_found_by_name(tmp_path: Path, open_page: Opener) -> None:
    per = {f"Language {n}": 0.1 + (7 * n % 50) / 100 for n in range(50)}
    numbers = {
        name: Numbers({("per", ""): Estimate(one), ("skill_per", "best"): Estimate(1 - one)}, name=name)
        for name, one in per.items()
    }
    empty = {"gold": ["a"], "predicted": ["a"], "alignments": None, "sampled": ""}
    parts = [CorpusPart(name=name, title=name, role="target", data=empty) for name in numbers]
    made = PageParts(title="many", version="1", corpora=parts, cards=cards(numbers), orders=phone_orders(["a"]))
    (tmp_path / "report.html").write_text(page_html(made), "utf-8")
    page = open_page(tmp_path / "report.html")
    names = page.locator("#strips tbody tr:visible th")
    assert names.all_inner_texts()[:2] == ["Language 0", "Language 43"]  # best first
    page.select_option("#first-order", "corpus")
    settle(page)
    assert names.all_inner_texts() == [f"Language {number}" for number in range(50)]
    page.fill("#first-search", "guage 4")
    assert names.all_inner_texts() == [f"Language {number}" for number in (4, *range(40, 50))]
    assert page.inner_text("#first-count") == "11 of 50 corpora"
