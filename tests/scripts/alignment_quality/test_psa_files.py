"""Reading gold alignments of word pairs."""

from pathlib import Path

import pytest
from alignment_quality.psa import load_psa
from support import write

from phonxling.core.errors import DataError

GOOD = "MADE UP\none pair\nLeft...\tt\ta\tk\t-\nRight..\t-\ta\tk\te\n# 3.0\n\nanother\nLeft\to\t-\nRight\t-\tu\n"


def test_a_pair_is_its_words_and_their_links(tmp_path: Path) -> None:
    gold = load_psa(write(tmp_path / "a.psa", GOOD))
    first, second = gold.pairs
    assert (gold.name, first.title, second.title) == ("MADE UP", "one pair", "another")
    assert (first.first, first.second) == (("t", "a", "k"), ("a", "k", "e"))
    assert first.links == {(1, 0), (2, 1)}
    assert (second.first, second.second, second.links) == (("o",), ("u",), frozenset())


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n# 4.0\n"])
def test_the_end_of_the_file_ends_a_pair(tmp_path: Path, end: str) -> None:
    path = write(tmp_path / "a.psa", GOOD.rstrip() + end)
    assert len(load_psa(path).pairs) == 2


def test_line_ends_of_windows_and_a_nameless_file(tmp_path: Path) -> None:
    path = write(tmp_path / "made.psa", "\r\nx\r\nL\ta\tb\r\nR\ta\t-\r\n\r\n")
    assert load_psa(path).name == "made"
    assert load_psa(path).pairs[0].links == {(0, 0)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a\.psa:1: the file holds no aligned pair"),
        ("NAME\n", r"a\.psa:1: the file holds no aligned pair"),
        ("N\nx\nL\ta\tb\nR\ta\n", r"a\.psa:4: the row has 1 columns, but the row above it 2"),
        ("N\nx\nL\ta\n", r"a\.psa:2: the pair 'x' has one row, not two"),
        ("N\nx\n", r"a\.psa:2: the pair 'x' has no row, not two"),
        ("N\nx\nL\ta\nR\ta\nS\ta\n", r"a\.psa:2: the pair 'x' has 3 rows, not two"),
        ("N\n\nx\nL\ta\t-\nR\ta\t-\n", r"a\.psa:5: both words have a gap in column 2"),
        ("N\nx\nL a b\nR\ta\tb\n", r"a\.psa:3: the row 'L a b' has no segments"),
        ("N\nx\nL\ta\t\tb\nR\ta\tb\tc\n", r"a\.psa:3: column 2 is empty"),
    ],
)
def test_a_pair_that_is_none_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_psa(write(tmp_path / "a.psa", text))


def test_all_wrong_pairs_are_named_at_once(tmp_path: Path) -> None:
    wrong = "".join(f"p{n}\nL\ta\tb\nR\ta\n\n" for n in range(12))
    with pytest.raises(DataError) as caught:
        load_psa(write(tmp_path / "a.psa", "N\nfine\nL\ta\nR\ta\n\n" + wrong))
    lines = str(caught.value).splitlines()
    assert lines[0] == "12 of 13 pairs cannot be read:"
    assert lines[1].strip() == f"{tmp_path / 'a.psa'}:8: the row has 1 columns, but the row above it 2"
    assert lines[11].strip() == "… and 2 more"


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_psa(tmp_path / "none.psa")
