"""A loaded corpus to what its posteriors say of gold phones without times, under the configuration."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.analyses.case.features import features_of
from phonxling.analyses.case.forced_rules import forced_rules
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.forced.corpus import Aligner, ForcedTokens, Heard
from phonxling.analyses.forced.unrelated import Unrelated, unrelated, why_none
from phonxling.core.arrays import Codes
from phonxling.core.errors import DataError
from phonxling.core.means import TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.forced.learning import fold_numbers
from phonxling.forced.similarity import similar_sounds
from phonxling.forced.values import Learned
from phonxling.settings.models import Experiment


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedCorpus:
    """A corpus whose gold times were found from its posteriors.

    Parameters
    ----------
    learned : Learned
        What each gold phone sounds like to the recogniser, learned on all utterances.
    forced : ForcedTokens
        All gold tokens, with times and certainty.
    certainty : float
        The least certainty of a token that counts.
    unrelated : tuple of Unrelated
        The same of gold phones that were not said.
    missing : str
        Why there are none of these, "" where there are.
    """

    learned: Learned
    forced: ForcedTokens
    certainty: float
    unrelated: tuple[Unrelated, ...] = ()
    missing: str = ""

    @cached_property
    def tokens(self) -> TokenPosteriors:
        """What posteriors say of the tokens that are certain enough."""
        return self.forced.certain(self.certainty)

    @cached_property
    def uncertain(self) -> Codes:
        """How many tokens of each gold phone are not certain enough, [G]."""
        left_out = self.forced.certainty < self.certainty
        segments = self.forced.segments
        return np.bincount(segments.codes[left_out], minlength=len(segments.inventory))


def force_corpus(
    loaded: LoadedCorpus, experiment: Experiment, work: Work = SERIAL, heard: Heard | None = None
) -> ForcedCorpus:
    """Return what is found by aligning a corpus' gold phones with its posteriors.

    Raises
    ------
    DataError
        If there are no gold phones, or some utterances have more of them than their frames can hold.
        If posteriors and gold phones are not of the same utterances, or frames are no probabilities.
    """
    if loaded.posteriorgrams is None or loaded.segments is None:
        raise AssertionError(f"{loaded.name} has no posteriors")
    settings, segments = experiment.forced, loaded.segments
    if not len(segments.codes):
        raise DataError(f"{segments.source}: no gold phone is left in any utterance (empty, or silence alone)")
    aligner = _aligner(loaded.posteriorgrams, segments, experiment, raw=loaded.raw, work=work)
    learned = aligner.learn(segments)
    forced = aligner.align(segments, heard)
    missing, drawn = why_none(segments, settings.replicates), tuple[Unrelated, ...]()
    if not missing:
        try:
            drawn = tuple(
                unrelated(
                    segments,
                    aligner,
                    unit=experiment.information.unit,
                    certainty=settings.minimum_certainty,
                    replicates=settings.replicates,
                    seed=experiment.seed,
                )
            )
        except DataError:  # equal neighbours need a blank between, and the gold phones themselves have been aligned
            missing = "with their equal neighbours some need more frames than there are"
    return ForcedCorpus(
        learned=learned, forced=forced, certainty=settings.minimum_certainty, unrelated=drawn, missing=missing
    )


def _aligner(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, experiment: Experiment, *, raw: bool, work: Work
) -> Aligner:
    settings, rules = experiment.forced, forced_rules(experiment.forced)
    folds, table = min(settings.folds, len(segments)), None if raw else features_of(experiment)
    speakers = segments.speakers if len(set(segments.speakers or ())) > 1 else None
    return Aligner(
        posteriorgrams=posteriorgrams,
        start=similar_sounds(segments.inventory, posteriorgrams.inventory, table, rules.sharpness),
        rules=rules,
        soft=settings.weights == "soft",
        fold=fold_numbers(segments, folds, speakers) if folds > 1 else np.zeros(len(segments), np.int64),
        decide=experiment.information.unit == "frame",
        work=work,
    )
