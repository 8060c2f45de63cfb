"""Epenthesis: whether vowels are inserted inside clusters of consonants that the reference language does not have.

Conventions
-----------
A place is between two gold phones of one utterance that follow each other. It is a cluster where both are consonants
(+syl −cons is a vowel, all else with features a consonant), `seen` where the reference's gold has the two phones
nearest to these in a row, else `unseen`; `elsewhere` where one of the two is a vowel. A place counts as broken where a
vowel is inserted in it.

The test
--------
The rate of broken places among unseen clusters less that of seen ones, or less that elsewhere. p is the largest of
three: Fisher's exact test; over speakers or utterances; over the pairs of phones, since a few pairs make most places,
and how one of them sounds is no habit. q is Benjamini & Hochberg's over the two tests. The interval has the largest of
the standard errors of draws, of pairs, and of places that are alike, p₀(1 − p₀)(1/n + 1/m), p₀ the rate of both kinds.

References
----------
Fisher (1935), The design of experiments. Dupoux et al. (1999), Epenthetic vowels in Japanese: a perceptual illusion?
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from phonxling.analyses.habit.share import cluster_error, two_sided
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Bools, Codes, Floats, divided, sum_by
from phonxling.core.estimate import Estimate
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.intervals import estimate
from phonxling.resample.student import FEW_CLUSTERS
from phonxling.resample.weights import Resampling

KINDS = UNSEEN, SEEN, ELSEWHERE = "unseen", "seen", "elsewhere"
_FEW = 10  # broken places, below which hardly any difference could be told


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """N places between two gold phones: which phones, of which kind, in which utterance, and whether broken."""

    left: Codes
    right: Codes
    kind: Codes
    utterance: Codes
    broken: Bools
    phones: int

    def sums(self, groups: Codes, number: int) -> Floats:
        """Return the broken places and the places of each kind in each group, [2, 3, number]."""
        codes = self.kind * number + groups
        of = (self.broken.astype(np.float64), np.ones(len(codes)))
        return np.stack([sum_by(codes, values, 3 * number).reshape(3, number) for values in of])


@dataclass(frozen=True, slots=True)
class Difference:
    """The rate of unseen clusters less another one, with its interval, and the p of no difference."""

    value: Estimate
    p: float


def places_of(aligned: Alignments, vowels: tuple[Bools, Bools], consonants: Bools, seen: Bools) -> Places:
    """Return the places of an alignment.

    Parameters
    ----------
    aligned : Alignments
        The alignment.
    vowels : tuple of bool array [G], bool array [P]
        Which gold and which predicted phones are vowels.
    consonants : bool array [G]
        Which gold phones are consonants.
    seen : bool array [G, G]
        Which pairs of gold phones the reference has in a row.
    """
    gold_vowels, predicted_vowels = vowels
    is_gold = aligned.gold < len(aligned.gold_inventory)
    tokens, utterance = np.flatnonzero(is_gold), aligned.pair_utterances()
    inserted = np.append(predicted_vowels, False)[aligned.predicted] & ~is_gold
    until = np.concatenate([[0], np.cumsum(inserted)])
    first, second = tokens[:-1], tokens[1:]
    broken = until[second] > until[first + 1]
    left, right = aligned.gold[first].astype(np.int64), aligned.gold[second].astype(np.int64)
    cluster, vowel = consonants[left] & consonants[right], gold_vowels[left] | gold_vowels[right]
    told = gold_vowels | consonants
    chosen = (utterance[first] == utterance[second]) & told[left] & told[right] & (cluster | vowel)
    kind = np.where(cluster, seen[left, right].astype(np.int64), 2)
    return Places(
        left=left[chosen],
        right=right[chosen],
        kind=kind[chosen],
        utterance=utterance[first][chosen],
        broken=broken[chosen],
        phones=len(aligned.gold_inventory),
    )


def seen_pairs(reference: PhoneSequences, counterparts: Mapping[str, str], gold: tuple[str, ...]) -> Floats:
    """Return how often the reference has the counterparts of two gold phones in a row, [G, G]."""
    inventory, inner = reference.inventory, np.ones(len(reference.codes), dtype=bool)
    inner[reference.offsets[:-1][reference.lengths > 0]] = False
    size, codes = len(inventory), reference.codes.astype(np.int64)
    pairs = codes[:-1][inner[1:]] * size + codes[1:][inner[1:]]
    counts = np.bincount(pairs, minlength=size * size).reshape(size, size)
    own = np.array([inventory.code(counterparts[phone]) if phone in counterparts else -1 for phone in gold], np.int64)
    return np.where((own[:, None] >= 0) & (own >= 0), counts[np.ix_(own, own)], 0).astype(np.float64)


def difference(places: Places, other: int, resampling: Resampling) -> Difference:
    """Return the rate of broken places among unseen clusters less that of another kind."""
    pairs = np.unique(places.left * places.phones + places.right, return_inverse=True)[1]
    by_pair = places.sums(pairs, int(pairs.max(initial=-1)) + 1)[:, [0, other]]
    by_cluster = places.sums(resampling.clusters[places.utterance], resampling.number)[:, [0, other]]
    broken, number = by_pair.sum(axis=2)
    if not number.all():
        kinds = [name for name, of in zip((UNSEEN, KINDS[other]), number, strict=True) if not of]
        return Difference(Estimate(math.nan, note=f"no place is {' or '.join(kinds)}"), math.nan)
    rates = broken / number
    value = float(rates[0] - rates[1])
    apart = by_pair[0] - rates[:, None] * by_pair[1]
    groups = np.count_nonzero(by_pair[1], axis=1)
    variance = ((apart / number[:, None]) ** 2).sum(axis=1) * groups / np.maximum(groups - 1, 1)
    pooled = broken.sum() / number.sum()
    by_place = float(pooled * (1 - pooled) * (1 / number).sum())  # a kind without a broken place varies over no pair
    error = math.sqrt(max(float(variance.sum()), by_place))
    drawn = resampling.drawn_sums(*by_cluster.reshape(4, -1)).reshape(2, 2, -1)
    draws = _difference(drawn)
    left_out = _difference(by_cluster.sum(axis=2, keepdims=True) - by_cluster)
    clusters = int(np.count_nonzero(by_cluster[1].min(axis=0)))
    shown = estimate(value, draws, resampling, left_out=left_out, error=error, clusters=clusters).within(-1, 1)
    if broken.sum() < _FEW or min(clusters, *groups) < FEW_CLUSTERS or not len(draws):
        return Difference(shown, math.nan)
    by_draws = cluster_error(draws, left_out, clusters)
    exact = float(scipy.stats.fisher_exact(np.array([broken, number - broken])).pvalue)
    p = max(exact, two_sided(value, (by_draws, clusters - 1), (error, float(groups.min()) - 1)))
    return Difference(shown, p)


def _difference(sums: Floats) -> Floats:
    rates = divided(sums[0], sums[1])
    return np.asarray(rates[0] - rates[1])


def rows(places: Places, seen: Floats, gold: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows of epenthesis.tsv: each cluster of the target, the most frequently broken ones first."""
    cluster = places.kind < 2
    pairs, codes = np.unique(places.left[cluster] * places.phones + places.right[cluster], return_inverse=True)
    number = np.bincount(codes, minlength=len(pairs))
    broken = np.bincount(codes, weights=places.broken[cluster], minlength=len(pairs)).astype(np.int64)
    for place in np.lexsort([pairs, -number, -broken]).tolist():
        left, right = divmod(int(pairs[place]), places.phones)
        yield {
            "left": gold[left],
            "right": gold[right],
            "reference_count": int(seen[left, right]),
            "places": int(number[place]),
            "broken": int(broken[place]),
            "share": broken[place] / number[place],
        }
