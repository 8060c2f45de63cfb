"""The bootstrap of rates, over utterances or over clusters of them.

A rate is a ratio of sums, so replicates need the sums of each cluster alone: weights [R, C] times sums [C, k]. Each
replicate has a seed of its own, so that working in parts changes nothing; one set of weights serves every rate. Weights
that would take more than 1 GB (a thousand replicates of a million clusters) are not kept, but drawn again, a part at a
time, whenever they are needed.

References
----------
Bisani & Ney (2004), Bootstrap estimates for confidence intervals in ASR performance evaluation. Efron (1979).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.estimate import SPEAKERS_UNKNOWN, UNEQUAL, Estimate, joined
from phonxling.resample.intervals import Method, estimate, so_many, weakness
from phonxling.resample.kernel import add_drawn
from phonxling.resample.proportion import ASSUMED, effective_tokens, near_the_end, wilson
from phonxling.resample.student import Kind, effective_clusters, freedom_of

_KEPT = 1_000_000_000  # bytes of weights that are drawn once and kept
_PART = 64_000_000  # bytes of those at one time that are not kept


@dataclass(frozen=True, eq=False)
class Resampling:
    """How often each cluster is drawn in each replicate."""

    clusters: NDArray[np.int64]
    number: int
    replicates: int
    seed: int
    level: float
    unit: str
    method: Method = "auto"
    first: int = 0
    step: int = 1
    tokens: Floats | None = None
    largest: str = ""
    speakers_unknown: bool = False

    @cached_property
    def effective(self) -> float:
        """Kish's effective number of clusters, by their tokens where these are known and there are any."""
        if self.tokens is None or not self.tokens.any():
            return float(self.number)
        return effective_clusters(self.by_cluster(self.tokens))

    def __getstate__(self) -> dict[str, object]:
        """Return the fields alone: weights are quickly drawn again in another process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def weights(self) -> NDArray[np.uint8]:
        """The weights of all replicates, uint8 [R, C]; each row sums to C."""
        return self._drawn(0, self.replicates)

    def parts(self, rows: int) -> Iterator[NDArray[np.uint8]]:
        """Yield the weights of so many replicates at a time, uint8 [at most rows, C]."""
        for first in range(0, self.replicates, rows):
            last = min(first + rows, self.replicates)
            yield self.weights[first:last] if self.kept else self._drawn(first, last)

    def at(self, utterances: NDArray[np.int64]) -> "Resampling":
        """Return the same weights, kept once, for the utterances at these positions."""
        tokens = None if self.tokens is None else self.tokens[utterances]
        chosen = replace(self, clusters=self.clusters[utterances], tokens=tokens)
        if self.kept:
            chosen.__dict__["weights"] = self.weights
        return chosen

    def draw(self) -> None:
        """Draw the weights now, if they are kept: shares that are asked for later take theirs from them."""
        if self.kept:
            _ = self.weights

    def share(self, part: int, of: int) -> "Resampling":
        """Return replicates part, part + of, part + 2 of, …: the same weights, so that parts are resampled together."""
        number = len(range(part, self.replicates, of))
        part_of_draws = replace(self, replicates=number, first=self.first + self.step * part, step=self.step * of)
        if "weights" in self.__dict__:
            weights = np.ascontiguousarray(self.weights[part::of])
            weights.flags.writeable = False
            part_of_draws.__dict__["weights"] = weights
        return part_of_draws

    @property
    def remark(self) -> str:
        """What is to be said of the clusters wherever an interval rests on them, "" if nothing."""
        return joined([self.largest, SPEAKERS_UNKNOWN * self.speakers_unknown])

    @property
    def kept(self) -> bool:
        """Whether weights are drawn once."""
        return self.replicates * self.number <= _KEPT

    def _drawn(self, first: int, last: int) -> NDArray[np.uint8]:
        weights = np.zeros((last - first, self.number), dtype=np.uint8)
        for row, replicate in zip(weights, range(first, last), strict=True):
            generator = np.random.default_rng([self.seed, self.first + self.step * replicate])
            row[:] = np.bincount(generator.integers(0, self.number, size=self.number), minlength=self.number)
        weights.flags.writeable = False  # compiled loops know such arrays
        return weights

    def by_cluster(self, values: Floats) -> Floats:
        """Return the sum of values [U] over the utterances of each cluster, [C]."""
        return sum_by(self.clusters, values, self.number)

    def drawn_sums(self, *by_cluster: Floats) -> Floats:
        """Return the sums of k values [C] over the clusters that each replicate drew, [k, R]; the weights pass once."""
        values, parts = np.stack(by_cluster), [np.zeros((len(by_cluster), 0))]
        for weights in self.parts(max(1, self.replicates if self.kept else _PART // self.number)):
            parts.append(np.zeros((len(by_cluster), len(weights))))
            add_drawn(weights, values, parts[-1])
        return np.concatenate(parts, axis=1)

    def ratio(self, numerator: Floats, denominator: Floats, kind: Kind = "number") -> Estimate:
        """Return Σ numerator / Σ denominator over utterances, [U] each, with its interval."""
        if not denominator.sum():
            return Estimate(math.nan, note="not defined: the denominator is 0")
        above, below = self.by_cluster(numerator), self.by_cluster(denominator)
        if kind in {"rate", "share"} and self.replicates and np.count_nonzero(below) > 1:
            near = self._near_the_end(above, below, kind)
            if near is not None:
                return near
        top, bottom = self.drawn_sums(above, below)
        left_out = divided(above.sum() - above, below.sum() - below)
        drawn = np.where(bottom > 0, divided(top, bottom), np.nan)
        value, clusters = float(above.sum() / below.sum()), effective_clusters(below)
        return estimate(value, drawn, self, kind=kind, left_out=left_out, clusters=clusters)

    def _near_the_end(self, above: Floats, below: Floats, kind: Kind) -> Estimate | None:
        """Return Wilson's interval where so few tokens show the event, or lack it, that draws cannot tell."""
        total, number = float(below.sum()), effective_clusters(below)
        value, freedom = float(above.sum()) / total, math.inf
        if value == 0 or (value == 1 and kind == "share"):
            tokens = effective_tokens(below, ASSUMED)
            reason = f"nothing but {value:.0f} was seen: Wilson limits for {tokens:.4g} effective tokens"
            reason += f", if tokens of one {self.unit} correlate by {ASSUMED:g}"
        else:
            freedom = float(freedom_of(number))
            varies = (freedom + 1) / freedom * float(((above - value * below) ** 2).sum()) / total**2
            if self.method != "auto" or not varies or value > (1 if kind == "share" else 0.5):
                return None
            tokens = value * (1 - value) / varies
            if not near_the_end(value, tokens):
                return None
            reason = f"few events: Wilson limits for {tokens:.3g} effective tokens"
        low, high = wilson(value, tokens, self.level, freedom)
        note = joined([weakness(self, clusters=number), reason, self.remark])
        return Estimate(value, float(low), float(high), self.level, note)


