"""Both languages' restricted counts by cluster, over bootstrap replicates, and without each cluster."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from phonxling.analyses.expected.confusions import ExpectedConfusions, restricted
from phonxling.core.arrays import Bools, Floats
from phonxling.core.inventory import Inventory
from phonxling.resample.dealing import deal
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.two_corpora import Resampled

LEFT_OUT = 200  # clusters of a language that are left out one by one; of more, neighbours are left out together
_NOTHING = 1e-9  # a count that subtraction leaves of none


@dataclass(frozen=True, eq=False)
class Clusters:
    """The counts of each cluster of both languages, [C1, T, P] and [C2, T, P]."""

    target: Floats
    reference: Floats

    def left_out(self, confusions: ExpectedConfusions) -> ExpectedConfusions:
        """Return the tables without each cluster in turn: C1 of the target, then C2 of the reference, stacked last."""
        own, other = self.target.sum(axis=0), self.reference.sum(axis=0)
        target = np.concatenate([own - self.target, np.broadcast_to(own, self.reference.shape)])
        reference = np.concatenate([np.broadcast_to(other, self.target.shape), other - self.reference])
        stacked = [np.moveaxis(np.where(table > _NOTHING, table, 0.0), 0, -1) for table in (target, reference)]
        return replace(confusions, target=stacked[0], reference=stacked[1])

    def dealt(
        self, confusions: ExpectedConfusions, right: Bools, *, deals: int, generator: np.random.Generator
    ) -> ExpectedConfusions:
        """Return tables that differ by chance alone: speakers dealt anew to the two languages, see `deal`."""
        target, reference = deal(self.target, self.reference, right, deals=deals, generator=generator)
        return replace(confusions, target=target, reference=reference)


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
    cells = cluster_cells(stack, grouped)
    counts = np.zeros((groups, len(stack.gold) + 1, len(stack.predicted) + 1))  # code −1 reads an empty row or column
    counts[cells.cluster, cells.row, cells.column] = cells.count
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
