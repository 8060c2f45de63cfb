"""Both languages' restricted counts by cluster, over bootstrap replicates, and without each cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, starmap
from typing import TypeAlias

import numpy as np

from phonxling.analyses.expected.confusions import ExpectedConfusions, restricted
from phonxling.analyses.expected.dealing import deals
from phonxling.core.arrays import Bools, Floats
from phonxling.core.inventory import Inventory
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.two_corpora.measures import Resampled, jackknifed

LEFT_OUT = 200  # clusters of a language that are left out one by one; of more, neighbours are left out together
DEALS = 200  # of which the divergence is jackknifed,
GROUPS = 20  # with so many groups of speakers of a language at most
Measure: TypeAlias = Callable[[ExpectedConfusions], float | Floats]
_TOGETHER = 1 << 16  # cells of deals that are jackknifed together
_NOTHING = 1e-9  # a count that subtraction leaves of none


@dataclass(frozen=True, eq=False)
class Clusters:
    """The counts of each cluster of both languages, [C1, T, P] and [C2, T, P]."""

    target: Floats
    reference: Floats

    def jackknifed(self, confusions: ExpectedConfusions, measure: Measure) -> tuple[float, float]:
        """Return a measure without the bias of few clusters, and its standard error; as it is where it is infinite."""
        value = float(measure(confusions))
        if not np.isfinite(value):
            return value, np.nan
        return self.of_left_out(value, _measured([self], confusions, measure)[0, 1:])

    def of_left_out(self, value: float, left_out: Floats) -> tuple[float, float]:
        """Return the same of the value of the whole tables and those without each cluster, [C1 + C2]."""
        return jackknifed(value, left_out[: len(self.target)], left_out[len(self.target) :])

    def grouped(self, most: int) -> "Clusters":
        """Return the same with neighbours put together, so that each language has at most so many clusters."""
        both = [self.target, self.reference]
        firsts = [np.linspace(0, len(side), most, endpoint=False).astype(np.int64) for side in both]
        return Clusters(
            *(
                np.add.reduceat(side, first) if len(side) > most else side
                for side, first in zip(both, firsts, strict=True)
            )
        )


def _measured(some: Sequence[Clusters], confusions: ExpectedConfusions, measure: Measure) -> Floats:
    """Return a measure of n times two tables: whole, then without each cluster in turn, [n, 1 + C1 + C2]."""
    target, reference = (np.stack(sides) for sides in zip(*((one.target, one.reference) for one in some), strict=True))
    own, other = target.sum(axis=1, keepdims=True), reference.sum(axis=1, keepdims=True)
    tables = (
        np.concatenate([own, own - target, np.broadcast_to(own, reference.shape)], axis=1),
        np.concatenate([other, np.broadcast_to(other, target.shape), other - reference], axis=1),
    )
    flat = [np.where(table > _NOTHING, table, 0.0).reshape(-1, *own.shape[2:]) for table in tables]
    stacked = [np.moveaxis(table, 0, -1) for table in flat]
    return np.asarray(measure(replace(confusions, target=stacked[0], reference=stacked[1]))).reshape(len(some), -1)


def dealt(
    clusters: Clusters, confusions: ExpectedConfusions, right: Bools, measure: Measure, generator: np.random.Generator
) -> Floats:
    """Return a jackknifed measure, [DEALS], where speakers are dealt anew to the two languages, see `deals`."""
    corrected = list[float]()
    places = starmap(Clusters, deals(clusters.target, clusters.reference, right, number=DEALS, generator=generator))
    together = max(1, _TOGETHER // max(clusters.target.size + clusters.reference.size, 1))
    while some := [one.grouped(GROUPS) for one in islice(places, together)]:
        corrected += _corrected(some, confusions, measure)
    return np.array(corrected)


def _corrected(deals: Sequence[Clusters], confusions: ExpectedConfusions, measure: Measure) -> list[float]:
    """Return a measure of each deal without the bias of few clusters; as it is where it is infinite."""
    measured = zip(deals, _measured(deals, confusions, measure), strict=True)
    return [
        one.of_left_out(value, np.array(left))[0] if np.isfinite(value) else value for one, (value, *left) in measured
    ]


def clusters_of(
    target: Resampled,
    reference: Resampled,
    *,
    phones: tuple[Sequence[str], Sequence[str]],
    predicted: Inventory,
    most: int | None = None,
) -> Clusters:
    """Return the counts of the clusters of both languages, of gold phones and of their counterparts in the reference.

    Of more than `most` clusters neighbours are put together.
    """
    own, other = phones
    return Clusters(_by_cluster(target, own, predicted, most), _by_cluster(reference, other, predicted, most))


def _by_cluster(corpus: Resampled, gold: Sequence[str], predicted: Inventory, most: int | None) -> Floats:
    stack, weights = corpus
    groups = min(weights.number, most or weights.number)
    grouped = replace(weights, clusters=weights.clusters * groups // weights.number, number=groups)
    counts = np.zeros((groups, len(stack.gold) + 1, len(stack.predicted) + 1))  # code −1 reads an empty row or column
    for cells in cluster_cells(stack, grouped).parts():
        counts[cells.cluster, cells.row, cells.column] = cells.tokens
    rows, columns = (
        [inventory.code(phone) if phone in inventory else -1 for phone in phones]
        for inventory, phones in ((stack.gold, gold), (stack.predicted, predicted))
    )
    return counts[:, rows][:, :, columns]


def resampled(
    confusions: ExpectedConfusions, target: Resampled, reference: Resampled, *, counterparts: Sequence[str]
) -> ExpectedConfusions:
    """Return the counts of R replicates, both languages resampled independently of each other.

    `counterparts` has the reference phone that stands for each gold phone. The reference's replicates are taken in
    another order, since two corpora with as many clusters would else be drawn alike.
    """
    own = _replicates(target, confusions.gold.phones, confusions)
    other = _replicates(reference, counterparts, confusions)
    return replace(confusions, target=own, reference=np.roll(other, 1, axis=-1))


def _replicates(corpus: Resampled, gold: Sequence[str], confusions: ExpectedConfusions) -> Floats:
    """Return the restricted counts of each replicate, [T, P, R]."""
    (stack, weights), chosen = corpus, {"gold": gold, "predicted": confusions.predicted.phones}
    phones, shape = stack.total(), (len(gold), len(confusions.predicted), 0)
    parts = (restricted(phones, counts, **chosen) for counts in replicate_counts(stack, weights))
    return np.concatenate([np.zeros(shape), *parts], axis=-1)
