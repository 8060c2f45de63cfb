"""docs/symbols.md: its tables hold every rule of the code."""

import re
import unicodedata
from pathlib import Path

from phonxling.core.tone import LETTERS, MARKS, values_of
from phonxling.phones import ipa as lookalikes

PAGE = Path(__file__).resolve().parent.parent / "docs" / "symbols.md"
TEXT = PAGE.read_text(encoding="utf-8")
SIGNS = {1: "+", 0: "0", -1: "-"}


def rows(header: str) -> list[list[str]]:
    found = re.search(rf"^\| {re.escape(header)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in found[1].splitlines()]


def letters(code: str) -> str:
    return "".join(chr(int(part.removeprefix("U+"), 16)) for part in code.split())


def words(values: dict[str, int]) -> str:
    return " ".join(SIGNS[value] + name for name, value in values.items())


def test_the_table_of_marks_is_the_codes() -> None:
    table = {letters(code): (name, sets.replace("−", "-")) for _, code, name, sets in rows("mark")}
    rules = {
        mark: (rule.name, (words({**rule.sets}) or "nothing") + (f" if {words({**rule.needs})}" if rule.needs else ""))
        for mark, rule in MARKS.items()
    }
    assert table == rules


def test_the_table_of_letters_is_the_codes() -> None:
    table = dict(row[:2] for row in rows("letter that panphon lacks"))
    assert table.keys() == LETTERS.keys()
    for letter, (like, sets) in LETTERS.items():
        first, _, values = table[letter].replace("−", "-").partition(", ")
        assert (first, values_of(values)) == (like, values_of(sets))


def test_the_table_of_look_alikes_is_the_codes() -> None:
    table = {letters(code): unicodedata.normalize("NFD", meant.replace("◌", "")) for _, code, meant in rows("written")}
    assert table == {raw: unicodedata.normalize("NFD", meant) for raw, meant in lookalikes.LETTERS.items()}
