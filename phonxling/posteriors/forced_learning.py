"""M learned from gold phones without times and posteriorgrams, by expectation–maximisation.

Model
-----
A segmentation deals the frames out to the gold phones in their order, and to what is between them (see `chain`). Its
weight is the product of its frames' emissions, with ε the noise and E + 1 the number of the recogniser's phones and its
rest (silence and blank),

    f_y(t) = (1 − ε) Σ_e M(e|y) p(e|x_t) + ε / (E + 1),

and between phones the same, with a row that has the rest among its columns. The likelihood of an utterance is the sum
over all its segmentations. It is no probability of the sound, for p is given, not modelled. Logarithms are in nats.

Learning
--------
E step: P(frame t is y's) by forward–backward, and C[y, e] = Σ_t P(t is y's) (1 − ε) M(e|y) p(e|x_t) / f_y(t), how many
frames of y are expected to be recognised as e. M step: M(e|y) = (C[y, e] + κ M0(e|y)) / Σ_e (C[y, e] + κ M0(e|y)), M0
the start: similarity of features. κ is `smoothing` tokens in frames. No step lowers the log-likelihood plus
κ Σ M0(e|y) log M(e|y), the logarithm, but for a constant, of a Dirichlet prior with parameters 1 + κ M0(e|y) (Dempster,
Laird & Rubin 1977). The log-likelihood alone may fall.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError, check_arguments, join_problems
from phonxling.core.estimate import ReadableValue, format_count
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import JointDistribution, Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Threads, Work
from phonxling.load.resources import panphon_features
from phonxling.posteriors.forced_alignment import (
    ForcedRules,
    ForcedTimes,
    SharedInputs,
    SoundModel,
    forced_tokens,
    read_utterances,
    share_inputs,
    similar_sounds,
)
from phonxling.posteriors.joint import Shard, Unit, joint_of_tokens

if TYPE_CHECKING:
    import pandas as pd


_RULES = ForcedRules()


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedModel:
    """What expectation–maximisation made of a corpus."""

    model: SoundModel
    counts: Floats
    objective: tuple[float, ...]
    converged: bool


def learn(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    start: SoundModel,
    *,
    rules: ForcedRules = _RULES,
    work: Work = SERIAL,
) -> LearnedModel:
    """Return the model that a corpus's gold phones and posteriors give, from a start such as `similar_sounds`."""
    shared, shards = share_inputs(posteriorgrams, segments, start, rules)
    surveys = list(work.map(survey_shard, shared, shards))
    read = np.concatenate([np.zeros(0, np.int64), *(record["read"] for record in surveys)])
    refuse_short(shared, segments, read)
    total = reduce(np.add, [record["sum"] for record in surveys], np.zeros(shared.rows.shape[1]))
    # κ in frames: `smoothing` tokens, each of the corpus’s mean mass of phones a token, which is many frames without a
    # blank and few with one.
    weight = rules.smoothing * float(total[:-1].sum()) / max(len(segments.codes), 1)
    prior = shared.rows.copy()
    # What a recogniser makes of noise and breath is not always silence: so the average frame is a part of what is
    # between phones.
    average = total / total.sum() if total.any() else prior[-1]
    prior[-1] = (1 - rules.background) * prior[-1] + rules.background * average
    table, objective = prior, list[float]()
    while True:
        counts, value, some = np.zeros_like(prior), 0.0, prior > 0
        for record in work.map(expect_shard, shared._replace(rows=table), shards):
            counts += record["counts"]
            value += float(record["likelihood"].sum())
        # What EM raises is the posterior: log-likelihood plus κ Σ M0 log M; cells that are 0 from the start stay 0, and
        # add nothing.
        objective.append(value + weight * float((prior[some] * np.log(table[some])).sum()) if weight else value)
        gained = len(objective) == 1 or objective[-1] - objective[-2] >= rules.tolerance * int(read.sum())
        if not gained or len(objective) > rules.iterations:
            break
        table = counts + weight * prior
        # A row without counts and without prior has nothing to learn from, and stays as it was at the start.
        table = np.where((mass := table.sum(axis=1, keepdims=True)) > 0, table / np.maximum(mass, 1e-300), prior)
    model, found = replace(start, rows=table), counts[:-1, :-1]
    return LearnedModel(model=model, counts=found, objective=tuple(objective), converged=not gained)


def survey_shard(shared: SharedInputs, shard: Shard) -> Record:
    """Return the frames `read` of each utterance, and the `sum` of those [E + 1] of utterances with phones."""
    read, total = np.zeros(len(shard[0]), np.int64), np.zeros(shared.rows.shape[1])
    for place, codes, posteriors, _ in read_utterances(shared.posteriorgrams, shard):
        read[place] = len(posteriors)
        if len(codes):
            total += posteriors.sum(axis=0)
    return {"read": read, "sum": total}


def refuse_short(shared: SharedInputs, segments: PhoneSequences, frames: Codes) -> None:
    """Raise DataError if utterances have more phones than their frames can hold: all of them, in one message."""
    short = []
    for utterance, run, read in zip(segments.utterances, segments.runs(), frames.tolist(), strict=True):
        codes = np.frombuffer(run, segments.codes.dtype)
        # Frames of one label in a row are one phone: between equal phones a blank needs a frame of its own.
        needed = len(codes) * shared.minimum + shared.blank * int((codes[1:] == codes[:-1]).sum())
        if read < needed:
            short.append(f"'{utterance}': {len(codes)} phones need {needed} frames, and there are {read}")
    if short:
        each = "one each, and a blank between equal ones" if shared.blank else f"{shared.minimum} each"
        headline = f"{segments.source}: {len(short)} utterances have more gold phones than frames can hold ({each}):"
        remedy = "Are gold and posteriors of the same recordings, and is the frame shift right? Else leave them out."
        raise DataError(join_problems(headline, short, remedy))


