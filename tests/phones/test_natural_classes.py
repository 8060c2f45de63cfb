"""Natural classes: the default ones are a partition that follows the IPA chart; a user's may overlap."""

import numpy as np
import pytest

import phonxling as px
from phonxling.core.features import DEFAULT_CLASSES, OTHER, FeatureTable
from phonxling.phones.natural_classes import natural_classes

PANPHON = px.costs.panphon_features()
CHART = {
    "vowels": "i y ɨ u e ø ə o ɛ ɔ æ a ɑ ĩ ɔ̃ aɪ ə˞",
    "syllabic consonants": "n̩ l̩ m̩ z̩",
    "clicks": "ʘ ǀ ǃ ǂ ǁ",
    "stops": "p b t d ʈ ɖ c ɟ k ɡ q ɢ ʔ ʡ k͡p ɡ͡b ɓ ɗ ʄ ɠ pʼ tʰ ⁿd ʔʷ",
    "affricates": "t͡s d͡z t͡ʃ d͡ʒ t͡ɬ k͡x ⁿt͡s p͡f",
    "fricatives": "ɸ β f v θ ð s z ʃ ʒ ʂ ʐ ç ʝ x ɣ χ ʁ ħ ʕ h ɦ ɬ ɮ ɕ ʑ hʷ",
    "nasals": "m ɱ n ɳ ɲ ŋ ɴ m̥ ŋ͡m",
    "trills and taps": "ʙ r ʀ ⱱ ɾ ɽ ɾ̃",
    "laterals": "l ɭ ʎ ʟ ɫ l̃",
    "approximants": "ʋ ɹ ɻ j ɰ w ɥ ʍ w̃",
    OTHER: "sil ˥",
}


@pytest.mark.parametrize("name", CHART)
def test_a_phone_is_in_the_class_where_the_chart_has_it(name: str) -> None:
    phones = CHART[name].split()
    found = natural_classes(phones, PANPHON)
    assert {phone: found.names[row] for phone, row in zip(phones, found.members.argmax(axis=0), strict=True)} == (
        dict.fromkeys(phones, name)
    )


def test_every_segment_of_panphon_is_in_one_default_class_and_tones_alone_in_none() -> None:
    found = natural_classes(PANPHON.segments, PANPHON)
    assert (found.members.sum(axis=0) == 1).all()
    rest = np.array(found.phones)[found.members[found.names.index(OTHER)]]
    assert {segment[0] for segment in rest} <= set("˩˨˧˦˥")


def test_a_users_classes_stand_after_the_default_ones_and_say_what_they_overlap_with() -> None:
    own = {"nasal vowels": "+syl +nas", "nasal sounds": "+nas", "front vowels": "+syl -back -nas"}
    found = natural_classes(["i", "ĩ", "m", "t"], PANPHON, own)
    assert {*found.names[: found.default]} == {*DEFAULT_CLASSES, OTHER}
    assert found.names[found.default :] == (*own,)
    assert found.members[found.default :].astype(int).tolist() == [[0, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]]
    places = range(found.default, len(found.names))
    assert [found.overlaps(place) for place in places] == [["nasal sounds"], ["nasal vowels"], []]


def test_a_feature_system_of_ones_own_has_ones_own_classes_alone() -> None:
    table = FeatureTable(
        name="own", digest="", features=("round",), segments=("u",), values=np.array([[1]], dtype=np.int8), weights={}
    )
    found = natural_classes(["u", "x"], table, {"rounded": "+round"})
    assert (found.names, found.default) == (("rounded",), 0)
    assert found.members.tolist() == [[True, False]]
    none = natural_classes(["u"], table)
    assert (none.names, none.tell, none.default_of("u")) == ((), False, OTHER)


def test_a_phone_is_told_its_default_class() -> None:
    found = natural_classes(["ã", "sil", "w"], PANPHON, {"nasal vowels": "+syl +nas"})
    assert [found.default_of(phone) for phone in found.phones] == ["vowels", OTHER, "approximants"]
    assert found.tell
    assert not natural_classes(["sil"], PANPHON).tell


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ({"tall": "+syl +tall -wide"}, "'tall' asks for tall, wide, which the feature table panphon"),
        ({"stops": "+syl"}, "'stops' is the name of a default class"),
        ({"x": "syl"}, "'syl' is no feature with its sign"),
    ],
)
def test_a_class_that_cannot_be(classes: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        natural_classes(["a"], PANPHON, classes)