def resampling(
    utterances: int,
    speakers: Sequence[str] | Codes | None,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
    method: Method = "auto",
    tokens: Floats | None = None,
    names: Sequence[str] | None = None,
    speakers_unknown: bool = False,
) -> Resampling:
    """Return bootstrap weights over speakers, by name or number, or over utterances when none are given."""
    if speakers is not None and len(speakers) != utterances:
        raise ValueError(f"{len(speakers)} speakers for {utterances} utterances")
    _, clusters = np.unique(np.arange(utterances) if speakers is None else np.asarray(speakers), return_inverse=True)
    number = int(clusters.max(initial=-1)) + 1
    unit = "utterance" if speakers is None else "speaker"
    drawn = Resampling(clusters.astype(np.int64), number, resamples, seed, level, unit, method)
    drawn = replace(drawn, tokens=tokens, speakers_unknown=speakers_unknown)
    if names is None or tokens is None or number < 2:
        return drawn
    sizes = drawn.by_cluster(tokens)
    most, total = int(sizes.argmax()), float(sizes.sum())
    if not sizes[most] > total / 3:
        return drawn
    name = names[int(np.flatnonzero(clusters == most)[0])].replace("; ", " ")
    largest = f"{UNEQUAL}{unit} {name} has {100 * sizes[most] / total:.0f} % of the gold tokens"
    if not math.isclose(drawn.effective, number):
        largest += f", and {number} {unit}s tell as much as {so_many(drawn.effective, unit)}"
    return replace(drawn, largest=largest)
