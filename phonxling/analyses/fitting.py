"""Costs as a corpus is aligned and weighed with them: one table, or learned ones, each half under the other's.

A rate under costs learned from the same utterances flatters itself, so every utterance is aligned and weighed under
costs learned from the other half of the corpus (cross-fitting).
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences, choose, choose_paths
from phonxling.alignment.expected import expect_sequences
from phonxling.alignment.learned import learn
from phonxling.analyses.costs import Costs, Learning
from phonxling.core.alignment import Aligned, Alignments
from phonxling.core.arrays import Codes, Floats
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable, LearnedCosts
from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences, contents_of
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_costs, stack_confusions
from phonxling.resample.replicates import Halving


@dataclass(frozen=True, slots=True)
class Aligner:
    """Aligns by the one best alignment, or, with a temperature, by the average over alignments."""

    temperature: float | None = None
    work: Work = SERIAL

    def __call__(self, gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> Aligned:
        """Return the alignments of each pair under the costs; errors as for `align_sequences`."""
        if self.temperature is None:
            return align_sequences(gold, predicted, costs, self.work)
        return expect_sequences(gold, predicted, costs, self.temperature, self.work)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """The cost table of each utterance."""

    tables: tuple[CostTable, ...]
    half: NDArray[np.int8]
    learned: tuple[LearnedCosts, ...] = ()

    def align(self, gold: PhoneSequences, predicted: PhoneSequences, aligner: Aligner) -> Aligned:
        """Return each utterance's alignment, or expected one, under its table."""
        return choose([aligner(gold, predicted, table) for table in self.tables], self.half)

    def path(self, gold: PhoneSequences, predicted: PhoneSequences, work: Work = SERIAL) -> Alignments:
        """Return each utterance's best alignment under its table."""
        return choose_paths([align_sequences(gold, predicted, table, work) for table in self.tables], self.half)

    def cost(self, aligned: Aligned) -> Floats:
        """Return what each utterance's alignment costs under its table, [U]."""
        paid = np.stack([count_costs(aligned, table) / table.denominator for table in self.tables])
        return np.asarray(paid[self.half, np.arange(len(aligned))])

    def total(self, aligned: Aligned) -> Floats:
        """Return what all pairs of two phones cost together, [G + 1, P + 1], ∅ last."""
        stack = stack_confusions(aligned)
        sides = ((stack.total((self.half == side).astype(np.float64)), table) for side, table in enumerate(self.tables))
        return np.asarray(sum(matrix.counts * table.with_gaps() for matrix, table in sides))


def scored_cost(aligned: Aligned, fitted: Fitted, weighed: Fitted) -> Floats:
    """Return each utterance's cost under the scoring costs `weighed`, [U], of alignments made under `fitted`."""
    return aligned.cost / aligned.denominator if weighed is fitted else weighed.cost(aligned)


def fit(
    costs: Costs, gold: PhoneSequences, predicted: PhoneSequences, half: NDArray[np.int8] | None, work: Work = SERIAL
) -> Fitted:
    """Return given costs as they are; learned ones for each half, learned on the other."""
    if isinstance(costs, CostTable):
        return Fitted(tables=(costs,), half=np.zeros(len(gold), dtype=np.int8))
    if half is None:
        raise ValueError("costs can be learned on halves alone")
    learned = tuple(learn_from(costs, gold, predicted, np.flatnonzero(half != side), work) for side in (0, 1))
    return Fitted(tables=tuple(half_costs.costs for half_costs in learned), half=half, learned=learned)


def learn_from(
    costs: Learning, gold: PhoneSequences, predicted: PhoneSequences, chosen: Codes, work: Work = SERIAL
) -> LearnedCosts:
    """Return the costs learned from the utterances at these positions."""
    settings = costs._asdict()
    return learn(gold.select(chosen), predicted.select(chosen), settings.pop("start"), **settings, work=work)


def halving(corpus: Corpus, seed: int, *, by_speaker: bool) -> tuple[Halving, Codes]:
    """Return how halves are dealt, from the seed, and the cluster of each utterance, [U]."""
    if len(corpus.gold) < 2:
        msg = "learned costs need two utterances: they are learned on one half and scored on the other"
        raise DataError(f"{msg}; there are {len(corpus.gold)}. Use other costs")
    cluster, ordered = np.arange(len(corpus.gold)), contents_of(corpus.gold, corpus.predicted).argsort(kind="stable")
    if by_speaker and corpus.speaker_numbers is not None and corpus.speaker_numbers.any():
        cluster, ordered = corpus.speaker_numbers, np.arange(corpus.speaker_numbers.max() + 1)
    generator = np.random.default_rng([seed, zlib.crc32(b"halves")])
    sizes = np.bincount(cluster, weights=np.maximum(corpus.gold.lengths, 1)).astype(np.int64)
    return Halving(ordered[generator.permutation(len(sizes))], sizes), cluster


def whole_halves(dealt: Halving) -> NDArray[np.int8]:
    """Return the half of each cluster of the corpus itself, int8 [C]."""
    weights = np.repeat(np.array([[1, 0]], np.uint8), len(dealt.order), axis=0)
    dealt.deal(weights)
    return weights[:, 1].astype(np.int8)


def fit_note(fitted: Fitted, corpus: Corpus, *, by_speaker: bool) -> str:
    """Return the note of a rate under these costs: rounding, or how they were learned; "" where there is none."""
    if not fitted.learned:
        return fitted.tables[0].note
    speakers = corpus.speakers if by_speaker and len(set(corpus.speakers or ())) > 1 else None
    names, unit = np.asarray(speakers or corpus.utterances), "speakers" if speakers else "utterances"
    sizes = " and ".join(str(len(set(names[fitted.half == side]))) for side in (0, 1))
    rounds = " and ".join(f"{len(one.rounds)}{'' if one.converged else ' (not converged)'}" for one in fitted.learned)
    return f"cross-fitted: costs learned on one half of the {unit} ({sizes}), scored on the other; {rounds} rounds"
