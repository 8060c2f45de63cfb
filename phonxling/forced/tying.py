"""Posteriors tied to gold phones without times, for users of the library."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phonxling.core.display.shown import Shown, counted
from phonxling.core.interface.arguments import checked_types
from phonxling.core.joint import JointDistribution
from phonxling.core.means import TokenPosteriors
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import Threads
from phonxling.count.posteriors import Unit, joint_of_tokens
from phonxling.forced.aligning import forced_tokens
from phonxling.forced.learning import learn
from phonxling.forced.similarity import similar_sounds
from phonxling.forced.values import ForcedRules, ForcedTimes, Learned
from phonxling.load.resources.features import panphon_features

if TYPE_CHECKING:
    import pandas as pd

_RULES = ForcedRules()


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TiedPosteriors(Shown):
    """Gold phones with the times, certainties and mean posteriors that forced alignment gives them.

    Parameters
    ----------
    times : ForcedTimes
        `times.segments` has the times of the best path in seconds, `times.certainty` [N] is from 0 to 1.
    tokens : TokenPosteriors
        The mean posterior of each token, frames weighing by the probability that they are the token's.
    learned : Learned
        `learned.model.probabilities` [G, E] is M(e|y), what each gold phone sounds like.
    """

    times: ForcedTimes
    tokens: TokenPosteriors
    learned: Learned

    def _facts(self) -> Iterator[str]:
        yield counted(len(self.times.segments), "utterance")
        yield counted(len(self.times.segments.codes), "gold phone")
        yield f"heard as {counted(len(self.tokens.columns), 'phone')} of the recogniser"
        yield f"mean certainty {self.times.certainty.mean():.3g}" if len(self.times.certainty) else ""

    def to_frame(self) -> "pd.DataFrame":
        """Return a row a gold phone: utterance, start and end in seconds, phone, certainty."""
        return self.times.segments.to_frame().assign(certainty=self.times.certainty)

    def joint(self, unit: Unit = "token") -> JointDistribution:
        """Return the mass of gold phone y with recognised phone e, as `joint_distribution` does for known times."""
        return joint_of_tokens(self.tokens, unit)


@checked_types
def align_posteriors(
    posteriorgrams: Posteriorgrams,
    gold: PhoneSequences,
    *,
    features: FeatureTable | None = None,
    rules: ForcedRules = _RULES,
    workers: int = 1,
) -> TiedPosteriors:
    """Return gold phones aligned in their order with posteriorgrams: when each was spoken, and what it sounds like.

    The emission of gold phone y at frame t is (1 − ε) Σ_e M(e|y) p(e|x_t) + ε / (E + 1). M begins as similarity of
    features and is learned from the same utterances by expectation–maximisation (Dempster, Laird & Rubin 1977), which
    ends as `rules` say; frames' weights are by forward–backward, times by Viterbi's path (Rabiner 1989).

    Parameters
    ----------
    posteriorgrams : Posteriorgrams
        T frames an utterance, E phones.
    gold : PhoneSequences
        N phones of the same utterances; times are not used.
    features : FeatureTable, optional
        By default panphon's.
    rules : ForcedRules
        Topology, noise, smoothing, and when learning stops.
    workers : int
        Threads; the result is the same, bit for bit, for any number.

    Returns
    -------
    TiedPosteriors
        Times in seconds, certainties from 0 to 1, mean posteriors [≤ N, E], M [G, E].

    Raises
    ------
    DataError
        If posteriors and gold are not of the same utterances, or frames are no probabilities.
        If utterances have more phones than their frames can hold: all of them are listed.

    Examples
    --------
    Two frames each of silence, a, e, and silence, 10 ms apart:

    >>> import numpy as np
    >>> from phonxling.core.inventory import Inventory
    >>> from phonxling.core.sequences import from_lists
    >>> rows = np.repeat([[0.0, 0.1, 0.9], [0.8, 0.2, 0.0], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9]], 2, axis=0)
    >>> heard = Posteriorgrams(source="here", utterances=("u",), inventory=Inventory(("ɑ", "ɛ")), columns=[0, 1, -1],
    ...                        read={"u": rows}.__getitem__, frame_shift=0.01)
    >>> tied = align_posteriors(heard, from_lists(["u"], [["a", "e"]]), rules=ForcedRules(minimum=2))
    >>> tied.times.segments.start.round(2).tolist(), tied.times.segments.end.round(2).tolist()
    ([0.02, 0.04], [0.04, 0.06])
    """
    work = Threads(workers)
    start = similar_sounds(gold.inventory, posteriorgrams.inventory, features or panphon_features(), rules.sharpness)
    learned = learn(posteriorgrams, gold, start, rules=rules, work=work)
    times, tokens = forced_tokens(posteriorgrams, gold, learned.model, rules=rules, work=work)
    return TiedPosteriors(times=times, tokens=tokens, learned=learned)
