"""Intervals: against scipy's bootstrap and t tests, against loops, and where there can be none."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from made_alignments import stack_of
from scipy import stats

from phonxling.core.estimate import SPEAKERS_UNKNOWN, Verdict, cluster_remarks, is_descriptive, verdict
from phonxling.resample.entropies import cluster_cells, few_per_cell, information_interval
from phonxling.resample.intervals import Method, Resampling, basic, bca, estimate, percentile, resampling
from phonxling.resample.replicates import left_out_values, replicate_values
from phonxling.resample.student import Kind, between, contrast, effective_clusters, spread

DATA = np.random.default_rng(3).gamma(2.0, size=30)
TWELVE = [f"s{number:02}" for number in range(12)]
SIXTY = np.array([660.0, *[40.0] * 11])  # one of twelve has 60 % of the tokens


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_limits_are_those_of_scipy(method: str) -> None:
    rng = np.random.default_rng(1)
    found = stats.bootstrap((DATA,), np.mean, n_resamples=2000, method=method, rng=rng, confidence_level=0.9)
    drawn, value = found.bootstrap_distribution, DATA.mean()
    left_out = (DATA.sum() - DATA) / (len(DATA) - 1)
    ours = {
        "percentile": percentile(drawn, 0.9),
        "basic": basic(value, drawn, 0.9),
        "BCa": bca(value, drawn, left_out, 0.9),
    }
    assert ours[method] == pytest.approx(tuple(found.confidence_interval), abs=1e-9)


def test_t_limits_of_a_mean_are_those_of_its_t_test() -> None:
    """Ten clusters with a share each; the bootstrap's and the jackknife's standard errors both come to s/√C."""
    shares = DATA[:10]
    drawn = resampling(10, None, resamples=4000, seed=1)
    left_out = (shares.sum() - shares) / 9
    means = drawn.weights @ shares / 10
    wanted = stats.ttest_1samp(shares, 0).confidence_interval(0.95)
    for draws, near in ((means, 0.02), (means * 0.1 + 7, 1e-9)):
        found = estimate(float(shares.mean()), draws, drawn, left_out=left_out)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=near)


@pytest.mark.parametrize(
    ("kind", "value", "back"),
    [
        ("share", 0.9, lambda z: 1 / (1 + math.exp(-(math.log(9) + z / 0.09)))),
        ("rate", 1.2, lambda z: 1.2 * math.exp(z / 1.2)),
        ("skill", 0.8, lambda z: 1 - 0.2 * math.exp(-z / 0.2)),
        ("number", 0.5, lambda z: 0.5 + z),
    ],
)
def test_limits_of_each_kind_stay_in_its_range(kind: Kind, value: float, back: Callable[[float], float]) -> None:
    draws, drawn = value + np.array([-0.1, 0.1]), resampling(5, None, resamples=2, seed=1)
    reach = stats.t(4).ppf(0.975) * math.sqrt(0.02 * 5 / 4)
    found = estimate(value, draws, drawn, kind=kind)
    assert (found.low, found.high) == pytest.approx((back(-reach), back(reach)))
    assert found.note == ""


def test_values_of_replicates_and_without_each_cluster_are_those_of_the_utterances() -> None:
    counts = np.array([9, 2, 5, 7])
    stack = stack_of(np.stack([counts, 10 - counts], axis=1)[:, None], "a", "ab")
    drawn = resampling(4, None, resamples=50, seed=2)
    rates = replicate_values(stack, drawn, lambda table: table[0, 0] / table.sum())
    assert rates == pytest.approx(drawn.weights @ counts / 40)
    drawn = resampling(4, ["ann", "bob", "ann", "cem"], resamples=5, seed=2)
    assert left_out_values(stack, drawn, lambda table: table[0, 0]).tolist() == [9, 21, 16]


def test_no_interval_for_one_cluster_or_an_undefined_value_or_values_that_are_alike() -> None:
    one, few = (resampling(3, names, resamples=5, seed=1) for names in (["ann"] * 3, None))
    draws = np.arange(5.0)
    assert estimate(1.0, draws, one).note == "no interval: there is one speaker only"
    assert math.isnan(estimate(math.nan, draws, few).low)
    assert "do not differ" in estimate(1.0, np.ones(5), few).note
    assert is_descriptive(estimate(2.0, draws, few).note)
    assert not is_descriptive(estimate(2.0, draws, few, clusters=5).note)
    assert "end of its range" in estimate(1.0, draws, few, kind="share").note
    assert "1 replicates" in estimate(2.0, np.append(draws, math.nan), few).note
    assert np.isnan(bca(0.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0]), 0.95)).all()


# The bootstrap of a ratio


def plain_bootstrap(rows: list[tuple[float, int, str]], units: list[str], level: float, seed: int) -> list[float]:
    members = [[row for row, unit in zip(rows, units, strict=True) if unit == name] for name in sorted(set(units))]
    ratios = []
    for replicate in range(60):
        places = np.random.default_rng([seed, replicate]).integers(0, len(members), size=len(members))
        drawn = [row for place in places for row in members[place]]
        ratios.append(math.fsum(row[0] for row in drawn) / math.fsum(row[1] for row in drawn))
    ranked = sorted(ratios)

    def quantile(q: float) -> float:  # linear between order statistics (type 7)
        low, part = divmod(q * 59, 1)
        return ranked[int(low)] + part * (ranked[min(int(low) + 1, 59)] - ranked[int(low)])

    return [
        sum(row[0] for row in rows) / sum(row[1] for row in rows),
        *(quantile((1 + z * level) / 2) for z in (-1, 1)),
    ]


data = st.lists(st.tuples(st.floats(0, 5), st.integers(1, 9), st.sampled_from("stuvw")), min_size=2, max_size=25)


@settings(deadline=None, max_examples=40)
@given(data, st.integers(0, 9), st.sampled_from([0.5, 0.9, 0.95]), st.booleans())
def test_it_is_the_plain_bootstrap(
    rows: list[tuple[float, int, str]], seed: int, level: float, by_speaker: bool
) -> None:
    above, below, speakers = (list(column) for column in zip(*rows, strict=True))
    units = speakers if by_speaker else [f"{place:03}" for place in range(len(rows))]
    named = speakers if by_speaker else None
    drawn = resampling(len(rows), named, resamples=60, level=level, seed=seed, method="percentile")
    found = drawn.ratio(np.array(above), np.array(below, dtype=float))
    value, low, high = plain_bootstrap(rows, units, level, seed)
    assert found.value == pytest.approx(value)
    if len(set(units)) == 1:
        assert found.note == "no interval: there is one speaker only"
    elif high - low > 1e-9:
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
        assert found.level == level
        tokens = [sum(row[1] for row, own in zip(rows, units, strict=True) if own == unit) for unit in set(units)]
        assert is_descriptive(found.note) == (sum(tokens) ** 2 < 4.5 * sum(own**2 for own in tokens))


@given(st.integers(1, 40), st.integers(0, 30), st.integers(0, 5))
def test_every_replicate_draws_as_many_units_as_there_are(units: int, resamples: int, seed: int) -> None:
    weights = resampling(units, None, resamples=resamples, seed=seed).weights
    assert weights.shape == (resamples, units)
    assert (weights.sum(axis=1) == units).all()
    again = resampling(units, None, resamples=resamples + 3, seed=seed).weights
    assert (again[:resamples] == weights).all()
    other = resampling(units, None, resamples=resamples, seed=seed + 1).weights
    assert units < 9 or resamples < 5 or (weights != other).any()


def test_speakers_stay_together() -> None:
    found = resampling(5, ["s2", "s1", "s2", "s3", "s1"], resamples=4, seed=1)
    assert found.clusters.tolist() == [1, 0, 1, 2, 0]
    assert found.weights.shape == (4, 3)
    with pytest.raises(ValueError, match="2 speakers for 3 utterances"):
        resampling(3, ["s", "t"], resamples=4, seed=1)


def test_it_holds_the_truth_about_as_often_as_it_says() -> None:
    hundred, generator, held = resampling(100, None, resamples=1000, seed=20), np.random.default_rng(8), 0
    for _ in range(300):
        tokens = generator.integers(5, 60, 100)
        found = hundred.ratio(generator.binomial(tokens, 0.3).astype(np.float64), tokens.astype(np.float64))
        held += found.low <= 0.3 <= found.high
    assert 0.90 <= held / 300 <= 0.985
    assert found.note == ""
    assert hundred.ratio(tokens / 2, tokens * 1.0).note == "no interval: the resampled values do not differ"


def test_replicates_without_a_denominator_are_counted() -> None:
    weights = resampling(12, None, resamples=200, seed=1)
    below = np.eye(12)[:2].sum(axis=0)
    lost = int((weights.weights[:, :2] == 0).all(axis=1).sum())
    few = "descriptive: the interval rests on 2 utterances only"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    assert weights.ratio(np.arange(12.0), below).note == f"{few}; {gone}"


@pytest.mark.parametrize(
    ("below", "resamples", "value", "note"),
    [
        (np.zeros(3), 20, math.nan, "not defined: the denominator is 0"),
        (np.zeros(0), 20, math.nan, "not defined: the denominator is 0"),
        (np.eye(12)[0], 20, 12.0, "no interval: it has one utterance only"),
        (np.full(12, 2.0), 0, 0.5, ""),
    ],
)
def test_where_there_is_no_interval(below: np.ndarray, resamples: int, value: float, note: str) -> None:
    found = resampling(len(below), None, resamples=resamples, seed=1).ratio(np.ones(len(below)), below, "rate")
    assert math.isnan(found.low)
    assert found.note == note
    assert found.value == pytest.approx(value, nan_ok=True)


# Clusters with unequal numbers of tokens, which count as fewer


def of_speakers(tokens: np.ndarray) -> Resampling:
    names = TWELVE[: len(tokens)]
    return resampling(len(tokens), names, resamples=400, seed=3, tokens=tokens, names=names)


def by_hand(errors: np.ndarray, tokens: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the limits of a rate: on the logarithm, t on C − 1 degrees, loops over draws and clusters."""
    rate = sum(errors) / sum(tokens)
    drawn = [sum(own * errors) / sum(own * tokens) for own in weights]
    left_out = [(sum(errors) - e) / (sum(tokens) - t) for e, t in zip(errors, tokens, strict=True)]
    clusters = sum(tokens) ** 2 / sum(t * t for t in tokens)
    number, mean = len(left_out), sum(left_out) / len(left_out)
    jackknife = math.sqrt((number - 1) / number * sum((one - mean) ** 2 for one in left_out))
    error = max(float(np.std(drawn, ddof=1)) * math.sqrt(clusters / (clusters - 1)), jackknife)
    reach = stats.t.ppf(0.975, clusters - 1) * error / rate
    return rate * math.exp(-reach), rate * math.exp(reach)


