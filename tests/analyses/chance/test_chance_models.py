"""Chance models: what they keep, what they change, and that the best constant is the best of all constants."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phonxling.analyses.chance.levels import best, chance_levels
from phonxling.analyses.chance.models import (
    bigram_predictions,
    constant_predictions,
    shuffled_predictions,
    unigram_predictions,
)
from phonxling.analyses.chance.replicates import ChanceSettings
from phonxling.core.corpus import Corpus
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.experiment.aligning import align, feature_costs

PHONES = Inventory(("a", "b", "e", "i", "u"))
corpora = st.lists(st.lists(st.sampled_from(PHONES.phones[:4]), max_size=6), max_size=40)


def sequences(corpus: list[list[str]]) -> PhoneSequences:
    return from_lists([f"u{number}" for number in range(len(corpus))], [list(row) for row in corpus], PHONES)


def rows(predicted: PhoneSequences) -> list[list[str]]:
    return [predicted.phones_of(number) for number in range(len(predicted))]


@given(corpora)
def test_constants_keep_lengths_and_say_one_phone(corpus: list[list[str]]) -> None:
    drawn = dict(constant_predictions(sequences(corpus)))
    assert list(drawn) == list(PHONES)
    for phone, predicted in drawn.items():
        assert rows(predicted) == [[phone] * len(row) for row in corpus]


@given(corpora, st.integers(0, 99))
def test_unigrams_keep_lengths_and_draw_phones_that_occur(corpus: list[list[str]], seed: int) -> None:
    first, again = (unigram_predictions(sequences(corpus), np.random.default_rng(seed)) for _ in range(2))
    assert first.lengths.tolist() == [len(row) for row in corpus]
    assert rows(first) == rows(again)
    assert {phone for row in rows(first) for phone in row} <= {phone for row in corpus for phone in row}
    assert first.inventory == PHONES
    assert first.utterances == sequences(corpus).utterances


def test_unigram_frequencies_are_those_of_the_predictions() -> None:
    corpus = sequences([["a"] * 60_000 + ["e"] * 30_000 + ["i"] * 10_000])
    drawn = Counter(rows(unigram_predictions(corpus, np.random.default_rng(2)))[0])
    assert drawn["a"] / 100_000 == pytest.approx(0.6, abs=0.01)
    assert drawn["e"] / 100_000 == pytest.approx(0.3, abs=0.01)
    assert drawn["i"] / 100_000 == pytest.approx(0.1, abs=0.01)
    other = unigram_predictions(corpus, np.random.default_rng(3))
    assert rows(other)[0] != rows(unigram_predictions(corpus, np.random.default_rng(2)))[0]


@given(corpora, st.integers(0, 99))
def test_bigrams_keep_lengths_and_draw_neighbours_that_occur(corpus: list[list[str]], seed: int) -> None:
    first, again = (rows(bigram_predictions(sequences(corpus), np.random.default_rng(seed))) for _ in range(2))
    assert first == again
    assert [len(row) for row in first] == [len(row) for row in corpus]
    pairs = {pair for row in corpus for pair in pairwise(row)}
    followed = {before for before, _ in pairs}
    spoken = {phone for row in corpus for phone in row}
    for row in filter(None, first):
        assert row[0] in {said[0] for said in corpus if said}
        for before, phone in pairwise(row):  # after a phone that nothing follows: any phone that occurs
            assert (before, phone) in pairs if before in followed else phone in spoken


def test_bigram_frequencies_are_those_of_the_predictions() -> None:
    """After a: b in three of four, e in one; after b and e: a. First: a in two utterances of three, b in one."""
    corpus = sequences([["a", "b"] * 3 + ["a", "e", "a"] for _ in range(2000)] + [["b", "a"] for _ in range(1000)])
    drawn = rows(bigram_predictions(corpus, np.random.default_rng(1)))
    pairs = Counter(pair for row in drawn for pair in pairwise(row))
    after_a = pairs["a", "b"] + pairs["a", "e"]
    assert pairs["a", "b"] / after_a == pytest.approx(0.75, abs=0.015)
    assert {pair for pair in pairs if pair[0] in "be"} == {("b", "a"), ("e", "a")}
    assert sum(row[0] == "a" for row in drawn) / 3000 == pytest.approx(2 / 3, abs=0.03)


def test_after_a_phone_that_nothing_follows_comes_any_phone_by_its_frequency() -> None:
    corpus = sequences([["b"]] * 500 + [["a", "a", "a"], ["a", "e"]] * 100)
    drawn = bigram_predictions(corpus, np.random.default_rng(3))
    after_e = Counter(after for row in rows(drawn) for before, after in pairwise(row) if before in "eb")
    total = sum(after_e.values())
    assert total > 100
    assert after_e["b"] / total == pytest.approx(500 / 1000, abs=0.1)
    assert after_e["a"] / total == pytest.approx(400 / 1000, abs=0.1)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=70), st.integers(0, 99))
def test_no_utterance_keeps_its_own_prediction(lengths: list[int], seed: int) -> None:
    """Every utterance says a phone of its own, so that where a prediction went can be seen."""
    names = [f"p{number}" for number in range(len(lengths))]
    corpus = [[name] * (length + 1) for name, length in zip(names, lengths, strict=True)]
    given_rows = from_lists([f"u{number}" for number in range(len(corpus))], corpus)
    moved, again = (rows(shuffled_predictions(given_rows, np.random.default_rng(seed))) for _ in range(2))
    assert moved == again
    assert sorted(moved) == sorted(corpus)
    assert not any(before == after for before, after in zip(corpus, moved, strict=True))


def test_predictions_change_places_among_similar_lengths() -> None:
    order = np.random.default_rng(0).permutation(200) + 1
    corpus = sequences([["a"] * int(length) for length in order])
    moved = shuffled_predictions(corpus, np.random.default_rng(1))
    assert np.abs(moved.lengths - corpus.lengths).max() < 32
    assert sorted(moved.lengths.tolist()) == sorted(corpus.lengths.tolist())


def test_one_utterance_cannot_be_shuffled() -> None:
    with pytest.raises(ValueError, match="two utterances"):
        shuffled_predictions(sequences([["a", "b"]]), np.random.default_rng(0))


def test_predictions_without_a_phone_stay_so() -> None:
    for redraw in (unigram_predictions, bigram_predictions):
        assert rows(redraw(sequences([[], []]), np.random.default_rng(0))) == [[], []]


GOLD = [["i", "e", "b"], ["u", "i"], ["a"], [], ["i", "b", "b", "e"]]
HEARD = [["a", "a"], ["b", "i", "u"], ["e"], ["a"], ["u"] * 5]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(gold=sequences(GOLD), predicted=sequences(HEARD))


def test_the_best_constant_is_the_best_of_all(corpus: Corpus) -> None:
    costs = feature_costs(PHONES, PHONES)

    def paid(gold: list[str], heard: list[str]) -> Fraction:
        edits = align(gold, heard, costs)
        return sum((costs.cost(*(None if phone == "∅" else phone for phone in edit)) for edit in edits), Fraction(0))

    total = {
        phone: sum((paid(g, [phone] * len(h)) for g, h in zip(GOLD, HEARD, strict=True)), Fraction(0))
        for phone in PHONES
    }
    (level,) = chance_levels("x", corpus, ChanceSettings(("constant",), 3, 1), costs=costs)
    assert level.phone == min(total, key=lambda phone: total[phone])
    assert level.rate == pytest.approx(float(total[level.phone] / sum(map(len, GOLD))))
    assert level.cost.sum() == pytest.approx(float(total[level.phone]))


def test_levels_depend_on_seed_name_and_replicate_alone(corpus: Corpus) -> None:
    costs = feature_costs(PHONES, PHONES)

    def run(models: tuple[str, ...], replicates: int, seed: int, name: str = "x") -> dict[str, list[float]]:
        found = chance_levels(name, corpus, ChanceSettings(models, replicates, seed), costs=costs)
        return {level.model: level.rates.tolist() for level in found}

    both = run(("shuffled", "unigram"), 6, 1)
    assert run(("unigram",), 6, 1)["unigram"] == both["unigram"]
    assert run(("shuffled", "unigram"), 9, 1)["unigram"][:6] == both["unigram"]
    assert run(("unigram",), 6, 2)["unigram"] != both["unigram"]
    assert run(("unigram",), 6, 1, "y")["unigram"] != both["unigram"]


def test_the_headline_is_the_lowest_level(corpus: Corpus) -> None:
    costs = feature_costs(PHONES, PHONES)
    levels = chance_levels("x", corpus, ChanceSettings(("unigram", "constant", "shuffled"), 5, 1), costs=costs)
    lowest = best(levels)
    assert lowest is not None
    assert lowest.rate == min(level.rate for level in levels)
    for level in levels:
        assert level.cost.sum() / sum(map(len, GOLD)) == pytest.approx(level.rate)
    assert best([]) is None


def test_no_level_comes_with_the_reason() -> None:
    costs = feature_costs(PHONES, PHONES)
    silent = Corpus(gold=sequences([["a"], ["b"]]), predicted=sequences([[], []]))
    one = Corpus(gold=sequences([["a"]]), predicted=sequences([["b"]]))
    settings = ChanceSettings(("unigram", "constant", "shuffled"), 2, 1)
    assert all(level.missing for level in chance_levels("x", silent, settings, costs=costs))
    assert best(chance_levels("x", silent, settings, costs=costs)) is None
    missing = {level.model: level.missing for level in chance_levels("x", one, settings, costs=costs)}
    assert "one utterance only" in missing["shuffled"]
    assert missing["unigram"] == "" == missing["constant"]


@given(corpora.filter(any), st.integers(1, 9), st.integers(0, 5))
def test_unigrams_are_what_numpy_would_choose_whatever_is_drawn_at_one_time(
    corpus: list[list[str]], together: int, seed: int
) -> None:
    said = sequences(corpus)
    shares = np.bincount(said.codes, minlength=len(PHONES)) / len(said.codes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("phonxling.analyses.chance.models._AT_ONCE", together)
        found = unigram_predictions(said, np.random.default_rng(seed))
    chosen = np.random.default_rng(seed).choice(len(PHONES), size=len(said.codes), p=shares)
    assert found.codes.tolist() == chosen.tolist()
