"""How far confidences can be trusted: NCE, Brier score and calibration error, with their intervals."""

from collections.abc import Iterator, Mapping

import numpy as np

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.confidence.calibration import Binning, bin_sums
from phonxling.analyses.confidence.confidences import Binned, Confidences, confidences, ece_estimate, in_bins
from phonxling.analyses.confidence.nce import UNDEFINED, binned_nce_of_sums, nce_estimate, nce_values
from phonxling.analyses.confidence.tables import calibration_table, confidence_table
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.scoring_rules import squared_distances
from phonxling.core.estimate import joined
from phonxling.resample.intervals import estimate
from phonxling.resample.token_estimates import mean_of_tokens
from phonxling.settings.sections import Confidence

FEW = 10  # phones, right or wrong, below which a number is said to rest on few
_AVERAGED = "of one best alignment: an average says of no phone whether it is correct"
_BY_COSTS = "whether a phone is correct is that of the best alignment of the predictions"
_MISSING = (("nce", ""), ("brier", ""), ("ece", "width"), ("ece_calibrated", "width"))
_BIASED = "too high where tokens are few: see ece_calibrated"


def confidence(case: Case, settings: Confidence) -> Items:
    """Yield the rows of each source of confidences, confidence.tsv and calibration.tsv."""
    resampling = case.counted.resampling
    usable: list[tuple[Confidences, Mapping[Binning, Binned]]] = []
    for source in [*confidences(case)]:  # what was read to make them is no longer held
        binned = {} if source.missing else in_bins(source, settings.bins, resampling)
        yield from _rows(case, source, binned, settings.bins, first=not usable)
        if binned:
            usable.append((source, binned))
    if usable:
        yield "confidence", confidence_table(case, [source for source, _ in usable], settings.bins)
        yield "calibration", calibration_table(usable, settings.bins, resampling)


def _rows(
    case: Case, source: Confidences, binned: Mapping[Binning, Binned], bins: int, *, first: bool
) -> Iterator[Row]:
    """Yield NCE and ECE of one source, with binned NCE, Brier score and calibrated ECE of the first; or why not.

    Bins are of equal width, and replicates keep those of the whole corpus.
    """
    counted, resampling = case.counted, case.counted.resampling
    averaged = "" if counted.path is counted.aligned else _AVERAGED
    averaged = averaged if counted.path is counted.by_costs else _BY_COSTS
    n, note = len(source), joined([source.missing or source.note, averaged, _few(source)])
    if source.missing:
        yield from (row_of(name, np.nan, n, source.variant(own), note) for name, own in _MISSING)
        return
    nce = nce_estimate(nce_values(source.correct, source.confidence), source.owner, resampling)
    undefined = UNDEFINED if np.isnan(nce.value) else ""
    yield row_of("nce", nce, n, source.variant(), undefined, note)
    width = binned["width"]
    yield row_of("ece", ece_estimate(source, width, resampling), n, source.variant("width"), _BIASED, note)
    if not first:
        return
    sums = bin_sums(source.correct, source.confidence, width.cuts)
    calibrated = estimate(float(binned_nce_of_sums(sums)), binned_nce_of_sums(width.drawn), resampling, biased=True)
    own = undefined or f"each of {bins} bins has its own accuracy, seen on the same phones"
    yield row_of("nce", calibrated.within(0, 1), n, source.variant("binned"), own, note)
    exact = "expected if perfectly calibrated"
    yield row_of("ece_calibrated", width.calibrated[0], n, source.variant("width"), exact)
    distances = squared_distances(source.correct, source.confidence)
    yield row_of("brier", mean_of_tokens(distances, source.owner, resampling), n, source.variant(), note)


def _few(source: Confidences) -> str:
    """Return the warning that one outcome is rare, "" when neither is."""
    right = int(source.correct.sum())
    kind, number = min(("correct", right), ("wrong", len(source) - right), key=lambda pair: pair[1])
    return f"rests on {number} {kind} phones only" if 0 < number < FEW else ""
