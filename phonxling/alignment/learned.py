"""Costs learned from the data: pairs that are aligned with each other more often than chance become cheap.

Method
------
Align with the current costs; count C[y, x], ∅ a symbol like the others unless gap costs are given (Wieling, Prokić &
Nerbonne 2009); estimate the costs; repeat until no alignment changes, or for a stated number of rounds. With
E[y, x] = C[y, ·] C[·, x] / N, the count to expect of independent phones, and α the smoothing,

    PMI(y, x) = log2 (C + α) / (E + α),   NPMI = PMI / log2 (N + α) / (C + α),   c(y→x) = (1 − NPMI) / 2,

so that c is near 0 for two phones that occur only together, ½ for independent ones or ones never seen, and at most 1.
Smoothing draws rare pairs towards ½. Symbols play no part: a phone that is always heard as another one costs as little
as one that is always heard as itself, and a correct phone may cost something. Wieling et al. (2012) scale PMI linearly
by its largest value, which makes frequent phones dear even when they are always heard alike; normalised PMI does not.

References
----------
Wieling, Prokić & Nerbonne (2009), Evaluating the pairwise string alignment of pronunciations. Wieling, Margaretha &
Nerbonne (2012), Inducing a measure of phonetic similarity from pronunciation variation. Ristad & Yianilos (1998),
Learning string-edit distance. Bouma (2009), Normalized (pointwise) mutual information in collocation extraction.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs import Gap, assemble, fractions_of
from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Floats, offsets_of
from phonxling.core.costs import CostTable, LearnedCosts, LearningRound
from phonxling.core.errors import ConfigurationError
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work

LEARNED = "learned"
_UNIT = 10_000  # learned costs are multiples of 1/10,000


def learn(
    gold: PhoneSequences,
    predicted: PhoneSequences,
    start: CostTable,
    *,
    insertion: Gap = None,
    deletion: Gap = None,
    smoothing: float,
    rounds: int,
    work: Work = SERIAL,
) -> LearnedCosts:
    """Return the costs learned from pairs of utterances; gap costs that are given stay as they are."""
    if not 0 < smoothing < np.inf or rounds < 1:
        raise ConfigurationError(f"learning needs a smoothing above 0 and a round, not {smoothing} and {rounds}")
    costs, before, done = start, None, list[LearningRound]()
    while len(done) < rounds:
        aligned = align_sequences(gold, predicted, costs, work)
        changed = _changed(before, aligned)
        done.append(LearningRound(len(done) + 1, _rate(aligned), changed))
        if before is not None and not changed:
            break
        before = aligned
        costs = _estimated(aligned, start, (deletion, insertion), smoothing)
    return LearnedCosts(
        costs=costs, rounds=tuple(done), converged=done[-1].changed == 0, start=start.name, smoothing=smoothing
    )


def pmi_costs(counts: Floats, smoothing: float) -> Floats:
    """Return c = (1 − NPMI) / 2 of counts, of the same shape, in [0, 1]; ½ throughout where nothing was counted."""
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(total, 1)
    pmi = np.log2((counts + smoothing) / (expected + smoothing))
    most = np.log2((total + smoothing) / (counts + smoothing))
    alone = counts == total  # one pair is all there is: together for certain
    npmi = np.where(alone, float(total > 0), pmi / np.where(alone, 1, most))
    return np.clip((1 - npmi) / 2, 0, 1)


def _estimated(aligned: Alignments, start: CostTable, asked: tuple[Gap, Gap], smoothing: float) -> CostTable:
    counts = _counts(aligned)
    for axis, gap in enumerate(asked, start=1):  # given gap costs are not learned, and the counts are without them
        if gap is not None:
            counts[(slice(None), -1) if axis == 1 else -1] = 0
    costs = fractions_of(np.rint(pmi_costs(counts, smoothing) * _UNIT).astype(np.int64), _UNIT)
    return assemble(
        LEARNED,
        (start.gold, start.predicted),
        (costs[:-1, :-1], costs[:-1, -1], costs[-1, :-1]),
        asked,
        start.ties,
        gap_names=(LEARNED, LEARNED),
    )


def _counts(aligned: Alignments) -> Floats:
    shape = len(aligned.gold_inventory) + 1, len(aligned.predicted_inventory) + 1
    cells = aligned.gold.astype(np.int64) * shape[1] + aligned.predicted
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def _changed(before: Alignments | None, after: Alignments) -> int:
    """Return how many utterances are aligned otherwise than before."""
    if before is None:
        return len(after)
    lengths = np.diff(after.offsets)
    same = np.diff(before.offsets) == lengths
    old, new = (_places(aligned.offsets[:-1][same], lengths[same]) for aligned in (before, after))
    moved = (before.gold[old] != after.gold[new]) | (before.predicted[old] != after.predicted[new])
    owner = np.repeat(np.arange(len(after)), lengths * same)
    return int(np.count_nonzero(~same)) + len(np.unique(owner[moved]))


def _places(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of the runs that begin at `starts`, one after the other."""
    return np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(starts - offsets_of(lengths)[:-1], lengths)


def _rate(aligned: Alignments) -> float:
    tokens = int(np.count_nonzero(aligned.gold < len(aligned.gold_inventory)))
    return float(Fraction(int(aligned.cost.sum()), aligned.denominator * tokens)) if tokens else float("nan")
