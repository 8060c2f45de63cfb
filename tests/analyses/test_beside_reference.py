"""Tests beside the reference, cells and level, by plain loops over speakers; what carries none; q over languages."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t as student

from phonxling.analyses.error_parts import share_limits
from phonxling.analyses.expected import (
    ExpectedConfusions,
    Languages,
    adjust_levels,
    corrected_jensen_shannon,
    expected_confusions,
    left_out_note,
    with_status,
)
from phonxling.analyses.measures import row_of
from phonxling.core.arrays import same_symbols
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.stats.jackknife import clusters_of
from phonxling.stats.p_values import adjust_p_values
from phonxling.stats.two_corpora import JackknifedDifference

PHONES = Inventory(("a", "b", "c"))
SPEAKERS = arrays(np.int64, (12, 3, 3), elements=st.integers(0, 12))  # six of each language


def beside(own: np.ndarray, other: np.ndarray) -> Languages:
    sums = {"target": own.sum(axis=0), "reference": other.sum(axis=0)}
    confusions = ExpectedConfusions(gold=PHONES, predicted=PHONES, **sums, kept=1.0, left_out=())
    return Languages(
        confusions=confusions, target=own.astype(float), reference=other.astype(float), right=np.eye(3, dtype=bool)
    )


def share_variance(side: np.ndarray, y: int, x: int) -> tuple[Fraction, Fraction] | None:
    """C/(C − 1) Σ (c − p n_s)² / n² and C − 1, C = n²/Σ n_s²; None for fewer than five speakers, or four effective."""
    rows = [[int(count) for count in speaker[y]] for speaker in side if speaker[y].sum()]
    total = sum(map(sum, rows))
    if len(rows) < 5 or Fraction(total**2, sum(sum(row) ** 2 for row in rows)) < 4:
        return None
    share = Fraction(sum(row[x] for row in rows), total)
    apart = sum((row[x] - share * sum(row)) ** 2 for row in rows)
    free = Fraction(total**2, sum(sum(row) ** 2 for row in rows)) - 1
    return (free + 1) / free * apart / total**2, free


@given(SPEAKERS)
def test_cells_by_plain_loops(tables: np.ndarray) -> None:
    own, other = tables[:6], tables[6:]
    tests = beside(own, other).cell_tests(0.95)
    total, p = int(own.sum()), np.full((3, 3), np.nan)
    for y, x in np.ndindex(3, 3):
        found = [share_variance(side, y, x) for side in (own, other)]
        seen, n = (
            [int(count) for count in (own[:, y].sum(0)[at].sum(), other[:, y].sum(0)[at].sum())] for at in (x, ...)
        )
        if None in found or min(n) < 20 or min(sum(seen), sum(n) - sum(seen)) < 10:
            assert np.isnan([tests[name][y, x] for name in ("q", "low", "high")]).all()
            continue
        share = Fraction(sum(seen), sum(n))
        spread = float(sum(variance for variance, _ in found))
        variance = max(spread, float(share * (1 - share) * (Fraction(1, n[0]) + Fraction(1, n[1]))))
        parts = sum(float(one) ** 2 / float(free) for one, free in found)
        free = spread**2 / parts if parts else float(sum(free for _, free in found))
        residual = seen[0] / total - n[0] / total * seen[1] / n[1]
        error = n[0] / total * math.sqrt(variance)
        p[y, x] = 2 * student.sf(abs(residual) / error, free)
        reach = student.ppf(0.975, free) * error
        assert (tests["low"][y, x], tests["high"][y, x]) == pytest.approx(
            (residual - reach, residual + reach), abs=1e-9
        )
    assert tests["q"] == pytest.approx(adjust_p_values(p), abs=1e-9, nan_ok=True)


def test_a_confusion_that_one_language_never_shows_is_not_certain() -> None:
    """Five speakers hear a as a in all of 40 tokens, those of the reference as b in 20 of 100."""
    own, other = np.zeros((5, 3, 3)), np.zeros((5, 3, 3))
    own[:, 0, 0], other[:, 0, :2] = 8, [16, 4]
    tests = beside(own, other).cell_tests(0.95)
    error = math.sqrt(20 / 140 * 120 / 140 * (1 / 40 + 1 / 100))
    assert tests["q"][0, 1] == pytest.approx(2 * student.sf(0.2 / error, 8))
    assert np.isnan(tests["q"][1:]).all()  # no tokens
    assert np.isnan(tests["q"][0, 2])  # shown by neither


def difference(own: np.ndarray, other: np.ndarray, weights: list[Fraction]) -> Fraction:
    rates = [
        [1 - Fraction(int(side[:, y, y].sum()), max(int(side[:, y].sum()), 1)) for y in range(3)]
        for side in (own, other)
    ]
    return sum((w * (a - b) for w, a, b in zip(weights, *rates, strict=True)), Fraction(0))


@given(SPEAKERS)
def test_the_level_by_plain_loops(tables: np.ndarray) -> None:
    """Phones of two speakers a side, weights that stay, each speaker left out in turn, Welch's degrees of freedom."""
    own, other = tables[:6], tables[6:]
    n = [[int(side[:, y].sum()) for y in range(3)] for side in (own, other)]
    several = [min((side[:, y].sum(axis=1) > 0).sum() for side in (own, other)) >= 2 for y in range(3)]
    weights = [Fraction(a * b, a + b) if some else Fraction(0) for a, b, some in zip(*n, several, strict=True)]
    found = beside(own, other).level()
    if not sum(weights):
        assert found is None
        return
    weights = [weight / sum(weights) for weight in weights]
    assert found.value == pytest.approx(float(difference(own, other, weights)))
    parts = []
    for place, side in enumerate((own, other)):
        said = side.sum(axis=(1, 2))
        without = []
        for speaker in np.flatnonzero(said):
            sides = [own, other]
            sides[place] = np.delete(side, speaker, axis=0)
            without.append(float(difference(*sides, weights)))
        parts.append((len(without) - 1) / len(without) * np.sum((np.array(without) - np.mean(without)) ** 2))
        parts.append(max(said.sum() ** 2 / (said**2).sum(), 2) - 1)
    first, free, second, its_free = parts
    if first > 1e-12 and second > 1e-12:
        assert found.error == pytest.approx(math.sqrt(first + second))
        assert found.freedom == pytest.approx((first + second) ** 2 / (first**2 / free + second**2 / its_free))
        if not found.few:
            assert found.p == pytest.approx(2 * student.sf(abs(found.value) / found.error, found.freedom), abs=1e-9)


