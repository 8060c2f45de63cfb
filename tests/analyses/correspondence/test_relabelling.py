"""PER after relabelling: names by counting in plain Python, and a recogniser whose only fault is its names."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from rapidfuzz.distance import Levenshtein
from running import all_numbers
from scipy.optimize import linear_sum_assignment
from support import tables_of_rows

from phonxling.analyses.correspondence import many_names, single_names

GOLD = ["p", "b", "t", "a", "i", "u"]
cells = st.lists(st.integers(0, 6), min_size=12, max_size=12)


@given(cells)
def test_names_by_counting(numbers: list[int]) -> None:
    counts = np.zeros((4, 5))
    counts[:3, :4] = np.reshape(numbers, (3, 4))
    counts[3, :4] = counts[:3, 4] = 9  # insertions and deletions name nothing
    for x, name in enumerate(many_names(counts)):
        column = counts[:3, x].tolist()
        assert name == (column.index(max(column)) if max(column) else -1)
    names = single_names(counts)
    pairs = [(y, x) for x, y in enumerate(names) if y >= 0]
    assert len({y for y, _ in pairs}) == len(pairs)
    best = counts[:3, :4][linear_sum_assignment(counts[:3, :4], maximize=True)].sum()
    assert sum(counts[y, x] for y, x in pairs) == best
    assert all(counts[y, x] > 0 for y, x in pairs)


def rates_of(
    folder: Path, heard: dict[str, str], noise: float
) -> tuple[pd.DataFrame, list[list[str]], list[list[str]]]:
    generator = np.random.default_rng(11)
    gold = [[str(phone) for phone in generator.choice(GOLD, 7)] for _ in range(40)]
    predicted = [
        [heard[str(generator.choice(GOLD)) if generator.random() < noise else phone] for phone in line] for line in gold
    ]
    tables = tables_of_rows(folder, gold, predicted, "alignment.costs=learned", "uncertainty.resamples=50")
    return all_numbers(tables).set_index(["measure", "variant"]), gold, predicted


def test_a_recogniser_with_other_names_makes_no_errors_once_it_is_relabelled(tmp_path: Path) -> None:
    turned = dict(zip(GOLD, [*GOLD[1:], GOLD[0]], strict=True))
    rows, _, _ = rates_of(tmp_path, turned, 0.0)
    assert rows.loc[("per", ""), "value"] > 0.5
    for kind in ("many-to-one", "one-to-one"):
        assert rows.loc[("per_relabelled", kind), "value"] == 0


def test_noise_remains_and_one_of_two_phones_that_share_a_name(tmp_path: Path) -> None:
    """b and p are both said to be p: the oracle names by the truth, which the halves find."""
    merged = {phone: phone for phone in GOLD} | {"a": "i", "i": "a", "b": "p"}
    rows, gold, predicted = rates_of(tmp_path, merged, 0.1)
    counts = Counter(phone for line in gold for phone in line)
    most = max("bp", key=lambda phone: counts[phone])
    truth = {"i": "a", "a": "i", "p": most, "t": "t", "u": "u"}
    wanted = sum(Levenshtein.distance(g, [truth[x] for x in p]) for g, p in zip(gold, predicted, strict=True)) / 280
    assert rows.loc[("per_relabelled", "many-to-one"), "value"] == pytest.approx(wanted)
    assert rows.loc[("per_relabelled", "one-to-one"), "value"] == pytest.approx(wanted)
    assert 0.15 < wanted < rows.loc[("per", ""), "value"]
    assert "other half" in rows.loc[("per_relabelled", "one-to-one"), "note"]
