"""nearest.tsv: the reference phones nearest to each phone in the full space, and how sure that is."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.map.faithfulness import closest, nearest_references
from phonxling.analyses.map.points import jensen_shannon_distances
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import clusters_with, replicate_means
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
NEAREST = 3
FEW_TOKENS = 20


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

    def clusters(self) -> NDArray[np.int64]:
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
    weaker = _weaker(target, reference, order)
    each = zip(table["distance"], drawn.reshape(len(drawn), order.size).T, weaker, strict=True)
    found = [estimate(value, values, resampling, "basic") for value, values, resampling in each]
    return table.assign(
        low=np.maximum([one.low for one in found], 0.0),
        high=[one.high for one in found],
        share_nearest=share.ravel(),
        note=["; ".join(filter(None, [few, one.note])) for few, one in zip(_few(table), found, strict=True)],
    )


def _drawn(target: PhoneTokens, reference: PhoneTokens, order: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the distances of each replicate, [R, G, k], and how often each of them was the least of all, [G, k]."""
    own = target is reference
    ours = target.replicates()
    theirs = ours if own else np.roll(reference.replicates(), 1, axis=0)  # one set of weights, yet not drawn together
    number = min(len(ours), len(theirs)) if order.size else 0
    distances = np.full((number, *order.shape), np.nan)
    nearest, there = np.zeros(order.shape), np.zeros((len(order), 1))
    for replicate, (mine, other) in enumerate(zip(ours[:number], theirs[:number], strict=True)):
        every = jensen_shannon_distances(mine, other)
        distances[replicate] = np.take_along_axis(every, order, axis=1)
        first, least = closest(every, 1, own=own)
        defined = ~np.isnan(least)
        there += defined
        nearest += (first == order) & defined
    return distances, np.divide(nearest, there, out=np.full(order.shape, np.nan), where=there > 0)


def _weaker(target: PhoneTokens, reference: PhoneTokens, order: NDArray[np.intp]) -> list[Resampling]:
    """Return, for each row, the weights of the side whose phone has tokens from fewer speakers, of that number."""
    ours = np.repeat(target.clusters(), order.shape[1])
    theirs = reference.clusters()[order.ravel()]
    return [
        replace(target.resampling, number=one) if one <= other else replace(reference.resampling, number=other)
        for one, other in zip(ours.tolist(), theirs.tolist(), strict=True)
    ]


def _few(table: pd.DataFrame) -> list[str]:
    """Return, for each row, which side's mean rests on fewer than 20 tokens."""
    sides = [(table["phone"], table["tokens"]), ("reference " + table["reference"], table["reference_tokens"])]
    few = [
        ", ".join(f"{phone} {tokens}" for phone, tokens in row if tokens < FEW_TOKENS)
        for row in zip(*(zip(*side, strict=True) for side in sides), strict=True)
    ]
    return [f"few tokens ({phones}): the distance is likely too large" if phones else "" for phones in few]
