"""What the reference language leads one to expect of a target: expected.tsv and its rows.

A target stands beside its reference: both languages' counts (`expected_confusions`), resampled and jackknifed, and the
test of how many errors there are (`level`).

Cells
-----
A cell's residual r = P(y)·(p(x|y) − p_E(x|y)) is tested by t = r / SE, on Welch's degrees of freedom. SE² is P(y)²
times the larger of the variances by speaker and by token of two independent samples (`resample.two_corpora`). Cells are
tested that carry a verdict: twenty tokens of the phone in either language, ten in the cell, and ten outside of it
(`resample.two_corpora.enough`).

References
----------
Welch (1947). Benjamini & Hochberg (1995). Benjamini & Yekutieli (2001), which holds whatever the dependence of the
tests.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cached_property, partial

import numpy as np
import scipy

from phonxling.analyses.case import Case, Items
from phonxling.analyses.costs import costs_between
from phonxling.analyses.expected_confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.level import (
    LEFT_OUT,
    Both,
    Drawn,
    Measure,
    clusters_of,
    common_channel,
    jackknifed_measure,
    language,
    level_test,
    over_resampled,
    packed,
)
from phonxling.analyses.measures import Row, measure, row_of
from phonxling.analyses.statistics import NO_PAIRS
from phonxling.core.arrays import Bools, Floats, divided, same_symbols, sum_by
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import merge
from phonxling.resample.entropies import FEW_PER_CELL_OF_DIVERGENCES, few_per_cell, information_interval
from phonxling.resample.intervals import Resampling, estimate, so_many
from phonxling.resample.p_values import Correction, adjusted
from phonxling.resample.student import FEW_CLUSTERS, effective_number, t_reach, too_few
from phonxling.resample.two_corpora import CellShares, Resampled, enough, unpaired
from phonxling.settings.models import Expected

SMOOTHINGS = (0.01, 0.5, 1.0)
FEW = 20  # tokens of a phone in the reference
_SMALL = 0.1  # a reference is small when so much of the target is of phones that it has few tokens of
_MEASURES = ("expected_js", "expected_kl", "expected_level", "expected_share_kept", "wper_excess")
_NEVER = "the target has confusions that the reference never shows"
_CONSTANT = "no test: no speaker differs from the others"
_PLUG_IN = "too high by the chance of few tokens and speakers"


class Comparison:
    """A target beside its reference, for a choice of which phones are the same, and why things are not tested."""

    def __init__(self, target: Case, reference: Case, settings: Expected, same: Mapping[str, str]) -> None:
        own, other = target.counted, reference.counted
        self.target, self.reference, self.settings = target, reference, settings
        self.weights = own.resampling, other.resampling
        self.fewer = min(self.weights, key=lambda weights: weights.effective)  # clusters, on which intervals rest
        self.corpora: tuple[Resampled, Resampled] = (own.stack, own.resampling), (other.stack, other.resampling)
        confusions = expected_confusions(own.matrix, other.matrix, predicted=settings.predicted, same=same)
        self.confusions, self.tokens = confusions, float(confusions.target.sum())
        self.counterparts = [same[phone] for phone in confusions.gold]
        self.right = same_symbols(self.counterparts, confusions.predicted)
        self.missing = "" if self.tokens else nothing_in_common(own.matrix, other.matrix, same, confusions)
        self.asked = "" if own.resampling.replicates else "not tested: uncertainty.resamples is 0"
        here = so_many(self.fewer.effective, "speaker")
        few = f"no test below {FEW_CLUSTERS} speakers of a language, and here are {here}"
        without = self.missing or without_speakers(*self.weights)
        self.untested = without or self.asked or (few if too_few(self.fewer.effective) else "")

    def clusters(self, most: int | None = None) -> Both:
        """Return the counts of both languages' clusters, neighbours put together where there are more than `most`."""
        phones, predicted = (self.confusions.gold.phones, self.counterparts), self.confusions.predicted
        return clusters_of(*self.corpora, phones=phones, predicted=predicted, most=most)

    @cached_property
    def costs(self) -> CostTable:
        return costs_between(self.target.counted.corpus, self.reference.counted.corpus, self.target.experiment)

    @cached_property
    def few_clusters(self) -> Both:
        """The clusters that are left out one by one."""
        return self.clusters(LEFT_OUT)

    @cached_property
    def measures(self) -> Mapping[str, Measure]:
        """What is measured of each replicate; nothing here refers to this object, which would keep its tables."""
        entropy = partial(ExpectedConfusions.cross_entropy, smoothing=self.settings.smoothing)
        found: dict[str, Measure] = {
            "lead": partial(_lead, self.right),
            "js": ExpectedConfusions.corrected_jensen_shannon,
            "cross_entropy": entropy,
        }
        if self.costs.as_rate:
            found["excess"] = partial(ExpectedConfusions.cost_excess, costs=self.costs)
        return found

    @cached_property
    def draws(self) -> Mapping[str, Floats]:
        """Each measure in R replicates, [R]: in one pass, because a table a replicate would not fit into memory."""

        def each(confusions: ExpectedConfusions) -> Floats:
            smaller = confusions.packed()
            sides = {name: smaller if name == "js" else confusions for name in self.measures}
            return np.stack([np.asarray(measure(sides[name])) for name, measure in self.measures.items()])

        drawn = over_resampled(self.confusions, *self.corpora, each, counterparts=self.counterparts)
        return dict(zip(self.measures, drawn, strict=True))

    def jackknifed(self, name: str) -> tuple[float, float]:
        """Return a measure without the bias of few clusters, and its standard error."""
        clusters = packed(self.few_clusters) if name == "js" else self.few_clusters
        return jackknifed_measure(clusters, self.confusions, self.measures[name])

    def plain(self, name: str) -> Estimate:
        """Return an unbiased measure with its interval."""
        measure = self.measures[name]
        return estimate(float(measure(self.confusions)), self.draws[name], self.fewer, error=self.jackknifed(name)[1])

    def corrected(self, name: str) -> Estimate:
        """Return the jackknifed estimate of a measure in bits with its interval, both at least 0."""
        value, error = self.jackknifed(name)
        return information_interval(value, self.draws[name], self.fewer, error=error)


