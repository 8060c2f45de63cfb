"""More errors than in the reference: by plain loops, by what is known of made speakers, and through the aligner."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t as student

import phonxling as px
from phonxling.analyses.chance import count_aligned
from phonxling.analyses.level import Language, common_channel, level_test
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences

RIGHT = np.eye(3, dtype=bool)
COUNTS = arrays(np.int64, (3, 3, 3), elements=st.integers(1, 9))


def both(own: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return own.astype(float), other.astype(float)


@given(COUNTS, COUNTS)
def test_the_level_by_plain_loops(own: np.ndarray, other: np.ndarray) -> None:
    """Mantel and Haenszel's difference in fractions, its variance by speakers, Welch's degrees of freedom."""
    tokens = [[Fraction(int(side[:, y].sum())) for y in range(3)] for side in (own, other)]
    errors = [
        [n - int(side[:, y, y].sum()) for y, n in enumerate(row)]
        for side, row in zip((own, other), tokens, strict=True)
    ]
    weights = [n * m / (n + m) for n, m in zip(*tokens, strict=True)]
    weights = [weight / sum(weights) for weight in weights]
    rates = [[e / n for e, n in zip(*pair, strict=True)] for pair in zip(errors, tokens, strict=True)]
    value = sum(w * (a - b) for w, a, b in zip(weights, *rates, strict=True))
    parts = []
    for side, of_phones, rate in zip((own, other), tokens, rates, strict=True):
        apart, carried = [], []
        for speaker in side:
            n = [int(row.sum()) for row in speaker]
            wrong = [n[y] - int(speaker[y, y]) for y in range(3)]
            apart.append(sum(weights[y] * (wrong[y] - n[y] * rate[y]) / of_phones[y] for y in range(3)))
            carried.append(sum(weights[y] * n[y] / of_phones[y] for y in range(3)))
        clusters = float(sum(carried) ** 2 / sum(one**2 for one in carried))
        free = max(clusters, 2.0) - 1
        parts.append(((free + 1) / free * float(sum(one**2 for one in apart)), free))
    variance = sum(one for one, _ in parts)
    found, p = level_test(both(own, other), RIGHT, [], 0.95)
    assert found.value == pytest.approx(float(value))
    assert np.isnan(p)  # three speakers decide nothing
    if variance:
        freedom = variance**2 / sum(one**2 / free for one, free in parts)
        reach = student.ppf(0.975, freedom) * sqrt(variance)
        assert (found.low, found.high) == (pytest.approx(float(value) - reach), pytest.approx(float(value) + reach))


def made(shares: list[list[int]], speakers: int = 8) -> np.ndarray:
    """Return counts of speakers who differ by a token here and there, each of another phone."""
    table = np.tile(shares, (speakers, 1, 1))
    for speaker in range(speakers):
        table[speaker, speaker % 3, (speaker + 1 + speaker // 3) % 3] += 2
    return table


def test_more_errors_are_found_and_other_kinds_alone_are_not() -> None:
    """Twice as many errors of the same kinds; then as many errors, of other kinds."""
    usual = made([[80, 15, 5], [5, 80, 15], [15, 5, 80]])
    more, p = level_test(both(made([[60, 30, 10], [10, 60, 30], [30, 10, 60]]), usual), RIGHT, [], 0.95)
    assert (more.value, p) == (pytest.approx(0.2, abs=0.01), pytest.approx(0, abs=1e-4))
    other, p = level_test(both(made([[80, 5, 15], [15, 80, 5], [5, 15, 80]]), usual), RIGHT, [], 0.95)
    assert (other.value, p > 0.5) == (pytest.approx(0, abs=0.01), True)


def test_how_often_a_language_says_a_phone_does_not_move_it() -> None:
    """One channel, no chance at all, in languages that say one phone ten times as often as the other does."""
    channel = np.array([[80, 15, 5], [5, 80, 15], [15, 5, 80]])
    own, other = (np.tile(channel * np.array(said)[:, None], (6, 1, 1)) for said in ((10, 1, 3), (1, 10, 3)))
    assert abs(level_test(both(own, other), RIGHT, [], 0.95)[0].value) < 1e-12


def test_without_common_tokens_there_is_no_level() -> None:
    table = made([[80, 15, 5], [5, 80, 15], [15, 5, 80]])
    found, p = level_test(both(np.zeros_like(table), table), RIGHT, [], 0.95)
    assert np.isnan([found.value, p]).all()


PHONES = Inventory(tuple("ptkbdgmnsiaeou"))
COSTS = px.feature_costs(PHONES, PHONES, "panphon", unknown="keep")


def language(phonotactics: np.ndarray, channel: np.ndarray, generator: np.random.Generator) -> Language:
    """Return 1,500 utterances of eight phones of a language, heard through a channel with deletions and insertions."""
    gold = np.zeros((1500, 8), dtype=np.int64)
    gold[:, 0] = generator.integers(0, len(PHONES), len(gold))
    for place in range(1, 8):
        ends = phonotactics.cumsum(axis=1)[gold[:, place - 1]]
        gold[:, place] = (generator.random((len(gold), 1)) > ends).sum(axis=1).clip(0, len(PHONES) - 1)
    said = PhoneSequences(
        utterances=tuple(map(str, range(len(gold)))),
        inventory=PHONES,
        offsets=np.arange(0, gold.size + 1, 8),
        codes=gold.ravel().astype(np.int32),
    )

    def count(gold: PhoneSequences, predicted: PhoneSequences) -> np.ndarray:
        return count_aligned(gold, predicted, COSTS)[1].total().counts

    empty = Language(gold=said, predicted=PHONES, counts=np.zeros((15, 15)), count=count)
    return Language(gold=said, predicted=PHONES, counts=empty.drawn(channel, generator), count=count)


@pytest.mark.slow
def test_what_an_aligner_makes_of_one_channel_is_what_drawing_it_anew_makes_of_it() -> None:
    """Two languages heard alike differ in their counts, by their neighbours: by as much in draws of one channel."""
    generator = np.random.default_rng(5)
    channel = np.zeros((15, 15))
    channel[:-1, :-1] = 0.6 * np.eye(14) + 0.25 * generator.dirichlet(np.full(14, 0.3), 14)
    channel[:-1, -1] = 0.15
    channel[-1, :-1] = 0.15 * generator.dirichlet(np.full(14, 0.3))
    own, other = (language(generator.dirichlet(np.full(14, 0.2), 14), channel, generator) for _ in range(2))
    apart = rows(own.counts) - rows(other.counts)
    drawn = common_channel(own, other, dict(zip(PHONES, PHONES, strict=True)), generator)
    assert len(drawn) == own.draws == other.draws > 50
    expected = np.mean([rows(mine) - rows(theirs) for mine, theirs in drawn], axis=0)
    assert np.corrcoef(apart.ravel(), expected.ravel())[0, 1] > 0.6
    assert (apart**2).sum() > 1.5 * ((apart - expected) ** 2).sum()
    found = own.channel(generator)
    assert np.abs(found[:-1] - channel[:-1]).mean() < 0.5 * np.abs(shares(own.counts)[:-1] - channel[:-1]).mean()


def test_phones_that_share_a_counterpart_share_its_channel() -> None:
    """p and b of the target stand for p of the reference: all three are heard alike in what is drawn."""
    generator = np.random.default_rng(6)
    channel = np.zeros((15, 15))
    channel[:-1, :-1] = 0.7 * np.eye(14) + 0.3 * generator.dirichlet(np.full(14, 0.3), 14)
    even = np.full((14, 14), 1 / 14)
    own, other = (language(even, channel, generator) for _ in range(2))
    same = dict(zip(PHONES, PHONES, strict=True)) | {"b": "p"}
    drawn = common_channel(own, other, same, generator)
    mine, theirs = (np.mean([rows(pair[side]) for pair in drawn], axis=0) for side in (0, 1))
    p, b = PHONES.code("p"), PHONES.code("b")
    assert mine[b] == pytest.approx(mine[p], abs=0.02)
    assert theirs[p] == pytest.approx(mine[p], abs=0.02)
    assert mine[b, p] > 0.2  # half of what is pooled


def rows(counts: np.ndarray) -> np.ndarray:
    """Return p(x|y) without ∅."""
    return counts[:-1, :-1] / counts[:-1, :-1].sum(axis=1, keepdims=True)


def shares(counts: np.ndarray) -> np.ndarray:
    return counts / counts.sum(axis=1, keepdims=True)
