"""The one recipe of every interval: leave out one cluster at a time, and take Student's t.

Question
--------
How far from the truth may a number be, if other speakers had spoken? The tokens of a speaker resemble each other, so
what varies are whole speakers (clusters), not tokens.

Equations
---------
θ is the number of all data, θ₋c that without cluster c, of C clusters, and g a scale on which its limits cannot leave
its range (see `student.SCALES`):

    SE² = (C − 1)/C · Σ_c (g(θ₋c) − mean)²          limits = g⁻¹(g(θ) ± t(K − 1) · SE)

K = (Σ m)² / Σ m² is Kish's effective number of clusters with m tokens each. Where a θ₋c lies at an end of the range,
the error is taken on the raw scale, and carried to g by its slope. Entropies, information and divergences are biased in
small samples; of these the jackknifed estimate C θ − (C − 1) · mean θ₋c is the value (`corrected`).

While clusters are left out, whatever was chosen or drawn stays as it is: halves of a cross-fitted accuracy, random
predictions, the constant's phone, the lowest chance model, weights of phones.

References
----------
Quenouille (1956). Tukey (1958). Miller (1974), The jackknife: a review. Arvesen (1969), of two samples. Kish (1965),
Survey sampling. Cameron, Gelbach & Miller (2008, 2011), on few clusters, and on two ways of clustering.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.alignment.confusions import parts_of, stack_confusions
from phonxling.alignment.counting_kernel import add_rows
from phonxling.core.arrays import Codes, Floats, divide, sum_by
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.errors import check_arguments
from phonxling.core.estimate import Estimate, Status, join_notes
from phonxling.core.posteriorgram import Rows
from phonxling.stats.student import (
    FEW_CLUSTERS,
    EstimateSpread,
    Kind,
    count_clusters,
    effective_clusters,
    effective_tokens,
    freedom_of,
    moving_sizes,
    near_the_end,
    student_limits,
    wilson,
)

Cluster = Literal["auto", "speaker", "utterance"]
MOST_CLUSTERS = 200  # groups of clusters that are left out
SPEAKERS_UNKNOWN = "speakers unknown: intervals are too narrow if one speaker has several utterances"
TOO_FEW = ": too few for intervals"
_MUCH = 1 / 3  # of the tokens, above which a cluster is named


@dataclass(frozen=True, eq=False, kw_only=True)
class Clusters:
    """Who is left out together: the group of each utterance [U], each group's gold tokens [C], and what groups are.

    `status` and `note` are of every interval over them.
    """

    group: Codes
    sizes: Floats
    number: int
    unit: Literal["speaker", "utterance"]
    level: float = 0.95
    status: Status = ""
    note: str = ""
    prompts: Codes | None = None

    @property
    def comparable(self) -> bool:
        """Whether what differs from other utterances may be tested: speakers are known, or utterances declared."""
        return not self.status

    @property
    def few(self) -> bool:
        return self.status == "too-few-clusters"

    def sums(self, values: ArrayLike) -> Floats:
        """Return the sums over each group's utterances of values [U], [C]."""
        return sum_by(self.group, np.asarray(values, np.float64), len(self.sizes))

    def ratio_without(self, above: Floats, below: Floats) -> Floats:
        """Return Σ above / Σ below over utterances, [U] each, without each group, [C]."""
        top, bottom = self.sums(above), self.sums(below)
        return divide(top.sum() - top, bottom.sum() - bottom)

    def at(self, places: NDArray[np.integer]) -> "Clusters":
        """Return the same groups of the utterances at these positions."""
        prompts = None if self.prompts is None else self.prompts[places]
        return replace(self, group=self.group[places], prompts=prompts)

    def ratio(self, above: Floats, below: Floats, kind: Kind = "rate") -> Estimate:
        """Return Σ above / Σ below over utterances, [U] each, with its interval."""
        crossed = self.crossed(above, below)
        found = self.ratio_of_sums(self.sums(above), self.sums(below), kind, crossed=crossed)
        if crossed is None or math.isnan(found.low):
            return found
        both = f"over speakers × {format_clusters(crossed.prompts, 'prompt')}"
        return found.changed(note=join_notes([found.note, both]))

    def ratio_of_sums(
        self, above: Floats, below: Floats, kind: Kind = "rate", crossed: "CrossedError | None" = None
    ) -> Estimate:
        """Return the same of the sums of groups, [C] each."""
        total = float(below.sum())
        if not total:
            return Estimate(math.nan, status="undefined", note="not defined: the denominator is 0")
        value, prompts = float(above.sum()) / total, crossed.prompts if crossed else math.inf
        if kind in {"rate", "share"} and not self.too_few(below) and not (crossed and crossed.few):
            # The variance of a ratio to first order, by clusters: Σ (a_c − R b_c)² / (Σ b)², times C/(C − 1).
            moved = float(((above - value * below) ** 2).sum()) / total**2
            freedom, tokens = float(freedom_of(min(effective_clusters(below), prompts))), math.inf
            varies = max((freedom + 1) / freedom * moved, crossed.error**2 if crossed else 0.0)
            # Nothing varies over clusters: only the assumed design effect says what so many tokens are worth.
            if value == 0 or (value == 1 and kind == "share"):
                tokens, freedom = float(effective_tokens(below)), math.inf
            # A rate can exceed 1, where Wilson’s interval cannot follow: above ½ it is left to its logarithm.
            elif varies and value < (1 if kind == "share" else 0.5):
                # As many independent tokens as would vary as much: p (1 − p) / n is the variance that was found.
                tokens = value * (1 - value) / varies
            # So few tokens show the event, or lack it, that clusters cannot tell.
            if math.isfinite(tokens) and near_the_end(value, tokens):
                low, high = wilson(value, tokens, self.level, freedom)
                return Estimate(value, float(low), float(high), self.level, note=self.note, status=self.status)
        left_out = divide(above.sum() - above, total - below)
        sizes = self.sizes if kind == "skill" else below  # of a skill `below` is what chance leaves, no tokens
        return self.estimate(value, left_out, kind, sizes=sizes, crossed=crossed)

    def too_few(self, sizes: Floats | None = None) -> bool:
        """Return whether so few groups have tokens, or so unequal ones, that there is no interval."""
        return self.few or (sizes is not None and bool(count_clusters(sizes)[1]))

    def estimate(
        self,
        value: float,
        left_out: Floats,
        kind: Kind = "number",
        *,
        corrected: bool = False,
        sizes: Floats | None = None,
        crossed: "CrossedError | None" = None,
    ) -> Estimate:
        """Return a number with its interval from its values without each group, [C].

        `corrected`: the value is the jackknifed one. `sizes`: the tokens [C] that it is of, by default all gold tokens.
        """
        own = self.sizes if sizes is None else sizes
        moving = moving_sizes(np.array([value]), left_out[None], own[None])
        value = float(correct_bias(value, left_out, own)) if corrected else value
        if math.isnan(value):
            return Estimate(value, status="undefined")
        if self.too_few(own) or (crossed and crossed.few):
            note = self.note if self.few else _too_few_note(own, self.unit)
            note = format_clusters(crossed.prompts, "prompt") + TOO_FEW if crossed and crossed.few else note
            return Estimate(value, status="too-few-clusters", note=note)
        clusters = effective_clusters(own) if crossed is None else min(effective_clusters(own), crossed.prompts)
        error = crossed.error if crossed else 0.0
        one = np.array([value]), left_out[None], moving, np.array([clusters])
        low, high = student_limits(*one, level=self.level, kind=kind, least_error=error)
        if math.isnan(low[0]):
            return Estimate(value, status="undefined", note="no interval: the value is the same whatever is left out")
        return Estimate(value, float(low[0]), float(high[0]), self.level, note=self.note, status=self.status)

    def spread(self, left_out: Floats, sizes: Floats | None = None, value: float = math.nan) -> EstimateSpread:
        """Return the spread of K numbers from their values without each group, [K, C].

        Of one `value`, groups that move it without gold tokens of their own count, too.
        """
        own = np.broadcast_to(self.sizes if sizes is None else sizes, left_out.shape)
        own = moving_sizes(np.array([value]), left_out, own)
        return EstimateSpread.of(left_out, own, none=self.few)

    def crossed(self, above: Floats, below: Floats) -> "CrossedError | None":
        """Return the error of Σ above / Σ below over speakers × prompts, [U] each; None if prompts are not drawn."""
        # The error of R = Σ a / Σ b is √(V_s + V_p − V_sp), and never below that over speakers alone. V sums y_u = (a_u
        # − R b_u) / Σ b over speakers, prompts, or both: C/(C − 1) Σ_c (Σ_u y)². K is that of speakers or of prompts,
        # the fewer.
        if self.prompts is None or not below.sum() or self.unit != "speaker":
            return None
        moved = (above - above.sum() / below.sum() * below) / below.sum()
        both = self.group * (int(self.prompts.max(initial=0)) + 1) + self.prompts

        def variance(owner: Codes) -> tuple[float, Floats]:
            _, codes = np.unique(owner, return_inverse=True)
            sizes = sum_by(codes, below, len(owner))
            squares = float((sum_by(codes, moved, len(owner)) ** 2).sum())
            return squares * (1 + 1 / float(freedom_of(effective_clusters(sizes)))), sizes

        (of_speakers, _), (of_prompts, sizes), (together, _) = map(variance, (self.group, self.prompts, both))
        # V_s and V_p both hold what varies from utterance to utterance, so it is taken off once (Cameron, Gelbach &
        # Miller 2011). In small samples the difference may be below 0.
        error = math.sqrt(max(of_speakers + of_prompts - together, 0.0))
        return CrossedError(error, effective_clusters(sizes), bool(count_clusters(sizes)[1]))


