"""The analysis of forced times: how certain they are, what phones sound like, and what aligning gains by itself.

What gold phones sound like to the recogniser is learned from its posteriors, and stands beside the confusion matrix.
The share of a gold phone's frames that is heard as the recogniser's phone e, silence and blank left out, comes about
without an alignment of symbols, so that it checks the confusion matrix, whose rows rest on one. M(e|y), by which frames
are aligned, is that share drawn towards the start; phones with few frames stay near it.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.case import Case, Items
from phonxling.analyses.forced_corpus import ForcedCorpus, sound_information, sounds_of
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.entropies import shares_entropy
from phonxling.resample.replicates import mean_of_tokens
from phonxling.settings.sections import Forced


def forced(case: Case, _: Forced) -> Items:
    """Yield sounds_like.tsv, forced.tsv, and rows on them; nothing for a corpus whose gold has times of its own."""
    found = case.forced
    if found is None:
        return
    heard, heard_as, model, confused = sounds_beside(found, None if case.aligned is None else case.aligned.matrix)
    segments, divergence = found.forced.segments, divergence_of(heard_as, confused)
    gold, size = segments.inventory, len(segments.inventory)
    columns = {
        "gold": np.repeat(gold.phones, len(heard)),
        "recognised": np.tile(heard.phones, size),
        "probability": heard_as.ravel(),
        "model": model.ravel(),
        "p_predicted_given_gold": confused.ravel(),
    }
    yield "sounds_like", pd.DataFrame(columns)
    tokens = np.bincount(segments.codes, minlength=size)
    certainty = np.bincount(segments.codes, weights=found.forced.certainty, minlength=size)
    frames, shares = found.learned.counts.sum(axis=1), np.nan_to_num(heard_as)
    most, entropy = shares.argmax(axis=1), shares_entropy(shares)
    yield (
        "forced",
        pd.DataFrame(
            {
                "phone": gold.phones,
                "tokens": tokens,
                "certainty": divided(certainty, tokens),
                "uncertain": found.uncertain,
                "frames": frames,
                "sounds_like": np.where(frames > 0, np.array(heard.phones, dtype=object)[most], ""),
                "probability": heard_as[np.arange(size), most],
                "entropy": np.where(frames > 0, entropy, np.nan),
                "divergence": divergence,
            }
        ),
    )
    yield from _certainty(case, found)

    both, n = ~np.isnan(divergence) & (tokens > 0), tokens.sum()
    missing = "" if both.any() else "no predictions to align" if case.aligned is None else "no phone has both"
    weights = tokens[both].astype(np.float64)
    mean = (divergence[both] @ weights) / weights.sum() if both.any() else math.nan
    yield row_of("sound_divergence", mean, n, "", missing)
    correlation = correlation_of(heard_as, confused)
    about = "nothing varies" if math.isnan(correlation) else ""
    yield row_of("sound_correlation", correlation if both.any() else math.nan, n, "", missing or about)
    yield from _beside_unrelated(case, found)


def sounds_beside(forced: ForcedCorpus, matrix: ConfusionMatrix | None) -> tuple[Inventory, Floats, Floats, Floats]:
    """Return E phones, and as which of them G gold phones are heard, by the model too, and aligned, [G, E] each."""
    model, gold = forced.learned.model, forced.forced.segments.inventory
    heard = model.recogniser if matrix is None else merge(model.recogniser, matrix.predicted)
    heard_as, modelled = np.zeros((2, len(gold), len(heard)))
    columns = [heard.code(phone) for phone in model.recogniser]
    heard_as[:, columns], modelled[:, columns] = sounds_of(forced.learned), model.probabilities
    heard_as[np.isnan(heard_as).any(axis=1)] = np.nan
    confused = np.full(heard_as.shape, np.nan)
    if matrix is not None:
        every = matrix.reindex(merge(gold, matrix.gold), heard)
        counts = every.substitutions[[every.gold.code(phone) for phone in gold]]
        confused = divided(counts, counts.sum(axis=1, keepdims=True))
    return heard, heard_as, modelled, confused


def divergence_of(heard_as: Floats, confused: Floats) -> Floats:
    """Return the Jensen–Shannon divergence of the two rows of each phone, [G] bits in [0, 1]; NaN without either."""
    own = (shares_entropy(heard_as) + shares_entropy(confused)) / 2
    return np.asarray(np.clip(shares_entropy((heard_as + confused) / 2) - own, 0, 1))


def correlation_of(heard_as: Floats, confused: Floats) -> float:
    """Return Spearman's ρ of the two over all cells of phones that have both; NaN where nothing varies."""
    both = ~np.isnan(confused[:, 0]) & ~np.isnan(heard_as[:, 0])
    first, second = heard_as[both].ravel(), confused[both].ravel()
    varies = len(set(first)) > 1 < len(set(second))
    return float(scipy.stats.spearmanr(first, second).statistic) if varies else np.nan


def _certainty(case: Case, found: ForcedCorpus) -> Iterator[Row]:
    certainty, segments, learned = found.forced.certainty, found.forced.segments, found.learned
    uncertain, least = int(found.uncertain.sum()), f"{found.certainty:g}"
    about = f"{uncertain} tokens are less certain than {least}, and left out" if found.certainty else ""
    steps = f"{len(learned.objective) - 1} steps{'' if learned.converged else ' (not converged)'}"
    alone = "not cross-fitted: learned on all utterances" * (len(found.forced.learned) < 2)
    mean = mean_of_tokens(certainty, segments.token_utterances(), case.token_resampling)
    yield row_of("forced_certainty", mean, len(certainty), "", about, alone, f"sounds learned in {steps}")


def _beside_unrelated(case: Case, found: ForcedCorpus) -> Iterator[Row]:
    """Yield the plug-in information of gold phones that were not said, learned and aligned anew."""
    tokens, drawn = found.tokens, found.unrelated
    variant, missing = "frame" * (case.experiment.information.unit == "frame"), case.without_tokens
    yield row_of("sound_information", sound_information(found.forced), len(tokens), "", missing)
    levels = np.array([one[2:] for one in drawn]).reshape(-1, 3).T
    names = (*((f"{of}_mutual_information", variant) for of in ("decision", "posterior")), ("sound_information", ""))
    why = missing or ("" if drawn else f"no unrelated gold phones: {found.missing}")
    about = f"{len(drawn)} replicates of unrelated gold phones, learned and aligned anew"
    for (name, own), level in zip(names, levels, strict=True):
        yield row_of(f"{name}_unrelated", interval_of(level, case.level), len(tokens), own, why or about)
