"""One corpus whose gold times are found from its posteriors: what each phone sounds like, the times, and the tokens.

Cross-fitting
-------------
The utterances are dealt into folds, speakers whole where they are known. Those of a fold are aligned with the sound
model that was learned on all other folds, so that no utterance has a part in the model by which its own times are
found. The model that is shown is learned on all utterances.

Heard as
--------
A token is heard as the phone of highest mean posterior over its frames; as none when the phones' mass in its frames is
less than half of the frames that a token has at least, which makes silence, or the blank, the more probable one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.means import TokenPosteriors, in_corpus_order
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.count.posteriors import Unit, joint_of_tokens, token_posteriors
from phonxling.count.tokens import Asked
from phonxling.forced.aligning import force_align, forced_tokens
from phonxling.forced.learning import learn
from phonxling.forced.values import ForcedRules, ForcedTimes, Learned, SoundModel
from phonxling.resample.entropy_sums import entropy_sums, information

Heard = Callable[[int], object]


class ForcedTokens(NamedTuple):
    """All N gold tokens of a corpus, aligned by the models of the other folds.

    `segments` has the times of the best path, `certainty` is [N]; `tokens` has those of them that have posteriors;
    `heard` [N] is the recogniser's phone that each is heard as, or the number of these phones for none; `learned` is
    what each fold was aligned by.
    """

    segments: PhoneSequences
    certainty: Floats
    tokens: TokenPosteriors
    heard: Codes
    learned: tuple[Learned, ...]

    def certain(self, least: float) -> TokenPosteriors:
        """Return what posteriors say of the tokens that are at least so certain."""
        return self.tokens.among(self.certainty[self.tokens.places] >= least)


@dataclass(frozen=True, eq=False, kw_only=True)
class Aligner:
    """How a corpus is aligned with its posteriors, whatever its gold phones.

    Parameters
    ----------
    posteriorgrams : Posteriorgrams
        Of U utterances.
    start : SoundModel
        What phones sound like by their features, with which learning begins.
    rules : ForcedRules
        How it is learned and aligned.
    soft : bool
        Whether frames count by the probability that they are the token's, or by the best path.
    fold : int64 array [U]
        The fold of each utterance, in the order of the segments; one fold: they are aligned by what they all give.
    decide : bool
        Whether each frame's own most probable phone is counted, too.
    """

    posteriorgrams: Posteriorgrams
    start: SoundModel
    rules: ForcedRules
    soft: bool
    fold: Codes
    decide: bool
    work: Work = SERIAL

    def learn(self, segments: PhoneSequences, chosen: Codes | None = None) -> Learned:
        """Return what the gold phones sound like in the chosen utterances, by default in all."""
        some = segments if chosen is None else segments.select(chosen)
        return learn(self._of(some), some, self.start, rules=self.rules, work=self.work)

    def align(self, segments: PhoneSequences, heard: Heard | None = None) -> ForcedTokens:
        """Return the tokens of all utterances, each aligned by the model of the other folds."""
        folds = np.unique(self.fold)
        if len(folds) < 2:
            return self._aligned(segments, self.learn(segments), heard)
        parts = []
        for fold in folds:
            inside, outside = np.flatnonzero(self.fold == fold), np.flatnonzero(self.fold != fold)
            learned = self.learn(segments, outside)
            parts.append((inside, self._aligned(segments.select(inside), learned, heard)))
        return _together(segments, parts)

    def _aligned(self, segments: PhoneSequences, learned: Learned, heard: Heard | None) -> ForcedTokens:
        read, rules, work, decide = self._of(segments), self.rules, self.work, self.decide
        model = learned.model
        if self.soft:
            times, tokens = forced_tokens(read, segments, model, rules=rules, work=work, decide=decide, heard=heard)
        else:
            times = force_align(read, segments, model, rules=rules, work=work)
            tokens = token_posteriors(read, times.segments, work=work, asked=Asked(decisions=decide), heard=heard)
        return ForcedTokens(times.segments, times.certainty, tokens, _heard_as(times, tokens), (learned,))

    def _of(self, segments: PhoneSequences) -> Posteriorgrams:
        return replace(self.posteriorgrams, utterances=segments.utterances)


def plug_in(tokens: TokenPosteriors, unit: Unit) -> tuple[float, float]:
    """Return the plug-in I(Y;E) of the most probable phones, and of phones drawn from the posteriors, in bits."""
    masses = (joint_of_tokens(tokens, unit, hard=hard).mass for hard in (True, False))
    decision, sampled = (float(information(entropy_sums(mass))["mutual_information"]) for mass in masses)
    return decision, sampled


def sounds_of(learned: Learned) -> Floats:
    """Return the share of each gold phone's frames that is heard as each phone, [G, E]: NaN without frames.

    These are the frames that are expected in the last step of learning, without the pseudo-frames of the start.
    """
    return divided(learned.counts, learned.counts.sum(axis=1, keepdims=True))


def sound_information(forced: ForcedTokens) -> float:
    """Return I(Y;E) in bits of gold phones that sound as was learned, the mean over the folds."""
    codes, size = forced.segments.codes, len(forced.segments.inventory)
    tokens = np.bincount(codes, minlength=size)[:, None]
    sums = [entropy_sums(np.nan_to_num(sounds_of(learned)) * tokens) for learned in forced.learned]
    return float(np.mean([information(one)["mutual_information"] for one in sums]))


def _heard_as(times: ForcedTimes, tokens: TokenPosteriors) -> Codes:
    none = len(tokens.columns)
    heard = np.full(len(times.certainty), none, np.int64)
    least = 1 if times.rules.topology == "ctc" else times.rules.minimum
    heard[tokens.places] = np.where(tokens.weight < least / 2, none, tokens.hard)
    return heard


def _together(segments: PhoneSequences, parts: list[tuple[Codes, ForcedTokens]]) -> ForcedTokens:
    """Return the tokens of parts of the utterances, each part with the positions of its own, in the order of all."""
    places = [segments.token_order(inside) for inside, _ in parts]
    order = np.argsort(np.concatenate(places))  # every token is in one part
    start, end, certainty, heard = (
        np.concatenate(columns)[order]
        for columns in zip(
            *((part.segments.start, part.segments.end, part.certainty, part.heard) for _, part in parts), strict=True
        )
    )
    tokens = in_corpus_order([(part.tokens, own, inside) for own, (inside, part) in zip(places, parts, strict=True)])
    learned = tuple(one for _, part in parts for one in part.learned)
    return ForcedTokens(replace(segments, start=start, end=end), certainty, tokens, heard, learned)