@pytest.mark.parametrize("tokens", [SIXTY, np.linspace(50, 200, 12), np.full(12, 100.0), np.full(5, 100.0)])
def test_limits_are_by_hand_those_of_the_effective_number(tokens: np.ndarray) -> None:
    errors = np.round(tokens * np.random.default_rng(1).uniform(0.2, 0.6, len(tokens)))
    drawn = of_speakers(tokens)
    found = drawn.ratio(errors, tokens, "rate")
    assert (found.low, found.high) == pytest.approx(by_hand(errors, tokens, drawn.weights), rel=1e-9)


@given(st.integers(1, 300), st.integers(1, 10**9))
def test_equal_clusters_count_to_the_last_digit_as_what_they_are(clusters: int, tokens: int) -> None:
    assert effective_clusters(np.full(clusters, float(tokens))) == clusters


def test_a_speaker_with_most_tokens_is_named_and_nothing_is_judged() -> None:
    found = of_speakers(SIXTY).ratio(SIXTY * 0.4 + np.arange(12), SIXTY, "rate")
    assert found.note == (
        "descriptive: the interval rests on 2.6 effective speakers only; "
        "unequal clusters: speaker s00 has 60 % of the gold tokens, "
        "and 12 speakers are worth 2.6 effective speakers"
    )
    assert verdict(0.4, 0.6, found.note) is Verdict.DESCRIPTIVE
    assert len(cluster_remarks(found.note)) == 1
    assert of_speakers(np.full(3, 10.0)).largest == of_speakers(np.array([9.0])).largest == ""
    assert of_speakers(np.array([9.0, 9.0])).largest == "unequal clusters: speaker s00 has 50 % of the gold tokens"


