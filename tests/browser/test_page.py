"""The page as a reader meets it: first screen, findings, numbers, tables, addresses, keyboard, print, no scripts."""

import re
from itertools import product
from pathlib import Path

import pytest
from pages import Opener, at, copied, page_of, settle, table, wait_until
from playwright.sync_api import Browser, Page, expect

from phonxling.report.numbers import rounded
from phonxling.report.render import script
from phonxling.results.folder import read_manifest

HOSTILE = "</script><img src=x onerror=alert(1)>"
OF_YORUBA = "#findings-section article[data-corpus=yoruba]"
NONE = float("nan")


def cell(page: Page, gold: str, heard: str):  # noqa: ANN201 - a locator
    return page.locator(f'#matrix td[aria-label^="gold {gold}, predicted {heard}: "]')


def choose(page: Page, control: str, value: str) -> None:
    if control == "corpus":
        page.locator("#tabs a", has_text=value).click()
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
    page.click("#fewer summary")
    choose(page, "speaker", "speaker3")
    choose(page, "view", "counts")
    own = table(results, "utterances", "yoruba").query("speaker == 'speaker3'")["utterance"]
    pairs = table(results, "alignments", "yoruba")
    pairs = pairs[pairs["utterance"].isin(own)]
    for (gold, heard), count in pairs.groupby(["gold", "predicted"]).size().items():
        assert cell(page, gold, heard).get_attribute("aria-label").endswith(f": {count}")
    total = page.locator("#matrix td").evaluate_all("found => found.map(each => +each.ariaLabel.split(': ')[1])")
    assert sum(total) == len(pairs)


