"""Utterances: the list, its search, keys and links; times, confidences and posteriors are those of the tables."""

import re
from pathlib import Path

import pandas as pd
import pytest
from made_page import make_long_page
from pages import Opener, settle, table
from playwright.sync_api import Page

YORUBA = "#corpus=yoruba&at=utterances"


def listed(page: Page, query: str | None = None) -> list[list[str]]:
    """Return the cells of the rows of the list, after looking for something or as they are."""
    if query is not None:
        page.fill("#utterance-search", query)
        settle(page)
    inner = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    return page.eval_on_selector_all("#utterance-list tbody tr", inner)


def test_the_list_shows_the_table_sorted_by_each_column(results: Path, report: Opener) -> None:
    page = report(YORUBA)
    rows = table(results, "utterances", "yoruba")
    known = rows.set_index("utterance")
    for name, speaker, phones, *rates in listed(page):
        row = known.loc[name]
        assert (speaker, phones) == (row["speaker"], str(row["gold_tokens"]))
        assert [*map(float, rates)] == pytest.approx([row["wper"], row["per"]], abs=0.00051)
    rows["speaker"] = rows["speaker"].str.extract(r"(\d+)").astype(int)
    for place, column in enumerate(["utterance", "speaker", "gold_tokens", "wper", "per"], start=1):
        ways = set()
        for _ in range(2):
            page.click(f"#utterance-list th:nth-child({place}) button")
            settle(page)
            way = page.get_attribute("#utterance-list th:not([aria-sort=none])", "aria-sort")
            ordered = rows.sort_values("utterance", ascending=way == "ascending" or column != "utterance")
            ordered = ordered.sort_values(column, ascending=way == "ascending", kind="stable")
            assert [name for name, *_ in listed(page)] == [*ordered["utterance"]]
            ways.add(way)
        assert ways == {"ascending", "descending"}


SEARCHES = {  # a query, and the same as a regular expression of "gold>predicted " pairs, insertions between them or not
    "kp a": r"k͡p>\S+ (∅>\S+ )*a>\S+ ",
    "a>b k͡p": r"a>b (∅>\S+ )*k͡p>\S+ ",
    "_>∅": r"[^∅ ]+>∅ ",
    "s _ b": r"s>\S+ (∅>\S+ )*[^∅ ]+>\S+ (∅>\S+ )*b>\S+ ",
    "t ∅>_": r"t>\S+ (∅>\S+ )*?∅>\S+ ",
}


def test_a_pattern_finds_the_utterances_that_hold_it(tmp_path: Path, open_page: Opener) -> None:
    made = make_long_page(tmp_path / "made.html", utterances=600, pairs=12, phones=6)
    page = open_page(made, at="#at=utterances")
    pairs = pd.read_csv(made.with_suffix(".tsv"), sep="\t", quoting=3)
    joined = (pairs["gold"] + ">" + pairs["predicted"] + " ").groupby(pairs["utterance"]).sum()
    for query, wanted in SEARCHES.items():
        pattern = re.compile(r"(?:^|(?<= ))" + wanted)
        times = {name: sum(bool(pattern.match(text, at)) for at in range(len(text))) for name, text in joined.items()}
        expected = {name for name, count in times.items() if count}
        assert len(expected) > 0
        assert {name for name, *_ in listed(page, query)} == expected
        count = f"{len(expected)} of {len(joined)} utterances, {sum(times.values()):,} time"
        assert page.inner_text("#utterance-count").startswith(count)
        assert page.locator("#utterance-pairs .hit").count() > 0
        assert "search=" in page.evaluate("location.hash")


def test_other_words_are_looked_for_in_names(report: Opener) -> None:
    page = report(YORUBA)
    assert {name for name, *_ in listed(page, "RUBA_1")} == {f"yoruba_{number}" for number in range(10, 20)}
    assert [name for name, *_ in listed(page, "id:a_07")] == ["yoruba_07"]
    assert listed(page, "k͡p ʘ") == []
    assert page.inner_text("#utterance-count") == "No name holds “k͡p ʘ”; ʘ is not a phone of this corpus."


def test_a_link_opens_an_utterance_with_its_pairs_confidences_and_times(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba&utterance=yoruba_05")
    assert page.evaluate("document.activeElement.id") == "utterance-name"
    rows = table(results, "alignments", "yoruba").query("utterance == 'yoruba_05'")
    inner = "found => found.map(pair => [...pair.querySelectorAll('a > span, small')].map(each => each.textContent))"
    drawn = page.eval_on_selector_all("#utterance-pairs .pairs li", inner)
    for row, (gold, answer, confidence, begins) in zip(rows.to_dict("records"), drawn, strict=True):
        assert (gold, answer) == (row["gold"], row["predicted"])
        known = {"confidence": row["confidence"], "begins": row["gold_start"] or row["predicted_start"]}
        for text, number in zip((confidence, begins), known.values(), strict=True):
            assert (text == "\u00a0") == (number == "")
            assert number == "" or float(text) == pytest.approx(float(number), abs=0.0101)
    rates = table(results, "utterances", "yoruba").set_index("utterance")["per"]
    assert f"PER {float(rates['yoruba_05']):.3f}" in page.inner_text("#utterance-facts")


def test_a_pair_leads_to_its_cell_and_an_utterance_of_a_cell_to_the_list(report: Opener) -> None:
    page = report("#corpus=yoruba&search=k͡p>p")
    page.locator("#utterance-pairs .hit a").first.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    name = page.locator("#behind-list .id a").first.inner_text()
    page.locator("#behind-list .id a").first.click()
    settle(page)
    assert page.inner_text("#utterance-name") == name
    page.go_back()
    page.go_back()
    settle(page)
    assert page.input_value("#utterance-search") == "k͡p>p"


def test_previous_and_next_follow_the_list_and_back_returns(report: Opener) -> None:
    page = report("#corpus=yoruba&utterance=yoruba_00&sort=utterance")
    assert page.get_attribute("#utterance-before", "href") is None
    page.click("#utterance-after")
    page.click("#utterance-after")
    settle(page)
    assert page.inner_text("#utterance-name") == "yoruba_02"
    assert page.evaluate("document.activeElement.id") == "utterance-after"
    page.click("#utterance-before")
    settle(page)
    assert page.inner_text("#utterance-list [aria-current] a") == "yoruba_01"
    page.go_back()
    settle(page)
    assert page.inner_text("#utterance-name") == "yoruba_02"


def test_keys_reach_every_row_of_a_long_list(tmp_path: Path, open_page: Opener) -> None:
    page = open_page(make_long_page(tmp_path / "long.html", utterances=900, pairs=4, phones=6), at="#sort=utterance")
    page.locator("#utterance-list [tabindex='0']").focus()
    focused = "document.activeElement.textContent"
    for key, name in (("Home", 0), ("ArrowDown", 1), ("End", 899), ("ArrowUp", 898), ("Home", 0), ("ArrowUp", 0)):
        page.keyboard.press(key)
        settle(page)
        assert page.evaluate(focused) == f"utterance_{name:05d}"
    page.keyboard.press("PageDown")
    settle(page)
    name = page.evaluate(focused)
    box, link = page.locator("#utterance-scroll").bounding_box(), page.locator("#utterance-list a:focus").bounding_box()
    assert box["y"] < link["y"] < box["y"] + box["height"]
    page.keyboard.press("Enter")
    settle(page)
    assert page.inner_text("#utterance-name") == page.evaluate(focused) == name
