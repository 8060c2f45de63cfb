"""Which contrasts are looked at: pairs of gold phones with tokens enough, the most similar ones first."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from phonxling.alignment.costs.named import cost_table
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import canonical
from phonxling.settings.assimilation import Assimilation

_Pair = tuple[str, str]


def feature_distances(phones: Inventory, features: FeatureTable) -> Floats:
    """Return the mean difference over features of each pair of phones, [G, G]; NaN where one has no features."""
    known = features.vectors(phones)[1]
    if not known.any():
        return np.full((len(phones), len(phones)), np.nan)
    costs = cost_table("panphon", phones, phones, features)
    return np.where(known[:, None] & known, costs.substitution / costs.denominator, np.nan)


def contrasts(settings: Assimilation, phones: Inventory, tokens: Floats, distances: Floats) -> Codes:
    """Return the pairs that the settings ask for, by their codes, [K, 2]: listed ones as listed, others by distance.

    Listed phones may be spelled otherwise, and need no tokens; those that the corpus lacks are in no pair.
    """
    if not isinstance(settings.contrasts, str):
        return np.array(list(_listed(settings.contrasts, phones)), dtype=np.int64).reshape(-1, 2)
    chosen = np.flatnonzero(tokens >= settings.tokens)
    pairs = np.array(list(combinations(chosen.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    if settings.contrasts == "minimal":
        pairs = pairs[_minimal(pairs, chosen, distances)]
    order = np.argsort(distances[pairs[:, 0], pairs[:, 1]], kind="stable")  # NaN last
    return pairs[order]


def _minimal(pairs: Codes, chosen: Codes, distances: Floats) -> Bools:
    """Return of which pairs one phone is as near to the other as any of those chosen is, [K]."""
    apart = np.where(np.isnan(distances), np.inf, distances)
    np.fill_diagonal(apart, np.inf)
    least = apart[:, chosen].min(axis=1, initial=np.inf)
    own = apart[pairs[:, 0], pairs[:, 1]]
    return np.asarray((own <= least[pairs].max(axis=1, initial=0)) & np.isfinite(own))


def _listed(pairs: tuple[_Pair, ...], phones: Inventory) -> Iterator[tuple[int, int]]:
    own = {canonical(phone): code for code, phone in enumerate(phones)}
    for first, second in (map(canonical, pair) for pair in pairs):
        if first in own and second in own:
            yield own[first], own[second]