def _lead(right: Bools, confusions: ExpectedConfusions) -> Floats:
    """Return how many more of the target's tokens are heard right than expected, as a share."""
    right = right if confusions.target.ndim == 2 else right[..., None]
    return np.asarray(np.where(right, confusions.observed - confusions.expected, 0.0).sum(axis=(0, 1)))


def expected(case: Case, settings: Expected) -> Items:
    """Yield expected.tsv and its rows for a target, or why there are none."""
    if case.is_reference:
        return
    if case.refusal or case.reference is None:
        yield from (row_of(name, math.nan, 0, measure(name).variant, case.refusal) for name in _MEASURES)
        return
    comparison = Comparison(case, case.reference, settings, case.same_phones(case.reference))
    confusions = comparison.confusions
    clusters = None if comparison.untested else comparison.clusters()
    tests = cell_tests(confusions, clusters, level=case.level, correction=settings.correction)
    yield "expected", confusions.to_frame().assign(**{name: values.ravel() for name, values in tests.items()})
    notes = joined(weaknesses(comparison))
    yield from _divergences(comparison, notes)
    yield from _level(comparison, notes)
    none = NO_PAIRS if math.isnan(confusions.kept) else ""
    yield row_of("expected_share_kept", _share_kept(comparison), comparison.tokens, "", none or notes)
    yield _excess(comparison, notes)


def cell_tests(
    confusions: ExpectedConfusions, clusters: Both | None, *, level: float, correction: Correction
) -> dict[str, Floats]:
    """Return limits (low, high), p and q of each cell's residual, [T, P] each; NaN where nothing is tested."""
    if clusters is None:
        return dict.fromkeys(("low", "high", "p", "q"), np.full(confusions.target.shape, np.nan))
    both = _shares(clusters[0]), _shares(clusters[1])
    errors = unpaired(*both)
    variance, freedom = np.maximum(errors.by_cluster.variance, errors.by_token), errors.by_cluster.freedom
    error = confusions.observed.sum(axis=1, keepdims=True) * np.sqrt(variance)
    residual, reach = confusions.residual, t_reach(freedom, level) * error
    p = np.where(enough(*both), 2 * scipy.special.stdtr(freedom, -np.abs(divided(residual, error))), np.nan)
    return {"low": residual - reach, "high": residual + reach, "p": p, "q": adjusted(p, correction)}


def _shares(by_speaker: Floats) -> CellShares:
    """Return how the shares p(x|y) vary over speakers, of their counts [C, T, P]."""
    tokens, counts = by_speaker.sum(axis=2, keepdims=True), by_speaker.sum(axis=0)
    whole = tokens.sum(axis=0)
    apart = by_speaker - divided(counts, whole, undefined=0.0) * tokens
    return CellShares(counts, whole, effective_number(whole, (tokens**2).sum(axis=0)), (apart**2).sum(axis=0))


