"""Chance models: what they keep, what they change, and that the best constant is the best of all constants."""

from collections import Counter
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import corpus_of

from phonxling.alignment.corpus import least_costs
from phonxling.analyses import chance
from phonxling.analyses.chance import (
    ChanceSettings,
    bigram_predictions,
    chance_levels,
    donors_of,
    shuffled_predictions,
    texts_of,
)
from phonxling.analyses.rates import Rate
from phonxling.analyses.statistics import CountSettings
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import Corpus, PhoneSequences, from_lists
from phonxling.experiment.single import feature_costs
from phonxling.stats.jackknife import clusters_of

PHONES = Inventory(("a", "b", "e", "i", "u"))
corpora = st.lists(st.lists(st.sampled_from(PHONES.phones[:4]), max_size=6), max_size=40).filter(any)


def sequences(corpus: list[list[str]]) -> PhoneSequences:
    return corpus_of(corpus, corpus, (PHONES, PHONES)).predicted


def rows(predicted: PhoneSequences) -> list[list[str]]:
    return [predicted.phones_of(number) for number in range(len(predicted))]


def bigrams_one_by_one(said: list[list[str]], seed: int) -> list[list[str]]:
    """Return bigrams drawn from lists of followers: the first phones of all utterances, longest first, and so on."""
    generator, drawn = np.random.default_rng(seed), [list[str]() for _ in said]
    anywhere = [phone for row in said for phone in row]
    longest = sorted(range(len(said)), key=lambda number: -len(said[number]))
    for place in range(max(map(len, said), default=0)):
        going = [number for number in longest if len(said[number]) > place]
        followers = []
        for number in going:
            pairs = [((None, *row)[at], phone) for row in said for at, phone in enumerate(row)]
            last = drawn[number][-1] if place else None
            followers.append([after for before, after in pairs if before == last] or anywhere)
        chosen = generator.integers(0, [len(row) for row in followers])
        for number, row, one in zip(going, followers, chosen, strict=True):
            drawn[number].append(row[one])
    return drawn


@given(corpora, st.integers(0, 9))
def test_bigrams_are_those_drawn_from_lists_of_followers(corpus: list[list[str]], seed: int) -> None:
    assert rows(bigram_predictions(sequences(corpus), np.random.default_rng(seed))) == bigrams_one_by_one(corpus, seed)


def spoken(texts: list[int], lengths: list[int], speakers: list[int] | None = None) -> Corpus:
    """Return utterances of these texts; each predicts a phone of its own, so that its donors can be seen."""
    predicted = [[f"p{place}"] * length for place, length in enumerate(lengths)]
    named = None if speakers is None else tuple(f"s{speaker}" for speaker in speakers)
    return corpus_of([[f"g{text}"] for text in texts], predicted, speakers=named)


def allowed(corpus: Corpus, utterance: int) -> set[str]:
    """Return what the utterance's donors predict: those with other gold phones, of another speaker if known."""
    speakers = corpus.speakers if corpus.speakers is not None and len(set(corpus.speakers)) > 1 else None
    return {
        corpus.predicted.phones_of(other)[0]
        for other in range(len(corpus.utterances))
        if corpus.gold.phones_of(other) != corpus.gold.phones_of(utterance)
        and corpus.predicted.phones_of(other)
        and (speakers is None or speakers[other] != speakers[utterance])
    }


people = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=25)


@given(people, st.booleans(), st.integers(0, 99))
def test_donors_have_other_gold_phones_another_speaker_and_fill_the_length(
    utterances: list[tuple[int, int, int]], known: bool, seed: int
) -> None:
    texts, lengths, speakers = (list(column) for column in zip(*utterances, strict=True))
    corpus = spoken(texts, lengths, speakers if known else None)
    donors = donors_of(corpus, texts_of(corpus.gold))
    sizes = [len(allowed(corpus, number)) for number in range(len(texts))]
    assert donors.number.tolist() == sizes
    without = sum(not size for size, length in zip(sizes, lengths, strict=True) if length)
    assert bool(donors.missing(corpus.predicted)) == bool(without)
    if without:
        return
    once, again = (rows(shuffled_predictions(corpus.predicted, np.random.default_rng(seed), donors)) for _ in "12")
    assert once == again
    assert [len(row) for row in once] == lengths
    for number, row in enumerate(once):
        assert set(row) <= allowed(corpus, number)


def test_all_donors_are_drawn_alike() -> None:
    texts, speakers = [0, 1, 2, 0, 1, 2, 3, 0], [0, 0, 0, 1, 1, 1, 1, 2]
    corpus = spoken(texts, [1] * 8, speakers)
    donors = donors_of(corpus, texts_of(corpus.gold))
    for utterance in range(8):
        drawn = Counter(donors.draw(np.full(8000, utterance), np.random.default_rng(utterance)).tolist())
        wanted = sorted(int(phone[1:]) for phone in allowed(corpus, utterance))
        assert sorted(drawn) == wanted
        assert min(drawn.values()) > 0.85 * 8000 / len(wanted)


def test_donors_follow_one_another_from_a_random_place_and_the_last_is_cut() -> None:
    corpus = corpus_of(["x", "y"], ["x" * 7, "abc"])
    donors = donors_of(corpus, texts_of(corpus.gold))
    drawn = [rows(shuffled_predictions(corpus.predicted, np.random.default_rng(seed), donors)) for seed in range(40)]
    assert {"".join(row[0]) for row in drawn} == {"abcabca", "bcabcab", "cabcabc"}
    assert {"".join(row[1]) for row in drawn} == {"xxx"}


