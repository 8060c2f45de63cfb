"""Costs: PanPhon's distances, tables of one's own, what each name gives, and the page about them."""

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from support import panphon_itself, panphon_rows, write

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.configuration.models import GivenName
from phonxling.core.costs import KINDS, CostTable, cost_table
from phonxling.core.errors import DataError, PhonxlingError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.load.resources import panphon_features

PHONES = ("p", "b", "t͡ʃ", "a", "ã", "ɔ", "k͡p", "r", "ɾ", "ŋ", "s", "l̩")


def distances(first: str, second: str) -> dict[str, int]:
    """Return by how much each feature of two phones of panphon's differs."""
    one, other = (panphon_rows()[unicodedata.normalize("NFD", phone)] for phone in (first, second))
    return {name: abs(one[name] - other[name]) for name in one}


@pytest.mark.parametrize("name", ["panphon", "panphon-hamming", "panphon-weighted"])
def test_feature_costs_are_the_definition(name: str) -> None:
    table = px.feature_costs(PHONES, PHONES, name)
    weights = {feature: Fraction(str(weight)) for feature, weight in panphon_features().weights.items()}
    for first, second in product(PHONES, repeat=2):
        apart = distances(first, second)
        wanted = {
            "panphon": Fraction(sum(apart.values()), 48),
            "panphon-hamming": Fraction(sum(map(bool, apart.values())), 24),
            "panphon-weighted": sum(weights[each] * apart[each] for each in weights) / (2 * sum(weights.values())),
        }
        assert table.cost(first, second) == wanted[name]


def test_nonzero_costs_are_the_share_of_specified_features_over_the_largest() -> None:
    gold, predicted = ["p", "t͡ʃ", "a", "ũ", "h"], ["b", "a", "ʔ", "l", "ɨ"]
    wanted = {}
    for pair in product(gold, predicted):
        one, other = (panphon_rows()[unicodedata.normalize("NFD", phone)] for phone in pair)
        left = one.keys() - {"sg", "velaric", "long", "hitone", "hireg"}
        specified = [name for name in left if one[name] or other[name]]
        wanted[pair] = Fraction(sum(one[name] != other[name] for name in specified), len(specified))
    largest = max(wanted.values())
    assert largest < 1
    table = px.feature_costs(gold, predicted, "panphon-nonzero")
    assert {pair: table.cost(*pair) for pair in wanted} == {pair: cost / largest for pair, cost in wanted.items()}
    assert (table.cost("p", None), table.cost(None, "b"), table.ties) == (Fraction(3, 4), Fraction(1, 2), "nist")
    sides = Inventory(("p", "sil")), Inventory(("b", "sil"))
    few = cost_table(
        "panphon-nonzero", *sides, panphon_features(), within=(Inventory(tuple(gold)), Inventory(tuple(predicted)))
    )
    assert few.cost("p", "b") == table.cost("p", "b")  # of the other inventories' largest
    assert (few.cost("p", "sil"), few.cost("sil", "sil")) == (1, 0)
    alone = px.feature_costs(["p", "a"], ["p", "a"], "panphon-nonzero")
    assert (alone.cost("p", "a"), alone.cost("a", "a")) == (1, 0)
    assert px.feature_costs(["a"], ["a"], "panphon-nonzero").cost("a", "a") == 0  # no largest to divide by


def test_weighted_costs_count_both_features_of_tone_where_it_is_attached() -> None:
    toned = px.feature_costs(["a˥", "e"], ["a˩", "e"], "panphon-weighted")
    assert toned.cost("a˥", "a˩") == Fraction(2 * 2, 2) / Fraction(37, 4)  # both tone features turn over; Σw = 9.25


def test_every_kind_of_cost_has_a_name_in_the_configuration() -> None:
    assert set(get_args(GivenName)) == set(KINDS)


def test_equal_vectors_cost_nothing_but_are_another_symbol() -> None:
    table = px.feature_costs(["r"], ["ɾ"])
    assert table.cost("r", "ɾ") == 0
    assert not table.identical().any()


def test_phones_without_features_cost_nothing_to_themselves_and_one_to_others() -> None:
    table = px.feature_costs(["sil", "a"], ["sil", "a", "?"], unknown="keep")
    assert [table.cost("sil", phone) for phone in ("sil", "a", "?")] == [0, 1, 1]


