"""The share pulled: the formula in plain loops, the slope of a regression, and rates that are known."""

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulations.habit import World, one

from phonxling.analyses.habit.bigram import Bigram
from phonxling.analyses.habit.pulls import Pulls, pulls
from phonxling.analyses.habit.share import share_of, two_sided
from phonxling.analyses.habit.tokens import WrongTokens
from phonxling.resample.weights import resampling

KNOWN = 4  # phones 0 to 3 are answers, 4 and 5 neighbours alone, 6 the edge


def a_habit(generator: np.random.Generator, known: int = KNOWN) -> Bigram:
    after, before = generator.dirichlet(np.ones(6), 7), generator.random((7, 6))
    return Bigram(np.arange(6) < known, after * (np.arange(6) < known), before)


def some_tokens(number: int, generator: np.random.Generator, neighbours: tuple[int, ...]) -> WrongTokens:
    """Return tokens of two gold phones, 0 and 1 of which 1 has the recogniser's phone 1, in up to three strata each."""
    gold = np.sort(generator.integers(0, 2, number))
    order = np.argsort(gold * 3 + (kinds := generator.integers(0, 3, number)), kind="stable")
    left, right = generator.choice(neighbours, (2, number))
    taken = zip(np.where(gold == 1, 1, -1), left, right, strict=True)
    heard = np.array([generator.choice([x for x in range(KNOWN) if x not in each]) for each in taken])
    tokens = WrongTokens(
        gold=gold,
        heard=heard,
        left=left,
        right=right,
        gold_left=left,
        gold_right=right,
        same=np.where(gold == 1, 1, -1),
        utterance=generator.integers(0, 8, number),
        pair=np.arange(number),
        stratum=gold * 3 + kinds,
    )
    return tokens.at(order)


def by_loops(tokens: WrongTokens, habit: Bigram) -> tuple[float, float]:
    """Return Σ excess and Σ room, token by token and phone by phone."""
    strata = defaultdict(list)
    for place, stratum in enumerate(tokens.stratum.tolist()):
        strata[stratum].append(place)
    excess = room = 0.0
    for places in strata.values():
        q, answers = {}, {}
        for i in places:
            taken = {tokens.same[i], tokens.left[i], tokens.right[i]}
            answers[i] = [x for x in range(KNOWN) if x not in taken]
            chances = {x: habit.after[tokens.left[i], x] * habit.before[tokens.right[i], x] for x in answers[i]}
            q[i] = {x: chance / sum(chances.values()) for x, chance in chances.items()}
        apart, shares = defaultdict(dict), {}
        for x in range(KNOWN):
            able = [i for i in places if x in q[i]]
            for i in able:
                apart[i][x] = q[i][x] - sum(q[j][x] for j in able) / len(able)
            shares[x] = sum(tokens.heard[i] == x for i in able) / len(able) if able else 0.0
        for i in places:
            whole = sum(shares[x] for x in answers[i])
            excess += apart[i][tokens.heard[i]] - sum(shares[x] / whole * apart[i][x] for x in answers[i])
            room += sum(each**2 for each in apart[i].values())
    return excess, room


@given(st.integers(0, 10_000), st.integers(2, 40))
def test_excess_and_room_are_those_of_plain_loops(seed: int, number: int) -> None:
    generator = np.random.default_rng(seed)
    habit, tokens = a_habit(generator), some_tokens(number, generator, (0, 1, 4, 5, 6))
    found = pulls(tokens, habit)
    assert (found.excess.sum(), found.room.sum()) == pytest.approx(by_loops(tokens, habit), abs=1e-12)


@given(st.integers(0, 10_000))
def test_the_share_is_the_slope_of_a_regression_within_strata(seed: int) -> None:
    """Where no neighbour is an answer, by least squares with a constant for each answer in each stratum."""
    generator = np.random.default_rng(seed)
    habit, tokens = a_habit(generator), some_tokens(40, generator, (4, 5, 6))
    tokens = tokens.at(np.flatnonzero(tokens.gold == 0))
    between = habit.between(tokens.left, tokens.right)[:, :KNOWN]
    q = between / between.sum(axis=1, keepdims=True)
    strata = np.unique(tokens.stratum, return_inverse=True)[1]
    cells = (strata[:, None] * KNOWN + np.arange(KNOWN)).ravel()
    columns = np.column_stack([q.ravel(), np.eye(cells.max() + 1)[cells]])
    answers = (tokens.heard[:, None] == np.arange(KNOWN)).astype(float).ravel()
    found = pulls(tokens, habit)
    if found.room.sum() > 1e-6:
        slope = np.linalg.lstsq(columns, answers, rcond=None)[0][0]
        assert found.excess.sum() / found.room.sum() == pytest.approx(slope, rel=1e-6, abs=1e-9)


