"""The page of an experiment with hostile names, in Chromium: nothing runs, every name is shown, every cell in reach."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_experiment import LONG, MARK, PHONES, composed, make_hostile_experiment, make_long_experiment
from playwright.sync_api import Page
from waiting import settle

from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    run(load_configuration(make_hostile_experiment(folder)), folder / "results", SERIAL, Silent())
    return folder / "results"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    run(load_configuration(make_long_experiment(folder)), folder / "results", SERIAL, Silent())
    return folder / "results"


def test_names_are_shown_as_letters_and_nothing_runs(open_page: Callable[[Path], Page], hostile: Path) -> None:
    page = open_page(hostile / "report.html")
    told: list[str] = []
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    assert page.evaluate("document.scripts.length") == 2
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    for name in page.eval_on_selector_all("#table-name option", "found => found.map(option => option.value)"):
        page.select_option("#table-name", name)
        settle(page)
    page.select_option("#table-name", "first/association.tsv")
    page.fill("#table-filter", MARK)
    page.locator("#table-shown td", has_text=f"<script>{MARK}(1)</script>").first.wait_for()
    heads = page.eval_on_selector_all("#matrix thead th", "found => found.map(head => head.textContent)")
    assert set(heads[1:]) - {"∅"} == set(map(composed, PHONES))
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert told == []


def test_a_long_name_hides_no_cell(open_page: Callable[[Path], Page], hostile: Path) -> None:
    page = open_page(hostile / "report.html")
    widths = page.eval_on_selector_all("#matrix th", "found => found.map(head => head.getBoundingClientRect().width)")
    assert max(widths) < 200
    page.click(
        f"#matrix tbody tr:nth-child(2) td:nth-child({len(PHONES) // 2})", timeout=5_000
    )  # unless something is over it


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_names_without_end_widen_nothing(width: int, open_page: Callable[..., Page], long: Path) -> None:
    page = open_page(long / "report.html", viewport={"width": width, "height": 900})
    page.locator("#matrix tbody tr").first.locator("td").nth(0).click()
    settle(page)
    assert page.locator("#behind-list .speaker .long").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in page.eval_on_selector_all("#table-name option", "found => found.map(option => option.value)"):
        page.select_option("#table-name", name)
        settle(page)
        wide = "found => Math.max(0, ...found.map(each => each.getBoundingClientRect().width))"
        assert page.eval_on_selector_all("#table-shown .long", wide) < 450
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    high = "found => Math.max(...found.map(each => each.getBoundingClientRect().height))"
    assert page.eval_on_selector_all(".long", high) < 120  # two lines, of whatever script


def test_a_name_without_end_is_shown_whole_where_it_is_clicked(open_page: Callable[..., Page], long: Path) -> None:
    page = open_page(long / "report.html")
    page.select_option("#table-name", f"{'y' * 100}/phones.tsv")
    page.locator("#table-shown th", has_text="entropy_low").first.wait_for()
    names = page.locator("#table-shown .long")
    assert set(names.all_inner_texts()) >= {composed(name.strip()) for name in LONG}
    for name in names.all()[: len(LONG)]:
        assert name.evaluate("each => each.scrollHeight - each.clientHeight") > 10
        name.click()
        assert name.evaluate("each => each.scrollHeight - each.clientHeight") <= 1
