"""Expected confusions against fractions and plain loops, with and without counterparts; divergences, special cases."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_matrices import cell, matrices
from scipy.spatial.distance import jensenshannon

from phonxling.analyses.expected import (
    corrected_jensen_shannon,
    cost_excess,
    counterparts,
    expected_confusions,
    jensen_shannon,
    kullback_leibler,
    level,
)
from phonxling.configuration.models import Expected
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import DataError
from phonxling.load.resources import panphon_features

Joint = dict[tuple[str, str], Fraction]
PAIRS = {"a": "a", "b": "c", "c": "c", "d": "a"}


def tokens(matrix: ConfusionMatrix, phone: str, heard: list[str]) -> int:
    return int(sum(cell(matrix, phone, x) for x in heard))


def restriction(
    target: ConfusionMatrix, reference: ConfusionMatrix, same: dict[str, str], common: bool
) -> tuple[list[str], list[str]]:
    """Return T and X by leaving out, one at a time, a phone of which the reference shows nothing inside of them."""
    every = [*dict.fromkeys([*target.predicted, *reference.predicted])]
    phones = [y for y in target.gold if tokens(target, y, [*target.predicted, "∅"]) and same.get(y) in every]
    phones = [y for y in phones if tokens(reference, same[y], [*reference.predicted, "∅"])]
    while True:
        heard = [*dict.fromkeys(same[y] for y in phones)] if common else every
        silent = [y for y in phones if not tokens(reference, same[y], heard)]
        if not silent:
            return phones, heard
        phones.remove(silent[0])


def joints(
    target: ConfusionMatrix, reference: ConfusionMatrix, same: dict[str, str], kept: tuple[list[str], list[str]]
) -> tuple[Joint, Joint]:
    phones, heard = kept
    total = sum(tokens(target, y, heard) for y in phones)
    observed = {(y, x): Fraction(int(cell(target, y, x)), total) for y in phones for x in heard}
    expected = {
        (y, x): Fraction(tokens(target, y, heard), total)
        * Fraction(int(cell(reference, same[y], x)), tokens(reference, same[y], heard))
        for y, x in observed
    }
    return observed, expected


@pytest.mark.parametrize("same", [None, PAIRS], ids=["exact", "mapped"])
@pytest.mark.parametrize("predicted", ["common", "all"])
@given(target=matrices(), reference=matrices())
def test_cells_and_divergences_by_loops(
    predicted: str, same: dict[str, str] | None, target: ConfusionMatrix, reference: ConfusionMatrix
) -> None:
    found = expected_confusions(target, reference, predicted=predicted, same=same)
    pairs = same or {phone: phone for phone in target.gold}
    phones, heard = kept = restriction(target, reference, pairs, predicted == "common")
    assert ([*found.gold], {*found.predicted}) == (phones, {*heard})
    total = sum(tokens(target, y, heard) for y in phones)
    whole = target.substitutions.sum()
    assert found.kept == pytest.approx(total / whole if whole else math.nan, nan_ok=True)
    if not total:
        assert math.isnan(found.jensen_shannon())
        assert math.isnan(found.kullback_leibler(0.5))
        return
    observed, expected = joints(target, reference, pairs, kept)
    for y, x, seen, hoped, left in found.to_frame().itertuples(index=False):
        assert (seen, hoped) == pytest.approx((float(observed[y, x]), float(expected[y, x])), abs=1e-12)
        assert left == pytest.approx(float(observed[y, x] - expected[y, x]), abs=1e-12)
    assert found.residual.sum(axis=1) == pytest.approx(np.zeros(len(phones)), abs=1e-12)
    sides = [[float(p) for p in one.values()] for one in (observed, expected)]
    assert found.jensen_shannon() == pytest.approx(jensenshannon(*sides, base=2) ** 2, abs=1e-7)
    for alpha in (0.0, 0.5):
        divergence = 0.0
        for y in phones:
            n, m = tokens(target, y, heard), tokens(reference, pairs[y], heard)
            for x in heard if n else []:
                p = (cell(target, y, x) + alpha) / (n + alpha * len(heard))
                q = (cell(reference, pairs[y], x) + alpha) / (m + alpha * len(heard))
                divergence += n / total * (p * math.log2(p / q) if q else math.inf) if p else 0.0
        assert found.kullback_leibler(alpha) == pytest.approx(divergence, abs=1e-9)


COUNTS = st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=3, max_size=3).map(np.array)


@given(COUNTS, COUNTS)
def test_the_corrected_divergence_by_plain_loops(target: np.ndarray, reference: np.ndarray) -> None:
    known = [y for y in range(3) if target[y].sum() and reference[y].sum()]
    found = float(corrected_jensen_shannon(target * 1.0, reference * 1.0))
    if not known:
        assert math.isnan(found)
        return
    total, bias = sum(int(target[y].sum()) for y in known), 0.0
    for y in known:
        n, m = int(target[y].sum()), int(reference[y].sum())
        own, other = ([int(count) / size for count in side[y]] for side, size in ((target, n), (reference, m)))
        seen = ((sum(p > 0 for p in own) - 1) / (2 * n) + (sum(p > 0 for p in other) - 1) / (2 * m)) / 2
        mixed = sum(
            (p * (1 - p) / n + q * (1 - q) / m) / (8 * (p + q) / 2) for p, q in zip(own, other, strict=True) if p + q
        )
        bias += n / total * (seen - mixed) / math.log(2)
    assert found == pytest.approx(float(jensen_shannon(target * 1.0, reference * 1.0)) - bias, abs=1e-12)


@given(st.lists(COUNTS, min_size=2, max_size=2), st.lists(COUNTS, min_size=2, max_size=2))
def test_many_tables_are_measured_as_each_alone(targets: list[np.ndarray], references: list[np.ndarray]) -> None:
    sides = np.stack(targets) * 1.0, np.stack(references) * 1.0
    right, weights, prices = np.eye(3, 4, dtype=bool), np.array([0.2, 0.3, 0.5]), np.arange(12.0).reshape(3, 4)
    for measure in (
        jensen_shannon,
        corrected_jensen_shannon,
        lambda own, other: kullback_leibler(own, other, 0.5),
        lambda own, other: cost_excess(own, other, prices),
        lambda own, other: level(own, other, (right, right), weights),
    ):
        alone = [float(measure(own, other)) for own, other in zip(*sides, strict=True)]
        assert measure(*sides).tolist() == pytest.approx(alone, nan_ok=True)
    assert np.isnan(cost_excess(0 * sides[0], sides[1], prices)).all()


def test_costs_of_residuals_by_hand() -> None:
    """Half of the tokens are right where a quarter was expected; the others cost 2 and 4."""
    own, other = np.array([[2.0, 2.0, 0.0]]), np.array([[1.0, 1.0, 2.0]])
    assert float(cost_excess(own, other, np.array([[0.0, 2.0, 4.0]]))) == 0.25 * 2 - 0.5 * 4


def test_phones_that_the_reference_never_hears_as_common_ones_are_named() -> None:
    """b is heard only as a, and a only as c, which is no common phone: one goes, and so goes the other."""
    reference = ConfusionMatrix(["a", "b"], ["a", "b", "c"], [[0, 0, 4], [3, 0, 0]])
    target = ConfusionMatrix(["b", "a"], ["a", "b"], [[1, 1], [1, 1]])
    found = expected_confusions(target, reference, predicted="common")
    assert (found.left_out, len(found.gold), found.kept) == (("b", "a"), 0, 0)
    assert found.to_frame().empty
    every = expected_confusions(target, reference)
    assert (every.left_out, every.kept) == ((), 1)
    assert every.to_frame(wide=True).loc["a"].tolist() == [0.25, 0.25, -0.5]


def gold(phones: list[str], numbers: list[int]) -> ConfusionMatrix:
    return ConfusionMatrix(phones, ["p"], [[number] for number in numbers])


NEAR = {"ɛ̃": "ɛ", "ɓ": "b"}


@pytest.mark.parametrize(
    ("distance", "numbers", "same"),
    [
        (1 / 24, [1, 1, 1], {**NEAR, "a": "a"}),  # one of 24 features
        (1 / 24 - 1e-6, [1, 1, 1], {"a": "a"}),
        (1 / 24, [0, 1, 1], {"ɛ̃": "ɛ", "a": "a"}),  # a phone without tokens is nobody's counterpart
        (1 / 24, [0, 0, 0], {}),
    ],
)
def test_counterparts_by_features_are_the_symbol_itself_or_the_nearest(
    distance: float, numbers: list[int], same: dict[str, str]
) -> None:
    target, reference = gold(["ɛ̃", "ɓ", "a", "t"], [1, 1, 1, 0]), gold(["b", "ɛ", "a"], numbers)
    settings = Expected(common="features", distance=distance)
    assert counterparts(target, reference, settings, panphon_features()) == same


def test_a_table_adds_to_the_symbols_and_may_take_away(tmp_path: Path) -> None:
    target, reference = gold(["a", "b", "c", "d"], [1, 1, 1, 0]), gold(["a", "b", "z"], [1, 1, 0])
    assert counterparts(target, reference, Expected(), panphon_features()) == {"a": "a", "b": "b"}
    path = tmp_path / "same.tsv"
    for last, wanted in (("z", {"b": "a"}), ("b", {"b": "a", "c": "b"})):
        path.write_text(f"target\treference\na\t∅\nb\ta\nc\t{last}\nd\ta\n", encoding="utf-8")
        assert (
            counterparts(target, reference, Expected().model_copy(update={"common": path}), panphon_features())
            == wanted
        )
    path.write_text("target\treference\na\tq\n", encoding="utf-8")
    with pytest.raises(DataError, match="never has as gold"):
        counterparts(target, reference, Expected().model_copy(update={"common": path}), panphon_features())
