"""Sums over clusters and replicates, against drawing the utterances one by one."""

import numpy as np
import pytest

from phonxling.resample.sums import cluster_sums, replicate_group_sums, replicate_sums
from phonxling.resample.weights import resampling


def by_hand(values: np.ndarray, owner: np.ndarray, speakers: list[str], weights: np.ndarray) -> np.ndarray:
    names = sorted(set(speakers))
    total = np.zeros(values.shape[1])
    for value, utterance in zip(values, owner, strict=True):
        total += weights[names.index(speakers[utterance])] * value
    return total


@pytest.fixture
def tokens() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(40, 3)), rng.integers(0, 5, 40)  # in no order of utterances


SPEAKERS = ["b", "a", "b", "c", "a"]


def test_replicates_are_weighted_sums_of_their_clusters(tokens: tuple[np.ndarray, np.ndarray]) -> None:
    values, owner = tokens
    drawn = resampling(5, SPEAKERS, resamples=200, seed=3)
    found = replicate_sums(cluster_sums(values, owner, drawn), drawn)
    assert found.shape == (200, 3)
    for row, weights in zip(found, drawn.weights, strict=True):
        assert row.tolist() == pytest.approx(by_hand(values, owner, SPEAKERS, weights).tolist(), abs=1e-9)


def test_groups_are_summed_apart(tokens: tuple[np.ndarray, np.ndarray]) -> None:
    values, owner = tokens
    group = np.arange(40) % 4
    drawn = resampling(5, SPEAKERS, resamples=150, seed=3)
    found = replicate_group_sums(values[:, 0], group, 6, owner, drawn)
    assert found.shape == (150, 6)
    assert (found[:, 4:] == 0).all()
    for place in range(4):
        own = replicate_sums(cluster_sums(values[group == place], owner[group == place], drawn), drawn)
        assert found[:, place].tolist() == pytest.approx(own[:, 0].tolist(), abs=1e-9)


def test_without_replicates_there_are_none(tokens: tuple[np.ndarray, np.ndarray]) -> None:
    values, owner = tokens
    drawn = resampling(5, None, resamples=0, seed=3)
    assert replicate_sums(cluster_sums(values, owner, drawn), drawn).shape == (0, 3)
    assert replicate_group_sums(values[:, 0], owner, 5, owner, drawn).shape == (0, 5)
