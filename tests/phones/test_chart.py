"""Places in the IPA chart: those of the printed chart, one for each of PanPhon's segments, and as its features say."""

from collections.abc import Callable

import pytest

from phonxling.core.inventory import PLACES
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import MANNERS, Consonant, Vowel, consonant_place, vowel_places

# Read off the chart of 2020; the last rows are of its other symbols and of joined letters.
CONSONANTS = """
    p plosive bilabial - | ɖ plosive retroflex + | ɢ plosive uvular + | ʔ plosive glottal - |
    ɱ nasal labiodental + | ŋ nasal velar + | ʀ trill uvular + | ɾ tap_or_flap alveolar + |
    ⱱ tap_or_flap labiodental + | θ fricative dental - | ʒ fricative postalveolar + |
    ɬ lateral_fricative alveolar - | ɦ fricative glottal + | ɻ approximant retroflex + |
    ʎ lateral_approximant palatal + | ɠ implosive velar + | ǂ click postalveolar - | ǁ lateral_click alveolar - |
    ʜ fricative epiglottal - | ɕ fricative alveolo-palatal - | w approximant labial–velar + |
    ɥ approximant labial–palatal + | ɧ fricative postalveolar–velar - | k͡p plosive labial–velar - |
    ŋ͡m nasal labial–velar + | t͡ʃ affricate postalveolar - | d͡ɮ lateral_affricate alveolar + |
    t̪ plosive dental - | d̥ plosive alveolar - | n̩ nasal alveolar + | kʼ plosive velar - | ⁿd plosive alveolar + |
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


@pytest.mark.parametrize("symbol", ["˥", "7", "∅", "sil", "ˤ", "", "aʘ"])
def test_what_is_no_phone_of_the_chart_has_no_place(symbol: str) -> None:
    assert (consonant_place(symbol), vowel_places(symbol)) == (None, ())


def test_every_segment_of_panphon_has_the_place_that_its_features_say() -> None:
    """Those left out are where PanPhon leaves the chart, or where a mark, which moves no letter, sets a feature."""
    table, checked = panphon_features(), dict.fromkeys(QUERIES, 0)
    for segment in table.segments:
        consonant, vowels = consonant_place(segment), vowel_places(segment)
        place = consonant or next(iter(vowels), None)
        assert (place is None) == (segment[0] in "˥˦˧˨˩"), segment
        for query, (says, strays) in QUERIES.items():
            if place and (query in OF_CONSONANTS) == isinstance(place, Consonant) and not set(segment) & {*strays}:
                checked[query] += 1
                assert table.matches(segment, query) == says(place), segment
    assert min(checked.values()) > 500, checked


def manner(*words: str) -> Callable[[Consonant], bool]:
    return lambda place: any(word in MANNERS[place.manner] for word in words)


def at(*names: str) -> Callable[[Consonant], bool]:
    return lambda place: any(PLACES[column] in names for column in place.place)


CORONAL = "dental", "alveolar", "postalveolar", "alveolo-palatal", "retroflex"
OF_CONSONANTS = {
    "+voi": (lambda place: place.voiced, ""),
    "+lab": (at("bilabial", "labiodental"), "\u033c"),
    "+cor": (at(*CORONAL), "çʝʎ"),
    "+velaric": (manner("click"), ""),
    "+lat": (manner("lateral"), "ˡ"),
    "+son +nas -cont": (manner("nasal"), ""),
    "-son -cont +delrel -velaric": (manner("affricate"), "çʝˡ"),
    "+cont": (manner("fricative", "trill", "flap", "approximant"), "ç"),
}
QUERIES = {
    **OF_CONSONANTS,
    "+hi": (lambda place: place.height < 1, "ˠʷʲᶣ˞\u031d\u031e"),
    "+lo": (lambda place: place.height >= 2.5, "ˤɐ\u031d\u031e"),
    "+round": (lambda place: place.rounded, "˞"),
}
