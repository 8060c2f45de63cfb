"""Which contrasts are looked at, their types by hand, whose category is above that of the others, and divergence."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from made_alignments import alignments_of, answers_of
from scipy import stats
from scipy.spatial.distance import jensenshannon

from phonxling.alignment.confusions import stack_confusions
from phonxling.analyses import contrasts
from phonxling.analyses.contrasts import Answers, above_others, all_pairs, divergence, divergence_of_pair, type_of
from phonxling.analyses.expected import feature_distances
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP, Inventory
from phonxling.stats.jackknife import clusters_of


@pytest.mark.parametrize(
    ("shown", "same", "apart", "type_"),
    [
        ((0.5, 0.9), False, np.nan, "TC"),
        ((0.5, 0.9), True, 0.05, "SC"),
        ((0.5, 0.9), True, -0.1, "CG"),
        ((0.5, 0.9), True, np.nan, "SC"),  # unknown goodness tells nothing apart
        ((0.3, 0.9), False, np.nan, "UC"),
        ((0.3, 0.9), True, np.nan, "UC"),
        ((0.3, 0.49), True, np.nan, "UU"),
    ],
)
def test_types_by_the_definition(shown: tuple[float, float], same: bool, apart: float, type_: str) -> None:
    assert type_of(np.array(shown), same=same, apart=apart) == type_


def spoken(shares: np.ndarray, speakers: int, tokens: int, seed: int) -> np.ndarray:
    """Return the counts of phones whose answers have these shares, of speakers who like some answers more."""
    generator = np.random.default_rng(seed)
    own = shares[None] * generator.dirichlet(np.full(shares.shape[1], 20), speakers)[:, None]
    return generator.multinomial(tokens, own / own.sum(axis=-1, keepdims=True))


DEAF = np.tile(np.array([0.6, *[0.4 / 14] * 14]), (20, 1))  # 20 phones: the first of 15 answers six times in ten


@pytest.mark.parametrize("speakers", [5, 8, 12])
def test_who_answers_alike_whatever_is_said_chooses_no_category(speakers: int) -> None:
    found = [above_others(answers_of(spoken(DEAF, speakers, 20, seed))).sum() for seed in range(20)]
    assert sum(found) <= 2  # of 400


def test_a_category_above_the_others_is_found_and_one_that_all_share_is_not() -> None:
    """The last phone has another answer nine times in ten."""
    shares = DEAF.copy()
    shares[-1] = np.array([0.03, 0.9, *[0.07 / 13] * 13])
    assert above_others(answers_of(spoken(shares, 12, 20, 3))).tolist() == [*[False] * 19, True]
    assert not above_others(answers_of(spoken(shares, 4, 20, 3))).any()  # too few for a test


def test_tokens_alone_do_not_show_a_category_that_one_speaker_has() -> None:
    """One of eight speakers always gives the first answer to the last phone, the others as everyone does."""
    counts = np.full((8, 3, 3), 10)
    counts[0, 2] = [80, 0, 0]
    marginal = counts[..., 0].sum() / counts.sum()
    assert stats.binom.sf(counts[:, 2, 0].sum() - 1, counts[:, 2].sum(), marginal) < 0.001
    assert not above_others(answers_of(counts)).any()


PHONES = Inventory(("b", "p", "t", "ã", "m", "Q"))
TOKENS = np.array([20.0, 100, 30, 50, 19, 40])


def named(table: FeatureTable) -> list[tuple[str, str]]:
    pairs = all_pairs(TOKENS, PHONES, table)
    return [(PHONES.phones[first], PHONES.phones[second]) for first, second in pairs.tolist()]


def test_all_pairs_with_tokens_stand_by_distance_and_phones_without_features_last(table: FeatureTable) -> None:
    pairs = named(table)
    assert pairs[:2] == [("b", "p"), ("p", "t")]
    assert len(pairs) == 10
    assert all("Q" in pair for pair in pairs[-4:])
    assert not any("m" in pair for pair in pairs)


def test_of_many_phones_with_features_each_is_paired_with_its_nearest(
    table: FeatureTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contrasts, "_MOST_PAIRS", 3)
    distances, chosen, pairs = feature_distances(PHONES, PHONES, table), [0, 1, 2, 3], named(table)
    for first in chosen:
        for second in chosen[first + 1 :]:
            others = [[distances[one, each] for each in chosen if each != one] for one in (first, second)]
            nearest = distances[first, second] in (min(others[0]), min(others[1]))
            assert ((PHONES.phones[first], PHONES.phones[second]) in pairs) == nearest
    nothing = replace(table, segments=(), values=table.values[:0])
    assert len(named(nothing)) == 10
    assert named(nothing)[0] == ("b", "p")


@given(arrays(np.int64, (2, 5), elements=st.integers(0, 9)))
def test_the_divergence_agrees_with_another_program(counts: np.ndarray) -> None:
    counts[:, 0] += counts.sum(axis=1) == 0
    first, second = counts / counts.sum(axis=1, keepdims=True)
    assert float(divergence(first, second)) == pytest.approx(jensenshannon(first, second, base=2) ** 2, abs=1e-12)


def test_deleted_tokens_are_an_outcome_of_their_own() -> None:
    rows = [[("a", "b"), ("a", "b"), ("a", "b"), ("a", GAP), ("a", GAP), ("i", "n"), ("i", GAP)]] * 6
    answers = Answers(stack_confusions(alignments_of(rows)), clusters_of(np.full(6, 7.0)))
    assert answers.shares[[0, 1], -1].tolist() == [0.4, 0.5]
    assert answers.tokens[:2].tolist() == [30, 12]


def test_the_divergence_is_jackknifed_over_whole_speakers() -> None:
    counts = np.random.default_rng(2).integers(0, 9, (7, 2, 4))
    answers = answers_of(counts)
    without = []
    for speaker in range(7):
        rest = np.delete(counts, speaker, axis=0).sum(axis=0)
        shares = rest / rest.sum(axis=1, keepdims=True)
        without.append(float(divergence(*shares)))
    found = divergence_of_pair(answers, [0, 1])
    whole = counts.sum(axis=0) / counts.sum(axis=(0, 2))[:, None]
    assert found.value == pytest.approx(7 * float(divergence(*whole)) - 6 * np.mean(without))
    assert found.low < found.value < found.high


def test_few_speakers_of_one_phone_give_no_limits() -> None:
    counts = np.random.default_rng(4).integers(1, 9, (12, 2, 4))
    counts[3:, 1] = 0
    found = divergence_of_pair(answers_of(counts), [0, 1])
    assert np.isnan(found.low)
    assert found.status == "too-few-clusters"
