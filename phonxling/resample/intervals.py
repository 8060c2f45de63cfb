"""The bootstrap over utterances or over clusters of them, and the one recipe of every interval.

Draws
-----
A rate is a ratio of sums, so replicates need the sums of each cluster alone: weights [R, C] times sums [C, k]. Each
replicate has a seed of its own, so that working in parts changes nothing; one set of weights serves every rate. Weights
that would take more than 1 GB are not kept, but drawn again, a part at a time.

Limits
------
`value` θ̂ is of the data, `drawn` θ*_r of R replicates; the limits hold the truth with probability `level` = 1 − α. By
default they are g(value) ± t · SE on C − 1 degrees of freedom for C clusters, Kish's effective number where they are
unequal. SE is the larger of the draws' standard deviation · √(C / (C − 1)) and the jackknife's over clusters. g is the
logit for shares, the logarithm for rates, that of 1 − x for skills, else the identity. Percentile, basic and BCa limits
are options.

Shares near 0 and 1
-------------------
Resampling says nothing of an event that was never seen, or always. Wilson's interval does, if n is the number of
independent tokens that would tell as much: n / deff with Kish's design effect deff = 1 + (m̄ − 1)·ρ, where
m̄ = Σ m² / Σ m is the size of a token's cluster on average over tokens, and ρ the correlation of tokens of one cluster.
ρ is the analysis-of-variance estimate, pooled over phones, so that it is known for a phone whose tokens are all alike;
0.1 where nothing varies, which is at the upper end of what speakers show, and is said beside the number.

Speakers × prompts
------------------
Where `prompts` are drawn, too, the error of a ratio R = Σ a / Σ b is √(V_s + V_p − V_sp), and never below that over
speakers alone. V sums y_u = (a_u − R b_u) / Σ b over speakers, prompts, or both: C/(C − 1) Σ_c (Σ_u y)². C, and so the
degrees of freedom, are those of speakers or of prompts, the fewer.

References
----------
Cameron, Gelbach & Miller (2011), Robust inference with multiway clustering.
Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 13, 14. Davison & Hinkley (1997), chapter 5.
Bisani & Ney (2004), Bootstrap estimates for confidence intervals in ASR performance evaluation. Cameron, Gelbach &
Miller (2008), on few clusters. Wilson (1927), Probable inference. Kish (1965), Survey sampling, 5.4. Donner (1986), on
ρ by analysis of variance. Korn & Graubard (1998) and Franco et al. (2019), on intervals with the effective sample size.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.estimate import DESCRIPTIVE, SPEAKERS_UNKNOWN, UNEQUAL, Estimate, joined
from phonxling.resample.kernel import add_drawn
from phonxling.resample.student import (
    Kind,
    effective_clusters,
    effective_number,
    freedom_of,
    jackknife_error,
    spread,
    student_limits,
    t_reach,
    too_few,
)

Method = Literal["auto", "percentile", "bca", "basic"]
UNTESTED_UTTERANCES = (
    "no test, because speakers are unknown: give speakers, or declare uncertainty: {cluster: utterance} where no "
    "speaker said several"
)
ASSUMED = 0.1  # ρ where no event, or nothing else, was seen, which says nothing of how events cluster
NEAR = 5.0  # effective tokens with the event, or without it, below which a share counts as near 0 or 1
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
    prompts: Codes | None = None

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
        prompts = None if self.prompts is None else self.prompts[utterances]
        chosen = replace(self, clusters=self.clusters[utterances], tokens=tokens, prompts=prompts)
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
        crossed = self.crossed(numerator, denominator)
        if kind in {"rate", "share"} and self.replicates and np.count_nonzero(below) > 1:
            near = self._near_the_end(above, below, kind, crossed)
            if near is not None:
                return crossed.noted(near)
        top, bottom = self.drawn_sums(above, below)
        left_out = divided(above.sum() - above, below.sum() - below)
        drawn = np.where(bottom > 0, divided(top, bottom), np.nan)
        value, clusters = float(above.sum() / below.sum()), min(effective_clusters(below), crossed.prompts)
        rested, error = crossed.rested(self), crossed.error
        number = estimate(value, drawn, rested, kind=kind, left_out=left_out, clusters=clusters, error=error)
        return crossed.noted(number)

    def crossed(self, numerator: Floats, denominator: Floats) -> "Crossed":
        """Return the error of Σ numerator / Σ denominator over speakers × prompts, [U] each; 0 if none are drawn."""
        if self.prompts is None or not denominator.sum():
            return Crossed(0.0, math.inf)
        moved = (numerator - numerator.sum() / denominator.sum() * denominator) / denominator.sum()
        both = self.clusters * (int(self.prompts.max(initial=0)) + 1) + self.prompts

        def variance(owner: Codes) -> tuple[float, float]:
            _, codes = np.unique(owner, return_inverse=True)
            number = effective_clusters(sum_by(codes, denominator, len(owner)))
            squares = float((sum_by(codes, moved, len(owner)) ** 2).sum())
            return squares * (1 + 1 / float(freedom_of(number))), number

        (of_speakers, _), (of_prompts, prompts), (together, _) = map(variance, (self.clusters, self.prompts, both))
        return Crossed(math.sqrt(max(of_speakers + of_prompts - together, 0.0)), prompts)

    def _near_the_end(self, above: Floats, below: Floats, kind: Kind, crossed: "Crossed") -> Estimate | None:
        """Return Wilson's interval where so few tokens show the event, or lack it, that draws cannot tell."""
        total, number = float(below.sum()), min(effective_clusters(below), crossed.prompts)
        value, freedom = float(above.sum()) / total, math.inf
        if value == 0 or (value == 1 and kind == "share"):
            tokens = effective_tokens(below, ASSUMED)
            reason = f"nothing but {value:.0f} was seen: Wilson limits for {tokens:.4g} effective tokens"
            reason += f", if tokens of one {self.unit} correlate by {ASSUMED:g}"
        else:
            freedom = float(freedom_of(number))
            varies = (freedom + 1) / freedom * float(((above - value * below) ** 2).sum()) / total**2
            varies = max(varies, crossed.error**2)
            if self.method != "auto" or not varies or value > (1 if kind == "share" else 0.5):
                return None
            tokens = value * (1 - value) / varies
            if not near_the_end(value, tokens):
                return None
            reason = f"few events: Wilson limits for {tokens:.3g} effective tokens"
        low, high = wilson(value, tokens, self.level, freedom)
        note = joined([weakness(crossed.rested(self), clusters=number), reason, self.remark])
        return Estimate(value, float(low), float(high), self.level, note)