class CrossedError(NamedTuple):
    """The error of a ratio over speakers × prompts, the effective number of prompts, and whether these are too few."""

    error: float
    prompts: float
    few: bool


def correct_bias(value: ArrayLike, left_out: Floats, sizes: Floats | None = None) -> Floats:
    """Return C θ − (C − 1) · mean θ₋c of values [...] without each group [..., C]; θ where one is not defined.

    Only groups with tokens (`sizes` [..., C]) count.
    """
    held = np.ones(left_out.shape, bool) if sizes is None else np.broadcast_to(sizes > 0, left_out.shape)
    # A cluster without tokens leaves θ as it is: with it C would be too large, and the correction with C.
    number, theta = held.sum(axis=-1), np.asarray(value, np.float64)
    mean = np.where(held, left_out, 0.0).sum(axis=-1) / np.maximum(number, 1)
    # Quenouille: a bias of order 1/C is 1/C too large in θ and 1/(C − 1) in θ₋c, and cancels in this difference.
    corrected = number * theta - (number - 1) * mean
    return np.asarray(np.where((number > 1) & np.isfinite(corrected), corrected, theta))


def clusters_of(
    tokens: Floats,
    speakers: Sequence[str] | Codes | None = None,
    *,
    cluster: Cluster = "auto",
    level: float = 0.95,
    names: Sequence[str] | None = None,
    utterances: Sequence[str] | None = None,
    prompts: Codes | None = None,
    rank: Codes | None = None,
) -> Clusters:
    """Return what is left out together, of utterances with so many gold tokens, [U].

    `speakers` says who spoke each, by name or number; `names` and `utterances` are what they are called in a note.
    `rank` [U] numbers the utterances by their content, so that the order of a file does not decide who is in a group.
    """
    # Speakers where at least five are known who are worth four equal ones, else utterances; then a status says of what
    # the interval is. Below five utterances, or four effective ones, there is no interval, and no verdict.
    if speakers is not None and len(speakers) != len(tokens):
        raise ValueError(f"{len(speakers)} speakers for {len(tokens)} utterances")
    known = None
    if speakers is not None:  # by number; names in the order of their first utterances, so that none changes a result
        own = np.asarray(speakers)
        _, first, code = np.unique(own, return_index=True, return_inverse=True)
        known = np.asarray(code if own.dtype.kind in "iu" else np.argsort(np.argsort(first))[code], np.int64)
    number = 0 if known is None else int(known.max(initial=-1)) + 1
    status: Status = ""
    use_speakers, note = known is not None and cluster != "utterance", ""
    if known is None and cluster != "utterance":
        status, note = "no-speakers", SPEAKERS_UNKNOWN
    elif known is not None and cluster == "auto" and count_clusters(sum_by(known, tokens, number))[1]:
        use_speakers, status = False, "these-speakers-alone"
        note = f"of these {number} speakers alone" if number != 1 else "of this speaker alone"
        if number >= FEW_CLUSTERS and names is not None:
            note = join_notes([note, _name_dominant(sum_by(known, tokens, number), "speaker", known, names)])
    own = known if use_speakers and known is not None else np.arange(len(tokens))
    units = number if use_speakers else len(tokens)
    unit: Literal["speaker", "utterance"] = "speaker" if use_speakers else "utterance"
    held = sum_by(own, tokens, units)
    if count_clusters(held)[1]:
        status, note = "too-few-clusters", _too_few_note(held, unit)
    elif called := names if use_speakers else utterances:
        note = join_notes([note, _name_dominant(held, unit, own, called)])
    group = own
    # More than 200 clusters are left out in 200 random groups of whole ones, the same each time: neighbours in a sorted
    # file are alike, and groups of them widen intervals.
    if units > MOST_CLUSTERS:
        place = own if use_speakers or rank is None else rank
        group = np.random.default_rng(0).permutation(units)[place] * MOST_CLUSTERS // units
    sizes = sum_by(group, tokens, min(units, MOST_CLUSTERS))
    return Clusters(
        group=group, sizes=sizes, number=units, unit=unit, level=level, status=status, note=note,
        prompts=prompts if use_speakers else None,
    )  # fmt: skip


