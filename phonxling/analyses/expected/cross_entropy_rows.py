"""Summary rows of the cross-entropy between the confusions of the target and of the reference, and its perplexity."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.confidence.rows import within
from phonxling.analyses.expected.confusions import SMOOTHINGS, ExpectedConfusions
from phonxling.analyses.expected.cross_entropy import confusion_cross_entropy, cross_entropy_of
from phonxling.analyses.posteriors.rows import power
from phonxling.analyses.rows import Row, row_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.resample.bootstrap import estimate
from phonxling.resample.replicates import replicate_counts

Floats = NDArray[np.float64]
_MEASURES = (("expected_cross_entropy", "bits"), ("expected_perplexity", "phones"))
_NEVER = "the target has confusions that the reference never shows"
_ACROSS = "no interval: phones are compared that have other symbols in the reference"


def cross_entropy_rows(
    found: ExpectedConfusions, target: AnalysedCorpus, reference: AnalysedCorpus, smoothing: float, note: str
) -> Iterator[Row]:
    """Yield H(p, p_E) and 2 to it, plain and with several pseudo-counts, with basic bootstrap intervals.

    Both languages are resampled. The same draws of cluster numbers are not paired, or languages with as many clusters
    would move together: replicate r of the target stands beside replicate r + 1 of the reference.
    """
    n = float(found.target.sum())
    missing = "" if n else "the two languages have no common phone with tokens"
    drawn = None if not n or _across(found, target, reference) else (_drawn(found, target), _drawn(found, reference))
    for variant, alpha in [("plain", 0.0), *((f"{alpha:g}", alpha) for alpha in sorted({*SMOOTHINGS, smoothing}))]:
        value = Estimate(confusion_cross_entropy(found, alpha))
        if drawn is not None and math.isfinite(value.value) and alpha:
            values = cross_entropy_of(drawn[0], np.roll(drawn[1], -1, axis=0), alpha)
            value = within(estimate(value.value, values, target.resampling, "basic"), 0, math.inf)
        said = _NEVER if math.isinf(value.value) else _ACROSS if n and drawn is None else ""
        beside = missing or "; ".join(filter(None, [note, said]))
        yield Row("expected_cross_entropy", value, n, variant, beside)
        yield Row("expected_perplexity", power(value), n, variant, beside)


def missing_cross_entropy(why: str) -> Iterator[Row]:
    """Yield the same measures, missing, with the reason."""
    yield from (row_of(measure, math.nan, 0, "", why) for measure, unit in _MEASURES)


def _across(found: ExpectedConfusions, target: AnalysedCorpus, reference: AnalysedCorpus) -> bool:
    """Return whether the counts of the comparison are not those of the same symbols in either language."""
    sides = ((found.target, target.matrix), (found.reference, reference.matrix))
    return any(not np.array_equal(counts, _cut(found, matrix)) for counts, matrix in sides)


def _cut(found: ExpectedConfusions, matrix: ConfusionMatrix) -> Floats:
    """Return a matrix's counts of the phones compared, [T, P]; phones that it has not count 0."""
    rows, columns = (
        _places(phones, own) for phones, own in ((found.gold, matrix.gold), (found.predicted, matrix.predicted))
    )
    return np.where((rows < 0)[:, None] | (columns < 0), 0.0, matrix.counts[np.ix_(rows, columns)])


def _drawn(found: ExpectedConfusions, analysis: AnalysedCorpus) -> Floats:
    """Return the same counts of each bootstrap replicate, [R, T, P]."""
    rows, columns = _places(found.gold, analysis.matrix.gold), _places(found.predicted, analysis.matrix.predicted)
    absent = (rows < 0)[:, None] | (columns < 0)
    parts = [part[np.ix_(rows, columns)] for part in replicate_counts(analysis.stack, analysis.resampling)]
    whole = np.concatenate([np.zeros((*absent.shape, 0)), *parts], axis=2)
    return np.moveaxis(np.where(absent[:, :, None], 0.0, whole), 2, 0)


def _places(phones: Inventory, own: Inventory) -> NDArray[np.int64]:
    return np.array([own.code(phone) if phone in own else -1 for phone in phones], dtype=np.int64)
