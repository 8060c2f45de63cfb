"""Feature information transfer of many matrices at once: all features by two products, for replicates.

Conventions
-----------
As in `transfer`, nothing held. F features of at most V values; G gold phones, P predicted ones, ∅ last in counts
[G + 1, P + 1]. Pairs of phones that both have features count; deletions only where they are asked for.

References
----------
Miller & Nicely (1955), An analysis of perceptual confusions among some English consonants, JASA 27.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FeatureValues:
    """Which value of each feature each phone has: 1 or 0, gold [F, V, G] and predicted [F, V, P].

    A phone without features has none of the values.
    """

    gold: Floats
    predicted: Floats

    def collapse(self, counts: Floats, *, deletions: bool = False) -> Floats:
        """Return counts by value, [F, V, V], from counts [G + 1, P + 1]; with deletions [F, V, V + 1], ∅ last."""
        tables = self.gold @ counts[:-1, :-1] @ self.predicted.transpose(0, 2, 1)
        gone = self.gold @ counts[:-1, -1:]
        return np.concatenate([tables, gone], axis=2) if deletions else tables


def feature_values(gold: Inventory, predicted: Inventory, table: FeatureTable) -> FeatureValues:
    """Return the values +, 0 and − of the phones of both sides."""
    sides = []
    for phones in (gold, predicted):
        vectors, known = table.vectors(phones)
        values = vectors.T[:, None, :] == np.array([1, 0, -1])[None, :, None]
        sides.append((values & known).astype(np.float64))
    return FeatureValues(*sides)


def relative_transfer(tables: Floats) -> Floats:
    """Return I(F; F′) / H(F) (plug-in) of each table [F, V, V′], [F]; NaN where the feature has no entropy.

    Examples
    --------
    >>> tables = np.array([[[4.0, 0], [0, 4]], [[3, 1], [1, 3]], [[8, 0], [0, 0]]])
    >>> relative_transfer(tables).round(3).tolist()
    [1.0, 0.189, nan]
    """
    gold, heard, joint = (
        _entropies(part) for part in (tables.sum(axis=2), tables.sum(axis=1), tables.reshape(len(tables), -1))
    )
    out = np.full(len(tables), np.nan)
    return np.asarray(np.divide(np.maximum(gold + heard - joint, 0), gold, out=out, where=gold > 1e-12))


def _entropies(counts: Floats) -> Floats:
    """Return the plug-in entropy of each row in bits; 0 for a row without counts."""
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.where(total > 0, total, 1)
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1))
