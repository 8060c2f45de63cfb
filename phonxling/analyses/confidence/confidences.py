"""The predicted phones' confidences, from their file or from posteriors, beside whether each phone is correct."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.core.alignment import CORRECT
from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences
from phonxling.count.interval_confidence import posterior_confidence

Floats = NDArray[np.float64]
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
    correct: NDArray[np.bool_]
    confidence: Floats
    codes: NDArray[np.integer]
    owner: NDArray[np.int64]
    missing: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.confidence)


def confidences(loaded: LoadedCorpus, analysis: AnalysedCorpus) -> Iterator[Confidences]:
    """Yield the confidences of the file, and those from posteriors when the corpus has any; the two are never mixed."""
    path, predicted = analysis.path, analysis.corpus.predicted
    heard = path.predicted < len(path.predicted_inventory)
    # an alignment spells the predictions in their order, so its predicted side runs beside the confidences
    every = Confidences(
        source="file",
        correct=path.operations[heard] == CORRECT,
        confidence=np.full(int(heard.sum()), np.nan),
        codes=predicted.codes,
        owner=predicted.token_utterances(),
    )
    if predicted.confidence is not None:
        yield replace(every, confidence=predicted.confidence)
    elif loaded.posteriorgrams is None:
        yield _none(every, "the predictions have no confidences")
    if loaded.posteriorgrams is not None:
        yield _from_posteriors(loaded, predicted, replace(every, source="posteriors"))


def _from_posteriors(loaded: LoadedCorpus, predicted: PhoneSequences, every: Confidences) -> Confidences:
    assert loaded.posteriorgrams is not None  # noqa: S101 - seen to by the caller; for the type checker
    if predicted.start is None:
        return _none(every, "the predictions have no times, and posteriors cannot be tied to them without")
    scored = set(loaded.posteriorgrams.utterances)
    chosen = np.array([place for place, name in enumerate(predicted.utterances) if name in scored], dtype=np.int64)
    heard = predicted.select(chosen)
    posteriors = replace(loaded.posteriorgrams, utterances=heard.utterances)
    given = np.full(len(every), np.nan)
    try:
        given[predicted.token_order(chosen)] = posterior_confidence(posteriors, heard)
    except DataError as error:
        return _none(every, str(error))
    return _known(every, given, posteriors.inventory.phones, predicted.inventory.phones)


def _known(every: Confidences, given: Floats, columns: tuple[str, ...], phones: tuple[str, ...]) -> Confidences:
    """Return the phones that have a confidence, and note how many have none."""
    foreign = np.array([phone not in columns for phone in phones], dtype=bool)[every.codes]
    kept = ~np.isnan(given)
    other = int(foreign.sum())
    lost = int((~kept).sum()) - other
    told = {
        f"{lost} predicted phones are left out: no frame in their interval, or silence alone": lost > 0,
        f"{other} predicted phones are left out: no column of the posteriors": other > 0,
    }
    return replace(
        every,
        correct=every.correct[kept],
        confidence=given[kept],
        codes=every.codes[kept],
        owner=every.owner[kept],
        missing="" if kept.any() else "no predicted phone has a frame in its interval",
        note="; ".join(text for text, tell in told.items() if tell),
    )


def _none(every: Confidences, why: str) -> Confidences:
    return replace(every, missing=why)
