"""Intervals of shares and tokens without each cluster: against SciPy, loops, and where there can be none."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import stack_of
from scipy import stats
from scipy.special import expit, logit

from phonxling.analyses.statistics import conditional_entropy
from phonxling.core.arrays import Floats
from phonxling.stats.jackknife import (
    MOST_CLUSTERS,
    SPEAKERS_UNKNOWN,
    Cluster,
    Clusters,
    clusters_of,
    correct_bias,
    jackknife,
    ratio_of_tokens,
    without_each,
)
from phonxling.stats.student import Kind, effective_clusters, student_limits, too_few

DATA = np.random.default_rng(3).gamma(2.0, size=30)
SCALES: dict[Kind, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "number": (float, float),
    "rate": (math.log, math.exp),
    "share": (logit, expit),
    "skill": (lambda x: -math.log(1 - x), lambda z: 1 - math.exp(-z)),
}
TWELVE, SIXTY = [f"s{number:02}" for number in range(12)], np.array([660.0, *[40.0] * 11])  # one has 60 %


def utterances(number: int) -> Clusters:
    return clusters_of(np.ones(number), cluster="utterance")


@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("speakers", [6, 11])
def test_a_ratio_by_a_loop_over_speakers(kind: Kind, speakers: int) -> None:
    """Utterances of unequal length; a speaker's are left out together; C is Kish's number on each scale."""
    draws = np.random.default_rng(speakers)
    who, tokens = draws.permutation(np.arange(40) % speakers), draws.integers(5, 60, 40).astype(float)
    wrong = draws.binomial(tokens.astype(int), draws.beta(4, 6, speakers)[who]).astype(float)
    found = clusters_of(tokens, who, level=0.9).ratio(wrong, tokens, kind)
    g, back = SCALES[kind]
    value, sizes = wrong.sum() / tokens.sum(), [tokens[who == one].sum() for one in range(speakers)]
    moved = [g(wrong[who != one].sum() / tokens[who != one].sum()) for one in range(speakers)]
    error = math.sqrt((speakers - 1) / speakers * sum((one - sum(moved) / speakers) ** 2 for one in moved))
    reach = stats.t.ppf(0.95, sum(sizes) ** 2 / sum(size**2 for size in sizes) - 1) * error
    assert found.value == value
    assert (found.low, found.high) == pytest.approx((back(g(value) - reach), back(g(value) + reach)))


def test_insertions_where_nothing_was_said_widen_the_interval() -> None:
    """Utterances without gold phones are left out, too, where they move the rate; they add no degree of freedom."""
    tokens, wrong = np.repeat([10.0, 0.0], 60), np.concatenate([np.ones(60), np.tile([0.0, 0.0, 0.0, 20.0], 15)])
    own = clusters_of(tokens, cluster="utterance")
    found, value = own.ratio(wrong, tokens), wrong.sum() / 600
    without = [(wrong.sum() - w) / (600 - t) for w, t in zip(wrong, tokens, strict=True) if w or t]
    moved = np.log(without)
    error = math.sqrt((len(moved) - 1) / len(moved) * ((moved - moved.mean()) ** 2).sum())
    assert found.high == pytest.approx(value * math.exp(stats.t.ppf(0.975, 59) * error))
    spread = own.spread(own.ratio_without(wrong, tokens)[None], value=value)
    raw = np.array(without)
    assert spread.variance[0] == pytest.approx((len(raw) - 1) / len(raw) * ((raw - raw.mean()) ** 2).sum())


def test_the_corrected_variance_is_that_of_the_textbook() -> None:
    """The plug-in variance is too low by 1/n; the jackknife takes off exactly that (Quenouille)."""
    without = np.array([np.var(np.delete(DATA, place)) for place in range(len(DATA))])
    assert float(correct_bias(np.var(DATA), without)) == pytest.approx(np.var(DATA, ddof=1))
    assert utterances(30).estimate(np.var(DATA), without, corrected=True).value == pytest.approx(np.var(DATA, ddof=1))


rows = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9)), min_size=8, max_size=20)


@given(rows, st.randoms())
def test_names_order_and_scale_change_nothing_nor_do_utterances_without_tokens(
    own: list[tuple[int, int, int]], random: object
) -> None:
    who, tokens, wrong = np.array(own, float).T
    names = [f"s{number:.0f}" for number in who]

    def limits(kept: list[int], scale: float = 1.0, prefix: str = "") -> list[float]:
        speakers = [prefix + names[place][:: -1 if prefix else 1] for place in kept]
        one = clusters_of(scale * tokens[kept], speakers, cluster="speaker").ratio(
            scale * wrong[kept], scale * tokens[kept]
        )
        return [one.value, one.low, one.high]

    places = list(range(len(own)))
    wanted, shuffled = limits(places), random.sample(places, len(places))  # type: ignore[attr-defined]
    assert limits(places, prefix="z") == pytest.approx(wanted, nan_ok=True, rel=1e-15)
    assert limits(shuffled) == pytest.approx(wanted, nan_ok=True)
    near_0 = wrong.sum() / tokens.sum() < 0.5  # Wilson's interval knows how many tokens there are
    assert near_0 or limits(places, scale=4.0) == pytest.approx(wanted, nan_ok=True)
    more = clusters_of(np.append(tokens, 0.0), [*names, "silent"], cluster="speaker")
    again = more.ratio(np.append(wrong, 0.0), np.append(tokens, 0.0))
    assert [again.value, again.low, again.high] == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize(
    ("tokens", "speakers", "cluster", "unit", "status", "note"),
    [
        (np.ones(12), TWELVE, "auto", "speaker", "", ""),
        (np.ones(12), None, "auto", "utterance", "no-speakers", SPEAKERS_UNKNOWN),
        (np.ones(12), list("abcd") * 3, "auto", "utterance", "these-speakers-alone", "of these 4 speakers alone"),
        (np.ones(12), list("abcd") * 3, "speaker", "speaker", "too-few-clusters", "4 speakers: too few for intervals"),
        (SIXTY, TWELVE, "speaker", "speaker", "too-few-clusters", "2.6 effective speakers: too few for intervals"),
        (np.eye(5)[0] < 1, None, "auto", "utterance", "too-few-clusters", "4 utterances: too few for intervals"),
        (np.ones(0), None, "auto", "utterance", "too-few-clusters", "0 utterances: too few for intervals"),
    ],
)  # fmt: skip
def test_what_is_left_out(
    tokens: Floats, speakers: list[str] | None, cluster: Cluster, unit: str, status: str, note: str
) -> None:
    found = clusters_of(tokens, speakers, cluster=cluster)
    assert (found.unit, found.status, found.note) == (unit, status, note)
    assert found.comparable == (status == "")
    number = found.ratio(tokens * np.arange(1, len(tokens) + 1), tokens, "rate")
    assert number.status == (status if len(tokens) else "undefined")
    if status == "too-few-clusters":
        assert math.isnan(number.low)
        assert math.isnan(number.high)


def test_who_has_more_than_a_third_of_the_tokens_is_named() -> None:
    tokens = np.array([160.0, *[40.0] * 6])
    assert clusters_of(tokens, TWELVE[:7], names=TWELVE).note == (
        "speaker s00 has 40 % of the gold tokens: 7 are worth 4.5 effective speakers"
    )
    assert clusters_of(tokens, cluster="utterance", utterances=TWELVE).note.startswith("utterance s00 has 40 %")
    assert clusters_of(np.ones(7), TWELVE[:7], names=TWELVE).note == ""


@pytest.mark.parametrize(
    ("wrong", "kind", "low", "high", "status"),
    [
        ([0] * 6, "rate", 0, 0.1085, ""),  # 60 tokens are worth 60 / 1.9 = n; Wilson's limit is z² / (n + z²)
        ([0] * 6, "share", 0, 0.1085, ""),
        ([10] * 6, "share", 0.8915, 1, ""),
        ([3] * 6, "rate", math.nan, math.nan, "undefined"),  # nothing varies, so nothing is known
        ([0] * 6, "skill", math.nan, math.nan, "undefined"),
    ],
)
def test_numbers_at_an_end_or_without_variation(
    wrong: list[float], kind: Kind, low: float, high: float, status: str
) -> None:
    found = utterances(6).ratio(np.array(wrong, float), np.full(6, 10.0), kind)
    assert [found.low, found.high] == pytest.approx([low, high], abs=5e-5, nan_ok=True)
    assert found.status == status


@pytest.mark.parametrize("kind", ["rate", "share"])
def test_rare_events_have_wilsons_limits_on_as_many_tokens_as_vary_as_much(kind: Kind) -> None:
    """The limits are the roots x of (p − x)² = t² x (1 − x) / n, and n = p (1 − p) / V, V over clusters."""
    wrong, tokens = np.array([1.0, 0, 0, 2, 0, 0, 0, 1]), 400.0
    p, t = wrong.sum() / tokens, stats.t.ppf(0.975, 7)
    n = p * (1 - p) / (8 / 7 * ((wrong - 50 * p) ** 2).sum() / tokens**2)
    found = utterances(8).ratio(wrong, np.full(8, 50.0), kind)
    assert sorted(np.roots([1 + t**2 / n, -2 * p - t**2 / n, p**2])) == pytest.approx([found.low, found.high])


def test_missing_numbers_stay_missing() -> None:
    six = utterances(6)
    assert six.estimate(math.nan, np.full(6, math.nan)).status == "undefined"
    assert math.isnan(six.ratio(np.zeros(6), np.zeros(6)).value)
    found = six.estimate(0.5, np.array([0.4, 0.5, math.nan, 0.5, 0.6, 0.5]))
    assert (found.value, math.isnan(found.low), found.status) == (0.5, True, "undefined")
    few = six.estimate(0.5, DATA[:6], sizes=np.array([9.0, 9, 9, 9, 0, 0]))
    assert (few.status, few.note) == ("too-few-clusters", "4 utterances: too few for intervals")
    assert six.estimate(0.5, DATA[:6], sizes=np.array([90.0, 9, 9, 9, 9, 9])).note == (
        "2.1 effective utterances: too few for intervals"
    )


@pytest.mark.parametrize("number", [201, 1000])
def test_many_clusters_are_left_out_in_two_hundred_random_groups(number: int) -> None:
    draws = np.random.default_rng(number)
    tokens, wrong = draws.integers(20, 40, number).astype(float), np.sort(draws.random(number)) * 10
    found = clusters_of(tokens, cluster="utterance")
    assert (len(found.sizes), found.number) == (MOST_CLUSTERS, number)
    assert sorted(set(found.group)) == list(range(MOST_CLUSTERS))
    assert found.group.tolist() == clusters_of(tokens, cluster="utterance").group.tolist()
    reverse = np.arange(number)[::-1]
    assert (
        clusters_of(tokens[reverse], cluster="utterance", rank=reverse).group.tolist() == found.group[reverse].tolist()
    )
    assert np.bincount(found.group).max() - np.bincount(found.group).min() <= 1
    grouped, value = found.ratio(wrong, tokens), wrong.sum() / tokens.sum()
    each = (wrong - value * tokens) / tokens.sum()  # all of them one by one, to first order
    width = 2 * stats.norm.ppf(0.975) * math.sqrt((each**2).sum()) if number else 0.0
    assert grouped.high - grouped.low == pytest.approx(width, rel=0.15)


def pairs(speakers: int, prompts: int) -> tuple[np.ndarray, np.ndarray]:
    who, what = np.divmod(np.arange(speakers * prompts), prompts)
    return np.append(who, [0, 1]), np.append(what, [0, 1])  # two are read twice


def test_speakers_and_prompts_are_both_in_the_error() -> None:
    """Cameron, Gelbach & Miller's variance, summed in loops."""
    draws, (who, what) = np.random.default_rng(6), pairs(6, 8)
    errors = 4 * draws.random(8)[what] + draws.random(len(who))
    tokens = draws.integers(8, 12, len(who)).astype(float)
    value = errors.sum() / tokens.sum()

    def variance(owners: list[object]) -> float:
        sums, sizes = dict[object, float](), dict[object, float]()
        for owner, error, token in zip(owners, errors, tokens, strict=True):
            sums[owner] = sums.get(owner, 0) + (error - value * token) / tokens.sum()
            sizes[owner] = sizes.get(owner, 0) + token
        number = sum(sizes.values()) ** 2 / sum(size**2 for size in sizes.values())
        return number / (number - 1) * sum(one**2 for one in sums.values())

    expected = math.sqrt(variance([*who]) + variance([*what]) - variance([*zip(who, what, strict=True)]))
    alone = clusters_of(tokens, who)
    crossed, single = (
        replace(alone, prompts=what).ratio(errors, tokens, "number"),
        alone.ratio(errors, tokens, "number"),
    )
    sizes = np.bincount(who, tokens)
    reach = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1)
    assert (crossed.high - crossed.low) / 2 == pytest.approx(reach * expected, rel=1e-9)
    assert crossed.note == "over speakers × 7.9 effective prompts"
    assert single.high - single.low < 0.7 * (crossed.high - crossed.low)
    assert replace(alone, prompts=what).at(np.arange(9)).prompts.tolist() == what[:9].tolist()
    assert alone.at(np.arange(9)).prompts is None
    apart = replace(alone, prompts=np.arange(len(who))).ratio(errors, tokens, "number")  # nobody shares a prompt
    assert (apart.low, apart.high) == pytest.approx((single.low, single.high))


