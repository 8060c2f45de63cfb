"""Percentile bootstrap of rates, over utterances or over clusters of them.

A rate is a ratio of sums, so replicates need the sums of each cluster alone: weights [R, C] times sums [C, k]. Each
replicate has a seed of its own, so that working in parts changes nothing; one set of weights serves every rate. Weights
that would take more than 256 MB are not kept, but drawn again, a part at a time, whenever they are needed.

References
----------
Bisani & Ney (2004), Bootstrap estimates for confidence intervals in ASR performance evaluation. Efron (1979).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.core.estimate import Estimate

Floats = NDArray[np.float64]
FEW_CLUSTERS = 10
_KEPT = 256_000_000  # bytes of weights that are drawn once and kept
_PART = 64_000_000  # bytes of weights as floats at one time


@dataclass(frozen=True, eq=False)
class Resampling:
    """How often each cluster is drawn in each replicate.

    Parameters
    ----------
    clusters : int64 array [U]
        The cluster of each utterance, 0 … C − 1.
    number : int
        C, how many clusters there are, and are drawn in each replicate.
    replicates : int
        R.
    seed : int
        Replicate r draws from the seed [seed, r].
    level : float
        Level of the intervals.
    unit : str
        What is drawn, for notes.
    """

    clusters: NDArray[np.int64]
    number: int
    replicates: int
    seed: int
    level: float
    unit: str

    @cached_property
    def weights(self) -> NDArray[np.uint16]:
        """The weights of all replicates, uint16 [R, C]; each row sums to C."""
        weights = self._drawn(0, self.replicates)
        weights.flags.writeable = False
        return weights

    def parts(self, rows: int) -> Iterator[NDArray[np.uint16]]:
        """Yield the weights of so many replicates at a time, uint16 [at most rows, C]."""
        keep = 2 * self.replicates * self.number <= _KEPT
        for first in range(0, self.replicates, rows):
            last = min(first + rows, self.replicates)
            yield self.weights[first:last] if keep else self._drawn(first, last)

    def _drawn(self, first: int, last: int) -> NDArray[np.uint16]:
        weights = np.zeros((last - first, self.number), dtype=np.uint16)
        for row, replicate in zip(weights, range(first, last), strict=True):
            generator = np.random.default_rng([self.seed, replicate])
            row[:] = np.bincount(generator.integers(0, self.number, size=self.number), minlength=self.number)
        return weights

    def ratio(self, numerator: Floats, denominator: Floats) -> Estimate:
        """Return Σ numerator / Σ denominator over utterances, [U] each, with its percentile interval.

        NaN, with the reason, when the denominator sums to 0. No interval without replicates, nor, with the reason,
        for one cluster or a numerator of 0 throughout: no error seen is no proof of none. Replicates whose denominator
        is 0 are left out, and the note counts them.
        """
        above, below = float(numerator.sum()), float(denominator.sum())
        if not below:
            return Estimate(math.nan, note="not defined: the denominator is 0")
        return self._interval(above / below, self._sums(numerator), self._sums(denominator))

    def one_less_ratio(self, numerator: Floats, denominator: Floats) -> Estimate:
        """Return 1 − Σ numerator / Σ denominator with its percentile interval: the skill of a rate over another."""
        found = self.ratio(numerator, denominator)
        return Estimate(1 - found.value, 1 - found.high, 1 - found.low, found.level, found.note)

    def _sums(self, values: Floats) -> Floats:
        by_cluster = np.bincount(self.clusters, weights=values, minlength=self.number)
        rows = max(1, min(self.replicates // 16, _PART // (8 * max(1, self.number))))
        return np.concatenate([np.zeros(0), *(part.astype(np.float64) @ by_cluster for part in self.parts(rows))])

    def _interval(self, value: float, above: Floats, below: Floats) -> Estimate:
        if self.number < 2:
            return Estimate(value, note=f"no interval: there is one {self.unit} only")
        drawn = above[below > 0] / below[below > 0]
        if not len(drawn):
            return Estimate(value, note="no interval: no replicate has a denominator" if len(below) else "")
        if not drawn.any():
            return Estimate(value, note="no interval: resampling cannot tell how far from 0 it may be")
        low, high = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
        return Estimate(value, float(low), float(high), self.level, self._weakness(len(below) - len(drawn)))

    def _weakness(self, undefined: int) -> str:
        few = f"the interval rests on {self.number} {self.unit}s only and is likely too narrow"
        lost = f"{undefined} replicates without a denominator are left out of the interval"
        return "; ".join([few] * (self.number < FEW_CLUSTERS) + [lost] * (undefined > 0))


def resampling(utterances: int, speakers: Sequence[str] | None, resamples: int, level: float, seed: int) -> Resampling:
    """Return bootstrap weights over speakers, or over utterances when none are given.

    Raises
    ------
    ValueError
        If there is not one speaker an utterance.
    """
    if speakers is not None and len(speakers) != utterances:
        raise ValueError(f"{len(speakers)} speakers for {utterances} utterances")
    names = speakers if speakers is not None else range(utterances)
    _, clusters = np.unique(np.asarray(names), return_inverse=True)
    number = int(clusters.max(initial=-1)) + 1
    unit = "utterance" if speakers is None else "speaker"
    return Resampling(clusters.astype(np.int64), number, resamples, seed, level, unit)
