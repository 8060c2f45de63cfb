"""The corpus' bootstrap weights for the utterances that have posteriors, in the order of their segments."""

import numpy as np

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.core.sequences import PhoneSequences, contents_of, numbered_speakers
from phonxling.resample.weights import Resampling, resampling
from phonxling.settings.models import Experiment


def token_resampling(segments: PhoneSequences, analysis: AnalysedCorpus | None, experiment: Experiment) -> Resampling:
    """Return the weights of these utterances: those of the corpus' analysis where it has them all, else their own.

    With the analysis' weights a cluster none of whose utterances has posteriors is drawn too, and adds nothing.
    """
    settings = experiment.uncertainty
    if analysis is not None:
        places = {utterance: place for place, utterance in enumerate(analysis.corpus.utterances)}
        if all(utterance in places for utterance in segments.utterances):
            chosen = np.array([places[utterance] for utterance in segments.utterances], dtype=np.int64)
            return analysis.resampling.at(chosen)
    speakers = segments.speakers if settings.cluster == "speaker" else None
    numbers = None if speakers is None else numbered_speakers(speakers, contents_of(segments).tolist())
    return resampling(
        len(segments),
        numbers,
        resamples=settings.resamples,
        level=settings.level,
        seed=experiment.seed,
        method=settings.method,
        tokens=segments.lengths.astype(np.float64),
        names=segments.utterances if speakers is None else speakers,
        speakers_unknown=speakers is None and settings.cluster == "speaker",
    )
