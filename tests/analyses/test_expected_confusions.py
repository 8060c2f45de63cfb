"""Expected confusions against fractions and plain loops, with and without counterparts; divergences, special cases."""

import math
from fractions import Fraction

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_matrices import PHONES, cell, matrices
from scipy.spatial.distance import jensenshannon

import phonxling as px
from phonxling.alignment.costs import cost_table
from phonxling.analyses.expected import nothing_in_common
from phonxling.analyses.expected_confusions import expected_confusions
from phonxling.analyses.same_phones import listed_phones, nearest_phones_within
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.load.resources import panphon_features

Table = tuple[list[str], list[str], list[list[int]]]
Joint = dict[tuple[str, str], Fraction]


def spoken(matrix: ConfusionMatrix, phone: str) -> bool:
    return phone in matrix.gold and matrix.tokens[matrix.gold.code(phone)] > 0


def common_phones(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> tuple[list[str], list[str]]:
    heard = {*target.predicted, *reference.predicted}
    phones = [p for p in target.gold if spoken(target, p) and spoken(reference, p) and p in heard]
    while not everything:
        stay = [p for p in phones if any(cell(reference, p, x) for x in phones)]
        if stay == phones:
            return phones, phones
        phones = stay
    stay = [p for p in phones if any(cell(reference, p, x) for x in heard)]
    return stay, sorted(heard)


def joints(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> tuple[Joint, Joint] | None:
    phones, heard = common_phones(target, reference, everything)
    total = sum(cell(target, y, x) for y in phones for x in heard)
    if not total:
        return None
    observed, expected = {}, {}
    for y in phones:
        mine, theirs = (sum(cell(matrix, y, x) for x in heard) for matrix in (target, reference))
        for x in heard:
            observed[y, x] = Fraction(cell(target, y, x), total)
            expected[y, x] = Fraction(mine, total) * Fraction(cell(reference, y, x), theirs)
    return observed, expected


@pytest.mark.parametrize("everything", [False, True], ids=["common", "all"])
@given(target=matrices(), reference=matrices())
def test_cells_and_divergences_by_loops(target: ConfusionMatrix, reference: ConfusionMatrix, everything: bool) -> None:
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
    kept = sum(cell(target, y, x) for y in phones for x in heard)
    assert found.kept == pytest.approx(kept / target.substitutions.sum())
    observed, expected = both
    divergence = sum(
        math.inf if not expected[cell] else float(p) * math.log2(p / expected[cell])
        for cell, p in observed.items()
        if p
    )
    assert found.kullback_leibler() == pytest.approx(divergence, abs=1e-9)
    shannon = 0.0
    for one in both:
        for pair, p in one.items():
            shannon += float(p) * math.log2(2 * p / (observed[pair] + expected[pair])) / 2 if p else 0.0
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
        mine, theirs = (sum(cell(matrix, y, x) for x in heard) for matrix in (target, reference))
        if not mine:
            assert math.isnan(value)
            continue
        expected = 0.0
        for x in heard:
            p = (cell(target, y, x) + alpha) / (mine + alpha * len(heard))
            q = (cell(reference, y, x) + alpha) / (theirs + alpha * len(heard))
            expected += p * math.log2(p / q)
        assert value == pytest.approx(expected, abs=1e-9)
        whole, weights = whole + mine * expected, weights + mine
    total = found.kullback_leibler(alpha)
    assert total == pytest.approx(whole / weights if weights else math.nan, nan_ok=True, abs=1e-9)
    assert not math.isinf(total)


@given(matrices(), matrices(), st.lists(st.integers(0, 48), min_size=20, max_size=20))
def test_cost_excess(target: ConfusionMatrix, reference: ConfusionMatrix, numbers: list[int]) -> None:
    heard = Inventory((*PHONES, "z"))
    costs = made_costs([*numbers, *[1] * 9], gold=Inventory(tuple(PHONES)), predicted=heard, denominator=48)
    found = expected_confusions(target, reference).cost_excess(costs)
    both = joints(target, reference, everything=False)
    if both is None:
        assert math.isnan(found)
        return
    excess = sum((p - both[1][cell]) * costs.cost(*cell) for cell, p in both[0].items())
    assert found == pytest.approx(float(excess), abs=1e-12)


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
    assert math.isnan(found.cost_excess(NO_COSTS))
    assert found.to_frame().empty


NO_COSTS = made_costs([], gold=Inventory(()), predicted=Inventory(()))


def test_costs_must_know_the_phones() -> None:
    matrix = ConfusionMatrix(["a"], ["a"], [[1]])
    with pytest.raises(KeyError):
        expected_confusions(matrix, matrix).cost_excess(NO_COSTS)


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
        ((["a"], ["a"], [[1]]), (["a"], ["b"], [[1]]), "ever predicted where the reference has one"),
        ((["a"], ["b"], [[1]]), (["a"], ["a"], [[1]]), "ever predicted where this language has one"),
    ],
)
def test_each_reason_for_comparing_nothing_is_exact(target: Table, reference: Table, reason: str) -> None:
    own, other, same = ConfusionMatrix(*target), ConfusionMatrix(*reference), {"a": "a", "b": "b"}
    confusions = expected_confusions(own, other, same=same)
    assert not confusions.target.sum()
    assert reason in nothing_in_common(own, other, same, confusions)


