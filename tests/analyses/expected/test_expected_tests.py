"""Tests against the reference language: vectorised divergences, standard errors, q-values, and p under the null."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import stack_of
from scipy.stats import kstest

from phonxling.analyses.expected.cells import CellTests, cell_tests, pooled_errors, standard_errors
from phonxling.analyses.expected.confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.expected.replicates import redealt, resampled
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.resample.p_values import adjusted, p_value
from phonxling.resample.weights import resampling

PHONES = Inventory(("a", "b", "c"))
COSTS = CostTable(
    gold=PHONES,
    predicted=PHONES,
    substitution=np.array([[0, 1, 2], [3, 0, 1], [2, 2, 0]]),
    deletion=np.ones(3),
    insertion=np.ones(3),
    denominator=4,
    name="toy",
)
COUNTS = arrays(np.int64, (3, 3), elements=st.integers(0, 6))


def restricted(target: np.ndarray, reference: np.ndarray) -> ExpectedConfusions:
    return ExpectedConfusions(gold=PHONES, predicted=PHONES, target=target, reference=reference, kept=1.0, left_out=())


def cells_of(confusions: ExpectedConfusions, residuals: np.ndarray, clusters: int) -> CellTests:
    return cell_tests(confusions, residuals, clusters=clusters, level=0.95, correction="benjamini-hochberg")


@given(st.lists(COUNTS, min_size=2, max_size=3), st.lists(COUNTS, min_size=3, max_size=3))
def test_each_replicate_is_measured_as_a_table_alone(targets: list[np.ndarray], references: list[np.ndarray]) -> None:
    """A phone without reference tokens is left out of a replicate, as `expected_confusions` leaves it out."""
    references = references[: len(targets)]
    every = restricted(np.stack(targets, axis=-1), np.stack(references, axis=-1))
    for place, (target, reference) in enumerate(zip(targets, references, strict=True)):
        silent = reference.sum(axis=1) == 0
        one = restricted(np.where(silent[:, None], 0, target), reference)
        for measure in (
            ExpectedConfusions.jensen_shannon,
            lambda counts: counts.kullback_leibler(0.01),
            lambda counts: counts.kullback_leibler(1.0),
            lambda counts: counts.cost_excess(COSTS),
        ):
            assert measure(every)[place] == pytest.approx(measure(one), abs=1e-12, nan_ok=True)
        residual = every.residual[..., place]
        assert np.isnan(residual[silent]).all()
        assert residual[~silent] == pytest.approx(one.residual[~silent], nan_ok=True)


def test_each_language_is_resampled_by_its_own_clusters() -> None:
    tables = np.random.default_rng(1).integers(0, 5, (4, 3, 3))
    mine, theirs = stack_of(tables[:2], PHONES), stack_of(tables[2:], PHONES)
    found = expected_confusions(mine.total(), theirs.total())
    drawn = resampling(2, None, resamples=30, seed=1)
    draws = resampled(found, (mine, drawn), (theirs, drawn), counterparts=PHONES.phones)
    weights = drawn.weights.astype(float)
    assert draws.target[..., 3].tolist() == np.tensordot(weights[3], tables[:2], 1).tolist()
    assert draws.reference[..., 3].tolist() == np.tensordot(weights[2], tables[2:], 1).tolist()  # not drawn alike


def test_another_phone_of_the_reference_may_stand_for_a_phone() -> None:
    tables = np.random.default_rng(2).integers(1, 5, (2, 3, 3))
    mine, theirs = stack_of(tables[:1], PHONES), stack_of(tables[1:], PHONES)
    found = restricted(tables[0], tables[1][[1, 1, 2]])
    one = resampling(1, None, resamples=2, seed=1)
    draws = resampled(found, (mine, one), (theirs, one), counterparts=("b", "b", "c"))
    assert draws.reference[..., 0].tolist() == found.reference.tolist()


@given(COUNTS, COUNTS)
def test_pooled_errors_are_those_of_two_proportions(target: np.ndarray, reference: np.ndarray) -> None:
    found = pooled_errors(restricted(target, reference))
    total = int(target.sum())
    for y, x in np.ndindex(3, 3):
        n, m = int(target[y].sum()), int(reference[y].sum())
        if not n or not m:
            assert found[y, x] == 0
            continue
        share = Fraction(int(target[y, x] + reference[y, x]), n + m)
        variance = share * (1 - share) * (Fraction(1, n) + Fraction(1, m)) * Fraction(n, total) ** 2
        assert found[y, x] == pytest.approx(math.sqrt(variance), abs=1e-12)


def test_a_confusion_that_is_never_drawn_is_not_certain() -> None:
    """The target hears a as b in none of 4 tokens, the reference in 1 of 10: no replicate has it, and p is not 0."""
    found = restricted(np.diag([4, 0, 0]), np.array([[9, 1, 0], [0, 0, 0], [0, 0, 0]]))
    drawn = np.repeat(found.residual[..., None], 5, axis=2)
    tests = cells_of(found, drawn, 9)
    error = math.sqrt(1 / 14 * 13 / 14 * (1 / 4 + 1 / 10))
    assert standard_errors(found, drawn, 9)[0, 1] == pytest.approx(error)
    assert tests.p[0, 1] == pytest.approx(math.erfc(0.1 / error / math.sqrt(2)))
    assert tests.low[0, 1] == pytest.approx(-0.1 - 1.959964 * error)
    assert np.isnan(tests.p[1:]).all()  # no tokens
    assert np.isnan(tests.p[0, 2])  # shown by neither


def test_the_bootstrap_error_holds_where_it_is_the_larger() -> None:
    found = restricted(np.array([[5, 5, 0], [0, 9, 0], [0, 0, 9]]), np.array([[50, 50, 0], [0, 9, 0], [0, 0, 9]]))
    drawn = np.random.default_rng(0).normal(0, 0.3, (3, 3, 4))
    assert standard_errors(found, drawn, 5)[0, 0] == pytest.approx(drawn[0, 0].std(ddof=1) * math.sqrt(5 / 4))
    drawn[0, :, 1] = np.nan  # a replicate without reference tokens of a
    known = np.delete(drawn[0, 0], 1)
    assert standard_errors(found, drawn, 5)[0, 0] == pytest.approx(known.std(ddof=1) * math.sqrt(5 / 4))
    assert np.isnan(cells_of(found, drawn, 1).p).all()
    assert np.isnan(cells_of(found, drawn[..., :1], 9).p).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.booleans())
def test_q_by_the_definition(values: list[float], any_dependence: bool) -> None:
    factor = sum(1 / k for k in range(1, len(values) + 1)) if any_dependence else 1.0
    ordered = sorted(values)
    stepped = [min(1.0, p * len(values) * factor / rank) for rank, p in enumerate(ordered, start=1)]
    wanted = {p: min(stepped[place:]) for place, p in reversed(list(enumerate(ordered)))}
    found = adjusted(np.array([*values, np.nan]), "benjamini-yekutieli" if any_dependence else "benjamini-hochberg")
    assert found[:-1] == pytest.approx([wanted[p] for p in values])
    assert np.isnan(found[-1])


@given(COUNTS, COUNTS, st.integers(0, 9))
def test_dealing_keeps_the_tokens_of_each_phone_and_confusion(
    target: np.ndarray, reference: np.ndarray, seed: int
) -> None:
    found = restricted(target, reference)
    dealt = redealt(found, 5, np.random.default_rng(seed))
    for draw in range(5):
        assert (dealt.target[..., draw].sum(axis=1) == target.sum(axis=1)).all()
        assert (dealt.target[..., draw] + dealt.reference[..., draw] == target + reference).all()


def test_p_is_uniform_where_nothing_differs() -> None:
    """150 pairs of languages with the same confusions: p of the divergence, and of cells with tokens enough."""
    shares, whole, cells = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6]]), [], []
    for seed in range(150):
        generator = np.random.default_rng(seed)
        tables = [np.stack([generator.multinomial(12, row, 30) for row in shares], axis=1) for _ in range(2)]
        mine, theirs = (stack_of(table, PHONES) for table in tables)
        found = expected_confusions(mine.total(), theirs.total())
        drawn = resampling(30, None, resamples=200, seed=seed)
        draws = resampled(found, (mine, drawn), (theirs, drawn), counterparts=PHONES.phones)
        cells.append(cells_of(found, draws.residual, 30).p[0, 0])
        null = redealt(found, 199, generator).jensen_shannon()
        whole.append(p_value(found.jensen_shannon(), null))
    assert kstest(whole, "uniform").pvalue > 0.01
    assert kstest(cells, "uniform").pvalue > 0.01


def test_a_real_difference_is_found() -> None:
    generator = np.random.default_rng(5)
    tables = [np.stack([generator.multinomial(12, row, 30) for row in shares], axis=1) for shares in (
        [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6]],
        [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.4, 0.2, 0.4]],
    )]  # fmt: skip
    mine, theirs = (stack_of(table, PHONES) for table in tables)
    found = expected_confusions(mine.total(), theirs.total())
    drawn = resampling(30, None, resamples=200, seed=1)
    tests = cells_of(found, resampled(found, (mine, drawn), (theirs, drawn), counterparts=PHONES.phones).residual, 30)
    assert (tests.q < 0.05).tolist() == [[False] * 3, [False] * 3, [True, False, True]]
    assert (tests.low[2, 0], tests.high[2, 0]) < (0, 0)
