"""The analysis of forced times: how certain they are, what phones sound like, and what aligning gains by itself.

What gold phones sound like to the recogniser, as learned from its posteriors, beside the confusion matrix.

The share of a gold phone's frames that is heard as the recogniser's phone e, silence and blank left out, comes about
without an alignment of symbols, so that it checks the confusion matrix, whose rows rest on one. M(e|y), by which frames
are aligned, is that share drawn towards the start; phones with few frames stay near it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.case import Case, Items
from phonxling.analyses.forced_corpus import ForcedCorpus, sound_information, sounds_of
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.entropy_sums import shares_entropy
from phonxling.resample.information_interval import mean_of_tokens
from phonxling.settings.sections import Forced
from phonxling.tables.files import table_of

# What gold phones sound like to the recogniser, as learned from its posteriors, beside the confusion matrix.


@dataclass(frozen=True, eq=False, kw_only=True)
class Sounds:
    """G gold phones with what they sound like, and with what they are aligned with, over the same E phones."""

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


def forced(case: Case, _: Forced) -> Items:
    """Yield sounds_like.tsv, forced.tsv, and rows on them; nothing for a corpus whose gold has times of its own."""
    if case.forced is None:
        return
    sounds = sounds_beside(case.forced, None if case.aligned is None else case.aligned.matrix)
    yield "sounds_like", cell_table(sounds)
    yield "forced", phone_table(sounds, case.forced.uncertain)
    yield from _certainty(case, case.forced)
    yield from _beside_confusions(case, sounds)
    yield from _beside_unrelated(case, case.forced)


def _certainty(case: Case, found: ForcedCorpus) -> Iterator[Row]:
    certainty, segments = found.forced.certainty, found.forced.segments
    uncertain, least = int(found.uncertain.sum()), f"{found.certainty:g}"
    about = f"{uncertain} tokens are less certain than {least}, and left out" if found.certainty else ""
    learned = found.learned
    steps = f"{len(learned.objective) - 1} steps{'' if learned.converged else ' (not converged)'}"
    alone = "not cross-fitted: learned on all utterances" * (len(found.forced.learned) < 2)
    mean = mean_of_tokens(certainty, segments.token_utterances(), case.token_resampling)
    yield row_of("forced_certainty", mean, len(certainty), "", about, alone, f"sounds learned in {steps}")


def _beside_confusions(case: Case, sounds: Sounds) -> Iterator[Row]:
    """Yield how far what phones sound like is from what they are aligned with."""
    n, divergence = sounds.tokens.sum(), sounds.divergence
    both = ~np.isnan(divergence) & (sounds.tokens > 0)
    missing = "" if both.any() else "no predictions to align" if case.aligned is None else "no phone has both"
    mean = (divergence[both] @ sounds.tokens[both]) / sounds.tokens[both].sum() if both.any() else math.nan
    yield row_of("sound_divergence", mean, n, "", missing)
    about = "nothing varies" if math.isnan(sounds.correlation) else ""
    yield row_of("sound_correlation", sounds.correlation if both.any() else math.nan, n, "", missing or about)


def _beside_unrelated(case: Case, found: ForcedCorpus) -> Iterator[Row]:
    """Yield the plug-in information of gold phones that were not said, learned and aligned anew."""
    tokens, drawn = found.tokens, found.unrelated
    variant, missing = "frame" * (case.experiment.information.unit == "frame"), case.without_tokens
    yield row_of("sound_information", sound_information(found.forced), len(tokens), "", missing)
    levels = np.array([(one.decision, one.sampled, one.sounds) for one in drawn]).reshape(-1, 3).T
    names = (*((f"{of}_mutual_information", variant) for of in ("decision", "posterior")), ("sound_information", ""))
    why = missing or ("" if drawn else f"no unrelated gold phones: {found.missing}")
    about = f"{len(drawn)} replicates of unrelated gold phones, learned and aligned anew"
    for (name, own), level in zip(names, levels, strict=True):
        yield row_of(f"{name}_unrelated", interval_of(level, case.level), len(tokens), own, why or about)
