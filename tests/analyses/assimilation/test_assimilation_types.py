"""Which contrasts are looked at, and their types: by hand, against rules written out, and over replicates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import stack_of
from scipy import stats

from phonxling.analyses import assimilation
from phonxling.analyses.assimilation import (
    TYPES,
    above_chance,
    above_others,
    contrasts,
    feature_distances,
    kind,
    probabilities,
    shared,
    types,
    widened,
)
from phonxling.analyses.discriminability import Heard
from phonxling.core.confusion import ConfusionStack
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.resample.intervals import resampling
from phonxling.settings.models import Assimilation

PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def type_by_rule(shares: np.ndarray, goodness: np.ndarray, theta: float, delta: float) -> str:
    """Return the type of two phones, [2, P], as the definition is read aloud."""
    best = [max(range(len(own)), key=lambda x: (own[x], -x)) for own in shares.tolist()]
    categorised = [shares[phone, x] >= theta - 1e-9 for phone, x in enumerate(best)]
    if sum(categorised) < 2:
        return "UC" if any(categorised) else "UU"
    if best[0] != best[1]:
        return "TC"
    return "CG" if abs(goodness[0, best[0]] - goodness[1, best[0]]) >= delta - 1e-9 else "SC"


@given(
    arrays(np.int64, (3, 4), elements=st.integers(0, 9)),
    arrays(np.float64, (3, 3), elements=st.integers(0, 10).map(lambda tenths: tenths / 10)),
    st.sampled_from((0.3, 0.5, 0.7, 1.0)),
    st.sampled_from((0.0, 0.1, 0.3)),
)
def test_types_are_those_of_the_rules(counts: np.ndarray, goodness: np.ndarray, theta: float, delta: float) -> None:
    counts[:, 0] += counts.sum(axis=1) == 0
    shares = (counts / counts.sum(axis=1, keepdims=True))[:, :-1]  # the last outcome is nothing heard
    found = [TYPES[place] for place in types(shares, goodness, PAIRS, theta, delta)]
    assert found == [type_by_rule(shares[pair], goodness[pair], theta, delta) for pair in PAIRS]


def test_a_phone_that_is_mostly_deleted_is_uncategorised_and_one_without_tokens_has_no_type() -> None:
    shares = np.array([[0.3, 0.1], [0.9, 0.1], [np.nan, np.nan]])  # seven tenths of the first phone are deleted
    found = types(shares, shares, PAIRS, 0.5, 0.1)
    assert found.tolist() == [TYPES.index("UC"), -1, -1]


def test_unknown_goodness_tells_nothing_apart() -> None:
    shares = np.array([[0.9, 0.1], [0.6, 0.4]])
    unknown = np.full((2, 2), np.nan)
    assert TYPES[int(types(shares, unknown, PAIRS[:1], 0.5, 0.1)[0])] == "SC"


def test_many_replicates_at_once_are_each_of_them_alone() -> None:
    generator = np.random.default_rng(1)
    drawn, goodness = generator.dirichlet(np.full(4, 0.5), (3, 20)).transpose(0, 2, 1), generator.random((3, 4, 20))
    together = types(drawn, goodness, PAIRS, 0.5, 0.1)
    alone = [types(drawn[..., r], goodness[..., r], PAIRS, 0.5, 0.1) for r in range(20)]
    assert together.tolist() == np.stack(alone, axis=1).tolist()


def test_probabilities_are_shares_of_the_replicates_that_have_the_phones() -> None:
    types = np.array([[0, 0, 3, -1], [-1, -1, -1, -1]])
    assert probabilities(types)[0].tolist() == [2 / 3, 0, 0, 1 / 3, 0]
    assert np.isnan(probabilities(types)[1]).all()


def test_draws_are_moved_from_the_data_by_the_clusters_that_hold_the_phone() -> None:
    values, drawn = np.array([[0.5], [0.5]]), np.array([[[0.6, 0.4]], [[0.6, 0.4]]])
    moved = widened(values, drawn, np.array([2, 1_000_000]))
    assert moved[0, 0] == pytest.approx([0.5 + 0.1 * np.sqrt(2), 0.5 - 0.1 * np.sqrt(2)])
    assert moved[1, 0] == pytest.approx([0.6, 0.4], abs=1e-6)


def heard_evenly(shares: np.ndarray, listeners: int, tokens: int) -> Heard:
    """Return what every listener hears in the same shares."""
    counts = np.broadcast_to(np.round(shares * tokens).astype(int), (listeners, *shares.shape))
    return Heard(stacked(counts), resampling(listeners, None, resamples=50, seed=1))


def test_kinds_go_by_the_categories_above_chance() -> None:
    shares = np.array([[0.1] * 10, [0.46, *[0.06] * 9], [0.3, 0.3, *[0.05] * 8]])
    heard = heard_evenly(shares, 10, 50)
    chosen = above_chance(heard, 10)
    assert [kind(row) for row in chosen] == ["dispersed", "focalised", "clustered"]
    assert chosen[1].nonzero()[0].tolist() == [0]
    pairs = ((1, 2), (2, 2), (0, 1))
    assert [shared(chosen[one], chosen[other]) for one, other in pairs] == ["part", "all", ""]
    assert not above_chance(heard_evenly(shares, 4, 50), 10).any()  # too few listeners for a test


def test_a_category_that_one_listener_alone_chooses_is_not_above_chance() -> None:
    counts = np.zeros((12, 1, 10), int)
    counts[:, 0, 1:] = 4
    counts[0] = [[36, *[0] * 9]]  # 1 of 12: 8 % against a chance of 5 %
    chosen = above_chance(Heard(stacked(counts), resampling(12, None, resamples=200, seed=1)), 20)
    assert not chosen[0, 0]


def stacked(counts: np.ndarray) -> ConfusionStack:
    """Return counts of speakers, phones and answers, nothing deleted, as a stack."""
    names = [[f"{kind}{number}" for number in range(size)] for kind, size in zip("gp", counts.shape[1:], strict=True)]
    return stack_of(counts, *names)


def heard_as(shares: np.ndarray, speakers: int, tokens: int, seed: int) -> Heard:
    """Return phones that are heard as shares [G, P] say, by speakers who differ in how often they say each answer."""
    generator = np.random.default_rng(seed)
    liking = generator.dirichlet(np.full(shares.shape[1], 20), speakers)
    own = shares[None] * liking[:, None]
    counts = generator.multinomial(tokens, own / own.sum(axis=-1, keepdims=True))
    return Heard(stacked(counts), resampling(speakers, None, resamples=200, seed=1))


@pytest.mark.parametrize("speakers", [3, 6, 12])
def test_who_answers_alike_whatever_is_said_chooses_no_category(speakers: int) -> None:
    """Ten recognisers, each with 20 phones and 15 answers, one of them six times in ten."""
    deaf = np.tile(np.array([0.6, *[0.4 / 14] * 14]), (20, 1))
    found = [above_others(heard_as(deaf, speakers, 20, seed)).sum() for seed in range(10)]
    assert sum(found) <= 1


def test_a_category_above_the_others_is_found_and_one_that_all_share_is_not() -> None:
    """All phones are heard as the first answer six times in ten; the last one as another, nine times in ten."""
    shares = np.tile(np.array([0.6, *[0.4 / 14] * 14]), (20, 1))
    shares[-1] = np.array([0.03, 0.9, *[0.07 / 13] * 13])
    found = above_others(heard_as(shares, 12, 20, 3))
    assert found[-1].tolist() == [False, True, *[False] * 13]
    assert not found[:-1].any()


def test_tokens_alone_do_not_show_a_category_that_one_speaker_has() -> None:
    """One of eight speakers hears the last phone always so, the others as everyone does."""
    counts = np.full((8, 3, 3), 10)
    counts[0, 2] = [80, 0, 0]
    heard = Heard(stacked(counts), resampling(8, None, resamples=500, seed=1))
    marginal = counts[..., 0].sum() / counts.sum()
    assert stats.binom.sf(counts[:, 2, 0].sum() - 1, counts[:, 2].sum(), marginal) < 0.001
    assert not above_others(heard).any()


PHONES = Inventory(("b", "p", "t", "ã", "m", "Q"))
TOKENS = np.array([20.0, 100, 30, 50, 19, 40])


def named(settings: Assimilation, table: FeatureTable) -> list[tuple[str, str]]:
    pairs = contrasts(settings, PHONES, TOKENS, feature_distances(PHONES, table))
    return [(PHONES.phones[first], PHONES.phones[second]) for first, second in pairs.tolist()]


def test_all_pairs_with_tokens_stand_by_distance_and_phones_without_features_last(table: FeatureTable) -> None:
    pairs = named(Assimilation(), table)
    assert pairs[:2] == [("b", "p"), ("p", "t")]
    assert len(pairs) == 10
    assert all("Q" in pair for pair in pairs[-4:])
    assert not any("m" in pair for pair in pairs)


def test_minimal_pairs_hold_the_nearest_of_one_of_the_two(table: FeatureTable) -> None:
    distances, chosen = feature_distances(PHONES, table), [0, 1, 2, 3]
    pairs = named(Assimilation(contrasts="minimal"), table)
    for first in chosen:
        for second in chosen[first + 1 :]:
            others = [[distances[one, each] for each in chosen if each != one] for one in (first, second)]
            nearest = distances[first, second] in (min(others[0]), min(others[1]))
            assert ((PHONES.phones[first], PHONES.phones[second]) in pairs) == nearest


def test_of_many_phones_with_features_the_minimal_pairs_are_the_default(
    table: FeatureTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    minimal, every = (named(Assimilation(contrasts=which), table) for which in ("minimal", "all"))
    assert named(Assimilation(), table) == every != minimal
    monkeypatch.setattr(assimilation, "_MOST", 3)
    assert named(Assimilation(), table) == minimal
    assert named(Assimilation(contrasts="all"), table) == every
    nothing = replace(table, segments=(), values=table.values[:0])
    assert len(named(Assimilation(), nothing)) == len(every)


def test_listed_pairs_stand_as_listed_in_the_corpus_own_spelling(table: FeatureTable) -> None:
    settings = Assimilation(contrasts=(("m", "b"), ("ã", "p"), ("p", "x")))
    assert named(settings, table) == [("m", "b"), ("ã", "p")]


def test_without_features_pairs_stand_in_the_order_of_the_inventory_and_none_is_minimal(table: FeatureTable) -> None:
    nothing = FeatureTable(
        name="", digest="", features=table.features, segments=(), values=table.values[:0], weights={}
    )
    assert np.isnan(feature_distances(PHONES, nothing)).all()
    assert named(Assimilation(), nothing)[0] == ("b", "p")
    assert named(Assimilation(contrasts="minimal"), nothing) == []
