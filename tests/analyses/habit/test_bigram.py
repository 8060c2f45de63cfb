"""The smoothed bigram: the numbers of NLTK, and plain loops over any sequences."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phonxling.analyses.habit.bigram import bigram
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists

PHONES = Inventory(("a", "b", "d", "z"))
TEXTS = [["a", "b", "a"], ["d", "a"], ["b"], ["a", "a", "d"]]
BY_NLTK = {  # nltk 3.10.4: WittenBellInterpolated(2), fitted to the pairs and to the words behind <s>
    "#": [0.4505494505, 0.2087912088, 0.2087912088],
    "a": [0.2820512821, 0.1794871795, 0.1794871795],
    "b": [0.4423076923, 0.0769230769, 0.0769230769],
    "d": [0.4423076923, 0.0769230769, 0.0769230769],
}


def test_it_is_that_of_nltk() -> None:
    habit = bigram(from_lists(["t", "u", "v", "w"], TEXTS), PHONES)
    for row, left in enumerate([*PHONES, "#"]):
        if left in BY_NLTK:
            assert habit.after[row, :3].round(10).tolist() == BY_NLTK[left]
    ends = [0.358974359, 0.4038461538, 0.4038461538]
    assert habit.before[len(PHONES), :3].round(10).tolist() == ends


def by_loops(texts: list[list[str]], phones: Inventory, left: str, x: str) -> Fraction:
    """Return P(x | left) after Witten and Bell, in fractions."""
    named = [["#", *(phone if phone in phones else "?" for phone in text), "#"] for text in texts if text]
    pairs = Counter(pair for text in named for pair in pairwise(text))
    every = sum(pairs.values())
    share = Fraction(sum(n for (_, other), n in pairs.items() if other == x), every)
    followers = {other: n for (before, other), n in pairs.items() if before == left}
    if not followers:
        return share
    kinds, tokens = len(followers), sum(followers.values())
    return (followers.get(x, 0) + kinds * share) / (tokens + kinds)


@given(st.lists(st.lists(st.sampled_from("abdq"), max_size=5), min_size=1, max_size=6))
def test_it_is_that_of_plain_loops(texts: list[list[str]]) -> None:
    habit = bigram(from_lists([str(n) for n in range(len(texts))], texts), PHONES)
    said = {phone for text in texts for phone in text}
    assert habit.known.tolist() == [phone in said for phone in PHONES]
    for row, left in enumerate([*PHONES, "#"]):
        for column, x in enumerate(PHONES):
            if habit.known[column]:
                assert habit.after[row, column] == pytest.approx(float(by_loops(texts, PHONES, left, x)))
                expected = 1.0 if left not in {*said, "#"} else float(by_loops(texts, PHONES, x, left))
                assert habit.before[row, column] == pytest.approx(expected)


def test_an_unknown_neighbour_says_nothing() -> None:
    habit = bigram(from_lists(["u", "v"], [["a", "b"], ["a"]]), PHONES)
    z, edge = PHONES.code("z"), len(PHONES)
    between = habit.between(np.array([z, edge]), np.array([z, z]))
    assert between[0, :2].tolist() == pytest.approx([2 / 5, 1 / 5])  # their shares among all that follows
    assert between[1].tolist() == habit.after[edge].tolist()