@dataclass(frozen=True, slots=True)
class Crossed:
    """The error of a ratio over speakers × prompts, and the effective number of prompts; inf where none are drawn."""

    error: float
    prompts: float

    def rested(self, drawn: Resampling) -> Resampling:
        """Return draws that name what is fewer, speakers or prompts."""
        return replace(drawn, unit="prompt") if self.prompts < drawn.effective else drawn

    def noted(self, number: Estimate) -> Estimate:
        """Return an estimate with the note that prompts are drawn, too."""
        if math.isinf(self.prompts) or math.isnan(number.low):
            return number
        return replace(number, note=joined([number.note, f"over speakers × {so_many(self.prompts, 'prompt')}"]))


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
        largest += f", and {number} {unit}s are worth {so_many(drawn.effective, unit)}"
    return replace(drawn, largest=largest)


def estimate(
    value: float,
    drawn: Floats,
    resampling: Resampling,
    *,
    kind: Kind = "number",
    left_out: Floats | None = None,
    error: float = 0.0,
    clusters: float | None = None,
    biased: bool = False,
) -> Estimate:
    """Return a value with the interval that its replicates [R] give; undefined replicates are left out and counted."""
    number, method = resampling.effective if clusters is None else clusters, resampling.method
    if math.isnan(value) or not len(drawn):
        return Estimate(value)
    if number <= 1:
        rests = "there is" if resampling.number < 2 else "it has"
        return Estimate(value, note=f"no interval: {rests} one {resampling.unit} only")
    defined = drawn[np.isfinite(drawn)]
    own = math.sqrt(spread(defined[:, None], number).variance[0])
    if math.isnan(own):
        return Estimate(value, note="no interval: the resampled values do not differ")
    if method == "percentile":
        low, high = percentile(defined, resampling.level)
    elif method == "basic":
        low, high = basic(value, defined, resampling.level)
    elif method == "bca" and left_out is not None:
        low, high = bca(value, defined, left_out[np.isfinite(left_out)], resampling.level)
        if math.isnan(low):
            return Estimate(value, note="no interval: all resampled values lie on one side of the estimate")
    else:
        most = max(own, error, 0.0 if left_out is None else jackknife_error(left_out))
        centre = 2 * value - float(defined.mean()) if biased else value
        low, high = student_limits(centre, most, freedom=float(freedom_of(number)), level=resampling.level, kind=kind)
    if biased:
        low, high = min(low, value), max(high, value)  # NaN first: it stays NaN
    if math.isnan(low):
        return Estimate(value, note="no interval: resampling cannot show how far from the end of its range it may be")
    weak = weakness(resampling, len(drawn) - len(defined), number)
    return Estimate(value, low, high, resampling.level, joined([weak, resampling.remark]))


