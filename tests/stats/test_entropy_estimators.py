"""Entropies of samples and of many tables: textbook values, R's numbers, formulas written out again."""

import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from simulations.matrices import estimator_lines as lines

import phonxling as px
from phonxling.core.errors import ConfigurationError
from phonxling.core.estimate import Estimate
from phonxling.stats.estimators import (
    ESTIMATORS,
    NEED_WHOLE,
    cell_information,
    entropy,
    few_per_cell,
    in_phones,
    largest_information,
    table_information,
)

counts = st.lists(st.integers(0, 40), min_size=1, max_size=12).filter(any)
R_COUNTS = [4, 2, 3, 0, 2, 4, 0, 0, 2, 1, 1]  # the example of R's package entropy


@given(counts)
def test_plug_in_is_scipys(values: list[int]) -> None:
    found = entropy(values)
    assert found == pytest.approx(float(scipy.stats.entropy(values, base=2)), abs=1e-12)
    assert not math.copysign(1, found) < 0


@given(counts)
def test_miller_madow_formula(values: list[int]) -> None:
    n, seen = sum(values), [value for value in values if value]
    nats = math.fsum(-value / n * math.log(value / n) for value in seen) + (len(seen) - 1) / (2 * n)
    assert entropy(values, "miller-madow") == pytest.approx(nats / math.log(2), abs=1e-12)


def test_the_numbers_of_rs_package_entropy() -> None:
    """Nats of R's entropy.empirical, ChaoShen and shrink, as the tests of Julia's Discreet quote them from R.

    Six singletons are the edge case: coverage would be 0, and R takes 5 of them in their place.
    """
    nats = math.log(2)
    assert entropy(R_COUNTS) * nats == pytest.approx(1.968382408728, abs=1e-12)
    assert entropy(R_COUNTS, "chao-shen") * nats == pytest.approx(2.201137101279, abs=1e-12)
    assert entropy([1] * 6, "chao-shen") * nats == pytest.approx(3.840549310406, abs=1e-12)
    assert entropy(R_COUNTS, "shrink") * nats == pytest.approx(2.379602895309, abs=1e-12)


USE_SUPPORT = ("shrink", "jeffreys", "laplace", "nsb")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_edge_cases(estimator: str) -> None:
    assert math.isnan(entropy([], estimator))
    assert math.isnan(entropy([0, 0], estimator))
    assert entropy([3, 0, 2], estimator) == pytest.approx(entropy([2, 3, 0], estimator))
    assert entropy([[3, 0], [2, 1]], estimator) == pytest.approx(entropy([3, 0, 2, 1], estimator))
    assert entropy([10**12, 10**12], estimator) == pytest.approx(1)
    if estimator != "grassberger":
        assert entropy([9], estimator) == 0
        assert entropy([1], estimator) == 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_symbols_that_were_possible_but_not_seen_count_for_those_that_use_the_support(estimator: str) -> None:
    alone, with_unseen = entropy([3, 2], estimator), entropy([3, 2, 0, 0], estimator)
    assert (with_unseen > alone) if estimator in USE_SUPPORT else (with_unseen == alone)


@given(counts)
def test_grassberger_by_its_recurrence(values: list[int]) -> None:
    """Grassberger (2003): G(1) = −γ − ln 2, G(2) = 2 − γ − ln 2, G(2k+1) = G(2k), G(2k+2) = G(2k) + 2/(2k+1)."""
    n, seen = sum(values), [value for value in values if value]
    table = [0.0, -np.euler_gamma - math.log(2), 2 - np.euler_gamma - math.log(2)]
    for k in range(3, 41):
        table.append(table[k - 1] if k % 2 else table[k - 2] + 2 / (k - 1))
    nats = math.log(n) - math.fsum(value * table[value] for value in seen) / n
    assert entropy(values, "grassberger") == pytest.approx(nats / math.log(2), abs=1e-12)


