"""Places in the IPA chart: those of the printed chart, one for each of PanPhon's segments, and as its features say."""

import unicodedata
from collections.abc import Iterator

import pytest

from phonxling.core.inventory import chart_key
from phonxling.core.spelling import CHART
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import MANNERS, Vowel, consonant_place, natural_classes, vowel_places

# Joined letters, letters with marks and the chart's other symbols; those of its table stand in LETTERS.
CONSONANTS = """
    ɕ fricative alveolo-palatal - | w approximant labial–velar + | ɥ approximant labial–palatal + |
    ɧ fricative postalveolar–velar - | k͡p plosive labial–velar - | ŋ͡m nasal labial–velar + |
    t͡ʃ affricate postalveolar - | d͡ɮ lateral_affricate alveolar + | kʼ plosive velar - | ⁿd plosive alveolar + |
    ŋ͡ɡ͡b plosive labial–velar + | ᶢǃ click alveolar + | ʔ͡k plosive velar - | ˈtʷ plosive alveolar - |
    g plosive velar +
"""
VOWELS = """
    i 0 0 - | y 0 0 + | ɨ 0 1 - | u 0 2 + | ɪ .5 .5 - | ʊ .5 1.5 + | ø 1 0 + | ɤ 1 2 - | ə 1.5 1 - | ɛ 2 0 - | ɞ 2 1 + |
    ʌ 2 2 - | æ 2.5 0 - | ɐ 2.5 1 - | a 3 0 - | ɒ 3 2 + | ã 3 0 - | eː 1 0 - | ɝ 2 1 - | e̞ 1.25 0 - | ä 3 .5 - |
    o˥˩ 1 2 + | ˀa 3 0 -
"""
ROWS = [row.split() for row in (CONSONANTS + "|" + VOWELS).split("|")]


@pytest.mark.parametrize(("phone", "row", "column", "half"), ROWS)
def test_places_are_those_of_the_chart(phone: str, row: str, column: str, half: str) -> None:
    place = consonant_place(phone)
    if place is not None:
        assert (MANNERS[place.manner].replace(" ", "_"), place.place_name, place.voiced) == (row, column, half == "+")
    else:
        assert vowel_places(phone) == (Vowel(float(row), float(column), half == "+"),)


def test_a_diphthong_has_the_places_of_its_vowels() -> None:
    (high,), (low,) = vowel_places("ɪ"), vowel_places("a")
    assert vowel_places("aɪ̯") == vowel_places("a͡ɪ") == (low, high)
    assert vowel_places("ja") == (*vowel_places("i"), low)
    assert vowel_places("ɔːɹ") == vowel_places("ɔ")  # coloured by r, as ɔ˞ is


@pytest.mark.parametrize("symbol", ["˥", "7", "∅", "sil", "ˤ", "", "aʘ", "\u0303", "˥\u032a"])
def test_what_is_no_phone_of_the_chart_has_no_place(symbol: str) -> None:
    assert (consonant_place(symbol), vowel_places(symbol)) == (None, ())


def test_every_segment_of_panphon_but_tones_has_a_place() -> None:
    for segment in panphon_features().segments:
        assert bool(consonant_place(segment) or vowel_places(segment)) == (segment[0] not in "˥˦˧˨˩"), segment


