"""What the reference language leads one to expect of a target: expected.tsv, sensitivity.tsv, and their rows."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.same_phones import choices
from phonxling.analyses.expected.cells import CellTests, cell_tests
from phonxling.analyses.expected.confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.expected.replicates import redealt, resampled
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.analyses.scoring_rules import perplexity_of
from phonxling.core.arrays import Floats, sum_by
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.intervals import Method, estimate
from phonxling.resample.p_values import SIGNIFICANT, p_value
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Expected

SMOOTHINGS = (0.01, 0.1, 0.5, 1.0)
_MEASURES = ("expected_js", "expected_kl", "expected_share_kept", "wper_excess")
_ENTROPIES = ("expected_cross_entropy", "expected_perplexity")
_DEALS = 1000
_DEALT = "the tokens of each phone dealt anew to the two languages; tokens are taken as independent"
_NOTHING = "the two languages have no common phone with tokens"
_NEVER = "the target has confusions that the reference never shows"
_ACROSS = "no interval: phones are compared that have other symbols in the reference"


@dataclass(frozen=True, eq=False, kw_only=True)
class _Comparison:
    """A target beside its reference.

    Parameters
    ----------
    confusions : ExpectedConfusions
        Both languages' counts of the common phones.
    draws : ExpectedConfusions
        The same of bootstrap replicates of both.
    target : Case
        The target.
    fewer : Resampling
        The weights of the language with fewer clusters.
    across : bool
        Whether a common phone has another symbol in the reference.
    costs : CostTable or None
        What substitutions cost, between the phones of both languages; None for learned costs.
    smoothings : list of float
        The pseudo-counts of rows.
    """

    confusions: ExpectedConfusions
    draws: ExpectedConfusions
    target: Case
    fewer: Resampling
    across: bool
    costs: CostTable | None
    smoothings: list[float]

    @property
    def tokens(self) -> float:
        """The target's tokens that are compared."""
        return float(self.confusions.target.sum())

    @property
    def missing(self) -> str:
        """Why nothing is compared, "" when something is."""
        return "" if self.tokens else _NOTHING

    def estimate(
        self, measure: Callable[[ExpectedConfusions], float | Floats], method: Method | None = None
    ) -> Estimate:
        """Return a measure with the interval that its values over the replicates give."""
        return estimate(float(measure(self.confusions)), np.asarray(measure(self.draws)), self.fewer, method=method)


def expected(case: Case, settings: Expected) -> Items:
    """Yield expected.tsv, sensitivity.tsv and their rows for a target, or why there are none."""
    if case.is_reference:
        return
    if case.refusal or case.reference is None:
        yield from (row_of(name, math.nan, 0, "", case.refusal) for name in (*_MEASURES, *_ENTROPIES))
        return
    comparison = _compare(case, case.reference, settings)
    residuals, clusters = comparison.draws.residual, comparison.fewer.number
    tests = cell_tests(
        comparison.confusions, residuals, clusters=clusters, level=case.level, correction=settings.correction
    )
    yield "expected", comparison.confusions.table().assign(**tests.columns())
    yield "sensitivity", pd.DataFrame(list(_sensitivity(case, case.reference, settings, comparison.costs)))
    yield from _divergences(comparison)
    yield from _nulls(comparison)
    yield _differing_cells(tests, comparison.fewer, settings.correction)
    yield from _cross_entropies(comparison)


def _compare(target: Case, reference: Case, settings: Expected) -> _Comparison:
    own, other = target.counted, reference.counted
    same = target.same_phones(reference)
    confusions = expected_confusions(own.matrix, other.matrix, predicted=settings.predicted, same=same)
    counterparts = [same[phone] for phone in confusions.gold]
    return _Comparison(
        confusions=confusions,
        draws=resampled(
            confusions, (own.stack, own.resampling), (other.stack, other.resampling), counterparts=counterparts
        ),
        target=target,
        fewer=min((own.resampling, other.resampling), key=lambda weights: weights.number),
        across=counterparts != list(confusions.gold),
        costs=target.costs_beside(reference),
        smoothings=sorted({*SMOOTHINGS, settings.smoothing}),
    )


def _divergences(comparison: _Comparison) -> Iterator[Row]:
    """Yield divergence from the reference, plain and smoothed, the share kept, and the excess cost."""
    confusions, n, missing = comparison.confusions, comparison.tokens, comparison.missing
    nothing = f"nothing to expect for {' '.join(confusions.left_out)}" if confusions.left_out else ""
    note = joined([comparison.target.reference_note, nothing])
    shannon = comparison.estimate(ExpectedConfusions.jensen_shannon, "basic").within(0, math.inf)
    yield row_of("expected_js", shannon, n, "", missing or note)
    plain = float(confusions.kullback_leibler())
    yield row_of("expected_kl", plain, n, "plain", missing or note, _NEVER if math.isinf(plain) else "")
    for alpha in comparison.smoothings:
        divergence = comparison.estimate(partial(ExpectedConfusions.kullback_leibler, smoothing=alpha), "basic")
        yield row_of("expected_kl", divergence.within(0, math.inf), n, f"{alpha:g}", missing or note)
    none = "no gold phone was aligned with a predicted one" if math.isnan(confusions.kept) else ""
    yield row_of("expected_share_kept", _share_kept(comparison), n, "", none or note)
    yield _excess(comparison, note)


