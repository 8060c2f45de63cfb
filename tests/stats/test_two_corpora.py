"""Two corpora beside each other: cells beside loops over tokens, any measure beside Welch's t test."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from made_alignments import stack_of
from scipy import stats

from phonxling.core.arrays import Floats, divide
from phonxling.stats.jackknife import clusters_of
from phonxling.stats.two_corpora import Side, cell_differences, jackknife_counts

PHONES = ("a", "b", "d", "e")


class Token(NamedTuple):
    """A gold token and how each of two systems hears it; "" for a deletion."""

    speaker: int
    utterance: int
    gold: str
    heard: tuple[str, str]


def side(tokens: Sequence[Token], system: int, *, gaps: bool = False) -> Side:
    """Return the confusions of one system."""
    number = 1 + max(token.utterance for token in tokens)
    counts = np.zeros((number, 5, 5), np.int64)
    owners = np.zeros(number, np.int64)
    for token in tokens:
        heard = token.heard[system]
        counts[token.utterance, PHONES.index(token.gold), PHONES.index(heard) if heard else 4] += 1  # 4: deleted
        owners[token.utterance] = token.speaker
    stack = stack_of(counts, PHONES)
    return Side(stack=stack, clusters=clusters_of(np.ones(number), owners, cluster="speaker"), gaps=gaps)


def made(generator: np.random.Generator, *, speakers: int, tokens: int, same: float) -> list[Token]:
    """Return tokens of speakers who differ; both systems hear a token alike with a probability."""
    shares = generator.dirichlet([2.0, 0.6, 0.5, 0.4], (speakers, 4))
    rows = []
    for _ in range(tokens):
        utterance = int(generator.integers(4 * speakers))
        gold = int(generator.choice(4, p=[0.4, 0.3, 0.2, 0.1]))
        one, other = (PHONES[code] for code in generator.choice(4, 2, p=shares[utterance % speakers, gold]))
        heard = one, one if generator.random() < same else other
        kept = [phone if generator.random() > 0.1 else "" for phone in heard]
        rows.append(Token(utterance % speakers, utterance, PHONES[gold], (kept[0], kept[1])))
    rows.append(Token(speakers - 1, 4 * speakers - 1, "a", ("a", "a")))  # the last utterance is not empty
    return rows


def by_hand(tokens: Sequence[Token], others: Sequence[Token], gold: str, heard: str) -> dict[str, float]:
    """Return the unpaired test of the first system on tokens, and of the second on others; loops over tokens."""
    sides = [(tokens, 0), (others, 1)]
    shares, variances, free, numbers, hits = [], [], [], [], []
    for rows, system in sides:
        mine = [token for token in rows if token.gold == gold and token.heard[system]]
        p = sum(token.heard[system] == heard for token in mine) / len(mine)
        sums: dict[int, float] = {}
        for token in mine:
            sums[token.speaker] = sums.get(token.speaker, 0.0) + ((token.heard[system] == heard) - p) / len(mine)
        shares.append(p)
        free.append(kish(token.speaker for token in mine) - 1)
        variances.append((free[-1] + 1) / free[-1] * sum(one**2 for one in sums.values()))
        numbers.append(len(mine))
        hits.append(p * len(mine))
    apart, both = shares[0] - shares[1], sum(variances)
    freedom = both**2 / sum(one**2 / df for one, df in zip(variances, free, strict=True))
    usual = sum(hits) / sum(numbers)
    return wider(apart, (both, freedom), usual * (1 - usual) * sum(1 / one for one in numbers))


def kish(speakers: Iterable[int]) -> float:
    """Return the effective number of speakers of tokens, not below 2."""
    tokens = Counter(speakers).values()
    return max(sum(tokens) ** 2 / sum(one**2 for one in tokens), 2.0)


def paired_by_hand(tokens: Sequence[Token], gold: str, heard: str) -> dict[str, float]:
    """Return the test of two systems on the same tokens; loops over tokens."""
    totals = [sum(token.gold == gold and token.heard[place] != "" for token in tokens) for place in (0, 1)]
    shares = [
        sum(token.gold == gold and token.heard[place] == heard for token in tokens) / totals[place] for place in (0, 1)
    ]
    sums: dict[int, float] = {}
    discordant: dict[int, int] = {}
    for token in (token for token in tokens if token.gold == gold):
        for place, sign in ((0, 1), (1, -1)):
            if token.heard[place]:
                hit = token.heard[place] == heard
                own = sign * (hit - shares[place]) / totals[place]
                sums[token.speaker] = sums.get(token.speaker, 0.0) + own
                discordant[token.utterance] = discordant.get(token.utterance, 0) + sign * hit
    speakers = ([t.speaker for t in tokens if t.gold == gold and t.heard[place]] for place in (0, 1))
    clusters = max(map(kish, speakers))
    variance = clusters / (clusters - 1) * sum(one**2 for one in sums.values())
    by_token = sum(abs(one) for one in discordant.values()) / (totals[0] * totals[1])
    return wider(shares[0] - shares[1], (variance, clusters - 1), by_token)


def wider(apart: float, by_cluster: tuple[float, float], by_token: float) -> dict[str, float]:
    """Return the difference, the wider interval and the larger p."""
    variance, freedom = by_cluster
    reach = max(stats.t.ppf(0.975, freedom) * variance**0.5, stats.norm.ppf(0.975) * by_token**0.5)
    p = 2 * max(stats.t.sf(abs(apart) / variance**0.5, freedom), stats.norm.sf(abs(apart) / by_token**0.5))
    low, high = max(apart - reach, -1), min(apart + reach, 1)
    return {"difference": apart, "low": low, "high": high, "p": p}


def shown(row: dict[str, object]) -> dict[str, object]:
    return {name: row[name] for name in ("difference", "low", "high", "p")}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("same", [False, True])
def test_differences_are_those_of_loops_over_tokens(same: bool, seed: int) -> None:
    generator = np.random.default_rng(seed)
    tokens = made(generator, speakers=7, tokens=900, same=0.6 * same)
    others = tokens if same else made(generator, speakers=9, tokens=700, same=0)
    rows = list(cell_differences(side(tokens, 0), side(others, 1), same=same))
    assert len(rows) >= 8
    for row in rows:
        cell = row["gold"], row["predicted"]
        wanted = paired_by_hand(tokens, *cell) if same else by_hand(tokens, others, *cell)
        assert shown(row) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("same", [True, False])
def test_where_one_side_alone_counts_gaps_neither_does(same: bool) -> None:
    tokens = made(np.random.default_rng(3), speakers=7, tokens=900, same=0.6)
    alike = list(cell_differences(side(tokens, 0), side(tokens, 1), same=same))
    rows = list(cell_differences(side(tokens, 0, gaps=True), side(tokens, 1), same=same))
    assert len(rows) >= 8
    assert rows == alike
    with_gaps = cell_differences(*(side(tokens, one, gaps=True) for one in (0, 1)), same=same)
    assert "∅" in {row["predicted"] for row in with_gaps}


def test_a_system_does_not_differ_from_itself_and_is_not_tested() -> None:
    tokens = made(np.random.default_rng(6), speakers=6, tokens=800, same=1)
    alike = [token._replace(heard=(token.heard[0], token.heard[0])) for token in tokens]
    rows = list(cell_differences(side(alike, 0), side(alike, 1), same=True))
    assert rows
    for row in rows:
        assert row["difference"] == 0
        assert np.isnan([row["low"], row["high"], row["p"]]).all()
        assert row["status"] == "undefined"


def cell(tokens: int, heard: int, speakers: int = 10) -> list[Token]:
    """Return tokens of a, of which so many are heard as b by the first system, two more by the second."""
    return [
        Token(
            place % speakers, place % speakers, "a", ("b" if place < heard else "a", "b" if place < heard + 2 else "a")
        )
        for place in range(tokens)
    ]


@pytest.mark.parametrize(
    ("tokens", "heard", "cells"),
    [(20, 4, {"a", "b"}), (19, 4, set()), (20, 3, set()), (20, 15, set()), (20, 14, {"a", "b"})],
)
def test_cells_of_few_tokens_are_left_out(tokens: int, heard: int, cells: set[str]) -> None:
    """4 + 6 tokens in the cell are ten, 3 + 5 are not; 15 + 17 of 40 leave fewer than ten outside of it."""
    made_tokens = cell(tokens, heard)
    rows = cell_differences(side(made_tokens, 0), side(made_tokens, 1), same=False)
    assert {row["predicted"] for row in rows} == cells


@pytest.mark.parametrize("speakers", [1, 4, 5])
def test_below_five_speakers_nothing_is_tested(speakers: int) -> None:
    tokens = cell(60, 20, speakers)
    rows = list(cell_differences(side(tokens, 0), side(tokens, 1), same=False))
    numbers = np.array([[row["p"], row["low"], row["high"]] for row in rows])
    assert np.isnan(numbers).tolist() == [[speakers < 5] * 3] * 2
    assert {row["status"] for row in rows} == {"too-few-clusters" if speakers < 5 else ""}


def share(counts: Floats) -> Floats:
    """Return the first of two counts over both, [..., 2]."""
    return divide(counts[..., 0], counts.sum(axis=-1))


def apart(own: Floats, other: Floats) -> Floats:
    return share(own) - share(other)


def equal_clusters(number: int, seed: int) -> Floats:
    """Return the counts of so many clusters of 40 tokens, [C, 2]."""
    hits = np.random.default_rng(seed).integers(5, 35, number).astype(float)
    return np.stack([hits, 40 - hits], axis=1)


def test_the_jackknife_of_two_samples_is_welchs_test_where_the_measure_is_a_difference_of_means() -> None:
    first, second = equal_clusters(7, 1), equal_clusters(12, 2)
    found = jackknife_counts(apart, first, second)
    wanted = stats.ttest_ind(first[:, 0] / 40, second[:, 0] / 40, equal_var=False)
    limits, number = wanted.confidence_interval(0.9), found.estimate(0.9)
    assert (found.p, found.freedom) == pytest.approx((wanted.pvalue, wanted.df))
    assert (number.low, number.high) == pytest.approx((limits.low, limits.high))
    alone = jackknife_counts(share, first)
    assert alone.p == pytest.approx(stats.ttest_1samp(first[:, 0] / 40, 0).pvalue)
    back = jackknife_counts(apart, second, first)
    assert (back.p, back.value) == pytest.approx((found.p, -found.value))


def test_the_bias_of_both_samples_is_taken_off() -> None:
    """The square of a mean is too high by the mean's variance; the jackknife takes off s²/C of each sample."""
    first, second = equal_clusters(7, 3), equal_clusters(9, 4)
    found = jackknife_counts(lambda own, other: share(own) ** 2 + share(other) ** 2, first, second, corrected=True)
    means, errors = (
        [(one[:, 0] / 40).mean() for one in (first, second)],
        [stats.sem(one[:, 0] / 40) for one in (first, second)],
    )
    assert found.value == pytest.approx(sum(m**2 - e**2 for m, e in zip(means, errors, strict=True)))


def test_a_measure_of_few_clusters_or_of_like_ones_has_no_interval() -> None:
    same = np.full((6, 2), 20.0)
    for own, status in (
        (equal_clusters(4, 1), "too-few-clusters"),
        (same[:1], "too-few-clusters"),
        (same, "undefined"),
    ):
        found = jackknife_counts(apart, own, same)
        assert (np.isnan(found.p), found.estimate(0.95).status) == (True, status)
