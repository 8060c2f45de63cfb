"""What the reference language leads one to expect of a target: expected.tsv, sensitivity.tsv, and their rows.

Which confusions differ from those that the reference language leads one to expect, cell by cell.

Measures
--------
A cell's residual r = P(y)·(p(x|y) − p_E(x|y)) is tested by t = r / SE, on Welch's degrees of freedom. SE² is P(y)²
times the larger of the variances by speaker and by token of two independent samples (`resample.two_corpora.cells`).
Cells are tested that carry a verdict: twenty tokens of the phone in either language, ten in the cell, and ten outside
of it (`resample.two_corpora.cells.enough`).

References
----------
Welch (1947). Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds whatever the dependence of the
tests.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.case import Case, Items
from phonxling.analyses.expected_confusions import ExpectedConfusions, expected_confusions, undealt
from phonxling.analyses.level_and_pattern import (
    LEFT_OUT,
    SIGNS,
    Clusters,
    Measure,
    clusters_of,
    common_channel,
    dealt,
    languages,
    level_test,
    pattern_test,
    resampled,
)
from phonxling.analyses.measures import measure
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.analyses.same_phones import choices
from phonxling.core.arrays import Bools, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.information_interval import FEW_PER_CELL_OF_DIVERGENCES, few_per_cell, information_interval
from phonxling.resample.intervals import estimate, so_many
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.student import FEW_CLUSTERS, effective_number, t_reach, too_few
from phonxling.resample.two_corpora import CellShares, Resampled, enough, unpaired
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Expected

# A target beside its reference: both languages' counts, resampled, jackknifed, and dealt anew to the two languages.

SMOOTHINGS = (0.01, 0.1, 0.5, 1.0)
FEW = 20  # tokens of a phone in the reference
_SMALL = 0.1  # a reference is small when so much of the target is of phones that it has few tokens of


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """A target beside its reference."""

    target: Case
    reference: Case
    same: Mapping[str, str]
    settings: Expected
    confusions: ExpectedConfusions

    @property
    def counterparts(self) -> list[str]:
        """The reference phone that stands for each common phone."""
        return [self.same[phone] for phone in self.confusions.gold]

    @property
    def smoothings(self) -> list[float]:
        """The pseudo-counts of rows."""
        return sorted({*SMOOTHINGS, self.settings.smoothing})

    @cached_property
    def costs(self) -> CostTable | None:
        """What substitutions cost, between the phones of both languages; None for learned costs."""
        return self.target.costs_beside(self.reference)

    @property
    def fewer(self) -> Resampling:
        """The weights of the language with fewer effective clusters, on which intervals rest."""
        return min(self._weights, key=lambda weights: weights.effective)

    @property
    def _weights(self) -> tuple[Resampling, Resampling]:
        return self.target.counted.resampling, self.reference.counted.resampling

    @property
    def speakers_unknown(self) -> bool:
        """Whether utterances of unknown speakers are drawn of either language."""
        return any(weights.speakers_unknown for weights in self._weights)

    @property
    def tokens(self) -> float:
        """The target's tokens that are compared."""
        return float(self.confusions.target.sum())

    @cached_property
    def missing(self) -> str:
        """Why nothing is compared, "" when something is."""
        if self.tokens:
            return ""
        own, other = self.target.counted.matrix, self.reference.counted.matrix
        return nothing_in_common(own, other, self.same, self.confusions)

    @property
    def undealt(self) -> str:
        """Why nothing is tested, "" when something is."""
        return self.missing or undealt(*self._weights)

    @property
    def untested(self) -> str:
        """Why cells are not tested one by one, "" where they are."""
        here = so_many(self.fewer.effective, "speaker")
        few = f"no test below {FEW_CLUSTERS} speakers of a language, and here are {here}"
        return self.undealt or self.asked or (few if too_few(self.fewer.effective) else "")

    @property
    def asked(self) -> str:
        """Why nothing uncertain was asked for, "" where it was."""
        return "" if self.target.counted.resampling.replicates else "not tested: uncertainty.resamples is 0"

    @cached_property
    def clusters(self) -> Clusters:
        """The counts of both languages' clusters."""
        return self._clusters()

    @cached_property
    def few_clusters(self) -> Clusters:
        """The same, neighbours put together where there are many."""
        return self._clusters(LEFT_OUT)

    def _clusters(self, most: int | None = None) -> Clusters:
        phones = self.confusions.gold.phones, self.counterparts
        return clusters_of(*self._corpora, phones=phones, predicted=self.confusions.predicted, most=most)

    @property
    def _corpora(self) -> tuple[Resampled, Resampled]:
        own, other = ((case.counted.stack, case.counted.resampling) for case in (self.target, self.reference))
        return own, other

    @property
    def few_per_cell(self) -> str:
        """The warning that cells have too few tokens for the divergence to be known well, or ""."""
        both = np.concatenate([self.confusions.target, self.confusions.reference])
        return few_per_cell(both, FEW_PER_CELL_OF_DIVERGENCES)

    @cached_property
    def draws(self) -> ExpectedConfusions:
        """Both languages' counts of bootstrap replicates."""
        return resampled(self.confusions, *self._corpora, counterparts=self.counterparts)

    @cached_property
    def dealt(self) -> Floats:
        """The divergence that chance alone gives: of speakers dealt anew to the two languages, [DEALS]."""
        divergence = ExpectedConfusions.corrected_jensen_shannon
        return dealt(self.clusters, self.confusions, self.right, divergence, self.target.generator("expected"))

    @cached_property
    def common_channel(self) -> tuple[list[tuple[Floats, Floats]], str]:
        """Both languages' restricted counts of one channel, so many times, and what is to be said of them."""
        both = languages(self.target, self.reference)
        if both is None:
            return [], "what the aligner adds is not taken off: these pairs are not of an aligner with given costs"
        gold, predicted = (self.confusions.gold.phones, self.counterparts), self.confusions.predicted.phones
        same = dict(zip(*gold, strict=True))
        drawn = common_channel(*both, same, self.target.generator("channel"))
        columns = [both[0].predicted.code(phone) for phone in predicted]
        rows = [[one.gold.inventory.code(phone) for phone in phones] for one, phones in zip(both, gold, strict=True)]
        own, other = (np.ix_(one, columns) for one in rows)
        return [(target[own], reference[other]) for target, reference in drawn], ""

    @property
    def right(self) -> Bools:
        """Which cells are of phones that were heard right, [T, P]: as the counterpart, in most choices the phone."""
        predicted = self.confusions.predicted.phones
        return np.array([[other == phone for phone in predicted] for other in self.counterparts], dtype=bool)

    def jackknifed(self, measure: Measure) -> tuple[float, float]:
        """Return a measure without the bias of few clusters, and its standard error; as it is where it is infinite."""
        return self.few_clusters.jackknifed(self.confusions, measure)

    def value(self, measure: Measure) -> float:
        """Return the jackknifed estimate of a measure that is at least 0."""
        return float(np.maximum(self.jackknifed(measure)[0], 0.0))

    def plain(self, measure: Measure) -> Estimate:
        """Return an unbiased measure with its interval."""
        value, drawn = float(measure(self.confusions)), np.asarray(measure(self.draws))
        return estimate(value, drawn, self.fewer, error=self.jackknifed(measure)[1])

    def corrected(self, measure: Measure) -> Estimate:
        """Return the jackknifed estimate of a measure in bits with its interval, both at least 0."""
        value, error = self.jackknifed(measure)
        return information_interval(value, np.asarray(measure(self.draws)), self.fewer, error=error)


