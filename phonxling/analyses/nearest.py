"""The reference phones nearest to each phone in the full space, and nearest.tsv: how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.projection import check_columns, distances_between, metric_points
from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Codes, Floats, divided, nearest_first
from phonxling.core.estimate import joined
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.resample.intervals import Resampling, estimate
from phonxling.resample.replicates import clusters_with, left_out_group_sums, replicate_means
from phonxling.resample.two_corpora import jackknifed
from phonxling.settings.sections import METRIC, Metric

NEAREST = 3
FEW_TOKENS = 20
_TOGETHER = 1_000_000  # distances that are in memory at one time


@checked_types
def nearest_references(
    target: PhoneMeans,
    reference: PhoneMeans,
    k: int = 3,
    *,
    metric: Metric = METRIC,
    own: bool = False,
    namesakes: bool = False,
) -> pd.DataFrame:
    """Return each target phone's k nearest reference phones by the distance of their mean posteriors in full space.

    Columns: phone, rank (from 1), reference, distance (at most 1, but for `aitchison`, which has no bound), and the
    tokens that the phone's mean and the reference's rest on: a mean of few tokens lies too far from all others. Equal
    distances keep the reference's order. With `own` both are of one language, and no phone counts as its own neighbour.
    With `namesakes` the reference phone of the same symbol has a row of its own at whatever rank.

    Raises
    ------
    DataError
        If the two are over different recogniser's phones.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> rows = np.array([[1, 0], [0.5, 0.5]])
    >>> english = PhoneMeans(
    ...     phones=Inventory(("p", "b")), columns=Inventory(("p", "t")), means=rows, tokens=[9, 4],
    ...     batch_phones=[0, 1], batch_means=rows)
    >>> nearest_references(english, english, k=1)[["phone", "reference", "distance"]].to_numpy().tolist()
    [['p', 'p', 0.0], ['b', 'b', 0.0]]
    """
    check_columns(reference, target)
    phones, others = (np.array(side.phones.phones, dtype=object) for side in (target, reference))
    distances = _distances(target.means, reference.means, metric, own=own)
    ranks = np.empty(distances.shape, dtype=np.int64)
    np.put_along_axis(ranks, nearest_first(distances), np.arange(1, len(others) + 1)[None], axis=1)
    wanted = (ranks <= k) | (phones[:, None] == others) if namesakes else ranks <= k
    row, column = np.nonzero(wanted & np.isfinite(distances))
    order = np.lexsort([ranks[row, column], row])
    row, column = row[order], column[order]
    return pd.DataFrame(
        {
            "phone": phones[row],
            "rank": ranks[row, column],
            "reference": others[column],
            "distance": distances[row, column],
            "tokens": target.tokens[row],
            "reference_tokens": reference.tokens[column],
        }
    )


def _distances(target: Floats, reference: Floats, metric: Metric, *, own: bool) -> Floats:
    """Return the distances of each target mean from each of the reference's, [..., G, M]; a phone's own is infinite."""
    distances = distances_between(target, reference, metric)
    if own:
        each = np.arange(target.shape[-2])
        distances[..., each, each] = np.inf
    return distances


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneTokens:
    """A corpus' token posteriors, its phone means, and the weights that resample its utterances or speakers."""

    tokens: TokenPosteriors
    means: PhoneMeans
    resampling: Resampling
    drawn: Floats | None = None

    @property
    def codes(self) -> NDArray[np.intp]:
        """Each token's phone, by its place among the phones that have tokens, [N]."""
        return np.searchsorted(np.unique(self.tokens.codes), self.tokens.codes)

    def replicates(self) -> Floats:
        """Return the phone means of each replicate, [R, G, K]."""
        drawn = None if self.drawn is None else self.drawn[:, np.unique(self.tokens.codes)]
        return replicate_means(self.tokens.rows, self.codes, total=drawn, **self._by_phone)

    def left_out(self) -> Floats:
        """Return the phone means without each cluster, or without each of 200 parts of the clusters, [B, G, K]."""
        values = self.tokens.rows, np.ones((len(self.tokens.rows), 1))
        total, number = (left_out_group_sums(each, self.codes, **self._by_phone) for each in values)
        return divided(total, np.broadcast_to(number, total.shape))

    def clusters(self) -> Floats:
        """Return how many effective utterances or speakers each phone's tokens come from, [G]."""
        return np.asarray(clusters_with(self.codes, **self._by_phone)[1])

    @property
    def _by_phone(self) -> dict[str, Any]:
        return {"groups": len(self.means.phones), "owner": self.tokens.utterances, "resampling": self.resampling}