def _share_kept(comparison: _Comparison) -> Estimate:
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


def _excess(comparison: _Comparison, note: str) -> Row:
    """Return what the target's substitutions cost beyond what is expected."""
    costs, n = comparison.costs, comparison.tokens
    if costs is None:
        why = "learned costs hold for the corpus that they were learned from alone"
    else:
        why = "" if costs.as_rate else f"{costs.name} costs are no phonetic distances"
    if costs is None or why or not n:
        return row_of("wper_excess", math.nan, n, "", comparison.missing or joined([note, why]))
    return row_of("wper_excess", comparison.estimate(partial(ExpectedConfusions.cost_excess, costs=costs)), n, "", note)


def _nulls(comparison: _Comparison) -> Iterator[Row]:
    """Yield the divergences when both languages have the same confusions, and the p-value of the headline."""
    confusions, n, level = comparison.confusions, comparison.tokens, comparison.target.level
    if not n:
        yield from (row_of(name, math.nan, 0, "", _NOTHING) for name in ("expected_js_null", "expected_js_p"))
        return
    null = redealt(confusions, _DEALS, comparison.target.generator("expected"))
    shannon = np.asarray(null.jensen_shannon())
    yield row_of("expected_js_null", interval_of(shannon, level), n, "", _DEALT)
    p, least = p_value(float(confusions.jensen_shannon()), shannon), f"least possible: {1 / (_DEALS + 1):.2g}"
    yield row_of("expected_js_p", p, n, "", f"{_DEALT}, so too low where speakers differ", least)
    for alpha in comparison.smoothings:
        divergence = interval_of(np.asarray(null.kullback_leibler(alpha)), level)
        yield row_of("expected_kl_null", divergence, n, f"{alpha:g}", _DEALT)


def _differing_cells(tests: CellTests, fewer: Resampling, correction: str) -> Row:
    """Return how many cells differ, and out of how many tested."""
    tested = int((~np.isnan(tests.q)).sum())
    if not tested:
        one = f"one {fewer.unit} only in one of the languages"
        why = one if fewer.number < 2 else "no replicates, or no cell to test"
        return row_of("expected_cells", math.nan, 0, "differ", f"not tested: {why}")
    note = f"cells with q < {SIGNIFICANT:g} ({correction}) of {tested} tested"
    return row_of("expected_cells", float((tests.q < SIGNIFICANT).sum()), tested, "differ", note)


def _cross_entropies(comparison: _Comparison) -> Iterator[Row]:
    """Yield H(p, p_E) and 2 to it, plain and with several pseudo-counts, with basic bootstrap intervals.

    Replicate r of the target stands beside replicate r + 1 of the reference, not r − 1 as in the divergences.
    """
    draws = replace(comparison.draws, reference=np.roll(comparison.draws.reference, -2, axis=-1))
    across, note = comparison.tokens > 0 and comparison.across, comparison.target.reference_note
    for alpha in (0.0, *comparison.smoothings):
        number = Estimate(float(comparison.confusions.cross_entropy(alpha)))
        if alpha and not across:
            drawn, weights = np.asarray(draws.cross_entropy(alpha)), comparison.target.counted.resampling
            number = estimate(number.value, drawn, weights, method="basic").within(0, math.inf)
        why = _NEVER if math.isinf(number.value) else _ACROSS if across else ""
        notes = comparison.missing or joined([note, why])
        variant = f"{alpha:g}" if alpha else "plain"
        yield row_of("expected_cross_entropy", number, comparison.tokens, variant, notes)
        yield row_of("expected_perplexity", perplexity_of(number), comparison.tokens, variant, notes)


def _sensitivity(
    target: Case, reference: Case, settings: Expected, costs: CostTable | None
) -> Iterator[dict[str, object]]:
    """Yield a row of sensitivity.tsv for each choice of which phones are the same.

    How many phones are common, how much is kept, and the divergence and excess that follow; `counterparts` lists the
    target phones that another symbol stands for. Rows of equal counterparts are equal.
    """
    own, other = target.counted.matrix, reference.counted.matrix
    features = None if target.loaded.raw or reference.loaded.raw else target.all_features
    for choice, distance, same in choices(own, other, settings, features=features):
        confusions = expected_confusions(own, other, predicted=settings.predicted, same=same)
        renamed = [f"{phone}→{same[phone]}" for phone in confusions.gold if same[phone] != phone]
        yield {
            "common": choice,
            "distance": math.nan if distance is None else round(distance, 6),
            "common_phones": len(confusions.gold),
            "expected_share_kept": confusions.kept,
            "expected_js": confusions.jensen_shannon(),
            "expected_kl": confusions.kullback_leibler(settings.smoothing),
            "alpha": settings.smoothing,
            "wper_excess": confusions.cost_excess(costs) if costs is not None and costs.as_rate else math.nan,
            "counterparts": " ".join(renamed),
        }
