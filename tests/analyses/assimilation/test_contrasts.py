"""Which contrasts are looked at."""

import numpy as np

from phonxling.analyses.assimilation import contrasts, feature_distances
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.settings.sections import Assimilation

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
