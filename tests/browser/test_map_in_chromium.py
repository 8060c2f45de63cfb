"""The map of phones: no name over another, each mark leads to its phone, and no link to a map that is not there."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from small_experiment import make_experiment
from waiting import settle, wait_until

from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run
from phonxling.report.page import write_page
from phonxling.store.folder import read_manifest

Opener = Callable[..., Page]
COLLISIONS = """() => {
  const box = (each) => each.getBoundingClientRect();
  const meet = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
  const names = [...document.querySelectorAll('#map text:not([hidden])')];
  const points = [...document.querySelectorAll('#map .point')];
  const over = (name, others) => others.filter((other) => other !== name && meet(box(name), box(other)));
  return {
    names: names.length,
    shown: names.map((name) => name.textContent),
    overNames: names.filter((name) => over(name, names).length).length,
    overPoints: names.filter((name) => over(name, points).length).length,
  };
}"""


def rows(results: Path, corpus: str) -> list[list[str]]:
    return [line.split("\t") for line in (results / corpus / "embedding.tsv").read_text("utf-8").splitlines()[1:]]


@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("corpus", ["english", "yoruba"])
def test_no_name_stands_over_another_or_over_a_point(corpus: str, width: int, results: Path, open_page: Opener) -> None:
    at = f"#corpus={corpus}&at=map"
    page = open_page(results / "report.html", at=at, viewport={"width": width, "height": 800})
    seen = page.evaluate(COLLISIONS)
    wanted = rows(results, "english") + (rows(results, corpus) if corpus != "english" else [])
    missed = page.inner_text("#map-missed").removeprefix("No room for the names of: ").rstrip(".").split()
    assert sorted(seen["shown"] + missed) == sorted(row[0] for row in wanted)
    assert (seen["overNames"], seen["overPoints"]) == (0, 0)
    assert len(missed) <= 0.1 * seen["names"]


def test_a_mark_leads_to_its_phone_in_its_corpus(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&at=map")
    page.locator("#map a[aria-label^='yoruba k͡p:'] text").click()
    page.wait_for_selector("#map a[aria-current][aria-label^='yoruba k͡p:']")
    assert page.evaluate("decodeURIComponent(location.hash)") == "#corpus=yoruba&phone=k͡p"
    page.go_back()
    page.locator("#map a[aria-label^='english u:'] text").click()
    page.wait_for_selector("#map a[aria-current][aria-label^='english u:']")
    assert page.inner_text("#tabs a[aria-current]") == "english"
    assert page.locator("#map a[aria-label^='yoruba']").count() == 0


def test_the_map_is_read_with_the_arrow_keys_and_left_with_enter(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&at=map")
    assert page.locator("#map a[tabindex='0']").count() == 1
    page.locator("#map a[tabindex='0']").focus()
    before = page.inner_text("#map-told")
    page.keyboard.press("ArrowRight")
    told = page.inner_text("#map-told")
    assert told != before
    assert "tokens" in told
    page.keyboard.press("Enter")
    page.wait_for_selector("#map a[aria-current]")
    assert page.get_attribute("#map a[aria-current]", "aria-label") == told


def test_the_map_tells_what_the_table_holds(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&at=map")
    for phone, tokens, _, _, nearest, distance, *_ in rows(results, "yoruba"):
        told = page.get_attribute(f"#map a[aria-label^='yoruba {phone}: ']", "aria-label")
        assert (
            told
            == f"yoruba {phone}: {tokens} tokens; nearest reference phone {nearest}, distance {float(distance):.3f}"
        )


def test_another_method_draws_another_map_and_says_so(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&at=map")
    assert page.input_value("#map-method") == "pca"
    assert page.inner_text("#map-trust").startswith("Two principal components")
    places = "[...document.querySelectorAll('#map .point')].map(each => each.getAttribute('transform')).join()"
    before = page.evaluate(places)
    page.select_option("#map-method", "mds")
    page.locator("#map-trust", has_text="Classical scaling").wait_for()
    settle(page)
    assert page.evaluate(places) != before
    assert page.evaluate(COLLISIONS)["overNames"] == 0


def test_a_window_that_changes_draws_the_map_anew(results: Path, open_page: Opener) -> None:
    page = open_page(results / "report.html", at="#corpus=yoruba&at=map", viewport={"width": 1200, "height": 800})
    page.set_viewport_size({"width": 400, "height": 800})
    wait_until(page, "document.getElementById('map').viewBox.baseVal.width < 400")
    assert page.evaluate(COLLISIONS)["overNames"] == 0


def test_nothing_leads_to_a_map_that_is_not_there(results: Path, open_page: Opener, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "copy")
    (tmp_path / "copy/yoruba/embedding.tsv").unlink()
    page = open_page(write_page(tmp_path / "copy", read_manifest(tmp_path / "copy")), at="#corpus=yoruba")
    assert not page.is_visible("#map-section")
    assert not page.locator("nav a", has_text="Map").is_visible()
    page.locator("#tabs a", has_text="english").click()
    page.wait_for_selector("#map-section", state="visible")
    assert page.locator("nav a", has_text="Map").is_visible()


def test_results_without_reference_have_no_map_and_no_link_to_one(open_page: Opener, tmp_path: Path) -> None:
    configuration = make_experiment(tmp_path)
    text = configuration.read_text("utf-8").replace("    role: reference\n", "")
    configuration.write_text(text, encoding="utf-8")
    run(load_configuration(configuration), tmp_path / "results", SERIAL, Silent())
    page = open_page(tmp_path / "results/report.html", at="#corpus=yoruba&phone=a")
    assert not page.is_visible("#map-section")
    assert not page.locator("nav a", has_text="Map").is_visible()