def compare(target: Case, reference: Case, settings: Expected, same: Mapping[str, str]) -> Comparison:
    """Return a target beside its reference, for a choice of which phones are the same."""
    own, other = target.counted.matrix, reference.counted.matrix
    confusions = expected_confusions(own, other, predicted=settings.predicted, same=same)
    return Comparison(target=target, reference=reference, same=same, settings=settings, confusions=confusions)


def nothing_in_common(
    own: ConfusionMatrix, other: ConfusionMatrix, same: Mapping[str, str], confusions: ExpectedConfusions
) -> str:
    """Return why no tokens can be compared."""
    spoken = {phone for phone, tokens in zip(other.gold, other.tokens, strict=True) if tokens}
    shared = [phone for phone in own.gold if same.get(phone) in spoken]
    if not shared:
        return "no gold phone of this language is the same as one of the reference"
    listed = " ".join(shared[:5]) + (" …" if len(shared) > 5 else "")
    if not {*own.predicted, *other.predicted} & {same[phone] for phone in shared}:
        return f"common phones ({listed}), but the recogniser predicts none of them in either language"
    if not len(confusions.gold):
        return f"common phones ({listed}), but the reference is never heard as one of them where it says one"
    return f"common phones ({listed}), but this language is never heard as one of them where it says one"


