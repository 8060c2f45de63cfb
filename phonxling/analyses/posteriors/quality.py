"""What posteriors say of the gold phone: the values of each gold token, from which rows and tables are made."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.token_resampling import token_resampling
from phonxling.analyses.posteriors.gold_labels import GoldLabels, gold_labels
from phonxling.analyses.scoring_rules import bits_of_truth, squared_distances
from phonxling.core.means import TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.count.frame_entropy import FrameEntropy, frame_entropy
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment

Floats = NDArray[np.float64]
_TOGETHER = 1 << 16  # tokens whose rows are worked on at one time


@dataclass(frozen=True, eq=False, kw_only=True)
class TokenQuality:
    """The values of N gold tokens with frames; NaN where the recogniser does not have the phone.

    Parameters
    ----------
    tokens : TokenPosteriors
        The tokens.
    labels : GoldLabels
        Which of the recogniser's phones each is.
    bits, floored : float64 array [N]
        −log2 p(y|x), and the same with probabilities below the floor taken as the floor.
    brier : float64 array [N]
        Σ_e (p_e − 1{e = y})².
    entropy : float64 array [N]
        H of the token's posterior in bits.
    frames : FrameEntropy
        H of the frames, summed by gold token of the segments (tokens without frames too).
    segments : PhoneSequences
        The gold tokens with times.
    resampling : Resampling
        The corpus' weights, for the utterances of the segments.
    floor : float
        The least probability of `floored`.
    """

    tokens: TokenPosteriors
    labels: GoldLabels
    bits: Floats
    floored: Floats
    brier: Floats
    entropy: Floats
    frames: FrameEntropy
    segments: PhoneSequences
    resampling: Resampling
    floor: float

    @property
    def owner(self) -> NDArray[np.int64]:
        """Position of each token's utterance among the segments', [N]."""
        return self.tokens.utterances

    @property
    def zero(self) -> NDArray[np.bool_]:
        """Whether the gold phone has the probability 0, [N]."""
        return np.isinf(self.bits)

    @property
    def low(self) -> NDArray[np.bool_]:
        """Whether the floor changes the token's probability, [N]."""
        return np.asarray(self.bits > self.floored)


def token_quality(
    loaded: LoadedCorpus, tokens: TokenPosteriors, analysis: AnalysedCorpus | None, experiment: Experiment
) -> TokenQuality:
    """Return the values of one corpus' tokens; the posteriors are read once more, for the entropies of frames.

    DataError as for `gold_labels`.
    """
    assert loaded.segments is not None  # noqa: S101 - a corpus with token posteriors has both
    assert loaded.posteriorgrams is not None  # noqa: S101
    labels = gold_labels(tokens, experiment)
    floor = experiment.confidence.floor
    bits, floored, brier, entropy = np.full((4, len(tokens)), np.nan)
    for first in range(0, len(tokens), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        rows, named = tokens.rows[part], labels.of_token[part]
        inside = named >= 0
        entropy[part] = _entropies(rows)
        rows, named = rows[inside], named[inside]
        bits[part][inside] = bits_of_truth(named, rows)
        floored[part][inside] = bits_of_truth(named, rows, floor)
        brier[part][inside] = squared_distances(named, rows)
    return TokenQuality(
        tokens=tokens,
        labels=labels,
        bits=bits,
        floored=floored,
        brier=brier,
        entropy=entropy,
        frames=frame_entropy(loaded.posteriorgrams, loaded.segments),
        segments=loaded.segments,
        resampling=token_resampling(loaded.segments, analysis, experiment),
        floor=floor,
    )


def _entropies(rows: Floats) -> Floats:
    return np.asarray(np.maximum(-(rows * np.log2(np.where(rows > 0, rows, 1.0))).sum(axis=1), 0.0))
