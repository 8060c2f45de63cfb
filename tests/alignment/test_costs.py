"""Cost tables: exact, and equal to the definitions computed another way from panphon's own file."""

import csv
import unicodedata
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs import KINDS, cost_table
from phonxling.core.costs import CostTable
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.load.resources import panphon_features
from phonxling.settings.models import GivenName

PHONES = ("p", "b", "t͡ʃ", "a", "ã", "ɔ", "k͡p", "r", "ɾ", "ŋ", "s", "l̩")


@pytest.fixture(scope="module")
def panphon() -> tuple[dict[str, list[int]], dict[str, Fraction]]:
    spec = find_spec("panphon")
    assert spec is not None
    assert spec.origin is not None
    data = Path(spec.origin).parent / "data"
    with (data / "ipa_all.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with (data / "feature_weights.csv").open(encoding="utf-8") as file:
        names, values = list(csv.reader(file))[:2]
    numbers = {row[0]: [{"+": 1, "-": -1, "0": 0}[cell] for cell in row[1:]] for row in rows[1:]}
    weights = dict(zip(names, map(Fraction, values), strict=True))
    return {"": [rows[0].index(name) - 1 for name in names], **numbers}, weights


def vector(panphon: tuple[dict[str, list[int]], dict[str, Fraction]], phone: str) -> list[int]:
    found = {unicodedata.normalize("NFD", key): value for key, value in panphon[0].items()}
    return found[unicodedata.normalize("NFD", phone)]


@pytest.mark.parametrize("name", ["panphon", "panphon-hamming", "panphon-weighted"])
def test_feature_costs_are_the_definition(name: str, panphon: tuple[dict[str, list[int]], dict[str, Fraction]]) -> None:
    table = px.feature_costs(PHONES, PHONES, name)
    places, weights = panphon[0][""], panphon[1]
    for first in PHONES:
        for second in PHONES:
            pairs = list(zip(vector(panphon, first), vector(panphon, second), strict=True))
            if name == "panphon":
                wanted = Fraction(sum(abs(a - b) for a, b in pairs), 48)
            elif name == "panphon-hamming":
                wanted = Fraction(sum(a != b for a, b in pairs), 24)
            else:
                named = zip(places, weights.values(), strict=True)
                paid = [weight * abs(pairs[place][0] - pairs[place][1]) for place, weight in named]
                wanted = sum(paid, Fraction(0)) / (2 * sum(weights.values()))
            assert table.cost(first, second) == wanted


def test_nonzero_costs_are_the_share_of_specified_features_over_the_largest(
    panphon: tuple[dict[str, list[int]], dict[str, Fraction]],
) -> None:
    names = enumerate(panphon_features().features)
    left = [place for place, name in names if name not in {"sg", "velaric", "long", "hitone", "hireg"}]
    gold, predicted = ["p", "t͡ʃ", "a", "ũ", "h"], ["b", "a", "ʔ", "l", "ɨ"]
    wanted = {}
    for first in gold:
        for second in predicted:
            pairs = [(vector(panphon, first)[place], vector(panphon, second)[place]) for place in left]
            specified = [pair for pair in pairs if any(pair)]
            wanted[first, second] = Fraction(sum(a != b for a, b in specified), len(specified))
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


def test_weighted_costs_count_tone_only_where_it_is_attached() -> None:
    bare = px.feature_costs(["a", "e"], ["a", "e"], "panphon-weighted")
    toned = px.feature_costs(["a˥", "e"], ["a˩", "e"], "panphon-weighted")
    assert bare.cost("a", "e") > toned.cost("e", "a˩") - toned.cost("a˥", "a˩")
    assert toned.cost("a˥", "a˩") == Fraction(2 * 2, 2) / Fraction(37, 4)  # both tone features turn over; Σw = 9.25


def test_the_weight_of_tone_is_an_option() -> None:
    light = px.feature_costs(["a˥"], ["a˩"], "panphon-weighted", tone_weight=0.5)
    assert light.cost("a˥", "a˩") == Fraction(2, 2) / (Fraction(29, 4) + 1)
    assert px.feature_costs(["a"], ["e"], "panphon-weighted", tone_weight=9).cost("a", "e") == px.feature_costs(
        ["a"], ["e"], "panphon-weighted"
    ).cost("a", "e")


def test_every_kind_of_cost_has_a_name_in_the_configuration() -> None:
    assert set(get_args(GivenName)) == set(KINDS)


def test_equal_vectors_cost_nothing_but_are_another_symbol() -> None:
    table = px.feature_costs(["r"], ["ɾ"])
    assert table.cost("r", "ɾ") == 0
    assert not table.identical().any()


def test_phones_without_features_cost_nothing_to_themselves_and_one_to_others() -> None:
    table = px.feature_costs(["sil", "a"], ["sil", "a", "?"], unknown="keep")
    assert [table.cost("sil", phone) for phone in ("sil", "a", "?")] == [0, 1, 1]


def test_a_diphthong_lies_halfway_between_its_parts() -> None:
    table = px.feature_costs(["aɪ"], ["a", "ɪ", "aɪ"])
    whole = px.feature_costs(["a"], ["ɪ"]).cost("a", "ɪ")
    assert table.cost("aɪ", "aɪ") == 0
    assert table.cost("aɪ", "a") + table.cost("aɪ", "ɪ") == whole


def test_gap_costs_are_exact_decimals() -> None:
    table = px.feature_costs(["a"], ["e"], insertion=0.29, deletion=0.3)
    assert (table.cost(None, "e"), table.cost("a", None)) == (Fraction(29, 100), Fraction(3, 10))


def test_defaults_follow_the_costs() -> None:
    unit, sclite = (cost_table(name, Inventory(("a",)), Inventory(("b",)), None) for name in ("unit", "sclite"))
    assert (unit.cost("a", "b"), unit.cost("a", None), unit.ties) == (1, 1, "nist")
    assert (sclite.cost("a", "b"), sclite.cost(None, "b"), sclite.ties, sclite.as_rate) == (4, 3, "nist", False)


def test_wrong_costs_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="no costs are called 'panfon'; there are: panphon,"):
        px.feature_costs(["a"], ["b"], "panfon")
    with pytest.raises(ConfigurationError, match="finite number ≥ 0"):
        px.feature_costs(["a"], ["b"], insertion=-1)
    with pytest.raises(ConfigurationError, match="finite number ≥ 0"):
        px.feature_costs(["a"], ["b"], deletion=float("nan"))
    with pytest.raises(DataError, match="need phonological features"):
        cost_table("panphon", Inventory(("a",)), Inventory(("b",)), None)
    with pytest.raises(DataError, match="too large for 32 bits"):
        px.feature_costs(["a"], ["b"], insertion=1e10)


def test_a_table_of_another_shape_or_with_negative_costs_is_refused() -> None:
    a = Inventory(("a",))
    with pytest.raises(ValueError, match="shape"):
        CostTable(gold=a, predicted=a, substitution=[[0, 1]], deletion=[1], insertion=[1], denominator=1, name="t")
    with pytest.raises(ValueError, match="must lie in 0"):
        CostTable(gold=a, predicted=a, substitution=[[-1]], deletion=[1], insertion=[1], denominator=1, name="t")


def test_sides_must_hold_the_same_utterances() -> None:
    a = Inventory(("a",))
    unit = cost_table("unit", a, a, None)
    with pytest.raises(ValueError, match="same utterances"):
        align_sequences(from_lists(["u"], [["a"]], a), from_lists(["v"], [["a"]], a), unit)
