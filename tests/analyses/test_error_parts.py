"""Why phones are missed, and errors by class: parts that sum to all errors exactly, against plain loops."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import stack_of
from made_matrices import PHONES, cell, matrices

import phonxling as px
from phonxling.analyses.features import class_errors
from phonxling.analyses.missed import PARTS, error_parts, split_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.phones.natural_classes import NaturalClasses, natural_classes
from phonxling.resample.intervals import resampling
from phonxling.resample.replicates import over_replicates
from phonxling.resample.two_corpora import over_unpaired

SAME = {"a": "a", "b": "c", "c": "c"}


def by_loops(
    target: ConfusionMatrix, reference: ConfusionMatrix, present: set[str], same: dict[str, str], phone: str
) -> dict[str, Fraction]:
    parts = dict.fromkeys(PARTS, Fraction(0))
    if phone == "∅":
        parts["inserted"] = Fraction(sum(cell(target, "∅", x) for x in target.predicted))
        return parts
    parts["deleted"] = Fraction(cell(target, phone, "∅"))
    other = same.get(phone, "nothing")
    seen = sum(cell(reference, other, x) for x in reference.predicted)
    tokens = sum(cell(target, phone, x) for x in target.predicted)
    wrong = {x: cell(target, phone, x) for x in target.predicted if x != phone}
    if phone not in present or not seen:
        parts["absent" if phone not in present else "unattested"] += sum(wrong.values())
        return parts
    for x, count in wrong.items():
        parts["expected"] += min(Fraction(count), Fraction(tokens * cell(reference, other, x), seen))
    errors_there = sum(cell(reference, other, x) for x in reference.predicted if x != phone)
    parts["level"] = max(Fraction(0), sum(wrong.values()) - Fraction(tokens * errors_there, seen))
    parts["pattern"] = sum(wrong.values()) - parts["expected"] - parts["level"]
    assert parts["pattern"] >= 0
    return parts


@pytest.mark.parametrize("same", [None, SAME], ids=["exact", "mapped"])
@given(target=matrices(), reference=matrices(), present=st.sets(st.sampled_from(PHONES)))
def test_parts_by_plain_loops_sum_to_all_errors_exactly(
    same: dict[str, str] | None, target: ConfusionMatrix, reference: ConfusionMatrix, present: set[str]
) -> None:
    found = error_parts(target, reference, present=present, same=same)
    pairs = same or {phone: phone for phone in PHONES}
    for phone in [*target.gold, "∅"]:
        wanted = by_loops(target, reference, present, pairs, phone)
        assert found.loc[phone, list(PARTS)].to_dict() == wanted
        assert found.loc[phone, "errors"] == sum(wanted.values())
    right = np.where(target.same_symbol(), target.substitutions, 0).sum()
    assert sum(found["errors"], Fraction(0)) == Fraction(int(target.counts.sum() - right))


@given(matrices())
def test_a_language_beside_itself_has_nothing_beyond(matrix: ConfusionMatrix) -> None:
    found = error_parts(matrix, matrix)
    assert not found[["level", "pattern"]].any(axis=None)
    assert not found["unattested"].any()


@given(matrices())
def test_without_a_reference_all_that_is_confused_is_unattested(matrix: ConfusionMatrix) -> None:
    found, beside = error_parts(matrix), error_parts(matrix, matrix)
    assert not found[["expected", "level", "pattern"]].any(axis=None)
    assert found["unattested"].tolist() == beside["expected"].tolist()
    assert found[["absent", "deleted", "inserted"]].equals(beside[["absent", "deleted", "inserted"]])


@given(matrices(), matrices())
def test_nothing_is_absent_where_no_inventory_is_given(target: ConfusionMatrix, reference: ConfusionMatrix) -> None:
    found, every = error_parts(target, reference), error_parts(target, reference, present={*target.gold})
    assert found["absent"].isna().all()
    assert not every["absent"].any()
    others = [name for name in found.columns if name != "absent"]
    assert found[others].equals(every[others])


def test_as_many_errors_of_other_kinds_are_pattern_and_more_of_them_are_level() -> None:
    english = ConfusionMatrix(["a"], ["a", "b", "c"], [[8, 2, 0]])
    other = ConfusionMatrix(["a"], ["a", "c"], [[8, 2]])  # never b, so that it has no column for b
    more = ConfusionMatrix(["a"], ["a", "b", "c"], [[6, 4, 0]])
    never = ConfusionMatrix(["a"], ["b"], [[10]])
    columns = ["expected", "level", "pattern"]
    wanted = [[0, 0, 2], [2, 2, 0], [2, 8, 0]]
    for one, parts in zip((other, more, never), wanted, strict=True):
        assert error_parts(one, english).loc["a", columns].astype(int).tolist() == parts


def test_fractional_counts_are_split_as_they_are() -> None:
    half = ConfusionMatrix(["a"], ["a", "b"], [[1.5, 0.5, 0.25], [0, 0.5, 0]])
    found = error_parts(half, ConfusionMatrix(["a"], ["a", "b"], [[9, 1]]))
    assert found.loc["a", ["expected", "level", "pattern", "deleted"]].tolist() == pytest.approx([0.2, 0.3, 0, 0.25])
    assert found.loc["∅", "errors"] == 0.5


STACKS = [stack_of(np.array(rows)[:, None], "a", "ab") for rows in ([[3, 1], [5, 2], [1, 4]], [[9, 1], [8, 3], [7, 2]])]


def test_each_replicate_of_one_corpus_stands_beside_the_next_of_the_other_in_all_parts() -> None:
    """300 replicates are drawn in three parts: the last of a part stands beside the first of the next."""
    first, second = STACKS
    draws = resampling(3, None, resamples=300, seed=7)
    pairs = over_unpaired((first, draws), (second, draws), lambda one, two: np.stack([one[0, 0], two[0, 0]]))
    own, other = (over_replicates(stack, draws, lambda counts: counts[0, 0]) for stack in (first, second))
    assert own.tolist() == (draws.weights.astype(float) @ [3, 5, 1]).tolist()
    assert pairs.tolist() == [own.tolist(), np.roll(other, -1).tolist()]
    none = resampling(3, None, resamples=0, seed=7)
    assert over_unpaired((first, none), (second, none), lambda one, two: one + two).shape == (2, 3, 0)
    with pytest.raises(ValueError, match="zip"):
        over_unpaired((first, draws), (second, none), lambda one, two: one + two)


def test_corpora_of_unlike_inventories_are_resampled_in_the_same_parts() -> None:
    """Of 500 phones 15 replicates fit into memory, of one phone 128: the parts must fit to each other all the same."""
    small, draws = STACKS[0], resampling(3, None, resamples=40, seed=7)
    phones = [f"p{number}" for number in range(500)]
    large = stack_of(np.array([[[3, 1]], [[5, 2]], [[1, 4]]]), phones, phones)
    for both in ((small, large), (large, small)):
        found = over_unpaired(*((one, draws) for one in both), lambda one, two: np.stack([one[0, 0], two[0, 0]]))
        own = draws.weights.astype(float) @ [3, 5, 1]
        assert found.tolist() == [own.tolist(), np.roll(own, -1).tolist()]


def test_both_languages_are_resampled_and_not_by_the_same_draws() -> None:
    first, second = STACKS
    draws = resampling(3, None, resamples=6, seed=7)
    split = split_of(first.total(), second.total())
    found = over_unpaired((first, draws), (second, draws), lambda one, two: split(one, two).sum(axis=1))
    weights = draws.weights.astype(float)
    for row, (own, other) in enumerate(zip(weights, np.roll(weights, -1, axis=0), strict=True)):
        parts = error_parts(first.total(own), second.total(other))[list(PARTS)].sum().astype(float)
        assert found[:, row] == pytest.approx(parts.to_numpy())


GOLD, PREDICTED = ["p", "b", "a", "ã", "m", "sil"], ["b", "a", "i", "n", "sil"]
OWN = {"nasals of all kinds": "+nas", "low": "+lo"}
CLASSES = natural_classes(dict.fromkeys([*GOLD, *PREDICTED]), px.costs.panphon_features(), OWN)
COSTS = np.random.default_rng(1).integers(0, 5, (7, 6)) / 4
counts = st.lists(st.lists(st.integers(0, 6), min_size=6, max_size=6), min_size=7, max_size=7)


def matrix_of(rows: list[list[int]]) -> px.ConfusionMatrix:
    values = np.array(rows)
    values[-1, -1] = 0
    return px.ConfusionMatrix(GOLD, PREDICTED, values)


def belongs(classes: NaturalClasses, name: str, phone: str) -> bool:
    return phone != "∅" and bool(classes.of([phone])[classes.names.index(name), 0])


@given(counts)
def test_counts_by_plain_loops(rows: list[list[int]]) -> None:
    matrix = matrix_of(rows)
    found = class_errors(matrix, CLASSES, COSTS)
    for name in CLASSES.names:
        seen = dict.fromkeys(["correct", "within", "between", "deleted", "inserted"], 0)
        paid = 0.0
        for i, gold in enumerate([*GOLD, "∅"]):
            for j, predicted in enumerate([*PREDICTED, "∅"]):
                number = int(matrix.counts[i, j])
                if gold == "∅":
                    seen["inserted"] += number * belongs(CLASSES, name, predicted)
                elif belongs(CLASSES, name, gold):
                    paid += number * COSTS[i, j]
                    if predicted == "∅":
                        seen["deleted"] += number
                    elif predicted == gold:
                        seen["correct"] += number
                    else:
                        seen["within" if belongs(CLASSES, name, predicted) else "between"] += number
        assert found.loc[name, list(seen)].astype(int).to_dict() == seen
        tokens = sum(seen.values()) - seen["inserted"]
        assert found.loc[name, "tokens"] == tokens
        assert found.loc[name, "wper"] == pytest.approx(paid / tokens if tokens else np.nan, nan_ok=True)


@given(counts)
def test_rates_of_default_classes_weighted_by_tokens_are_the_rate_of_all(rows: list[list[int]]) -> None:
    matrix = matrix_of(rows)
    found = class_errors(matrix, CLASSES, COSTS)[: CLASSES.default]
    right = np.where(matrix.same_symbol(), matrix.substitutions, 0).sum()
    assert (found["accuracy"] * found["tokens"]).sum() == pytest.approx(right)
    assert (found["deletion_rate"] * found["tokens"]).sum() == pytest.approx(matrix.deletions.sum())
    inserted, whole = (matrix.insertions * COSTS[-1, :-1]).sum(), (matrix.counts * COSTS).sum()
    assert (found["wper"] * found["tokens"]).sum() + inserted == pytest.approx(whole)
    if whole:
        assert found["share_of_wper"].sum() + inserted / whole == pytest.approx(1)


def test_a_phone_that_the_classes_do_not_know() -> None:
    with pytest.raises(px.DataError, match=r"the classes lack phones \(1: q\)"):
        class_errors(px.ConfusionMatrix(["q"], ["q"], [[1]]), CLASSES)
