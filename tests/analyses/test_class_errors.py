"""Errors by class: by plain loops, and rates of classes that make up those of all phones."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.analyses.features import class_confusions, class_errors
from phonxling.phones.natural_classes import NaturalClasses, natural_classes

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


@given(counts)
def test_the_matrix_of_classes_keeps_every_count(rows: list[list[int]]) -> None:
    matrix = matrix_of(rows)
    found, errors = class_confusions(matrix, CLASSES), class_errors(matrix, CLASSES)
    assert found.counts.sum() == matrix.counts.sum()
    assert found.deletions.sum() == matrix.deletions.sum()
    assert list(found.gold) == ["vowels", "stops", "nasals", "other"]
    for name in found.gold:
        here = found.substitutions[found.gold.code(name), found.predicted.code(name)]
        assert here == errors.loc[name, "correct"] + errors.loc[name, "within"]
    assert errors["tokens"].iloc[: CLASSES.default].sum() == matrix.tokens.sum()


def test_a_phone_that_the_classes_do_not_know() -> None:
    with pytest.raises(px.DataError, match=r"the classes lack phones \(1: q\)"):
        class_errors(px.ConfusionMatrix(["q"], ["q"], [[1]]), CLASSES)
