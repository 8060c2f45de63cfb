"""How far confidences can be trusted: NCE, Brier score and calibration error, with their intervals.

The confidences of the predicted phones are those of their file, and those that posteriors give to the intervals of the
phones. A phone is correct or wrong by the best alignment. `calibration.py` has the measures.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from phonxling.analyses import calibration as calibrating
from phonxling.analyses.calibration import BINNINGS, UNDEFINED, Binning, nce_of_sums, nce_values, squared_distances
from phonxling.analyses.case import Case, Items
from phonxling.analyses.measures import Row, row_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import CORRECT
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.count.posteriors import interval_confidence
from phonxling.resample.intervals import Resampling, estimate, wilson
from phonxling.resample.replicates import TokenGroups, mean_of_tokens, sums_by
from phonxling.resample.student import freedom_of
from phonxling.settings.models import Confidence
from phonxling.tables.files import table_of

Binned = dict[Binning, tuple[calibrating.Bins, Floats, tuple[float, float]]]  # cuts, replicates, if calibrated

LEAST, LEAST_BINNED = 20, 100  # phones that a group needs for NCE and Brier, and for what bins it
FEW = 10  # phones, right or wrong, below which a number is said to rest on few
_MISSING = (("nce", ""), ("brier", ""), ("ece", "width"), ("ece_calibrated", "width"))
_BIASED = "too high where tokens are few: see ece_calibrated"


def confidence(case: Case, settings: Confidence) -> Items:
    """Yield the rows of each source of confidences, confidence.tsv and calibration.tsv."""
    resampling, bins = case.counted.resampling, settings.bins
    groups: list[dict[str, object]] = []
    calibration: list[pd.DataFrame] = []
    for source, phones, missing, note in [*confidences(case)]:  # what was read to make them is no longer held
        binned = {} if missing else in_bins(phones, bins, resampling)
        yield from _rows(case, source, phones, binned, missing=missing, note=note, first=not calibration)
        if binned:
            groups += ({"source": source, **row} for row in _groups(case, phones, bins))
            calibration += _calibration(source, phones, binned, bins, resampling)
    if calibration:
        yield "confidence", table_of("confidence", groups)
        yield "calibration", pd.concat(calibration, ignore_index=True)


def confidences(case: Case) -> Iterator[tuple[str, pd.DataFrame, str, str]]:
    """Yield each source with its predicted phones, why they have no confidence, and a note on those that are left out.

    Columns: whether a phone is `correct`, its `confidence`, its `code`, and the `owner`, its utterance.
    """
    path, predicted, posteriors = case.counted.aligned, case.counted.corpus.predicted, case.loaded.posteriorgrams
    is_predicted = path.predicted < len(path.predicted_inventory)
    # an alignment spells the predictions in their order, so its predicted side runs beside the confidences
    correct, owner = path.operations[is_predicted] == CORRECT, predicted.token_utterances()
    phones = pd.DataFrame({"correct": correct, "confidence": np.nan, "code": predicted.codes, "owner": owner})
    if predicted.confidence is not None:
        yield "file", phones.assign(confidence=predicted.confidence), "", ""
    else:
        beside = "" if posteriors is None else "; those from posteriors are in details.tsv"
        yield "file", phones, f"the predictions have no confidences{beside}", ""
    if posteriors is None:
        return
    if predicted.start is None:
        yield "posteriors", phones, "the predictions have no times, and posteriors cannot be tied to them without", ""
        return
    scored = set(posteriors.utterances)
    chosen = np.array([place for place, name in enumerate(predicted.utterances) if name in scored], dtype=np.int64)
    chosen_phones = predicted.select(chosen)
    shares = np.full(len(phones), np.nan)
    try:
        own = replace(posteriors, utterances=chosen_phones.utterances)
        shares[predicted.token_order(chosen)] = interval_confidence(own, chosen_phones, case.work)
    except DataError as error:
        yield "posteriors", phones, str(error), ""
        return
    foreign = np.array([phone not in posteriors.inventory for phone in predicted.inventory], dtype=bool)
    columnless, defined = int(foreign[predicted.codes].sum()), ~np.isnan(shares)
    lost = int((~defined).sum()) - columnless
    reasons = {"no frame in their interval, or silence alone": lost, "no column of the posteriors": columnless}
    notes = [f"{number} predicted phones are left out: {why}" for why, number in reasons.items() if number > 0]
    missing = "" if defined.any() else "no predicted phone has a frame in its interval"
    yield "posteriors", phones.assign(confidence=shares)[defined], missing, joined(notes)


def in_bins(phones: pd.DataFrame, bins: int, resampling: Resampling) -> Binned:
    """Return the cuts of bins of equal width and mass, [R, B, 3] as of `bin_sums`, and the ECE if calibrated."""
    right, shares, owner = _arrays(phones)
    values, binned = calibrating.binned_values(right, shares), {}
    for by in BINNINGS:
        edges, places = cuts = calibrating.cut(shares, bins, by)
        drawn = TokenGroups(places, len(edges) - 1, owner, resampling).drawn(values)
        binned[by] = cuts, drawn, calibrating.error_of_calibrated(shares, cuts)
    return binned


def _arrays(phones: pd.DataFrame) -> tuple[NDArray[np.bool_], Floats, Codes]:
    return phones["correct"].to_numpy(), phones["confidence"].to_numpy(), phones["owner"].to_numpy()


def ece_estimate(phones: pd.DataFrame, binned: Binned, resampling: Resampling) -> Estimate:
    """Return ECE with its interval, from 0 on where a perfectly calibrated recogniser could well have as much."""
    cuts, drawn, (mean, deviation) = binned["width"]
    value = float(calibrating.ece_of_sums(calibrating.bin_sums(*_arrays(phones)[:2], cuts)))
    number = estimate(value, calibrating.ece_of_sums(drawn), resampling, biased=True).within(0, 1)
    if math.isnan(number.low) or number.value > mean + scipy.special.ndtri((1 + resampling.level) / 2) * deviation:
        return number
    return replace(number, low=0.0, note=joined([number.note, "does not differ clearly from perfect calibration"]))


def _rows(
    case: Case, source: str, phones: pd.DataFrame, binned: Binned, *, missing: str, note: str, first: bool
) -> Iterator[Row]:
    """Yield NCE and ECE of one source, with binned NCE, Brier score and calibrated ECE of the first; or why not."""
    resampling, n = case.counted.resampling, len(phones)
    right, shares, owner = _arrays(phones)
    hits = int(right.sum())
    kind, number = min(("correct", hits), ("wrong", n - hits), key=lambda pair: pair[1])
    few = f"rests on {number} {kind} phones only" if 0 < number < FEW else ""
    note = joined([missing or note, few])
    prefix = "posteriors " if source == "posteriors" else ""
    if missing:
        yield from (row_of(name, np.nan, n, f"{prefix}{own}".strip(), note) for name, own in _MISSING)
        return
    nce = calibrating.nce_estimate(nce_values(right, shares), owner, resampling)
    undefined = UNDEFINED if np.isnan(nce.value) else ""
    yield row_of("nce", nce, n, prefix.strip(), undefined, note)
    yield row_of("ece", ece_estimate(phones, binned, resampling), n, f"{prefix}width", _BIASED, note)
    if not first:
        return
    cuts, drawn, calibrated = binned["width"]
    gain = float(calibrating.binned_nce_of_sums(calibrating.bin_sums(right, shares, cuts)))
    gained = estimate(gain, calibrating.binned_nce_of_sums(drawn), resampling, biased=True).within(0, 1)
    seen = undefined or f"each of {len(cuts[0]) - 1} bins has its own accuracy, seen on the same phones"
    yield row_of("nce", gained, n, f"{prefix}binned", seen, note)
    yield row_of("ece_calibrated", calibrated[0], n, f"{prefix}width", "expected if perfectly calibrated")
    distances = squared_distances(right, shares)
    yield row_of("brier", mean_of_tokens(distances, owner, resampling), n, prefix.strip(), note)


def _groups(case: Case, phones: pd.DataFrame, bins: int) -> Iterator[dict[str, object]]:
    """Yield the rows of confidence.tsv: each speaker and each predicted phone."""
    if (speakers := case.counted.corpus.speakers) is not None:
        names, number = np.unique(np.array(speakers), return_inverse=True)
        of_speaker = number[phones["owner"]]
        order = np.argsort(of_speaker, kind="stable")
        bounds = np.searchsorted(of_speaker[order], np.arange(len(names) + 1))
        for name, (first, last) in zip(names.tolist(), pairwise(bounds), strict=True):
            yield {"group": "speaker", "name": name} | _group(phones.iloc[order[first:last]], bins)
    inventory, resampling = case.counted.corpus.predicted_inventory.phones, case.counted.resampling
    right, shares, owner = _arrays(phones)
    values, codes = nce_values(right, shares), phones["code"].to_numpy()
    by_phone = TokenGroups(codes, len(inventory), owner, resampling)
    drawn, sums = by_phone.drawn(values), sums_by(codes, values, len(inventory))
    brier, clusters = by_phone.means(squared_distances(right, shares)), by_phone.clusters()[1].tolist()
    for code in np.unique(codes):
        row = {"group": "phone", "name": inventory[code]} | _group(phones[codes == code], bins)
        if sums[code, 0] >= LEAST:
            value, draws = float(nce_of_sums(sums[code])), nce_of_sums(drawn[:, code])
            nce = estimate(value, draws, resampling, kind="skill", clusters=clusters[code])
            row |= {"nce_low": nce.low, "nce_high": nce.high}
            row |= {"brier_low": brier[code].low, "brier_high": brier[code].high}
        yield row


def _group(phones: pd.DataFrame, bins: int) -> dict[str, object]:
    right, shares, _ = _arrays(phones)
    n = len(shares)
    enough, enough_binned = n >= LEAST, n >= LEAST_BINNED
    nce = calibrating.nist_nce(right, shares) if enough else np.nan
    notes = [
        "" if enough else f"fewer than {LEAST} phones: nothing is measured",
        f"fewer than {LEAST_BINNED} phones: too few to bin" if enough and not enough_binned else "",
        UNDEFINED if enough and np.isnan(nce) else "",
    ]
    return {
        "tokens": n,
        "correct": int(right.sum()),
        "accuracy": right.mean() if n else np.nan,
        "confidence": shares.mean() if n else np.nan,
        "nce": nce,
        "nce_binned": calibrating.binned_nce(right, shares, bins) if enough_binned else np.nan,
        "brier": calibrating.brier_score(right, shares) if enough else np.nan,
        "ece": calibrating.expected_calibration_error(right, shares, bins) if enough_binned else np.nan,
        "ece_calibrated": calibrating.calibrated_error(shares, bins) if enough_binned else np.nan,
        "note": joined(notes),
    }


def _calibration(
    source: str, phones: pd.DataFrame, binned: Binned, bins: int, resampling: Resampling
) -> Iterator[pd.DataFrame]:
    """Yield the parts of calibration.tsv: the bins of a source, of equal width and of equal mass."""
    right, shares, _ = _arrays(phones)
    freedom = float(freedom_of(resampling.effective))
    for binning, (_, sums, _) in binned.items():
        table = calibrating.reliability_table(right, shares, bins, binning, resampling.level)
        drawn = sums if resampling.number > 1 else sums[:0]
        number, hits, _ = np.moveaxis(drawn, -1, 0)
        tokens, share = table["tokens"].to_numpy(float), table["accuracy"].to_numpy(float)
        total, mean = tokens.sum(), np.nansum(share * tokens) / tokens.sum()
        pooled = _design_effect(hits.sum(axis=1), number.sum(axis=1), mean, total)
        effects = [_design_effect(*each) for each in zip(hits.T, number.T, share, tokens, strict=True)]
        effect = np.where(np.isfinite(effects), effects, pooled) * (freedom + 1) / freedom
        effective = np.where(tokens > 0, tokens / np.maximum(effect, 1.0), np.nan)  # phones, at most their number
        low, high = wilson(share, effective, resampling.level, freedom)
        table = table.assign(accuracy_low=low, accuracy_high=high, effective=effective)
        labels = pd.DataFrame({"source": source, "binning": binning}, index=table.index)
        yield pd.concat([labels, table], axis=1)


def _design_effect(right: Floats, number: Floats, share: float, tokens: float) -> float:
    """Return by how much an accuracy varies more over replicates than of as many independent phones, NaN if unknown."""
    seen = number > 0
    expected = share * (1 - share) / tokens if tokens else np.nan
    if seen.sum() < 2 or not expected > 0:
        return float("nan")
    return float((right[seen] / number[seen]).var(ddof=1) / expected)
