"""Median, standard deviation and range of utterance rates: by Python's statistics, and draw by draw."""

import math
import statistics
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.rates.spread import deviation, median, utterance_spread
from phonxling.resample.weights import resampling

RATES = [0.5, 0.25, math.nan, 0.0, 1.5, 0.5, 0.75, 0.125, 0.375, 0.5, 1.0, 0.25]
SPEAKERS = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"]


def corpus_of(speakers: list[str] | None, utterances: int, lengths: np.ndarray | None = None) -> AnalysedCorpus:
    weights = resampling(utterances, speakers, resamples=200, seed=3)
    corpus = SimpleNamespace(gold=SimpleNamespace(lengths=lengths))
    return cast("AnalysedCorpus", SimpleNamespace(resampling=weights, corpus=corpus))


@given(st.lists(st.integers(0, 8), min_size=2, max_size=9))
def test_rows_are_those_of_the_statistics_module(edits: list[int]) -> None:
    lengths = np.array([4] * len(edits))
    rows = list(utterance_spread("per", corpus_of(None, len(edits), lengths), np.array(edits, float)))
    rates = [number / 4 for number in edits]
    wanted = [statistics.median(rates), statistics.stdev(rates), min(rates), max(rates)]
    assert [row.measure for row in rows] == ["per_median", "per_sd", "per_min", "per_max"]
    assert [row.estimate.value for row in rows] == pytest.approx(wanted, abs=1e-12)
    assert all(row.n == len(edits) for row in rows)


def test_the_deviation_of_each_draw_is_that_of_its_utterances() -> None:
    rates, analysed = np.array(RATES), corpus_of(SPEAKERS, len(RATES))
    weights = analysed.resampling
    each = []
    for draw in weights.weights:
        drawn = np.repeat(rates, draw[weights.clusters])
        each.append(np.std(drawn[~np.isnan(drawn)], ddof=1))
    error = np.std(each, ddof=1) * math.sqrt(6 / 5)
    number = deviation(rates, analysed)
    left_out = [np.std([x for x in rates[np.array(SPEAKERS) != s] if x == x], ddof=1) for s in "abcdef"]
    jackknife = math.sqrt(5 / 6 * float(((np.array(left_out) - np.mean(left_out)) ** 2).sum()))
    reach = 2.5705818356363146 * max(error, jackknife) / number.value  # t of 5 degrees of freedom, on the log scale
    assert [number.low, number.high] == pytest.approx([number.value * math.exp(-reach), number.value * math.exp(reach)])


def test_the_limits_of_a_median_are_rates_at_the_limits_of_the_share_below_it() -> None:
    rates, analysed = np.array(RATES), corpus_of(SPEAKERS, len(RATES))
    number = median(rates, analysed)
    assert number.value == 0.5
    share = analysed.resampling.ratio(
        np.array([0.5, 1, 0, 1, 0, 0.5, 0, 1, 1, 0.5, 0, 1]), np.array([1, 1, 0] + [1] * 9, float), "share"
    )
    known = sorted(rate for rate in RATES if rate == rate)
    for limit, part in ((number.low, share.low), (number.high, share.high)):
        place = part * 10
        lower = int(place)
        upper = min(lower + 1, 10)
        assert limit == pytest.approx(known[lower] + (place - lower) * (known[upper] - known[lower]))


def test_one_utterance_has_no_deviation_and_no_utterance_has_nothing() -> None:
    rows = {row.measure: row for row in utterance_spread("per", corpus_of(None, 1, np.array([2])), np.ones(1))}
    assert rows["per_median"].estimate.value == 0.5
    assert math.isnan(rows["per_sd"].estimate.value)
    assert rows["per_sd"].note == "not defined for one utterance"
    empty = {row.measure: row for row in utterance_spread("per", corpus_of(None, 2, np.array([0, 0])), np.ones(2))}
    assert all(math.isnan(row.estimate.value) and row.note for row in empty.values())
