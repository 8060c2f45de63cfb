"""Tests against the reference language: vectorised divergences, the jackknife, cells, and q-values."""

import gc
import math
import weakref
from fractions import Fraction
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import stack_of
from scipy.stats import t as student
from small_experiment import make_experiment

from phonxling.analyses import level
from phonxling.analyses.expected import Comparison, cell_tests, without_speakers
from phonxling.analyses.expected_confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.level import Both, clusters_of, jackknifed_measure, over_resampled
from phonxling.core.inventory import Inventory
from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.computing import compute
from phonxling.experiment.configuration import load_configuration
from phonxling.resample.intervals import resampling

PHONES = Inventory(("a", "b", "c"))
COSTS = made_costs([0, 1, 2, 3, 0, 1, 2, 2, 0, *[1] * 6], gold=PHONES, predicted=PHONES, denominator=4)
COUNTS = arrays(np.int64, (3, 3), elements=st.integers(0, 6))


def restricted(target: np.ndarray, reference: np.ndarray) -> ExpectedConfusions:
    return ExpectedConfusions(gold=PHONES, predicted=PHONES, target=target, reference=reference, kept=1.0, left_out=())


def cells_of(confusions: ExpectedConfusions, clusters: Both) -> dict[str, np.ndarray]:
    return cell_tests(confusions, clusters, level=0.95, correction="benjamini-hochberg")


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
            ExpectedConfusions.corrected_jensen_shannon,
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
    targets, references = (
        over_resampled(found, (mine, drawn), (theirs, drawn), attrgetter(side), counterparts=PHONES.phones)
        for side in ("target", "reference")
    )
    weights = drawn.weights.astype(float)
    for replicate in (0, 3):  # not drawn alike: each stands beside the one before
        assert targets[..., replicate].tolist() == np.tensordot(weights[replicate], tables[:2], 1).tolist()
        assert references[..., replicate].tolist() == np.tensordot(weights[replicate - 1], tables[2:], 1).tolist()


def test_another_phone_of_the_reference_may_stand_for_a_phone() -> None:
    tables = np.random.default_rng(2).integers(1, 5, (2, 3, 3))
    mine, theirs = stack_of(tables[:1], PHONES), stack_of(tables[1:], PHONES)
    found = restricted(tables[0], tables[1][[1, 1, 2]])
    one = resampling(1, None, resamples=2, seed=1)
    of_reference, counterparts = attrgetter("reference"), ("b", "b", "c")
    drawn = over_resampled(found, (mine, one), (theirs, one), of_reference, counterparts=counterparts)
    assert drawn[..., 0].tolist() == found.reference.tolist()


def share_variance(by_speaker: np.ndarray, y: int, x: int) -> tuple[Fraction, Fraction] | None:
    """C/(C − 1) Σ (c − p n_s)² / n² and C − 1, C = n²/Σ n_s² or 2; None where fewer than two speakers say y."""
    rows = [[int(count) for count in speaker[y]] for speaker in by_speaker if speaker[y].sum()]
    if len(rows) < 2:
        return None
    total = sum(sum(row) for row in rows)
    share = Fraction(sum(row[x] for row in rows), total)
    apart = sum((row[x] - share * sum(row)) ** 2 for row in rows)
    free = max(Fraction(total**2, sum(sum(row) ** 2 for row in rows)), Fraction(2)) - 1
    return (free + 1) / free * apart / total**2, free


@given(arrays(np.int64, (5, 3, 3), elements=st.integers(0, 30)))
def test_cells_by_plain_loops(tables: np.ndarray) -> None:
    """The first two speakers are the target's, the others the reference's."""
    own, other = tables[:2], tables[2:]
    confusions = restricted(own.sum(axis=0), other.sum(axis=0))
    tests = cells_of(confusions, (own.astype(float), other.astype(float)))
    total = int(np.where(other.sum(axis=(0, 2))[:, None] > 0, own.sum(axis=0), 0).sum())
    for y, x in np.ndindex(3, 3):
        found = [share_variance(side, y, x) for side in (own, other)]
        seen = [int(side[:, y, x].sum()) for side in (own, other)]
        n = [int(side[:, y].sum()) for side in (own, other)]
        if None in found or min(n) < 20 or min(sum(seen), sum(n) - sum(seen)) < 10:
            assert np.isnan(tests["p"][y, x])
            continue
        share = Fraction(sum(seen), sum(n))
        spread = float(sum(variance for variance, _ in found))
        variance = max(spread, float(share * (1 - share) * (Fraction(1, n[0]) + Fraction(1, n[1]))))
        parts = sum(float(variance) ** 2 / float(free) for variance, free in found)
        free = spread**2 / parts if parts else float(sum(free for _, free in found))
        residual = seen[0] / total - n[0] / total * seen[1] / n[1]
        error = n[0] / total * math.sqrt(variance)
        if not error:  # one cell has all tokens of both languages
            assert np.isnan(tests["p"][y, x])
            continue
        assert tests["p"][y, x] == pytest.approx(2 * student.sf(abs(residual) / error, free), abs=1e-9)
        assert tests["low"][y, x] == pytest.approx(residual - student.ppf(0.975, free) * error, abs=1e-9)


