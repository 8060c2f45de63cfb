"""Phones made from the IPA chart's letters and diacritics: all known, and the same in every Unicode form and order."""

import unicodedata
from itertools import permutations

import pytest
from support import transcript_of

from phonxling.core.features import FeatureTable
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

IPA = BUILT_IN["ipa"]
RULES = SymbolRules()
STOPS = list("pbtdʈɖcɟkɡqɢʔ")
NASALS = list("mɱnɳɲŋɴ")
LIQUIDS = list("ʙrʀⱱɾɽɬɮlɭʎʟɺɫ")
FRICATIVES = list("ɸβfvθðszʃʒʂʐçʝxɣχʁħʕhɦɕʑɧʜʢ")
GLIDES = list("ʋɹɻjɰwɥʍ")
OTHERS = list("ɓɗʄɠʛʡʘǀǃǂǁ")
VOWELS = list("iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒ")
LETTERS = [*STOPS, *NASALS, *LIQUIDS, *FRICATIVES, *GLIDES, *OTHERS, *VOWELS]
BELOW = [chr(code) for code in (0x325, 0x32C, 0x324, 0x330, 0x33C, 0x32A, 0x33A, 0x33B, 0x339, 0x31C, 0x31F, 0x320)]
BELOW += [chr(code) for code in (0x329, 0x32F, 0x31D, 0x31E, 0x318, 0x319)]
ABOVE = [chr(code) for code in (0x303, 0x308, 0x33D, 0x31A, 0x306)]
BESIDE = list("ʰʷʲˠˤⁿˡːˑʼ˞")
AFFRICATES = [f"{stop}͡{fricative}" for stop in "ptdʈɖckɡq" for fricative in "fθðsʃʂʐɕçxχɬɮ"]


def fate(symbol: str, table: FeatureTable) -> tuple[tuple[str, ...], str]:
    found = decide(symbol, IPA, table, RULES)
    assert found is not None, symbol
    assert found.features in {"table", "composed"}
    return found.phones, found.tone


def one(spellings: list[str], table: FeatureTable) -> bool:
    forms = [unicodedata.normalize(form, spelling) for spelling in spellings for form in ("NFC", "NFD")]
    return len({fate(form, table) for form in forms}) == 1


def test_the_chart_has_hundreds_of_phones() -> None:
    assert len(LETTERS) == len(set(LETTERS)) == 108
    assert len(LETTERS) * len(BELOW + ABOVE + BESIDE) > 3000


@pytest.mark.parametrize("mark", BELOW + ABOVE + BESIDE)
def test_a_letter_with_a_mark_is_known_in_every_form(table: FeatureTable, mark: str) -> None:
    for letter in LETTERS:
        assert one([letter + mark], table), letter + mark
        (phone,), _ = fate(letter + mark, table)
        assert phone == unicodedata.normalize("NFC", letter + mark)


def test_two_marks_in_either_order(table: FeatureTable) -> None:
    for letter in [*STOPS, *NASALS, *VOWELS[:10]]:
        for below, above in (("\u0325", "\u0303"), ("\u0330", "\u0308"), ("\u032a", "\u031a"), ("\u031f", "\u0320")):
            assert one([letter + below + above, letter + above + below], table)


def test_marks_before_and_after_modifier_letters(table: FeatureTable) -> None:
    for letter in [*STOPS, *FRICATIVES, *VOWELS]:
        spellings = ["".join(order) for order in permutations(["ː", "ʰ", "\u0303"])]
        assert len({table.vector(letter + spelling)[0].tobytes() for spelling in spellings}) == 1  # type: ignore[union-attr]
        assert one([letter + "ː\u0303", letter + "\u0303ː"], table)


@pytest.mark.parametrize("affricate", AFFRICATES)
def test_tie_bars_above_below_and_after_are_one(table: FeatureTable, affricate: str) -> None:
    stop, fricative = affricate.split("͡")
    spellings = [stop + tie + fricative for tie in "\u0361\u035c"] + [stop + fricative + "\u0361"]
    assert one(spellings, table)
    assert one([spelling + "ʰ" for spelling in spellings[:2]], table)


@pytest.mark.parametrize("tie", ["\u0361", "\u035c", ""])
def test_diphthongs_are_one_with_a_tie_bar_and_without(table: FeatureTable, tie: str) -> None:
    for first in VOWELS:
        for second in "iuəɪʊ":
            assert fate(first + tie + second, table)[0] == (unicodedata.normalize("NFC", first + second),)


def test_prenasalised_phones_are_one_however_they_are_written(table: FeatureTable) -> None:
    for nasal, small, stop in (("n", "ⁿ", "d"), ("m", "ᵐ", "b"), ("ŋ", "ᵑ", "ɡ"), ("n", "ⁿ", "t͡s"), ("ɳ", "ᶯ", "ʈ")):
        assert one([nasal + stop, nasal + "\u0361" + stop, small + stop, nasal + "\u035c" + stop], table)
    for nasal, small in (("ŋ", "ᵑ"), ("ɡ", "ᶢ"), ("k", "ᵏ")):
        for click in "ʘǀǃǂǁ":
            assert one([nasal + click, nasal + "\u0361" + click, small + click], table)


def test_compatibility_forms_lose_superscripts_before_we_see_them(table: FeatureTable) -> None:
    lost = unicodedata.normalize("NFKD", "tʰ")
    assert lost == "th"
    assert decide(lost, IPA, table, RULES) is None


def test_the_audit_says_what_was_composed(table: FeatureTable) -> None:
    _, audit = normalise(transcript_of([["t͡ʂ", "t͡ʃ", "nd", "aɪ"]]), IPA, table, RULES)
    assert [(row.symbol, row.action, row.features) for row in audit] == [
        ("t͡ʂ", "kept", "composed"),
        ("t͡ʃ", "kept", "table"),
        ("ⁿd", "folded", "composed"),
        ("aɪ", "kept", "composed"),
    ]
