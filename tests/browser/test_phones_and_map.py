"""One phone and the map of phones: numbers are the tables', marks and bars lead on, no name stands over another."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import Opener, at, settle, table, wait_until
from playwright.sync_api import Page

from phonxling.core.queries import feature_name
from phonxling.load.resources import panphon_features
from phonxling.report.page import write_page
from phonxling.report.rounding import rounded
from phonxling.store.folder import read_manifest


def lines(page: Page, block: str) -> list[str]:
    """The lines of bars of a block, each as one text."""
    return [" ".join(line.split()) for line in page.locator(f"#phone-told .{block} .bars li").all_inner_texts()]


def facts(page: Page, block: str) -> list[str]:
    return page.locator(f"#phone-told .{block} dd").all_inner_texts()


def with_interval(row: dict[str, str], name: str) -> str:
    parts = [row[name], row.get(f"{name}_low", ""), row.get(f"{name}_high", "")]
    return rounded(*(float(part) if part != "" else math.nan for part in parts))


def first_number(text: str) -> float:
    return float(text.split()[0].replace("−", "-").replace(",", ""))


def test_the_list_has_all_phones_with_their_accuracy(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    phones = table(results, "yoruba/phones.tsv")
    listed = page.locator("#phone-list [role=option]").evaluate_all("all => all.map(each => each.dataset.phone)")
    assert sorted(listed) == sorted(set(phones["phone"]))
    for row in phones.query("side == 'gold'").to_dict("records"):
        told = page.get_attribute(f"#phone-list [data-phone='{row['phone']}']", "aria-label")
        share = float(told.split(": ")[1].split()[0])
        assert share == pytest.approx(float(row["accuracy"]), abs=0.0051)
    groups = page.locator("#phone-list [role=group]").evaluate_all("all => all.map(each => each.ariaLabel)")
    assert groups == ["vowels", "stops", "fricatives", "heard, never spoken"]


def test_the_list_is_moved_through_with_the_keyboard(report: Opener) -> None:
    page = report("#corpus=yoruba&phone=a")
    steps = page.evaluate("history.length")
    assert page.locator("#phone-list [tabindex='0']").count() == 1
    page.locator("#phone-list [tabindex='0']").focus()
    for key, phone in (("ArrowRight", "i"), ("ArrowLeft", "a"), ("End", "ɑ"), ("Home", "a"), ("k", "k͡p")):
        page.keyboard.press(key)
        page.wait_for_selector(f"#phone-list [aria-selected='true'][data-phone='{phone}']")
        assert page.evaluate("document.activeElement.dataset.phone") == phone
    assert page.inner_text("#one-phone-title") == "k͡p in yoruba"
    assert page.evaluate("decodeURIComponent(location.hash)") == "#corpus=yoruba&phone=k͡p"
    assert page.evaluate("history.length") == steps


def test_an_address_opens_its_phone_and_a_click_can_be_gone_back(report: Opener) -> None:
    page = report("#corpus=yoruba&phone=k͡p")
    assert page.evaluate("document.activeElement.id") == "one-phone-title"
    page.click("#phone-list [data-phone='s']")
    page.locator("#one-phone-title", has_text="s in yoruba").wait_for()
    page.go_back()
    page.locator("#one-phone-title", has_text="k͡p in yoruba").wait_for()


@pytest.mark.parametrize(("side", "other"), [("gold", "predicted"), ("predicted", "gold")])
def test_the_numbers_of_a_phone_are_those_of_the_tables(side: str, other: str, results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    counts = table(results, "yoruba/confusions.tsv")
    columns = ["accuracy", "deletion_rate", "entropy", "perplexity", "mean_substitution_cost", "tau"]
    for row in table(results, "yoruba/phones.tsv").query("side == @side").to_dict("records"):
        at(page, f"#corpus=yoruba&phone={row['phone']}")
        shown_columns = columns if side == "gold" else ["accuracy", "entropy", "perplexity"]
        texts = [with_interval(row, name) for name in shown_columns if row[name] != ""]
        assert facts(page, side) == [f"{row['tokens']:,.0f} tokens", *texts]
        notes = page.locator(f"#phone-told .{side} .note").all_inner_texts()
        assert notes == ([row["note"]] if row["note"] else [])
        partners = counts[counts[side] == row["phone"]].set_index(other)["count"]
        names = [line.rsplit(" ", 3)[0].split()[-2 if "∅" in line else -1] for line in lines(page, side)]
        shown = [first_number(line.rsplit(" ", 3)[1]) for line in lines(page, side)]
        if len(partners) <= 8:
            assert dict(zip(names, shown, strict=True)) == partners.to_dict()
        assert sum(shown) == partners.sum()


def test_a_bar_leads_to_its_cell(report: Opener) -> None:
    page = report("#corpus=yoruba&phone=k͡p")
    page.locator("#phone-told .gold .bars a", has_text="p").first.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == "Gold k͡p heard as p"
    page.go_back()
    page.locator("#phone-told .predicted, #phone-told section").nth(1).wait_for()
    page.click("#one-phone-links a >> text=On the map")
    page.wait_for_selector("#map a[aria-current][data-told^='yoruba k͡p:']")


def test_features_that_fail_are_counted_by_token(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba")
    known, counts = panphon_features(), table(results, "yoruba/confusions.tsv")
    every = dict.fromkeys(known.features, 0)
    for phone in sorted(set(counts["gold"]) - {"∅"}):
        at(page, f"#corpus=yoruba&phone={phone}")
        expected: dict[tuple[str, int], int] = {}
        substituted = 0
        for row in counts[counts["gold"] == phone].to_dict("records"):
            heard = row["predicted"]
            if heard in {phone, "∅"}:
                continue
            substituted += row["count"]
            for feature, before, after in zip(
                known.features, known.vector(phone)[0], known.vector(heard)[0], strict=True
            ):
                if before != after:
                    every[feature] += row["count"]
                    key = (feature_name(feature), int(after))
                    expected[key] = expected.get(key, 0) + row["count"]
        signs = {"+": 1, "0": 0, "−": -1}
        found = {}
        for line in lines(page, "features"):
            before, after = line.split(" → ")
            found[before.rsplit(" ", 1)[0], signs[after.split()[0]]] = int(line.rsplit(" ", 3)[1])
        assert len(found) == min(10, len(expected))
        assert all(expected[key] == count for key, count in found.items())
        assert sorted(found.values()) == sorted(expected.values())[-len(found) :]
        assert page.inner_text("#phone-told .features .small").startswith(f"Of {substituted} tokens")
    stored = table(results, "yoruba/features.tsv").set_index("feature")
    for feature, count in every.items():
        assert count == pytest.approx(float(stored["changed"][feature]) * float(stored["substitutions"][feature]))


def contexts_of(results: Path, phone: str, name: Callable[[str | None, str | None], str]) -> dict[str, tuple[int, int]]:
    """Tokens and right ones of a phone by context, counted from alignments.tsv in the slowest way."""
    found: dict[str, tuple[int, int]] = {}
    for _, pairs in table(results, "yoruba/alignments.tsv").groupby("utterance", sort=False):
        spoken = [(gold, heard) for gold, heard in zip(pairs["gold"], pairs["predicted"], strict=True) if gold != "∅"]
        golds = [None, *(gold for gold, _ in spoken), None]
        for place, (gold, heard) in enumerate(spoken):
            if gold == phone:
                context = name(golds[place], golds[place + 2])
                tokens, right = found.get(context, (0, 0))
                found[context] = tokens + 1, right + (heard == gold)
    return found


def shown_contexts(page: Page) -> dict[str, tuple[int, float]]:
    if page.is_visible("#context-more"):
        page.click("#context-more")
    rows = page.locator("#context-table tbody tr").all()
    texts = [(row.locator("th").inner_text(), row.locator("td").all_inner_texts()) for row in rows]
    return {name: (int(cells[0]), float(cells[1].split()[0])) for name, cells in texts}


CLASSES = dict.fromkeys("aiĩ", "vowels") | dict.fromkeys(["b", "t", "k͡p"], "stops") | {"s": "fricatives"}
EDGE = "edge of the utterance"


@pytest.mark.parametrize("kind", ["left-class", "right-class", "left-phone", "right-phone", "position", "both-class"])
def test_contexts_are_those_of_the_alignments(kind: str, results: Path, report: Opener) -> None:
    def word(phone: str | None) -> str:
        return "#" if phone is None else CLASSES[phone] if "class" in kind else phone

    names = {
        "left": lambda before, _: word(before),
        "right": lambda _, after: word(after),
        "both": lambda before, after: f"{word(before)} _ {word(after)}",
        "position": lambda before, after: ("medial", "initial", "final", "alone")[
            (before is None) + 2 * (after is None)
        ],
    }
    page = report(f"#corpus=yoruba&phone=b&beside={kind}")
    expected = contexts_of(results, "b", names[kind.split("-")[0]])
    shown = shown_contexts(page)
    assert {name.replace("edge of the utterance", "#"): tokens for name, (tokens, _) in shown.items()} == {
        name: tokens for name, (tokens, _) in expected.items()
    }
    for name, (_, share) in shown.items():
        tokens, right = expected[name.replace(EDGE, "#")]
        assert share == pytest.approx(100 * right / tokens, abs=0.51)


def test_contexts_of_a_run_that_stored_them_are_the_stored_ones(alone: Path, open_page: Opener, tmp_path: Path) -> None:
    shutil.copytree(alone, tmp_path / "copy")
    stored = table(alone, "yoruba/contexts.tsv")
    stored["count"] += 100
    stored.to_csv(tmp_path / "copy/yoruba/contexts.tsv", sep="\t", index=False)
    page = open_page(write_page(tmp_path / "copy", read_manifest(tmp_path / "copy")), at="#corpus=yoruba&phone=b")
    for kind in ("left-class", "right-phone"):
        page.select_option("#context-kind", kind)
        settle(page)
        own = stored[(stored["kind"] == kind.split("-")[0]) & (stored["gold"] == "b")].groupby("context")["count"].sum()
        assert {name.replace(EDGE, "#"): tokens for name, (tokens, _) in shown_contexts(page).items()} == own.to_dict()
    page.select_option("#context-kind", "left-phone")  # which the run has not stored
    settle(page)
    assert (
        sum(tokens for tokens, _ in shown_contexts(page).values())
        == (table(alone, "yoruba/alignments.tsv")["gold"] == "b").sum()
    )


def test_nearest_phones_and_reasons_are_those_of_the_tables(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba&phone=k͡p")
    own = table(results, "yoruba/nearest.tsv").query("phone == 'k͡p'").to_dict("records")
    rows = page.locator("#phone-told .nearest tbody tr").all()
    assert len(rows) == len(own) > 0
    for row, shown in zip(own, rows, strict=True):
        distance, share = shown.locator("td").all_inner_texts()
        assert shown.locator("th a").inner_text() == row["reference"]
        assert distance == rounded(row["distance"], row["low"], row["high"])
        assert first_number(share) == pytest.approx(100 * row["share_nearest"], abs=0.51)
    missed = table(results, "yoruba/missed.tsv").set_index("phone").loc["k͡p"]
    assert "does not have k͡p" in page.inner_text("#phone-told .missed")
    assert f"{missed['absent_as_nearest']} of {missed['absent']} wrong tokens" in page.inner_text("#phone-told .missed")
    assert sum(float(line.rsplit(" ", 3)[1]) for line in lines(page, "missed")) == missed["errors"]
    page.locator("#phone-told .nearest a").first.click()
    page.locator("#one-phone-title", has_text="in english").wait_for()


def test_without_reference_a_phone_has_no_nearest_ones_and_no_expectations(alone: Path, open_page: Opener) -> None:
    page = open_page(alone / "report.html", at="#corpus=yoruba&phone=b")
    assert page.locator("#phone-told .nearest").count() == 0
    assert "expect" not in page.inner_text("#phone-told .missed")
    assert page.locator("#one-phone-links a", has_text="map").count() == 0
    errors = table(alone, "yoruba/missed.tsv").set_index("phone")["errors"]["b"]
    assert sum(float(line.rsplit(" ", 3)[1]) for line in lines(page, "missed")) == errors


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
def test_no_name_stands_over_another_or_over_a_point(corpus: str, width: int, results: Path, report: Opener) -> None:
    at = f"#corpus={corpus}&at=map"
    page = report(at, viewport={"width": width, "height": 800})
    seen = page.evaluate(COLLISIONS)
    wanted = rows(results, "english") + (rows(results, corpus) if corpus != "english" else [])
    missed = page.inner_text("#map-missed").removeprefix("No room for the names of: ").rstrip(".").split()
    assert sorted(seen["shown"] + missed) == sorted(row[0] for row in wanted)
    assert (seen["overNames"], seen["overPoints"]) == (0, 0)
    assert len(missed) <= 0.1 * seen["names"]


def test_a_mark_leads_to_its_phone_in_its_corpus(report: Opener) -> None:
    page = report("#corpus=yoruba&at=map")
    page.locator("#map a[aria-label^='yoruba k͡p:'] text").click()
    page.wait_for_selector("#map a[aria-current][aria-label^='yoruba k͡p:']")
    assert page.evaluate("decodeURIComponent(location.hash)") == "#corpus=yoruba&phone=k͡p"
    page.go_back()
    page.locator("#map a[aria-label^='english u:'] text").click()
    page.wait_for_selector("#map a[aria-current][aria-label^='english u:']")
    assert page.inner_text("#tabs a[aria-current]") == "english"
    assert page.locator("#map a[aria-label^='yoruba']").count() == 0


def test_the_map_is_read_with_the_arrow_keys_and_left_with_enter(report: Opener) -> None:
    page = report("#corpus=yoruba&at=map")
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


def test_the_map_tells_what_the_table_holds(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba&at=map")
    for phone, tokens, _, _, nearest, distance, *_ in rows(results, "yoruba"):
        told = page.get_attribute(f"#map a[aria-label^='yoruba {phone}: ']", "aria-label")
        assert (
            told
            == f"yoruba {phone}: {tokens} tokens; nearest reference phone {nearest}, distance {float(distance):.3f}"
        )


def test_another_method_draws_another_map_and_says_so(report: Opener) -> None:
    page = report("#corpus=yoruba&at=map")
    assert page.input_value("#map-method") == "pca"
    assert page.inner_text("#map-trust").startswith("Two principal components")
    places = "[...document.querySelectorAll('#map .point')].map(each => each.getAttribute('transform')).join()"
    before = page.evaluate(places)
    page.select_option("#map-method", "mds")
    page.locator("#map-trust", has_text="Classical scaling").wait_for()
    settle(page)
    assert page.evaluate(places) != before
    assert page.evaluate(COLLISIONS)["overNames"] == 0


def test_a_window_that_changes_draws_the_map_anew(report: Opener) -> None:
    page = report("#corpus=yoruba&at=map", viewport={"width": 1200, "height": 800})
    page.set_viewport_size({"width": 400, "height": 800})
    wait_until(page, "document.getElementById('map').viewBox.baseVal.width < 400")
    assert page.evaluate(COLLISIONS)["overNames"] == 0


def test_nothing_leads_to_a_map_that_is_not_there(
    results: Path, alone: Path, open_page: Opener, tmp_path: Path
) -> None:
    shutil.copytree(results, tmp_path / "copy")
    (tmp_path / "copy/yoruba/embedding.tsv").unlink()
    page = open_page(write_page(tmp_path / "copy", read_manifest(tmp_path / "copy")), at="#corpus=yoruba")
    assert not page.is_visible("#map-section")
    assert not page.locator("nav a", has_text="Map").is_visible()
    page.locator("#tabs a", has_text="english").click()
    page.wait_for_selector("#map-section", state="visible")
    assert page.locator("nav a", has_text="Map").is_visible()
    page = open_page(alone / "report.html", at="#corpus=yoruba&phone=a")  # without reference
    assert not page.is_visible("#map-section")
    assert not page.locator("nav a", has_text="Map").is_visible()