def expect_shard(shared: SharedInputs, shard: Shard) -> Record:
    """Return the expected `counts` [G + 1, E + 1] and the log-`likelihood` of each utterance."""
    likelihood, counts = np.zeros(len(shard[0])), np.zeros_like(shared.rows)
    for place, codes, posteriors, _ in read_utterances(shared.posteriorgrams, shard):
        if len(codes):
            found = shared.trellis(shard[0].utterances[place], codes, posteriors)
            counts[np.append(found.phones, -1)] += found.responsibilities()
            likelihood[place] = found.log_likelihood
    return {"counts": counts * shared.rows, "likelihood": likelihood}


def fold_numbers(segments: PhoneSequences, folds: int, speakers: tuple[str, ...] | None = None) -> Codes:
    """Return the fold 0 … folds − 1 of each utterance [U]: speakers, in order of appearance, are dealt out in turn."""
    owners = segments.utterances if speakers is None else speakers
    place = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
    # Dealt out in turn, so that the folds differ by one speaker at most; a speaker is never on both sides of a fold.
    return np.array([place[owner] % folds for owner in owners], dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TiedPosteriors(ReadableValue):
    """Gold phones with the times, certainties and mean posteriors that forced alignment gives them.

    `times.segments` has the times of the best path in seconds, `times.certainty` [N] is from 0 to 1. `tokens` are the
    mean posteriors, frames weighing by the probability that they are the token's. `learned.model.probabilities` [G, E]
    is M(e|y), what each gold phone sounds like.
    """

    times: ForcedTimes
    tokens: TokenPosteriors
    learned: LearnedModel

    def _facts(self) -> Iterator[str]:
        yield format_count(len(self.times.segments), "utterance")
        yield format_count(len(self.times.segments.codes), "gold phone")
        yield f"taken for {format_count(len(self.tokens.columns), 'phone')} of the recogniser"
        yield f"mean certainty {self.times.certainty.mean():.3g}" if len(self.times.certainty) else ""

    def to_frame(self) -> "pd.DataFrame":
        """Return a row a gold phone: utterance, start and end in seconds, phone, certainty."""
        return self.times.segments.to_frame().assign(certainty=self.times.certainty)

    def joint(self, unit: Unit = "token") -> JointDistribution:
        """Return the mass of gold phone y with recognised phone e, as `joint_distribution` does for known times."""
        return joint_of_tokens(self.tokens, unit)


@check_arguments
def align_posteriors(
    posteriorgrams: Posteriorgrams,
    gold: PhoneSequences,
    *,
    features: FeatureTable | None = None,
    minimum_frames: int = _RULES.minimum,
    workers: int = 1,
) -> TiedPosteriors:
    """Return gold phones aligned in their order with posteriorgrams: when each was spoken, and what it sounds like.

    The emission of gold phone y at frame t is (1 − ε) Σ_e M(e|y) p(e|x_t) + ε / (E + 1). M begins as similarity of
    features and is learned from the same utterances by expectation–maximisation (Dempster, Laird & Rubin 1977);
    frames' weights are by forward–backward, times by Viterbi's path (Rabiner 1989).

    `posteriorgrams` are T frames an utterance over E phones, `gold` N phones of the same utterances, whose times are
    not used; `features` are panphon's by default. A phone lasts `minimum_frames` at least; with a blank it is one. The
    result is the same, bit for bit, for any number of `workers` (threads): times in seconds, certainties from 0 to 1,
    mean posteriors [≤ N, E], M [G, E]. DataError if the two are not of the same utterances, frames are no
    probabilities, or utterances have more phones than their frames can hold.

    Examples
    --------
    Two frames each of silence, a, e, and silence, 10 ms apart:

    >>> import numpy as np
    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.core.sequences import from_lists
    >>> rows = np.repeat([[0.0, 0.1, 0.9], [0.8, 0.2, 0.0], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9]], 2, axis=0)
    >>> recogniser = Posteriorgrams(source="here", utterances=("u",), inventory=Inventory(("ɑ", "ɛ")),
    ...                             columns=[0, 1, -1], read={"u": rows}.__getitem__, frame_shift=0.01)
    >>> tied = align_posteriors(recogniser, from_lists(["u"], [["a", "e"]]), minimum_frames=2)
    >>> tied.times.segments.start.round(2).tolist(), tied.times.segments.end.round(2).tolist()
    ([0.02, 0.04], [0.04, 0.06])
    """
    rules, work = ForcedRules(minimum=minimum_frames), Threads(workers)
    start = similar_sounds(gold.inventory, posteriorgrams.inventory, features or panphon_features(), rules.sharpness)
    learned = learn(posteriorgrams, gold, start, rules=rules, work=work)
    times, tokens = forced_tokens(posteriorgrams, gold, learned.model, rules=rules, work=work)
    return TiedPosteriors(times=times, tokens=tokens, learned=learned)
