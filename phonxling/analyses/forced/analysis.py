"""The analysis of forced times: how certain they are, what phones sound like, and what aligning gains by itself."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.forced.corpus import sound_information
from phonxling.analyses.forced.reading import ForcedCorpus
from phonxling.analyses.forced.sounds import Sounds, cell_table, phone_table, sounds_beside
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.resample.token_estimates import mean_of_tokens
from phonxling.settings.forced import Forced


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