def nearest_table(
    target: PhoneTokens, reference: PhoneTokens, metric: Metric = METRIC, *, drawn: Floats | None = None
) -> pd.DataFrame:
    """Return nearest.tsv of one corpus: each phone's three nearest reference phones and, at its rank, its namesake."""
    own = target is reference
    table = nearest_references(target.means, reference.means, NEAREST, metric=metric, own=own, namesakes=not own)
    sides = (target.means.phones, table["phone"]), (reference.means.phones, table["reference"])
    rows = [np.array([phones.code(phone) for phone in named], dtype=np.int64) for phones, named in sides]
    theirs = reference.replicates() if drawn is None else drawn
    distances, share = _drawn(theirs if own else target.replicates(), theirs, rows, metric, own=own)
    means, others = target.means.means, reference.means.means
    whole = _squares(means, others, rows, metric)
    first = [_squares(part, part if own else others, rows, metric) for part in target.left_out()]
    second = [] if own else [_squares(means, part, rows, metric) for part in reference.left_out()]
    left_out = (np.reshape(side, (len(side), len(whole))).T for side in (first, second))
    squares = [jackknifed(*each) for each in zip(whole.tolist(), *left_out, strict=True)]  # without their noise
    held = [side.clusters()[places] for side, places in zip((target, reference), rows, strict=True)]
    numbers = []  # by the side whose phone has fewer effective speakers
    for (square, error), of_pair, own_side, other in zip(squares, distances.T, *held, strict=True):
        weights, clusters = (target.resampling, own_side) if own_side <= other else (reference.resampling, other)
        numbers.append(estimate(square, of_pair**2, weights, error=error, clusters=float(clusters)))
    low, high = (np.sqrt(np.maximum([getattr(one, end) for one in numbers], 0.0)) for end in ("low", "high"))
    notes = []
    for row, number in zip(table.to_dict("records"), numbers, strict=True):
        tokens = (row["phone"], row["tokens"]), (f"reference {row['reference']}", row["reference_tokens"])
        few = ", ".join(f"{phone} {n}" for phone, n in tokens if n < FEW_TOKENS)
        notes.append(joined([f"few tokens ({few}): the distance is likely too large" if few else "", number.note]))
    return table.assign(
        low=np.minimum(low, table["distance"]),
        high=np.maximum(high, table["distance"]),
        share_nearest=share,
        namesake=np.where(table["phone"] == table["reference"], "yes", ""),
        note=notes,
    )


def _squares(ours: Floats, theirs: Floats, rows: Sequence[Codes], metric: Metric) -> Floats:
    apart = metric_points(ours, metric)[rows[0]] - metric_points(theirs, metric)[rows[1]]
    return np.asarray((apart**2).sum(axis=1), dtype=np.float64)


def _drawn(ours: Floats, theirs: Floats, rows: Sequence[Codes], metric: Metric, *, own: bool) -> tuple[Floats, Floats]:
    """Return the distances of each replicate, [R, rows], and how often each of them was the least of all, [rows]."""
    phones, others = rows
    number = min(len(ours), len(theirs)) if len(phones) else 0
    drawn, nearest, defined = np.full((number, len(phones)), np.nan), np.zeros(len(phones)), np.zeros(len(phones))
    step = 1 + _TOGETHER // (1 + ours.shape[1] * theirs.shape[1])
    for first in range(0, number, step):
        part = np.arange(first, min(first + step, number))
        distances = _distances(ours[part], theirs[part if own else part - 1], metric, own=own)
        drawn[part] = distances[:, phones, others]
        known = np.where(np.isnan(distances), np.inf, distances)
        any_known = np.isfinite(known.min(axis=2))[:, phones]
        nearest += (any_known & (known.argmin(axis=2)[:, phones] == others)).sum(axis=0)
        defined += any_known.sum(axis=0)
    return drawn, divided(nearest, defined)
