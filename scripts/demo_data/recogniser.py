"""A phone recogniser that knows English alone: a frame classifier, and what it learns about sequences of phones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier

from .features import FRAME_SHIFT, context_rows, log_mel
from .speech import Utterance, with_noise
from .symbols import ARPABET_SILENCE, ARPABET_TO_IPA
from .timing import SILENCE, Interval

PHONES = (*ARPABET_TO_IPA, ARPABET_SILENCE)
_COLUMN = {ipa: column for column, ipa in enumerate((*ARPABET_TO_IPA.values(), SILENCE))}

_LAYERS = (512, 256)
_BATCHES = (512, 512, 512, 2048, 8192)  # one an epoch; larger ones settle, as a falling rate of learning would
_CHUNK = 20_000  # frames whose neighbours are held in memory at a time

_SMALLEST = 2e-3  # smaller probabilities are written as 0, which makes the files smaller
_FLOOR = 1e-3  # of a probability in the score of a path
_ACOUSTIC_SCALE = 0.3  # neighbouring frames are far from independent
_PRIOR_SCALE = 0.7
_SHORTEST = 3  # frames that a phone lasts at least
_LOG_STAY, _LOG_LEAVE = np.log(0.6), np.log(0.4)


@dataclass(frozen=True)
class Recognised:
    """A recognised phone: its column, first frame, the frame after its last, and its mean posterior."""

    column: int
    start: int
    end: int
    confidence: float


@dataclass(frozen=True)
class Recogniser:
    """The classifier of frames with their neighbours, and what it learned of phones and of pairs of them."""

    classifier: MLPClassifier
    log_priors: NDArray[np.float64]
    log_transitions: NDArray[np.float64]

    def hear(self, utterance: Utterance, rng: np.random.Generator) -> tuple[NDArray[np.float16], list[Recognised]]:
        """Return the posteriors [frames, phones] of an utterance and the phones recognised from them."""
        mel = log_mel(utterance.samples, rng)
        probabilities = self.classifier.predict_proba(_with_neighbours(mel, context_rows(len(mel))))
        posteriors = _sparse(probabilities)
        likelihoods = np.log(np.maximum(probabilities, _FLOOR)) - _PRIOR_SCALE * self.log_priors
        return posteriors, _decoded(_ACOUSTIC_SCALE * likelihoods, self.log_transitions, posteriors)


def train(utterances: Sequence[Utterance], rng: np.random.Generator) -> Recogniser:
    """Train on English speech, half of it with noise added."""
    features = [log_mel(with_noise(utterance.samples, rng), rng) for utterance in utterances]
    labels = np.concatenate(
        [frame_labels(utterance.phones, len(mel)) for utterance, mel in zip(utterances, features, strict=True)]
    )
    lengths = [len(mel) for mel in features]
    firsts = np.cumsum([0, *lengths[:-1]], dtype=np.int32)
    rows = np.concatenate([context_rows(length) + first for length, first in zip(lengths, firsts, strict=True)])
    classifier = _train_classifier(np.concatenate(features), rows, labels, rng)
    log_priors = np.log((np.bincount(labels, minlength=len(PHONES)) + 1) / (len(labels) + len(PHONES)))
    return Recogniser(classifier, log_priors, _log_transitions(utterances))


def frame_labels(phones: Sequence[Interval], frames: int) -> NDArray[np.int64]:
    """Return the column of the English phone at the middle of each frame."""
    middles = (np.arange(frames) + 0.5) * FRAME_SHIFT
    places = np.searchsorted([phone.start for phone in phones], middles, side="right") - 1
    return np.array([_COLUMN[phone.phone] for phone in phones])[places]


def _train_classifier(
    mel: NDArray[np.float32], rows: NDArray[np.int32], labels: NDArray[np.int64], rng: np.random.Generator
) -> MLPClassifier:
    seed = int(rng.integers(2**31))
    classifier = MLPClassifier(_LAYERS, alpha=1e-5, random_state=seed)
    for batch in _BATCHES:
        classifier.set_params(batch_size=batch)
        for chosen in np.array_split(rng.permutation(len(labels)), -(-len(labels) // _CHUNK)):
            frames = _with_neighbours(mel, rows[chosen])
            classifier.partial_fit(frames, labels[chosen], classes=np.arange(len(PHONES)))
    return classifier


def _with_neighbours(mel: NDArray[np.float32], rows: NDArray[np.int32]) -> NDArray[np.float32]:
    return mel[rows].reshape(len(rows), -1)


def _log_transitions(utterances: Sequence[Utterance]) -> NDArray[np.float64]:
    counts = np.ones((len(PHONES), len(PHONES)))
    for utterance in utterances:
        columns = [_COLUMN[phone.phone] for phone in utterance.phones]
        np.add.at(counts, (columns[:-1], columns[1:]), 1)
    return np.log(counts / counts.sum(1, keepdims=True))


def _sparse(probabilities: NDArray[np.floating]) -> NDArray[np.float16]:
    """Write small probabilities as 0; rows sum to 1 again before they are rounded."""
    kept = np.where(probabilities < _SMALLEST, 0, probabilities).astype(np.float64)
    return (kept / kept.sum(1, keepdims=True)).astype(np.float16)


def _decoded(
    scores: NDArray[np.floating], log_transitions: NDArray[np.float64], posteriors: NDArray[np.floating]
) -> list[Recognised]:
    """Return the phones of the best path by log scores [frames, phones]; posteriors give their confidence.

    Each phone is a chain of states, one a frame, of which only the last may repeat.
    """
    frames, phones = scores.shape
    chain = np.full((phones, _SHORTEST), -np.inf)
    chain[:, 0] = scores[0]
    stayed = np.zeros((frames, phones), dtype=bool)  # in its last state, from the frame before
    came_from = np.zeros((frames, phones), dtype=np.intp)  # phone before the one that starts in this frame
    for frame in range(1, frames):
        entries = (chain[:, -1] + _LOG_LEAVE)[:, None] + log_transitions
        came_from[frame] = entries.argmax(0)
        repeated = chain[:, -1] + _LOG_STAY
        stayed[frame] = repeated > chain[:, -2]
        last = np.maximum(repeated, chain[:, -2])
        chain = np.column_stack([entries.max(0), chain[:, :-2], last]) + scores[frame][:, None]
    return _trace(int(chain[:, -1].argmax()), stayed, came_from, posteriors)


def _trace(
    column: int, stayed: NDArray[np.bool_], came_from: NDArray[np.intp], posteriors: NDArray[np.floating]
) -> list[Recognised]:
    recognised = []
    end = len(stayed)
    while end > 0:
        frame = end - 1
        while stayed[frame, column]:
            frame -= 1
        start = frame - (_SHORTEST - 1)
        confidence = posteriors[start:end, column].mean(dtype=np.float64)
        recognised.append(Recognised(column, start, end, float(confidence)))
        end, column = start, int(came_from[start, column])
    return recognised[::-1]
