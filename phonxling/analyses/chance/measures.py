"""The measures of a confusion matrix that stand beside chance, of many matrices at once.

Aligning by features makes unrelated sequences look alike, so each of these is computed of predictions without
information too, aligned anew.

Measures
--------
H(X|Y), H(Y|X), I(X;Y) and H(Y) by the plug-in, in bits; Kendall's τ_b of confusion probability and feature similarity
over different symbols; one-to-one accuracy, in the sample and cross-fitted: each half of the utterances scored by the
assignment of the other half.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from phonxling.analyses.correspondence.one_to_one import cross_fitted_matches
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.stack import ConfusionStack
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.kernel import rank_correlations
from phonxling.resample.replicates import grouped_counts, grouped_replicate_counts
from phonxling.resample.weights import Resampling, divided

Floats = NDArray[np.float64]
MEASURES = (
    "conditional_entropy",
    "conditional_entropy_given_predicted",
    "mutual_information",
    "entropy_gold",
    "correspondence_tau",
    "cross-fitted",
    "in-sample",
)


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of confusions.

    Parameters
    ----------
    half : int8 array [U]
        The half of each utterance, for cross-fitting; all 0 where there are no halves.
    gaps : bool
        Whether ∅ counts in entropies.
    similarity : CostTable, optional
        Feature costs, which confusions are ranked against; τ is NaN without.
    """

    half: NDArray[np.int8]
    gaps: bool = False
    similarity: CostTable | None = None


def measure_stack(stack: ConfusionStack, asked: Asked) -> dict[str, float]:
    """Return each of `MEASURES` of the whole corpus; NaN where it is not defined."""
    sides = grouped_counts(stack, asked.half, 2)[..., None]
    found = {name: float(values[0]) for name, values in _measured(sides[0], sides[1], stack, asked).items()}
    if np.isnan(found["cross-fitted"]):
        return found
    matched, tokens = cross_fitted_matches(stack, asked.half)  # of equally good assignments the first
    return found | {"cross-fitted": float(matched.sum() / tokens.sum())}


def measure_draws(stack: ConfusionStack, resampling: Resampling, asked: Asked) -> dict[str, Floats]:
    """Return each of `MEASURES` of each bootstrap replicate, [R] each; one-to-one assignments are made anew."""
    parts = grouped_replicate_counts(stack, resampling, asked.half, 2)
    found = [_measured(part[0], part[1], stack, asked) for part in parts]
    return {name: np.concatenate([np.zeros(0), *(part[name] for part in found)]) for name in MEASURES}


def _measured(first: Floats, second: Floats, stack: ConfusionStack, asked: Asked) -> dict[str, Floats]:
    """Return the measures of replicates whose halves have these counts, [G + 1, P + 1, R] each."""
    counts = first + second
    bits = information(entropy_sums(counts if asked.gaps else counts[:-1, :-1]))
    heard = [part[:-1, :-1] for part in (first, second, counts)]
    rounds = range(counts.shape[2])
    tau = _taus(heard[2], stack, asked)
    crossed = [
        _matched(heard[0][..., r], heard[1][..., r]) + _matched(heard[1][..., r], heard[0][..., r]) for r in rounds
    ]
    inside = [_matched(heard[2][..., r], heard[2][..., r]) for r in rounds]
    matched = [divided(np.array(value, dtype=np.float64), heard[2].sum(axis=(0, 1))) for value in (crossed, inside)]
    if len(set(asked.half.tolist())) < 2:
        matched[0] = np.full(len(rounds), np.nan)
    return dict(zip(MEASURES, [*(bits[name] for name in MEASURES[:4]), tau, *matched], strict=True))


def _taus(counts: Floats, stack: ConfusionStack, asked: Asked) -> Floats:
    """Return τ of the counts [G, P, R] of replicates, as `correspondence_tau` has it over all phones."""
    found = np.full(counts.shape[2], np.nan)
    if asked.similarity is None:
        return found
    other = ~ConfusionMatrix.zero(stack.gold, stack.predicted).same_symbol()
    nearness = -asked.similarity.substitution[other]
    order = np.argsort(nearness, kind="stable")
    shares = divided(counts, np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape))[other]
    rank_correlations(np.ascontiguousarray(shares[order].T), nearness[order].astype(np.int64), found)
    return found


def _matched(fitted: Floats, judged: Floats) -> float:
    """Return the tokens that the assignment made on other counts matches; a pair never seen there is no pair."""
    rows, columns = linear_sum_assignment(fitted, maximize=True)
    return float(judged[rows, columns][fitted[rows, columns] > 0].sum())
