"""The matrix as a reader uses it: views, a speaker, two corpora, evidence; numbers against tables."""

import math
from pathlib import Path

import numpy as np
import pytest
from pages import Opener, at, settle, table
from playwright.sync_api import Page


def cells(page: Page, grid: str = "matrix") -> dict[tuple[str, str], str]:
    """Return what each cell shows, by its phones."""
    labels = page.eval_on_selector_all(f"#{grid} [role=gridcell]", "cells => cells.map(cell => cell.ariaLabel)")
    values = {}
    for label in labels:
        pair, _, text = label.removeprefix("gold ").partition(": ")
        gold, _, answer = pair.partition(", predicted ")
        values[gold, answer] = text.partition(", q")[0]
    return values


def number(text: str) -> float:
    return math.nan if text in {"–", "left out"} else float(text.replace("−", "-").replace(",", ""))


@pytest.fixture
def page(results: Path, open_page: Opener) -> Page:
    return open_page(results / "report.html", at="#corpus=yoruba", viewport={"width": 1440, "height": 900})


def test_excess_tells_its_interval_and_its_q(page: Page, results: Path) -> None:
    at(page, "#corpus=yoruba&view=excess")
    stored = table(results, "expected", "yoruba")
    tested = stored[stored["q"] != ""].assign(q=lambda rows: rows["q"].astype(float))
    assert page.locator("#matrix .marked").count() == (tested["q"] < 0.05).sum()
    row = tested.sort_values("q").iloc[0]
    page.locator(f'#matrix td[aria-label^="gold {row["gold"]}, predicted {row["predicted"]}: "]').hover()
    told = page.inner_text("#cell")
    assert ("q < 0.001" if row["q"] < 0.001 else f"q = {row['q']:.3g}") in told
    low = float(told.partition("[")[2].partition(",")[0].replace("−", "-"))
    assert low == pytest.approx(float(row["low"]), rel=0.05)


def test_rows_of_few_tokens_are_striped_where_cells_are_shares(page: Page, results: Path) -> None:
    speakers = table(results, "utterances", "yoruba").set_index("utterance")["speaker"]
    pairs = table(results, "alignments", "yoruba")
    tokens = pairs[pairs["utterance"].map(speakers) == "speaker1"]["gold"].value_counts()
    at(page, "#corpus=yoruba&view=probability&speaker=speaker1")
    heads = page.locator("#matrix tr.few th").all_inner_texts()
    assert set(heads) == set(tokens.index[tokens < 20])
    assert heads
    assert "striped rows: fewer than 20 tokens" in page.inner_text("#unit")
    at(page, "#corpus=yoruba&view=counts&speaker=speaker1")
    assert page.locator("#matrix tr.few").count() == 0


def test_two_corpora_stand_over_the_same_phones_and_open_their_own_utterances(page: Page, results: Path) -> None:
    at(page, "#corpus=yoruba&view=counts&other=english")
    own, other = cells(page), cells(page, "matrix-other")
    assert list(own) == list(other)
    for corpus, grid in (("yoruba", own), ("english", other)):
        counts = table(results, "confusions", corpus).set_index(["gold", "predicted"])["count"]
        assert {cell: number(text) for cell, text in grid.items() if text != "0"} == dict(counts)
    page.locator('#matrix-other td[aria-label^="gold i, predicted i: "]').click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-list .id >> nth=0").startswith("english_")
    page.locator("#behind-corpora a", has_text="yoruba").click()
    settle(page)
    assert page.inner_text("#behind-list .id >> nth=0").startswith("yoruba_")


def test_a_difference_is_that_of_the_shares_and_is_not_tested_within_a_run(results: Path, report: Opener) -> None:
    """Of p(predicted | gold, not deleted); in the column ∅, of the share of all tokens."""
    page = report("#corpus=yoruba&other=english&view=difference")
    both = []
    for name in ("yoruba", "english"):
        counts = table(results, "confusions", name).pivot_table("count", "gold", "predicted", "sum", fill_value=0)
        counts["∅"] = counts.get("∅", 0)  # nothing may be deleted
        kept = counts.drop(columns="∅")
        both.append(kept.div(kept.sum(axis=1), axis=0).assign(**{"∅": counts["∅"] / counts.sum(axis=1)}))
    shown = cells(page)
    assert {gold for gold, _ in shown} - {"∅"} == set(both[0].index) & set(both[1].index) - {"∅"}
    for (gold, answer), text in shown.items():
        values = [part.loc[gold, answer] if answer in part else 0.0 for part in both if gold in part.index]
        if len(values) == 2 and not np.isnan(values).any() and (gold, answer) != ("∅", "∅"):
            assert number(text) == pytest.approx(values[0] - values[1], abs=0.0006)
    assert page.locator("#matrix .marked").count() == 0
    assert "these two are not tested here" in page.inner_text("#unit")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_evidence_opens_beside_the_matrix_or_below_it_and_escape_returns_to_the_cell(
    width: int, height: int, report: Opener
) -> None:
    page = report("#corpus=yoruba", viewport={"width": width, "height": height})
    page.locator('#matrix td[aria-label^="gold k͡p, predicted p: "]').focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#behind", state="visible")
    assert page.evaluate("document.activeElement.id") == "behind-title"
    grid, evidence, title = (page.locator(name).bounding_box() for name in ("#matrix", "#behind", "#behind-title"))
    beside = width > 1000
    assert (evidence["x"] >= grid["x"] + grid["width"], evidence["y"] >= grid["y"] + grid["height"]) == (
        beside,
        not beside,
    )
    assert 0 <= title["y"] < height
    assert "confidence" in page.inner_text("#behind-list .facts >> nth=0")
    page.keyboard.press("Escape")
    page.wait_for_selector("#behind", state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("gold k͡p, predicted p: ")
