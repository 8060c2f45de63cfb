"""What the program says to people: all of it is found, and it keeps to the rules of plain English."""

import ast
from pathlib import Path

import pytest
import said
import write_docs

from phonxling.report.guide import glossary

ROOT = Path(__file__).resolve().parent.parent


def test_every_text_keeps_to_the_rules() -> None:
    assert said.listed(said.all_said()) == ""


# Pages with formulas, and lists of what the program reads and writes, whose sentences may be longer.
REFERENCE = {"architecture", "check", "costs", "forced", "formats", "languages", "literature", "measures"}
REFERENCE |= {"method_paper", "page", "symbols", "tone", "uncertainty", "validation"}
PLAIN = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if page.stem not in REFERENCE | {"changelog", "contributing"}
]


def test_pages_that_people_read_from_end_to_end_keep_to_the_rules() -> None:
    for page in PLAIN:
        text = write_docs.PART.sub("", page.read_text(encoding="utf-8"))  # other tests hold what the program declares
        assert [fault for part in said.prose(text) for fault in said.faults(part)] == [], page.name


def test_what_is_written_by_hand_has_at_most_30_000_words() -> None:
    """Of README, docs and glossary all that holds a letter or digit, but for what scripts write: parts, numbers."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/measures").glob("*.md")]
    lines = [
        line
        for page in pages
        for line in write_docs.PART.sub("", page.read_text(encoding="utf-8")).splitlines()
        if not (page.stem in {"estimators", "performance", "validation"} and line.startswith("|"))
    ]
    terms = [term.meaning for term in glossary()]
    assert sum(any(map(str.isalnum, word)) for text in (*lines, *terms) for word in text.split()) <= 30_000


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("configuration/files.py", "The column that says which sentence an utterance is"),  # a setting
        ("results/tables.tsv", "Why a value or interval is missing"),  # a column
        ("report/assets/sentences.toml", "The tone error rate is {tone_error_rate}."),
        ("report/assets/scripts/matrix/legend.js", "All cells are 0 or empty."),
        ("core/costs.py", "an edit needs a phone on at least one side"),  # an error
    ],
)
def test_texts_of_every_kind_are_found(file: str, text: str) -> None:
    assert [one for one in said.all_said() if one.file == file and text in one.text]


def test_docstrings_names_and_lists_are_no_texts() -> None:
    module = ast.parse('"""The docstring of a module."""\nx = "a list of the names"\ny = f"{x} of the " + "kind {x}"')
    assert [*said._literals(module)] == ["a list of the names", "… of the kind {x}"]
    assert not said.is_prose("cont continuant delrel delayed_release lat lateral")
    assert not said.is_prose("see x.of(a) and b.to(c)")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("wPER is 0.163, for with this inventory nothing is lower.", "because"),
        ("What the rates are divided by.", "last preposition"),
        ("What was heard is not gold.", "riddle"),
        ("One " + "word " * 24 + "more.", "26 words"),
        ("Short. One\n    " + "word " * 24 + "more.", "26 words"),  # the wrapped line of a description
    ],
)
def test_a_fault_is_found(text: str, fault: str) -> None:
    assert [found for found in said.faults(text) if fault in found]


@pytest.mark.parametrize(
    "text",
    [
        "Three inches are 3 in, or 76 mm: for example, a column.",
        "Run again to go on.",
        "Write `--set a.b=c d e f g h i j k l m n o p q r s t u v w x y z`.",
        "One " + "word " * 23 + "more.\nA line of its own.",
    ],
)
def test_no_fault_is_found_where_none_is(text: str) -> None:
    assert [*said.faults(text)] == []