COUNTS = arrays(np.int64, (3, 3), elements=st.integers(0, 9))


def smoothed_entropy(counts: np.ndarray, alpha: float) -> float:
    """Σ_y P(y) H of the rows (c + α)/(n + αP) over P columns, P(y) from the counts themselves."""
    total, value = counts.sum(), 0.0
    for row in counts:
        if row.sum():
            shares = [(count + alpha) / (row.sum() + len(row) * alpha) for count in row]
            value += row.sum() / total * -sum(share * math.log2(share) for share in shares if share)
    return value


@given(COUNTS, COUNTS, st.sampled_from([0.0, 0.1, 0.5]))
def test_cross_entropy_is_entropy_plus_divergence(first: np.ndarray, second: np.ndarray, alpha: float) -> None:
    target, reference = (px.ConfusionMatrix(list("aei"), list("aei"), counts) for counts in (first, second))
    found = px.expected_confusions(target, reference)
    value = px.measures.confusion_cross_entropy(found, alpha)
    if not found.target.sum():
        assert math.isnan(value)
        return
    divergence = found.kullback_leibler(alpha)
    assert value == pytest.approx(smoothed_entropy(found.target, alpha) + divergence, rel=1e-9, abs=1e-9)


TARGET, REFERENCE, HEARD = ["a", "b", "c"], ["x", "y", "b"], ["x", "y", "b", "z"]
SAME = {"a": "x", "b": "b", "c": "x"}
counts = st.lists(st.lists(st.sampled_from([0, 1, 2, 5]), min_size=4, max_size=4), min_size=3, max_size=3)


def gold(phones: list[str], tokens: list[int]) -> ConfusionMatrix:
    return ConfusionMatrix(phones, ["p"], [[number] for number in tokens])


@given(counts, counts)
def test_cells_with_counterparts_by_fractions(mine: list[list[int]], theirs: list[list[int]]) -> None:
    target, reference = ConfusionMatrix(TARGET, HEARD, mine), ConfusionMatrix(REFERENCE, HEARD, theirs)
    found = expected_confusions(target, reference, predicted="all", same=SAME)
    rows = {y: theirs[REFERENCE.index(SAME[y])] for y in TARGET}
    kept = [y for y in TARGET if sum(mine[TARGET.index(y)]) and sum(rows[y])]
    assert list(found.gold) == kept
    total = sum(sum(mine[TARGET.index(y)]) for y in kept)
    for y, x, seen, hoped, left in found.to_frame().itertuples(index=False):
        own, other = mine[TARGET.index(y)], rows[y]
        wanted = Fraction(sum(own), total) * Fraction(other[HEARD.index(x)], sum(other))
        assert (seen, hoped) == pytest.approx((float(Fraction(own[HEARD.index(x)], total)), float(wanted)))
        assert left == pytest.approx(seen - hoped, abs=1e-12)
    if kept:
        assert found.residual.sum(axis=1) == pytest.approx(np.zeros(len(kept)), abs=1e-12)
    common = expected_confusions(target, reference, same=SAME)
    assert list(common.predicted) == list(dict.fromkeys(SAME[y] for y in common.gold))


