"""The glossary: two sentences and a number a term, one word for one thing, and links where a term stands first."""

import re

import pytest
import said
from documentation import BLOCK, PAGES, ROOT

from phonxling.report.guide import Term, glossary, terms_by_word, with_terms

# Pages and files that quote other programs' words, or papers'.
QUOTING = {
    "CHANGELOG.md",
    "docs/formats.md",
    "docs/literature.md",
    "load/building.py",
    "load/formats.py",
    "load/line_formats.py",
}


def test_a_term_has_two_sentences_and_an_example_in_numbers() -> None:
    numbers = r"\d|twelve|three|eight|four"
    for term in glossary():
        assert len(re.findall(r"[.?](?= |$)", term.meaning)) == 2, term
        assert re.search(numbers, term.meaning), term


def test_terms_are_in_order_and_a_word_leads_to_one() -> None:
    names = [term.name for term in glossary()]
    assert names == sorted(names, key=str.casefold)
    assert len(terms_by_word()) == sum(len(term.words) for term in glossary())
    assert 40 <= len(names) <= 50


@pytest.mark.parametrize("term", [term for term in glossary() if term.instead_of], ids=lambda term: term.name)
def test_one_term_for_one_thing(term: Term) -> None:
    others = "|".join(map(re.escape, term.instead_of))
    pattern = re.compile(rf"(?<![\w-])(?:{others})(?![\w-])", re.IGNORECASE)
    pages = {page.relative_to(ROOT).as_posix(): BLOCK.sub("", page.read_text(encoding="utf-8")) for page in PAGES}
    texts = [*pages.items(), *((one.file, one.text) for one in said.all_said() if "glossary" not in one.file)]
    found = [(name, match[0]) for name, text in texts if name not in QUOTING for match in pattern.finditer(text)]
    assert found == []


def test_the_first_use_in_prose_is_a_link_and_in_a_link_a_title() -> None:
    page = "<main><h2>gold</h2><p><code>gold</code> Gold &amp; <a href='#x'>a floor, gold</a></p><p>gold</p></main>"
    html = with_terms(page)
    assert re.findall(r'<(a|span) class="term"(?: href="(#[\w-]+)")? title="[^"<>]+">(\w+)</\1>', html) == [
        ("a", "#term-gold", "Gold"),
        ("span", "", "floor"),
    ]
    assert re.sub(r'</?(?:a|span)(?: class="term"[^>]*)?>|<a href[^>]*>', "", html) == re.sub(r"</?a[^>]*>", "", page)
    assert with_terms("<main><p>upper bound p-q per cent a/gold</p></main>").count("term") == 0
