"""Inventories: what may be a phone, and how two are joined."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory, as_inventory, merge

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
        assert list(both) == sorted(both)
    if not second:
        assert both is one