def test_texts_differ_by_phones_and_by_tones_where_there_is_a_tier() -> None:
    gold = from_lists(["u", "v", "w"], [["a", "b"], ["a", "b"], ["a"]])
    tones = from_lists(["u", "v", "w"], [["˥"], ["˩"], ["˥"]])
    assert texts_of(gold).tolist() == [0, 0, 1]
    assert texts_of(replace(gold, tones=tones)).tolist() == [0, 1, 2]


GOLD = [["i", "e", "b"], ["u", "i"], ["a"], [], ["i", "b", "b", "e"]]
HEARD = [["a", "a"], ["b", "i", "u"], ["e"], ["a"], ["u"] * 5]


@pytest.fixture
def corpus() -> Corpus:
    return corpus_of(GOLD, HEARD, (PHONES, PHONES))


def settings_of(
    corpus: Corpus, models: tuple[str, ...], replicates: int, seed: int, error: float = np.nan
) -> ChanceSettings:
    clusters = clusters_of(corpus.gold.lengths.astype(float))
    return ChanceSettings(models, replicates, seed, clusters, np.array([error]))


def test_levels_depend_on_seed_and_replicate_alone(corpus: Corpus) -> None:
    costs = feature_costs(PHONES, PHONES)

    def run(models: tuple[str, ...], replicates: int, seed: int) -> dict[str, list[float]]:
        found = chance_levels(corpus, settings_of(corpus, models, replicates, seed), costs=costs)
        return {level.model: level.rates.tolist() for level in found}

    both = run(("shuffled", "unigram"), 6, 1)
    assert run(("unigram",), 6, 1)["unigram"] == both["unigram"]
    assert run(("shuffled", "unigram"), 9, 1)["unigram"][:6] == both["unigram"]
    assert run(("unigram",), 6, 2)["unigram"] != both["unigram"]


@pytest.mark.parametrize("together", [1, 100, 10**6])  # replicates in a task: one, some, all
def test_levels_are_the_same_however_many_replicates_are_aligned_together(
    corpus: Corpus, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chance, "_TOGETHER", together)
    (level,) = chance_levels(corpus, settings_of(corpus, ("bigram",), 7, 1), costs=feature_costs(PHONES, PHONES))
    drawn = [bigram_predictions(corpus.predicted, np.random.default_rng([1, crc32(b"bigram"), k])) for k in range(7)]
    costs = [least_costs(corpus.gold, one, feature_costs(PHONES, PHONES)) for one in drawn]
    assert level.rates.tolist() == [float(one.sum()) / len(corpus.gold.codes) for one in costs]


@pytest.mark.parametrize(("error", "replicates"), [(1e9, 5), (1e-9, 20), (np.nan, 20)])
def test_replicates_end_when_the_level_is_known_well_enough(corpus: Corpus, error: float, replicates: int) -> None:
    found = chance_levels(corpus, settings_of(corpus, ("unigram",), 20, 1, error), costs=feature_costs(PHONES, PHONES))
    assert len(found[0].rates) == replicates
    assert found[0].rate == pytest.approx(found[0].cost.sum() / corpus.gold.lengths.sum())


def test_the_level_of_a_rate_is_the_same_whatever_else_is_drawn_for(corpus: Corpus) -> None:
    """`score` prints the rates before the statistics are asked for, whose levels may need more replicates."""
    costs, alone = feature_costs(PHONES, PHONES), settings_of(corpus, ("bigram",), 20, 1, error=1e9)
    counting = CountSettings(np.zeros(len(corpus.gold), np.int8), gaps=False)
    beside = replace(alone, errors=np.array([1e9, 1e-9]), counting=counting, statistics=("mutual_information",))
    first, second = (chance_levels(corpus, settings, costs=costs)[0] for settings in (alone, beside))
    assert first.rates.tolist() == second.rates.tolist()
    assert first.cost.tolist() == second.cost.tolist()
    unsettled = replace(beside, replicates=5)
    fewer = chance_levels(corpus, unsettled, costs=costs)[0].measures["mutual_information"]
    assert fewer.value != second.measures["mutual_information"].value  # of 20 replicates


def test_no_level_comes_with_the_reason() -> None:
    costs = feature_costs(PHONES, PHONES)
    silent, one = (corpus_of(*sides, (PHONES, PHONES)) for sides in ((["a", "b"], ["", ""]), (["a"], ["b"])))
    models = ("unigram", "constant", "shuffled")
    nothing = chance_levels(silent, settings_of(silent, models, 2, 1), costs=costs)
    assert all(level.missing for level in nothing)
    assert Rate("per", np.zeros(2), nothing).lowest is None
    missing = {level.model: level.missing for level in chance_levels(one, settings_of(one, models, 2, 1), costs=costs)}
    assert "one utterance only" in missing["shuffled"]
    assert missing["unigram"] == "" == missing["constant"]
    alike = spoken([0, 1, 1, 1], [2] * 4, [0, 0, 1, 1])
    reason = donors_of(alike, texts_of(alike.gold)).missing(alike.predicted)
    assert "1 of 4 utterances have no donor, since no utterance of another speaker" in reason
