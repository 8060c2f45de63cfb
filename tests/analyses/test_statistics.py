"""Statistics of counts, of the corpus and without each cluster, against a loop over matrices."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import stack_of_cells

from phonxling.analyses import statistics
from phonxling.analyses.phones import phone_sums
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.stats.estimators import largest_information
from phonxling.stats.jackknife import Clusters, clusters_of

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("a", "x", "b", "y"))
SAME = np.array([[True, False, False, False], [False, False, True, False], [False] * 4])
SIDES: tuple[statistics.GivenSide, statistics.GivenSide] = ("gold", "predicted")
GAPS = st.sampled_from(["exclude", "include"])


stack_of = partial(stack_of_cells, gold=GOLD, predicted=HEARD)
cells = st.dictionaries(st.integers(0, 18), st.integers(1, 9), max_size=6)
stacks = st.lists(cells, min_size=2, max_size=9).map(stack_of)


def clusters_for(stack: ConfusionStack, by_speaker: bool) -> Clusters:
    speakers = [f"s{number % 4}" for number in range(len(stack))]
    return clusters_of(np.ones(len(stack)), speakers, cluster="speaker" if by_speaker else "utterance")


def without_each(stack: ConfusionStack, clusters: Clusters) -> list[ConfusionMatrix]:
    return [stack.total((clusters.group != one).astype(float)) for one in range(len(clusters.sizes))]


def settings_of(stack: ConfusionStack, gaps: statistics.Gaps) -> statistics.CountSettings:
    return statistics.CountSettings(np.zeros(len(stack), np.int8), gaps == "include")


def by_hand(matrix: ConfusionMatrix, gaps: statistics.Gaps) -> dict[str, float]:
    return {
        "conditional_entropy": statistics.conditional_entropy(matrix, "miller-madow", "gold", gaps),
        "conditional_entropy_given_predicted": statistics.conditional_entropy(
            matrix, "miller-madow", "predicted", gaps
        ),
        "entropy_gold": statistics.marginal_entropy(matrix, "gold", "miller-madow", gaps),
        "entropy_predicted": statistics.marginal_entropy(matrix, "predicted", "miller-madow", gaps),
        "mutual_information": statistics.confusion_information(matrix, "miller-madow", gaps),
    }


@given(stacks, st.booleans(), GAPS)
def test_values_and_those_without_each_cluster(stack: ConfusionStack, by_speaker: bool, gaps: statistics.Gaps) -> None:
    clusters = clusters_for(stack, by_speaker)
    found, left = (
        statistics.measure_statistics(statistics.STATISTICS, stack, clusters, settings_of(stack, gaps)),
        without_each(stack, clusters),
    )
    assert tuple(found) == tuple(one.name for one in statistics.STATISTICS)
    assert math.isnan(found["one_to_one_accuracy"].value)  # without halves nothing is cross-fitted
    each = [by_hand(matrix, gaps) for matrix in left]
    for name, whole in by_hand(stack.total(), gaps).items():
        without = [one[name] for one in each]
        assert found[name].value == pytest.approx(whole, abs=1e-9, nan_ok=True)
        assert found[name].left_out == pytest.approx(without, abs=1e-9, nan_ok=True)
        (own,) = (one for one in statistics.STATISTICS if one.name == name)
        wanted = len(left) * whole - (len(left) - 1) * np.mean(without)
        wanted = whole if math.isnan(wanted) else wanted  # one cluster alone has tokens
        wanted = min(max(wanted, 0.0), largest_information((3, 4))[name]) if not math.isnan(wanted) else wanted
        value = own.estimate(found[name], clusters, (3, 4), None).value
        assert value == pytest.approx(wanted, abs=1e-8, nan_ok=True)


def check_phones(found: np.ndarray, matrix: ConfusionMatrix, side: statistics.GivenSide, gaps: statistics.Gaps) -> None:
    same, tokens = (SAME, matrix.tokens) if side == "gold" else (SAME.T, matrix.predicted_tokens)
    pairs = matrix.substitutions if side == "gold" else matrix.substitutions.T
    symbols = matrix.counts if gaps == "include" else matrix.substitutions
    answers = (symbols if side == "gold" else symbols.T).sum(axis=1)[: len(same)]
    bits = statistics.confusion_entropy(matrix, "miller-madow", side, gaps).to_numpy()[: len(same)]
    wanted = [tokens, [row[own].sum() for row, own in zip(pairs, same, strict=True)], answers]
    assert found[:3] == pytest.approx(np.array(wanted))
    assert found[3] == pytest.approx(bits, abs=1e-9, nan_ok=True)


@given(stacks, st.booleans(), GAPS, st.integers(1, 99))
def test_sums_of_phones_whatever_number_of_tables_is_made_at_a_time(
    stack: ConfusionStack, by_speaker: bool, gaps: statistics.Gaps, most: int
) -> None:
    clusters, settings = clusters_for(stack, by_speaker), settings_of(stack, gaps)
    parts = list(statistics.left_out_counts(stack, clusters, settings, most))
    assert sum(part.halves.shape[2] for part in parts) == len(clusters.sizes)
    for side in SIDES:
        left = np.concatenate([phone_sums(part, side) for part in parts], axis=2)
        check_phones(phone_sums(statistics.whole_counts(stack, settings), side)[..., 0], stack.total(), side, gaps)
        for place, matrix in enumerate(without_each(stack, clusters)):
            check_phones(left[..., place], matrix, side, gaps)


def test_halves_stay_as_they_are_while_clusters_are_left_out() -> None:
    """u and v are one half, w and x the other; a is answered by b in u alone, and matched by what the others say."""
    stack = stack_of([{2: 3}, {0: 2}, {0: 4}, {0: 1}])
    clusters = clusters_of(np.ones(4), cluster="utterance")
    found = statistics.measure_statistics(
        [statistics.ONE_TO_ONE], stack, clusters, statistics.CountSettings(np.array([0, 0, 1, 1], np.int8))
    )
    value, left_out = found["one_to_one_accuracy"]
    # (first half) 3 b and 2 a: assigned b; the second has a alone, assigned a: 0 of 5 and 2 of 5 are matched
    assert value == pytest.approx(2 / 10)
    assert left_out == pytest.approx([7 / 7, 0 / 8, 2 / 6, 2 / 9])