def test_fewer_than_two_effective_clusters_are_taken_as_two() -> None:
    tokens = np.array([990.0, 10.0])
    found = of_speakers(tokens).ratio(np.array([400.0, 5.0]), tokens, "rate")
    assert 0 < found.low < found.high < math.inf
    assert found.note.startswith("descriptive: the interval rests on 1.0 effective speakers only")


def test_utterances_of_unknown_speakers_say_so_wherever_there_is_an_interval() -> None:
    drawn = resampling(30, None, resamples=50, seed=1, tokens=np.full(30, 9.0), speakers_unknown=True)
    errors = np.random.default_rng(1).integers(0, 9, 30).astype(float)
    assert drawn.ratio(errors, np.full(30, 9.0), "rate").note == SPEAKERS_UNKNOWN
    assert SPEAKERS_UNKNOWN in drawn.ratio(np.zeros(30), np.full(30, 9.0), "share").note
    assert resampling(30, None, resamples=50, seed=1).ratio(errors, np.full(30, 9.0), "rate").note == ""


# Differences, which must come to the t tests of means


def means(values: np.ndarray, seed: int) -> np.ndarray:
    """Return bootstrap draws of the mean, [R, 1]."""
    weights = resampling(len(values), None, resamples=6_000, seed=seed).weights.astype(float)
    return (weights @ values / len(values))[:, None]


