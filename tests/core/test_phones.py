"""Inventories, sequences and the parts of a spelling."""

import unicodedata
from dataclasses import FrozenInstanceError
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import phones_by_utterance

from phonxling.core.errors import DataError
from phonxling.core.inventory import GAP, Inventory, as_inventory, chart_key, merge, sorted_inventory
from phonxling.core.sequences import Corpus, PhoneSequences, from_lists
from phonxling.core.spelling import DEFAULT_CLASSES, OTHER_CLASS, TIE, canonical_form, join_parts, order_marks, parse
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import natural_classes

ROWS = st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1, max_size=6)


def full(rows: list[list[str]]) -> PhoneSequences:
    """Sequences with every column filled, all different."""
    names = [f"u{number}" for number in range(len(rows))]
    plain = from_lists(names, rows)
    tokens = np.arange(float(len(plain.codes)))
    more = {
        "start": tokens,
        "end": tokens + 0.5,
        "confidence": tokens / 100,
        "speakers": tuple(f"s{number}" for number in range(len(rows))),
        "tones": from_lists(names, [row[::2] for row in rows]),
        "source": "gold.tsv",
    }
    return PhoneSequences(**{**plain.__dict__, **more})


@given(rows=ROWS, data=st.data())
def test_select_takes_the_utterances_with_all_that_is_theirs(rows: list[list[str]], data: st.DataObject) -> None:
    given = full(rows)
    places = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    chosen = given.select(np.array(places, dtype=np.int64))
    assert phones_by_utterance(chosen) == [rows[place] for place in places]
    assert chosen.utterances == tuple(f"u{place}" for place in places)
    assert chosen.speakers == tuple(f"s{place}" for place in places)
    tokens = [token for place in places for token in range(*given.offsets[place : place + 2].tolist())]
    columns = {"start": tokens, "end": [n + 0.5 for n in tokens], "confidence": [n / 100 for n in tokens]}
    for name, of in columns.items():
        assert getattr(chosen, name).tolist() == of
    assert chosen.tones is not None
    assert chosen.token_utterances().tolist() == [place for place, of in enumerate(places) for _ in rows[of]]
    assert phones_by_utterance(chosen.tones) == [rows[place][::2] for place in places]
    assert (chosen.inventory, chosen.source) == (given.inventory, "gold.tsv")


def test_what_an_inventory_lacks_is_refused_and_nothing_stays_nothing() -> None:
    with pytest.raises(KeyError, match="b"):
        from_lists(["u"], [["a", "b"]]).recode(Inventory(("a",)))
    with pytest.raises(KeyError):
        from_lists(["u"], [["d"]], Inventory(("a",)))
    assert from_lists(["u"], [[]]).recode(Inventory(("a",))).codes.tolist() == []
    assert from_lists(["u"], [["b", "a"]], Inventory(("c", "b", "a"))).codes.tolist() == [1, 2]


@pytest.mark.parametrize("offsets", [[0, 1, 3], [0, 3, 1, 2], [1, 1, 2], [0, 2], [0, 1, 1, 2]])
def test_offsets_must_cut_the_tokens_into_the_utterances(offsets: list[int]) -> None:
    codes = np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="offsets must rise from 0 to 2 in 2 steps"):
        PhoneSequences(utterances=("u1", "u2"), offsets=np.array(offsets), codes=codes, inventory=Inventory(("a",)))


def test_values_are_frozen_and_cut_off_from_the_callers_arrays() -> None:
    codes = np.zeros(2, np.int32)
    given = PhoneSequences(utterances=("u",), offsets=np.array([0, 2]), codes=codes, inventory=Inventory(("a", "b")))
    codes[0] = 1
    assert given.codes.tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        given.codes[0] = 1
    with pytest.raises(FrozenInstanceError):
        given.codes = codes  # type: ignore[misc]


def test_a_corpus_refuses_sides_that_differ() -> None:
    one, two = from_lists(["u1", "u2"], [["a"], []]), from_lists(["u2", "u1"], [[], ["a"]])
    assert Corpus(gold=one, predicted=one).gold_inventory.phones == ("a",)
    with pytest.raises(ValueError, match="the same utterances in the same order"):
        Corpus(gold=one, predicted=two)


PIECES = "tsaŋʃʰʷːⁿᵐ˞˥5\u0301\u0303\u0325\u0329\u032a" + TIE


@given(symbol=st.text(PIECES, max_size=7))
def test_parsing_loses_nothing_and_a_canonical_form_stays(symbol: str) -> None:
    assert sorted(join_parts(parse(symbol))) == sorted(unicodedata.normalize("NFD", symbol))
    assert canonical_form(symbol) == join_parts(parse(symbol))
    assert canonical_form(canonical_form(symbol)) == canonical_form(symbol)
    assert order_marks(order_marks(symbol)) == order_marks(symbol) == order_marks(canonical_form(symbol))
    assert sorted(order_marks(symbol)) == sorted(canonical_form(symbol))


PHONES = st.lists(
    st.text("abɛ̃", min_size=1, max_size=2).map(lambda text: unicodedata.normalize("NFC", text)), unique=True, max_size=6
)


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
    assert {*runs} == {*DEFAULT_CLASSES, OTHER_CLASS}
