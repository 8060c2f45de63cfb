"""Canonical forms, tone, and queries of features."""

import unicodedata
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.core.features import FeatureTable
from phonxling.core.spelling import (
    ACCENTS,
    TONE_LETTERS as LETTERS,
    Levels,
    Query,
    canonical_form,
    read_tones,
    split_tone,
)


@given(
    base=st.sampled_from("aektn"), marks=st.lists(st.sampled_from("\u0301\u0303\u0323\u032a\u0361\u0330"), max_size=4)
)
def test_canonical_is_one_for_all_forms_and_orders_and_stays(base: str, marks: list[str]) -> None:
    symbols = {base + "".join(order) for order in permutations(marks)}
    forms = {canonical_form(unicodedata.normalize(form, symbol)) for symbol in symbols for form in ("NFC", "NFD")}
    assert len(forms) == 1
    (form,) = forms
    assert canonical_form(form) == form
    assert sorted(form) == sorted(base + "".join(marks))


@pytest.mark.parametrize(
    ("symbol", "parts"),
    [
        ("a", ("a", "")), ("á", ("a", "\u0301")), ("ã", ("a\u0303", "")), ("ã\u0301", ("a\u0303", "\u0301")),
        ("á\u0303", ("a\u0303", "\u0301")), ("a\u0301\u0300", ("a", "\u0301\u0300")), ("ɔ̃˥˩", ("ɔ\u0303", "˥˩")),
        ("ꜛa", ("a", "ꜛ")), ("a55", ("a", "55")), ("a⁵¹", ("a", "⁵¹")), ("á5", ("a", "\u03015")), ("a5˥", ("a", "5˥")),
        ("55", ("55", "")), ("⁵⁵", ("", "⁵⁵")), ("˥", ("", "˥")), ("", ("", "")), ("a5ː", ("a5ː", "")),
    ],
)  # fmt: skip
def test_tone_comes_off(symbol: str, parts: tuple[str, str]) -> None:
    assert split_tone(symbol) == parts


@given(symbol=st.text("aɛk5ː" + LETTERS + ACCENTS + "\u0303\u0323", max_size=6))
def test_taking_tone_off_loses_nothing(symbol: str) -> None:
    segment, tone = split_tone(symbol)
    assert sorted(segment + tone) == sorted(unicodedata.normalize("NFD", symbol))
    assert not set(segment) & set(LETTERS + ACCENTS)


@pytest.mark.parametrize(
    ("marks", "three", "five"),
    [
        ("\u0301", "˥", "˦"), ("\u0304", "˧", "˧"), ("\u0300", "˩", "˨"), ("\u030b", "\u030b", "˥"),
        ("\u030f", "\u030f", "˩"), ("\u0302", "˥˩", "˥˩"), ("\u0301\u0304", "˥˧", "˦˧"), ("\u1dc7", "˥˧", "˦˧"),
        ("\u0300\u0301\u0300", "˩˥˩", "˨˦˨"), ("˨˩˦", "˨˩˦", "˨˩˦"), ("214", "˨˩˦", "˨˩˦"), ("⁵⁵", "˥˥", "˥˥"),
        ("1", "¹", "¹"), ("¹⁶", "¹⁶", "¹⁶"), ("\u0301ꜜ", "˥ ꜜ", "˦ ꜜ"), ("ꜜ\u0301", "ꜜ ˥", "ꜜ ˦"),
        ("ꜛꜛ", "ꜛ ꜛ", "ꜛ ꜛ"), ("", "", ""),
    ],
)  # fmt: skip
def test_marks_read_as_tones(marks: str, three: str, five: str) -> None:
    assert (read_tones(marks), read_tones(marks, "five")) == (three, five)


@given(marks=st.text(LETTERS + ACCENTS + "15", max_size=6), levels=st.sampled_from(["three", "five"]))
def test_tones_that_were_read_read_as_themselves(marks: str, levels: Levels) -> None:
    once = read_tones(marks, levels)
    assert " ".join(read_tones(tone, levels) for tone in once.split()) == once


TOY = FeatureTable(
    name="toy",
    digest="",
    features=("syl", "nas", "hi-lo"),
    segments=("a", "ã", "m", "b"),
    values=np.array([[1, -1, -1], [1, 1, -1], [-1, 1, 0], [-1, -1, 0]], dtype=np.int8),
    weights={},
)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("+syl +nas", "ã"),
        ("+nas", "ãm"),
        ("0hi-lo -nas|+syl -nas", "ab"),
        ("-syl +hi-lo", ""),
    ],
)
def test_a_query_holds_the_phones_with_all_values_of_one_alternative(text: str, members: str) -> None:
    phones = ["a", "ã", "m", "b", "∅", "unknown"]
    found = Query(text).members(phones, TOY)
    assert "".join(phone for phone, member in zip(phones, found, strict=True) if member) == members


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' asks for no feature"),
        ("syl +nas", "'syl' is not a feature with its sign"),
        ("+", r"'\+' is not a feature with its sign"),
        ("+syl -syl", "names the feature syl twice"),
    ],
)
def test_what_is_no_query_says_how_one_is_written(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Query(text)