@pytest.mark.parametrize("paired", [True, False])
def test_differences_have_the_t_test_of_means(paired: bool) -> None:
    generator = np.random.default_rng(1 if paired else 2)
    if paired:
        first = generator.normal(0.0, 1.0, 12)
        second = first + generator.normal(0.4, 0.6, 12)
        wanted = stats.ttest_rel(first, second)
        apart = spread(means(first, 3) - means(second, 3), 12)
    else:
        first, second = generator.normal(0.0, 1.0, 9), generator.normal(1.0, 2.0, 30)
        wanted = stats.ttest_ind(first, second, equal_var=False)
        apart = between(spread(means(first, 4), 9), spread(means(second, 5), 30))
        assert apart.freedom[0] == pytest.approx(wanted.df, rel=0.05)
    found = contrast(np.array([first.mean() - second.mean()]), apart, 0.95)
    assert found.p[0] == pytest.approx(wanted.pvalue, rel=0.1)
    limits = wanted.confidence_interval(0.95)
    assert [found.low[0], found.high[0]] == pytest.approx([limits.low, limits.high], rel=0.1)


@given(st.floats(-3, 3), st.floats(0.01, 4), st.integers(2, 50), st.floats(0.5, 0.99))
def test_p_and_limits_agree(difference: float, variance: float, clusters: int, level: float) -> None:
    drawn = np.sqrt(variance) * np.array([[-1.0], [1.0]])
    found = contrast(np.array([difference]), spread(drawn, clusters), level)
    if abs(found.p[0] - (1 - level)) > 1e-9:  # NaN: of few clusters
        assert (found.p[0] < 1 - level) != (found.low[0] <= 0 <= found.high[0])


def test_draws_that_do_not_differ_and_one_cluster_give_no_test_and_missing_ones_are_counted() -> None:
    drawn = np.random.default_rng(4).normal(size=(100, 1))
    for values, clusters in ((0.25 + 0 * drawn, 12), (0.25 + drawn * 1e-14, 12), (drawn, 1)):
        assert np.isnan(contrast(np.array([0.1]), spread(values, clusters), 0.95).p).all()
    holed = np.vstack([drawn, np.full((25, 1), np.nan)])
    assert spread(holed, 10).variance[0] == pytest.approx(spread(drawn, 10).variance[0])
    assert spread(holed, 10).lost[0] == pytest.approx(0.2)


# Entropies and information: what limits stand around, where they end, and what is said of them

DRAWS = np.random.default_rng(5).normal(1.5, 0.1, 400)
FORTY = resampling(40, None, resamples=400, seed=1)
T = float(stats.t(39).ppf(0.975))
REACH = T * DRAWS.std(ddof=1) * math.sqrt(40 / 39)


def test_the_value_stands_in_its_t_limits_wherever_the_draws_lie_and_the_greater_error_counts() -> None:
    left_out = np.linspace(1.8, 2.0, 40)
    jackknife = math.sqrt(39 / 40 * ((left_out - 1.9) ** 2).sum())
    for asked, reach in (
        ({"error": 0.05, "most": 5}, REACH),
        ({"error": 0.5}, T * 0.5),
        ({"left_out": left_out}, T * jackknife),
        ({"error": 0.5, "clusters": 5}, float(stats.t(4).ppf(0.975)) * 0.5),
    ):
        found = information_interval(1.9, DRAWS, FORTY, **asked)  # type: ignore[arg-type]
        assert (found.value, found.low, found.high) == pytest.approx((1.9, max(0, 1.9 - reach), 1.9 + reach))
        assert found.note == ""


