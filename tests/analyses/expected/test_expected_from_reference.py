"""Expected confusions against fractions and plain loops; divergences with their special cases."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.distance import jensenshannon

from phonxling.analyses.expected import nothing_in_common
from phonxling.analyses.expected_confusions import expected_confusions
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory

PHONES = ["a", "b", "c", "d"]
Table = tuple[list[str], list[str], list[list[int]]]
Joint = dict[tuple[str, str], Fraction]


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    gold = draw(st.lists(st.sampled_from(PHONES), unique=True, min_size=1))
    predicted = draw(st.lists(st.sampled_from([*PHONES, "z"]), unique=True, min_size=1))
    shape = len(gold) + 1, len(predicted) + 1
    counts = draw(
        st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    )
    counts[-1] = 0
    return ConfusionMatrix(gold, predicted, np.reshape(counts, shape))


def count(matrix: ConfusionMatrix, gold: str, predicted: str) -> int:
    if gold not in matrix.gold or predicted not in matrix.predicted:
        return 0
    return int(matrix.substitutions[matrix.gold.code(gold), matrix.predicted.code(predicted)])


def tokens(matrix: ConfusionMatrix, phone: str) -> int:
    return int(matrix.tokens[matrix.gold.code(phone)]) if phone in matrix.gold else 0


def common_phones(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> tuple[list[str], list[str]]:
    heard = {*target.predicted, *reference.predicted}
    phones = [p for p in target.gold if tokens(target, p) and tokens(reference, p) and p in heard]
    while not everything:
        stay = [p for p in phones if any(count(reference, p, x) for x in phones)]
        if stay == phones:
            return phones, phones
        phones = stay
    stay = [p for p in phones if any(count(reference, p, x) for x in heard)]
    return stay, sorted(heard)


def joints(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> tuple[Joint, Joint] | None:
    phones, heard = common_phones(target, reference, everything)
    total = sum(count(target, y, x) for y in phones for x in heard)
    if not total:
        return None
    observed, expected = {}, {}
    for y in phones:
        mine, theirs = (sum(count(matrix, y, x) for x in heard) for matrix in (target, reference))
        for x in heard:
            observed[y, x] = Fraction(count(target, y, x), total)
            expected[y, x] = Fraction(mine, total) * Fraction(count(reference, y, x), theirs)
    return observed, expected


@pytest.mark.parametrize("everything", [False, True], ids=["common", "all"])
@given(target=matrices(), reference=matrices())
def test_cells_by_fractions(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> None:
    found = expected_confusions(target, reference, predicted="all" if everything else "common")
    phones, heard = common_phones(target, reference, everything)
    assert list(found.gold) == phones
    assert sorted(found.predicted) == sorted(heard)
    both = joints(target, reference, everything)
    if both is None:
        assert math.isnan(found.jensen_shannon())
        assert math.isnan(found.kullback_leibler())
        assert math.isnan(found.kullback_leibler(0.5))
        return
    for y, x, seen, hoped, left in found.to_frame().itertuples(index=False):
        assert seen == pytest.approx(float(both[0][y, x]), abs=1e-12)
        assert hoped == pytest.approx(float(both[1][y, x]), abs=1e-12)
        assert left == pytest.approx(float(both[0][y, x] - both[1][y, x]), abs=1e-12)
    assert found.residual.sum(axis=1) == pytest.approx(np.zeros(len(phones)), abs=1e-12)
    kept = sum(count(target, y, x) for y in phones for x in heard)
    assert found.kept == pytest.approx(kept / target.substitutions.sum())


@pytest.mark.parametrize("everything", [False, True], ids=["common", "all"])
@given(target=matrices(), reference=matrices())
def test_divergences_by_plain_loops(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> None:
    found = expected_confusions(target, reference, predicted="all" if everything else "common")
    both = joints(target, reference, everything)
    if both is None:
        return
    observed, expected = both
    divergence = sum(
        math.inf if not expected[cell] else float(p) * math.log2(p / expected[cell])
        for cell, p in observed.items()
        if p
    )
    assert found.kullback_leibler() == pytest.approx(divergence, abs=1e-9)
    shannon = 0.0
    for one in both:
        for cell, p in one.items():
            shannon += float(p) * math.log2(2 * p / (observed[cell] + expected[cell])) / 2 if p else 0.0
    assert found.jensen_shannon() == pytest.approx(shannon, abs=1e-9)
    assert 0 <= found.jensen_shannon() <= 1
    theirs = jensenshannon([float(p) for p in observed.values()], [float(p) for p in expected.values()], base=2) ** 2
    assert found.jensen_shannon() == pytest.approx(theirs, abs=1e-7)


@given(matrices(), matrices(), st.sampled_from([0.01, 0.5, 1.0]))
def test_smoothed_divergence_by_phone(target: ConfusionMatrix, reference: ConfusionMatrix, alpha: float) -> None:
    found = expected_confusions(target, reference)
    phones, heard = common_phones(target, reference, everything=False)
    values, whole, weights = found.divergence_by_phone(alpha), 0.0, 0.0
    for value, y in zip(values, phones, strict=True):
        mine, theirs = (sum(count(matrix, y, x) for x in heard) for matrix in (target, reference))
        if not mine:
            assert math.isnan(value)
            continue
        expected = 0.0
        for x in heard:
            p = (count(target, y, x) + alpha) / (mine + alpha * len(heard))
            q = (count(reference, y, x) + alpha) / (theirs + alpha * len(heard))
            expected += p * math.log2(p / q)
        assert value == pytest.approx(expected, abs=1e-9)
        whole, weights = whole + mine * expected, weights + mine
    total = found.kullback_leibler(alpha)
    assert total == pytest.approx(whole / weights if weights else math.nan, nan_ok=True, abs=1e-9)
    assert not math.isinf(total)


@given(matrices(), matrices(), st.lists(st.integers(0, 48), min_size=20, max_size=20))
def test_cost_excess(target: ConfusionMatrix, reference: ConfusionMatrix, numbers: list[int]) -> None:
    heard = [*PHONES, "z"]
    costs = CostTable(
        gold=Inventory(tuple(PHONES)),
        predicted=Inventory(tuple(heard)),
        substitution=np.reshape(numbers, (4, 5)),
        deletion=np.ones(4),
        insertion=np.ones(5),
        denominator=48,
        name="test",
    )
    found = expected_confusions(target, reference).cost_excess(costs)
    both = joints(target, reference, everything=False)
    if both is None:
        assert math.isnan(found)
        return
    excess = sum((p - both[1][cell]) * costs.cost(*cell) for cell, p in both[0].items())
    assert found == pytest.approx(float(excess), abs=1e-12)


@given(matrices(), st.integers(1, 5))
def test_a_language_expects_itself(matrix: ConfusionMatrix, times: int) -> None:
    more = ConfusionMatrix(matrix.gold, matrix.predicted, matrix.counts * times)
    found = expected_confusions(more, matrix)
    if not found.target.sum():
        return
    assert found.kullback_leibler() == pytest.approx(0, abs=1e-12)
    assert found.jensen_shannon() == pytest.approx(0, abs=1e-12)
    assert found.residual == pytest.approx(np.zeros(found.residual.shape), abs=1e-12)


def test_confusions_that_never_meet() -> None:
    target = ConfusionMatrix(["a", "b"], ["a", "b"], [[5, 0], [0, 5]])
    reference = ConfusionMatrix(["a", "b"], ["a", "b"], [[0, 3], [2, 0]])
    found = expected_confusions(target, reference)
    assert found.jensen_shannon() == pytest.approx(1)
    assert found.kullback_leibler() == math.inf
    assert found.divergence_by_phone().tolist() == [math.inf, math.inf]
    by_alpha = [found.kullback_leibler(alpha) for alpha in (0.01, 0.1, 0.5, 1)]
    assert by_alpha == sorted(by_alpha, reverse=True)
    assert by_alpha[0] < math.inf


def test_only_what_both_languages_say_is_compared() -> None:
    """a is in both, b in the target alone, d in the reference alone; of a's tokens, those heard as a are kept."""
    target = ConfusionMatrix(["a", "b"], ["a", "z"], [[3, 1, 2], [2, 2, 0], [1, 0, 0]])
    reference = ConfusionMatrix(["a", "d"], ["a", "d"], [[1, 1], [0, 9]])
    found = expected_confusions(target, reference)
    assert list(found.gold) == ["a"] == list(found.predicted)
    assert found.kept == 3 / 8
    wide = expected_confusions(target, reference, predicted="all")
    assert list(wide.predicted) == ["a", "d", "z"]
    assert wide.kept == 4 / 8
    assert wide.observed.tolist() == [[0.75, 0, 0.25]]
    assert wide.expected.tolist() == [[0.5, 0.5, 0]]


