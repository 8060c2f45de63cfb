"""The costs for cognate words: the stated rules as properties over the phones of the feature table."""

from dataclasses import replace
from fractions import Fraction

import pytest

import phonxling as px
from phonxling.alignment.costs.cognate import CognateSettings, cognate_costs
from phonxling.alignment.costs.named import cost_table
from phonxling.alignment.costs.sound_classes import sound_class
from phonxling.alignment.expected import expect_sequences
from phonxling.core.costs import CostTable
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.sequences import from_lists
from phonxling.load.resources.features import panphon_features

VOWELS = ("a", "e", "i", "o", "u", "y", "ə", "ã", "aː", "ai", "ɨ")
CONSONANTS = ("p", "b", "t", "tʰ", "d", "k", "q", "t͡ʃ", "s", "z", "x", "f", "m", "n", "ŋ", "l", "r", "h", "ʔ", "n̩", "l̩")
GLIDES = ("j", "w", "ɥ")
TONES = ("˥˩", "²¹", "55", "³")
PHONES = (*VOWELS, *CONSONANTS, *GLIDES, *TONES, "_")
CLASSES = {
    "obstruent": ("p", "d", "q", "s", "t͡ʃ", "tʰ", "β"),
    "liquid": ("l", "r", "ɾ"),
    "nasal": ("m", "ɲ", "nː"),
    "glide": ("j", "w", "ʋ"),
    "laryngeal": ("h", "ɦ", "ʔ"),
    "syllabic": ("n̩", "l̩"),
    "vowel": ("a", "yː", "ĩ", "ai", "ɿ", "z̩"),
    "schwa": ("ə", "ɐ"),
    "tone": ("˥˩", "²¹", "55"),
    "boundary": ("_", "+"),
    "unknown": ("℘", "☃"),
}


@pytest.fixture(scope="module")
def costs() -> CostTable:
    return px.feature_costs(PHONES, PHONES, "cognate")


def loses_both(costs: CostTable, first: str, second: str) -> Fraction:
    gaps = costs.cost(first, None) + costs.cost(None, second)
    return gaps + 2 * Fraction(costs.opening, costs.denominator)


@pytest.mark.parametrize(("kind", "phones"), CLASSES.items())
def test_phones_are_of_their_class(kind: str, phones: tuple[str, ...]) -> None:
    assert {sound_class(phone, panphon_features()) for phone in phones} == {kind}


def test_costs_are_symmetric_and_0_for_the_same_phone(costs: CostTable) -> None:
    assert (costs.substitution == costs.substitution.T).all()
    assert (costs.deletion == costs.insertion).all()
    assert all(costs.cost(phone, phone) == 0 for phone in PHONES)


@pytest.mark.parametrize(
    ("one", "other"),
    [(TONES, VOWELS + CONSONANTS + GLIDES + ("_",)), (VOWELS, CONSONANTS), (("_",), VOWELS + CONSONANTS + GLIDES)],
)
def test_what_never_corresponds_is_dearer_than_to_lose_both(
    one: tuple[str, ...], other: tuple[str, ...], costs: CostTable
) -> None:
    for first in one:
        for second in other:
            assert costs.cost(first, second) > loses_both(costs, first, second)


def test_any_vowels_and_any_tones_correspond_freely(costs: CostTable) -> None:
    for group in (VOWELS, TONES):
        assert {costs.cost(first, second) for first in group for second in group} == {0}


def test_only_its_own_glide_may_stand_for_a_vowel(costs: CostTable) -> None:
    for vowel, glide in (("i", "j"), ("u", "w"), ("y", "ɥ")):
        assert 0 < costs.cost(vowel, glide) < loses_both(costs, vowel, glide)
    for vowel, glide in (("a", "j"), ("i", "w"), ("o", "w"), ("u", "j")):
        assert costs.cost(vowel, glide) > loses_both(costs, vowel, glide)


def test_two_consonants_are_never_dearer_than_the_limit(costs: CostTable) -> None:
    limit = CognateSettings().dissimilar
    found = {costs.cost(first, second) for first in CONSONANTS + GLIDES for second in CONSONANTS + GLIDES}
    assert max(found) == limit
    assert all(limit < loses_both(costs, first, second) for first in ("p", "m") for second in ("s", "l"))


def test_a_cost_worked_by_hand(costs: CostTable) -> None:
    # p and b differ in voice, which weighs 1/8, from −1 to +1: 6/5 · 1/8 · 2/2
    assert costs.cost("p", "b") == Fraction(3, 20)
    # k and x differ in continuance alone, which weighs 1/2
    assert costs.cost("k", "x") == Fraction(3, 5)


