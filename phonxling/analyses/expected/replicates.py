"""Both languages' restricted counts by cluster, over bootstrap replicates, and without each cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
DEALS = 1000, 199  # so many, and of large tables fewer, but at least so many
_WORK = 250_000_000  # cells of all deals, about 20 seconds
JACKKNIFED = 200  # deals of which the divergence is jackknifed,
GROUPS = 20  # with so many groups of speakers of a language at most
Measure: TypeAlias = Callable[[ExpectedConfusions], float | Floats]
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

    def jackknifed(self, confusions: ExpectedConfusions, measure: Measure) -> tuple[float, float]:
        """Return a measure without the bias of few clusters, and its standard error; as it is where it is infinite."""
        value = float(measure(confusions))
        if not np.isfinite(value):
            return value, np.nan
        left_out = np.asarray(measure(self.left_out(confusions)))
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


@dataclass(frozen=True, eq=False)
class Dealt:
    """What chance alone gives: both languages' tables of R deals, and of the first of them a jackknifed measure."""

    confusions: ExpectedConfusions
    jackknifed: Floats


def dealt(
    clusters: Clusters, confusions: ExpectedConfusions, right: Bools, measure: Measure, generator: np.random.Generator
) -> Dealt:
    """Return what chance alone gives when speakers are dealt anew to the two languages, see `deals`."""
    targets, references, corrected = [], [], []
    number = int(np.clip(_WORK // max(clusters.target.size + clusters.reference.size, 1), DEALS[1], DEALS[0]))
    places = deals(clusters.target, clusters.reference, right, number=number, generator=generator)
    for deal, (target, reference) in enumerate(places):
        targets.append(target.sum(axis=0))
        references.append(reference.sum(axis=0))
        if deal < JACKKNIFED:
            one = replace(confusions, target=targets[-1], reference=references[-1])
            corrected.append(Clusters(target, reference).grouped(GROUPS).jackknifed(one, measure)[0])
    tables = replace(confusions, target=np.stack(targets, axis=-1), reference=np.stack(references, axis=-1))
    return Dealt(tables, np.array(corrected))


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