def weaknesses(comparison: Comparison) -> list[str]:
    """Return what weakens a comparison: another recogniser, phones left out, a small or a worse reference."""
    left_out = " ".join(comparison.confusions.left_out)
    nothing = [f"nothing to expect for {left_out}"] if left_out else []
    return [comparison.target.reference_note, *nothing, *_small_reference(comparison), *_worse_reference(comparison)]


def _small_reference(comparison: Comparison) -> list[str]:
    confusions, utterances = comparison.confusions, len(comparison.reference.counted.corpus.gold)
    few = confusions.reference.sum(axis=1) < FEW
    share = confusions.target[few].sum() / max(confusions.target.sum(), 1.0)
    if share <= _SMALL:
        return []
    phones = f"{np.count_nonzero(few)} of {len(few)} common phones, {share:.0%} of the tokens compared,"
    return [f"a small reference ({utterances} utterances): {phones} have fewer than {FEW} tokens there"]


def _worse_reference(comparison: Comparison) -> list[str]:
    """Say it where the reference is heard worse than the target: its own recogniser should hear it better."""

    def lead(confusions: ExpectedConfusions) -> Floats:
        right = comparison.right if confusions.target.ndim == 2 else comparison.right[..., None]
        return np.asarray(np.where(right, confusions.observed - confusions.expected, 0.0).sum(axis=(0, 1)))

    number = comparison.plain(lead) if comparison.tokens else Estimate(0.0)
    judged = not too_few(comparison.fewer.effective) and not comparison.speakers_unknown
    if not (judged and number.low > 0):
        return []
    right = np.where(comparison.right, comparison.confusions.observed, 0.0).sum()
    there = f"{right:.0%} of these phones are heard right here and {right - number.value:.0%} in the reference"
    return [f"{there}, the language that the recogniser should know best: are the roles swapped?"]


# Which confusions differ from those that the reference language leads one to expect, cell by cell.


@dataclass(frozen=True, eq=False)
class CellTests:
    """Interval, p and q of each cell's residual, float64 [T, P] each; NaN where nothing is tested."""

    low: Floats
    high: Floats
    p: Floats
    q: Floats

    def columns(self) -> dict[str, Floats]:
        """Return the same by name, a value a cell, [T · P]."""
        return {name: getattr(self, name).ravel() for name in ("low", "high", "p", "q")}


def cell_tests(
    confusions: ExpectedConfusions, clusters: Clusters | None, *, level: float, correction: Correction
) -> CellTests:
    """Return the test of each cell."""
    if clusters is None:
        nothing = np.full(confusions.target.shape, np.nan)
        return CellTests(nothing, nothing, nothing, nothing)
    both = _shares(clusters.target), _shares(clusters.reference)
    errors = unpaired(*both)
    variance, freedom = np.maximum(errors.by_cluster.variance, errors.by_token), errors.by_cluster.freedom
    error = confusions.observed.sum(axis=1, keepdims=True) * np.sqrt(variance)
    reach = t_reach(freedom, level) * error
    p = 2 * scipy.special.stdtr(freedom, -np.abs(divided(confusions.residual, error)))
    p = np.where(enough(*both), p, np.nan)
    return CellTests(confusions.residual - reach, confusions.residual + reach, p, adjusted(p, correction))


