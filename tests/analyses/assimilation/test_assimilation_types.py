"""Which contrasts are looked at, their types by hand, whose category is above that of the others, and goodness."""

from dataclasses import replace

import numpy as np
import pytest
from made_alignments import answers_of
from scipy import stats

from phonxling.analyses import assimilation
from phonxling.analyses.assimilation import Goodness, above_others, contrasts, feature_distances, type_of
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.resample.jackknife import clusters_of
from phonxling.settings.models import Assimilation


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
    assert type_of(np.array(shown), same=same, apart=apart, settings=Assimilation()) == type_


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


def test_goodness_is_a_ratio_of_sums_jackknifed_over_clusters() -> None:
    generator = np.random.default_rng(1)
    above, below = generator.random((6, 2, 1)), generator.integers(1, 5, (6, 2, 1)).astype(float)
    found = Goodness("confidence", above, below, clusters_of(below.sum(axis=(1, 2)))).apart([0, 1], 0)

    def apart(kept: np.ndarray) -> float:
        first, second = above[kept].sum(axis=0)[:, 0] / below[kept].sum(axis=0)[:, 0]
        return float(first - second)

    assert found.value == pytest.approx(apart(np.arange(6)))
    without = np.array([apart(np.delete(np.arange(6), cluster)) for cluster in range(6)])
    weights = (below[..., 0] / below[..., 0].sum(axis=0)).sum(axis=1)
    freedom = weights.sum() ** 2 / (weights**2).sum() - 1
    margin = stats.t(freedom).ppf(0.975) * np.sqrt(5 / 6 * np.square(without - without.mean()).sum())
    assert found.high - found.value == pytest.approx(margin)


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
