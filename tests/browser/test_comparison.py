"""The page of a comparison as a reader meets it: findings lead to evidence, both alignments stand together."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from compared_results import two_systems
from pages import Opener, table
from playwright.sync_api import Page, expect

from phonxling.report.page_comparison import write_comparison_page
from phonxling.results.folder import read_manifest

CONFIGURATION = """\
name: SYSTEM
corpora:
  one: {gold: gold.tsv, predicted: SYSTEM-gold.tsv, speakers: speakers.tsv}
  two: {gold: other.tsv, predicted: SYSTEM-other.tsv, speakers: speakers.tsv}
chance: {models: [constant], replicates: 2}
figures: {formats: [svg]}
"""


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of two systems that were compared on two corpora."""
    return two_systems(tmp_path_factory.mktemp("compared"), CONFIGURATION, "gold", "other")


def test_pairs_of_the_same_utterances_stand_first_with_a_verdict_that_leads_on(
    compared: Path, open_page: Opener
) -> None:
    page = open_page(compared / "report.html")
    titles = page.locator("#tabs option").all_inner_texts()
    assert titles[:2] == ["good:one and bad:one", "good:two and bad:two"]
    pair = page.locator("article.pair").first
    expect(pair.locator(".verdict")).to_have_text(
        re.compile("^good:one is better than bad:one: (wPER|PER) .* against .*, q ")
    )
    pair.get_by_role("link", name="PER", exact=True).click()
    expect(page).to_have_url(re.compile("table=differences"))
    expect(page.locator("#table-shown")).to_be_visible()
    page.go_back()
    pair.locator("a.chip", has_text=" → ").first.click()
    page.wait_for_selector("#behind", state="visible")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_picture_has_the_better_to_the_right_and_what_is_clear_filled(
    compared: Path, open_page: Opener, width: int
) -> None:
    """Rates of the good system are lower, and its skills higher: all to the right."""
    page = open_page(compared / "report.html", viewport={"width": width, "height": 900})
    picture = page.locator("article.pair:visible .differences")
    expect(picture.locator("figcaption b")).to_have_text("good:one − bad:one, better to the right")
    rows = table(compared, "differences").query("item == 'good:one' and other == 'bad:one'").set_index("measure")
    better = ["wper", "per", "substitution_rate", "deletion_rate", "insertion_rate"]
    better += ["skill_wper", "skill_per", "conditional_entropy", "mutual_information"]
    q = pd.to_numeric(rows.loc[better, "q"])
    marks = picture.locator("circle").evaluate_all("all => all.map(one => [one.getAttribute('cx'), one.classList[0]])")
    zero = float(re.findall(r"M([\d.]+)", picture.locator(".zero").first.get_attribute("d"))[0])
    assert [name for _, name in marks] == ["first" if one < 0.05 else "unclear" for one in q]
    assert all(float(at) > zero for at, _ in marks)
    wide = picture.locator("text").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert max(wide) <= width


def test_what_is_not_alike_is_marked_and_what_is_not_above_chance_is_not_drawn(
    compared: Path, open_page: Opener, tmp_path: Path
) -> None:
    shutil.copytree(compared.parent, tmp_path / "all")
    path = tmp_path / "all" / "out" / "differences.tsv"
    rows = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    rows.loc[rows["measure"] == "wper", "unlike"] = "costs: default against unit"
    rows.loc[(rows["item"] == "good:two") & (rows["other"] == "bad:two"), "status"] = "not-above-chance"
    rows.to_csv(path, sep="\t", index=False, quoting=3)
    write_comparison_page(path.parent, read_manifest(path.parent))
    page = open_page(path.parent / "report.html")
    expect(page.locator("article.pair:visible .differences text", has_text="≠")).to_have_text(["wPER ≠"])
    expect(page.locator("article.pair:visible .unlike")).to_be_visible()
    page.select_option("#tabs select", label="good:two and bad:two")
    expect(page.locator("article.pair:visible h3")).to_be_visible()
    expect(page.locator("article.pair:visible .differences")).to_be_hidden()


def test_the_matrix_shows_the_difference_marked_where_the_table_does_in_the_colour_of_the_better(
    compared: Path, open_page: Opener
) -> None:
    """A difference of shares is better for the first item above 0 on the diagonal, below 0 off it."""
    page = open_page(compared / "report.html")
    stored = table(compared, "confusions").query("item == 'good:one' and other == 'bad:one'")
    assert page.locator("#matrix .marked").count() == (pd.to_numeric(stored["q"]) < 0.05).sum() > 0
    gold, predicted, difference = stored.iloc[0][["gold", "predicted", "difference"]]
    first = page.get_attribute(f'#matrix td[aria-label^="gold {gold}, predicted {predicted}: "]', "aria-label")
    assert float(re.findall(r": ([−0-9.]+)", first)[0].replace("−", "-")) == pytest.approx(float(difference), abs=0.001)
    cells = page.locator("#matrix td.above, #matrix td.below").evaluate_all(
        "all => all.map(one => [one.ariaLabel, one.classList.contains('above'), one.style.getPropertyValue('--v')])"
    )
    coloured = 0
    for label, is_first_better, strength in cells:
        gold, predicted, shown = re.fullmatch(r"gold (.+), predicted (.+): ([−0-9.]+).*", label).groups()
        value = float(shown.replace("−", "-"))
        if gold == "∅":
            assert strength == "0%"
        elif value and strength != "0%":
            coloured += 1
            assert is_first_better == ((value > 0) == (gold == predicted)), label
    assert coloured > 10
    expect(page.locator("#legend")).to_have_text("bad:one bettergood:one better")


def phones_of(page: Page, side: int) -> list[str]:
    """Return the phones of a line of the first utterance: gold, the first item's, the second's; without ∅."""
    script = """side => [...document.querySelectorAll('#both > li:first-child .pairs > li:not(.sides)')]
        .map(li => [...li.children[side].childNodes].at(-1).textContent.trim())"""
    return [phone for phone in page.evaluate(script, side) if phone and phone != "∅"]


def test_both_alignments_stand_over_one_gold_line(compared: Path, open_page: Opener) -> None:
    page = open_page(compared / "report.html", "#search=u07")
    assert page.inner_text("#both-told").startswith("1 of 48 utterances hold")
    for side, file in ((0, "gold"), (1, "good-gold"), (2, "bad-gold")):
        rows = table(compared.parent, file).set_index("utterance")["phones"]
        assert phones_of(page, side) == rows["u07"].split()
