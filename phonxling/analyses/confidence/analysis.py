"""How far confidences can be trusted: NCE, Brier score and calibration error, with their intervals."""

from collections.abc import Iterator, Mapping

import numpy as np

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.confidence.calibration import BINNINGS, Binning, bin_sums
from phonxling.analyses.confidence.confidences import Binned, Confidences, confidences, ece_estimate, in_bins
from phonxling.analyses.confidence.nce import UNDEFINED, binned_nce_of_sums, nce_estimate, nce_of_sums, nce_values
from phonxling.analyses.confidence.tables import calibration_table, confidence_table
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.scoring_rules import squared_distances
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import replicate_sums, sums_by
from phonxling.resample.token_estimates import mean_of_tokens
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Confidence

FEW = 10  # phones, right or wrong, below which a number is said to rest on few
_AVERAGED = "of one best alignment: an average says of no phone whether it is correct"
_BY_COSTS = "whether a phone is correct is that of the best alignment of the predictions"
_MISSING = (("nce", ""), ("brier", ""), *((name, by) for name in ("ece", "ece_calibrated") for by in BINNINGS))
_BIASED = "too high where tokens are few: see ece_calibrated"


def confidence(case: Case, settings: Confidence) -> Items:
    """Yield the rows of each source of confidences, confidence.tsv and calibration.tsv."""
    resampling, usable = case.counted.resampling, []
    for source in [*confidences(case)]:  # what was read to make them is no longer held
        binned = {} if source.missing else in_bins(source, settings.bins, resampling)
        yield from _rows(case, source, binned, settings.bins)
        if binned:
            usable.append((source, binned))
    if usable:
        yield "confidence", confidence_table(case, [source for source, _ in usable], settings.bins)
        yield "calibration", calibration_table(usable, settings.bins, resampling)


def _rows(case: Case, source: Confidences, binned: Mapping[Binning, Binned], bins: int) -> Iterator[Row]:
    """Yield NCE (pooled, binned, mean of speakers), Brier score and ECE of one source, or why there are none."""
    counted = case.counted
    averaged = "" if counted.path is counted.aligned else _AVERAGED
    averaged = averaged if counted.path is counted.by_costs else _BY_COSTS
    note = joined([source.missing or source.note, averaged, _few(source)])
    if source.missing:
        yield from (row_of(name, np.nan, len(source), source.variant(own), note) for name, own in _MISSING)
        return
    resampling, values = case.counted.resampling, nce_values(source.correct, source.confidence)
    nce = nce_estimate(values, source.owner, resampling)
    yield row_of("nce", nce, len(source), source.variant(), UNDEFINED if np.isnan(nce.value) else "", note)
    for binning, own in binned.items():
        yield from _binned_rows(source, binning, own, bins=bins, resampling=resampling, note=note)
    yield from _speaker_row(case, source, values, note)
    distances = squared_distances(source.correct, source.confidence)
    yield row_of("brier", mean_of_tokens(distances, source.owner, resampling), len(source), source.variant(), note)


def _binned_rows(
    source: Confidences, binning: Binning, binned: Binned, *, bins: int, resampling: Resampling, note: str
) -> Iterator[Row]:
    """Yield what depends on bins; replicates keep the bins of the whole corpus."""
    n, cuts = len(source), binned.cuts
    if binning == "width":
        sums = bin_sums(source.correct, source.confidence, cuts)
        nce = estimate(float(binned_nce_of_sums(sums)), binned_nce_of_sums(binned.drawn), resampling, biased=True)
        own = f"each of {bins} bins has its own accuracy, seen on the same phones"
        why = UNDEFINED if np.isnan(nce.value) else own
        yield row_of("nce", nce.within(0, 1), n, source.variant("binned"), why, note)
    ece = ece_estimate(source, binned, resampling)
    fewer = f"{len(cuts)} bins only: equal confidences stay together" if len(cuts) < bins else ""
    yield row_of("ece", ece, n, source.variant(binning), _BIASED, fewer, note)
    level = binned.calibrated[0]
    yield row_of("ece_calibrated", level, n, source.variant(binning), "expected if perfectly calibrated")


def _speaker_row(case: Case, source: Confidences, values: Floats, note: str) -> Iterator[Row]:
    """Yield the mean over speakers of their own NCE, where speakers are known."""
    number, resampling = case.counted.corpus.speaker_numbers, case.counted.resampling
    if number is None:
        return
    variant = source.variant("speakers")
    nce = nce_of_sums(sums_by(number[source.owner], values, int(number.max()) + 1))
    defined = ~np.isnan(nce)
    undefined = "" if defined.all() else f"{UNDEFINED} of {int((~defined).sum())} speakers"
    if not defined.any():
        yield row_of("nce", np.nan, 0, variant, undefined, note)
        return
    mean = Estimate(float(nce[defined].mean()))
    if resampling.unit == "speaker":
        sums = replicate_sums(np.stack([np.where(defined, nce, 0.0), defined], axis=1), resampling)
        mean = estimate(mean.value, divided(*sums.T), resampling, kind="skill", clusters=float(defined.sum()))
    yield row_of("nce", mean, int(defined.sum()), variant, "mean over speakers of their own", undefined, note)


def _few(source: Confidences) -> str:
    """Return the warning that one outcome is rare, "" when neither is."""
    right = int(source.correct.sum())
    kind, number = min(("correct", right), ("wrong", len(source) - right), key=lambda pair: pair[1])
    return f"rests on {number} {kind} phones only" if 0 < number < FEW else ""