def test_a_confusion_that_one_language_never_shows_is_not_certain() -> None:
    """Two speakers of a language hear a as a in all of 40 tokens, those of the reference as b in 20 of 100."""
    own, other = np.zeros((2, 3, 3)), np.zeros((2, 3, 3))
    own[:, 0, 0], other[:, 0, :2] = 20, [40, 10]
    confusions = restricted(own.sum(axis=0), other.sum(axis=0))
    tests = cells_of(confusions, (own, other))
    error = math.sqrt(20 / 140 * 120 / 140 * (1 / 40 + 1 / 100))
    assert tests["p"][0, 1] == pytest.approx(2 * student.sf(0.2 / error, 2))
    assert np.isnan(tests["p"][1:]).all()  # no tokens
    assert np.isnan(tests["p"][0, 2])  # shown by neither
    nothing = cell_tests(confusions, None, level=0.95, correction="benjamini-hochberg")
    assert np.isnan(nothing["q"]).all()


@given(COUNTS, COUNTS)
def test_the_corrected_divergence_by_plain_loops(target: np.ndarray, reference: np.ndarray) -> None:
    found = restricted(target, reference)
    known = [y for y in range(3) if target[y].sum() and reference[y].sum()]
    if not known:
        assert math.isnan(found.corrected_jensen_shannon())
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
    assert found.corrected_jensen_shannon() == pytest.approx(found.jensen_shannon() - bias, abs=1e-12)
    halves = restricted(target / 2 + 0.25, reference / 2 + 0.25)
    assert halves.corrected_jensen_shannon() == halves.jensen_shannon()  # fractions have no number of cells seen


@pytest.mark.parametrize("together", [1, 1 << 16])
def test_the_jackknife_leaves_out_each_speaker_of_both_languages(
    monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr(level, "_TOGETHER", together)
    tables = np.random.default_rng(3).integers(0, 9, (7, 3, 3)).astype(float)
    own, other = tables[:3], tables[3:]
    clusters, whole = (own, other), restricted(own.sum(axis=0), other.sum(axis=0))
    measure = ExpectedConfusions.jensen_shannon
    value = measure(whole)
    first = [measure(restricted(np.delete(own, k, axis=0).sum(axis=0), other.sum(axis=0))) for k in range(3)]
    second = [measure(restricted(own.sum(axis=0), np.delete(other, k, axis=0).sum(axis=0))) for k in range(4)]
    bias = 2 * (np.mean(first) - value) + 3 * (np.mean(second) - value)
    error = math.sqrt(2 * np.var(first) + 3 * np.var(second))
    assert jackknifed_measure(clusters, whole, measure) == (pytest.approx(value - bias), pytest.approx(error))


def test_without_speakers_or_with_one_there_is_a_reason() -> None:
    utterances, one = resampling(4, None, resamples=0, seed=1), resampling(4, ["s"] * 4, resamples=0, seed=1)
    speakers = resampling(4, list("abcd"), resamples=0, seed=1)
    assert without_speakers(speakers, speakers) == ""
    assert "utterances are resampled" in without_speakers(speakers, utterances)
    assert "has one only" in without_speakers(one, speakers)


def test_clusters_are_the_counts_of_speakers_of_both_languages() -> None:
    tables = np.random.default_rng(4).integers(1, 5, (5, 3, 3))
    mine, theirs = stack_of(tables[:3], PHONES), stack_of(tables[3:], PHONES)
    own, other = resampling(3, ["s", "t", "s"], resamples=0, seed=1), resampling(2, None, resamples=0, seed=1)
    phones = PHONES.phones, ("b", "b", "none")
    found = clusters_of((mine, own), (theirs, other), phones=phones, predicted=Inventory(("c", "z", "a")))
    empty = np.zeros(3)
    wanted = [[[row[2], 0, row[0]] for row in table] for table in (tables[0] + tables[2], tables[1])]
    assert found[0].tolist() == wanted
    assert found[1][0].tolist() == [[tables[3][1][2], 0, tables[3][1][0]]] * 2 + [empty.tolist()]
    few = clusters_of((mine, own), (theirs, other), phones=phones, predicted=PHONES, most=1)
    assert few[0].tolist() == [tables[:3].sum(axis=0).tolist()]


def test_the_tables_of_speakers_go_with_what_they_were_made_for(tmp_path: Path) -> None:
    experiment = load_configuration(make_experiment(tmp_path), ["chance.replicates=1", "uncertainty.resamples=20"])
    reference, target = compute(experiment, SERIAL, Silent())
    comparison = Comparison(target, reference, experiment.expected, target.same_phones(reference))
    assert {*comparison.draws} >= {"lead", "js"}
    alive = weakref.ref(comparison)
    gc.disable()  # garbage in cycles is looked for seldom
    try:
        del comparison
        assert alive() is None
    finally:
        gc.enable()
