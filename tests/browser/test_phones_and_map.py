"""Pictures of phones and the map: numbers are the tables', marks lead on, no name stands over another."""

import re
import shutil
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest
from pages import Opener, at, page_of, table

from phonxling.report.numbers import round_number


def test_phones_stand_the_worst_first_where_the_axis_has_their_number(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    for measure, unit, sign in (("accuracy", "accuracy", 1), ("entropy", "entropy in bits", -1)):
        page.select_option("#phones-measure", measure)
        rows = table(results, "phones", "yoruba").query("side == 'gold'").set_index("phone")[["tokens", measure]]
        rows["few"], rows["worse"] = rows["tokens"] < 20, rows[measure] * sign
        rows = rows.sort_values(["few", "worse"], kind="stable")
        shown = page.locator("#phone-chart .name").all_text_contents()
        assert [*rows.loc[shown, "worse"]] == [*rows["worse"]]
        assert page.locator("#phone-chart a.few .name").all_text_contents() == shown[len(shown) - rows["few"].sum() :]
        assert unit in page.locator("#phone-chart .axis").all_text_contents()
        names = page.locator("#phone-chart a").evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
        ticks = page.locator("#phone-chart .tick").evaluate_all("all => all.map(tick => tick.getBBox().x)")
        group = ticks[: ticks.index(max(ticks)) + 1]
        for name, circle in zip(names, page.locator("#phone-chart circle").all(), strict=True):
            place = (float(circle.get_attribute("cx") or "nan") - group[0]) / (group[-1] - group[0])
            whole = 1 if measure == "accuracy" else len(group) - 1
            assert whole * place == pytest.approx(rows.loc[name.split(":")[0], measure], abs=1e-4)


@pytest.mark.parametrize(("side", "other"), [("gold", "predicted"), ("predicted", "gold")])
def test_the_numbers_of_a_phone_are_those_of_the_tables(side: str, other: str, results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    counts = table(results, "confusions", "yoruba")
    for row in table(results, "phones", "yoruba").query("side == @side").to_dict("records"):
        at(page, f"#corpus=yoruba&phone={row['phone']}")
        numbers = [
            round_number(*(float(str(row.get(f"{name}{end}", "")) or "nan") for end in ("", "_low", "_high")))
            for name in ("tokens", "accuracy", "deletion_rate", "entropy")
            if row[name] != ""
        ]
        assert page.locator(f"#phone-told .{side} dd").all_inner_texts() == numbers
        partners = counts[counts[side] == row["phone"]].set_index(other)["count"]
        for chip in page.locator(f"#phone-told .{side} .chip").all_inner_texts():
            name, share, _ = chip.replace(" deleted", "").replace(" inserted", "").split()
            assert float(share) == pytest.approx(100 * partners[name] / partners.sum(), abs=0.51)


def test_a_chip_leads_to_its_cell(report: Opener) -> None:
    page = report("#corpus=yoruba&phone=k͡p")
    page.locator("#phone-told .gold .chip", has_text=re.compile("^p ")).click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    page.go_back()
    page.click("#one-phone-links a >> text=On the map")
    page.wait_for_selector("#map a[aria-current][aria-label^='yoruba k͡p:']")


def test_vowels_and_consonants_are_all_gold_phones_and_lead_to_them(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    label = "all => all.map(each => each.getAttribute('aria-label').split(': ')[0])"
    assert {*page.locator("#vowels .disc").evaluate_all(label)} == {"i", "ĩ", "a"}
    assert {*page.locator("#consonants .phone").all_inner_texts()} == {"b", "t", "k͡p", "s"}
    counts = table(results, "confusions", "yoruba")
    for told in page.locator("#vowels .arrow").evaluate_all("all => all.map(each => each.getAttribute('aria-label'))"):
        phone, _, heard, share, _ = told.split()
        own = counts[counts["gold"] == phone].set_index("predicted")["count"]
        assert float(share) == pytest.approx(100 * own[heard] / own.sum(), abs=0.51)
    row = page.locator("#consonants tr", has=page.locator("th", has_text="plosive"))
    assert set(row.locator(".phone").all_inner_texts()) == {"b", "t", "k͡p"}
    row.locator(".phone", has_text="k͡p").click()
    page.locator("#one-phone-title", has_text="k͡p in yoruba").wait_for()


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


@pytest.mark.parametrize("width", [390, 1440])
def test_no_name_stands_over_another_or_over_a_point(width: int, results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba&at=map", viewport={"width": width, "height": 800})
    seen = page.evaluate(COLLISIONS)
    wanted = [phone for name in ("english", "yoruba") for phone in table(results, "map", name)["phone"]]
    missed = page.inner_text("#map-missed").removeprefix("Names without room: ").rstrip(".").split()
    assert sorted(seen["shown"] + missed) == sorted(wanted)
    assert (seen["overNames"], seen["overPoints"]) == (0, 0)
    assert len(missed) <= 0.1 * seen["names"]


def test_the_map_tells_what_the_table_holds_and_leads_to_phones(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba&at=map")
    for row in table(results, "map", "yoruba").to_dict("records"):
        words = page.get_attribute(f"#map a[aria-label^='yoruba {row['phone']}: ']", "aria-label")
        nearest = f"nearest reference phone {row['nearest_reference']}, distance {round_number(row['distance'])}"
        assert words == f"yoruba {row['phone']}: {row['tokens']} tokens; {nearest}"
    page.locator("#map a[aria-label^='yoruba k͡p:'] text").click()
    page.wait_for_selector("#map a[aria-current][aria-label^='yoruba k͡p:']")
    assert page.evaluate("decodeURIComponent(location.hash)") == "#corpus=yoruba&phone=k͡p"
    page.go_back()
    page.locator("#map a[aria-label^='english u:'] text").click()
    page.wait_for_selector("#map a[aria-current][aria-label^='english u:']")
    assert page.input_value("#tabs select") == "english"
    assert page.locator("#map a[aria-label^='yoruba']").count() == 0


NAMESPACE = "{http://www.w3.org/2000/svg}"
PICTURES = {
    "strips": ["english"],
    "grids": ["k͡p", "∅"],
    "vowels": ["ĩ"],
    "consonants": ["plosive", "k͡p"],
    "phone-chart": ["accuracy", "ĩ"],
    "map-picture": ["k͡p"],
    "calibration": ["confidence"],
}


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_saved_as_it_is_seen(picture: str, report: Opener) -> None:
    page = report("#corpus=yoruba", color_scheme="dark")
    button = page.locator(f"button.save[data-picture={picture}]")
    with page.expect_download() as download:
        button.click()
    root = parse(download.value.path()).getroot()  # noqa: S314 - it is the page's own
    texts = [text for each in root.iter(f"{NAMESPACE}text") if (text := "".join(each.itertext()))]
    title = root.findtext(f"{NAMESPACE}title", "")
    assert {*PICTURES[picture], title} <= {*texts}
    assert picture == "strips" or title.endswith("of yoruba")
    caption = page.inner_text(f"#{(button.get_attribute('data-caption') or '').split()[1]}")
    assert " ".join(caption.split()) in " ".join(texts)
    paints = {each.get(name, "none") for each in root.iter() for name in ("fill", "stroke")}
    assert all(re.fullmatch(r"none|#[0-9a-f]{6}|url\(#[\w-]+\)", paint) for paint in paints)
    assert "#15181d" not in paints  # the dark ground
    assert not [each for each in root.iter() if each.get("class") or each.get("style") or each.get("href")]
    fonts = {each.get("font-family") for each in root.iter(f"{NAMESPACE}text")}
    assert all(font and "sans-serif" in font and "system-ui" not in font for font in fonts)


def test_nothing_leads_to_a_map_that_is_not_there(results: Path, open_page: Opener, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "copy")
    lines = (tmp_path / "copy/map.tsv").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "copy/map.tsv").write_text("".join(line for line in lines if not line.startswith("yoruba\t")), "utf-8")
    page = open_page(page_of(tmp_path / "copy"), at="#corpus=yoruba")
    assert not page.is_visible("#map-section")
    assert not page.locator("nav a", has_text="Map").is_visible()
    page.select_option("#tabs select", "english")
    page.wait_for_selector("#map-section", state="visible")
    assert page.locator("nav a", has_text="Map").is_visible()
