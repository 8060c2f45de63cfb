"""Which built-in symbol set some symbols are written in."""

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from phonxling.core.features import FeatureTable
from phonxling.phones.deciding import MOST, Fit, decide, fits
from phonxling.phones.maps import BUILT_IN, LABELS
from phonxling.phones.rules import SymbolRules

CMU = "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH"


def by_name(labels: str, table: FeatureTable) -> dict[str, Fit]:
    return {fit.name: fit for fit in fits(Counter(labels.split()), table)}


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ("k͡p a ɔ̃ ã́", "ipa"),
        ("p t k m n", "ipa"),
        ("HH AH0 L OW1", "arpabet"),
        (CMU, "arpabet"),
        (CMU.lower(), "arpabet"),
        (CMU + " SIL", "arpabet"),
        ("aa ae ah dx sil sh", "timit39"),
        ("aa ax cl vcl zh sil", "timit48"),
        ("bcl b ax-h h#", "timit61"),
        ("b d aa iy ae", "arpabet"),
        ("t_S @ E~", "xsampa"),
        ("tS dZ aI @ E p", "xsampa"),
        ("kpàtàkì ɔkɔ̃ aba ŋlá", "ipa-joined"),
    ],
)
def test_the_set_that_fits_best_knows_all(labels: str, name: str, table: FeatureTable) -> None:
    best = fits(Counter(labels.split()), table)[0]
    assert (best.name, best.unknown) == (name, ())


def test_an_odd_label_is_unknown_and_does_not_change_the_set(table: FeatureTable) -> None:
    assert by_name("hh ah l ow oth", table)["arpabet"].unknown == ("oth",)
    assert next(iter(by_name("hh ah l ow oth", table))) == "arpabet"
    assert next(iter(by_name("p a ʃ ɔ ẹ ṣ", table))) == "ipa"


def test_what_a_folding_set_merges_is_named(table: FeatureTable) -> None:
    every = by_name(f"{CMU.lower()} {CMU.lower().replace('ao', '').replace('zh', '')}", table)
    assert every["timit39"].merged == (("ao", "aa"), ("zh", "sh"))
    assert every["arpabet"].merged == ()
    assert by_name("aa q", table)["timit48"].merged == (("q", ""),)


def test_words_of_plain_letters_are_read_with_doubt(table: FeatureTable) -> None:
    every = by_name("hello world", table)
    assert every["ipa-joined"].doubtful == ("hello", "world")
    assert every["ipa"].unknown == ("hello", "world")


def test_of_thousands_of_symbols_the_most_frequent_are_tried(table: FeatureTable) -> None:
    counts = {f"word{number}": 1 for number in range(3 * MOST)} | {"a": 5}
    best = {fit.name: fit for fit in fits(counts, table)}["ipa"]
    assert (best.tried, len(best.unknown)) == (MOST, MOST - 1)


@given(labels=st.sets(st.sampled_from([*sorted(set().union(*LABELS.values())), "ʃ", "a", "t_S", "@", "oth"])))
def test_what_is_unknown_is_what_normalising_refuses(labels: set[str], table: FeatureTable) -> None:
    for fit in fits(dict.fromkeys(labels, 1), table):
        if fit.name != "ipa-joined":
            refused = {one for one in labels if decide(one, BUILT_IN[fit.name], table, SymbolRules()) is None}
            assert set(fit.unknown) == refused