def test_few_prompts_have_no_interval() -> None:
    who, what = pairs(12, 4)
    crossed = replace(clusters_of(np.ones(len(who)), who), prompts=what)
    found = crossed.ratio(np.random.default_rng(2).random(len(who)), np.ones(len(who)), "rate")
    assert (found.status, math.isnan(found.low)) == ("too-few-clusters", True)
    assert found.note == "3.9 effective prompts: too few for intervals"


@pytest.mark.parametrize("speakers", [None, [f"s{number % 6}" for number in range(18)]])
def test_any_statistic_of_a_stack_by_a_loop_over_its_matrices(speakers: list[str] | None) -> None:
    counts = np.random.default_rng(4).integers(1, 9, (18, 3, 4))
    counts[:, 2] = 0  # nothing is inserted
    stack = stack_of(counts, "ab", "abc")
    found = jackknife(
        lambda own: 1 - np.trace(own.counts) / own.tokens.sum(), stack, speakers=speakers, kind="share", level=0.9
    )
    who = np.arange(18) if speakers is None else np.arange(18) % 6
    moved = []
    for one in sorted(set(who)):
        rest = counts[who != one].sum(axis=0)
        moved.append(logit(1 - (rest[0, 0] + rest[1, 1]) / rest.sum()))
    sizes = np.bincount(who, counts.sum(axis=(1, 2)))
    reach = stats.t.ppf(0.95, sizes.sum() ** 2 / (sizes**2).sum() - 1) * stats.sem(moved) * (len(moved) - 1)
    value = 1 - (counts[:, 0, 0].sum() + counts[:, 1, 1].sum()) / counts.sum()
    assert found.value == pytest.approx(value)
    assert (found.low, found.high) == pytest.approx((expit(logit(value) - reach), expit(logit(value) + reach)))
    assert found.status == ("no-speakers" if speakers is None else "")


