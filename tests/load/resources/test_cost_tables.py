"""A user's costs: what is read exactly, and what every fault says."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support import write

from phonxling.core.costs import LARGEST, cost_text, parse_cost
from phonxling.core.errors import DataError
from phonxling.load.resources import load_cost_table, load_gap_costs

HEADER = "gold\tpredicted\tcost\n"


def fault(folder: Path, text: str) -> str:
    with pytest.raises(DataError) as caught:
        load_cost_table(write(folder / "costs.tsv", text))
    return str(caught.value).replace(f"{folder}/", "")


def test_fractions_decimals_and_gaps_are_read_exactly(tmp_path: Path) -> None:
    found = load_cost_table(
        write(tmp_path / "c.tsv", f"\ufeff{HEADER}a\tb\t1/3\na\t∅\t1e-3\r\n\n∅\tb\t.25\nk͡p\tb\t2\n")
    )
    wanted = {("a", "b"): "1/3", ("a", "∅"): "1/1000", ("∅", "b"): "1/4", ("k͡p", "b"): "2"}
    assert found.pairs == {pair: Fraction(cost) for pair, cost in wanted.items()}
    assert found.source.endswith("c.tsv")
    assert len(found.digest) == 64


def test_gap_costs_by_phone(tmp_path: Path) -> None:
    assert load_gap_costs(write(tmp_path / "g.tsv", "phone\tcost\na\t0.5\nb\t0\n")).phones == {
        "a": Fraction(1, 2),
        "b": 0,
    }
    with pytest.raises(DataError, match=r"g\.tsv:2: ∅ is no phone"):
        load_gap_costs(write(tmp_path / "g.tsv", "phone\tcost\n∅\t0.5\n"))
    with pytest.raises(DataError, match=r"g\.tsv:1: a table of costs has the header phone, cost"):
        load_gap_costs(write(tmp_path / "g.tsv", f"{HEADER}a\tb\t1\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "costs.tsv: the table of costs is empty; it needs the header gold, predicted, cost and rows"),
        (HEADER, "costs.tsv: the table of costs has a header but no row"),
        ("gold\theard\tcost\na\tb\t1\n", "costs.tsv:1: a table of costs has the header gold, predicted, cost (tab-"),
        (
            "a\tb\t1\n",
            "costs.tsv:1: a table of costs has the header gold, predicted, cost (tab-separated), not a,",
        ),
        (f"{HEADER}a\tb\t-0.5\n", "costs.tsv:2: a negative cost: '-0.5'"),
        (f"{HEADER}a\tb\t-1/3\n", "costs.tsv:2: a negative cost: '-1/3'"),
        (f"{HEADER}a\tb\tinf\n", "costs.tsv:2: a cost that is not finite: 'inf'"),
        (f"{HEADER}a\tb\tNaN\n", "costs.tsv:2: a cost that is not finite: 'NaN'"),
        (f"{HEADER}a\tb\t\n", "costs.tsv:2: an empty cost: ''"),
        (f"{HEADER}a\tb\tone\n", "costs.tsv:2: no cost: 'one'; a cost is a number of at least 0, such as 0.25 or 1/3"),
        (f"{HEADER}a\tb\t1/0\n", "costs.tsv:2: no cost: '1/0'"),
        (f"{HEADER}a\tb\t1e999\n", "costs.tsv:2: no cost: '1e999'"),
        (f"{HEADER}a\tb\t1e12\n", "costs.tsv:2: the cost 1e12 is too large for 32 bits"),
        (f"{HEADER}a\tb\n", "costs.tsv:2: 2 cells, but the header has 3"),
        (f"{HEADER}a\t\t1\n", "costs.tsv:2: an empty predicted; no phone is written ∅ (U+2205)"),
        (f"{HEADER}∅\t∅\t1\n", "costs.tsv:2: no edit pairs ∅ with ∅"),
        (f"{HEADER}a\tb\t1\na\tb\t1\n", "costs.tsv:3: a → b stands here again, after line 2"),
    ],
)
def test_every_fault_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    assert message in fault(tmp_path, text)


def test_all_faulty_rows_are_counted(tmp_path: Path) -> None:
    message = fault(tmp_path, HEADER + "".join(f"a\tb{number}\tx\n" for number in range(14)))
    assert message.startswith("costs.tsv: 14 rows of the table of costs cannot be used:\n  costs.tsv:2: ")
    assert message.endswith("… and 4 more")


def test_two_spellings_of_one_phone_are_one_phone(tmp_path: Path) -> None:
    assert "stands here again" in fault(tmp_path, f"{HEADER}ã\tb\t1\na\u0303\tb\t0\n")


def test_a_missing_file_and_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.tsv: cannot be read: no such file"):
        load_cost_table(tmp_path / "none.tsv")
    with pytest.raises(DataError, match=r"costs\.tsv:2: not UTF-8 text"):
        load_cost_table(write(tmp_path / "costs.tsv", f"{HEADER}é\tb\t1\n", encoding="latin-1"))


@given(st.fractions(0, LARGEST))
def test_a_cost_written_is_read_back_exactly(cost: Fraction) -> None:
    assert parse_cost(cost_text(cost)) == cost


@given(st.decimals(0, 1000, places=9))
def test_a_decimal_number_stays_one(number: object) -> None:
    assert "/" not in cost_text(Fraction(str(number)))
