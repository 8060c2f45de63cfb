"""Costs of a user's table: every number is the table's, gaps have a stated order of precedence, nothing is guessed."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from support import write

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError

PAIRS = "gold\tpredicted\tcost\na\ta\t0.1\na\tb\t1/3\nb\ta\t3/4\nb\tb\t0\n"
GAPS = "a\t∅\t0.5\nb\t∅\t2\n∅\ta\t1/7\n∅\tb\t0.25\n"


def test_a_table_need_not_be_symmetric_nor_0_on_the_diagonal(tmp_path: Path) -> None:
    costs = px.feature_costs(["a", "b"], ["a", "b"], write(tmp_path / "c.tsv", PAIRS))
    assert [costs.cost(g, p) for g in "ab" for p in "ab"] == [Fraction(x) for x in ("1/10", "1/3", "3/4", "0")]
    assert costs.denominator == 60
    assert [costs.cost("a", None), costs.cost(None, "b")] == [1, 1]
    assert (costs.ties, costs.as_rate, costs.note) == ("identical", True, "")
    assert px.align(["a", "b"], ["b", "a"], costs) == [("a", "b"), ("b", "a")]


def test_gaps_asked_for_come_before_the_tables_own_and_those_before_1(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", PAIRS + GAPS)
    own = px.feature_costs(["a", "b"], ["a", "b"], path)
    assert [own.cost("a", None), own.cost("b", None)] == [Fraction(1, 2), 2]
    assert [own.cost(None, "a"), own.cost(None, "b")] == [Fraction(1, 7), Fraction(1, 4)]
    assert (own.insertion_name, own.deletion_name, own.denominator) == ("table", "table", 420)
    asked = px.feature_costs(["a", "b"], ["a", "b"], path, insertion=3)
    assert [asked.cost(None, "a"), asked.cost(None, "b"), asked.cost("b", None)] == [3, 3, 2]
    assert (asked.insertion_name, asked.deletion_name) == ("", "table")


def test_gap_costs_by_phone_come_from_a_mapping_or_a_file(tmp_path: Path) -> None:
    path = write(tmp_path / "g.tsv", "phone\tcost\na\t1/3\nb\t0.5\nc\t9\n")
    for gaps in (path, str(path), {"a": Fraction(1, 3), "b": 0.5}):
        costs = px.feature_costs(["a", "b"], ["b"], insertion=gaps, deletion=gaps)
        assert [costs.cost("a", None), costs.cost("b", None), costs.cost(None, "b")] == [
            Fraction(1, 3),
            Fraction(1, 2),
            Fraction(1, 2),
        ]
        assert costs.insertion_name.startswith("table/")
    with pytest.raises(DataError, match=r"g.tsv: no deletion cost for 2 of the 3 phones:\n  d\n  e\nAdd a row"):
        px.feature_costs(["a", "d", "e"], ["b"], deletion=path)
    with pytest.raises(ConfigurationError, match="a negative cost"):
        px.feature_costs(["a"], ["b"], deletion={"a": -1})


def test_missing_pairs_are_listed_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", PAIRS + "a\t∅\t1\n")
    with pytest.raises(DataError) as caught:
        px.feature_costs(["a", "b", "c"], ["a", "b", "d"], path)
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("c.tsv: no cost for 7 pairs that the corpus needs (gold → predicted):")
    assert lines[1:-1] == ["  a → d", "  b → d", "  c → a", "  c → b", "  c → d", "  b → ∅", "  c → ∅"]
    many = [f"x{number}" for number in range(30)]
    with pytest.raises(DataError, match="… and 50 more"):
        px.feature_costs(many, ["a", "b"], path, deletion=1)


def test_rows_of_other_phones_are_not_used_and_spelling_does_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tsv", "gold\tpredicted\tcost\na\u0303\tk\u0361p\t1/3\nzz\tyy\t1/1009\n")
    costs = px.feature_costs(["ã"], ["k͡p"], path)
    assert (costs.cost("ã", "k͡p"), costs.denominator) == (Fraction(1, 3), 3)


def test_the_words_table_and_learned_are_answered_with_what_to_do() -> None:
    with pytest.raises(ConfigurationError, match="give the path of the table"):
        px.feature_costs(["a"], ["b"], "table")
    with pytest.raises(ConfigurationError, match="use learn_costs"):
        px.feature_costs(["a"], ["b"], "learned")


def test_saved_costs_are_read_back_bit_for_bit(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    phones = ["p", "ã", "k͡p", "s"]
    for name in ("panphon", "panphon-weighted", "panphon-weighted-0.22.2", "unit", "sclite"):
        gaps = {phone: Fraction(int(generator.integers(0, 99)), 7) for phone in phones}
        costs = px.feature_costs(phones, phones[:3], name, insertion=gaps)
        px.costs.save_costs(costs, tmp_path / "saved.tsv")
        again = px.feature_costs(phones, phones[:3], tmp_path / "saved.tsv", ties=costs.ties)
        assert again.denominator == costs.denominator
        assert np.array_equal(again.numerators(), costs.numerators())