@given(counts)
def test_dirichlet_estimates_are_the_plug_in_of_more_tokens(values: list[int]) -> None:
    for estimator, more in (("laplace", 1), ("jeffreys", 0.5)):
        assert entropy(values, estimator) == pytest.approx(entropy([value + more for value in values]), abs=1e-12)


@given(counts)
def test_shrinkage_formula(values: list[int]) -> None:
    """Hausser & Strimmer (2009), eq. 5 and 6, in exact fractions up to the logarithm."""
    n, size = sum(values), len(values)
    share = [Fraction(value, n) for value in values]
    away = (n - 1) * sum((Fraction(1, size) - p) ** 2 for p in share)
    pull = min(Fraction(1), (1 - sum(p * p for p in share)) / away) if away else Fraction(1)
    shrunk = [float(pull / size + (1 - pull) * p) for p in share]
    expected = -math.fsum(p * math.log2(p) for p in shrunk if p)
    assert entropy(values, "shrink") == pytest.approx(expected, abs=1e-12)


def _nsb_by_quadrature(values: list[int]) -> float:
    """NSB with SciPy's adaptive quadrature over ln β; Γ(b + n)/Γ(b) is written out as the product b(b+1)…(b+n−1)."""
    size, n = len(values), sum(values)

    def rising(base: float, steps: int) -> float:
        return math.fsum(math.log(base + step) for step in range(steps))

    def weight(u: float) -> float:
        beta = math.exp(u)
        slope = size * scipy.special.polygamma(1, size * beta + 1) - scipy.special.polygamma(1, beta + 1)
        if slope <= 0:
            return 0.0
        likelihood = sum(rising(beta, value) for value in values) - rising(size * beta, n)
        return math.exp(likelihood + n * math.log(size) + math.log(slope) + u)

    def mean(u: float) -> float:
        beta = math.exp(u)
        terms = ((v + beta) / (n + size * beta) * scipy.special.digamma(v + beta + 1) for v in values)
        return float(scipy.special.digamma(n + size * beta + 1)) - math.fsum(terms)

    spans = [(-30, -10), (-10, -3), (-3, 0), (0, 3), (3, 8), (8, 25)]
    above = math.fsum(scipy.integrate.quad(lambda u: weight(u) * mean(u), *span, limit=200)[0] for span in spans)
    below = math.fsum(scipy.integrate.quad(weight, *span, limit=200)[0] for span in spans)
    return above / below / math.log(2)


@pytest.mark.parametrize("values", [R_COUNTS, [1] * 6, [5, 0], [60, 3, 0, 0, 1], [1, 0, 0, 0], [9, 7, 8], [2, 1, 1]])
def test_nsb_by_direct_integration(values: list[int]) -> None:
    assert entropy(values, "nsb") == pytest.approx(_nsb_by_quadrature(values), rel=1e-7)


@given(st.floats(5e-324, 1e-300), st.floats(1, 1e6))
def test_mass_that_division_turns_to_zero_counts_as_none(tiny: float, large: float) -> None:
    assert entropy([tiny, large]) == pytest.approx(0, abs=1e-12)


def test_the_study_has_bias_and_error_of_every_estimator() -> None:
    header, _, first, *_ = lines(10)
    names = [cell.strip() for cell in header.strip("|").split("|")][1:]
    assert names == [*ESTIMATORS]
    off = dict(zip(names, re.findall(r"([+-][0-9.]+) \(([0-9.]+)\)", first), strict=True))
    assert float(off["ml"][0]) < -0.5  # five tokens cannot show many confusions
    assert float(off["laplace"][0]) > 1
    assert all(float(error) >= abs(float(bias)) for bias, error in off.values())


pairs_of_counts = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=9).filter(
    lambda pairs: all(any(side) for side in zip(*pairs, strict=True))
)


