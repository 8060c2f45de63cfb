"""Sums and means of what tokens hold, by group and without each cluster.

`values` [N, k] are what each of N tokens holds, `owner` [N] the positions of their utterances, `group` [N] the group of
each, 0 … G − 1: its phone, its bin of confidence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.estimate import Estimate
from phonxling.core.posteriorgram import Rows
from phonxling.count.confusions import parts_of
from phonxling.count.kernel import add_rows
from phonxling.resample.jackknife import Clusters, limits_of_rows
from phonxling.resample.student import Kind


def sums_by(codes: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Return the sums of the values [N, k] of each code 0 … size − 1, [size, k]."""
    columns = [sum_by(codes, column, size) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


@dataclass(frozen=True, eq=False)
class TokenGroups:
    """N tokens by `group` [N], 0 … G − 1, and by `owner` [N], the positions of their utterances."""

    group: NDArray[np.integer]
    groups: int
    owner: Codes
    clusters: Clusters

    def by_cluster(self, values: Rows, counts: Floats | None = None) -> Floats:
        """Return the sums of each group over each group of clusters, [C, G, k]; a token counts 1, or `counts` [N]."""
        shape = len(self.clusters.sizes), self.groups, values.shape[1]
        sums = np.zeros((shape[0] * shape[1], shape[2]))
        for part in parts_of(values):
            rows = values[part].astype(np.float64, copy=False)
            place = self.clusters.group[self.owner[part]] * self.groups + self.group[part]
            add_rows(rows, np.ones(len(rows)) if counts is None else counts[part], place, sums)
        return sums.reshape(shape)

    def sizes(self) -> Floats:
        """Return how many tokens of each group each group of clusters has, [G, C]."""
        return self.by_cluster(np.ones((len(self.group), 1)))[..., 0].T

    def means(self, values: Floats, kind: Kind = "rate") -> list[Estimate]:
        """Return the mean of each group of tokens with its interval; NaN for a group that has none."""
        each = np.stack([np.where(np.isfinite(values), values, 0.0), np.ones(len(values))], axis=1)
        sums, means = (
            self.by_cluster(each),
            divided(*sums_by(self.group, np.stack([values, each[:, 1]], 1), self.groups).T),
        )
        above, below = (np.ascontiguousarray(sums[..., place].T) for place in (0, 1))
        left_out = divided(above.sum(axis=1, keepdims=True) - above, below.sum(axis=1, keepdims=True) - below)
        low, high = limits_of_rows(means, left_out, below, self.clusters, kind)
        rows = zip(means.tolist(), low.tolist(), high.tolist(), strict=True)
        return [Estimate(*row, self.clusters.level) for row in rows]


def without_each(by_cluster: Floats) -> Floats:
    """Return the sums without each group of clusters, of sums [C, …] of them; what rounding leaves of none is 0."""
    return np.asarray(np.maximum(by_cluster.sum(axis=0) - by_cluster, 0.0))


def mean_of_tokens(values: Floats, owner: Codes, clusters: Clusters) -> Estimate:
    """Return the mean over tokens [N] with its interval; `owner` are the positions of their utterances."""
    return ratio_of_tokens(values, np.ones(len(values)), owner=owner, clusters=clusters)


def ratio_of_tokens(above: Floats, below: Floats, *, owner: Codes, clusters: Clusters) -> Estimate:
    """Return Σ above / Σ below over tokens with its interval; NaN without any, no interval if infinite."""
    whole = float(below.sum())
    value = float(above.sum() / whole) if whole > 0 else np.nan
    if not np.isfinite(value):
        return Estimate(value)
    number, group = len(clusters.sizes), clusters.group[owner]
    top, bottom = (sum_by(group, one, number) for one in (above, below))
    return clusters.estimate(value, divided(top.sum() - top, whole - bottom), "rate", sizes=bottom)
