"""Confusions in context and insertions between gold phones, token by token, and the information that contexts add."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_alignments import GOLD, PREDICTED, ROWS, TOY, Pair, alignments_of

from phonxling.analyses.contexts import (
    KINDS,
    added_information,
    both_sides,
    count_contexts,
    inserted_between,
    kinds_of,
    neighbours,
    permuted_added_information,
    positions,
)
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP, Inventory
from phonxling.count.confusions import gold_neighbours

SORT = {"a": "vowel", "i": "vowel", "n": "nasal", "p": "stop", "ʘ": "other"}
VOWELS, UNKNOWN = {"a", "i"}, {"ʘ"}
WHERE = {(True, True): "alone", (True, False): "initial", (False, True): "final"}


def tokens_of(rows: list[list[Pair]]) -> list[tuple[str, str, str, str, str]]:
    """Return gold, predicted, the classes on the left and on the right, and the position of each gold token."""
    found = []
    for row in rows:
        said = [pair for pair in row if pair[0] != GAP]
        for place, (gold, predicted) in enumerate(said):
            first, last = place == 0, place + 1 == len(said)
            left, right = "#" if first else SORT[said[place - 1][0]], "#" if last else SORT[said[place + 1][0]]
            found.append((gold, predicted, left, right, WHERE.get((first, last), "medial")))
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
def test_counts_by_context_are_those_of_the_tokens_deleted_ones_too(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    stack, _, _ = count_contexts(aligned, neighbours(aligned, "left", SORT.__getitem__))
    total, heard = stack.total(), [*PREDICTED, GAP]
    found = {
        (total.gold.phones[row], heard[column]): total.counts[row, column] for row, column in np.argwhere(total.counts)
    }
    assert found == Counter((f"{gold} / {left}", answer) for gold, answer, left, *_ in tokens_of(rows))
    tokens = [sum(gold != GAP for gold, _ in row) for row in rows]
    assert [stack.matrix_of(u).counts.sum() for u in range(len(rows))] == tokens


def entropy_given(tokens: list[tuple[str, ...]]) -> float:
    """Return H(last | all before) of tokens, in bits."""
    whole, given_ = Counter(tokens), Counter(token[:-1] for token in tokens)
    return -sum(n / len(tokens) * math.log2(n / given_[token[:-1]]) for token, n in whole.items())


def counted_cells(tokens: list[tuple[str, str, str]]) -> tuple[np.ndarray, np.ndarray]:
    rows = sorted({token[:2] for token in tokens})
    counts = np.zeros((len(rows), 3))
    for gold, context, answer in tokens:
        counts[rows.index((gold, context)), "abc".index(answer)] += 1
    return counts, np.array(["abc".index(row[0]) for row in rows])


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), max_size=40))
def test_added_information_is_the_difference_of_two_entropies(tokens: list[tuple[str, str, str]]) -> None:
    """Tokens are (gold, context, predicted)."""
    wanted = entropy_given([(gold, answer) for gold, _, answer in tokens]) - entropy_given([*tokens])
    wanted = wanted if tokens else math.nan
    assert added_information(*counted_cells(tokens)) == pytest.approx(wanted, abs=1e-9, nan_ok=True)


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


@pytest.mark.parametrize("effect", [0.2, 0.0])
def test_the_truth_lies_between_the_excess_and_the_plug_in(effect: float) -> None:
    """Four phones in six contexts, eight answers: a known I(X;Z|Y), or none, estimated from 2,000 tokens."""
    generator = np.random.default_rng(8)
    given_phone = generator.dirichlet(np.full(8, 0.3), 4)[:, None]
    answers = (1 - effect) * given_phone + effect * generator.dirichlet(np.full(8, 0.3), (4, 6))
    joint, phones = answers.reshape(24, 8) / 24, np.repeat(np.arange(4), 6)
    truth, found = added_information(joint, phones), []
    for _ in range(30):
        counts = generator.multinomial(2000, joint.ravel()).reshape(24, 8).astype(float)
        null = permuted_added_information(counts, phones, 100, generator).mean()
        found.append((added_information(counts, phones), null))
    plug_in, bias = np.mean(found, axis=0)
    if effect:
        assert 0.5 * truth < plug_in - bias < truth < plug_in
    else:
        assert abs(plug_in - bias) < 0.1 * bias


def around(row: list[Pair], place: int) -> tuple[str, str]:
    """Return the gold phones before and after a place; # at the edge."""
    before = [gold for gold, _ in row[:place] if gold != GAP]
    behind = [gold for gold, _ in row[place + 1 :] if gold != GAP]
    return (before or ["#"])[-1], (behind or ["#"])[0]


def kind_of(phone: str, left: str, right: str) -> str:
    """Return the kind of one insertion, by cases."""
    sides = {left, right}
    if phone in sides:
        return "repeated_neighbour"
    if sides == {"#"}:
        return "empty_gold"
    if ({phone} | sides) & UNKNOWN:
        return "unclassified"
    if phone in VOWELS:
        if sides & VOWELS:
            return "vowel_beside_vowel"
        return "vowel_at_edge" if "#" in sides else "vowel_between_consonants"
    if sides <= VOWELS:
        return "consonant_between_vowels"
    return "consonant_at_edge" if "#" in sides else "consonant_beside_consonant"


def inserted(rows: list[list[Pair]]) -> Iterator[tuple[str, str, str]]:
    for row in rows:
        for place, (gold, predicted) in enumerate(row):
            if gold == GAP:
                yield predicted, *around(row, place)


@given(ROWS)
def test_every_insertion_is_of_the_one_kind_that_its_neighbours_make_it(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    names, wanted = [*GOLD, "#"], [around(row, place) for row in rows for place in range(len(row))]
    assert [(names[a], names[b]) for a, b in zip(*gold_neighbours(aligned), strict=True)] == wanted
    found = kinds_of(inserted_between(aligned), aligned.gold_inventory, aligned.predicted_inventory, TOY)
    assert [KINDS[kind] for kind in found] == [kind_of(*triple) for triple in inserted(rows)]


def test_a_table_that_cannot_tell_vowels_classifies_nothing() -> None:
    table = FeatureTable(
        name="own", digest="", features=("round",), segments=("a", "n"), values=[[1], [-1]], weights={}
    )
    places = np.array([0, 1]), np.array([0, 0]), np.array([0, 1])
    found = kinds_of(places, Inventory(("n",)), Inventory(("a", "n")), table)
    assert [KINDS[kind] for kind in found] == ["unclassified", "repeated_neighbour"]
