"""How far confidences can be trusted: summary rows of NCE, Brier score and calibration error, with their intervals."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.confidence.bins import BINNINGS, Binning, bin_sums, cut
from phonxling.analyses.confidence.calibration import calibrated_error, ece_of_sums, squared_distances
from phonxling.analyses.confidence.confidences import Confidences
from phonxling.analyses.confidence.nce import binned_nce_of_sums, gains, nce_of_sums, nist_nce
from phonxling.analyses.rows import Row, joined, row_of
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import cluster_sums, replicate_group_sums, replicate_sums
from phonxling.resample.token_estimates import mean_of_tokens
from phonxling.resample.weights import Resampling

Floats = NDArray[np.float64]
UNDEFINED = "no predicted phone, or every one, is correct"
FEW = 10  # phones, right or wrong, below which a number is said to rest on few
_AVERAGED = "of one best alignment: an average says of no phone whether it is correct"
_BIASED = "too high where tokens are few: see ece_calibrated"


def confidence_rows(analysis: AnalysedCorpus, found: Confidences, bins: int) -> Iterator[Row]:
    """Yield NCE (pooled, binned, mean of speakers), Brier score and ECE of one source, or why there are none.

    Variants of confidences from posteriors begin with `posteriors`.
    """
    averaged = _AVERAGED if analysis.path is not analysis.aligned else ""
    said = joined([found.missing or found.note, averaged, _few(found)])
    if found.missing:
        yield from (row_of(name, np.nan, len(found), _named(found), said) for name in ("nce", "brier", "ece"))
        return
    n, drawn = float(len(found)), analysis.resampling
    gained = np.stack([np.ones(len(found)), found.correct, gains(found.correct, found.confidence)], axis=1)
    by_cluster = cluster_sums(gained, found.owner, drawn)
    value = nist_nce(found.correct, found.confidence)
    yield Row(
        "nce",
        estimate(value, nce_of_sums(replicate_sums(by_cluster, drawn)), drawn),
        n,
        _named(found),
        joined([UNDEFINED if np.isnan(value) else "", said]),
    )
    yield from _binned_rows(found, drawn, bins, said)
    yield from _speaker_row(analysis, found, gained, said)
    distance = squared_distances(found.correct, found.confidence)
    yield Row("brier", mean_of_tokens(distance, found.owner, drawn), n, _named(found), said)


def _binned_rows(found: Confidences, drawn: Resampling, bins: int, said: str) -> Iterator[Row]:
    """Yield what depends on bins; replicates keep the bins of the whole corpus."""
    n = float(len(found))
    for binning in BINNINGS:
        sums, replicates = binned_sums(found, drawn, bins, binning)
        if binning == "width":
            nce = float(binned_nce_of_sums(sums)[0])
            interval = estimate(nce, binned_nce_of_sums(replicates), drawn, "basic")
            note = UNDEFINED if np.isnan(nce) else f"each of {bins} bins has its own accuracy, seen on the same phones"
            yield Row("nce", within(interval, 0, 1), n, _named(found, "binned"), joined([note, said]))
        interval = estimate(float(ece_of_sums(sums)[0]), ece_of_sums(replicates), drawn, "basic")
        cuts = len(cut(found.confidence, bins, binning))
        fewer = f"{cuts} bins only: equal confidences stay together" if cuts < bins else ""
        note = joined([_BIASED, fewer, said])
        yield Row("ece", within(interval, 0, 1), n, _named(found, binning), note)
        level = calibrated_error(found.confidence, bins, binning)
        yield row_of("ece_calibrated", level, n, _named(found, binning), "expected if perfectly calibrated")


def binned_sums(found: Confidences, drawn: Resampling, bins: int, binning: Binning) -> tuple[Floats, Floats]:
    """Return the sums of the bins over all phones, [1, 3·B], and over each replicate, [R, 3·B]."""
    cuts = cut(found.confidence, bins, binning)
    total = bin_sums(found.correct, found.confidence, cuts).T.reshape(1, -1)
    values = np.stack([np.ones(len(found)), found.correct, found.confidence], axis=1)
    sums = replicate_group_sums(values, cuts.places, groups=len(cuts), owner=found.owner, resampling=drawn)
    return total, np.moveaxis(sums, 2, 1).reshape(len(sums), 3 * len(cuts))


def _speaker_row(analysis: AnalysedCorpus, found: Confidences, gained: Floats, said: str) -> Iterator[Row]:
    """Yield the mean of the speakers' own NCE, where speakers are known."""
    grouped = by_speaker(analysis, found, gained)
    if grouped is None:
        return
    values = nce_of_sums(grouped[1])
    defined = ~np.isnan(values)
    undefined = f"{UNDEFINED} of {int((~defined).sum())} speakers" if not defined.all() else ""
    if not defined.any():
        yield row_of("nce", np.nan, 0, _named(found, "speakers"), joined([undefined, said]))
        return
    mean, drawn = Estimate(float(values[defined].mean())), analysis.resampling
    if drawn.unit == "speaker":
        sums = replicate_sums(np.stack([np.where(defined, values, 0.0), defined], axis=1), drawn)
        means = np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)
        mean = estimate(mean.value, means, drawn)
    note = joined(["mean of the speakers' own", undefined, said])
    yield Row("nce", mean, float(defined.sum()), _named(found, "speakers"), note)


def by_speaker(analysis: AnalysedCorpus, found: Confidences, values: Floats) -> tuple[Sequence[str], Floats] | None:
    """Return the speakers, sorted, and the sums of values [M, k] over each, [S, k]; None when none are known."""
    if analysis.corpus.speakers is None:
        return None
    names, number = np.unique(np.array(analysis.corpus.speakers), return_inverse=True)
    sums = [np.bincount(number[found.owner], weights=column, minlength=len(names)) for column in values.T]
    return names.tolist(), np.stack(sums, axis=1)


def within(found: Estimate, low: float, high: float) -> Estimate:
    """Return an estimate whose limits do not leave the range of the measure."""
    first, last = (float(np.clip(end, low, high)) for end in (found.low, found.high))
    return Estimate(found.value, first, last, found.level, found.note)


def _few(found: Confidences) -> str:
    """Return the warning that one outcome is rare, "" when neither is."""
    right = int(found.correct.sum())
    kind, number = min(("correct", right), ("wrong", len(found) - right), key=lambda pair: pair[1])
    return f"rests on {number} {kind} phones only" if 0 < number < FEW else ""


def _named(found: Confidences, variant: str = "") -> str:
    return " ".join(filter(None, ["posteriors" if found.source == "posteriors" else "", variant]))
