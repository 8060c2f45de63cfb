"""The page as a reader meets it: first screen, findings, numbers, tables, addresses, keyboard, print, no scripts."""

import re
from itertools import product
from pathlib import Path

import pytest
from pages import Opener, at, copied, page_of, settle, table, wait_until
from playwright.sync_api import Browser, Page, expect

from phonxling.report.numbers import round_number
from phonxling.report.render import script
from phonxling.results.folder import read_manifest

HOSTILE = "</script><img src=x onerror=alert(1)>"
OF_YORUBA = "#findings-section article[data-corpus=yoruba]"
NONE = float("nan")


def cell(page: Page, gold: str, predicted: str):  # noqa: ANN201 - a locator
    return page.locator(f'#matrix td[aria-label^="gold {gold}, predicted {predicted}: "]')


def choose(page: Page, control: str, value: str) -> None:
    if control == "corpus":
        page.select_option("#tabs select", value)
    else:
        page.select_option(f"#{control}", value)
    settle(page)


def test_a_click_opens_as_many_tokens_as_the_table_counts(results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    counts = table(results, "confusions", "yoruba")
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


def test_every_cell_is_reached_with_the_keyboard_and_opened_with_enter(report: Opener) -> None:
    page = report()
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
    assert page.locator("#matrix td[tabindex='0']").count() == 1
    page.keyboard.press("Control+Home")
    first = [page.inner_text("#matrix tbody th >> nth=0"), page.inner_text("#matrix thead th >> nth=1")]
    assert page.inner_text("#cell").startswith(f"Gold {first[0]} predicted as {first[1]}: ")
    page.keyboard.press("Enter")
    page.wait_for_selector("#behind", state="visible")
    page.keyboard.press("Escape")
    page.wait_for_selector("#behind", state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"


def test_a_speaker_s_counts_are_those_of_his_alignments(results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    choose(page, "speaker", "speaker3")
    choose(page, "view", "counts")
    own = table(results, "utterances", "yoruba").query("speaker == 'speaker3'")["utterance"]
    pairs = table(results, "alignments", "yoruba")
    pairs = pairs[pairs["utterance"].isin(own)]
    for (gold, answer), count in pairs.groupby(["gold", "predicted"]).size().items():
        assert cell(page, gold, answer).get_attribute("aria-label").endswith(f": {count}")
    total = page.locator("#matrix td").evaluate_all("found => found.map(each => +each.ariaLabel.split(': ')[1])")
    assert sum(total) == len(pairs)


def test_a_filter_leaves_the_phone_and_its_partners(results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    page.fill("#partners", "k͡p")
    settle(page)
    counts = table(results, "confusions", "yoruba").query("gold == 'k͡p'")
    assert set(page.locator("#matrix thead th").all_inner_texts()[1:]) == set(counts["predicted"])


@pytest.mark.parametrize("view", ["counts", "probability", "reverse", "excess", "association"])
def test_each_view_shows_the_numbers_of_the_tables(view: str, results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    choose(page, "view", view)
    name, columns, value = {
        "counts": ("confusions", ("gold", "predicted"), "count"),
        "probability": ("confusions", ("gold", "predicted"), "share_of_gold"),
        "reverse": ("confusions", ("gold", "predicted"), "share_of_predicted"),
        "excess": ("expected", ("gold", "predicted"), "residual"),
        "association": ("association", ("gold", "recognised"), "npmi"),
    }[view]
    rows = table(results, name, "yoruba")
    for row in rows.to_dict("records"):
        if row[value] == "" or (view in {"probability", "reverse"} and row["gold"] == "∅" == row["predicted"]):
            continue
        label = cell(page, row[columns[0]], row[columns[1]]).get_attribute("aria-label")
        shown = label.split(": ")[1].split(",")[0].replace("−", "-")
        assert float(shown) == pytest.approx(float(row[value]), abs=0.0006)


def test_a_long_table_is_searched_and_shown_on(results: Path, report: Opener) -> None:
    page = report()
    page.click("#tables-section summary")
    choose(page, "table-name", "summary")
    rows = table(results, "summary")
    lines = page.locator("#table-shown tbody tr")
    assert lines.count() == 100 < len(rows)
    defined = set(page.locator("#definitions-section dt code").all_text_contents())
    assert set(rows["measure"]) <= defined
    cells = page.locator("#table-shown td").all_inner_texts()
    assert not [text for text in cells if re.fullmatch(r"-?\d+\.0", text)]  # whole numbers have no point
    page.click("#table-more")
    expect(lines).to_have_count(min(200, len(rows)))
    page.fill("#table-filter", "chance_wper")
    expect(lines).to_have_count(int((rows["measure"] == "chance_wper").sum()))
    assert lines.count() > 0
    assert not page.is_visible("#table-more")
    assert page.inner_text("#table-size").startswith(f"{len(rows)} rows, {lines.count()} hold")


def test_a_table_leads_to_its_file_and_its_phones_to_their_cells(results: Path, report: Opener) -> None:
    page = report("#table=yoruba/confusions")
    assert (results / page.get_attribute("#download", "href")).samefile(results / "confusions.tsv")
    row = page.locator("#table-shown tbody tr", has=page.locator("td", has_text="k͡p")).first
    gold, predicted, *_ = row.locator("td").all_inner_texts()
    row.locator("td").nth(1).locator("a").click()
    settle(page)
    assert page.inner_text("#behind-title") == f"Gold {gold} predicted as {predicted}"


@pytest.mark.parametrize("width", [360, 600])  # 600 is 1,200 pixels at a zoom of 200 %
def test_nothing_runs_out_of_a_narrow_window(width: int, report: Opener) -> None:
    page = report(viewport={"width": width, "height": 700})
    page.locator("#matrix td").nth(5).click()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_one_phone_and_the_list_of_utterances_stay_within_the_window(width: int, report: Opener) -> None:
    page = report("#corpus=yoruba&phone=b", viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = "found => found.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"
    assert page.eval_on_selector_all("#utterance-list :is(th, td)", cut) == []


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("name", ["a_corpus", "Wurundjeri Woiwurrung ab"])
def test_the_bar_is_one_line_with_the_menu_in_it(
    name: str, width: int, results: Path, open_page: Opener, tmp_path: Path
) -> None:
    path = page_of(copied(results, tmp_path, lambda text: text.replace("yoruba", name)))
    page = open_page(path, f"#corpus={name}", viewport={"width": width, "height": 800})
    tops = "found => [...new Set(found.map(each => Math.round(each.getBoundingClientRect().bottom / 12)))]"
    assert len(page.eval_on_selector_all("#sections a:not([hidden])", tops)) == 1
    assert page.locator("#bar").bounding_box()["height"] < 44  # type: ignore[index]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sections = page.locator("#sections")
    is_cut = sections.evaluate("each => each.scrollWidth > each.clientWidth + 1")
    assert is_cut is (width == 390)
    page.locator("#sections a", has_text="Tables").click()
    assert page.locator("#tabs option:checked").inner_text() == name


def test_hostile_names_are_text(results: Path, open_page: Opener, tmp_path: Path) -> None:
    names = ("k͡p", "speaker3")
    page = open_page(
        page_of(copied(results, tmp_path, lambda text: text.replace(names[0], HOSTILE).replace(names[1], HOSTILE)))
    )
    choose(page, "corpus", "yoruba")
    row = page.locator("#matrix tbody tr", has=page.locator("th", has_text=HOSTILE))
    row.locator("td").first.click()
    settle(page)
    assert HOSTILE in page.inner_text("#behind-title")
    choose(page, "speaker", HOSTILE)
    page.locator('#phone-chart a[aria-label*="</"]').first.click()
    page.locator("#one-phone-title", has_text=HOSTILE).wait_for()
    assert page.locator("img").count() == 0


def test_dark_is_dark(report: Opener) -> None:
    grounds = [
        report(color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert grounds[0] == "rgb(255, 255, 255)"
    assert max(int(part) for part in grounds[1][4:-1].split(",")) < 60


def test_a_link_to_a_cell_opens_its_utterances(report: Opener) -> None:
    page = report("#corpus=yoruba&view=probability&gold=k͡p&predicted=p")
    assert page.locator("#tabs option:checked").inner_text() == "yoruba"
    assert page.input_value("#view") == "probability"
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    assert page.locator("#behind-list .hit").count() > 0
    assert page.evaluate("document.activeElement.id") == "behind-title"
    steps = page.evaluate("history.length")
    page.select_option("#view", "reverse")
    settle(page)
    assert "view=reverse" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == steps  # a control adds no step to go back


def test_a_pair_that_the_view_has_no_cell_for_opens_its_utterances(report: Opener) -> None:
    page = report("#corpus=yoruba&view=excess&gold=k͡p&predicted=p")
    rows = page.locator("#matrix tbody th").all_inner_texts()
    assert "k͡p" not in rows
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    assert page.inner_text("#behind-count").startswith("19 tokens in ")
    assert "has no cell of gold k͡p predicted as p" in page.inner_text("#cell")


def test_back_returns_to_what_was_shown_before(report: Opener) -> None:
    page = report("#corpus=yoruba&gold=k͡p&predicted=p")
    choose(page, "corpus", "english")
    page.wait_for_selector("#behind", state="hidden")
    page.go_back()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"


def test_of_many_addresses_in_a_row_the_last_is_shown(results: Path, report: Opener) -> None:
    page = report()
    for last, other in (("english", "yoruba"), ("yoruba", "english")):
        addresses = [f"#corpus={other}&view=reverse&other={last}", f"#corpus={other}&speaker=speaker1"]
        addresses.append(f"#corpus={last}&view=counts")
        page.evaluate("addresses => addresses.forEach(each => { location.hash = each })", addresses[:-1])
        at(page, addresses[-1])
        heads = page.locator("#matrix tbody th").all_inner_texts()
        counts = page.locator("#matrix td").evaluate_all("cells => cells.map(each => +each.ariaLabel.split(': ')[1])")
        pairs = table(results, "alignments", last)
        assert set(heads) - {"∅"} == set(pairs["gold"]) - {"∅"}
        assert sum(counts) == len(pairs)


@pytest.mark.parametrize("address", ["#corpus=none&gold=x&predicted=y", "#view=none&speaker=none", "#=&==", "#a=%"])
def test_an_address_that_names_nothing_shows_the_page(address: str, report: Opener) -> None:
    page = report(address)
    assert page.locator("#matrix td").count() > 0
    assert not page.is_visible("#behind")


@pytest.mark.parametrize(
    ("address", "said", "shown"),
    [
        ("#corpus=klingon&gold=k͡p&predicted=p", "This page has no corpus “klingon”. It shows yoruba.", False),
        ("#corpus=yoruba&gold=q&predicted=p", "yoruba has no gold phone “q”.", False),
        ("#corpus=yoruba&view=nothing", "This page has no view “nothing”.", False),
        ("#corpus=yoruba&gold=k͡p&predicted=q", "yoruba has no predicted phone “q”.", False),
        ("#corpus=yoruba&gold=k͡p&predicted=p", "", True),
        ("#gold=k͡p&predicted=∅", "", True),
    ],
)
def test_what_an_address_names_and_the_page_does_not_have_is_said(
    address: str, said: str, shown: bool, report: Opener
) -> None:
    page = report(address)
    assert page.inner_text("#unknown") == said
    assert page.is_visible("#unknown") == bool(said)
    assert page.is_visible("#behind") == shown


def test_an_address_made_with_the_keyboard_names_its_corpus(report: Opener) -> None:
    page = report()
    page.locator("#matrix td").first.focus()
    page.keyboard.press("Enter")
    settle(page)
    assert "corpus=yoruba" in page.evaluate("location.hash")


def test_a_pair_in_a_sentence_leads_to_its_utterances_and_back(report: Opener) -> None:
    page = report(viewport={"width": 1440, "height": 900})
    page.click("#findings-section summary")
    link = page.locator(f"{OF_YORUBA} li a", has_text=" → ").first
    link.scroll_into_view_if_needed()
    before = page.evaluate("location.href")
    told, sentence = link.inner_text(), link.locator("xpath=..").inner_text()
    link.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == f"Gold {told.replace('→', 'predicted as')}"
    tokens = sentence.partition(f"{told} ")[2].strip("(").split()[0]
    assert page.inner_text("#behind-count").split()[0] == tokens
    page.go_back()
    page.wait_for_selector("#behind", state="hidden")
    wait_until(page, "before => location.href === before", before)
    assert link.is_visible()


def test_a_claim_beside_the_reference_has_what_is_expected_and_q(results: Path, report: Opener) -> None:
    expected = table(results, "expected", "yoruba").query("gold != predicted and observed > 0").iloc[0]
    gold, answer = expected["gold"], expected["predicted"]
    page = report(f"#corpus=yoruba&view=excess&gold={gold}&predicted={answer}")
    counts = table(results, "confusions", "yoruba").query("gold == @gold")
    share = counts.set_index("predicted")["count"].astype(float) / counts["count"].astype(float).sum()
    leads = share[answer] * float(expected["expected"]) / float(expected["observed"])
    told = page.inner_text("#behind-claim")
    here, there = (float(number) for number in re.findall(r"([\d.]+) %", told))
    assert here == pytest.approx(100 * share[answer], abs=0.51)
    assert there == pytest.approx(100 * leads, abs=0.51)
    assert f"expected from english, {'q ' if expected['q'] else 'not tested'}" in told


def test_a_share_of_errors_opens_its_phones(results: Path, report: Opener) -> None:
    page = report("#corpus=yoruba&errors=absent")
    errors = table(results, "errors", "yoruba").query("count > 0")
    counts = errors.groupby("reason")["count"].sum().drop(["absent_near", "expected"], errors="ignore")
    assert page.locator("#kind-list li").count() == min(20, (errors["reason"] == "absent").sum()) > 0
    share = counts["absent"] / counts.sum()
    assert page.inner_text("#kind-told").startswith(f"{100 * share:.0f} % of all ")
    page.locator("#kind-list a:nth-of-type(2)").first.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.locator("#behind-list .hit").count() > 0


def test_the_bar_says_where_one_is(report: Opener) -> None:
    page = report()
    for place in ("charts", "utterances-section"):
        page.evaluate("id => document.getElementById(id).scrollIntoView()", place)
        wait_until(page, "id => document.querySelector('#sections [aria-current]')?.hash === `#${id}`", place)
        assert page.evaluate("document.getElementById('bar').getBoundingClientRect().top") == 0


@pytest.mark.parametrize("address", ["#corpus=yoruba", "#corpus=english&phone=b"])
def test_a_corpus_and_a_phone_are_chosen_where_the_reader_is(address: str, report: Opener) -> None:
    page = report(address, viewport={"width": 1440, "height": 700})
    assert page.evaluate("scrollY") == 0
    page.evaluate("document.getElementById('utterances-section').scrollIntoView()")
    top = "document.getElementById('utterances-section').getBoundingClientRect().top"
    before = page.evaluate(top)
    at(page, "#corpus=english" if "yoruba" in address else "#corpus=yoruba&phone=i")
    assert page.evaluate(top) == pytest.approx(before, abs=1)
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    wait_until(page, f"Math.abs({top}) < 300")
    page.go_back()
    settle(page)
    assert page.locator("#tabs option:checked").inner_text() == address.split("=")[1].split("&")[0]


def test_every_address_in_the_sentences_leads_to_something(report: Opener) -> None:
    page = report()
    addresses = page.eval_on_selector_all("#findings-section a", "links => links.map(link => link.hash)")
    assert len(addresses) > 20
    plain = [address for address in addresses if "=" not in address]
    assert page.evaluate("names => names.filter(name => !document.querySelector(name))", plain) == []
    for name in ("gold", "measure"):
        assert any(f"&{name}=" in address for address in addresses)


@pytest.mark.parametrize(("corpus", "other"), [("yoruba", "english"), ("english", "yoruba")])
def test_the_findings_on_the_chosen_corpus_are_shown_and_all_are_printed(
    corpus: str, other: str, report: Opener
) -> None:
    page = report(f"#corpus={corpus}")
    page.click("#findings-section summary")
    shown = {name: page.is_visible(f"#findings-section article[data-corpus={name}]") for name in (corpus, other)}
    assert shown == {corpus: True, other: False}
    page.emulate_media(media="print")
    assert page.is_visible(f"#findings-section article[data-corpus={other}]")


def test_a_measure_is_marked_or_else_defined(report: Opener) -> None:
    page = report("#measure=wper")
    assert page.locator("#numbers-table tr.chosen").get_attribute("data-measure") == "wper"
    assert page.is_visible("#numbers-table")
    page = report("#measure=error_share+absent")
    assert page.is_visible("#def-error_share")


def test_a_definition_leads_back(report: Opener) -> None:
    page = report("#corpus=english&measure=per")
    page.click('#numbers-table tr[data-measure="wper"] a')
    assert page.evaluate("location.hash") == "#def-wper"
    assert page.locator("#def-wper").evaluate("each => getComputedStyle(each).borderLeftWidth") == "4px"
    assert page.locator("#tabs option:checked").inner_text() == "english"
    page.click("#def-wper .back")
    wait_until(page, "location.hash === '#corpus=english&measure=per'")


def test_a_note_has_at_most_three_lines(report: Opener) -> None:
    page = report("#table=summary", viewport={"width": 1440, "height": 900})
    notes = page.locator("#table-shown td", has_text=re.compile(".{61,}"))
    lines = notes.evaluate_all("found => found.map(each => Math.floor(each.clientHeight / (16 * 0.9 * 1.5)))")
    assert lines
    assert max(lines) <= 3


def test_a_head_sorts_its_column(results: Path, report: Opener) -> None:
    page = report("#table=yoruba/phones")
    head = page.locator("#table-shown th", has_text="tokens").first
    place = page.locator("#table-shown th").all_inner_texts().index("tokens")
    tokens = table(results, "phones", "yoruba")["tokens"].tolist()
    for way, order in (("ascending", sorted(tokens)), ("descending", sorted(tokens, reverse=True))):
        head.locator("button").click()
        page.wait_for_selector(f"#table-shown th[aria-sort={way}]")
        cells = page.locator(f"#table-shown tbody td:nth-child({place + 1})").all_inner_texts()
        assert list(map(int, cells)) == order


def test_numbers_are_rounded_as_in_papers(browser: Browser) -> None:
    page = browser.new_page()
    values = [0.0, 1e-9, 0.000123456, 0.05, 0.287348, 0.5, 0.9999, 1.0, 12.34, 1666.0, 98765.4321, -0.3333, -2.0]
    widths = [NONE, 0.0, 1e-7, 0.003, 0.0951, 0.1, 0.4, 7.0, 40.0]
    cases = [(value, value - width, value + width) for value, width in product(values, widths)]
    given = [[None if number != number else number for number in case] for case in cases]
    shown = page.evaluate(
        f"cases => {{ {script(('rounding',))} return cases.map(([value, low, high]) =>"
        " modules.rounding.rounded(value, low ?? NaN, high ?? NaN)); }",
        given,
    )
    assert shown == [round_number(*case) for case in cases]


@pytest.mark.parametrize("scripts", [True, False])
def test_findings_numbers_and_confusions_are_printed(scripts: bool, results: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((results / "report.html").as_uri())
    page.emulate_media(media="print")
    if scripts:
        page.wait_for_selector("html[data-ready=yes]")
    drawn = ["#matrix td", "#vowels circle", "#map text"] if scripts else []
    for shown in ("#findings-section li", "#numbers-table", "#cite-section code", *drawn):
        assert page.locator(shown).first.is_visible(), shown
    for hidden in ("#bar", "#tables-section", "#definitions-section"):
        assert not page.locator(hidden).is_visible(), hidden
    shown = page.locator("#cite-section code").all_inner_texts()
    assert sorted(shown) == sorted({*read_manifest(results)["signatures"].values()})  # alike ones once
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert 1 <= pages <= 5
    context.close()
