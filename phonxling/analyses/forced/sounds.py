"""What gold phones sound like to the recogniser, as learned from its posteriors, beside the confusion matrix.

The share of a gold phone's frames that is heard as the recogniser's phone e, silence and blank left out, comes about
without an alignment of symbols, so that it checks the confusion matrix, whose rows rest on one. M(e|y), by which frames
are aligned, is that share drawn towards the start; phones with few frames stay near it.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.forced.corpus import sounds_of
from phonxling.analyses.forced.reading import ForcedCorpus
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.entropy_sums import shares_entropy
from phonxling.tables.files import table_of


@dataclass(frozen=True, eq=False, kw_only=True)
class Sounds:
    """G gold phones with what they sound like, and with what they are aligned with, over the same E phones.

    Parameters
    ----------
    gold, heard : Inventory
        G gold phones, and E phones that the recogniser has or predicted.
    tokens : float64 array [G]
        Gold tokens that were aligned with the posteriors.
    certainty : float64 array [G]
        Their mean certainty.
    frames : float64 array [G]
        Their expected frames that are heard as phones.
    heard_as, model, confused : float64 array [G, E]
        Share of the frames, M(e|y), and P(e|y) of the confusion matrix without deletions; NaN where a phone has none.
    """

    gold: Inventory
    heard: Inventory
    tokens: Floats
    certainty: Floats
    frames: Floats
    heard_as: Floats
    model: Floats
    confused: Floats

    @property
    def divergence(self) -> Floats:
        """Jensen–Shannon divergence of the two rows of each phone, [G] bits in [0, 1]; NaN without one of them."""
        middle = (self.heard_as + self.confused) / 2
        own = (shares_entropy(self.heard_as) + shares_entropy(self.confused)) / 2
        return np.asarray(np.clip(shares_entropy(middle) - own, 0, 1))

    @property
    def correlation(self) -> float:
        """Spearman's ρ of the two over all cells of phones that have both; NaN where nothing varies."""
        both = ~np.isnan(self.confused[:, 0]) & ~np.isnan(self.heard_as[:, 0])
        first, second = self.heard_as[both].ravel(), self.confused[both].ravel()
        varies = len(set(first)) > 1 < len(set(second))
        return float(scipy.stats.spearmanr(first, second).statistic) if varies else np.nan


def sounds_beside(forced: ForcedCorpus, matrix: ConfusionMatrix | None) -> Sounds:
    """Return what a corpus' gold phones sound like, beside its confusion matrix where there is one."""
    model, segments = forced.learned.model, forced.forced.segments
    heard = model.recogniser if matrix is None else merge(model.recogniser, matrix.predicted)
    gold, size = segments.inventory, len(segments.inventory)
    tokens = np.bincount(segments.codes, minlength=size).astype(np.float64)
    certainty = np.bincount(segments.codes, weights=forced.forced.certainty, minlength=size)
    shares, probabilities = np.zeros((2, size, len(heard)))
    columns = [heard.code(phone) for phone in model.recogniser]
    shares[:, columns], probabilities[:, columns] = sounds_of(forced.learned), model.probabilities
    shares[np.isnan(shares).any(axis=1)] = np.nan
    confused = np.full(shares.shape, np.nan)
    if matrix is not None:
        every = matrix.reindex(merge(gold, matrix.gold), heard)
        counts = every.substitutions[[every.gold.code(phone) for phone in gold]]
        confused = divided(counts, counts.sum(axis=1, keepdims=True))
    return Sounds(
        gold=gold,
        heard=heard,
        tokens=tokens,
        certainty=divided(certainty, tokens),
        frames=forced.learned.counts.sum(axis=1),
        heard_as=shares,
        model=probabilities,
        confused=confused,
    )


def cell_table(sounds: Sounds) -> pd.DataFrame:
    """Return sounds_like.tsv: every gold phone with every phone that it can be heard as."""
    return pd.DataFrame(
        {
            "gold": np.repeat(sounds.gold.phones, len(sounds.heard)),
            "recognised": np.tile(sounds.heard.phones, len(sounds.gold)),
            "probability": sounds.heard_as.ravel(),
            "model": sounds.model.ravel(),
            "p_predicted_given_gold": sounds.confused.ravel(),
        }
    )


def phone_table(sounds: Sounds, uncertain: Codes) -> pd.DataFrame:
    """Return forced.tsv: each gold phone's tokens and how certain their times are, and what it sounds like most."""
    known, divergence = sounds.frames > 0, sounds.divergence
    shares = np.nan_to_num(sounds.heard_as)
    first, entropy = shares.argmax(axis=1), shares_entropy(shares)
    rows = (
        {
            "phone": phone,
            "tokens": int(sounds.tokens[code]),
            "certainty": sounds.certainty[code],
            "uncertain": int(uncertain[code]),
            "frames": sounds.frames[code],
            "sounds_like": sounds.heard.phones[first[code]] if known[code] else "",
            "probability": sounds.heard_as[code, first[code]],
            "entropy": entropy[code] if known[code] else np.nan,
            "divergence": divergence[code],
        }
        for code, phone in enumerate(sounds.gold)
    )
    return table_of("forced", rows)
