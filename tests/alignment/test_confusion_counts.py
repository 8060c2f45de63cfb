"""Counting alignments against plain Python, and matrices and joint distributions as sums."""

import copy
import pickle
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import alignments_of

from phonxling.alignment.confusions import count_confusions, count_operations, stack_confusions
from phonxling.core.confusion import ConfusionMatrix, SummedNumbers
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.posteriorgram import JointDistribution

GOLD, HEARD = Inventory(("c", "a", "b")), Inventory(("b", "x", "a", "y"))

_pair = st.one_of(
    st.tuples(st.sampled_from(GOLD.phones), st.sampled_from(HEARD.phones)),
    st.tuples(st.sampled_from(GOLD.phones), st.just(GAP)),
    st.tuples(st.just(GAP), st.sampled_from(HEARD.phones)),
)
Corpus = list[list[tuple[str, str]]]
corpora = st.lists(st.lists(_pair, max_size=8), max_size=6)
alignments = partial(alignments_of, gold=GOLD.phones, predicted=HEARD.phones)


@pytest.mark.parametrize(("gold", "predicted"), [(4, 0), (-1, 0), (0, 5), (0, -1)])
def test_codes_that_the_inventories_do_not_hold_are_refused(gold: int, predicted: int) -> None:
    wrong = replace(alignments([[("a", "a")]]), gold=np.array([gold]), predicted=np.array([predicted]))
    for count in (count_confusions, stack_confusions):
        with pytest.raises(ValueError, match="the alignment has codes that its inventories do not hold"):
            count(wrong)


def as_counter(matrix: ConfusionMatrix) -> Counter[tuple[str, str]]:
    rows, columns = (*matrix.gold, GAP), (*matrix.predicted, GAP)
    cells = {(g, p): int(matrix.counts[i, j]) for i, g in enumerate(rows) for j, p in enumerate(columns)}
    return Counter({pair: count for pair, count in cells.items() if count})


@given(corpora)
def test_counts_are_the_pairs(corpus: Corpus) -> None:
    matrix = count_confusions(alignments(corpus))
    pairs = [pair for utterance in corpus for pair in utterance]
    assert as_counter(matrix) == Counter(pairs)


@given(corpora)
def test_operations_are_those_of_the_pairs(corpus: Corpus) -> None:
    found = count_operations(alignments(corpus))
    assert found.shape == (len(corpus), 4)
    for utterance, counted in zip(corpus, found.tolist(), strict=True):
        deleted = sum(predicted == GAP for _, predicted in utterance)
        inserted = sum(gold == GAP for gold, _ in utterance)
        correct = sum(gold == predicted for gold, predicted in utterance)
        assert counted == [correct, len(utterance) - correct - deleted - inserted, deleted, inserted]


@given(corpora)
def test_the_stack_holds_every_utterance(corpus: Corpus) -> None:
    stack = stack_confusions(alignments(corpus))
    assert len(stack) == len(corpus)
    assert stack.total() == count_confusions(alignments(corpus))
    for number, utterance in enumerate(corpus):
        assert as_counter(stack.select(np.array([number])).total()) == Counter(utterance)
        cells = stack.cells[stack.offsets[number] : stack.offsets[number + 1]]
        assert (np.diff(cells) > 0).all()
    assert (stack.counts > 0).all()
    more = Inventory(("b", "z", "c", "a")), Inventory(("y", "a", "x", "b", "q"))
    assert stack.over(*more).total() == stack.total().reindex(*more)


def test_sums_of_groups_are_the_same_some_utterances_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(4)
    corpus = [[(gold, HEARD.phones[code]) for gold in GOLD for code in generator.integers(0, 4, 9)] for _ in range(30)]
    stack, group = stack_confusions(alignments(corpus)), np.arange(30) % 2
    by_hand = [count_confusions(alignments(corpus[first::2])).counts.ravel() for first in (0, 1)]
    monkeypatch.setattr("phonxling.core.confusion._BLOCK", 1)
    assert stack.sums_by(group, 2).tolist() == np.array(by_hand).tolist()


@given(corpora, st.data())
def test_weights_count_utterances_so_often(corpus: Corpus, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)))
    repeated = [utterance for utterance, weight in zip(corpus, weights, strict=True) for _ in range(weight)]
    found = stack_confusions(alignments(corpus)).total(np.array(weights, dtype=np.float64))
    assert found == count_confusions(alignments(repeated))


@st.composite
def sums(draw: st.DrawFn, kind: type[SummedNumbers], phones: bool = True) -> SummedNumbers:
    """Draw a matrix of counts or of mass over some phones, or over b, a, c and x, a."""
    gold = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=4)) if phones else ["b", "a", "c"]
    others = draw(st.lists(st.sampled_from("axyb"), unique=True, max_size=4)) if phones else ["x", "a"]
    shape = len(gold) + kind._gaps, len(others) + kind._gaps
    numbers = np.array(draw(st.lists(st.integers(0, 9), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])))
    if kind is ConfusionMatrix:
        numbers[-1] = 0
    return kind(gold, others, numbers.reshape(shape) / (16 if kind is JointDistribution else 1))


def cells(value: SummedNumbers) -> Counter[tuple[str, str]]:
    rows, columns, numbers = value._parts()
    names = [[*side, GAP] for side in (rows, columns)]
    return Counter({(names[0][i], names[1][j]): number for (i, j), number in np.ndenumerate(numbers) if number})


KINDS = st.sampled_from([ConfusionMatrix, JointDistribution])


@given(KINDS, st.data())
def test_a_sum_holds_every_count_of_both_and_zero_changes_nothing(
    kind: type[SummedNumbers], data: st.DataObject
) -> None:
    first, second, third = (data.draw(sums(kind)) for _ in range(3))
    total = first + second
    assert cells(total) == cells(first) + cells(second)
    assert total == second + first
    assert cells(total + third) == cells(first + (second + third))
    for one, other, phones in zip(first._parts()[:2], second._parts()[:2], total._parts()[:2], strict=True):
        assert set(phones) == {*one, *other}
    assert first + kind.zero() == kind.zero() + first == first + kind.zero(*first._parts()[:2]) == first
    assert sum([first, second]) == total
    assert pickle.loads(pickle.dumps(first)) == copy.deepcopy(first) == first  # noqa: S301 - our own
    with pytest.raises(TypeError):
        first + 1


@given(sums(ConfusionMatrix, phones=False), st.permutations(["a", "b", "c"]))
def test_another_order_of_phones_keeps_each_count(matrix: ConfusionMatrix, order: list[str]) -> None:
    assert (matrix + matrix).gold.phones == ("b", "a", "c")
    turned = matrix.reindex(Inventory(tuple(order)), Inventory(("z", "a", "x")))
    assert cells(turned) == cells(matrix)
    with pytest.raises(KeyError):
        matrix.reindex(Inventory(("a", "b")), matrix.predicted)


@pytest.mark.parametrize("counts", [[[1, 2, 3]], [[-1]], [[np.nan]], [[np.inf]], [[1, 2], [3, 4]], [1]], ids=str)
def test_impossible_numbers_are_refused(counts: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"counts|∅"):
        ConfusionMatrix(["a"], ["b"], counts)
    with pytest.raises(ValueError, match="mass"):
        JointDistribution(["a"], ["x"], counts)
