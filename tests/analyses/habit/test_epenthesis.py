"""Epenthesis: places and rates by hand, and a test that knows speakers and pairs from tokens."""

import math

import numpy as np
import pytest
from made_alignments import alignments_of
from scipy.stats import fisher_exact

from phonxling.analyses.habit.epenthesis import Places, difference, places_of, rows, seen_pairs
from phonxling.core.sequences import from_lists
from phonxling.resample.weights import resampling

GOLD, HEARD = ("a", "k", "t", "ʘ"), ("a", "k", "t")
VOWELS = np.array([True, False, False, False]), np.array([True, False, False])
CONSONANTS = np.array([False, True, True, False])  # ʘ is not known
SEEN = np.array([[0, 3, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0]])  # a k, and t k


def made() -> Places:
    aligned = alignments_of(
        [
            [("k", "k"), ("∅", "a"), ("∅", "a"), ("t", "t"), ("a", "a"), ("k", "∅"), ("t", "t")],
            [("t", "t"), ("∅", "k"), ("k", "k"), ("∅", "a")],  # a consonant, and a vowel at the edge
            [("a", "a"), ("∅", "a"), ("a", "a"), ("ʘ", "k"), ("∅", "a"), ("k", "k")],
        ],
        GOLD,
        HEARD,
    )
    return places_of(aligned, vowels=VOWELS, consonants=CONSONANTS, seen=SEEN > 0)


def test_places_are_those_between_two_known_gold_phones() -> None:
    places = made()
    named = [(GOLD[left], GOLD[right]) for left, right in zip(places.left, places.right, strict=True)]
    assert named == [("k", "t"), ("t", "a"), ("a", "k"), ("k", "t"), ("t", "k"), ("a", "a")]
    assert places.kind.tolist() == [0, 2, 2, 0, 1, 2]  # unseen, seen, elsewhere
    assert places.broken.tolist() == [True, False, False, False, False, True]
    assert places.utterance.tolist() == [0, 0, 0, 0, 1, 2]


def test_each_cluster_has_a_row() -> None:
    assert [*rows(made(), SEEN.astype(float), GOLD)] == [
        {"left": "k", "right": "t", "reference_count": 0, "places": 2, "broken": 1, "share": 0.5},
        {"left": "t", "right": "k", "reference_count": 2, "places": 1, "broken": 0, "share": 0.0},
    ]


def test_pairs_of_the_reference_are_those_of_the_nearest_phones_in_a_row() -> None:
    reference = from_lists(["u", "v", "w"], [["k", "t", "k"], [], ["t", "k", "s"]])
    near = {"k": "k", "t": "t", "q": "k"}
    assert seen_pairs(reference, near, ("k", "t", "q", "ʘ")).tolist() == [
        [0, 1, 0, 0],
        [2, 0, 2, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ]


def a_corpus(rates: np.ndarray, tokens: int = 40, speakers: int = 12) -> Places:
    """Return places of 12 pairs of consonants, half of them unseen, each broken at a rate of its own."""
    generator = np.random.default_rng(4)
    pair = np.repeat(np.arange(12), tokens)
    return Places(
        left=pair,
        right=pair,
        kind=pair % 2,
        utterance=generator.integers(0, speakers, len(pair)),
        broken=generator.random(len(pair)) < rates[pair],
        phones=12,
    )


def test_a_difference_has_the_p_of_fishers_test_at_least() -> None:
    places = a_corpus(np.where(np.arange(12) % 2, 0.1, 0.4))
    found = difference(places, 1, resampling(12, None, resamples=200, seed=1))
    sums = places.sums(np.zeros(len(places.kind), np.int64), 1)[:, :2, 0]
    assert found.value.value == pytest.approx(sums[0, 0] / sums[1, 0] - sums[0, 1] / sums[1, 1])
    assert found.value.low < 0.3 < found.value.high
    assert fisher_exact([sums[0], sums[1] - sums[0]]).pvalue <= found.p < 0.01


def test_one_pair_that_is_broken_is_no_habit() -> None:
    rates = np.where(np.arange(12) == 0, 0.9, 0.05)
    found = difference(a_corpus(rates), 1, resampling(12, None, resamples=200, seed=1))
    assert found.p > 0.2  # of tokens alone it would be 10⁻⁶
    assert found.value.low < 0


def test_without_a_broken_place_of_a_kind_the_interval_is_that_of_few_places() -> None:
    few = a_corpus(np.where(np.arange(12) % 2, 0.02, 0.0), tokens=30)
    found = difference(few, 1, resampling(12, None, resamples=200, seed=1)).value
    assert found.low < found.value < 0 < found.high  # no unseen place is broken, of 180


def test_few_events_and_few_speakers_have_no_p() -> None:
    few = difference(a_corpus(np.full(12, 0.01)), 1, resampling(12, None, resamples=50, seed=1))
    assert math.isnan(few.p)
    alone = difference(a_corpus(np.full(12, 0.3)), 1, resampling(12, [*"aaabbbcccddd"], resamples=50, seed=1))
    assert math.isnan(alone.p)
    assert "descriptive" in alone.value.note


def test_without_places_of_a_kind_the_note_says_so() -> None:
    none = difference(made(), 1, resampling(3, None, resamples=5, seed=1))
    assert math.isnan(none.p)
    nothing = places_of(alignments_of([[]], GOLD, HEARD), vowels=VOWELS, consonants=CONSONANTS, seen=SEEN > 0)
    assert difference(nothing, 1, resampling(1, None, resamples=5, seed=1)).value.note == "no place is unseen or seen"
    assert [*rows(nothing, SEEN.astype(float), GOLD)] == []
