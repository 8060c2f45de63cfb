"""Errors by reason against plain loops: parts that sum to all errors."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_matrices import PHONES, cell, matrices

from phonxling.analyses.error_parts import PARTS, Reasons
from phonxling.core.confusion import ConfusionMatrix

SAME = {"a": "a", "b": "c", "c": "c"}
NEAR = {("a", "b"), ("b", "z"), ("d", "a")}


def by_loops(
    target: ConfusionMatrix, reference: ConfusionMatrix, present: set[str], same: dict[str, str], phone: str
) -> dict[str, Fraction]:
    parts = dict.fromkeys(Reasons.names, Fraction(0))
    if phone == "∅":
        parts["inserted"] = Fraction(sum(cell(target, "∅", x) for x in target.predicted))
        return parts
    parts["deleted"] = Fraction(cell(target, phone, "∅"))
    other = same.get(phone, "nothing")
    seen = sum(cell(reference, other, x) for x in reference.predicted)
    tokens = sum(cell(target, phone, x) for x in target.predicted)
    wrong = {x: cell(target, phone, x) for x in target.predicted if x != phone}
    if phone not in present:
        parts["absent"] = Fraction(sum(wrong.values()))
        parts["absent_near"] = Fraction(sum(count for x, count in wrong.items() if (phone, x) in NEAR))
    elif not seen:
        parts["unexplained"] = Fraction(sum(wrong.values()))
    else:
        parts["substituted"] = Fraction(sum(wrong.values()))
        errors_there = sum(cell(reference, other, x) for x in reference.predicted if x != phone)
        parts["expected"] = Fraction(tokens * errors_there, seen)
    return parts


def reasons_of(
    target: ConfusionMatrix, reference: ConfusionMatrix, same: dict[str, str], present: set[str] | None
) -> tuple[Reasons, tuple[np.ndarray, np.ndarray]]:
    near = np.array([[(y, x) in NEAR for x in target.predicted] for y in target.gold])
    reasons = Reasons(target, reference, same, present=present, near=near)
    return reasons, (reasons.target_sums(target.counts), reasons.reference_sums(reference.counts))


@pytest.mark.parametrize("same", [{phone: phone for phone in PHONES}, SAME], ids=["exact", "mapped"])
@given(target=matrices(), reference=matrices(), present=st.sets(st.sampled_from(PHONES)))
def test_parts_by_plain_loops_sum_to_all_errors(
    same: dict[str, str], target: ConfusionMatrix, reference: ConfusionMatrix, present: set[str]
) -> None:
    reasons, sums = reasons_of(target, reference, same, present)
    found, every = reasons.by_phone(*sums), dict.fromkeys(Reasons.names, Fraction(0))
    for place, phone in enumerate([*target.gold, "∅"]):
        wanted = by_loops(target, reference, present, same, phone)
        for name, value in wanted.items():
            assert found[name][place] == pytest.approx(float(value))
            every[name] += value
    errors = int(target.counts.sum() - np.where(target.same_symbol(), target.substitutions, 0).sum())
    shares = reasons.shares(*sums)
    if not errors:
        assert np.isnan([*shares.values()]).all()
        return
    several, usual = every["substituted"], every["expected"]
    every |= {"expected": min(several, usual), "level": max(several - usual, Fraction(0))}
    assert sum(every[name] for name in PARTS) == errors
    assert sum(shares[name] for name in PARTS) == pytest.approx(1)
    for name in PARTS:
        assert shares[name] == pytest.approx(float(every[name] / errors))
    assert shares["absent near"] == pytest.approx(float(every["absent_near"] / errors))


@given(matrices())
def test_a_language_beside_itself_has_as_many_errors_as_expected_of_each_phone(matrix: ConfusionMatrix) -> None:
    reasons, sums = reasons_of(matrix, matrix, {phone: phone for phone in PHONES}, None)
    found = reasons.by_phone(*sums)
    assert found["substituted"] == pytest.approx(found["expected"])
    assert not found["unexplained"].any()
    assert not found["absent"].any()
    alone, sums = reasons_of(matrix, ConfusionMatrix.zero(), {}, None)
    assert alone.by_phone(*sums)["unexplained"].tolist() == found["substituted"].tolist()