def test_phones_that_the_reference_never_hears_as_common_ones_are_named() -> None:
    """b is heard only as a, and a only as c, which is no common phone: one goes, and so goes the other."""
    counts = [[0, 0, 4], [3, 0, 0]]
    reference = ConfusionMatrix(["a", "b"], ["a", "b", "c"], counts)
    target = ConfusionMatrix(["b", "a"], ["a", "b"], [[1, 1], [1, 1]])
    found = expected_confusions(target, reference)
    assert found.left_out == ("b", "a")
    assert len(found.gold) == 0
    assert found.kept == 0
    assert math.isnan(found.jensen_shannon())
    assert math.isnan(found.cost_excess(_no_costs()))
    assert found.to_frame().empty


def _no_costs() -> CostTable:
    none, empty = Inventory(()), np.zeros(0)
    return CostTable(
        gold=none,
        predicted=none,
        substitution=np.zeros((0, 0)),
        deletion=empty,
        insertion=empty,
        denominator=1,
        name="none",
    )


def test_costs_must_know_the_phones() -> None:
    matrix = ConfusionMatrix(["a"], ["a"], [[1]])
    with pytest.raises(KeyError):
        expected_confusions(matrix, matrix).cost_excess(_no_costs())


def test_a_smaller_recogniser_has_fewer_common_phones() -> None:
    matrix = ConfusionMatrix(["a", "b"], ["a", "b"], [[3, 1], [1, 3]])
    found = expected_confusions(matrix, matrix, recogniser=["a", "x"])
    assert list(found.gold) == ["a"]
    assert found.kept == 3 / 8


@pytest.mark.parametrize(
    ("target", "reference", "reason"),
    [
        ((["b"], ["a"], [[1]]), (["a"], ["a"], [[1]]), "no gold phone of this language is the same as one of"),
        ((["a"], ["x"], [[1]]), (["a"], ["y"], [[1]]), "the recogniser predicts none of them in either language"),
        ((["a"], ["a"], [[1]]), (["a"], ["b"], [[1]]), "the reference is never heard as one of them"),
        ((["a"], ["b"], [[1]]), (["a"], ["a"], [[1]]), "this language is never heard as one of them"),
    ],
)
def test_each_reason_for_comparing_nothing_is_exact(target: Table, reference: Table, reason: str) -> None:
    own, other, same = ConfusionMatrix(*target), ConfusionMatrix(*reference), {"a": "a", "b": "b"}
    confusions = expected_confusions(own, other, same=same)
    assert not confusions.target.sum()
    assert reason in nothing_in_common(own, other, same, confusions)