def without_speakers(first: Resampling, second: Resampling) -> str:
    """Return why two languages are not tested: a test is by speakers; "" where both have several."""
    for corpus in (first, second):
        if corpus.unit != "speaker":
            return "no test: it is by speakers, and utterances are resampled here (give speakers)"
        if corpus.number < 2:
            return "no test: it is by speakers, and one of the languages has one only"
    return ""


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
        return f"common phones ({listed}), but none of them is ever predicted where the reference has one"
    return f"common phones ({listed}), but none of them is ever predicted where this language has one"


def weaknesses(comparison: Comparison) -> Iterator[str]:
    """Yield what weakens a comparison: another recogniser, phones left out, a small or a worse reference."""
    confusions, utterances = comparison.confusions, len(comparison.reference.counted.corpus.gold)
    yield comparison.target.reference_note
    yield f"nothing to expect for {' '.join(confusions.left_out)}" if confusions.left_out else ""
    few = confusions.reference.sum(axis=1) < FEW
    share = confusions.target[few].sum() / max(confusions.target.sum(), 1.0)
    if share > _SMALL:
        phones = f"{np.count_nonzero(few)} of {len(few)} common phones, {share:.0%} of the tokens compared,"
        yield f"a small reference ({utterances} utterances): {phones} have fewer than {FEW} tokens there"
    number = comparison.plain("lead") if comparison.tokens else Estimate(0.0)
    known = not any(weights.speakers_unknown for weights in comparison.weights)
    if number.low > 0 and known and not too_few(comparison.fewer.effective):
        right = np.where(comparison.right, confusions.observed, 0.0).sum()
        there = f"{right:.0%} of these phones are right here and {right - number.value:.0%} in the reference"
        yield f"{there}, the language that the recogniser should know best: are the roles swapped?"


def _divergences(comparison: Comparison, notes: str) -> Iterator[Row]:
    """Yield the divergences and the cross-entropy."""
    confusions, n, missing = comparison.confusions, comparison.tokens, comparison.missing
    few = few_per_cell(np.concatenate([confusions.target, confusions.reference]), FEW_PER_CELL_OF_DIVERGENCES)
    yield row_of("expected_js", comparison.corrected("js"), n, "", missing or joined([notes, few]))
    yield row_of("expected_js", float(confusions.jensen_shannon()), n, "plug-in", missing or _PLUG_IN)
    plain = float(confusions.kullback_leibler())
    yield row_of("expected_kl", plain, n, "plain", missing or notes, _NEVER if math.isinf(plain) else "")
    for alpha in sorted({*SMOOTHINGS, comparison.settings.smoothing}):
        smoothed, variant = float(confusions.kullback_leibler(alpha)), f"{alpha:g}"
        yield row_of("expected_kl", smoothed, n, variant, missing or notes)
        if alpha == comparison.settings.smoothing:
            entropy = comparison.corrected("cross_entropy")
            yield row_of("expected_cross_entropy", entropy, n, variant, missing or notes)


def _level(comparison: Comparison, notes: str) -> Iterator[Row]:
    """Yield how many more errors there are, with its p."""
    n, clusters, right = comparison.tokens, comparison.few_clusters, comparison.right
    why = comparison.missing or comparison.asked
    if why:
        yield from (row_of(name, math.nan, n, "", why) for name in ("expected_level", "expected_level_p"))
        return
    drawn = _common_channel(comparison)
    excess, p = level_test(clusters, right, drawn, comparison.target.level)
    none = "" if excess.value == excess.value else "no phone has tokens in both languages"
    yield row_of("expected_level", excess, n, "", none or notes)
    why = none or comparison.untested or _CONSTANT * math.isnan(p)
    yield row_of("expected_level_p", math.nan if why else p, n, "", why)


def _common_channel(comparison: Comparison) -> Drawn:
    """Return both languages' restricted counts of one channel, so many times."""
    cases = comparison.target, comparison.reference
    predicted = merge(*(case.counted.matrix.predicted for case in cases))
    own, other = (language(case, predicted) for case in cases)
    phones, counterparts = comparison.confusions.gold.phones, comparison.counterparts
    same, generator = dict(zip(phones, counterparts, strict=True)), comparison.target.generator("channel")
    columns = [predicted.code(phone) for phone in comparison.confusions.predicted]
    rows = [own.gold.inventory.code(phone) for phone in phones]
    places = [other.gold.inventory.code(phone) for phone in counterparts]
    mine, theirs = np.ix_(rows, columns), np.ix_(places, columns)
    return [(one[mine], two[theirs]) for one, two in common_channel(own, other, same, generator)]


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
    costs, n, number, why = comparison.costs, comparison.tokens, Estimate(math.nan), ""
    if not costs.as_rate:
        why = f"the costs {costs.name} are no phonetic distances"
    elif n:
        number = comparison.plain("excess")
    return row_of("wper_excess", number, n, "", comparison.missing or joined([notes, why]))