def _too_few_note(sizes: Floats, unit: str) -> str:
    held = int(np.count_nonzero(sizes > 0))
    # Of five or more clusters it is the effective number that is too small, so that one is named.
    number: float = held if held < FEW_CLUSTERS else effective_clusters(sizes)
    return format_clusters(number, unit) + TOO_FEW


def _name_dominant(sizes: Floats, unit: str, owner: Codes, names: Sequence[str]) -> str:
    """Return who has more than a third of the tokens, "" for nobody."""
    total, most = float(sizes.sum()), int(sizes.argmax())
    if not sizes[most] > total * _MUCH:
        return ""
    name = names[int(np.flatnonzero(owner == most)[0])].replace("; ", " ")
    worth = format_clusters(effective_clusters(sizes), unit)
    return f"{unit} {name} has {100 * sizes[most] / total:.0f} % of the gold tokens: {len(sizes)} are worth {worth}"


def format_clusters(number: float, unit: str) -> str:
    """Return a number of clusters in words; that of unequal ones, which is never rounded up, as an effective one."""
    whole = math.isclose(number, round(number), rel_tol=1e-9)
    text = f"{round(number)}" if whole else f"{math.floor(10 * number) / 10:.1f} effective"
    return f"{text} {unit}" + "s" * (text != "1")