@pytest.mark.parametrize(
    ("near", "far"),
    [(("k", "x"), ("k", "m")), (("t", "d"), ("t", "l")), (("s", "z"), ("s", "n")), (("p", "f"), ("p", "r"))],
)
def test_common_changes_are_cheaper_than_others(near: tuple[str, str], far: tuple[str, str], costs: CostTable) -> None:
    assert costs.cost(*near) < costs.cost(*far)


def test_what_weakens_is_lost_more_cheaply(costs: CostTable) -> None:
    stop, vowel, laryngeal, schwa = (costs.cost(phone, None) for phone in ("p", "a", "h", "ə"))
    assert stop > vowel > laryngeal > schwa > 0


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("t a k a", "t a", "t:t a:a k:∅ a:∅"),  # of two equal places the first
        ("t a p u k a", "d o k e", "t:d a:o p:∅ u:∅ k:k a:e"),  # a syllable goes as a whole
        ("k a ³³ t i ⁵⁵", "k u ⁵⁵", "k:k a:u ³³:⁵⁵ t:∅ i:∅ ⁵⁵:∅"),  # a tone goes with its syllable
        ("h a n d", "a n t", "h:∅ a:a n:n d:t"),
        ("n a t ə", "n a t", "n:n a:a t:t ə:∅"),
    ],
)
def test_words_align_as_linguists_align_them(first: str, second: str, wanted: str) -> None:
    words = first.split(), second.split()
    table = px.feature_costs(*(sorted(set(word)) for word in words), "cognate")
    assert px.align(*words, table) == [tuple(pair.split(":")) for pair in wanted.split()]


def test_a_phone_without_features_is_taken_as_its_beginning() -> None:
    table = px.feature_costs(["b℘"], ["b", "p", "a"], "cognate")
    assert [table.cost("b℘", phone) for phone in ("b", "p", "a")] == [0, Fraction(3, 20), 4]


def test_a_phone_of_which_nothing_is_known_may_stand_for_any_segment() -> None:
    table = px.feature_costs(["℘"], ["℘", "p", "a", "²¹"], "cognate")
    limit = CognateSettings().dissimilar
    assert [table.cost("℘", phone) for phone in ("℘", "p", "a", "²¹")] == [0, limit, limit, 4]


def test_the_costs_are_no_rate_and_say_how_ties_are_broken(costs: CostTable) -> None:
    assert (costs.as_rate, costs.ties, costs.name) == (False, "late", "cognate")


def test_a_setting_changes_what_it_names() -> None:
    phones = Inventory(("p", "a", "e"))
    changed = replace(CognateSettings(), vowels=Fraction(1, 3), opening=Fraction(0), vowel=Fraction(2))
    table = cognate_costs(phones, phones, panphon_features(), changed)
    assert (table.cost("a", "e"), table.cost("a", None), table.opening) == (Fraction(1, 3), 2, 0)


@pytest.mark.parametrize("given", [{"insertion": 1.0}, {"deletion": 0.5}, {"ties": "nist"}])
def test_gaps_and_ties_of_ones_own_are_refused(given: dict[str, object]) -> None:
    phones = Inventory(("p",))
    with pytest.raises(ConfigurationError, match="have their own"):
        cost_table("cognate", phones, phones, panphon_features(), **given)  # type: ignore[arg-type]


def test_an_average_over_alignments_is_refused() -> None:
    costs = px.feature_costs(["p"], ["p"], "cognate")
    words = from_lists(["u"], [["p"]])
    with pytest.raises(ConfigurationError, match="'cognate' give one best alignment"):
        expect_sequences(words, words, costs)


def test_a_feature_table_must_have_weights_and_the_features_of_the_classes() -> None:
    small = FeatureTable(name="toy", digest="", features=("syl",), segments=("a",), values=[[1]], weights={})  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"need the features son, cons, .* which toy lacks"):
        cognate_costs(Inventory(("a",)), Inventory(("a",)), small)
    weightless = replace(panphon_features(), weights={})
    with pytest.raises(DataError, match="need weights of features"):
        cognate_costs(Inventory(("a",)), Inventory(("a",)), weightless)


def test_raw_symbols_are_refused() -> None:
    with pytest.raises(DataError, match="raw symbols have none"):
        cost_table("cognate", Inventory(("p",)), Inventory(("p",)), None)


def test_no_phone_at_all_makes_an_empty_table() -> None:
    empty = Inventory(())
    assert cost_table("cognate", empty, empty, panphon_features()).substitution.shape == (0, 0)
