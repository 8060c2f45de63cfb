"""The bootstrap weights of a corpus, and of its utterances that have posteriors, in the order of their segments."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phonxling.core.arrays import Codes
from phonxling.core.sequences import PhoneSequences, contents_of, numbered_speakers
from phonxling.resample.weights import Resampling, resampling
from phonxling.settings.models import Experiment

if TYPE_CHECKING:
    from phonxling.analyses.case.analysed import AnalysedCorpus


def corpus_resampling(
    gold: PhoneSequences, speakers: Sequence[str] | None, numbers: Codes | None, experiment: Experiment
) -> Resampling:
    """Return weights over speakers, of which each utterance has one by name and by number, or over utterances."""
    settings = experiment.uncertainty
    by_speaker = settings.cluster == "speaker" and speakers is not None
    return resampling(
        len(gold),
        numbers if by_speaker else None,
        resamples=settings.resamples,
        level=settings.level,
        seed=experiment.seed,
        method=settings.method,
        tokens=gold.lengths.astype(np.float64),
        names=speakers if by_speaker else gold.utterances,
        speakers_unknown=settings.cluster == "speaker" and speakers is None,
    )


def token_resampling(segments: PhoneSequences, analysis: "AnalysedCorpus | None", experiment: Experiment) -> Resampling:
    """Return the weights of these utterances: those of the corpus' analysis where it has them all, else their own.

    With the analysis' weights a cluster none of whose utterances has posteriors is drawn too, and adds nothing.
    """
    if analysis is not None:
        places = {utterance: place for place, utterance in enumerate(analysis.corpus.utterances)}
        if all(utterance in places for utterance in segments.utterances):
            chosen = np.array([places[utterance] for utterance in segments.utterances], dtype=np.int64)
            return analysis.resampling.at(chosen)
    speakers = segments.speakers
    numbers = None if speakers is None else numbered_speakers(speakers, contents_of(segments).tolist())
    return corpus_resampling(segments, speakers, numbers, experiment)