def limits_of_rows(
    values: Floats, left_out: Floats, sizes: Floats, clusters: Clusters, kind: Kind = "number"
) -> tuple[Floats, Floats]:
    """Return the limits of K numbers, [K] each, from those without each group and what tokens they are of, [K, C].

    NaN where fewer than five groups have tokens, or fewer than four effective ones.
    """
    number, few = count_clusters(sizes)
    low, high = student_limits(values, left_out, sizes, number, level=clusters.level, kind=kind)
    none = few | clusters.few
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


@check_arguments
def jackknife(
    statistic: Callable[[ConfusionMatrix], float],
    aligned: Alignments | ConfusionStack,
    *,
    speakers: Sequence[str] | Codes | None = None,
    level: float = 0.95,
    kind: Kind = "number",
    corrected: bool = False,
) -> Estimate:
    """Return a statistic of a confusion matrix with its interval, over speakers or utterances.

    Without each of C clusters in turn the statistic is θ₋c, and θ of all. On the scale g the limits are
    g(θ) ± t(K − 1) · SE, SE² = (C − 1)/C · Σ (g(θ₋c) − mean)², K being Kish's effective number of clusters.

    Parameters
    ----------
    statistic : callable
        ConfusionMatrix to float; NaN where it is not defined.
    aligned : Alignments
        The aligned phones of U utterances, as `px.align_corpus` returns them; or their counts, a `ConfusionStack`.
    speakers : sequence of str or int64 array [U], optional
        Who spoke each utterance. Speakers are left out where five are known who are worth four equal ones, else
        utterances, and `status` and `note` say so.
    level : float
    kind : {"number", "share", "rate", "skill"}
        The scale g: x, logit x, log x, −log(1 − x). There is no interval of a share of 0 or 1, or of a rate of 0.
    corrected : bool
        Whether the value is C θ − (C − 1) · mean θ₋c, for statistics that are biased in small samples.

    ValueError if there is not one speaker an utterance.

    Examples
    --------
    Five utterances of four phones, of which 0, 1, 1, 2 and 1 are wrong: θ = .25, and .3125, .25, .25, .1875, .25
    without each. These differ from their mean by ±.0625 twice, so SE = √(4/5 · 2 · .0625²) = .0791; t(4) = 2.776.

    >>> import phonxling as px
    >>> corpus = px.load_corpus(["a a a a"] * 5, ["a a a a", "a a a e", "e a a a", "e a e a", "a e a a"])
    >>> aligned = px.align_corpus(corpus, px.feature_costs(["a"], ["a", "e"], "unit"))
    >>> found = px.jackknife(lambda matrix: 1 - matrix.counts[0, 0] / matrix.counts.sum(), aligned)
    >>> found.value, round(found.low, 3), round(found.high, 3), found.status
    (0.25, 0.031, 0.469, 'no-speakers')
    """
    stack = stack_confusions(aligned) if isinstance(aligned, Alignments) else aligned
    spoken = stack.counts * (stack.cells < len(stack.gold) * (len(stack.predicted) + 1))
    owner = np.repeat(np.arange(len(stack)), np.diff(stack.offsets))
    clusters, whole = clusters_of(sum_by(owner, spoken, len(stack)), speakers, level=level), stack.total()
    left_out = [
        statistic(ConfusionMatrix(stack.gold, stack.predicted, whole.counts - own.reshape(whole.counts.shape)))
        for own in stack.sums_by(clusters.group, len(clusters.sizes))
    ]
    return clusters.estimate(float(statistic(whole)), np.array(left_out, np.float64), kind, corrected=corrected)


