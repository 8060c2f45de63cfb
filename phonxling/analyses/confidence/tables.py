"""confidence.tsv, by speaker and by predicted phone, and calibration.tsv, by bin of confidence."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case
from phonxling.analyses.confidence.calibration import (
    Binning,
    calibrated_error,
    expected_calibration_error,
    reliability_table,
)
from phonxling.analyses.confidence.confidences import Binned, Confidences
from phonxling.analyses.confidence.nce import UNDEFINED, binned_nce, nce_of_sums, nce_values, nist_nce
from phonxling.analyses.scoring_rules import brier_score, squared_distances
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.estimate import joined
from phonxling.resample.intervals import estimate
from phonxling.resample.proportion import wilson
from phonxling.resample.student import freedom_of
from phonxling.resample.sums import clusters_with, replicate_group_sums, sums_by
from phonxling.resample.token_estimates import means_by_group
from phonxling.resample.weights import Resampling
from phonxling.tables.files import table_of

LEAST, LEAST_BINNED = 20, 100  # phones that a group needs for NCE and Brier, and for what bins it


def confidence_table(case: Case, sources: Sequence[Confidences], bins: int) -> pd.DataFrame:
    """Return confidence.tsv: each speaker and each predicted phone, by source of confidences.

    NCE and Brier score need 20 phones, ECE and binned NCE 100: below, they are missing and `note` says so. Intervals
    are of phones alone, over the corpus' clusters; a speaker is one cluster.
    """
    return table_of("confidence", [row for source in sources for row in _rows(case, source, bins)])


def _rows(case: Case, source: Confidences, bins: int) -> Iterator[dict[str, object]]:
    if (speakers := case.counted.corpus.speakers) is not None:
        names, number = np.unique(np.array(speakers), return_inverse=True)
        of_speaker = number[source.owner]
        order = np.argsort(of_speaker, kind="stable")
        bounds = np.searchsorted(of_speaker[order], np.arange(len(names) + 1))
        for name, (first, last) in zip(names.tolist(), pairwise(bounds), strict=True):
            yield {"group": "speaker", "name": name} | _group(source, order[first:last], bins)
    phones = case.counted.corpus.predicted_inventory.phones
    limits = _limits(source, len(phones), case.counted.resampling)
    for code in np.unique(source.codes):
        yield {"group": "phone", "name": phones[code]} | _group(source, source.codes == code, bins) | limits[code]


def _group(source: Confidences, chosen: Bools | Codes, bins: int) -> dict[str, object]:
    right, confidence = source.correct[chosen], source.confidence[chosen]
    n = len(confidence)
    enough, enough_binned = n >= LEAST, n >= LEAST_BINNED
    nce = nist_nce(right, confidence) if enough else np.nan
    notes = [
        "" if enough else f"fewer than {LEAST} phones: nothing is measured",
        f"fewer than {LEAST_BINNED} phones: too few to bin" if enough and not enough_binned else "",
        UNDEFINED if enough and np.isnan(nce) else "",
    ]
    return {
        "source": source.source,
        "tokens": n,
        "correct": int(right.sum()),
        "accuracy": right.mean() if n else np.nan,
        "confidence": confidence.mean() if n else np.nan,
        "nce": nce,
        "nce_binned": binned_nce(right, confidence, bins) if enough_binned else np.nan,
        "brier": brier_score(right, confidence) if enough else np.nan,
        "ece": expected_calibration_error(right, confidence, bins) if enough_binned else np.nan,
        "ece_calibrated": calibrated_error(confidence, bins) if enough_binned else np.nan,
        "note": joined(notes),
    }


def _limits(source: Confidences, phones: int, resampling: Resampling) -> list[dict[str, float]]:
    """Return the limits of NCE and Brier score of each predicted phone; none for those of too few tokens."""
    values, distances = (measure(source.correct, source.confidence) for measure in (nce_values, squared_distances))
    drawn = replicate_group_sums(values, source.codes, groups=phones, owner=source.owner, resampling=resampling)
    sums = sums_by(source.codes, values, phones)
    brier = means_by_group(distances, source.codes, groups=phones, owner=source.owner, resampling=resampling)
    clusters = clusters_with(source.codes, groups=phones, owner=source.owner, resampling=resampling)[1].tolist()
    rows = []
    for code, distance in enumerate(brier):
        value, draws = float(nce_of_sums(sums[code])), nce_of_sums(drawn[:, code])
        nce = estimate(value, draws, resampling, kind="skill", clusters=clusters[code])
        row = {"nce_low": nce.low, "nce_high": nce.high, "brier_low": distance.low, "brier_high": distance.high}
        rows.append(row if sums[code, 0] >= LEAST else {})
    return rows


def calibration_table(
    sources: Sequence[tuple[Confidences, Mapping[Binning, Binned]]], bins: int, resampling: Resampling
) -> pd.DataFrame:
    """Return calibration.tsv: the bins of each source, of equal width and of equal mass.

    The interval of an accuracy is Wilson's on the effective number of phones, `effective`: phones over the design
    effect, the bootstrap variance of the accuracy over that of independent draws (at accuracies 0 and 1, where a bin
    has no variance, the design effect of all phones).
    """
    tables = []
    for source, binned in sources:
        for binning, own in binned.items():
            table = reliability_table(source.correct, source.confidence, bins, binning, resampling.level)
            drawn = own.drawn if resampling.number > 1 else own.drawn[:0]
            freedom = float(freedom_of(resampling.effective))
            effective = _effective(table, drawn, freedom)
            low, high = wilson(table["accuracy"].to_numpy(float), effective, resampling.level, freedom)
            table = table.assign(accuracy_low=low, accuracy_high=high, effective=effective)
            labels = pd.DataFrame({"source": source.source, "binning": binning}, index=table.index)
            tables.append(pd.concat([labels, table], axis=1))
    return pd.concat(tables, ignore_index=True)


def _effective(table: pd.DataFrame, drawn: Floats, freedom: float) -> Floats:
    """Return the effective number of phones of each bin, at most its number; NaN without replicates or clusters."""
    number, right, _ = np.moveaxis(drawn, -1, 0)
    tokens, share = table["tokens"].to_numpy(float), table["accuracy"].to_numpy(float)
    total, mean = tokens.sum(), np.nansum(share * tokens) / tokens.sum()
    pooled = _design_effect(right.sum(axis=1), number.sum(axis=1), share=mean, tokens=total)
    effects = [
        _design_effect(right[:, place], number[:, place], share=share[place], tokens=tokens[place])
        for place in range(len(tokens))
    ]
    effect = np.where(np.isfinite(effects), effects, pooled) * (freedom + 1) / freedom
    return np.where(tokens > 0, tokens / np.maximum(effect, 1.0), np.nan)


def _design_effect(right: Floats, number: Floats, *, share: float, tokens: float) -> float:
    seen = number > 0
    expected = share * (1 - share) / tokens if tokens else np.nan
    if seen.sum() < 2 or not expected > 0:
        return float("nan")
    return float((right[seen] / number[seen]).var(ddof=1) / expected)
