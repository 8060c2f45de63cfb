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

    Listed phones may be spelled otherwise, and need no tokens; pairs with one that the corpus lacks are `lacking`.
    """
    if not isinstance(settings.contrasts, str):
        listed = _codes(settings.contrasts, phones)
        return np.array([pair for pair in listed if None not in pair], dtype=np.int64).reshape(-1, 2)
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


def lacking(settings: Assimilation, phones: Inventory) -> Iterator[tuple[_Pair, str]]:
    """Yield the listed pairs that have a phone that the corpus lacks, each with the reason."""
    if isinstance(settings.contrasts, str):
        return
    for pair, codes in zip(settings.contrasts, _codes(settings.contrasts, phones), strict=True):
        missing = [phone for phone, code in zip(pair, codes, strict=True) if code is None]
        if missing:
            yield pair, f"not looked at: the gold of this corpus has no {' and no '.join(missing)}"


def _codes(pairs: tuple[_Pair, ...], phones: Inventory) -> list[tuple[int | None, int | None]]:
    """Return the codes of listed pairs, None for a phone that the corpus lacks."""
    own = {canonical(phone): code for code, phone in enumerate(phones)}
    return [(own.get(canonical(first)), own.get(canonical(second))) for first, second in pairs]