@given(pairs=pairs_of_counts, base=st.sampled_from([2.0, math.e, 10.0]))
def test_given_distributions_are_scipys(pairs: list[tuple[int, int]], base: float) -> None:
    p, q = (np.array(side) / sum(side) for side in zip(*pairs, strict=True))
    own, apart = float(scipy.stats.entropy(p, base=base)), float(scipy.stats.entropy(p, q, base=base))
    assert px.estimators.cross_entropy(p, base=base) == pytest.approx(own, abs=1e-12)
    assert px.estimators.divergence(p, q, base=base) == pytest.approx(apart, abs=1e-12)
    assert px.estimators.cross_entropy(p, q, base=base) == pytest.approx(own + apart, abs=1e-12)
    shares = [px.estimators.cross_entropy(p, normalised=True), own / math.log(len(p), base)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-12)
    assert shares[0] <= 1 + 1e-12


def test_entropies_of_worked_examples() -> None:
    of_tokens = px.estimators.token_cross_entropy
    model = [1 / 247] * 247  # a perplexity of 247 is 7.95 bits
    assert px.estimators.cross_entropy(model) == pytest.approx(7.95, abs=0.005)
    assert 2 ** px.estimators.cross_entropy(model) == pytest.approx(247)
    assert px.estimators.divergence([0.5, 0.5], [0.75, 0.25]) == pytest.approx(0.5 * math.log2(4 / 3))
    assert px.estimators.divergence([1, 0], [0, 1]) == math.inf
    assert of_tokens([-math.inf]) == math.inf
    assert of_tokens(np.log([0.1, 0.1]), symbols=10) == pytest.approx(1)
    assert math.isnan(px.estimators.cross_entropy([1.0], normalised=True))
    assert math.isnan(of_tokens([]))


@pytest.mark.parametrize(
    ("function", "arguments", "why"),
    [
        (entropy, ([-1, 2], "nsb"), "finite and not negative"),
        (entropy, ([1, 2], "best"), "ml, miller-madow, chao-shen"),
        *((entropy, ([1.5, 2], estimator), "whole counts") for estimator in sorted(NEED_WHOLE)),
        *((px.estimators.cross_entropy, (no,), "must sum to 1, not to") for no in ([0.5, 0.4], [1.5, -0.5], [])),
    ],
)
def test_what_has_no_entropy_is_refused(
    function: Callable[..., float], arguments: tuple[object, ...], why: str
) -> None:
    with pytest.raises((ValueError, ConfigurationError), match=why):
        function(*arguments)


tables = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 4))
)


@given(tables, st.booleans())
def test_information_of_many_tables_is_that_of_each(counts: np.ndarray, corrected: bool) -> None:
    estimator, found = "miller-madow" if corrected else "ml", table_information(counts, corrected=corrected)
    most = largest_information(counts.shape[:2])
    for place in range(counts.shape[2]):
        own = counts[..., place]
        gold, predicted, joint = (entropy(side, estimator) for side in (own.sum(axis=1), own.sum(axis=0), own))
        wanted = {
            "conditional_entropy": joint - gold,
            "conditional_entropy_given_predicted": joint - predicted,
            "entropy_gold": gold,
            "entropy_predicted": predicted,
            "mutual_information": gold + predicted - joint,
        }
        for name, value in wanted.items():
            assert found[name][place] == pytest.approx(value, abs=1e-9, nan_ok=True)
            assert corrected or not found[name][place] > most[name] + 1e-9


@given(tables)
def test_attested_cells_give_what_whole_tables_do(counts: np.ndarray) -> None:
    rows, columns = np.nonzero(counts.any(axis=2))
    sparse = cell_information(rows, columns, counts[rows, columns], counts.shape[:2])
    for name, values in table_information(counts, corrected=True).items():
        assert sparse[name] == pytest.approx(values, abs=1e-9, nan_ok=True)


def test_perplexities_and_the_warning_of_few_tokens() -> None:
    assert in_phones(Estimate(3.0, 1.0, 4.0, 0.95)) == Estimate(8.0, 2.0, 16.0, 0.95)
    assert math.isnan(in_phones(Estimate(2000.0)).value)
    assert [few_per_cell(np.array([[count, 0.0], [0.0, count]])) for count in (3.0, 4.0)] == [True, False]
    assert not few_per_cell(np.zeros((2, 2)))
