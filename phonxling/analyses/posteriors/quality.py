"""What posteriors say of the gold phone: the values of each gold token, from which rows and tables are made."""

from dataclasses import dataclass

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.posteriors.gold_labels import GoldLabels, gold_labels
from phonxling.analyses.scoring_rules import bits_of_truth, squared_distances
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.estimate import Estimate
from phonxling.core.means import FrameEntropy, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.count.frame_entropy import frame_entropy
from phonxling.resample.entropy_sums import shares_entropy
from phonxling.resample.sums import sums_by
from phonxling.resample.token_estimates import mean_of_tokens
from phonxling.resample.weights import Resampling
from phonxling.settings.sections import Confidence

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
    bits : float64 array [N]
        −log2 p(y|x), with probabilities below the floor taken as the floor.
    zero, low : bool array [N]
        Whether p(y|x) is 0, and whether it is below the floor.
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
        The least probability of `bits`.
    """

    tokens: TokenPosteriors
    labels: GoldLabels
    bits: Floats
    zero: Bools
    low: Bools
    brier: Floats
    entropy: Floats
    frames: FrameEntropy
    segments: PhoneSequences
    resampling: Resampling
    floor: float

    @property
    def owner(self) -> Codes:
        """Position of each token's utterance among the segments', [N]."""
        return self.tokens.utterances

    def mean_inside(self, values: Floats) -> Estimate:
        """Return the mean of values [N] over the tokens whose phone the recogniser has, with its interval."""
        inside = self.labels.inside
        return mean_of_tokens(values[inside], self.owner[inside], self.resampling)

    def sums_by_utterance(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the sum of values [N] over the same tokens of each utterance, and their number, [U] each."""
        inside = self.labels.inside
        pairs = np.stack([values[inside], np.ones(int(inside.sum()))], axis=1)
        total, number = sums_by(self.owner[inside], pairs, len(self.segments)).T
        return total, number


def token_quality(case: Case, settings: Confidence) -> TokenQuality:
    """Return the values of the case's tokens; forced ones are read once more, for the entropies of frames.

    DataError as for `gold_labels`.
    """
    tokens = case.token_posteriors
    labels = gold_labels(tokens, settings)
    bits, plain, brier, entropy = np.full((4, len(tokens)), np.nan)
    for first in range(0, len(tokens), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        rows, columns = tokens.rows[part].astype(np.float64, copy=False), labels.of_token[part]
        inside = columns >= 0
        entropy[part] = np.maximum(shares_entropy(rows), 0.0)
        rows, columns = rows[inside], columns[inside]
        plain[part][inside] = bits_of_truth(columns, rows)
        bits[part][inside] = bits_of_truth(columns, rows, settings.floor)
        brier[part][inside] = squared_distances(columns, rows)
    return TokenQuality(
        tokens=tokens,
        labels=labels,
        bits=bits,
        zero=np.isinf(plain),
        low=np.asarray(plain > bits),
        brier=brier,
        entropy=entropy,
        frames=tokens.entropy or frame_entropy(case.posteriorgrams, case.segments, case.work),
        segments=case.segments,
        resampling=case.token_resampling,
        floor=settings.floor,
    )
