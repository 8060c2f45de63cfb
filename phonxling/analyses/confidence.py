"""How far confidences can be trusted: NCE, Brier score and calibration error, with their intervals.

The confidences of the predicted phones are those of their file, and those that posteriors give to the intervals of the
phones. A phone is correct or wrong by the best alignment. `calibration.py` has the measures.
"""

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
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import CORRECT
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.count.posteriors import interval_confidence
from phonxling.resample.jackknife import Clusters, limits_of_rows
from phonxling.resample.shares import with_wilson
from phonxling.resample.tokens import TokenGroups, mean_of_tokens
from phonxling.settings.models import Confidence
from phonxling.tables.files import table_of

Binned = dict[Binning, tuple[calibrating.Bins, Floats]]  # cuts, and `bin_sums` of each group of clusters, [C, B, 3]

LEAST, LEAST_BINNED = 20, 100  # phones that a group needs for NCE and Brier, and for what bins it
FEW = 10  # phones, right or wrong, below which a number is said to rest on few
_MISSING = (("nce", ""), ("brier", ""), ("ece", "width"), ("ece_calibrated", "width"))
_NO_INTERVAL = "no interval: chance differences within bins count as errors; see ece_calibrated"
_PERFECT = "does not differ clearly from perfect calibration"


def confidence(case: Case, settings: Confidence) -> Items:
    """Yield the rows of each source of confidences, confidence.tsv and calibration.tsv."""
    clusters, bins = case.counted.clusters, settings.bins
    groups: list[dict[str, object]] = []
    calibration: list[pd.DataFrame] = []
    for source, phones, missing, note in [*confidences(case)]:  # what was read to make them is no longer held
        binned = {} if missing else in_bins(phones, bins, clusters)
        yield from _rows(case, source, phones, binned, missing=missing, note=note, first=not calibration)
        if binned:
            groups += ({"source": source, **row} for row in _groups(case, phones, bins))
            calibration += calibration_tables(source, phones, binned, bins, clusters)
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


def in_bins(phones: pd.DataFrame, bins: int, clusters: Clusters) -> Binned:
    """Return the cuts of bins of equal width and mass, and the sums of each group of clusters in them."""
    right, shares, owner = _arrays(phones)
    values, binned = calibrating.binned_values(right, shares), {}
    for by in BINNINGS:
        edges, places = cuts = calibrating.cut(shares, bins, by)
        binned[by] = cuts, TokenGroups(places, len(edges) - 1, owner, clusters).by_cluster(values)
    return binned


def _arrays(phones: pd.DataFrame) -> tuple[NDArray[np.bool_], Floats, Codes]:
    return phones["correct"].to_numpy(), phones["confidence"].to_numpy(), phones["owner"].to_numpy()


def _rows(
    case: Case, source: str, phones: pd.DataFrame, binned: Binned, *, missing: str, note: str, first: bool
) -> Iterator[Row]:
    """Yield NCE and ECE of one source, with binned NCE, Brier score and calibrated ECE of the first; or why not."""
    clusters, n = case.counted.clusters, len(phones)
    right, shares, owner = _arrays(phones)
    hits = int(right.sum())
    kind, number = min(("correct", hits), ("wrong", n - hits), key=lambda pair: pair[1])
    few = f"rests on {number} {kind} phones only" if 0 < number < FEW else ""
    note = joined([missing or note, few])
    prefix = "posteriors " if source == "posteriors" else ""
    if missing:
        yield from (row_of(name, np.nan, n, f"{prefix}{own}".strip(), note) for name, own in _MISSING)
        return
    nce = calibrating.nce_estimate(nce_values(right, shares), owner, clusters)
    undefined = UNDEFINED if np.isnan(nce.value) else ""
    yield row_of("nce", nce, n, prefix.strip(), undefined, note)
    cuts, sums = binned["width"]
    whole = sums.sum(axis=0)
    mean, deviation = calibrating.error_of_calibrated(shares, cuts)
    ece = Estimate(float(calibrating.ece_of_sums(whole)), status="undefined", note=_NO_INTERVAL)
    perfect = bool(ece.value <= mean + scipy.special.ndtri((1 + clusters.level) / 2) * deviation)
    yield row_of("ece", ece, n, f"{prefix}width", _PERFECT * perfect, note)
    if not first:
        return
    gain = float(calibrating.binned_nce_of_sums(whole))
    seen = (
        undefined or f"each of {len(whole)} bins has its own accuracy, seen on the same phones: too high, no interval"
    )
    yield row_of("nce", Estimate(gain, status="undefined"), n, f"{prefix}binned", seen, note)
    yield row_of("ece_calibrated", mean, n, f"{prefix}width", "expected if perfectly calibrated")
    brier = mean_of_tokens(squared_distances(right, shares), owner, clusters)
    yield row_of("brier", brier, n, prefix.strip(), note)


def _groups(case: Case, phones: pd.DataFrame, bins: int) -> Iterator[dict[str, object]]:
    """Yield the rows of confidence.tsv: each speaker and each predicted phone."""
    if (speakers := case.counted.corpus.speakers) is not None:
        names, number = np.unique(np.array(speakers), return_inverse=True)
        of_speaker = number[phones["owner"]]
        order = np.argsort(of_speaker, kind="stable")
        bounds = np.searchsorted(of_speaker[order], np.arange(len(names) + 1))
        for name, (first, last) in zip(names.tolist(), pairwise(bounds), strict=True):
            yield {"group": "speaker", "name": name} | _group(phones.iloc[order[first:last]], bins)
    inventory, clusters = case.counted.corpus.predicted_inventory.phones, case.counted.clusters
    right, shares, owner = _arrays(phones)
    codes = phones["code"].to_numpy()
    by_phone = TokenGroups(codes, len(inventory), owner, clusters)
    sums = by_phone.by_cluster(nce_values(right, shares))
    total, sizes = sums.sum(axis=0), np.ascontiguousarray(sums[..., 0].T)
    nce = limits_of_rows(nce_of_sums(total), nce_of_sums(total - sums).T, sizes, clusters, "skill")
    brier = by_phone.means(squared_distances(right, shares))
    for code in np.unique(codes):
        own = phones[codes == code]
        row = {"group": "phone", "name": inventory[code]} | _group(own, bins)
        if len(own) >= LEAST:
            row |= {"nce_low": nce[0][code], "nce_high": nce[1][code]}
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


def calibration_tables(
    source: str, phones: pd.DataFrame, binned: Binned, bins: int, clusters: Clusters
) -> Iterator[pd.DataFrame]:
    """Yield the parts of calibration.tsv: the bins of a source, of equal width and of equal mass."""
    right, shares, _ = _arrays(phones)
    for binning, (_, sums) in binned.items():
        table = calibrating.reliability_table(right, shares, bins, binning, clusters.level)
        tokens, events = (np.ascontiguousarray(sums[..., place].T) for place in (0, 1))
        without, rest = (side.sum(axis=1, keepdims=True) - side for side in (events, tokens))
        own = limits_of_rows(table["accuracy"].to_numpy(float), divided(without, rest), tokens, clusters, "share")
        low, high = with_wilson(events, tokens, own, clusters.level)
        labels = pd.DataFrame({"source": source, "binning": binning}, index=table.index)
        yield pd.concat([labels, table.assign(accuracy_low=low, accuracy_high=high)], axis=1)
