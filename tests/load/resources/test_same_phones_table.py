"""The table of phones that are the same."""

from pathlib import Path

import pytest
from support import write

from phonxling.core.errors import DataError
from phonxling.load.resources import load_same_phones


def test_rows_with_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "same.tsv", "target\treference\nɓ\tb\n\nã \t ɑ\nx\t∅\n")
    assert load_same_phones(path) == {"ɓ": ("b", 2), "a\u0303": ("ɑ", 4), "x": ("∅", 5)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "same.tsv:1: a table of phones has the header target, reference .tab-separated., not nothing"),
        ("phone\tsame\na\tb\n", "same.tsv:1: a table of phones has the header target, reference .*, not phone, same"),
        ("target\treference\na\n", "same.tsv:2: 1 cells, but the header has 2"),
        ("target\treference\na\t\n", r"same.tsv:2: an empty reference; no counterpart is written ∅"),
        ("target\treference\n∅\ta\n", "same.tsv:2: ∅ is no phone of the target"),
        ("target\treference\na\tb\na\tc\n", "same.tsv:3: 'a' stands here again, after line 2"),
    ],
)
def test_a_table_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_same_phones(write(tmp_path / "same.tsv", text))
