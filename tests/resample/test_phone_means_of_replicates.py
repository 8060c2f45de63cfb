"""Phone means of replicates against tokens that are copied as often as they are drawn."""

import numpy as np
import pytest

from phonxling.resample.token_means import replicate_means
from phonxling.resample.weights import resampling


@pytest.mark.parametrize("speakers", [None, ["a", "b", "a", "c", "b", "c", "a"]])
def test_replicates_are_means_of_copied_tokens(speakers: list[str] | None) -> None:
    generator = np.random.default_rng(1)
    rows, codes = generator.dirichlet(np.ones(4), 60), generator.integers(0, 5, 60)
    utterances = np.sort(generator.integers(0, 7, 60))
    drawn = resampling(7, speakers, resamples=30, seed=3)
    found = replicate_means(rows, codes, 6, utterances, drawn)
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


def test_without_replicates_there_are_none() -> None:
    assert replicate_means(
        np.eye(2), np.array([0, 1]), 2, np.array([0, 0]), resampling(1, None, resamples=0, seed=1)
    ).shape == (
        0,
        2,
        2,
    )
