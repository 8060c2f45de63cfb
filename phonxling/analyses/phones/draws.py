"""Every measure of a confusion matrix over the bootstrap replicates, from one pass over their counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.costs import CostTable
from phonxling.core.stack import ConfusionStack
from phonxling.resample.entropy_sums import entropy_sums, information, n_log_n, row_entropies
from phonxling.resample.kernel import rank_correlations
from phonxling.resample.replicates import replicate_counts
from phonxling.resample.weights import Resampling, divided

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PhoneDraws:
    """What each phone of one side shows in each replicate, [phones, R] each; NaN where a replicate has none of it."""

    accuracy: Floats
    deletion_rate: Floats
    entropy: Floats
    mean_substitution_cost: Floats


@dataclass(frozen=True, eq=False)
class ConfusionDraws:
    """What the replicates show: measures of information by name, [R] each, phones of both sides, and τ.

    `tau` is over all pairs of different phones, [R], `phone_tau` of each gold phone, [G, R]; empty without costs.
    """

    information: Mapping[str, Floats]
    gold: PhoneDraws
    predicted: PhoneDraws
    tau: Floats
    phone_tau: Floats


@dataclass(frozen=True, eq=False)
class Table:
    """What is asked of the replicates' counts.

    Parameters
    ----------
    same : bool array [G, P]
        Which cells pair a phone with itself.
    prices : float64 array [G, P]
        What a substitution costs.
    gaps : bool
        Whether ∅ counts in entropies.
    similarity : CostTable, optional
        Costs of features, which confusion probabilities are ranked against.
    """

    same: NDArray[np.bool_]
    prices: Floats
    gaps: bool = False
    similarity: CostTable | None = None


def confusion_draws(stack: ConfusionStack, resampling: Resampling, asked: Table) -> ConfusionDraws:
    """Return what the replicates of a corpus' confusions show."""
    parts = [_part(counts, asked) for counts in replicate_counts(stack, resampling)] or [_part(_none(stack), asked)]
    return ConfusionDraws(
        information={name: np.concatenate([part.information[name] for part in parts]) for name in parts[0].information},
        gold=_joined([part.gold for part in parts]),
        predicted=_joined([part.predicted for part in parts]),
        tau=np.concatenate([part.tau for part in parts]),
        phone_tau=np.concatenate([part.phone_tau for part in parts], axis=1),
    )


def taus(counts: Floats, same: NDArray[np.bool_], costs: CostTable) -> tuple[Floats, Floats]:
    """Return `correspondence_tau` of each replicate's counts [G, P, R]: overall, [R], and by gold phone, [G, R]."""
    number = counts.shape[2]
    shares = divided(counts, np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape))
    phones, cells = np.nonzero(~same)
    overall, each = np.full(number, np.nan), np.full((len(counts), number), np.nan)
    level = -costs.substitution[phones, cells].astype(np.int64)
    _rank(shares[phones, cells], level, overall)
    for phone in range(len(counts)):
        _rank(shares[phone, cells[phones == phone]], level[phones == phone], each[phone])
    return overall, each


def _rank(values: Floats, level: NDArray[np.int64], found: Floats) -> None:
    order = np.argsort(level, kind="stable")
    rank_correlations(np.ascontiguousarray(values[order].T), level[order], found)


def _part(counts: Floats, asked: Table) -> ConfusionDraws:
    pairs = counts if asked.gaps else counts[:-1, :-1]
    cells = n_log_n(pairs)
    overall = np.zeros(0), np.zeros((len(asked.same), 0))
    if asked.similarity is not None:
        overall = taus(counts[:-1, :-1], asked.same, asked.similarity)
    return ConfusionDraws(
        information(entropy_sums(pairs, cells)),
        _phones(counts, pairs, cells, asked.same, asked.prices),
        _phones(counts.swapaxes(0, 1), pairs.swapaxes(0, 1), cells.swapaxes(0, 1), asked.same.T, asked.prices.T),
        *overall,
    )


def _phones(counts: Floats, pairs: Floats, cells: Floats, same: NDArray[np.bool_], prices: Floats) -> PhoneDraws:
    own = counts[:-1]
    tokens, heard = own.sum(axis=1), own[:, :-1]
    right = np.einsum("gpr,gp->gr", heard, same.astype(np.float64))
    wrong = heard.sum(axis=1) - right
    paid = np.einsum("gpr,gp->gr", heard, np.where(same, 0.0, prices))
    bits = row_entropies(pairs.sum(axis=1), cells.sum(axis=1))
    return PhoneDraws(
        accuracy=divided(right, tokens),
        deletion_rate=divided(own[:, -1], tokens),
        entropy=bits[: len(same)],
        mean_substitution_cost=divided(paid, wrong),
    )


def _joined(parts: list[PhoneDraws]) -> PhoneDraws:
    return PhoneDraws(*(np.concatenate(arrays, axis=1) for arrays in zip(*map(_fields, parts), strict=True)))


def _fields(part: PhoneDraws) -> Iterator[Floats]:
    yield from (part.accuracy, part.deletion_rate, part.entropy, part.mean_substitution_cost)


def _none(stack: ConfusionStack) -> Floats:
    return np.zeros((len(stack.gold) + 1, len(stack.predicted) + 1, 0))
