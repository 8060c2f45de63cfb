"""The predicted phones' confidences, from their file or from posteriors, beside whether each phone is correct."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from phonxling.analyses.case.case import Case
from phonxling.analyses.confidence.calibration import (
    BINNINGS,
    Binning,
    Bins,
    bin_sums,
    binned_values,
    cut,
    ece_of_sums,
    error_of_calibrated,
)
from phonxling.core.alignment import CORRECT
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate, joined
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import Work
from phonxling.count.interval_confidence import interval_confidence
from phonxling.resample.intervals import estimate
from phonxling.resample.sums import replicate_group_sums
from phonxling.resample.weights import Resampling

Source = Literal["file", "posteriors"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Confidences:
    """The M predicted phones of a corpus that have a confidence, or why there is none.

    Parameters
    ----------
    source : {"file", "posteriors"}
        Where the confidences come from.
    correct : bool array [M]
        Whether each phone is correct in one best alignment.
    confidence : float64 array [M]
        0 to 1.
    codes : int array [M]
        Position of each in the predicted inventory.
    owner : int64 array [M]
        Position of its utterance in the corpus.
    missing : str
        Why there are no confidences, "" when there are.
    note : str
        Which predicted phones are not among them.
    """

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
    """Confidences in bins: their cuts, and the sums of the bins over each replicate, [R, B, 3] as of `bin_sums`.

    `calibrated` is the mean ECE, and its standard deviation, if they were exactly right.
    """

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
    """Return ECE with its interval, from 0 on where a perfectly calibrated recogniser could well have as much.

    Of that ECE's distribution: no more than its mean and z standard deviations, were phones independent.
    """
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