def test_a_corrected_statistic_and_one_that_is_not_defined() -> None:
    stack = stack_of(np.random.default_rng(5).integers(0, 3, (9, 4, 4)), "abcd")
    plain, better = (jackknife(conditional_entropy, stack, corrected=corrected) for corrected in (False, True))
    assert better.value > plain.value == conditional_entropy(stack.total())
    assert better.low < better.value < better.high
    assert jackknife(lambda _: math.nan, stack).status == "undefined"
    assert jackknife(conditional_entropy, stack, speakers=[*"aabbccdde"]).status == ""
    assert jackknife(conditional_entropy, stack, speakers=[*"aaaabbbbb"]).status == "these-speakers-alone"


tokens = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11), st.floats(0.1, 9)), min_size=1, max_size=60)
SPEAKERS = np.arange(12) % 6


def speakers() -> Clusters:
    return clusters_of(np.ones(12), SPEAKERS)


def test_a_ratio_of_tokens_by_a_loop_over_speakers() -> None:
    draws = np.random.default_rng(1)
    owner, above, below = draws.integers(0, 12, 90), draws.random(90), draws.random(90) + 0.5
    found, who = ratio_of_tokens(above, below, owner=owner, clusters=speakers()), SPEAKERS[owner]
    moved = [math.log(above[who != one].sum() / below[who != one].sum()) for one in range(6)]
    sizes = np.bincount(who, below)
    reach = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1) * stats.sem(moved) * 5
    value = above.sum() / below.sum()
    assert (found.low, found.high) == pytest.approx((value * math.exp(-reach), value * math.exp(reach)))
    assert math.isnan(ratio_of_tokens(above, 0 * below, owner=owner, clusters=speakers()).value)


