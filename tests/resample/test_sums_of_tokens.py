"""Sums over clusters and replicates, against drawing the utterances one by one."""

import numpy as np
import pytest

from phonxling.resample import replicates as sums
from phonxling.resample.replicates import (
    cluster_sums,
    left_out_group_sums,
    replicate_group_sums,
    replicate_means,
    replicate_sums,
)
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


@pytest.mark.parametrize("dense", [0, 4, 100])
@pytest.mark.parametrize("together", [1, 20, 1000])
def test_groups_are_summed_apart(
    tokens: tuple[np.ndarray, np.ndarray], dense: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "_DENSE", dense)
    monkeypatch.setattr("phonxling.count.confusions._TOGETHER", together)
    values, owner = tokens
    group = np.arange(40) % 4
    drawn = resampling(5, SPEAKERS, resamples=150, seed=3)
    found = replicate_group_sums(values, group, groups=6, owner=owner, resampling=drawn)
    assert found.shape == (150, 6, 3)
    assert (found[:, 4:] == 0).all()
    for place in range(4):
        own = replicate_sums(cluster_sums(values[group == place], owner[group == place], drawn), drawn)
        np.testing.assert_allclose(found[:, place], own, atol=1e-9)


@pytest.mark.parametrize("together", [1, 20, 1000])
@pytest.mark.parametrize("utterances", [5, 450])
def test_without_each_part_the_others_remain(together: int, utterances: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.count.confusions._TOGETHER", together)
    generator = np.random.default_rng(2)
    values, owner, group = generator.random((300, 2)), generator.integers(0, utterances, 300), np.arange(300) % 3
    counts, drawn = generator.random(300), resampling(utterances, None, resamples=2, seed=1)
    found = left_out_group_sums(values, group, groups=4, owner=owner, resampling=drawn, counts=counts)
    assert found.shape == (min(utterances, 200), 4, 2)
    for part, of_part in enumerate(found):
        for place in range(4):
            rest = (owner % len(found) != part) & (group == place)
            np.testing.assert_allclose(of_part[place], counts[rest] @ values[rest], atol=1e-12)


def test_without_replicates_there_are_none(tokens: tuple[np.ndarray, np.ndarray]) -> None:
    values, owner = tokens
    drawn = resampling(5, None, resamples=0, seed=3)
    assert replicate_sums(cluster_sums(values, owner, drawn), drawn).shape == (0, 3)
    assert replicate_group_sums(values, owner, groups=5, owner=owner, resampling=drawn).shape == (0, 5, 3)
    assert replicate_means(values, owner, groups=5, owner=owner, resampling=drawn).shape == (0, 5, 3)


@pytest.mark.parametrize("speakers", [None, ["a", "b", "a", "c", "b", "c", "a"]])
def test_means_of_replicates_are_means_of_copied_tokens(speakers: list[str] | None) -> None:
    generator = np.random.default_rng(1)
    rows, codes = generator.dirichlet(np.ones(4), 60), generator.integers(0, 5, 60)
    utterances = np.sort(generator.integers(0, 7, 60))
    drawn = resampling(7, speakers, resamples=30, seed=3)
    found = replicate_means(rows, codes, groups=6, owner=utterances, resampling=drawn)
    assert found.shape == (30, 6, 4)
    for replicate, weights in enumerate(drawn.weights):
        for phone in range(6):
            copies = [
                rows[token]
                for token in range(60)
                if codes[token] == phone
                for _ in range(weights[drawn.clusters[utterances[token]]])
            ]
            if copies:
                assert found[replicate, phone] == pytest.approx(np.mean(copies, axis=0))
            else:
                assert np.isnan(found[replicate, phone]).all()
