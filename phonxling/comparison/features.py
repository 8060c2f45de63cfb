"""Whether features change more often in one of two items, phone by phone, so that languages may say other phones.

How often feature f changes depends on how often each phone is said. So shares are compared phone by phone,
D_f = Σ_y w_y (e_fy/n_y − e′_fy/n′_y), w_y = n_y n′_y/(n_y + n′_y) over their sum (Mantel & Haenszel's weights), which
stay as they are while clusters are left out. n_y are the tokens of gold phone y aligned with a phone, both with
features, and e_fy those whose value of f changed. A phone counts where two clusters have it on either side.

References
----------
Mantel & Haenszel (1959).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.features import feature_values
from phonxling.analyses.statistics import by_cluster
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.features import FeatureTable
from phonxling.resample.jackknife import Clusters
from phonxling.resample.tokens import without_each

_TWICE = 2  # clusters a side that must have a phone


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Values of K things without each group of clusters, and the tokens that these have of each, [K, C]."""

    values: Floats
    tokens: Floats


@dataclass(frozen=True, eq=False)
class Changes:
    """The tokens of Y gold phones whose value of each feature changed, [C, F, Y], and all of them, [C, Y]."""

    changed: Floats
    tokens: Floats

    def shares(self, weights: Floats) -> tuple[Floats, LeftOut]:
        """Return the weighted mean share of each feature over phones, [F], and that without each group of clusters."""
        own = weights > 0
        changed, tokens = self.changed[..., own], self.tokens[:, own]
        without = divided(without_each(changed), without_each(tokens)[:, None]) @ weights[own]
        shares = divided(changed.sum(axis=0), tokens.sum(axis=0)) @ weights[own]
        return shares, LeftOut(without.T, np.broadcast_to(tokens.sum(axis=1), without.T.shape))


def changes_of(stack: ConfusionStack, clusters: Clusters, phones: Sequence[str], table: FeatureTable) -> Changes:
    """Return how often the features of these gold phones changed."""
    counts = by_cluster(stack, clusters)[:, [stack.gold.code(phone) for phone in phones], :-1]
    values = feature_values(phones, stack.predicted, table)
    known = (values.gold[0] >= 0)[:, None] & (values.predicted[0] >= 0)
    other = (values.gold[:, :, None] != values.predicted[:, None, :]) & known
    return Changes(np.einsum("cyp,fyp->cfy", counts, other.astype(np.float64)), (counts * known).sum(axis=2))


def common_weights(first: Changes, second: Changes) -> Floats:
    """Return the weights of Mantel & Haenszel of phones that two clusters have on either side, [Y]."""
    held = [np.count_nonzero(one.tokens, axis=0) >= _TWICE for one in (first, second)]
    own, other = first.tokens.sum(axis=0), second.tokens.sum(axis=0)
    weights = np.where(np.all(held, axis=0), divided(own * other, own + other, undefined=0.0), 0.0)
    return divided(weights, weights.sum(), undefined=0.0)
