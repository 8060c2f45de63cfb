"""Sequences as columns: selecting, recoding, and that nothing can be written to."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import phones_by_utterance

from phonxling.core.inventory import Inventory
from phonxling.core.sequences import Corpus, PhoneSequences, from_lists

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


@given(rows=ROWS, data=st.data())
def test_recode_changes_codes_alone(rows: list[list[str]], data: st.DataObject) -> None:
    given = full(rows)
    inventory = Inventory(tuple(data.draw(st.permutations("abcdxyz"))))
    recoded = given.recode(inventory)
    assert phones_by_utterance(recoded) == rows
    assert recoded.inventory is inventory
    for name in ("utterances", "speakers", "tones", "source"):
        assert getattr(recoded, name) is getattr(given, name)
    for name in ("offsets", "start", "end", "confidence"):
        np.testing.assert_array_equal(getattr(recoded, name), getattr(given, name))


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