def test_filters_leave_the_phone_and_its_partners_and_the_class(results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    page.click("#fewer summary")
    choose(page, "class", "vowels")
    assert set(page.locator("#matrix tbody th").all_inner_texts()) == {"a", "i", "ĩ", "∅"}
    choose(page, "class", "")
    page.fill("#partners", "k͡p")
    settle(page)
    counts = table(results, "confusions", "yoruba").query("gold == 'k͡p'")
    assert set(page.locator("#matrix thead th").all_inner_texts()[1:]) == set(counts["predicted"])


@pytest.mark.parametrize("view", ["counts", "probability", "reverse", "excess", "npmi", "association"])
def test_each_view_shows_the_numbers_of_the_tables(view: str, results: Path, report: Opener) -> None:
    page = report()
    choose(page, "corpus", "yoruba")
    choose(page, "view", view)
    name, columns, value = {
        "counts": ("confusions", ("gold", "predicted"), "count"),
        "probability": ("confusions", ("gold", "predicted"), "share_of_gold"),
        "reverse": ("confusions", ("gold", "predicted"), "share_of_predicted"),
        "excess": ("expected", ("gold", "predicted"), "residual"),
        "npmi": ("confusions", ("gold", "predicted"), "npmi"),
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


def test_nothing_leads_to_a_figure_that_was_not_drawn(report: Opener) -> None:
    assert report().locator(".pdf:visible").count() == 0  # its figures are PNG


def test_a_table_leads_to_its_file_and_its_phones_to_their_cells(results: Path, report: Opener) -> None:
    page = report("#table=yoruba/confusions")
    assert (results / page.get_attribute("#download", "href")).samefile(results / "confusions.tsv")
    row = page.locator("#table-shown tbody tr", has=page.locator("td", has_text="k͡p")).first
    gold, heard, *_ = row.locator("td").all_inner_texts()
    row.locator("td").nth(1).locator("a").click()
    settle(page)
    assert page.inner_text("#behind-title") == f"Gold {gold} predicted as {heard}"


@pytest.mark.parametrize("width", [360, 600])  # 600 is 1,200 pixels at a zoom of 200 %
def test_nothing_runs_out_of_a_narrow_window(width: int, report: Opener) -> None:
    page = report(viewport={"width": width, "height": 700})
    page.locator("#matrix td").nth(5).click()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_cards_one_phone_and_the_list_of_utterances_stay_within_the_window(width: int, report: Opener) -> None:
    page = report("#corpus=yoruba&phone=b", viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = "found => found.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"
    assert page.eval_on_selector_all("#utterance-list :is(th, td)", cut) == []
    left = "found => found.map(each => each.getBoundingClientRect().left)"
    assert len({*page.eval_on_selector_all(".card > div", left)}) == 1 or width > 390  # a card is a column


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
    page.click("#fewer summary")
    choose(page, "speaker", HOSTILE)
    page.locator("#phone-list a", has_text="</").first.click()
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
    page = report("#corpus=yoruba&view=probability&gold=k͡p&heard=p")
    assert page.inner_text("#tabs a[aria-current]") == "yoruba"
    assert page.input_value("#view") == "probability"
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    assert page.locator("#behind-list .hit").count() > 0
    assert page.evaluate("document.activeElement.id") == "behind-title"
    steps = page.evaluate("history.length")
    page.select_option("#view", "npmi")
    settle(page)
    assert "view=npmi" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == steps  # a control adds no step to go back


def test_a_pair_that_the_view_has_no_cell_for_opens_its_utterances(report: Opener) -> None:
    page = report("#corpus=yoruba&view=excess&gold=k͡p&heard=p")
    rows = page.locator("#matrix tbody th").all_inner_texts()
    assert "k͡p" not in rows
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"
    assert page.inner_text("#behind-count").startswith("19 tokens in ")
    assert "has no cell of gold k͡p predicted as p" in page.inner_text("#cell")


def test_back_returns_to_what_was_shown_before(report: Opener) -> None:
    page = report("#corpus=yoruba&gold=k͡p&heard=p")
    page.locator("#tabs a", has_text="English").click()
    page.wait_for_selector("#behind", state="hidden")
    page.go_back()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title") == "Gold k͡p predicted as p"


def test_of_many_addresses_in_a_row_the_last_is_shown(results: Path, report: Opener) -> None:
    page = report()
    for last, other in (("english", "yoruba"), ("yoruba", "english")):
        addresses = [f"#corpus={other}&view=npmi&other={last}", f"#corpus={other}&speaker=speaker1"]
        addresses.append(f"#corpus={last}&view=counts")
        page.evaluate("addresses => addresses.forEach(each => { location.hash = each })", addresses[:-1])
        at(page, addresses[-1])
        heads = page.locator("#matrix tbody th").all_inner_texts()
        counts = page.locator("#matrix td").evaluate_all("cells => cells.map(each => +each.ariaLabel.split(': ')[1])")
        pairs = table(results, "alignments", last)
        assert set(heads) - {"∅"} == set(pairs["gold"]) - {"∅"}
        assert sum(counts) == len(pairs)


@pytest.mark.parametrize(
    "address", ["#corpus=none&gold=x&heard=y", "#view=none&order=none&speaker=none", "#=&==", "#a=%"]
)
def test_an_address_that_names_nothing_shows_the_page(address: str, report: Opener) -> None:
    page = report(address)
    assert page.locator("#matrix td").count() > 0
    assert not page.is_visible("#behind")


@pytest.mark.parametrize(
    ("address", "said", "shown"),
    [
        ("#corpus=klingon&gold=k͡p&heard=p", "This page has no corpus “klingon”. It shows yoruba.", False),
        ("#corpus=yoruba&gold=q&heard=p", "yoruba has no gold phone “q”.", False),
        ("#corpus=yoruba&view=nothing", "This page has no view “nothing”.", False),
        ("#corpus=yoruba&gold=k͡p&heard=q", "yoruba has no predicted phone “q”.", False),
        ("#corpus=yoruba&gold=k͡p&heard=p", "", True),
        ("#gold=k͡p&heard=∅", "", True),
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


def test_a_click_on_a_claim_shows_the_claim(report: Opener) -> None:
    page = report()
    chip = page.locator(".card[data-corpus=yoruba] .chips a").first
    pair, share = chip.inner_text().split(" → ")[0], chip.inner_text().split(" ", 3)[3]
    chip.click()
    page.wait_for_selector("#behind", state="visible")
    assert page.inner_text("#behind-title").startswith(f"Gold {pair} predicted as ")
    assert page.inner_text("#behind-claim").startswith(share)
    assert page.locator("#behind-list .hit").count() > 0


def test_a_claim_beside_the_reference_has_what_is_expected_and_q(results: Path, report: Opener) -> None:
    expected = table(results, "expected", "yoruba").query("gold != predicted and observed > 0").iloc[0]
    gold, heard = expected["gold"], expected["predicted"]
    page = report(f"#corpus=yoruba&view=excess&gold={gold}&heard={heard}")
    counts = table(results, "confusions", "yoruba").query("gold == @gold")
    share = counts.set_index("predicted")["count"].astype(float) / counts["count"].astype(float).sum()
    leads = share[heard] * float(expected["expected"]) / float(expected["observed"])
    told = page.inner_text("#behind-claim")
    here, there = (float(number) for number in re.findall(r"([\d.]+) %", told))
    assert here == pytest.approx(100 * share[heard], abs=0.51)
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


def test_a_verdict_leads_to_an_aligned_utterance(report: Opener) -> None:
    page = report()
    page.locator(".card[data-corpus=yoruba] .verdict a").click()
    settle(page)
    assert page.locator("#utterance-pairs .pairs li").count() > 0
    wait_until(page, "document.getElementById('utterances-section').getBoundingClientRect().top < 200")


def test_cards_are_sorted_and_the_bar_says_where_one_is(report: Opener) -> None:
    page = report()
    names = page.locator(".card h3")
    assert names.all_inner_texts() == ["yoruba", "english"]
    page.select_option("#first-order", "corpus")
    wait_until(page, "document.querySelector('.card h3').textContent.trim() === 'english'")
    for section in ("vowels", "utterances"):
        page.evaluate("name => document.getElementById(`${name}-section`).scrollIntoView()", section)
        wait_until(
            page, "name => document.querySelector('#sections [aria-current]')?.hash === `#${name}-section`", section
        )
        assert page.evaluate("document.getElementById('bar').getBoundingClientRect().top") == 0


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
    shown = {name: page.is_visible(f"#findings-section article[data-corpus={name}]") for name in (corpus, other)}
    assert shown == {corpus: True, other: False}
    page.emulate_media(media="print")
    assert page.is_visible(f"#findings-section article[data-corpus={other}]")


HEIGHT = "found => found.map(each => each.getBoundingClientRect().height)"


def test_four_corpora_have_room_on_one_screen(report: Opener) -> None:
    page = report(viewport={"width": 1440, "height": 900})
    cards = page.eval_on_selector_all(".card", HEIGHT)
    (section,) = page.eval_on_selector_all("#first-section", HEIGHT)
    above = page.evaluate("document.getElementById('first-section').getBoundingClientRect().top")
    assert above + (section - sum(cards)) + 4 * max(cards) <= 900


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_no_text_of_a_card_lies_over_another(width: int, report: Opener) -> None:
    page = report(viewport={"width": width, "height": 900})
    boxes = page.eval_on_selector_all(
        ".card h3, .card p:not(.chips), .card .chips > *, .card > div > svg",
        """found => found.map(each => {
            const {left, right, top, bottom} = each.getBoundingClientRect();
            return [left, right, top, bottom];
        })""",
    )
    for place, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:place]:
            beside = other[1] <= left + 1 or right <= other[0] + 1
            assert beside or other[3] <= top + 1 or bottom <= other[2] + 1, (boxes[place], other)


def test_the_first_screen_and_all_findings_need_no_scripts(results: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((results / "report.html").as_uri())
    assert page.locator(".card .verdict").count() == 2
    page.click("#findings-section summary")
    for corpus in ("yoruba", "english"):
        assert page.is_visible(f"#findings-section article[data-corpus={corpus}]")
    context.close()


def test_a_title_leads_to_the_findings_of_its_corpus(report: Opener) -> None:
    page = report()
    page.locator(".card h3 a", has_text="english").click()
    page.wait_for_selector("#findings-section article[data-corpus=english]", state="visible")
    wait_until(page, "document.getElementById('findings-section').getBoundingClientRect().top < 200")


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
    assert page.inner_text("#tabs a[aria-current]") == "english"
    page.click("#def-wper .back")
    wait_until(page, "location.hash === '#corpus=english&measure=per'")


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
    assert shown == [rounded(*case) for case in cases]


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
