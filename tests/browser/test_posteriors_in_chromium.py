"""The strip of posteriors over time shows the numbers of posteriorgrams.tsv at their times, and no labels touch."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page

Opener = Callable[..., Page]
TOUCHING = """texts => {
  const boxes = texts.filter(each => each.textContent.trim()).map(each => each.getBoundingClientRect());
  const beside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
  const apart = (a, b) => beside(a, b) || a.bottom <= b.top + 5 || b.bottom <= a.top + 5;
  return boxes.flatMap((a, place) => boxes.slice(place + 1).filter(b => !apart(a, b))).length;
}"""


def table(results: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(results / f"yoruba/{name}.tsv", sep="\t", quoting=3, na_filter=False)


def test_the_strip_shows_the_probabilities_of_the_table(results: Path, open_page: Opener) -> None:
    rows = table(results, "posteriorgrams")
    name = rows["utterance"].iloc[-1]
    own = rows[rows["utterance"] == name]
    page = open_page(results / "report.html", at=f"#corpus=yoruba&utterance={name}")
    titles = page.locator("#utterance-strip rect title").all_text_contents()
    cells = zip(own["phone"], own["start"], own["end"], own["probability"], strict=True)
    assert sorted(titles) == sorted(f"{phone}, {start:g} to {end:g} s: {p:g}" for phone, start, end, p in cells)
    drawn = page.eval_on_selector_all(
        "#utterance-strip rect",
        "found => found.map(each => ['x', 'width', 'fill-opacity'].map(name => +each.getAttribute(name)))",
    )
    shares = own[["start", "end", "probability"]].to_numpy()
    per = drawn[0][1] / (shares[0, 1] - shares[0, 0])
    for (x, width, opacity), (start, end, p) in zip(drawn, shares, strict=True):
        assert ((x - drawn[0][0]) / per, width / per, opacity) == pytest.approx((start - shares[0, 0], end - start, p))
    labels = page.locator("#utterance-strip .time-names text").all_text_contents()
    assert labels[:2] == ["gold", "heard"]
    assert set(labels[2:]) == set(own["phone"])
    phones = table(results, "alignments").query(f"utterance == '{name}'")
    told = page.locator("#utterance-strip .over-time text:not(.time)").all_text_contents()
    assert told == [*phones["gold"], *phones["predicted"]]


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_no_labels_touch_and_the_strip_scrolls_by_itself(
    width: int, scheme: str, results: Path, open_page: Opener
) -> None:
    page = open_page(
        results / "report.html",
        at="#corpus=yoruba&at=utterances",
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
    )
    assert page.eval_on_selector_all("#utterance-strip .over-time text", TOUCHING) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    left = "() => document.querySelector('.time-names').getBoundingClientRect().left"
    before = page.evaluate(left)
    page.evaluate("() => { document.querySelector('.time-box').scrollLeft = 1000 }")
    assert page.evaluate(left) == before


def test_an_utterance_without_posteriors_names_those_that_have_some(results: Path, open_page: Opener) -> None:
    stored = list(dict.fromkeys(table(results, "posteriorgrams")["utterance"]))
    other = next(name for name in table(results, "utterances")["utterance"] if name not in stored)
    page = open_page(results / "report.html", at=f"#corpus=yoruba&utterance={other}")
    page.click("#utterance-strip summary")
    assert page.locator("#utterance-strip li").all_inner_texts() == stored
    page.click("#utterance-strip li a")
    page.wait_for_selector("#utterance-strip svg.over-time")
    assert page.inner_text("#utterance-name") == stored[0]
