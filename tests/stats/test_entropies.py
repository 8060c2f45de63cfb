"""Entropies and information of many tables at once, against formulas over single ones."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from phonxling.core.estimate import Estimate
from phonxling.stats.estimators import (
    cell_information,
    entropy,
    few_per_cell,
    in_phones,
    largest_information,
    table_information,
)

tables = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 4))
)


@given(tables, st.booleans())
def test_information_of_many_tables_is_that_of_each(counts: np.ndarray, corrected: bool) -> None:
    estimator, found = "miller-madow" if corrected else "ml", table_information(counts, corrected=corrected)
    most = largest_information(counts.shape[:2])
    for place in range(counts.shape[2]):
        own = counts[..., place]
        gold, predicted, joint = (entropy(side, estimator) for side in (own.sum(axis=1), own.sum(axis=0), own))
        wanted = {
            "conditional_entropy": joint - gold,
            "conditional_entropy_given_predicted": joint - predicted,
            "entropy_gold": gold,
            "entropy_predicted": predicted,
            "mutual_information": gold + predicted - joint,
        }
        for name, value in wanted.items():
            assert found[name][place] == pytest.approx(value, abs=1e-9, nan_ok=True)
            assert corrected or not found[name][place] > most[name] + 1e-9


@given(tables)
def test_attested_cells_give_what_whole_tables_do(counts: np.ndarray) -> None:
    rows, columns = np.nonzero(counts.any(axis=2))
    sparse = cell_information(rows, columns, counts[rows, columns], counts.shape[:2])
    for name, values in table_information(counts, corrected=True).items():
        assert sparse[name] == pytest.approx(values, abs=1e-9, nan_ok=True)


def test_perplexities_and_the_warning_of_few_tokens() -> None:
    assert in_phones(Estimate(3.0, 1.0, 4.0, 0.95)) == Estimate(8.0, 2.0, 16.0, 0.95)
    assert math.isnan(in_phones(Estimate(2000.0)).value)
    assert [few_per_cell(np.array([[count, 0.0], [0.0, count]])) for count in (3.0, 4.0)] == [True, False]
    assert not few_per_cell(np.zeros((2, 2)))
