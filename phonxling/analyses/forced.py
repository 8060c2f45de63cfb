"""Gold times found from posteriors: how certain they are, what phones sound like, what aligning gains by itself.

Cross-fitting
-------------
The utterances are dealt into two folds, speakers whole where they are known. Those of a fold are aligned with the sound
model that was learned on the other one, so that no utterance has a part in the model by which its own times are found.
A single utterance is aligned with the model that was learned on it. The model that is shown is learned on all
utterances.

What phones sound like
----------------------
The share of a gold phone's frames that is heard as the recogniser's phone e, silence and blank left out, comes about
without an alignment of symbols, so that it checks the confusion matrix, whose rows rest on one. M(e|y), by which frames
are aligned, is that share drawn towards the start; phones with few frames stay near it.

What aligning gains by itself
-----------------------------
Times that are found from posteriors are found where these suit the gold phones, so that even unrelated gold phones
seem to be heard. Each of five replicates gives every utterance the gold phones of other utterances, of another speaker
where speakers are known, as many as it has (see `phonxling.analyses.chance`), learns what they sound like, and aligns
them.
"""

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from phonxling.analyses.chance import Donors, donors_of, shuffled_predictions, texts_of
from phonxling.analyses.loaded import LoadedCorpus, features_of
from phonxling.analyses.measures import Row, row_of
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory, merge
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors, in_corpus_order
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.count.posteriors import Unit, joint_of_tokens, token_posteriors
from phonxling.count.tokens import Asked
from phonxling.forced.aligning import force_align, forced_tokens, similar_sounds
from phonxling.forced.learning import fold_numbers, learn
from phonxling.forced.values import ForcedRules, Learned, SoundModel
from phonxling.resample.entropies import entropy_sums, information, shares_entropy
from phonxling.resample.tokens import mean_of_tokens
from phonxling.settings.models import Experiment, Forced

if TYPE_CHECKING:
    from phonxling.analyses.case import Case, Items

Heard = Callable[[int], object]
_FOLDS = 2
_UNRELATED = 5  # replicates: each costs as much as aligning the corpus does


class ForcedTokens(NamedTuple):
    """All N gold tokens of a corpus, aligned by the model of the other fold."""

    segments: PhoneSequences
    certainty: Floats
    tokens: TokenPosteriors
    learned: tuple[Learned, ...]


class Unrelated(NamedTuple):
    """The plug-in information of a replicate: of decisions, of draws, of sounds."""

    decision: float
    sampled: float
    sounds: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedCorpus:
    """A corpus whose gold times were found from its posteriors."""

    learned: Learned
    forced: ForcedTokens
    unrelated: tuple[Unrelated, ...] = ()
    missing: str = ""