def weakness(resampling: Resampling, lost: int = 0, clusters: float | None = None) -> str:
    """Return what weakens an interval: few clusters, replicates in which the measure is not defined; "" if nothing."""
    number = resampling.effective if clusters is None else clusters
    few = f"{DESCRIPTIVE}the interval rests on {so_many(number, resampling.unit)} only"
    gone = f"{lost} replicates in which it is not defined are left out of the interval"
    return joined([few * bool(too_few(number)), gone * (lost > 0)])


def so_many(number: float, unit: str) -> str:
    """Return a number of clusters in words; that of unequal ones, which is never rounded up, as an effective one."""
    whole = math.isclose(number, round(number), rel_tol=1e-9)
    text = f"{round(number)}" if whole else f"{math.floor(10 * number) / 10:.1f} effective"
    return f"{text} {unit}" + "s" * (text != "1")


def percentile(drawn: Floats, level: float) -> tuple[float, float]:
    """Return the α/2 and 1 − α/2 quantiles of the draws."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def basic(value: float, drawn: Floats, level: float) -> tuple[float, float]:
    """Return 2θ̂ less the percentile limits, the upper one first: right where draws are off by a bias of their own."""
    low, high = percentile(drawn, level)
    return 2 * value - high, 2 * value - low


def bca(value: float, drawn: Floats, left_out: Floats, level: float) -> tuple[float, float]:
    """Return the bias-corrected and accelerated limits."""
    below = (np.count_nonzero(drawn < value) + np.count_nonzero(drawn <= value)) / (2 * len(drawn))
    if below in {0.0, 1.0}:
        return float("nan"), float("nan")
    apart = left_out.mean() - left_out
    spread = float((apart**2).sum()) ** 1.5
    acceleration = float((apart**3).sum()) / (6 * spread) if spread else 0.0
    bias, reach = scipy.special.ndtri(below), scipy.special.ndtri((1 + level) / 2)
    moved = [bias + end for end in (-reach, reach)]
    shares = [float(scipy.special.ndtr(bias + end / (1 - acceleration * end))) for end in moved]
    low, high = np.quantile(drawn, shares).tolist()
    return low, high


def wilson(share: ArrayLike, tokens: ArrayLike, level: float, freedom: float = math.inf) -> tuple[Floats, Floats]:
    """Return the limits of a share of so many independent tokens, both within [0, 1]; NaN without tokens."""
    p, n = np.asarray(share, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    square = float(t_reach(freedom, level)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (p + square / (2 * n)) / (1 + square / n)
        reach = np.sqrt(square * (p * (1 - p) / n + square / (4 * n**2))) / (1 + square / n)
        low, high = centre - reach, centre + reach
    return np.where(p == 0, 0.0 * n, np.maximum(low, 0)), np.where(p == 1, 0.0 * n + 1, np.minimum(high, 1))


def effective_tokens(sizes: Floats, correlation: float) -> float:
    """Return n / (1 + (m̄ − 1)·ρ) of clusters of so many tokens, [C]."""
    total = float(sizes.sum())
    mean = float((sizes**2).sum()) / total
    return total / max(1 + (mean - 1) * correlation, 1.0)


def near_the_end(share: ArrayLike, tokens: ArrayLike) -> NDArray[np.bool_]:
    """Return whether fewer than five effective tokens have the event, or lack it."""
    p = np.asarray(share, dtype=np.float64)
    return np.asarray(np.minimum(p, 1 - p) * np.asarray(tokens, dtype=np.float64) < NEAR)


@dataclass(frozen=True, eq=False)
class ClusteredTokens:
    """How many tokens of each kind (a phone) each cluster has, and how many of them show the event; all are [M]."""

    kind: NDArray[np.integer]
    tokens: NDArray[np.number]
    events: NDArray[np.number]
    kinds: int

    def by_kind(self, values: NDArray[np.number]) -> Floats:
        """Return the sum of values [M] over the clusters of each kind, [K]."""
        return sum_by(self.kind, values.astype(np.float64), self.kinds)

    @cached_property
    def total(self) -> Floats:
        """Tokens of each kind, [K]."""
        return self.by_kind(self.tokens)

    @cached_property
    def shown(self) -> Floats:
        """Tokens of each kind with the event, [K]."""
        return self.by_kind(self.events)

    @cached_property
    def squares(self) -> Floats:
        """The sum of the squares of each kind's tokens in clusters, [K]."""
        return self.by_kind(self.tokens.astype(np.float64) ** 2)

    @property
    def clusters(self) -> Floats:
        """The effective number of clusters of each kind, [K]."""
        return effective_number(self.total, self.squares)

    def correlation(self) -> float:
        """Return ρ in [0, 1], the correlation of tokens of one kind and cluster."""
        known, tokens, events = self.total > 0, self.tokens.astype(np.float64), self.events.astype(np.float64)
        size, times = self.total[known], self.by_kind(np.ones(len(tokens)))[known]
        alike = self.by_kind(events**2 / tokens)[known]
        between = float((alike - self.shown[known] ** 2 / size).sum())
        within = float(self.by_kind(events - events**2 / tokens).sum())
        free_between, free_within = float((times - 1).sum()), float((size - times).sum())
        if free_between <= 0 or free_within <= 0:
            return ASSUMED
        usual = float((size - self.squares[known] / size).sum()) / free_between
        between, within = between / free_between, within / free_within
        whole = between + (usual - 1) * within
        return min(max((between - within) / whole, 0.0), 1.0) if whole > 1e-12 else ASSUMED

    def effective(self) -> Floats:
        """Return the effective number of tokens of each kind, [K]: n / (1 + (m̄ − 1)·ρ)."""
        mean = self.squares / np.where(self.total > 0, self.total, 1.0)
        return np.asarray(self.total / np.maximum(1 + (mean - 1) * self.correlation(), 1.0))


