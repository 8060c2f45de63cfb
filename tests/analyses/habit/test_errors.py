"""The errors one by one: the excess of the log ratio by hand, and what is not tested."""

import math

import numpy as np
import pytest

from phonxling.analyses.habit.bigram import Bigram
from phonxling.analyses.habit.errors import Errors
from phonxling.analyses.habit.tokens import WrongTokens
from phonxling.core.inventory import Inventory
from phonxling.resample.weights import resampling

PHONES = Inventory(("m", "n", "k", "t", "s"))
# After k the habit has m eight times as often as n, after t half as often; s is never known.
AFTER = np.array([[1, 1, 1, 1, 0]] * 2 + [[8, 1, 1, 1, 0], [1, 2, 1, 1, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0]]) / 16
HABIT = Bigram(np.array([True, True, True, True, False]), AFTER, np.ones((6, 5)))
M, N, K, T = range(4)


def errors_of(heard: list[int], left: list[int], nearest: str = "n", speakers: int = 12) -> list[dict[str, object]]:
    number = len(heard)
    tokens = WrongTokens(
        gold=np.zeros(number, np.int64),
        heard=np.array(heard),
        left=np.array(left),
        right=np.full(number, 5),
        gold_left=np.arange(number) % 9,
        gold_right=np.array(left),
        same=np.full(number, -1),
        utterance=np.arange(number) % 60,
        pair=np.arange(number),
        stratum=np.zeros(number, np.int64),
    )
    return Errors(
        tokens=tokens,
        habit=HABIT,
        gold=Inventory(("ŋ",)),
        phones=PHONES,
        nearest={"ŋ": nearest},
        resampling=resampling(60, [str(n % speakers) for n in range(60)], resamples=1, seed=1),
    ).rows()


def test_the_excess_is_the_mean_log_ratio_less_that_elsewhere() -> None:
    first, second, third = errors_of([M, M, M, T, T, N], [K, K, T, T, K, K])
    assert (first["predicted"], first["tokens"]) == ("m", 3)
    assert first["log_ratio"] == pytest.approx((3 + 3 - 1) / 3)
    assert first["log_ratio_elsewhere"] == pytest.approx((4 * 3 - 2) / 6)
    assert first["excess"] == pytest.approx(5 / 3 - 10 / 6)
    assert first["note"] == "no test: fewer than 10 tokens on a side"
    assert second["log_ratio"] == pytest.approx(0.0)  # t after k; the t after t is left out
    assert third["note"] == "no log ratio: this is the nearest phone"


def test_errors_in_the_places_of_the_habit_are_found_and_others_not() -> None:
    generator = np.random.default_rng(5)
    left = generator.integers(K, T + 1, 400)
    pulled = np.where(generator.random(400) < np.where(left == K, 0.7, 0.3), M, 5 - left)
    unmoved = np.where(generator.random(400) < 0.5, M, 5 - left)
    (found, *_), (none, *_) = (errors_of(heard.tolist(), left.tolist()) for heard in (pulled, unmoved))
    assert found["q"] == found["p"] < 0.001
    assert found["low"] < found["excess"] < found["high"]
    assert found["low"] > 0
    assert none["p"] > 0.05
    assert none["low"] < 0 < none["high"]


def test_few_speakers_and_unknown_phones_are_not_tested() -> None:
    left = [K, T] * 30
    (few, *_) = errors_of([M, M, N] * 20, left, speakers=4)
    assert few["note"] == "no test: fewer than 5 speakers or contexts"
    assert math.isnan(few["p"])  # type: ignore[arg-type]
    (never, *_) = errors_of([M, M, N] * 20, left, nearest="s")
    assert never["note"] == "no log ratio: the nearest phone is never said there"
    (unknown, *_) = errors_of([M, M, N] * 20, left, nearest="")
    assert unknown["note"] == "no log ratio: the nearest phone is not known"


def test_an_error_without_another_one_beside_it_has_no_excess() -> None:
    (only,) = errors_of([M] * 20, [K, T] * 10)
    assert only["note"] == "no excess: no other error of the phone to compare with"
    assert "excess" not in only
