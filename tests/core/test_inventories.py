"""Inventories: what may be a phone, and how two are joined."""

import unicodedata
from itertools import groupby

import pytest
from hypothesis import given, strategies as st

from phonxling.core.errors import DataError
from phonxling.core.features import DEFAULT_CLASSES, OTHER
from phonxling.core.inventory import GAP, Inventory, as_inventory, chart_key, merge, sorted_inventory
from phonxling.load.resources import panphon_features
from phonxling.phones.natural_classes import natural_classes

PHONES = st.lists(
    st.text("abɛ̃", min_size=1, max_size=2).map(lambda text: unicodedata.normalize("NFC", text)), unique=True, max_size=6
)


@given(phones=PHONES)
def test_codes_are_positions(phones: list[str]) -> None:
    inventory = Inventory(tuple(phones))
    assert [inventory.code(phone) for phone in phones] == list(range(len(phones)))
    assert list(inventory) == phones
    assert len(inventory) == len(phones)
    assert "☃" not in inventory
    with pytest.raises(KeyError):
        inventory.code("☃")


def test_what_is_no_list_of_phones_is_refused() -> None:
    given = Inventory(("a",))
    assert as_inventory(given) is given
    refused: dict[tuple[str, ...] | str, str] = {
        ("a", "∅"): r"∅ \(U\+2205\) stands for 'no phone'",
        ("a", ""): "empty string",
        "kpa": "not the string 'kpa'",
        ("c", "a", "b", "a", "c"): r"listed twice: a c$",
    }
    for phones, message in refused.items():
        with pytest.raises(DataError, match=message):
            as_inventory(phones)


def test_equality_is_of_phones_and_their_order() -> None:
    assert Inventory(("a", "b")) == Inventory(("a", "b"))
    assert Inventory(("a", "b")) != Inventory(("b", "a"))
    assert Inventory(["a", "b"]) == Inventory(("a", "b"))  # type: ignore[arg-type]


@given(first=PHONES, second=PHONES)
def test_a_merged_inventory_holds_both(first: list[str], second: list[str]) -> None:
    one, two = Inventory(tuple(first)), Inventory(tuple(second))
    both = merge(one, two)
    assert set(both) == set(first) | set(second)
    assert merge(one, one) is one
    assert set(merge(two, one)) == set(both)
    if first and second and first != second:
        assert both == sorted_inventory(both)
    if not second:
        assert both is one


# Read off the chart of 2020 by hand: the vowels' trapezium, the consonants' table, then its other lists.
BY_HAND = """
    i iː ĩ y ɨ u ʊ e ẽ ø o ə ɚ ɛ œ ɝ ʌ ɔ ɔ̃ æ a ɑ ɹ̩ oʊ aɪ m̩ n̩
    p pʰ pʼ b t d ʈ ɖ c ɟ k kʷ ɡ q ʔ ɓ ɗ k͡p ɡ͡b t͡s d͡z t͡ʃ d͡ʒ
    m n n̥ ɲ ŋ ŋ͡m r ʀ ɾ ɽ ɸ β f v θ ð s z ʃ ʒ ʂ ç ʝ x ɣ ʁ ħ ʕ h ɦ ɬ ʋ ɹ j w l ʎ ǀ ǃ SPN ˥ ˩ SIL ∅
"""


@given(st.permutations(BY_HAND.split()))
def test_the_order_is_that_of_the_chart(phones: list[str]) -> None:
    assert sorted(phones, key=chart_key) == BY_HAND.split()
    assert [*sorted_inventory(set(phones) - {GAP})] == [unicodedata.normalize("NFC", one) for one in BY_HAND.split()][
        :-1
    ]


def test_the_chart_s_rows_by_letters_are_the_classes_by_features() -> None:
    table = panphon_features()
    classes = natural_classes(sorted(table.segments, key=chart_key), table)
    runs = [classes.names[row] for row, _ in groupby(classes.members.argmax(axis=0))]
    assert runs == [*classes.names]
    assert {*runs} == {*DEFAULT_CLASSES, OTHER}
