"""How far confidences can be trusted: NCE, Brier score and calibration error, with their intervals."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from phonxling.analyses.calibration import (
    BINNINGS,
    UNDEFINED,
    Binning,
    Bins,
    bin_sums,
    binned_nce,
    binned_nce_of_sums,
    binned_values,
    calibrated_error,
    cut,
    ece_of_sums,
    error_of_calibrated,
    expected_calibration_error,
    nce_estimate,
    nce_of_sums,
    nce_values,
    nist_nce,
    reliability_table,
)
from phonxling.analyses.case import Case, Items
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.scoring_rules import brier_score, squared_distances
from phonxling.core.alignment import CORRECT
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import Work
from phonxling.count.posteriors import interval_confidence
from phonxling.resample.information_interval import mean_of_tokens, means_by_group
from phonxling.resample.intervals import estimate
from phonxling.resample.proportion import wilson
from phonxling.resample.replicates import clusters_with, replicate_group_sums, sums_by
from phonxling.resample.student import freedom_of
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Confidence
from phonxling.tables.files import table_of

# The predicted phones' confidences, from their file or from posteriors, beside whether each phone is correct.

Source = Literal["file", "posteriors"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Confidences:
    """The M predicted phones of a corpus that have a confidence, or why there is none."""

    source: Source
    correct: Bools
    confidence: Floats
    codes: NDArray[np.integer]
    owner: Codes
    missing: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.confidence)

    def variant(self, name: str = "") -> str:
        """Return the variant of a row; those of confidences from posteriors begin with `posteriors`."""
        return f"posteriors {name}".strip() if self.source == "posteriors" else name


def confidences(case: Case) -> Iterator[Confidences]:
    """Yield the confidences of the file, or why there are none, and those from posteriors when the corpus has any."""
    path, predicted, posteriors = case.counted.by_costs, case.counted.corpus.predicted, case.loaded.posteriorgrams
    is_predicted = path.predicted < len(path.predicted_inventory)
    # an alignment spells the predictions in their order, so its predicted side runs beside the confidences
    phones = Confidences(
        source="file",
        correct=path.operations[is_predicted] == CORRECT,
        confidence=np.broadcast_to(np.nan, int(is_predicted.sum())),
        codes=predicted.codes,
        owner=predicted.token_utterances(),
    )
    if predicted.confidence is not None:
        yield replace(phones, confidence=predicted.confidence)
    else:
        beside = "" if posteriors is None else "; those from posteriors are in details.tsv"
        yield replace(phones, missing=f"the predictions have no confidences{beside}")
    if posteriors is not None:
        yield _from_posteriors(posteriors, predicted, replace(phones, source="posteriors"), case.work)


@dataclass(frozen=True, eq=False)
class Binned:
    """Confidences in bins: their cuts, and the sums of the bins over each replicate, [R, B, 3] as of `bin_sums`."""

    cuts: Bins
    drawn: Floats
    calibrated: tuple[float, float]


def in_bins(source: Confidences, bins: int, resampling: Resampling) -> dict[Binning, Binned]:
    """Return the confidences of a source in bins of equal width, and of equal mass."""
    values = binned_values(source.correct, source.confidence)
    cuts = {by: cut(source.confidence, bins, by) for by in BINNINGS}
    return {
        by: Binned(
            own,
            replicate_group_sums(values, own.places, groups=len(own), owner=source.owner, resampling=resampling),
            error_of_calibrated(source.confidence, own),
        )
        for by, own in cuts.items()
    }


def ece_estimate(source: Confidences, binned: Binned, resampling: Resampling) -> Estimate:
    """Return ECE with its interval, from 0 on where a perfectly calibrated recogniser could well have as much."""
    sums = bin_sums(source.correct, source.confidence, binned.cuts)
    number = estimate(float(ece_of_sums(sums)), ece_of_sums(binned.drawn), resampling, biased=True).within(0, 1)
    mean, deviation = binned.calibrated
    if math.isnan(number.low) or number.value > mean + scipy.special.ndtri((1 + resampling.level) / 2) * deviation:
        return number
    return replace(number, low=0.0, note=joined([number.note, "not told apart from perfect calibration"]))


def _from_posteriors(
    posteriors: Posteriorgrams, predicted: PhoneSequences, phones: Confidences, work: Work
) -> Confidences:
    if predicted.start is None:
        why = "the predictions have no times, and posteriors cannot be tied to them without"
        return replace(phones, missing=why)
    scored = set(posteriors.utterances)
    chosen = np.array([place for place, name in enumerate(predicted.utterances) if name in scored], dtype=np.int64)
    chosen_phones = predicted.select(chosen)
    confidence = np.full(len(phones), np.nan)
    try:
        shares = interval_confidence(replace(posteriors, utterances=chosen_phones.utterances), chosen_phones, work)
    except DataError as error:
        return replace(phones, missing=str(error))
    confidence[predicted.token_order(chosen)] = shares
    foreign = np.array([phone not in posteriors.inventory for phone in predicted.inventory], dtype=bool)
    return _with_confidence(replace(phones, confidence=confidence), foreign[phones.codes])


def _with_confidence(phones: Confidences, foreign: Bools) -> Confidences:
    """Return the phones that have a confidence, and note how many have none; foreign ones are no column, [M]."""
    defined = ~np.isnan(phones.confidence)
    columnless = int(foreign.sum())
    lost = int((~defined).sum()) - columnless
    why = "no frame in their interval, or silence alone"
    notes = [
        f"{lost} predicted phones are left out: {why}" if lost > 0 else "",
        f"{columnless} predicted phones are left out: no column of the posteriors" if columnless > 0 else "",
    ]
    return replace(
        phones,
        correct=phones.correct[defined],
        confidence=phones.confidence[defined],
        codes=phones.codes[defined],
        owner=phones.owner[defined],
        missing="" if defined.any() else "no predicted phone has a frame in its interval",
        note=joined(notes),
    )


# confidence.tsv, by speaker and by predicted phone, and calibration.tsv, by bin of confidence.

LEAST, LEAST_BINNED = 20, 100  # phones that a group needs for NCE and Brier, and for what bins it


def confidence_table(case: Case, sources: Sequence[Confidences], bins: int) -> pd.DataFrame:
    """Return confidence.tsv: each speaker and each predicted phone, by source of confidences."""
    return table_of("confidence", [row for source in sources for row in _tables_rows(case, source, bins)])


def _tables_rows(case: Case, source: Confidences, bins: int) -> Iterator[dict[str, object]]:
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
    """Return calibration.tsv: the bins of each source, of equal width and of equal mass."""
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
    """Yield NCE and ECE of one source, with binned NCE, Brier score and calibrated ECE of the first; or why not."""
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
