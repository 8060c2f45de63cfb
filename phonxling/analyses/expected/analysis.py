"""What the reference language leads one to expect of a target: expected.tsv, sensitivity.tsv, and their rows."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.same_phones import choices
from phonxling.analyses.expected.cells import CellTests, cell_tests
from phonxling.analyses.expected.comparison import Comparison, compare, weaknesses
from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.analyses.expected.dealing import ways
from phonxling.analyses.expected.replicates import Dealt, Measure
from phonxling.analyses.measures import measure
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Floats, sum_by
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.p_values import SIGNIFICANT, p_value
from phonxling.settings.sections import Expected

_MEASURES = ("expected_js", "expected_kl", "expected_share_kept", "wper_excess", "expected_cross_entropy")
_DEALT = "speakers dealt anew to the two languages, {} times"
_NEVER = "the target has confusions that the reference never shows"
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
    yield _p(comparison)
    yield _differing_cells(tests, comparison)
    none = "no gold phone was aligned with a predicted one" if math.isnan(comparison.confusions.kept) else ""
    yield row_of("expected_share_kept", _share_kept(comparison), comparison.tokens, "", none or notes)
    yield _excess(comparison, notes)


def _divergences(comparison: Comparison, notes: str) -> Iterator[Row]:
    """Yield the divergences, each beside what chance alone gives, and the cross-entropy.

    The smoothed Kullback–Leibler divergence is given as it is, without a correction: smoothing draws it towards 0 by an
    amount that differs with the divergence, so that no correction would do for both the value and its null.
    """
    confusions, n, missing = comparison.confusions, comparison.tokens, comparison.missing
    headline = comparison.corrected(ExpectedConfusions.corrected_jensen_shannon)
    yield row_of("expected_js", headline, n, "", missing or joined([notes, comparison.few_per_cell]))
    yield row_of("expected_js", float(confusions.jensen_shannon()), n, "plug-in", missing or _PLUG_IN)
    yield _null(comparison, "expected_js", "", lambda dealt: np.maximum(dealt.jackknifed, 0.0))
    plain = float(confusions.kullback_leibler())
    yield row_of("expected_kl", plain, n, "plain", missing or notes, _NEVER if math.isinf(plain) else "")
    for alpha in comparison.smoothings:
        smoothed, variant = partial(ExpectedConfusions.kullback_leibler, smoothing=alpha), f"{alpha:g}"
        null = _null(comparison, "expected_kl", variant, partial(_over_deals, smoothed))
        by_chance = "" if math.isnan(null.estimate.value) else f"by chance alone {null.estimate.value:.3g}"
        yield row_of("expected_kl", float(smoothed(confusions)), n, variant, missing or joined([by_chance, notes]))
        if alpha == comparison.settings.smoothing:
            yield null
            entropy = comparison.corrected(partial(ExpectedConfusions.cross_entropy, smoothing=alpha))
            yield row_of("expected_cross_entropy", entropy, n, variant, missing or notes)


def _null(comparison: Comparison, name: str, variant: str, of: Callable[[Dealt], Floats]) -> Row:
    """Return a divergence where chance alone tells the languages apart."""
    if comparison.undealt:
        return row_of(f"{name}_null", math.nan, comparison.tokens, variant, comparison.undealt)
    drawn = of(comparison.dealt)
    null = interval_of(drawn, comparison.target.level)
    return row_of(f"{name}_null", null, comparison.tokens, variant, _DEALT.format(len(drawn)))


def _over_deals(measure: Measure, dealt: Dealt) -> Floats:
    return np.asarray(measure(dealt.confusions))


def _p(comparison: Comparison) -> Row:
    """Return the p-value of the divergence."""
    if comparison.undealt:
        return row_of("expected_js_p", math.nan, comparison.tokens, "", comparison.undealt)
    speakers = len(comparison.clusters.target), len(comparison.clusters.reference)
    p, least, deals = divergence_p(
        comparison.confusions, np.asarray(comparison.dealt.confusions.jensen_shannon()), speakers
    )
    possible = ways(*speakers)
    few = f", for {sum(speakers)} speakers can be dealt in {possible} ways" if possible <= deals else ""
    return row_of("expected_js_p", p, comparison.tokens, "", _DEALT.format(deals), f"least possible: {least:.2g}{few}")


class DivergenceP(NamedTuple):
    """The p-value of a divergence, the least that is possible, and from how many deals it is."""

    p: float
    least: float
    deals: int


def divergence_p(confusions: ExpectedConfusions, drawn: Floats, speakers: tuple[int, int]) -> DivergenceP:
    """Return p of the Jensen–Shannon divergence, beside that of deals [D]; `speakers` are those of both languages."""
    least = max(1 / (len(drawn) + 1), 1 / ways(*speakers))
    return DivergenceP(max(p_value(float(confusions.jensen_shannon()), drawn), least), least, len(drawn))


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


def _differing_cells(tests: CellTests, comparison: Comparison) -> Row:
    """Return how many cells differ, and out of how many tested."""
    tested = int((~np.isnan(tests.q)).sum())
    if not tested:
        why = comparison.untested or "there is no cell to test"
        return row_of("expected_cells", math.nan, 0, "differ", why)
    note = f"cells with q < {SIGNIFICANT:g} ({comparison.settings.correction}) of {tested} tested"
    return row_of("expected_cells", float((tests.q < SIGNIFICANT).sum()), tested, "differ", note)


def _sensitivity(comparison: Comparison) -> Iterator[dict[str, object]]:
    """Yield a row of sensitivity.tsv for each choice of which phones are the same.

    How many phones are common, how much is kept, and the divergence and excess that follow; `counterparts` lists the
    target phones that another symbol stands for. Rows of equal counterparts are equal.
    """
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
