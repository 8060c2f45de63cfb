"""Costs against panphon itself: the same distances of words, and the same costs of thousands of pairs of phones."""

from fractions import Fraction

import numpy as np
import pytest
from panphon.distance import Distance

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.core.costs import CostTable
from phonxling.core.sequences import from_lists

WORDS = 250


@pytest.fixture(scope="module")
def theirs() -> Distance:
    return Distance()


@pytest.fixture(scope="module")
def words(theirs: Distance) -> list[list[str]]:
    """Words of panphon's own segments, as it cuts them itself."""
    generator = np.random.default_rng(7)
    segments = [segment for segment, _ in theirs.fm.segments]
    chosen = generator.choice(segments, 120, replace=False)
    spelled = ["".join(generator.choice(chosen, generator.integers(1, 8))) for _ in range(2 * WORDS)]
    return [theirs.fm.ipa_segs(word) for word in spelled]


def distances(words: list[list[str]], costs: CostTable) -> np.ndarray:
    names = [str(number) for number in range(WORDS)]
    gold, heard = from_lists(names, words[:WORDS], costs.gold), from_lists(names, words[WORDS:], costs.predicted)
    aligned = align_sequences(gold, heard, costs)
    return np.asarray(aligned.cost / aligned.denominator)


def phones_of(words: list[list[str]]) -> list[str]:
    return sorted({phone for word in words for phone in word})


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("panphon-edit", "feature_edit_distance"),
        ("panphon-hamming", "hamming_feature_edit_distance"),
        ("panphon-weighted-0.22.2", "weighted_feature_edit_distance"),
    ],
)
def test_words_are_as_far_apart_as_for_panphon(
    theirs: Distance, words: list[list[str]], name: str, method: str
) -> None:
    phones = phones_of(words)
    ours = distances(words, px.feature_costs(phones, phones, name))
    wanted = [
        getattr(theirs, method)("".join(gold), "".join(heard))
        for gold, heard in zip(words[:WORDS], words[WORDS:], strict=True)
    ]
    assert np.abs(ours - wanted).max() < 1e-12


def test_the_release_swaps_weights_that_the_names_keep_apart() -> None:
    """i and iː differ in length alone, which weighs 1/8, and in panphon 0.22.2 has the 1/4 of velaric."""
    by_name = px.feature_costs(["i"], ["iː"], "panphon-weighted")
    by_place = px.feature_costs(["i"], ["iː"], "panphon-weighted-0.22.2")
    assert by_name.cost("i", "iː") == Fraction(2, 8) / (2 * Fraction(29, 4))
    assert by_place.cost("i", "iː") == Fraction(2, 4)
    assert by_place.cost("i", None) == by_place.cost(None, "iː") == Fraction(29, 4)
