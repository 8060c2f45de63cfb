from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from phonxling.analyses.association import _permuted
from phonxling.core.arrays import Codes

Generator = np.random.Generator


def _one_by_one(codes: NDArray[np.generic], groups: list[Codes], generator: Generator) -> list[object]:
    """Fisher & Yates' permutation of each group, value by value: draws come in as many as are left to place."""
    labels = codes.tolist()
    for places in groups:
        left = len(places) - 1
        while left > 0:
            for draw in generator.integers(0, 1 << 32, size=left, dtype=np.uint32).tolist():
                other = draw % (1 << left.bit_length())
                if 0 < left >= other:
                    one, two = places[left], places[other]
                    labels[one], labels[two], left = labels[two], labels[one], left - 1
    return labels


@pytest.mark.parametrize("number", [1, 2, 3, 40, 1000])
@pytest.mark.parametrize("speakers", [1, 3, 40])
def test_labels_are_permuted_within_groups_draw_by_draw(number: int, speakers: int) -> None:
    random = np.random.default_rng(number)
    codes, speaker = random.integers(0, 30, number).astype(np.uint8), random.integers(0, speakers, number)
    groups = [np.flatnonzero(speaker == one) for one in np.unique(speaker)]
    ours, other = np.random.default_rng(7), np.random.default_rng(7)
    order, starts = np.concatenate(groups), np.cumsum([0, *map(len, groups)])
    for labels in islice(_permuted(codes, order, starts, ours), 3):
        assert labels.tolist() == _one_by_one(codes, groups, other)


def test_one_group_is_permuted_as_numpy_does() -> None:
    codes = np.random.default_rng(1).integers(0, 30, 500)
    labels = next(_permuted(codes, slice(None), np.array([0, 500]), np.random.default_rng(2)))
    assert labels.tolist() == np.random.default_rng(2).permutation(codes).tolist()
