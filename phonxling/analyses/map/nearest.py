"""The reference phones nearest to each phone in the full space, and nearest.tsv: how sure that is."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.map.points import check_columns, jensen_shannon_distances
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.estimate import joined
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import clusters_with, replicate_means
from phonxling.resample.weights import Resampling

NEAREST = 3
FEW_TOKENS = 20


def nearest_references(target: PhoneMeans, reference: PhoneMeans, k: int = 3, *, own: bool = False) -> pd.DataFrame:
    """Return each target phone's k nearest reference phones by Jensen–Shannon distance of their full distributions.

    Columns: phone, rank (from 1), reference, distance (√JS, base 2, in [0, 1]), and the tokens that the phone's mean
    and the reference's rest on: a mean of few tokens lies too far from all others. Equal distances keep the reference's
    order. With `own` both are of one language, and no phone counts as its own neighbour.

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
    distances = jensen_shannon_distances(target.means, reference.means)
    order, least = closest(distances, k, own=own)
    number = order.shape[1]
    return pd.DataFrame(
        {
            "phone": np.repeat(np.array(target.phones.phones, dtype=object), number),
            "rank": np.tile(np.arange(1, number + 1), len(target.phones)),
            "reference": np.array(reference.phones.phones, dtype=object)[order.ravel()],
            "distance": least.ravel(),
            "tokens": np.repeat(target.tokens, number),
            "reference_tokens": reference.tokens[order.ravel()],
        }
    )


def closest(distances: Floats, k: int, *, own: bool = False) -> tuple[NDArray[np.intp], Floats]:
    """Return the columns of the k least distances in each row [N, M], nearest first, and these distances, [N, k].

    NaN counts as farthest. With `own` the diagonal is left out.
    """
    known = np.where(np.isnan(distances), np.inf, distances)
    if own:
        np.fill_diagonal(known, np.inf)
    number = min(k, known.shape[1] - own)
    order = np.argsort(known, axis=1, kind="stable")[:, : max(number, 0)]
    return order, np.take_along_axis(distances, order, axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class PhoneTokens:
    """A corpus' token posteriors, its phone means, and the weights that resample its utterances or speakers."""

    tokens: TokenPosteriors
    means: PhoneMeans
    resampling: Resampling

    @property
    def codes(self) -> NDArray[np.intp]:
        """Each token's phone, by its place among the phones that have tokens, [N]."""
        return np.searchsorted(np.unique(self.tokens.codes), self.tokens.codes)

    def replicates(self) -> Floats:
        """Return the phone means of each replicate, [R, G, K]."""
        return replicate_means(
            self.tokens.rows,
            self.codes,
            groups=len(self.means.phones),
            owner=self.tokens.utterances,
            resampling=self.resampling,
        )

    def clusters(self) -> Codes:
        """Return how many utterances or speakers each phone's tokens come from, [G]."""
        phones, owner = len(self.means.phones), self.tokens.utterances
        return clusters_with(self.codes, groups=phones, owner=owner, resampling=self.resampling)


def nearest_table(target: PhoneTokens, reference: PhoneTokens) -> pd.DataFrame:
    """Return nearest.tsv of one corpus: the three nearest reference phones of each, for the reference its other phones.

    `low` and `high` are basic bootstrap limits of the distance, `share_nearest` the share of replicates in which that
    phone is the nearest of all. Replicates of two corpora are independent draws. DataError when they are over different
    recogniser's phones.
    """
    own = target is reference
    table = nearest_references(target.means, reference.means, NEAREST, own=own)
    order, _ = closest(jensen_shannon_distances(target.means.means, reference.means.means), NEAREST, own=own)
    drawn, share = _drawn(target, reference, order)
    draws = drawn.reshape(len(drawn), order.size).T
    numbers = [
        estimate(distance, of_pair, resampling, method="basic")
        for distance, of_pair, resampling in zip(
            table["distance"], draws, _weaker(target, reference, order), strict=True
        )
    ]
    return table.assign(
        low=np.maximum([number.low for number in numbers], 0.0),
        high=[number.high for number in numbers],
        share_nearest=share.ravel(),
        note=[joined([few, number.note]) for few, number in zip(_few(table), numbers, strict=True)],
    )


def _drawn(target: PhoneTokens, reference: PhoneTokens, order: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the distances of each replicate, [R, G, k], and how often each of them was the least of all, [G, k]."""
    own = target is reference
    ours = target.replicates()
    theirs = ours if own else np.roll(reference.replicates(), 1, axis=0)  # one set of weights, yet not drawn together
    number = min(len(ours), len(theirs)) if order.size else 0
    distances = np.full((number, *order.shape), np.nan)
    nearest, replicates = np.zeros(order.shape), np.zeros((len(order), 1))
    for replicate, (our_means, their_means) in enumerate(zip(ours[:number], theirs[:number], strict=True)):
        every = jensen_shannon_distances(our_means, their_means)
        distances[replicate] = np.take_along_axis(every, order, axis=1)
        first, least = closest(every, 1, own=own)
        defined = ~np.isnan(least)
        replicates += defined
        nearest += (first == order) & defined
    return distances, divided(nearest, np.broadcast_to(replicates, order.shape))


def _weaker(target: PhoneTokens, reference: PhoneTokens, order: NDArray[np.intp]) -> list[Resampling]:
    """Return, for each row, the weights of the side whose phone has tokens from fewer speakers, of that number."""
    ours = np.repeat(target.clusters(), order.shape[1])
    theirs = reference.clusters()[order.ravel()]
    return [
        replace(target.resampling, number=own) if own <= others else replace(reference.resampling, number=others)
        for own, others in zip(ours.tolist(), theirs.tolist(), strict=True)
    ]


def _few(table: pd.DataFrame) -> list[str]:
    """Return, for each row, which side's mean rests on fewer than 20 tokens."""
    sides = [(table["phone"], table["tokens"]), ("reference " + table["reference"], table["reference_tokens"])]
    few = [
        ", ".join(f"{phone} {tokens}" for phone, tokens in row if tokens < FEW_TOKENS)
        for row in zip(*(zip(*side, strict=True) for side in sides), strict=True)
    ]
    return [f"few tokens ({phones}): the distance is likely too large" if phones else "" for phones in few]
