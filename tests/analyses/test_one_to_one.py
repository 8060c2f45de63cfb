"""One-to-one assignments against trying all of them, and what their accuracy must satisfy."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import stack_of
from scipy.optimize import linear_sum_assignment
from support import corpus_of

from phonxling.analyses.analysed import analyse
from phonxling.analyses.entropy import conditional_entropy
from phonxling.analyses.one_to_one import assigned, one_to_one, one_to_one_accuracy
from phonxling.analyses.statistics import ONE_TO_ONE, CountSettings, values
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import resampling
from phonxling.settings.models import Experiment

COUNTS = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 3))
)


def tried(counts: np.ndarray) -> tuple[int, ...]:
    """Return the first of the best assignments, by trying all: none (-1) comes after every partner."""
    predicted = counts.shape[1]
    choices = [[*[x for x in range(predicted) if row[x] > 0], predicted] for row in counts]
    best: tuple[int, tuple[int, ...]] | None = None
    for partners in itertools.product(*choices):  # in lexicographic order
        used = [x for x in partners if x < predicted]
        if len(set(used)) < len(used):
            continue
        matched = int(sum(counts[y, x] for y, x in enumerate(partners) if x < predicted))
        if best is None or matched > best[0]:
            best = matched, partners
    assert best is not None
    return tuple(-1 if x == predicted else x for x in best[1])


def matrix_of(counts: np.ndarray) -> ConfusionMatrix:
    gold, predicted = counts.shape
    return ConfusionMatrix([f"g{y}" for y in range(gold)], [f"p{x}" for x in range(predicted)], counts)


@given(COUNTS, st.integers(1, 7))
def test_the_assignment_is_the_first_of_the_best_ones(counts: np.ndarray, denominator: int) -> None:
    assert tuple(one_to_one(matrix_of(counts / denominator)).tolist()) == tried(counts)


def first_of_the_best(counts: np.ndarray) -> list[int]:
    """Return the same by SciPy: row by row, the earliest column with which the others still match as many tokens."""

    def most(left: list[int], free: list[int]) -> int:
        part = counts[np.ix_(left, free)]
        return int(part[linear_sum_assignment(part, maximize=True)].sum())

    rows, columns = (list(range(size)) for size in counts.shape)
    partners, wanted = [], most(rows, columns)
    while rows:
        row, *rows = rows
        others = {column: [other for other in columns if other != column] for column in columns if counts[row, column]}
        best = (column for column, free in others.items() if counts[row, column] + most(rows, free) == wanted)
        partners.append(next(best, -1))
        wanted -= counts[row, partners[-1]] if partners[-1] >= 0 else 0
        columns = others.get(partners[-1], columns)
    return partners


@given(st.tuples(st.integers(1, 14), st.integers(1, 14)), st.sampled_from([0.1, 1, 30]), st.integers(0, 1000))
def test_larger_tables_are_assigned_as_by_scipy(shape: tuple[int, int], mean: float, seed: int) -> None:
    """Frequent phones are the best partners of most others, as in predictions of chance; many sums are equal."""
    generator = np.random.default_rng(seed)
    gold, predicted = (generator.exponential(1, size) for size in shape)
    tables = generator.poisson(mean * np.outer(gold, predicted), (3, *shape))
    wanted = [first_of_the_best(table) for table in tables]
    assert [one_to_one(matrix_of(table)).tolist() for table in tables] == wanted
    row, column = np.nonzero(tables.any(axis=0))
    assert assigned(row, column, tables[:, row, column].astype(float), shape).tolist() == wanted


@given(COUNTS)
def test_accuracy_in_the_sample_is_1_exactly_when_both_conditional_entropies_are_0(counts: np.ndarray) -> None:
    matrix = matrix_of(counts)
    accuracy = one_to_one_accuracy(matrix, one_to_one(matrix))
    if not counts.sum():
        assert np.isnan(accuracy)
        return
    certain = conditional_entropy(matrix) == 0 and conditional_entropy(matrix, given="predicted") == 0
    assert (accuracy == 1) == certain


def test_insertions_and_deletions_are_left_out() -> None:
    matrix = ConfusionMatrix(["a"], ["x", "y"], [[3, 1, 90], [0, 70, 0]])
    assert one_to_one(matrix).tolist() == [0]
    assert one_to_one_accuracy(matrix, one_to_one(matrix)) == 0.75


def test_an_assignment_of_other_phones_is_refused() -> None:
    with pytest.raises(ValueError, match="of 2 gold phones, and the counts are of 1"):
        one_to_one_accuracy(ConfusionMatrix(["a"], ["x"], [[3]]), np.array([0, 1]))


@given(arrays(np.int64, (6, 3, 3), elements=st.integers(0, 3)), arrays(np.int8, 6, elements=st.integers(0, 1)))
def test_cross_fitting_scores_each_half_by_the_assignment_of_the_other(counts: np.ndarray, half: np.ndarray) -> None:
    stack, sides = stack_of(counts, "abc", "xyz"), [counts[half == side].sum(axis=0) for side in (0, 1)]
    clusters = cluster_cells(stack, resampling(6, None, resamples=0, seed=1))
    found = values([ONE_TO_ONE], stack, CountSettings(half), clusters)["one_to_one_accuracy"]
    if not all(side.any() for side in sides):
        assert np.isnan(found)
        return
    pairs = ((sides[0], tried(sides[1])), (sides[1], tried(sides[0])))
    matched = sum(own[y, x] for own, partners in pairs for y, x in enumerate(partners) if x >= 0)
    assert found == pytest.approx(matched / counts.sum())


def few_speakers(seed: int, speakers: int = 4) -> tuple[np.ndarray, float]:
    """Return the one-to-one accuracy of 2,000 tokens of a few speakers, of whom about 70 % are heard right."""
    generator, phones = np.random.default_rng(seed), Inventory(tuple("abdefhijklmnopst"))
    gold = [generator.choice(16, 25) for _ in range(80)]
    heard = [np.where(generator.random(25) < 0.7, row, generator.integers(0, 16, 25)) for row in gold]
    rows = ([[phones.phones[code] for code in row] for row in side] for side in (gold, heard))
    corpus = corpus_of(*rows, (phones, phones), speakers=tuple(f"s{number % speakers}" for number in range(80)))
    sides = {"gold": {"path": "gold.tsv"}, "predicted": {"path": "predicted.tsv"}}
    chance = {"models": ["unigram"], "replicates": 2}
    experiment = Experiment.model_validate({"name": "few", "corpora": {"x": sides}, "chance": chance})
    analysed = analyse(corpus, experiment)
    return analysed.drawn["one_to_one_accuracy"], analysed.statistics["one_to_one_accuracy"]


@pytest.mark.parametrize("seed", range(3))
def test_draws_of_four_speakers_never_score_nothing(seed: int) -> None:
    """Draws that have speakers of one half of the corpus alone once scored 0."""
    drawn, value = few_speakers(seed)
    defined = drawn[~np.isnan(drawn)]
    assert 0 < np.isnan(drawn).mean() < 0.05  # one speaker, drawn four times: 4 / 4⁴
    assert defined.min() > 0.55
    assert defined.std() < 0.05
    assert 0.6 < value < 0.8