def _shares(by_speaker: Floats) -> CellShares:
    """Return how the shares p(x|y) vary over speakers, of their counts [C, T, P]."""
    tokens, counts = by_speaker.sum(axis=2, keepdims=True), by_speaker.sum(axis=0)
    whole = tokens.sum(axis=0)
    apart = by_speaker - divided(counts, whole, undefined=0.0) * tokens
    return CellShares(counts, whole, effective_number(whole, (tokens**2).sum(axis=0)), (apart**2).sum(axis=0))


_MEASURES = ("expected_js", "expected_kl", "expected_level", "expected_pattern", "expected_share_kept", "wper_excess")
_DEALT = "speakers dealt anew to the two languages, {} times"
_NEVER = "the target has confusions that the reference never shows"
_TESTS = ("level", "level_p", "pattern", "pattern_null", "pattern_p")
_ONE_SIDED = 0.9  # whose upper limit 5 % exceed
_CONSTANT = "no test: no speaker differs from the others"
_SIGNED = f"each speaker's deviations with random signs, {SIGNS:,} times"
_PLUG_IN = "too high by the chance of few tokens and speakers"


def expected(case: Case, settings: Expected) -> Items:
    """Yield expected.tsv, sensitivity.tsv and their rows for a target, or why there are none."""
    if case.is_reference:
        return
    if case.refusal or case.reference is None:
        yield from (row_of(name, math.nan, 0, measure(name).variant, case.refusal) for name in _MEASURES)
        return
    comparison = compare(case, case.reference, settings, case.same_phones(case.reference))
    tests = cell_tests(
        comparison.confusions,
        None if comparison.untested else comparison.clusters,
        level=case.level,
        correction=settings.correction,
    )
    yield "expected", comparison.confusions.table().assign(**tests.columns())
    yield "sensitivity", pd.DataFrame(list(_sensitivity(comparison)))
    notes = joined(weaknesses(comparison))
    yield from _divergences(comparison, notes)
    yield from _tests(comparison, notes)
    none = "no gold phone was aligned with a predicted one" if math.isnan(comparison.confusions.kept) else ""
    yield row_of("expected_share_kept", _share_kept(comparison), comparison.tokens, "", none or notes)
    yield _excess(comparison, notes)


def _divergences(comparison: Comparison, notes: str) -> Iterator[Row]:
    """Yield the divergences, that of Jensen and Shannon beside what chance alone gives, and the cross-entropy."""
    confusions, n, missing = comparison.confusions, comparison.tokens, comparison.missing
    headline = comparison.corrected(ExpectedConfusions.corrected_jensen_shannon)
    yield row_of("expected_js", headline, n, "", missing or joined([notes, comparison.few_per_cell]))
    yield row_of("expected_js", float(confusions.jensen_shannon()), n, "plug-in", missing or _PLUG_IN)
    if comparison.undealt:
        yield row_of("expected_js_null", math.nan, n, "", comparison.undealt)
    else:
        null = interval_of(np.maximum(comparison.dealt, 0.0), comparison.target.level)
        yield row_of("expected_js_null", null, n, "", _DEALT.format(len(comparison.dealt)))
    plain = float(confusions.kullback_leibler())
    yield row_of("expected_kl", plain, n, "plain", missing or notes, _NEVER if math.isinf(plain) else "")
    for alpha in comparison.smoothings:
        smoothed, variant = partial(ExpectedConfusions.kullback_leibler, smoothing=alpha), f"{alpha:g}"
        yield row_of("expected_kl", float(smoothed(confusions)), n, variant, missing or notes)
        if alpha == comparison.settings.smoothing:
            entropy = comparison.corrected(partial(ExpectedConfusions.cross_entropy, smoothing=alpha))
            yield row_of("expected_cross_entropy", entropy, n, variant, missing or notes)


