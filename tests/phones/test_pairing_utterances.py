"""Gold and predicted are paired by id, whatever the order; nobody is left out in silence."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import error_of, phones_by_utterance

from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.phones.pairing import pair

PHONES = st.lists(st.sampled_from("abst"), max_size=4)
SIDE = st.dictionaries(st.sampled_from([f"u{n}" for n in range(12)]), PHONES, max_size=12)


def side(rows: dict[str, list[str]], **more: object) -> PhoneSequences:
    made = from_lists(list(rows), list(rows.values()))
    return PhoneSequences(**{**made.__dict__, "source": "side.tsv", **more})


@given(rows=st.dictionaries(st.sampled_from([f"u{n}" for n in range(12)]), st.tuples(PHONES, PHONES)), data=st.data())
def test_pairs_do_not_depend_on_the_order(rows: dict[str, tuple[list[str], list[str]]], data: st.DataObject) -> None:
    gold = {"u": ["a"], **{name: both[0] for name, both in rows.items()}}
    predicted = {"u": ["b"], **{name: both[1] for name, both in rows.items()}}
    order = data.draw(st.permutations(list(predicted)))
    corpus = pair(side(gold), side({name: predicted[name] for name in order}))
    assert corpus.utterances == tuple(gold)
    assert phones_by_utterance(corpus.gold) == list(gold.values())
    assert phones_by_utterance(corpus.predicted) == [predicted[name] for name in gold]
    assert corpus.unpaired == ()


@given(first=SIDE, second=SIDE)
def test_every_utterance_is_paired_or_named(first: dict[str, list[str]], second: dict[str, list[str]]) -> None:
    first, second = {"u": ["a"], **first}, {"u": [], **second}
    alone = set(first) ^ set(second)
    if alone:
        lines = error_of(DataError, pair, side(first), side(second)).splitlines()
        named = [line.split(": ")[1].split(" … ")[0].split() for line in lines if line.startswith("  only in ")]
        sides = [[name for name in side if name in alone] for side in (first, second)]
        assert named == [side[:5] for side in sides if side]
    corpus = pair(side(first), side(second), allow_unpaired=1.0)
    assert set(corpus.unpaired) == alone
    assert len(corpus.unpaired) == len(alone)
    assert set(corpus.utterances) == set(first) & set(second)


@given(st.integers(1, 60), st.integers(1, 60))
def test_the_share_that_the_message_names_is_enough(paired: int, alone: int) -> None:
    gold, predicted = (side({f"u{n}": ["a"] for n in range(number)}) for number in (paired + alone, paired))
    share = re.search(r"{allow_unpaired: (.+)}", error_of(DataError, pair, gold, predicted))
    assert len(pair(gold, predicted, allow_unpaired=float(share[1])).unpaired) == alone


def test_gold_without_any_phone_is_refused_and_predictions_without_are_not() -> None:
    with pytest.raises(DataError, match="no gold phone is left in any utterance"):
        pair(side({"u1": [], "u2": []}), side({"u1": ["a"], "u2": []}))
    assert len(pair(side({"u1": ["a"]}), side({"u1": []})).predicted.codes) == 0


def test_an_utterance_twice_on_a_side_is_refused() -> None:
    double = from_lists(["u1", "u2", "u1"], [["a"], ["b"], ["a"]])
    once = from_lists(["u1", "u2"], [["a"], ["b"]])
    for sides in ((double, once), (once, double)):
        with pytest.raises(DataError, match="utterance ids must differ; these occur twice: u1"):
            pair(*sides)


def test_times_tones_and_speakers_go_along() -> None:
    tones = from_lists(["u1", "u2"], [["˥"], ["˩", "˧"]])
    gold = side(
        {"u1": ["a"], "u2": ["b", "s"]}, start=np.arange(3.0), end=np.arange(3.0) + 1, tones=tones, speakers=("x", "y")
    )
    corpus = pair(side({"u2": ["a"], "u1": ["b"]}), gold)
    assert corpus.speakers == ("y", "x")
    assert corpus.predicted.start.tolist() == [1.0, 2.0, 0.0]
    assert phones_by_utterance(corpus.predicted.tones) == [["˩", "˧"], ["˥"]]
    assert corpus.predicted.tones.utterances == corpus.utterances


@pytest.mark.parametrize(("name", "own"), [("anna_anna_1", "anna_1"), ("84_121123_84-121123-0000", "84-121123-0000")])
def test_a_file_s_folder_may_stand_in_its_name_too(name: str, own: str) -> None:
    corpus = pair(side({name: ["a"], "x": ["b"]}), side({own: ["a"], "x": ["b"]}))
    assert corpus.notes == (f"ids of predicted are those of gold but for folder: '{own}' is '{name}'",)


@pytest.mark.parametrize("share", [0.07, 0.29, 0.58])
def test_a_share_is_the_decimal_that_is_written(share: float) -> None:
    allowed = round(share * 100)  # of a hundred; 0.29 * 100 is less than 29 in floating point
    gold, enough, few = (side({f"u{n}": ["a"] for n in range(first, 100)}) for first in (0, allowed, allowed + 1))
    assert len(pair(gold, enough, allow_unpaired=share).unpaired) == allowed
    with pytest.raises(DataError, match=f"{allowed + 1} of 100 utterances lack a partner"):
        pair(gold, few, allow_unpaired=share)


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ("u1 u2 a", "U1 U2 b", "2 of them are equal but for case: 'u1' in gold, 'U1' in predicted"),
        ("u1 u2 u3 a", "u1.wav u2.wav u3 b", "equal but for ending"),
        ("u1 u12", "u0001 u0012", "zeros before numbers"),
        ("anna_u_1 anna_u_2", "u_1 u_2", "the prefix 'anna_': 'anna_u_1' in gold, 'u_1' in predicted"),
        ("u_1 u_2", "anna-u_1 bob-u_2", "a prefix: 'u_1' in gold, 'anna-u_1' in predicted"),
        ("ana_gold bo_gold", "ana_pred bo_pred", "'…_gold' and '…_pred', which all ids of a side have: 'ana_gold' in"),
        ("gold-10 gold-11", "pred-10 pred-11", "'gold-…' and 'pred-…', which all ids of a side have"),
        ("a b", "c d", "No two look alike. If the 2 utterances stand in the same order in both files, copy"),
        ("U1 u1 x", "u1 y", ""),
    ],
)
def test_in_what_ids_differ(first: str, second: str, what: str) -> None:
    sides = ((first, "gold"), (second, "predicted"))
    gold, predicted = (side({name: ["a"] for name in names.split()}, source=source) for names, source in sides)
    *_, line, _ = error_of(DataError, pair, gold, predicted).splitlines()
    assert what in line
    assert line.startswith("  only in") == (not what)


@pytest.mark.parametrize(
    ("second", "but_for"),
    [
        ("U2 U1", "case"),
        ("u1.wav u2.wav", "ending"),
        ("clips/u1 b/c/u2", "folder"),
        ("C:\\clips\\u2.WAV a/b/u1.flac", "folder and ending"),
    ],
)
def test_ids_pair_but_for_folder_ending_and_case_and_it_is_said(second: str, but_for: str) -> None:
    gold = side({"u1": ["a"], "u2": ["p"]})
    predicted = side({name: ["a" if "u1" in name.lower() else "p"] for name in second.split()})
    paired = pair(gold, predicted)
    assert paired.utterances == ("u1", "u2")
    assert paired.predicted.codes.tolist() == paired.gold.codes.tolist()
    (note,) = paired.notes
    assert note.startswith(f"ids of predicted are those of gold but for {but_for}: '")


def test_ids_that_collide_or_lack_a_partner_do_not_pair() -> None:
    """Folders or endings tell them apart, or of neither side have all a partner."""
    for first, second in (("u1 u2", "a/u1 b/u1 a/u2"), ("u1 U1", "clips/u1 clips/v1"), ("u1 u2 x", "u1.wav u2.wav y")):
        sides = (side({name: ["a"] for name in names.split()}) for names in (first, second))
        assert "utterances lack a partner" in error_of(DataError, pair, *sides)


def test_an_id_that_is_the_name_of_its_file_says_how_to_call_the_file() -> None:
    gold, predicted = side({"u1": ["a"]}, source="gold.tsv"), side({"take 2": ["a"]}, source="data/take 2.json")
    line = "The id 'take 2' is the name of its file. Name the file u1.json, or give this id in gold.tsv."
    for sides in ((gold, predicted), (predicted, gold)):
        assert error_of(DataError, pair, *sides).splitlines()[-1] == line
    other = side({"v": ["a"]}, source="data/take 2.json")  # an id that the file has
    assert "name of its file" not in error_of(DataError, pair, gold, other)
