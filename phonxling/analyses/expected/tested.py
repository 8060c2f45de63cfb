"""What differs from the reference beyond chance: intervals, tests of cells, and the null of the divergences."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.same_phones import same_phones
from phonxling.analyses.expected.cells import CellTests, cell_tests, p_value
from phonxling.analyses.expected.confusions import SMOOTHINGS, ExpectedConfusions
from phonxling.analyses.expected.draws import ExpectedDraws, redrawn, resampled
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import sum_by
from phonxling.core.costs import CostTable
from phonxling.core.estimate import Estimate
from phonxling.resample.bootstrap import estimate
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment

Floats = NDArray[np.float64]
SIGNIFICANT = 0.05
_NULL_DRAWS = 1000
_DEALT = "the tokens of each phone dealt anew to the two languages; tokens are taken as independent"


@dataclass(frozen=True, eq=False)
class ReferenceTest:
    """The restricted counts of both languages, resampled together, and how their cells differ."""

    found: ExpectedConfusions
    draws: ExpectedDraws
    fewer: Resampling
    cells: CellTests
    kept: Estimate

    def table(self) -> pd.DataFrame:
        """Return expected.tsv: every cell, observed, expected and residual, its interval, p and q."""
        columns = {name: getattr(self.cells, name).ravel() for name in ("low", "high", "p", "q")}
        return self.found.table().assign(**columns)


def reference_test(
    found: ExpectedConfusions, target: AnalysedCorpus, reference: AnalysedCorpus, experiment: Experiment
) -> ReferenceTest:
    """Return the test of a target against the reference, each resampled with its own weights."""
    sides = [(side.stack, side.resampling) for side in (target, reference)]
    same = same_phones(target.matrix, reference.matrix, experiment)
    draws = resampled(found, sides[0], sides[1], [same[phone] for phone in found.gold])
    fewer = min((target.resampling, reference.resampling), key=lambda weights: weights.number)
    settings = experiment.uncertainty.level, experiment.expected.correction
    cells = cell_tests(found, draws.residual(), fewer.number, *settings)
    return ReferenceTest(found, draws, fewer, cells, _kept(found, target))


def tested_rows(
    rows: Iterable[Row], name: str, test: ReferenceTest, costs: CostTable | None, experiment: Experiment
) -> Iterator[Row]:
    """Yield the rows of what is expected with their intervals, then the nulls, and how many cells differ."""
    intervals = _intervals(test, costs, experiment)
    for row in rows:
        known = intervals.get((row.measure, row.variant))
        yield row if known is None or np.isnan(row.estimate.value) else replace(row, estimate=known)
    yield from _null_rows(name, test, experiment)
    yield _cells_row(test, experiment)


def _intervals(
    test: ReferenceTest, costs: CostTable | None, experiment: Experiment
) -> Mapping[tuple[str, str], Estimate]:
    found, draws = test.found, test.draws
    if not found.target.sum() or not draws.target.shape[-1]:
        return {}
    basic = {("expected_js", ""): (found.jensen_shannon(), draws.jensen_shannon())}
    for alpha in _alphas(experiment):
        basic["expected_kl", f"{alpha:g}"] = found.kullback_leibler(alpha), draws.kullback_leibler(alpha)
    said = {key: _not_negative(estimate(*pair, test.fewer, "basic")) for key, pair in basic.items()}
    said["expected_share_kept", ""] = test.kept
    if costs is None or not costs.as_rate:
        return said
    excess = estimate(found.cost_excess(costs), draws.cost_excess(_prices(found, costs)), test.fewer)
    return said | {("wper_excess", ""): excess}


def _kept(found: ExpectedConfusions, target: AnalysedCorpus) -> Estimate:
    """Return the share of the target's aligned pairs that are of common phones."""
    stack = target.stack
    row, column = np.divmod(stack.cells, len(stack.predicted) + 1)
    paired = (row < len(stack.gold)) & (column < len(stack.predicted))
    common = [phone in found.gold for phone in stack.gold] + [False]
    heard = [phone in found.predicted for phone in stack.predicted] + [False]
    inside = np.array(common)[row] & np.array(heard)[column]
    owner = np.repeat(np.arange(len(stack)), np.diff(stack.offsets))
    kept, all_pairs = (sum_by(owner[those], stack.counts[those], len(stack)) for those in (inside, paired))
    return target.resampling.ratio(kept, all_pairs, "share")


def _null_rows(name: str, test: ReferenceTest, experiment: Experiment) -> Iterator[Row]:
    """Yield the divergences when both languages have the same confusions, and the p-value of the headline."""
    found, n, level = test.found, float(test.found.target.sum()), experiment.uncertainty.level
    if not n:
        why = "the two languages have no common phone with tokens"
        yield row_of("expected_js_null", np.nan, 0, "", why)
        yield row_of("expected_js_p", np.nan, 0, "", why)
        return
    generator = np.random.default_rng([experiment.seed, zlib.crc32(name.encode()), zlib.crc32(b"expected")])
    null = redrawn(found, _NULL_DRAWS, generator)
    js = null.jensen_shannon()
    yield Row("expected_js_null", interval_of(js, level), n, "", _DEALT)
    least = f"least possible: {1 / (_NULL_DRAWS + 1):.2g}"
    p = p_value(found.jensen_shannon(), js)
    yield row_of("expected_js_p", p, n, "", f"{_DEALT}, so too low where speakers differ; {least}")
    for alpha in _alphas(experiment):
        yield Row("expected_kl_null", interval_of(null.kullback_leibler(alpha), level), n, f"{alpha:g}", _DEALT)


def _cells_row(test: ReferenceTest, experiment: Experiment) -> Row:
    """Return how many cells differ, and out of how many tested."""
    tested = int((~np.isnan(test.cells.q)).sum())
    if not tested:
        one = test.fewer.number < 2
        why = f"one {test.fewer.unit} only in one of the languages" if one else "no replicates, or no cell to test"
        return row_of("expected_cells", np.nan, 0, "differ", f"not tested: {why}")
    differ = float((test.cells.q < SIGNIFICANT).sum())
    note = f"cells with q < {SIGNIFICANT:g} ({experiment.expected.correction}) of {tested} tested"
    return row_of("expected_cells", differ, tested, "differ", note)


def _not_negative(found: Estimate) -> Estimate:
    return replace(found, low=max(found.low, 0.0), high=max(found.high, 0.0)) if found.low == found.low else found


def _alphas(experiment: Experiment) -> list[float]:
    return sorted({*SMOOTHINGS, experiment.expected.smoothing})


def _prices(found: ExpectedConfusions, costs: CostTable) -> Floats:
    rows = [costs.gold.code(phone) for phone in found.gold]
    columns = [costs.predicted.code(phone) for phone in found.predicted]
    return np.asarray(costs.substitution[np.ix_(rows, columns)] / costs.denominator, dtype=np.float64)