@given(counts, st.permutations(["a", "b", "c"]))
def test_a_language_beside_itself_diverges_by_nothing_whatever_its_phones_are_called(
    mine: list[list[int]], order: list[str]
) -> None:
    one = ConfusionMatrix(TARGET, HEARD, mine)
    names = [phone.upper() for phone in TARGET]
    other = ConfusionMatrix([*names[::-1]], HEARD, mine[::-1])
    for same, reference in ((None, one), ({phone: phone.upper() for phone in order}, other)):
        found = expected_confusions(one, reference, predicted="all", same=same)
        if found.target.sum():
            assert found.kullback_leibler() == pytest.approx(0, abs=1e-12)
            assert found.jensen_shannon() == pytest.approx(0, abs=1e-12)
            assert np.abs(found.residual).max() < 1e-12


@given(counts, counts)
def test_the_exact_choice_is_the_default(mine: list[list[int]], theirs: list[list[int]]) -> None:
    target, reference = ConfusionMatrix(TARGET, HEARD, mine), ConfusionMatrix(["b", "a", "z"], HEARD, theirs)
    first = expected_confusions(target, reference)
    second = expected_confusions(target, reference, same=listed_phones(target, reference, {}))
    assert first.to_frame().equals(second.to_frame())
    assert (first.left_out, first.gold) == (second.left_out, second.gold)


TOY = CostTable(
    gold=Inventory(("a", "b", "c")),
    predicted=Inventory(("a", "x", "y")),
    substitution=np.array([[0, 0, 5], [3, 1, 1], [2, 2, 4]]),
    deletion=np.ones(3),
    insertion=np.ones(3),
    denominator=10,
    name="toy",
)


@pytest.mark.parametrize(
    ("distance", "target", "reference", "same"),
    [
        (0.0, [1, 1, 1], [7, 2, 3], {"a": "a"}),
        (0.1, [1, 1, 1], [7, 2, 3], {"a": "a", "b": "y"}),
        (0.2, [1, 1, 1], [7, 2, 3], {"a": "a", "b": "y", "c": "a"}),
        (1.0, [1, 0, 0], [0, 1, 0], {"a": "x"}),  # a phone without tokens is nobody's counterpart
        (1.0, [1, 1, 1], [0, 0, 0], {}),
    ],
)
def test_its_own_symbol_first_then_the_nearest_and_of_equal_ones_the_neighbour_on_the_chart(
    distance: float, target: list[int], reference: list[int], same: dict[str, str]
) -> None:
    sides = gold(["a", "b", "c"], target), gold(["a", "x", "y"], reference)
    assert nearest_phones_within(*sides, TOY, distance=distance) == same


def test_one_of_24_features_is_within_a_24th() -> None:
    target, reference = gold(["ɛ̃", "ɓ"], [1, 1]), gold(["b", "ɛ"], [1, 1])
    costs = cost_table("panphon", target.gold, reference.gold, panphon_features())
    assert nearest_phones_within(target, reference, costs, distance=1 / 24) == {"ɛ̃": "ɛ", "ɓ": "b"}
    assert nearest_phones_within(target, reference, costs, distance=1 / 24 - 1e-6) == {}


def test_a_table_adds_to_the_symbols_and_may_take_away() -> None:
    target, reference = gold(["a", "b", "c", "d"], [1, 1, 1, 0]), gold(["a", "b", "z"], [1, 1, 0])
    assert listed_phones(target, reference, {}) == {"a": "a", "b": "b"}
    assert listed_phones(target, reference, {"a": "∅", "b": "a", "c": "z", "d": "a"}) == {"b": "a"}
