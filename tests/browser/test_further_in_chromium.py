"""Further analyses on the page: sentences and a table of the chosen corpus, whose rows lead to utterances."""

from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page as Opened, expect

from phonxling.report.further import FurtherPart, Tables, stored_parts
from phonxling.report.numbers import Numbers, Sentence, address, sentence
from phonxling.report.render import CorpusPart, Page, packed_table, page_html


def sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    yield sentence(f"{corpus} has {len(tables['costs'])} costs.")


PART = FurtherPart(
    name="made",
    title="A made analysis",
    tables=("costs",),
    columns=("gold", "predicted", "cost", "absent"),
    sentences=sentences,
    interval="cost",
    sort="-cost",
    links={"predicted": {"gold": "gold", "heard": "predicted"}},
)


def made_page(folder: Path, rows: int) -> Path:
    """Write a page of two corpora, of which one has the part's table."""
    lines = [f"a\t<b{row}>\t{row / 8}\t{row / 8 - 0.05}\t{row / 8 + 0.05}" for row in range(rows)]
    table = "\n".join(["gold\tpredicted\tcost\tlow\thigh", *lines]) + "\n"
    (folder / "yoruba").mkdir()
    (folder / "yoruba" / "costs.tsv").write_text("gold\tpredicted\tcost\n" + "a\tb\t1\n" * rows)
    data = {"gold": ["a"], "predicted": ["a"], "classes": {}, "alignments": None, "sampled": ""}
    corpora = [CorpusPart(name=name, title=name.title(), role="target", data=data) for name in ("yoruba", "swahili")]
    page = Page(
        title="Made",
        version="1",
        corpora=corpora,
        tables={"yoruba/costs.tsv": packed_table(table.encode())},
        further=stored_parts(folder, {name: Numbers(name=name) for name in ("yoruba", "swahili")}, [PART]),
    )
    (folder / "report.html").write_text(page_html(page), encoding="utf-8")
    return folder / "report.html"


def test_rows_of_a_part_lead_to_utterances(tmp_path: Path, open_page: Callable[..., Opened]) -> None:
    page = open_page(made_page(tmp_path, 40), "#part=made")
    part = page.locator("#further-made")
    expect(part.locator("article li")).to_have_text("yoruba has 40 costs.")
    rows = part.locator("tbody tr")
    expect(rows).to_have_count(12)
    expect(rows.first).to_have_text("a<b39>4.875 [4.825, 4.925]")
    assert rows.first.locator("a").get_attribute("href") == address("yoruba", gold="a", heard="<b39>")
    part.get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(40)
    part.get_by_role("button", name="cost").click()
    expect(rows.first).to_contain_text("0.000 [−0.050, 0.050]")


def test_a_corpus_without_the_table_is_told_so(tmp_path: Path, open_page: Callable[..., Opened]) -> None:
    page = open_page(made_page(tmp_path, 2), "#corpus=swahili&part=made")
    expect(page.locator("#further-made article:visible")).to_have_count(0)
    expect(page.locator("#further-made .further-size")).to_contain_text("This corpus has no such table")


def test_a_page_without_such_analyses_has_no_such_section(tmp_path: Path) -> None:
    assert 'id="further-section"' not in page_html(Page(title="Made", version="1", corpora=[]))
    assert stored_parts(tmp_path, {"yoruba": Numbers(name="yoruba")}, [PART]) == []