@pytest.mark.parametrize(
    ("kind", "value", "low", "high"),
    [
        ("number", -1.2, lambda reach: -1.2 - reach, lambda reach: -1.2 + reach),
        ("share", 0.2, lambda reach: expit(logit(0.2) - reach / 0.16), lambda reach: expit(logit(0.2) + reach / 0.16)),
        ("rate", 1.3, lambda reach: 1.3 * np.exp(-reach / 1.3), lambda reach: 1.3 * np.exp(reach / 1.3)),
        ("skill", -0.4, lambda reach: 1 - 1.4 * np.exp(reach / 1.4), lambda reach: 1 - 1.4 * np.exp(-reach / 1.4)),
    ],
)
def test_where_a_left_out_value_is_outside_the_scale_the_error_is_taken_on_the_raw_one(
    kind: Kind, value: float, low: Callable[[float], float], high: Callable[[float], float]
) -> None:
    """One left-out value is at the end of the range, or beyond; −1.2 has no end, and is the check of the check."""
    end = {"number": -1.3, "share": 0.0, "rate": 0.0, "skill": 1.0}[kind]
    left_out = np.array([end, value, value, value, value])
    reach = stats.t.ppf(0.95, 2.4) * 4 / 5 * abs(end - value)
    found = student_limits(np.array([value]), left_out[None], np.ones((1, 5)), np.array([3.4]), level=0.9, kind=kind)
    assert np.ravel(found) == pytest.approx([low(reach), high(reach)])


@pytest.mark.parametrize(
    ("sizes", "effective", "few"),
    [
        ([1.0] * 4, 4, True),
        ([8.0, 3, 3, 3, 3], 4, False),  # one of five has 40 %
        ([9.0, 3, 3, 3, 3], 49 / 13, True),
        ([3.0, 0, 3, 0, 3], 3, True),
    ],
)
def test_which_clusters_are_too_few(sizes: list[float], effective: float, few: bool) -> None:
    own = np.array(sizes)
    assert effective_clusters(own) == pytest.approx(effective)
    assert too_few(np.count_nonzero(own), effective_clusters(own)) == few


def test_sums_without_each_cluster() -> None:
    sums = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(without_each(sums), [sums[1] + sums[2], sums[0] + sums[2], sums[0] + sums[1]])