def force_corpus(
    loaded: LoadedCorpus,
    experiment: Experiment,
    work: Work = SERIAL,
    heard: Heard | None = None,
    *,
    unrelated: bool = True,
) -> ForcedCorpus:
    """Return what is found by aligning a corpus' gold phones with its posteriors, and unrelated ones if asked for."""
    read, segments = loaded.posteriorgrams, loaded.segments
    if read is None or segments is None:
        raise AssertionError(f"{loaded.name} has no posteriors")
    if not len(segments.codes):
        raise DataError(f"{segments.source}: no gold phone is left in any utterance (empty, or silence alone)")
    rules, unit = ForcedRules(minimum=experiment.forced.minimum_frames), experiment.information.unit
    table = None if loaded.raw else features_of(experiment)
    speakers = segments.speakers if len(set(segments.speakers or ())) > 1 else None
    aligner = ForcedAligner(
        posteriorgrams=read,
        start=similar_sounds(segments.inventory, read.inventory, table, rules.sharpness),
        rules=rules,
        soft=experiment.forced.weights == "soft",
        fold=fold_numbers(segments, _FOLDS, speakers),
        decide=unit == "frame",
        work=work,
    )
    learned, forced = aligner.learn(segments), aligner.align(segments, heard)
    missing, drawn = why_none(segments), tuple[Unrelated, ...]()
    if unrelated and not missing:
        try:
            drawn = tuple(_unrelated(segments, aligner, unit, experiment.seed))
        except DataError:  # equal neighbours need a blank between, and the gold phones themselves have been aligned
            missing = "with their equal neighbours some need more frames than there are"
    return ForcedCorpus(learned=learned, forced=forced, unrelated=drawn, missing=missing)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedAligner:
    """How a corpus is aligned with its posteriors, whatever its gold phones."""

    posteriorgrams: Posteriorgrams
    start: SoundModel
    rules: ForcedRules
    soft: bool
    fold: Codes
    decide: bool
    work: Work

    def learn(self, segments: PhoneSequences) -> Learned:
        """Return what the gold phones sound like in these utterances."""
        read = replace(self.posteriorgrams, utterances=segments.utterances)
        return learn(read, segments, self.start, rules=self.rules, work=self.work)

    def align(self, segments: PhoneSequences, heard: Heard | None = None) -> ForcedTokens:
        """Return the tokens of all utterances, each aligned by the model of the other folds."""
        folds = np.unique(self.fold)
        if len(folds) < 2:
            return self._aligned(segments, self.learn(segments), heard)
        parts = []
        for fold in folds:
            inside, outside = np.flatnonzero(self.fold == fold), np.flatnonzero(self.fold != fold)
            learned = self.learn(segments.select(outside))
            parts.append((inside, self._aligned(segments.select(inside), learned, heard)))
        return _together(segments, parts)

    def _aligned(self, segments: PhoneSequences, learned: Learned, heard: Heard | None) -> ForcedTokens:
        read, model, decide = replace(self.posteriorgrams, utterances=segments.utterances), learned.model, self.decide
        rules, work = self.rules, self.work
        if self.soft:
            times, tokens = forced_tokens(read, segments, model, rules=rules, work=work, decide=decide, heard=heard)
        else:
            times = force_align(read, segments, model, rules=rules, work=work)
            tokens = token_posteriors(read, times.segments, work=work, asked=Asked(decisions=decide), heard=heard)
        return ForcedTokens(times.segments, times.certainty, tokens, (learned,))


def _together(segments: PhoneSequences, parts: list[tuple[Codes, ForcedTokens]]) -> ForcedTokens:
    """Return the tokens of parts of the utterances, each part with the positions of its own, in the order of all."""
    places = [segments.token_order(inside) for inside, _ in parts]
    order = np.argsort(np.concatenate(places))  # every token is in one part
    own = [(part.segments.start, part.segments.end, part.certainty) for _, part in parts]
    start, end, certainty = (np.concatenate(columns)[order] for columns in zip(*own, strict=True))
    tokens = in_corpus_order([(part.tokens, own, inside) for own, (inside, part) in zip(places, parts, strict=True)])
    learned = tuple(one for _, part in parts for one in part.learned)
    return ForcedTokens(replace(segments, start=start, end=end), certainty, tokens, learned)


def _unrelated(segments: PhoneSequences, aligner: ForcedAligner, unit: Unit, seed: int) -> Iterator[Unrelated]:
    """Yield the replicates of unrelated gold phones; DataError where they cannot be aligned."""
    donors = gold_donors(segments)
    for replicate in range(_UNRELATED):
        key = [seed, zlib.crc32(b"unrelated"), replicate]
        codes = shuffled_predictions(segments, np.random.default_rng(key), donors).codes.astype(np.int64)
        forced = aligner.align(replace(segments, codes=codes))
        decision, sampled = plug_in(forced.tokens, unit)
        yield Unrelated(decision, sampled, sound_information(forced))


def gold_donors(segments: PhoneSequences) -> Donors:
    """Return whose gold phones may stand for whose."""
    gold = replace(segments, start=None, end=None, tones=None, after=None)
    return donors_of(Corpus(gold=gold, predicted=gold, speakers=segments.speakers), texts_of(gold))


def why_none(segments: PhoneSequences) -> str:
    """Return why there are no unrelated gold phones, "" where there are."""
    donors = gold_donors(segments)
    if (donors.number[segments.lengths > 0] > 0).all():
        return ""
    speaker = " of another speaker" * donors.by_speaker
    return f"not every utterance has another one{speaker} with other gold phones"