def sums_by(codes: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Return the sums of the values [N, k] of each code 0 … size − 1, [size, k]."""
    columns = [sum_by(codes, column, size) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


def sums_by_cluster(values: Rows, group: NDArray[np.integer], groups: int, owner: Codes, clusters: Clusters) -> Floats:
    """Return the sums of N tokens' values [N, k] of each `group` [N] and group of clusters, [C, G, k].

    `owner` [N] are the positions of their utterances.
    """
    shape = len(clusters.sizes), groups, values.shape[1]
    sums = np.zeros((shape[0] * shape[1], shape[2]))
    for part in parts_of(values):
        rows = values[part].astype(np.float64, copy=False)
        add_rows(rows, np.ones(len(rows)), clusters.group[owner[part]] * groups + group[part], sums)
    return sums.reshape(shape)


def by_cluster(stack: ConfusionStack, clusters: Clusters) -> Floats:
    """Return the counts of each group of clusters, [C, G + 1, P + 1]."""
    return stack.sums_by(clusters.group, len(clusters.sizes)).reshape(len(clusters.sizes), len(stack.gold) + 1, -1)


def without_each(by_cluster: Floats) -> Floats:
    """Return the sums without each group of clusters, of sums [C, …] of them; what rounding leaves of none is 0."""
    return np.asarray(np.maximum(by_cluster.sum(axis=0) - by_cluster, 0.0))


def mean_of_tokens(values: Floats, owner: Codes, clusters: Clusters) -> Estimate:
    """Return the mean over tokens [N] with its interval; `owner` are the positions of their utterances."""
    return ratio_of_tokens(values, np.ones(len(values)), owner=owner, clusters=clusters)


def ratio_of_tokens(above: Floats, below: Floats, *, owner: Codes, clusters: Clusters) -> Estimate:
    """Return Σ above / Σ below over tokens with its interval; NaN without any, no interval if infinite."""
    whole = float(below.sum())
    value = float(above.sum() / whole) if whole > 0 else np.nan
    if not np.isfinite(value):
        return Estimate(value)
    number, group = len(clusters.sizes), clusters.group[owner]
    top, bottom = (sum_by(group, one, number) for one in (above, below))
    return clusters.estimate(value, divide(top.sum() - top, whole - bottom), "rate", sizes=bottom)