def test_defaults_follow_the_costs() -> None:
    unit, sclite = (cost_table(name, A, B, None) for name in ("unit", "sclite"))
    assert (unit.cost("a", "b"), unit.cost("a", None), unit.ties) == (1, 1, "nist")
    assert (sclite.cost("a", "b"), sclite.cost(None, "b"), sclite.ties, sclite.as_rate) == (4, 3, "nist", False)


A, B = Inventory(("a",)), Inventory(("b",))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: px.feature_costs(["a"], ["b"], insertion=-1), "finite number ≥ 0"),
        (lambda: px.feature_costs(["a"], ["b"], "table"), "give the path of the table"),
        (lambda: cost_table("panphon", A, B, None), "need phonological features"),
    ],
)
def test_wrong_costs_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(PhonxlingError, match=message):
        make()


@pytest.mark.parametrize(("cost", "message"), [([[0, 1]], "shape"), ([[-1]], "must lie in 0")])
def test_a_table_of_another_shape_or_with_negative_costs_is_refused(cost: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CostTable(gold=A, predicted=A, substitution=cost, deletion=[1], insertion=[1], denominator=1, name="t")


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
        found = [costs.cost("a", None), costs.cost("b", None), costs.cost(None, "b")]
        assert found == [Fraction(1, 3), Fraction(1, 2), Fraction(1, 2)]
        assert costs.insertion_name.startswith("table/")
    with pytest.raises(DataError, match=r"g.tsv: no deletion cost for 2 of the 3 phones:\n  d\n  e\nAdd a row"):
        px.feature_costs(["a", "d", "e"], ["b"], deletion=path)


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


def test_saved_costs_are_read_back_bit_for_bit(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    phones = ["p", "ã", "k͡p", "s"]
    for name in ("panphon", "panphon-weighted", "unit", "sclite"):
        gaps = {phone: Fraction(int(generator.integers(0, 99)), 7) for phone in phones}
        costs = px.feature_costs(phones, phones[:3], name, insertion=gaps)
        px.files.save_costs(costs, tmp_path / "saved.tsv")
        again = px.feature_costs(phones, phones[:3], tmp_path / "saved.tsv", ties=costs.ties)
        assert again.denominator == costs.denominator
        assert np.array_equal(again.numerators(), costs.numerators())


WORDS = 120


@pytest.fixture(scope="module")
def words() -> list[list[str]]:
    """Words of panphon's own segments, as it cuts them itself."""
    theirs, generator = panphon_itself(), np.random.default_rng(7)
    segments = [segment for segment, _ in theirs.fm.segments]
    chosen = generator.choice(segments, 120, replace=False)
    spelled = ["".join(generator.choice(chosen, generator.integers(1, 8))) for _ in range(2 * WORDS)]
    return [theirs.fm.ipa_segs(word) for word in spelled]


@pytest.mark.parametrize(
    ("name", "method"),
    [("panphon-edit", "feature_edit_distance"), ("panphon-hamming", "hamming_feature_edit_distance")],
)
def test_words_are_as_far_apart_as_for_panphon(words: list[list[str]], name: str, method: str) -> None:
    phones, names = sorted({phone for word in words for phone in word}), [str(number) for number in range(WORDS)]
    costs, sides = px.feature_costs(phones, phones, name), (words[:WORDS], words[WORDS:])
    aligned = align_sequences(*(from_lists(names, side, costs.gold) for side in sides), costs)
    theirs = getattr(panphon_itself(), method)
    wanted = [theirs("".join(gold), "".join(heard)) for gold, heard in zip(*sides, strict=True)]
    assert np.abs(aligned.cost / aligned.denominator - wanted).max() < 1e-12


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")


def test_the_example_is_a_table_of_costs(tmp_path: Path) -> None:
    found = re.search(r"```tsv\n(.*?)```", PAGE, re.DOTALL)
    costs = px.feature_costs(["a", "k͡p"], ["a", "ɑ"], write(tmp_path / "costs.tsv", found[1]))
    assert (costs.cost("a", "ɑ"), costs.cost("a", None), costs.cost(None, "a")) == (Fraction(1, 10), Fraction(1, 3), 1)


def test_every_name_has_a_row() -> None:
    assert [name for name in get_args(GivenName) if f"\n| `{name}` |" not in PAGE] == []