def test_a_phone_with_another_as_counterpart_is_right_as_itself_too() -> None:
    """ɛ stands for the reference's e: neither ɛ nor e is an error, whether T × T keeps ɛ or not."""
    reference = ConfusionMatrix(["e"], ["e", "ɛ", "t"], [[9, 0, 1]])
    target = ConfusionMatrix(["ɛ"], ["e", "ɛ", "t", "k"], [[1, 6, 2, 3]])
    found = {}
    for predicted in ("all", "common"):
        confusions = expected_confusions(target, reference, predicted=predicted, same={"ɛ": "e"})
        sides = confusions.target, confusions.reference
        two = dict(zip(("target", "reference"), (np.stack([side] * 2) for side in sides), strict=True))
        right = same_symbols(["e"], confusions.predicted)
        found[predicted] = Languages(confusions=confusions, right=right, **two)
    level = found["all"].level()
    assert level is not None
    assert level.value == pytest.approx(5 / 12 - 1 / 10)
    assert left_out_note(target, found["common"]).startswith("leaves out 100% of the errors")
    assert left_out_note(target, found["all"]).startswith("leaves out 0% of the errors")


@given(SPEAKERS)
def test_the_divergence_without_each_speaker(tables: np.ndarray) -> None:
    own, other = (side * 1.0 for side in (tables[:6] + 1, tables[6:] + 1))
    both = beside(own * 20, other * 20)
    own, other = both.target, both.reference
    value, bias = float(corrected_jensen_shannon(own.sum(0), other.sum(0))), 0.0
    for place, side in enumerate((own, other)):
        sums = [own.sum(0), other.sum(0)]
        left = [
            float(corrected_jensen_shannon(*sums[:place], sums[place] - speaker, *sums[place + 1 :]))
            for speaker in side
        ]
        bias += 5 * (np.mean(left) - value)
    assert both.divergence(0.95).value == pytest.approx(max(value - bias, 0.0), abs=1e-9)


def test_few_tokens_in_a_cell_have_a_divergence_without_interval() -> None:
    tables = np.random.default_rng(2).integers(1, 4, (16, 3, 3))
    few, many = beside(tables[:5], tables[8:13]), beside(tables[:8] * 9, tables[8:] * 9)
    assert (few.divergence(0.95).status, math.isnan(few.divergence(0.95).low)) == ("bias-warning", True)
    assert many.divergence(0.95).high > 0
    halves = many.halves()
    assert (halves.target.sum(0) + halves.reference.sum(0)).tolist() == many.reference.sum(0).tolist()
    assert len(halves.target) == len(halves.reference) == 4


def test_what_weakens_either_language_weakens_a_number_of_both() -> None:
    tokens, number = np.ones(12), Estimate(0.3, 0.2, 0.4, 0.95)
    speakers, unknown = clusters_of(tokens, np.repeat(np.arange(6), 2)), clusters_of(tokens)
    few = clusters_of(tokens[:3], np.arange(3))
    assert with_status(number, speakers, speakers) == number
    assert with_status(number, speakers, unknown).status == "no-speakers"
    weak = with_status(number, unknown, few)
    assert (weak.value, math.isnan(weak.low), weak.status) == (0.3, True, "too-few-clusters")
    assert "too few" in weak.note


def test_q_is_of_all_languages_of_a_run_that_were_tested() -> None:
    p = [0.01, 0.02, math.nan, 0.5]
    rows = [
        [row_of("expected_level", 0.1, 9), row_of("expected_level_p", one, 9, "q", "why" * (one != one))] for one in p
    ]
    adjust_levels(rows)
    found = [own[1].estimate for own in rows]
    assert [one.value for one in found] == pytest.approx([0.03, 0.03, math.nan, 0.5], nan_ok=True)
    assert [one.note for one in found] == ["of 3 languages", "of 3 languages", "", "of 3 languages"]
    assert rows[0][0].estimate.value == 0.1


def test_limits_of_a_share_of_both_languages_stay_inside() -> None:
    found = share_limits(JackknifedDifference(0.02, 0.05, 9.0, few=False), 0.95)
    assert 0 < found.low < 0.02 < found.high < 1
    assert math.isnan(share_limits(JackknifedDifference(0.0, 0.05, 9.0, few=False), 0.95).high)
    assert share_limits(JackknifedDifference(0.2, 0.05, 9.0, few=True), 0.95).status == "too-few-clusters"
