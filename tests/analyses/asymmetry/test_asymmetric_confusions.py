"""Pairs of phones that are confused one way more than the other: what is tested, and how often it is wrong."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import stack_of
from scipy.stats import binom

from phonxling.analyses.asymmetry import asymmetry
from phonxling.resample.intervals import resampling

PHONES = ("a", "b", "c")


def spread(total: Sequence[Sequence[int]], utterances: int, seed: int) -> np.ndarray:
    """Return counts dealt out evenly to utterances."""
    table = np.array(total)
    generator = np.random.default_rng(seed)
    return generator.multinomial(table.ravel(), np.full(utterances, 1 / utterances)).T.reshape(-1, *table.shape)


@given(arrays(np.int64, (5, 3, 3), elements=st.integers(0, 6)))
def test_rates_are_shares_of_the_tokens_that_were_aligned(counts: np.ndarray) -> None:
    found = asymmetry(stack_of(counts, PHONES), resampling(5, None, resamples=20, seed=1)).set_index(["phone", "other"])
    total = counts.sum(axis=0)
    pairs = {(0, 1), (0, 2), (1, 2)}
    assert set(found.index) == {(PHONES[a], PHONES[b]) for a, b in pairs if total[a, b] + total[b, a]}
    for (first, second), row in found.iterrows():  # type: ignore[misc]
        a, b = PHONES.index(first), PHONES.index(second)
        assert (row["count_there"], row["count_back"]) == (total[a, b], total[b, a])
        if total[a].sum() and total[b].sum():
            assert row["difference"] == pytest.approx(total[a, b] / total[a].sum() - total[b, a] / total[b].sum())
        assert np.isnan(row["p"]) == (total[a, b] + total[b, a] < 10 or not total[a].sum() or not total[b].sum())
        assert np.isnan(row["p"]) == row["note"].startswith("no test: ")


@given(arrays(np.int64, (8, 2, 2), elements=st.integers(0, 6)), st.integers(0, 9))
def test_the_order_of_the_phones_turns_the_sign_and_nothing_else(counts: np.ndarray, seed: int) -> None:
    weights = resampling(8, None, resamples=30, seed=seed)
    one, other = (
        asymmetry(stack_of(counts, "ab"), weights),
        asymmetry(stack_of(counts[:, ::-1, ::-1], "ba"), weights),
    )
    assert one["difference"].tolist() == pytest.approx((-other["difference"]).tolist(), nan_ok=True)
    assert one["p"].tolist() == pytest.approx(other["p"].tolist(), nan_ok=True)
    assert one["low"].tolist() == pytest.approx((-other["high"]).tolist(), nan_ok=True)


def test_twice_as_many_confusions_of_a_phone_twice_as_frequent_are_symmetry() -> None:
    counts = spread([[360, 40, 0], [20, 180, 0], [0, 0, 9]], 60, seed=1)
    (row,) = asymmetry(stack_of(counts, PHONES), resampling(60, None, resamples=400, seed=2)).to_dict("records")
    assert row["difference"] == 0
    assert row["p"] == 1
    assert 2 * binom.sf(39, 60, 0.5) < 0.02  # the counts alone differ


def test_a_clear_asymmetry_has_a_low_p_and_small_counts_have_the_exact_one() -> None:
    counts = spread([[150, 50, 0], [5, 195, 0], [0, 0, 9]], 50, seed=3)
    clear = asymmetry(stack_of(counts, PHONES), resampling(50, None, resamples=400, seed=2)).loc[0]
    assert clear["p"] < 1e-6
    assert clear["low"] < 0.225 < clear["high"]
    assert clear["q"] == clear["p"]
    few = spread([[90, 10, 0], [0, 100, 0], [0, 0, 9]], 50, seed=3)
    rare = asymmetry(stack_of(few, PHONES), resampling(50, None, resamples=400, seed=2)).loc[0]
    assert rare["p"] >= 2 * 0.5**10 - 1e-12


def test_what_one_utterance_says_over_and_over_is_no_proof() -> None:
    counts = np.tile(np.array([[20, 0], [0, 20]]), (12, 1, 1))
    counts[0, 0] = [5, 15]
    row = asymmetry(stack_of(counts, "ab"), resampling(12, None, resamples=400, seed=2)).loc[0]
    assert 2 * 0.5**15 < 1e-4  # the exact test, which takes the fifteen for independent
    assert row["p"] > 0.2


@pytest.mark.slow
def test_equal_rates_that_vary_between_speakers_are_seldom_called_different() -> None:
    """Each of 20 speakers has a rate of its own for each direction, of the same distribution."""
    generator = np.random.default_rng(4)
    found = []
    for trial in range(150):
        rates = generator.beta(0.5, 4.5, (20, 2))
        wrong = generator.binomial([60, 30], rates)
        counts = np.array([[[60 - a, a], [b, 30 - b]] for a, b in wrong])
        found.append(asymmetry(stack_of(counts, "ab"), resampling(20, None, resamples=200, seed=trial))["p"].iloc[0])
    assert np.mean(np.array(found) < 0.05) < 0.10


@pytest.mark.parametrize(
    ("utterances", "resamples", "why"), [(1, 20, "fewer than 5 effective utt"), (6, 0, "no resamples")]
)
def test_a_missing_p_has_its_reason(utterances: int, resamples: int, why: str) -> None:
    counts = spread([[90, 10, 0], [9, 100, 0], [0, 0, 9]], utterances, seed=3)
    row = asymmetry(stack_of(counts, PHONES), resampling(utterances, None, resamples=resamples, seed=2)).loc[0]
    assert np.isnan(row["p"])
    assert why in row["note"]