# The letters of the IPA chart (2020), voiceless and voiced under their places, - where there is none, and what class
# the manner is; then vowels in rows from close to open: front, central and back, unrounded and rounded.
LETTERS = """
    plosive stops bilabial p b alveolar t d retroflex ʈ ɖ palatal c ɟ velar k ɡ uvular q ɢ epiglottal ʡ - glottal ʔ -
    implosive stops bilabial - ɓ alveolar - ɗ palatal - ʄ velar - ɠ uvular - ʛ
    nasal nasals bilabial - m labiodental - ɱ alveolar - n retroflex - ɳ palatal - ɲ velar - ŋ uvular - ɴ
    trill trills_and_taps bilabial - ʙ alveolar - r uvular - ʀ
    tap_or_flap trills_and_taps labiodental - ⱱ alveolar - ɾ retroflex - ɽ
    fricative fricatives bilabial ɸ β labiodental f v dental θ ð alveolar s z postalveolar ʃ ʒ retroflex ʂ ʐ
    fricative fricatives alveolo-palatal ɕ ʑ palatal ç ʝ velar x ɣ uvular χ ʁ pharyngeal ħ ʕ epiglottal ʜ ʢ glottal h ɦ
    lateral_fricative fricatives alveolar ɬ ɮ
    approximant approximants labiodental - ʋ alveolar - ɹ retroflex - ɻ palatal - j velar - ɰ
    lateral_approximant laterals alveolar - l retroflex - ɭ palatal - ʎ velar - ʟ
    lateral_flap laterals alveolar - ɺ
    click clicks bilabial ʘ - dental ǀ - alveolar ǃ - postalveolar ǂ -
    lateral_click clicks alveolar ǁ -
"""
QUADRILATERAL = "iy ɨʉ ɯu / eø ɘɵ ɤo / ə- / ɛœ ɜɞ ʌɔ / æ- ɐ- / aɶ ɑɒ"
# The chart's diacritics, by what they change: nothing, the voice, the place of alveolars and the place of vowels.
PLAIN = "ʰʷʲˠˤːˑ\u0324\u0330\u0339\u031c\u0303\u0334\u0318\u0319\u033a\u033b\u031a\u0306\u033cʼ"
VOICELESS, VOICED, DENTAL, SYLLABIC, NON_SYLLABIC = "\u0325\u030a", "\u032c", "\u032a", "\u0329", "\u032f"
MOVED = "\u031d\u031e\u031f\u0320\u0308\u033d"


def consonants() -> Iterator[tuple[str, str, str, tuple[str, str, bool]]]:
    """Yield the letters of the chart with their class, and their manner, place and voice."""
    for manner_of, kind, *cells in map(str.split, LETTERS.strip().splitlines()):
        for place, *pair in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
            for letter in {*pair} - {"-"}:
                yield letter, kind.replace("_", " "), place, (manner_of.replace("_", " "), place, letter == pair[1])


def where(phone: str) -> tuple[object, str, int, list[int]]:
    """Return a phone's place in the chart, its class, and the row and the places of its letters in the order."""
    place = consonant_place(phone)
    named = (MANNERS[place.manner], place.place_name, place.voiced) if place else vowel_places(phone)
    rank, _, letters, *_ = chart_key(phone)
    kind = natural_classes([phone], panphon_features())
    return named, kind.default_of(kind.phones[0]), rank, letters


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_each_consonant_of_the_chart_with_each_diacritic_has_one_place_class_and_rank(form: str) -> None:
    kinds = [*CHART]
    for letter, kind, place, (manner_of, _, voiced) in consonants():
        letters = chart_key(letter)[2]
        for mark in ["", *PLAIN, *VOICELESS, VOICED, DENTAL, SYLLABIC, *MOVED]:
            if mark == "\u033c" and place == "glottal":
                continue  # which no tongue and lip can be
            voice = (voiced or mark == VOICED) and (mark == "" or mark not in VOICELESS)
            at_teeth = "dental" if mark == DENTAL and place == "alveolar" else place
            syllabic = "vowels" if kind == "approximants" else "syllabic consonants"
            own = syllabic if mark == SYLLABIC else kind
            wanted = (manner_of, at_teeth, voice), own, kinds.index(own), letters
            assert where(unicodedata.normalize(form, letter + mark)) == wanted, letter + mark


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_each_vowel_of_the_chart_with_each_diacritic_has_one_place_class_and_rank(form: str) -> None:
    for row in QUADRILATERAL.split(" / "):
        for letter in row.replace("-", "").replace(" ", ""):
            place, letters = vowel_places(letter), chart_key(letter)[2]
            for mark in ["", *PLAIN, VOICELESS[0], VOICED, "˞", NON_SYLLABIC, *MOVED]:
                kind = "approximants" if mark == NON_SYLLABIC else "vowels"
                found = where(unicodedata.normalize(form, letter + mark))
                assert found[1:] == (kind, [*CHART].index(kind), letters), letter + mark
                assert found[0] == place or mark in MOVED, letter + mark


def test_the_cedilla_is_a_letters_in_both_forms() -> None:
    assert [MANNERS[consonant_place(form).manner] for form in ("ç", "c\u0327")] == ["fricative"] * 2  # type: ignore[union-attr]
