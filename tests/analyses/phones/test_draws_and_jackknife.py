"""All measures over replicates and without each cluster, against a loop over matrices and the same weights."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau

from phonxling.analyses.entropy import (
    Gaps,
    Given,
    conditional_entropy,
    confusion_entropy,
    confusion_information,
    marginal_entropy,
    uncertainty_coefficient,
)
from phonxling.analyses.phones import phone_draws
from phonxling.analyses.statistic import CountSettings, draws, values
from phonxling.analyses.statistics import STATISTICS
from phonxling.core.arrays import Floats, offsets_of
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.resample.entropies import cluster_cells, entropy_sums, information, jackknife, jackknifed_rows
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.replicates import left_out_values

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("a", "x", "b", "y"))
COSTS = CostTable(
    gold=GOLD,
    predicted=HEARD,
    substitution=[[0, 3, 1, 3], [2, 5, 0, 4], [1, 1, 2, 6]],
    deletion=[7, 8, 9],
    insertion=[6, 9, 10, 6],
    denominator=10,
    name="test",
)
SAME = np.array([[True, False, False, False], [False, False, True, False], [False] * 4])
PRICES = COSTS.with_gaps()[:-1, :-1]


@st.composite
def stacks(draw: st.DrawFn, whole: bool = True) -> ConfusionStack:
    rows = draw(st.lists(st.dictionaries(st.integers(0, 18), st.integers(1, 9), max_size=6), min_size=2, max_size=9))
    return ConfusionStack(
        utterances=tuple(f"u{number}" for number in range(len(rows))),
        gold=GOLD,
        predicted=HEARD,
        offsets=offsets_of([len(row) for row in rows]),
        cells=np.array([cell for row in rows for cell in sorted(row)], dtype=np.int64),
        counts=np.array([row[cell] if whole else row[cell] / 4 for row in rows for cell in sorted(row)]),
    )


def weights_of(stack: ConfusionStack, by_speaker: bool, replicates: int = 12) -> Resampling:
    speakers = [f"s{number % 4}" for number in range(len(stack))] if by_speaker else None
    return resampling(len(stack), speakers, resamples=replicates, seed=3)


def replicate(stack: ConfusionStack, drawn: Resampling, number: int) -> ConfusionMatrix:
    return stack.total(drawn.weights[number, drawn.clusters].astype(float))


def settings_of(stack: ConfusionStack, gaps: Gaps) -> CountSettings:
    return CountSettings(np.zeros(len(stack), np.int8), gaps == "include", COSTS)


def by_hand(matrix: ConfusionMatrix, estimator: str, gaps: Gaps) -> dict[str, float]:
    found = {
        "conditional_entropy": conditional_entropy(matrix, estimator, "gold", gaps),
        "conditional_entropy_given_predicted": conditional_entropy(matrix, estimator, "predicted", gaps),
        "entropy_gold": marginal_entropy(matrix, "gold", estimator, gaps),
        "entropy_predicted": marginal_entropy(matrix, "predicted", estimator, gaps),
        "mutual_information": confusion_information(matrix, estimator, gaps),
    }
    if estimator == "ml":
        found["uncertainty_coefficient_gold"] = uncertainty_coefficient(matrix, "gold", gaps)
    return found


@given(stacks(), st.sampled_from(["exclude", "include"]))
def test_sums_give_the_entropies_of_one_matrix(stack: ConfusionStack, gaps: Gaps) -> None:
    matrix = stack.total()
    pairs = matrix.counts if gaps == "include" else matrix.substitutions
    for estimator in ("ml", "miller-madow"):
        found = information(entropy_sums(pairs, corrected=estimator == "miller-madow"))
        for name, value in by_hand(matrix, estimator, gaps).items():
            assert float(found[name]) == pytest.approx(value, abs=1e-9, nan_ok=True)


@settings(max_examples=30)
@given(stacks(), st.booleans(), st.sampled_from(["exclude", "include"]))
def test_draws_are_the_measures_of_each_replicate(stack: ConfusionStack, by_speaker: bool, gaps: Gaps) -> None:
    drawn = weights_of(stack, by_speaker)
    of_corpus = draws(STATISTICS, stack, drawn, settings_of(stack, gaps))
    of_phones = phone_draws(stack, drawn, settings_of(stack, gaps), PRICES)
    for number in range(drawn.replicates):
        matrix = replicate(stack, drawn, number)
        for name, value in by_hand(matrix, "miller-madow", gaps).items():
            assert of_corpus[name][number] == pytest.approx(value, abs=1e-9, nan_ok=True)
        shared, whole = (of_corpus[name][number] for name in ("mutual_information", "entropy_gold"))
        part = shared / whole if whole > 1e-9 else math.nan
        assert of_corpus["uncertainty_coefficient gold"][number] == pytest.approx(part, nan_ok=True)
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
        others = ~SAME[phone]
        tau = kendalltau(row[others], -COSTS.substitution[phone][others]).statistic if row.sum() else math.nan
        assert found["gold"]["tau"][phone, number] == pytest.approx(tau, abs=1e-12, nan_ok=True)
    precise = matrix.substitutions[[0, 1], [0, 2]] / np.maximum(matrix.predicted_tokens[[0, 2]], 1)
    heard = matrix.predicted_tokens[[0, 2]] > 0
    accuracy = found["predicted"]["accuracy"][[0, 2], number]
    assert accuracy == pytest.approx(np.where(heard, precise, np.nan), nan_ok=True)
    for side, drawn in found.items():
        bits = confusion_entropy(matrix, "miller-madow", side, gaps).to_numpy()
        assert drawn["entropy"][:, number] == pytest.approx(bits[: len(drawn["entropy"])], abs=1e-9, nan_ok=True)


@given(stacks(), st.booleans(), st.booleans())
def test_the_jackknife_leaves_out_each_cluster(stack: ConfusionStack, by_speaker: bool, with_gaps: bool) -> None:
    drawn, gaps = weights_of(stack, by_speaker), ("include" if with_gaps else "exclude")
    parts = cluster_cells(stack, drawn, gaps=with_gaps)
    found = values(STATISTICS, stack, CountSettings(np.zeros(len(stack), np.int8), with_gaps), parts)
    number = drawn.number
    for name, whole in by_hand(stack.total(), "miller-madow", gaps).items():
        without = left_out_values(
            stack, drawn, lambda c, name=name: by_hand(ConfusionMatrix(GOLD, HEARD, c), "miller-madow", gaps)[name]
        )
        assert parts.left_out[name] == pytest.approx(without, abs=1e-9, nan_ok=True)
        wanted = number * whole - (number - 1) * without.mean()
        wanted = whole if math.isnan(wanted) or number < 2 else wanted  # one cluster alone has tokens
        assert found[name] == pytest.approx(wanted, abs=1e-8, nan_ok=True)


@given(stacks(), st.booleans())
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
        if has.sum() < 2:
            assert found.value[phone] == pytest.approx(whole[phone], nan_ok=True)
            assert math.isnan(found.error[phone])
        else:
            number = has.sum()
            wanted = number * whole[phone] - (number - 1) * entropies.mean()
            assert found.value[phone] == pytest.approx(wanted, abs=1e-8, nan_ok=True)


@given(stacks(whole=False))
def test_fractional_counts_jackknife_the_plug_in(stack: ConfusionStack) -> None:
    drawn = weights_of(stack, by_speaker=False)
    if (stack.counts == np.round(stack.counts)).all():
        return
    found = values(STATISTICS, stack, CountSettings(np.zeros(len(stack), np.int8)), cluster_cells(stack, drawn))
    without = left_out_values(stack, drawn, lambda c: conditional_entropy(ConfusionMatrix(GOLD, HEARD, c)))
    plain = conditional_entropy(stack.total())
    wanted = jackknife(plain, without)
    wanted = plain if math.isnan(wanted) else wanted
    assert found["conditional_entropy"] == pytest.approx(wanted, abs=1e-8, nan_ok=True)


def test_no_replicates_give_empty_draws() -> None:
    stack = ConfusionStack(
        utterances=("u",),
        gold=GOLD,
        predicted=HEARD,
        offsets=np.array([0, 1]),
        cells=np.array([0]),
        counts=np.array([2.0]),
    )
    none, counting = resampling(1, None, resamples=0, seed=1), settings_of(stack, "exclude")
    found = phone_draws(stack, none, counting, PRICES)
    assert draws(STATISTICS, stack, none, counting)["correspondence_tau"].shape == (0,)
    assert found["gold"]["entropy"].shape == found["gold"]["tau"].shape == (3, 0)
    assert found["predicted"]["accuracy"].shape == (4, 0)
