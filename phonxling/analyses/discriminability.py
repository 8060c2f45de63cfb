"""How well two gold phones can be told apart by the answers to them: overlap and Jensen–Shannon divergence.

p, q: shares of the outcomes x of two phones, ∅ among them. Overlap Σ_x min(p_x, q_x), from 0 (no answer in common) to 1
(the same answers): one who knows the answer, and nothing else, names the phone that was said, of two equally likely
ones, right with the probability 1 − overlap / 2 at best. Jensen–Shannon divergence H((p + q)/2) − (H(p) + H(q))/2 in
bits, from 0 (the same answers) to 1.

Two samples of one distribution differ, so that the plug-in overlap is too low, and the divergence too high. The
divergence is jackknifed over clusters. The overlap stays the plug-in, as the literature has it, without an interval.

References
----------
Lin (1991), Divergence measures based on the Shannon entropy. Levy (2009); Faris, Best & Tyler (2018), on overlap.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.analyses.statistics import by_cluster
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.resample.entropies import shares_entropy
from phonxling.resample.jackknife import Clusters
from phonxling.resample.student import Kind
from phonxling.resample.tokens import without_each


@dataclass(frozen=True, eq=False)
class Answers:
    """What G gold phones are answered with, one of P categories or ∅: shares of all tokens of a phone."""

    stack: ConfusionStack
    clusters: Clusters

    @property
    def gold(self) -> Inventory:
        return self.stack.gold

    @property
    def categories(self) -> Inventory:
        return self.stack.predicted

    @cached_property
    def by_cluster(self) -> Floats:
        """The counts of each group of clusters, without insertions, [C, G, P + 1]."""
        return by_cluster(self.stack, self.clusters)[:, :-1]

    @cached_property
    def sizes(self) -> Floats:
        """The tokens of each phone in each group, deleted ones included, [G, C]."""
        return np.ascontiguousarray(self.by_cluster.sum(axis=2).T)

    @cached_property
    def tokens(self) -> Floats:
        return np.asarray(self.sizes.sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """p(x|y), [G, P + 1]; NaN for a phone without tokens."""
        return divided(self.by_cluster.sum(axis=0), self.tokens[:, None])

    @cached_property
    def best(self) -> Codes:
        """The most frequent category of each phone, the first of equal ones, [G]."""
        return np.asarray(self.shares[:, :-1].argmax(axis=1))

    def left_out(self, rows: list[int]) -> Floats:
        """Return p(x|y) of some phones without each group, [C, rows, P + 1]."""
        rest = without_each(self.by_cluster[:, rows])
        return divided(rest, rest.sum(axis=2, keepdims=True))


def of_two(value: float, left_out: Floats, sizes: Floats, clusters: Clusters, kind: Kind = "number") -> Estimate:
    """Return a number of two phones, whose tokens [2, C] are given; no interval where too few clusters have either.

    A group of clusters counts by its share of the tokens of each phone. A number that is at most 1 is a divergence,
    which is jackknifed.
    """
    few = next((own for own in sizes if clusters.too_few(own)), None)
    if few is not None:
        return Estimate(value, status="too-few-clusters", note=clusters.too_few_note(few))
    weights = (sizes / sizes.sum(axis=1, keepdims=True)).sum(axis=0)
    return clusters.estimate(value, left_out, kind, corrected=kind == "skill", sizes=weights)


def overlap(first: Floats, second: Floats) -> Floats:
    """Return Σ min of two distributions along the last axis, [… P]."""
    return np.asarray(np.minimum(first, second).sum(axis=-1))


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen–Shannon divergence in bits of two distributions along the last axis, [… P]."""
    own = (shares_entropy(first) + shares_entropy(second)) / 2
    return np.asarray(np.maximum(shares_entropy((first + second) / 2) - own, 0.0))


def discriminability(answers: Answers, pair: list[int]) -> tuple[float, Estimate]:
    """Return the overlap and the divergence of two phones, by their rows."""
    shares, left_out = answers.shares[pair], answers.left_out(pair)
    value, without = float(divergence(*shares)), divergence(left_out[:, 0], left_out[:, 1])
    apart = of_two(value, without, answers.sizes[pair], answers.clusters, "skill")
    return float(overlap(*shares)), apart.within(0.0, 1.0)
