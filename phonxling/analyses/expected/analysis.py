"""What the reference language leads one to expect of a target: expected.tsv, sensitivity.tsv, and their rows."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.same_phones import choices
from phonxling.analyses.expected.cells import cell_tests
from phonxling.analyses.expected.comparison import Comparison, compare, weaknesses
from phonxling.analyses.expected.confusions import ExpectedConfusions
from phonxling.analyses.expected.level_and_pattern import SIGNS, level_test, pattern_test
from phonxling.analyses.measures import measure
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import sum_by
from phonxling.core.estimate import Estimate, joined
from phonxling.settings.sections import Expected

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
    """Yield the divergences, that of Jensen and Shannon beside what chance alone gives, and the cross-entropy.

    The smoothed Kullback–Leibler divergence is given as it is, without a correction: smoothing draws it towards 0 by an
    amount that differs with the divergence, so that no correction would do.
    """
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
