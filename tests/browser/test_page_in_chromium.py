"""The page as a reader meets it: mouse, keyboard, filters, dark, narrow, zoomed, hostile names."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect
from waiting import settle

from phonxling.report.page import write_page
from phonxling.store.folder import read_manifest
from phonxling.tables.files import NUMBERS

Opener = Callable[..., Page]
HOSTILE = "</script><img src=x onerror=alert(1)>"


def table(results: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(results / name, sep="\t", keep_default_na=False, quoting=3)


def cell(page: Page, gold: str, heard: str):  # noqa: ANN201 - a locator
    return page.locator(f'#matrix td[aria-label^="gold {gold}, heard {heard}: "]')


def choose(page: Page, control: str, value: str) -> None:
    if control == "corpus":
        page.locator("#tabs a", has_text=value).click()
    else:
        page.select_option(f"#{control}", value)
    settle(page)


def test_a_click_opens_as_many_tokens_as_the_table_counts(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    choose(page, "corpus", "yoruba")
    counts = table(results, "yoruba/confusions.tsv")
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


def test_every_cell_is_reached_with_the_keyboard_and_opened_with_enter(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
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
    page.keyboard.press("Control+Home")
    first = [page.inner_text("#matrix tbody th >> nth=0"), page.inner_text("#matrix thead th >> nth=1")]
    assert page.inner_text("#cell").startswith(f"Gold {first[0]} heard as {first[1]}: ")
    page.keyboard.press("Enter")
    page.wait_for_selector("#behind", state="visible")
    page.keyboard.press("Escape")
    page.wait_for_selector("#behind", state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"


def test_only_one_cell_stands_in_the_order_of_tabs(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    page.locator("#matrix td").nth(5).click()
    settle(page)
    assert page.locator("#matrix td[tabindex='0']").count() == 1


def test_a_speaker_s_counts_are_those_of_his_alignments(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    choose(page, "corpus", "yoruba")
    choose(page, "speaker", "speaker3")
    own = table(results, "yoruba/utterances.tsv").query("speaker == 'speaker3'")["utterance"]
    pairs = table(results, "yoruba/alignments.tsv")
    pairs = pairs[pairs["utterance"].isin(own)]
    for (gold, heard), count in pairs.groupby(["gold", "predicted"]).size().items():
        assert cell(page, gold, heard).get_attribute("aria-label").endswith(f": {count}")
    total = page.locator("#matrix td").evaluate_all("found => found.map(each => +each.ariaLabel.split(': ')[1])")
    assert sum(total) == len(pairs)


def test_filters_leave_the_phone_and_its_partners_and_the_class(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    choose(page, "corpus", "yoruba")
    choose(page, "class", "vowels")
    assert set(page.locator("#matrix tbody th").all_inner_texts()) == {"a", "i", "ĩ", "∅"}
    choose(page, "class", "")
    page.fill("#partners", "k͡p")
    settle(page)
    counts = table(results, "yoruba/confusions.tsv").query("gold == 'k͡p'")
    assert set(page.locator("#matrix thead th").all_inner_texts()[1:]) == set(counts["predicted"])


@pytest.mark.parametrize("view", ["counts", "probability", "reverse", "excess", "npmi", "association"])
def test_each_view_shows_the_numbers_of_the_tables(view: str, results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    choose(page, "corpus", "yoruba")
    choose(page, "view", view)
    name, columns, value = {
        "counts": ("confusions", ("gold", "predicted"), "count"),
        "probability": ("confusions", ("gold", "predicted"), "p_predicted_given_gold"),
        "reverse": ("confusions", ("gold", "predicted"), "p_gold_given_predicted"),
        "excess": ("expected", ("gold", "predicted"), "residual"),
        "npmi": ("confusions", ("gold", "predicted"), "npmi"),
        "association": ("association", ("gold", "recognised"), "npmi"),
    }[view]
    rows = table(results, f"yoruba/{name}.tsv")
    for row in rows.to_dict("records"):
        if row[value] == "" or (view in {"probability", "reverse"} and row["gold"] == "∅" == row["predicted"]):
            continue
        label = cell(page, row[columns[0]], row[columns[1]]).get_attribute("aria-label")
        shown = label.split(": ")[1].split(",")[0].replace("−", "-")
        assert float(shown) == pytest.approx(float(row[value]), abs=0.0006)


def test_a_long_table_is_searched_and_shown_on(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    choose(page, "table-name", "details.tsv")
    details = table(results, "details.tsv")
    lines = page.locator("#table-shown tbody tr")
    assert lines.count() == 100 < len(details)
    page.click("#table-more")
    expect(lines).to_have_count(min(200, len(details)))
    page.fill("#table-filter", "chance_wper")
    expect(lines).to_have_count(int((details["measure"] == "chance_wper").sum()))
    assert lines.count() > 0
    assert not page.is_visible("#table-more")
    assert page.inner_text("#table-size").startswith(f"{len(details)} rows, {lines.count()} hold")


def test_every_measure_has_a_definition_to_go_to(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    defined = set(page.locator("#definitions-section dt code").all_inner_texts())
    measures = {measure for name in NUMBERS for measure in table(results, name)["measure"]}
    assert measures - defined == set()


def test_the_table_that_is_downloaded_is_the_table_of_the_results(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    choose(page, "table-name", "yoruba/phones.tsv")
    with page.expect_download() as waiting:
        page.click("#download")
    assert Path(waiting.value.path()).read_bytes() == (results / "yoruba/phones.tsv").read_bytes()


def test_the_map_is_read_with_the_arrow_keys(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    page.locator("#map a[data-told]").first.focus()
    told = page.inner_text("#map-told")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#map-told") != told
    assert "tokens" in page.inner_text("#map-told")


def test_a_number_s_definition_is_one_click_away(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html")
    page.click("#numbers-section tbody a >> nth=0")
    assert page.evaluate("location.hash") == "#def-wper"
    assert page.locator("#def-wper + dd").is_visible()


@pytest.mark.parametrize("width", [360, 600])  # 600 is 1,200 pixels at a zoom of 200 %
def test_nothing_runs_out_of_a_narrow_window(width: int, results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", viewport={"width": width, "height": 700})
    page.locator("#matrix td").nth(5).click()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_is_dark(results: Path, open_page: Opener) -> None:
    grounds = [
        open_page(results / "report.html", color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert grounds[0] == "rgb(255, 255, 255)"
    assert max(int(part) for part in grounds[1][4:-1].split(",")) < 60


def test_hostile_names_are_text(results: Path, open_page: Opener, tmp_path: Path) -> None:
    folder = tmp_path / "hostile"
    for path in results.rglob("*"):
        if path.suffix in {".tsv", ".json"}:
            text = path.read_text(encoding="utf-8").replace("k͡p", HOSTILE).replace("speaker3", HOSTILE)
            copy = folder / path.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    page = open_page(write_page(folder, read_manifest(folder)))
    choose(page, "corpus", "yoruba")
    assert page.locator("img").count() == 0
    row = page.locator("#matrix tbody tr", has=page.locator("th", has_text=HOSTILE))
    assert row.count() == 1
    row.locator("td").first.click()
    settle(page)
    assert HOSTILE in page.inner_text("#behind-title")
    choose(page, "speaker", HOSTILE)
    page.locator("#phone-list [role=option]", has_text=HOSTILE[:6]).first.click()
    page.locator("#one-phone-title", has_text=HOSTILE).wait_for()
    assert page.locator("img").count() == 0
