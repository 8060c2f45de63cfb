"""Clusters with unequal numbers of tokens count as fewer: intervals, notes and verdicts by Kish's effective number."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from phonxling.analyses.beside_chance import Verdict, verdict
from phonxling.core.estimate import SPEAKERS_UNKNOWN, cluster_remarks
from phonxling.resample.intervals import estimate
from phonxling.resample.student import effective_clusters
from phonxling.resample.weights import Resampling, resampling

TWELVE = [f"s{number:02}" for number in range(12)]
SIXTY = np.array([660.0, *[40.0] * 11])  # one of twelve has 60 % of the tokens


def of_speakers(tokens: np.ndarray) -> Resampling:
    names = TWELVE[: len(tokens)]
    return resampling(len(tokens), names, resamples=400, seed=3, tokens=tokens, names=names)


def by_hand(errors: np.ndarray, tokens: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the limits of a rate: on the logarithm, t on C − 1 degrees, loops over draws and clusters."""
    rate = sum(errors) / sum(tokens)
    drawn = [sum(w * e for w, e in zip(own, errors, strict=True)) / sum(w * t for w, t in zip(own, tokens, strict=True))
             for own in weights.tolist()]  # fmt: skip
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


def test_equal_speakers_have_the_limits_that_they_had_without_tokens() -> None:
    tokens = np.full(12, 90.0)
    errors = np.arange(12.0) * 3 + 10
    known, plain = of_speakers(tokens), resampling(12, TWELVE, resamples=400, seed=3)
    assert known.ratio(errors, tokens, "rate") == plain.ratio(errors, tokens, "rate")
    drawn = known.weights @ errors
    assert estimate(27.0, drawn, known) == estimate(27.0, drawn, plain)


def test_a_speaker_with_most_tokens_is_named_and_nothing_is_judged() -> None:
    found = of_speakers(SIXTY).ratio(SIXTY * 0.4 + np.arange(12), SIXTY, "rate")
    assert found.note == (
        "descriptive: the interval rests on 2.6 effective speakers only; "
        "unequal clusters: speaker s00 has 60 % of the gold tokens, "
        "and 12 speakers tell as much as 2.6 effective speakers"
    )
    assert verdict(0.4, 0.6, found.note) is Verdict.DESCRIPTIVE
    assert len(cluster_remarks(found.note)) == 1


def test_no_speaker_is_named_who_has_a_third_or_is_the_only_one() -> None:
    assert of_speakers(np.full(3, 10.0)).largest == ""
    assert of_speakers(np.array([9.0])).largest == ""
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