def test_the_variance_by_chance_is_that_of_dealing_anew() -> None:
    generator = np.random.default_rng(2)
    habit, tokens = a_habit(generator), some_tokens(30, generator, (4, 5, 6))
    dealt = []
    for _ in range(1_500):
        heard = tokens.heard.copy()
        for stratum in np.unique(tokens.stratum):
            places = np.flatnonzero(tokens.stratum == stratum)
            heard[places] = generator.permutation(heard[places])
        dealt.append(pulls(replace(tokens, heard=heard), habit).excess.sum())
    assert np.mean(dealt) == pytest.approx(0.0, abs=0.1)
    assert np.var(dealt) == pytest.approx(pulls(tokens, habit).variance.sum(), rel=0.12)


def test_what_is_drawn_from_the_habit_has_a_share_of_one_on_average() -> None:
    generator = np.random.default_rng(1)
    habit, tokens = a_habit(generator), some_tokens(4_000, generator, (4, 5, 6))
    tokens = tokens.at(np.flatnonzero(tokens.gold == 0))
    between = habit.between(tokens.left, tokens.right)
    bounds = between.cumsum(axis=1)
    heard = (generator.random((len(tokens), 1)) * bounds[:, -1:] > bounds).sum(axis=1)
    drawn = pulls(replace(tokens, heard=heard), habit)
    assert drawn.excess.sum() / drawn.room.sum() == pytest.approx(1.0, abs=0.1)


def test_places_that_hardly_differ_tell_nothing() -> None:
    generator = np.random.default_rng(1)
    habit, tokens = a_habit(generator), some_tokens(20, generator, (4,))
    share = share_of(pulls(tokens, habit), tokens, resampling(8, None, resamples=20, seed=1))
    assert math.isnan(share.value.value)
    assert math.isnan(share.p)
    assert "differ too little" in share.value.note


def test_without_tokens_nothing_is_told() -> None:
    generator = np.random.default_rng(1)
    habit, tokens = a_habit(generator), some_tokens(20, generator, (4,)).at(np.arange(0))
    share = share_of(pulls(tokens, habit), tokens, resampling(8, None, resamples=20, seed=1))
    assert math.isnan(share.value.value)
    assert share.tokens == 0


def test_below_five_clusters_there_is_no_p() -> None:
    generator = np.random.default_rng(1)
    habit, tokens = a_habit(generator), some_tokens(400, generator, (4, 5, 6))
    few = share_of(pulls(tokens, habit), tokens, resampling(8, [*"aabbccdd"], resamples=50, seed=1))
    assert math.isnan(few.p)
    assert "descriptive" in few.value.note


def test_of_some_tokens_is_part_of_all() -> None:
    whole = Pulls(np.array([1.0, 2, 3]), np.array([4.0, 5, 6]), np.array([7.0, 8, 9]))
    some = whole.of(np.array([True, False, True]))
    assert [some.excess.sum(), some.room.sum(), some.variance.sum()] == [4, 10, 16]


def test_the_largest_p_counts() -> None:
    assert two_sided(2.0, (1.0, math.inf)) == pytest.approx(0.0455, abs=1e-4)
    assert two_sided(2.0, (1.0, math.inf), (1.0, 4), (0.0, 3)) == pytest.approx(0.1161, abs=1e-4)
    assert math.isnan(two_sided(2.0, (0.0, 3)))


@pytest.mark.parametrize(("rate", "low", "high"), [(0.0, -0.04, 0.04), (0.3, 0.26, 0.37)])
def test_a_known_rate_comes_back_through_the_aligner(rate: float, low: float, high: float) -> None:
    """Of a target whose phonotactics are those of the reference, where an aligner that is off by one would mislead."""
    world = World(rate=rate, alike=True, merged=True)
    rows = [one(world, np.random.default_rng([3, number])) for number in range(8)]
    assert low < np.mean([value for _, value, *_ in rows]) < high


@pytest.mark.slow
@pytest.mark.parametrize(
    "world", [World(alike=True), World(merged=True, alike=True), World(split=0.2, alike=True), World(own=True)]
)
def test_false_alarms_are_rare_where_nothing_is_pulled(world: World) -> None:
    rows = [one(world, np.random.default_rng([9, number])) for number in range(80)]
    assert sum(row[3] for row in rows) <= 10  # of 80; at 5 % more in 0.3 % of such tests
    assert sum(row[2] for row in rows) >= 68