def _tests(comparison: Comparison, notes: str) -> Iterator[Row]:
    """Yield level and pattern: how many more errors, and of how different kinds, each with its p."""
    n, clusters, right, level = comparison.tokens, comparison.few_clusters, comparison.right, comparison.target.level
    if comparison.missing or comparison.asked:
        why = comparison.missing or comparison.asked
        yield from (row_of(f"expected_{name}", math.nan, n, "", why) for name in _TESTS)
        return
    drawn, about = comparison.common_channel
    excess, excess_p = level_test(clusters, right, drawn, level)
    none = "" if excess.value == excess.value else "no phone has tokens in both languages"
    yield row_of("expected_level", excess, n, "", none or joined([notes, about]))
    why = none or comparison.untested or _CONSTANT * math.isnan(excess_p)
    yield row_of("expected_level_p", math.nan if why else excess_p, n, "", why)
    pattern = pattern_test(clusters, right, drawn, comparison.target.generator("signs"))
    none = "" if len(pattern.null) else "no phone has errors of two speakers in both languages"
    yield row_of("expected_pattern", max(pattern.value, 0.0), n, "", none or joined([notes, about]))
    null = interval_of(pattern.null, _ONE_SIDED) if len(pattern.null) else Estimate(math.nan)
    yield row_of("expected_pattern_null", null, n, "", none or _SIGNED)
    why = none or comparison.untested
    yield row_of("expected_pattern_p", math.nan if why else pattern.p, n, "", why or _SIGNED)


def _share_kept(comparison: Comparison) -> Estimate:
    """Return the share of the target's aligned pairs that are of common phones."""
    confusions, counted = comparison.confusions, comparison.target.counted
    stack, weights = counted.stack, counted.resampling
    if not comparison.tokens or not weights.replicates:
        return Estimate(confusions.kept)
    row, column = np.divmod(stack.cells, len(stack.predicted) + 1)
    common = np.array([*(phone in confusions.gold for phone in stack.gold), False])
    predicted = np.array([*(phone in confusions.predicted for phone in stack.predicted), False])
    paired = (row < len(stack.gold)) & (column < len(stack.predicted))
    owner = np.repeat(np.arange(len(stack)), np.diff(stack.offsets))
    cells = (common[row] & predicted[column], paired)
    restricted, pairs = (sum_by(owner[chosen], stack.counts[chosen], len(stack)) for chosen in cells)
    return weights.ratio(restricted, pairs, "share")


def _excess(comparison: Comparison, notes: str) -> Row:
    """Return what the target's substitutions cost beyond what is expected."""
    costs, n = comparison.costs, comparison.tokens
    if costs is None:
        why = "learned costs hold for the corpus that they were learned from alone"
    else:
        why = "" if costs.as_rate else f"the costs {costs.name} are no phonetic distances"
    if costs is None or why or not n:
        return row_of("wper_excess", math.nan, n, "", comparison.missing or joined([notes, why]))
    return row_of("wper_excess", comparison.plain(partial(ExpectedConfusions.cost_excess, costs=costs)), n, "", notes)


def _sensitivity(comparison: Comparison) -> Iterator[dict[str, object]]:
    """Yield a row of sensitivity.tsv for each choice of which phones are the same."""
    target, reference, settings = comparison.target, comparison.reference, comparison.settings
    own, other, costs = target.counted.matrix, reference.counted.matrix, comparison.costs
    features = None if target.loaded.raw or reference.loaded.raw else target.all_features
    for choice, distance, same in choices(own, other, settings, features=features):
        one = compare(target, reference, settings, same)
        confusions = one.confusions
        renamed = [f"{phone}→{same[phone]}" for phone in confusions.gold if same[phone] != phone]
        yield {
            "common": choice,
            "distance": math.nan if distance is None else round(distance, 6),
            "common_phones": len(confusions.gold),
            "expected_share_kept": confusions.kept,
            "expected_js": one.value(ExpectedConfusions.corrected_jensen_shannon),
            "expected_kl": confusions.kullback_leibler(settings.smoothing),
            "alpha": settings.smoothing,
            "wper_excess": confusions.cost_excess(costs) if costs is not None and costs.as_rate else math.nan,
            "counterparts": " ".join(renamed),
        }