def plug_in(tokens: TokenPosteriors, unit: Unit) -> tuple[float, float]:
    """Return the plug-in I(Y;E) of the most probable phones, and of phones drawn from the posteriors, in bits."""
    masses = (joint_of_tokens(tokens, unit, hard=hard).mass for hard in (True, False))
    decision, sampled = (float(information(entropy_sums(mass))["mutual_information"]) for mass in masses)
    return decision, sampled


def sounds_of(learned: Learned) -> Floats:
    """Return the share of each gold phone's frames that is heard as each phone, [G, E]: NaN without frames."""
    return divided(learned.counts, learned.counts.sum(axis=1, keepdims=True))


def sound_information(forced: ForcedTokens) -> float:
    """Return I(Y;E) in bits of gold phones that sound as was learned, the mean over the folds."""
    codes, size = forced.segments.codes, len(forced.segments.inventory)
    tokens = np.bincount(codes, minlength=size)[:, None]
    sums = [entropy_sums(np.nan_to_num(sounds_of(learned)) * tokens) for learned in forced.learned]
    return float(np.mean([information(one)["mutual_information"] for one in sums]))


def forced(case: "Case", _: Forced) -> "Items":
    """Yield sounds_like.tsv, forced.tsv, and rows on them; nothing for a corpus whose gold has times of its own."""
    import pandas as pd  # the checks of a configuration need none

    found = case.forced
    if found is None:
        return
    heard, heard_as, model, confused = sounds_beside(found, None if case.aligned is None else case.aligned.matrix)
    segments, divergence = found.forced.segments, divergence_of(heard_as, confused)
    gold, size = segments.inventory, len(segments.inventory)
    cells = {
        "gold": np.repeat(gold.phones, len(heard)),
        "recognised": np.tile(heard.phones, size),
        "probability": heard_as.ravel(),
        "model": model.ravel(),
        "p_predicted_given_gold": confused.ravel(),
    }
    yield "sounds_like", pd.DataFrame(cells)
    tokens = np.bincount(segments.codes, minlength=size)
    certainty = np.bincount(segments.codes, weights=found.forced.certainty, minlength=size)
    frames, shares = found.learned.counts.sum(axis=1), np.nan_to_num(heard_as)
    most, entropy = shares.argmax(axis=1), shares_entropy(shares)
    columns = {
        "phone": gold.phones,
        "tokens": tokens,
        "certainty": divided(certainty, tokens),
        "frames": frames,
        "sounds_like": np.where(frames > 0, np.array(heard.phones, dtype=object)[most], ""),
        "probability": heard_as[np.arange(size), most],
        "entropy": np.where(frames > 0, entropy, np.nan),
        "divergence": divergence,
    }
    yield "forced", pd.DataFrame(columns)
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


def _certainty(case: "Case", found: ForcedCorpus) -> Iterator[Row]:
    certainty, segments, learned = found.forced.certainty, found.forced.segments, found.learned
    steps = f"{len(learned.objective) - 1} steps{'' if learned.converged else ' (not converged)'}"
    alone = "not cross-fitted: learned on all utterances" * (len(found.forced.learned) < 2)
    mean = mean_of_tokens(certainty, segments.token_utterances(), case.token_clusters)
    yield row_of("forced_certainty", mean, len(certainty), "", alone, f"sounds learned in {steps}")


def _beside_unrelated(case: "Case", found: ForcedCorpus) -> Iterator[Row]:
    """Yield the plug-in information of gold phones that were not said, learned and aligned anew."""
    tokens, drawn = found.forced.tokens, found.unrelated
    variant, missing = "frame" * (case.experiment.information.unit == "frame"), case.without_tokens
    yield row_of("sound_information", sound_information(found.forced), len(tokens), "", missing)
    levels = np.mean(drawn, axis=0).tolist() if drawn else [math.nan] * 3
    names = (*((f"{of}_mutual_information", variant) for of in ("decision", "posterior")), ("sound_information", ""))
    why = missing or ("" if drawn else f"no unrelated gold phones: {found.missing}")
    about = f"{len(drawn)} replicates of unrelated gold phones, learned and aligned anew"
    for (name, own), level in zip(names, levels, strict=True):
        yield row_of(f"{name}_unrelated", level, len(tokens), own, why or about)