def test_what_is_impossible_is_set_to_the_end_of_the_range_and_said() -> None:
    assert information_interval(0.05, DRAWS, FORTY).low == 0
    below, above = information_interval(-0.02, DRAWS, FORTY), information_interval(1.05, DRAWS, FORTY, most=1.0)
    assert (below.value, below.low, above.value, above.high) == (0, 0, 1, 1)
    assert below.high == pytest.approx(-0.02 + REACH)
    assert below.note == "the estimate is below the least possible value, which stands in its place"
    assert above.note == "the estimate is above the greatest possible value, which stands in its place"
    far = information_interval(-0.9, DRAWS, FORTY)
    assert far.value == 0
    assert math.isnan(far.low)
    assert "no interval: all of it lies outside what is possible" in far.note


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_methods_are_of_draws_moved_to_the_value(method: Method) -> None:
    asked = resampling(40, None, resamples=400, seed=1, method=method)
    found = information_interval(1.9, DRAWS, asked, left_out=np.linspace(1.85, 1.95, 40))
    low, high = 1.9 + np.quantile(DRAWS - DRAWS.mean(), [0.025, 0.975])
    wanted = (3.8 - high, 3.8 - low) if method == "basic" else (low, high)
    assert (found.low, found.high) == pytest.approx(wanted, abs=0.03 if method == "bca" else 1e-12)


def test_where_information_has_no_interval_the_reason_is_said() -> None:
    one = resampling(3, ["ann"] * 3, resamples=400, seed=1)
    why = "no interval: all its tokens are of one {}, and the value is not jackknifed"
    assert information_interval(1.9, DRAWS, one, left_out=np.array([math.nan])).note == why.format("speaker")
    assert information_interval(1.9, DRAWS, FORTY, error=math.nan, clusters=1).note == why.format("utterance")
    assert math.isnan(information_interval(math.nan, DRAWS, FORTY).low)
    assert information_interval(1.6, np.zeros(0), FORTY).note == ""


@pytest.mark.parametrize(("count", "warned"), [(3, True), (4, False)])
def test_the_warning_goes_by_tokens_a_cell_seen(count: int, warned: bool) -> None:
    stack = stack_of(count * np.eye(2)[:, None], "a", "ab")
    assert bool(few_per_cell(cluster_cells(stack, resampling(2, None, resamples=5, seed=1)).table)) == warned


def test_speakers_and_prompts_are_both_in_the_error() -> None:
    """Cameron, Gelbach & Miller's variance, summed in loops: every speaker reads every prompt, two of them twice."""
    draws = np.random.default_rng(6)
    pairs = [(speaker, prompt) for speaker in range(6) for prompt in range(8)] + [(0, 0), (1, 1)]
    hard = draws.random(8)
    errors = np.array([4 * hard[prompt] + draws.random() for _, prompt in pairs])
    tokens = draws.integers(8, 12, len(pairs)).astype(np.float64)
    value = errors.sum() / tokens.sum()

    def variance(owners: list[object]) -> float:
        sums, sizes = dict[object, float](), dict[object, float]()
        for owner, error, token in zip(owners, errors, tokens, strict=True):
            sums[owner] = sums.get(owner, 0) + (error - value * token) / tokens.sum()
            sizes[owner] = sizes.get(owner, 0) + token
        number = sum(sizes.values()) ** 2 / sum(size**2 for size in sizes.values())
        return number / (number - 1) * sum(one**2 for one in sums.values())

    speakers, prompts = ([pair[place] for pair in pairs] for place in (0, 1))
    expected = math.sqrt(variance([*speakers]) + variance([*prompts]) - variance([*pairs]))
    alone = resampling(len(pairs), [f"s{one}" for one in speakers], resamples=400, seed=1, tokens=tokens)
    crossed = replace(alone, prompts=np.array(prompts)).ratio(errors, tokens)
    sizes = np.bincount(speakers, tokens)
    reach = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1)
    assert (crossed.high - crossed.low) / 2 == pytest.approx(reach * expected, rel=1e-9)
    assert crossed.note == "over speakers × 7.9 effective prompts"
    single = alone.ratio(errors, tokens)
    assert single.high - single.low < 0.7 * (crossed.high - crossed.low)
    apart = replace(alone, prompts=np.arange(len(pairs))).ratio(errors, tokens)  # nobody shares a prompt
    assert (apart.low, apart.high) == pytest.approx((single.low, single.high))


def test_few_prompts_are_said() -> None:
    speakers, prompts = np.divmod(np.arange(36), 3)
    drawn = replace(resampling(36, speakers, resamples=100, seed=1), prompts=prompts)
    number = drawn.ratio(np.random.default_rng(2).random(36), np.ones(36), "rate")
    assert is_descriptive(number.note)
    assert "the interval rests on 3 prompts only" in number.note
