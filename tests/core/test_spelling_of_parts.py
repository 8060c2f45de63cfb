"""How a phone falls into letters and marks, and the forms that look-up uses."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from phonxling.core.spelling import TIE, canonical, full_letter, joined, ordered, parse, placed_tie

PIECES = "tsaŋʃʰʷːⁿᵐ˞˥5\u0301\u0303\u0325\u0329\u032a" + TIE


@pytest.mark.parametrize(
    ("symbol", "parts"),
    [
        ("", []),
        ("a", ["a"]),
        ("ã", ["a\u0303"]),
        ("tʰʷ", ["tʰʷ"]),
        ("t͡ʃʰ", ["t" + TIE, "ʃʰ"]),
        ("t\u032a͡s\u032a", ["t\u032a" + TIE, "s\u032a"]),
        ("nː\u0329", ["n\u0329ː"]),
        ("ⁿdʲ", ["ⁿ", "dʲ"]),
        ("ᵑ\u0325ǃ", ["ᵑ\u0325", "ǃ"]),
        ("ʰʷt", ["ʰʷ", "t"]),
        ("\u0303", ["\u0303"]),
        ("a˥˩", ["a", "˥", "˩"]),
    ],
)
def test_parts(symbol: str, parts: list[str]) -> None:
    assert [str(part) for part in parse(symbol)] == parts


@given(symbol=st.text(PIECES, max_size=7))
def test_parsing_loses_nothing_and_a_canonical_form_stays(symbol: str) -> None:
    assert sorted(joined(parse(symbol))) == sorted(unicodedata.normalize("NFD", symbol))
    assert canonical(symbol) == joined(parse(symbol))
    assert canonical(canonical(symbol)) == canonical(symbol)
    assert ordered(ordered(symbol)) == ordered(symbol) == ordered(canonical(symbol))
    assert sorted(ordered(symbol)) == sorted(canonical(symbol))


@pytest.mark.parametrize(
    ("symbol", "placed"),
    [
        ("kp" + TIE, "k͡p"),
        ("t\u032as\u032a" + TIE, "t\u032a͡s\u032a"),
        ("ŋɡb" + TIE, "ŋɡ͡b"),
        ("tʃʰ" + TIE, "t͡ʃʰ"),
        ("k͡p", "k͡p"),
        ("k͡p" + TIE, "k͡p" + TIE),
        ("k" + TIE, "k" + TIE),
        ("55" + TIE, "55" + TIE),
    ],
)
def test_a_tie_bar_after_both_letters_goes_between_them(symbol: str, placed: str) -> None:
    assert placed_tie(symbol) == placed


def test_superscripts_and_their_letters() -> None:
    assert [full_letter(letter) for letter in "ᵐⁿᵑᶢᵈˣᶿⁱʰ"] == list("mnŋɡdxθih")
    assert full_letter("ː") == full_letter("a") == full_letter("ˀ") == ""