def share_limits(clustered: ClusteredTokens, drawn: Floats, resampling: Resampling) -> tuple[Floats, Floats]:
    """Return the limits of each kind's share, [K], of which replicates show `drawn`, [K, R]."""
    tokens, events = clustered.total, clustered.shown
    low, high = np.full((2, len(tokens)), np.nan)
    clusters = clustered.clusters.tolist()
    for kind, share in enumerate(divided(events, tokens).tolist()):
        own = clustered.kind == kind
        left_out = divided(events[kind] - clustered.events[own], tokens[kind] - clustered.tokens[own])
        limits = estimate(share, drawn[kind], resampling, kind="share", left_out=left_out, clusters=clusters[kind])
        low[kind], high[kind] = limits.low, limits.high
    known = resampling.number > 1 and drawn.shape[1] > 0
    return with_wilson(clustered, low, high, resampling.level) if known else (low, high)


def with_wilson(clustered: ClusteredTokens, low: Floats, high: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the limits of each kind's share, [K]: Wilson's where it is near 0 or 1, else the bootstrap's as given."""
    total, tokens = clustered.total, clustered.effective()
    share = divided(clustered.shown, total)
    few, many = wilson(share, np.where(tokens > 0, tokens, np.nan), level)
    near = near_the_end(share, tokens) | np.isnan(low)
    return np.where(near, few, low), np.where(near, many, high)


def interval_of(values: Floats, level: float) -> Estimate:
    """Return the mean of replicates [R] with the interval that holds the given share of them."""
    if len(values) < 2:
        return Estimate(float(values.mean()) if len(values) else math.nan)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(values.mean()), float(low), float(high), level)
