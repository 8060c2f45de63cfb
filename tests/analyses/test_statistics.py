"""Statistics of counts, of the corpus, its replicates and without each cluster, against a loop over matrices."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import stack_of_cells

from phonxling.analyses.entropy import (
    Gaps,
    Given,
    conditional_entropy,
    confusion_entropy,
    confusion_information,
    marginal_entropy,
)
from phonxling.analyses.phones import phone_draws
from phonxling.analyses.statistics import STATISTICS, CountSettings, Statistic, draws, values
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.resample.entropies import cluster_cells, jackknifed_rows
from phonxling.resample.estimators import entropy
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.replicates import Halving, left_out_values

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("a", "x", "b", "y"))
SAME = np.array([[True, False, False, False], [False, False, True, False], [False] * 4])
PRICES = np.array([[0, 3, 1, 3], [2, 5, 0, 4], [1, 1, 2, 6]]) / 10
GAPS = st.sampled_from(["exclude", "include"])


stack_of = partial(stack_of_cells, gold=GOLD, predicted=HEARD)
cells = st.dictionaries(st.integers(0, 18), st.integers(1, 9), max_size=6)
stacks = st.lists(cells, min_size=2, max_size=9).map(stack_of)
TWO = stack_of([{2: 3}, {1: 2, 2: 1}])  # u hears a as b; v as x, and once as b


def weights_of(stack: ConfusionStack, by_speaker: bool, replicates: int = 12) -> Resampling:
    speakers = [f"s{number % 4}" for number in range(len(stack))] if by_speaker else None
    return resampling(len(stack), speakers, resamples=replicates, seed=3)


def settings_of(stack: ConfusionStack, gaps: Gaps) -> CountSettings:
    return CountSettings(np.zeros(len(stack), np.int8), gaps == "include")


def by_hand(matrix: ConfusionMatrix, gaps: Gaps) -> dict[str, float]:
    found = {
        "conditional_entropy": conditional_entropy(matrix, "miller-madow", "gold", gaps),
        "conditional_entropy_given_predicted": conditional_entropy(matrix, "miller-madow", "predicted", gaps),
        "entropy_gold": marginal_entropy(matrix, "gold", "miller-madow", gaps),
        "entropy_predicted": marginal_entropy(matrix, "predicted", "miller-madow", gaps),
        "mutual_information": confusion_information(matrix, "miller-madow", gaps),
        "entropy_gold deleted": entropy(matrix.deletions, "miller-madow"),
        "entropy_predicted inserted": entropy(matrix.insertions, "miller-madow"),
    }
    shared, whole = found["mutual_information"], found["entropy_gold"]
    return {**found, "uncertainty_coefficient gold": shared / whole if whole > 1e-9 else math.nan}


@given(stacks, st.booleans(), GAPS)
def test_draws_are_the_measures_of_each_replicate(stack: ConfusionStack, by_speaker: bool, gaps: Gaps) -> None:
    drawn = weights_of(stack, by_speaker)
    of_corpus = draws(STATISTICS, stack, drawn, settings_of(stack, gaps))
    of_phones = phone_draws(stack, drawn, settings_of(stack, gaps), PRICES)
    for number in range(drawn.replicates):
        matrix = stack.total(drawn.weights[number, drawn.clusters].astype(float))
        for name, value in by_hand(matrix, gaps).items():
            assert of_corpus[name][number] == pytest.approx(value, abs=1e-9, nan_ok=True)
        check_phones(of_phones, matrix, number, gaps)


def check_phones(found: dict[Given, dict[str, Floats]], matrix: ConfusionMatrix, number: int, gaps: Gaps) -> None:
    for phone in range(3):
        tokens, row = matrix.tokens[phone], matrix.substitutions[phone]
        wrong = np.where(SAME[phone], 0, row)
        shares = {
            "accuracy": (row[SAME[phone]].sum(), tokens),
            "deletion_rate": (matrix.deletions[phone], tokens),
            "mean_substitution_cost": (wrong @ PRICES[phone], wrong.sum()),
        }
        for name, (part, whole) in shares.items():
            assert found["gold"][name][phone, number] == pytest.approx(part / whole if whole else math.nan, nan_ok=True)
    precise = matrix.substitutions[[0, 1], [0, 2]] / np.maximum(matrix.predicted_tokens[[0, 2]], 1)
    heard = matrix.predicted_tokens[[0, 2]] > 0
    accuracy = found["predicted"]["accuracy"][[0, 2], number]
    assert accuracy == pytest.approx(np.where(heard, precise, np.nan), nan_ok=True)
    for side, drawn in found.items():
        bits = confusion_entropy(matrix, "miller-madow", side, gaps).to_numpy()
        assert drawn["entropy"][:, number] == pytest.approx(bits[: len(drawn["entropy"])], abs=1e-9, nan_ok=True)


@given(stacks, st.booleans(), GAPS)
def test_values_are_measures_jackknifed_over_clusters(stack: ConfusionStack, by_speaker: bool, gaps: Gaps) -> None:
    drawn = weights_of(stack, by_speaker)
    parts = cluster_cells(stack, drawn, gaps=gaps == "include")
    found = values(STATISTICS, stack, settings_of(stack, gaps), parts)
    assert tuple(found) == tuple(one.key for one in STATISTICS)
    assert math.isnan(found["one_to_one_accuracy"])  # without halves nothing is cross-fitted
    for name, whole in by_hand(stack.total(), gaps).items():
        without = left_out_values(
            stack, drawn, lambda c, name=name: by_hand(ConfusionMatrix(GOLD, HEARD, c), gaps)[name]
        )
        (own,) = (one for one in STATISTICS if one.key == name)
        assert own.left_out is not None
        assert own.left_out(parts) == pytest.approx(without, abs=1e-9, nan_ok=True)
        wanted = drawn.number * whole - (drawn.number - 1) * without.mean()
        wanted = whole if math.isnan(wanted) or drawn.number < 2 else wanted  # one cluster alone has tokens
        assert found[name] == pytest.approx(wanted, abs=1e-8, nan_ok=True)


@given(stacks, st.booleans())
def test_the_jackknife_of_a_phone_is_over_the_clusters_that_have_it(stack: ConfusionStack, by_speaker: bool) -> None:
    drawn = weights_of(stack, by_speaker)
    found = jackknifed_rows(cluster_cells(stack, drawn))
    whole = confusion_entropy(stack.total(), "miller-madow").to_numpy()
    for phone in range(3):
        per_cluster = left_out_values(stack, drawn, lambda c, y=phone: c[y, :-1].sum())
        has = per_cluster < stack.total().substitutions[phone].sum()
        entropies = left_out_values(
            stack, drawn, lambda c, y=phone: confusion_entropy(ConfusionMatrix(GOLD, HEARD, c), "miller-madow").iloc[y]
        )[has]
        tokens = stack.total().substitutions[phone].sum() - per_cluster[has]
        assert found.clusters[phone] == pytest.approx(tokens.sum() ** 2 / max((tokens**2).sum(), 1))
        number, wanted = has.sum(), whole[phone]
        if number >= 2:
            wanted = number * whole[phone] - (number - 1) * entropies.mean()
        assert found.value[phone] == pytest.approx(wanted, abs=1e-8, nan_ok=True)
        assert number >= 2 or math.isnan(found.error[phone])


def test_replicates_are_scored_by_assignments_of_the_other_half_of_the_same_replicate() -> None:
    """What is drawn of v, the other half, decides what is matched."""
    drawn = resampling(2, None, resamples=40, seed=1)
    halving = Halving(np.array([0, 1]), np.array([3, 3]))
    found = draws(STATISTICS, TWO, drawn, CountSettings(np.array([0, 1], np.int8), halving=halving))
    for (first, second), value in zip(drawn.weights.tolist(), found["one_to_one_accuracy"], strict=True):
        # both drawn: none of u is matched by the assignment of v, and 1 of v's 3 by that of u; else there is one half
        assert value == pytest.approx(1 / 6) if first and second else np.isnan(value)


def test_where_inventories_are_large_the_first_draws_alone_are_made() -> None:
    tokens = Statistic(name="correct", of=lambda counts: counts.attested.sum(axis=0))
    few = replace(tokens, most_draws=lambda gold, predicted: gold * predicted)
    drawn, counting = resampling(2, None, resamples=200, seed=1), settings_of(TWO, "exclude")
    every, first = (draws([one], TWO, drawn, counting)["correct"] for one in (tokens, few))
    made = len(GOLD) * len(HEARD)
    assert first[:made].tolist() == every[:made].tolist()
    assert np.isnan(first[made:]).all()
    share = draws([few], TWO, drawn.share(3, 4), counting)["correct"]  # draws 3, 7, 11, …
    assert share[: len(range(3, made, 4))].tolist() == every[3:made:4].tolist()
    assert np.isnan(share[len(range(3, made, 4)) :]).all()


@given(st.integers(1, 30), st.integers(1, 9), st.integers(0, 5))
def test_shares_of_the_replicates_are_the_same_replicates(replicates: int, of: int, seed: int) -> None:
    whole = resampling(7, None, resamples=replicates, seed=seed)
    drawn = [whole.share(part, of) for part in range(of)]
    assert sum(share.replicates for share in drawn) == replicates
    for part, share in enumerate(drawn):
        assert share.weights.tolist() == whole.weights[part::of].tolist()


def test_no_replicates_give_empty_draws() -> None:
    none, counting = resampling(2, None, resamples=0, seed=1), settings_of(TWO, "exclude")
    found = phone_draws(TWO, none, counting, PRICES)
    assert draws(STATISTICS, TWO, none, counting)["mutual_information"].shape == (0,)
    assert found["gold"]["entropy"].shape == (3, 0)
    assert found["predicted"]["accuracy"].shape == (4, 0)
