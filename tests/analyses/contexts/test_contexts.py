"""Confusions in context, counted token by token, and the information that contexts add."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import PREDICTED, ROWS, Pair, alignments_of

from phonxling.analyses.contexts import (
    added_information,
    both_sides,
    count_contexts,
    neighbours,
    permuted_added_information,
    positions,
)
from phonxling.core.inventory import GAP

SORT = {"a": "vowel", "i": "vowel", "n": "nasal", "p": "stop", "ʘ": "other"}


def tokens_of(rows: list[list[Pair]]) -> list[tuple[str, str, str, str, str]]:
    """Return gold, predicted, the classes on the left and on the right, and the position of each gold token."""
    found = []
    for row in rows:
        said = [pair for pair in row if pair[0] != GAP]
        for place, (gold, predicted) in enumerate(said):
            left = SORT[said[place - 1][0]] if place else "#"
            right = SORT[said[place + 1][0]] if place + 1 < len(said) else "#"
            first, last = place == 0, place + 1 == len(said)
            where = {(True, True): "alone", (True, False): "initial", (False, True): "final"}.get(
                (first, last), "medial"
            )
            found.append((gold, predicted, left, right, where))
    return found


@given(ROWS)
def test_contexts_are_those_of_each_gold_token(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    left, right = (neighbours(aligned, side, SORT.__getitem__) for side in ("left", "right"))
    named = [[labels[code] for code in codes] for labels, codes in (left, right, positions(aligned))]
    assert list(zip(*named, strict=True)) == [token[2:] for token in tokens_of(rows)]
    labels, codes = both_sides(left, right)
    assert [labels[code] for code in codes] == [f"{a} _ {b}" for a, b in zip(*named[:2], strict=True)]


@given(ROWS)
def test_counts_by_context_are_those_of_the_tokens(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    stack, _, _ = count_contexts(aligned, neighbours(aligned, "left", SORT.__getitem__))
    total = stack.total()
    heard = [*PREDICTED, GAP]
    found = {
        (total.gold.phones[row], heard[column]): total.counts[row, column] for row, column in np.argwhere(total.counts)
    }
    assert found == Counter((f"{gold} / {left}", answer) for gold, answer, left, *_ in tokens_of(rows))
    assert [stack.matrix_of(u).counts.sum() for u in range(len(rows))] == [
        sum(gold != GAP for gold, _ in row) for row in rows
    ]


def entropy_given(tokens: list[tuple[str, ...]]) -> float:
    """Return H(last | all before) of tokens, in bits."""
    whole, given_ = Counter(tokens), Counter(token[:-1] for token in tokens)
    return -sum(n / len(tokens) * math.log2(n / given_[token[:-1]]) for token, n in whole.items())


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=40))
def test_added_information_is_the_difference_of_two_entropies(tokens: list[tuple[str, str, str]]) -> None:
    """Tokens are (gold, context, predicted)."""
    counts, phones = counted_cells(tokens)
    wanted = entropy_given([(gold, answer) for gold, _, answer in tokens]) - entropy_given([*tokens])
    assert added_information(counts, phones) == pytest.approx(wanted, abs=1e-9)


def counted_cells(tokens: list[tuple[str, str, str]]) -> tuple[np.ndarray, np.ndarray]:
    rows = sorted({token[:2] for token in tokens})
    counts = np.zeros((len(rows), 3))
    for gold, context, answer in tokens:
        counts[rows.index((gold, context)), "abc".index(answer)] += 1
    return counts, np.array(["abc".index(row[0]) for row in rows])


def test_the_null_is_that_of_permuting_contexts_within_each_phone() -> None:
    generator = np.random.default_rng(3)
    tokens = [tuple(row) for row in generator.choice(list("aabc"), (60, 3))]
    drawn = permuted_added_information(*counted_cells(tokens), 4000, generator)  # type: ignore[arg-type]
    permuted = []
    for _ in range(1500):
        mixed = []
        for phone in "abc":
            own = [token for token in tokens if token[0] == phone]
            contexts = generator.permutation([token[1] for token in own])
            mixed += [(phone, str(context), token[2]) for context, token in zip(contexts, own, strict=True)]
        permuted.append(added_information(*counted_cells(mixed)))
    assert drawn.mean() == pytest.approx(np.mean(permuted), abs=0.006)
    assert np.quantile(drawn, [0.05, 0.5, 0.95]) == pytest.approx(np.quantile(permuted, [0.05, 0.5, 0.95]), abs=0.02)


@given(arrays(np.int64, (4, 3), elements=st.integers(0, 9)))
def test_one_context_adds_nothing(counts: np.ndarray) -> None:
    value = added_information(counts.astype(float), np.arange(4))
    assert math.isnan(value) if not counts.sum() else value == pytest.approx(0, abs=1e-12)


def test_the_truth_lies_between_the_excess_and_the_plug_in() -> None:
    """Four phones in six contexts, eight answers: a known I(X;Z|Y), estimated from 2,000 tokens."""
    generator = np.random.default_rng(8)
    given_phone = generator.dirichlet(np.full(8, 0.3), 4)[:, None]
    answers = 0.8 * given_phone + 0.2 * generator.dirichlet(np.full(8, 0.3), (4, 6))
    joint = answers.reshape(24, 8) / 24
    phones = np.repeat(np.arange(4), 6)
    truth, found = added_information(joint, phones), []
    for _ in range(20):
        counts = generator.multinomial(2000, joint.ravel()).reshape(24, 8).astype(float)
        plug_in = added_information(counts, phones)
        found.append((plug_in - permuted_added_information(counts, phones, 100, generator).mean(), plug_in))
    excess, plug_in = np.mean(found, axis=0)
    assert 0.5 * truth < excess < truth < plug_in


def test_contexts_without_effect_have_no_excess() -> None:
    generator = np.random.default_rng(9)
    joint = np.repeat(generator.dirichlet(np.full(8, 0.3), 4), 6, axis=0) / 24
    phones = np.repeat(np.arange(4), 6)
    found = []
    for _ in range(40):
        counts = generator.multinomial(1000, joint.ravel()).reshape(24, 8).astype(float)
        null = permuted_added_information(counts, phones, 100, generator)
        found.append((added_information(counts, phones) - null.mean(), null.mean()))
    excess, bias = np.mean(found, axis=0)
    assert abs(excess) < 0.1 * bias


def test_deleted_tokens_have_a_context_too() -> None:
    aligned = alignments_of([[("p", GAP), ("a", "a")]])
    stack, _, _ = count_contexts(aligned, (("x", "y"), np.array([0, 1])))
    assert stack.total().deletions.tolist() == [0, 1]  # a / y, p / x: the order of the inventory
