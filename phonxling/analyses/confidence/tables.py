"""confidence.tsv, by speaker and by predicted phone, and calibration.tsv, by bin of confidence."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.confidence.bins import BINNINGS
from phonxling.analyses.confidence.calibration import (
    brier_score,
    calibrated_error,
    expected_calibration_error,
    squared_distances,
)
from phonxling.analyses.confidence.confidences import Confidences
from phonxling.analyses.confidence.nce import binned_nce, gains, nce_of_sums, nist_nce
from phonxling.analyses.confidence.reliability import reliability_table
from phonxling.analyses.confidence.rows import UNDEFINED, binned_sums
from phonxling.resample.intervals import estimate
from phonxling.resample.proportion import wilson
from phonxling.resample.sums import replicate_group_sums, sums_by
from phonxling.resample.token_estimates import means_by_group
from phonxling.resample.weights import Resampling
from phonxling.tables.files import table_of

Floats = NDArray[np.float64]
LEAST, LEAST_BINNED = 20, 100  # phones that a group needs for NCE and Brier, and for what bins it


def confidence_table(analysis: AnalysedCorpus, sources: Sequence[Confidences], bins: int) -> pd.DataFrame:
    """Return confidence.tsv: each speaker and each predicted phone, by source of confidences.

    NCE and Brier score need 20 phones, ECE and binned NCE 100: below, they are missing and `note` says so. Intervals
    are of phones alone, over the corpus' clusters; a speaker is one cluster.
    """
    rows = [row for found in sources if not found.missing for row in _rows(analysis, found, bins)]
    return table_of("confidence", rows)


def _rows(analysis: AnalysedCorpus, found: Confidences, bins: int) -> Iterator[dict[str, object]]:
    if analysis.corpus.speakers is not None:
        names, number = np.unique(np.array(analysis.corpus.speakers), return_inverse=True)
        of_speaker = number[found.owner]
        order = np.argsort(of_speaker, kind="stable")
        bounds = np.searchsorted(of_speaker[order], np.arange(len(names) + 1))
        for name, (first, last) in zip(names.tolist(), pairwise(bounds), strict=True):
            yield {"group": "speaker", "name": name} | _group(found, order[first:last], bins)
    phones = analysis.corpus.predicted_inventory.phones
    intervals = _intervals(found, len(phones), analysis.resampling)
    for code in np.unique(found.codes):
        yield {"group": "phone", "name": phones[code]} | _group(found, found.codes == code, bins) | intervals[code]


def _group(found: Confidences, chosen: NDArray[np.bool_] | NDArray[np.int64], bins: int) -> dict[str, object]:
    right, given = found.correct[chosen], found.confidence[chosen]
    n = len(given)
    nce = nist_nce(right, given) if n >= LEAST else np.nan
    enough = n >= LEAST_BINNED
    notes = {
        f"fewer than {LEAST} phones: nothing is measured": n < LEAST,
        f"fewer than {LEAST_BINNED} phones: too few to bin": LEAST <= n < LEAST_BINNED,
        UNDEFINED: n >= LEAST and bool(np.isnan(nce)),
    }
    return {
        "source": found.source,
        "tokens": n,
        "correct": int(right.sum()),
        "accuracy": right.mean() if n else np.nan,
        "confidence": given.mean() if n else np.nan,
        "nce": nce,
        "nce_binned": binned_nce(right, given, bins) if enough else np.nan,
        "brier": brier_score(right, given) if n >= LEAST else np.nan,
        "ece": expected_calibration_error(right, given, bins) if enough else np.nan,
        "ece_calibrated": calibrated_error(given, bins) if enough else np.nan,
        "note": "; ".join(text for text, tell in notes.items() if tell),
    }


def _intervals(found: Confidences, phones: int, drawn: Resampling) -> list[dict[str, float]]:
    """Return the limits of NCE and Brier score of each predicted phone; none for those of too few tokens."""
    gained = np.stack([np.ones(len(found)), found.correct, gains(found.correct, found.confidence)], axis=1)
    sums = replicate_group_sums(gained, found.codes, groups=phones, owner=found.owner, resampling=drawn)
    whole = sums_by(found.codes, gained, phones)
    brier = means_by_group(
        squared_distances(found.correct, found.confidence),
        found.codes,
        groups=phones,
        owner=found.owner,
        resampling=drawn,
    )
    rows = []
    for code, distance in enumerate(brier):
        nce = estimate(float(nce_of_sums(whole[code : code + 1])[0]), nce_of_sums(sums[:, code]), drawn)
        row = {"nce_low": nce.low, "nce_high": nce.high, "brier_low": distance.low, "brier_high": distance.high}
        rows.append(row if whole[code, 0] >= LEAST else {})
    return rows


def calibration_table(analysis: AnalysedCorpus, sources: Sequence[Confidences], bins: int) -> pd.DataFrame:
    """Return calibration.tsv: the bins of each source, of equal width and of equal mass.

    The interval of an accuracy is Wilson's on the effective number of phones, `effective`: phones over the design
    effect, the bootstrap variance of the accuracy over that of independent draws (at accuracies 0 and 1, where a bin
    has no variance, the design effect of all phones).
    """
    level, drawn = analysis.resampling.level, analysis.resampling
    tables = [pd.DataFrame()]
    for found in sources:
        for binning in BINNINGS if not found.missing else ():
            table = reliability_table(found.correct, found.confidence, bins, binning, level)
            _, replicates = binned_sums(found, drawn, bins, binning)
            effective = _effective(table, replicates if drawn.number > 1 else replicates[:0])
            low, high = wilson(table["accuracy"].to_numpy(float), effective, level)
            table = table.assign(accuracy_low=low, accuracy_high=high, effective=effective)
            tables.append(pd.concat([_labels(found.source, binning, len(table)), table], axis=1))
    return pd.concat(tables, ignore_index=True)


def _labels(source: str, binning: str, rows: int) -> pd.DataFrame:
    return pd.DataFrame({"source": [source] * rows, "binning": [binning] * rows})


def _effective(table: pd.DataFrame, replicates: Floats) -> Floats:
    """Return the effective number of phones of each bin, at most its number; NaN without replicates or clusters."""
    number, right, _ = np.split(replicates, 3, axis=1)
    tokens, share = table["tokens"].to_numpy(float), table["accuracy"].to_numpy(float)
    pooled = _design_effect(
        right.sum(axis=1), number.sum(axis=1), np.nansum(share * tokens) / tokens.sum(), tokens.sum()
    )
    effects = [_design_effect(*column) for column in zip(right.T, number.T, share, tokens, strict=True)]
    effect = np.where(np.isfinite(effects), effects, pooled)
    return np.where(tokens > 0, tokens / np.maximum(effect, 1.0), np.nan)


def _design_effect(right: Floats, number: Floats, share: float, tokens: float) -> float:
    seen = number > 0
    expected = share * (1 - share) / tokens if tokens else np.nan
    if seen.sum() < 2 or not expected > 0:
        return float("nan")
    return float((right[seen] / number[seen]).var(ddof=1) / expected)
