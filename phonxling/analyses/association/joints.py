"""Joint distributions from posteriors under resampling and permutation, and estimates of their information.

Conventions
-----------
Rows are gold phones y, columns recognised phones e. `hard` gives each token to the phone of its highest mean posterior
(of equal ones the first). A token counts once (`token`) or by the mass of its frames (`frame`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from phonxling.analyses.information.pointwise import information_of
from phonxling.core.arrays import Floats, code_type
from phonxling.core.estimate import Estimate, joined
from phonxling.core.joint import JointDistribution
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import Unit, joint_of_tokens, token_weights
from phonxling.resample.estimators import entropy
from phonxling.resample.information_interval import information_interval
from phonxling.resample.kernel import add_relabelled
from phonxling.resample.student import jackknife_error
from phonxling.resample.sums import left_out_group_sums, replicate_group_sums
from phonxling.resample.weights import Resampling

_LABELLINGS = 8  # permutations that one pass over the tokens serves


@dataclass(frozen=True, eq=False, kw_only=True)
class ResampledJoint:
    """The joint distribution of all tokens [G, K], of each replicate [R, G, K], and without parts of them [B, G, K].

    The latter two are mass; what is drawn, or left out, together is the cluster of a token's utterance.
    """

    whole: JointDistribution
    drawn: Floats
    left_out: Floats
    resampling: Resampling

    def information(self, measure: Callable[[Floats], float], most: float = math.inf) -> Estimate:
        """Return a measure of the joint mass that is biased in small samples, with its interval.

        By default the jackknife's estimate, see `information_interval`.
        """
        value, drawn, left_out = measure(self.whole.mass), _each(measure, self.drawn), _each(measure, self.left_out)
        centre, error = jackknife(value, left_out), jackknife_error(left_out)
        number = information_interval(
            value, drawn, centre=centre, error=error, resampling=self.resampling, unit="ratio" if most == 1 else "bits"
        )
        basis = f"the interval is of the bias-corrected estimate {centre:.4f}"
        plain = math.isnan(number.low) or self.resampling.method in {"percentile", "basic"}
        return replace(number, value=value, note=number.note if plain else joined([basis, number.note]))


def resampled_joint(
    tokens: TokenPosteriors, resampling: Resampling, unit: Unit = "token", *, hard: bool = False
) -> ResampledJoint:
    """Return the joint distribution of tokens, over all of them and under resampling."""
    size = len(tokens.columns)
    rows = np.eye(size, dtype=np.uint8)[tokens.hard] if hard else tokens.rows
    drawn, left_out = (
        sums(
            rows,
            tokens.codes,
            groups=len(tokens.phones),
            owner=tokens.utterances,
            resampling=resampling,
            counts=token_weights(tokens, unit),
        )
        for sums in (replicate_group_sums, left_out_group_sums)
    )
    whole = joint_of_tokens(tokens, unit, hard=hard)
    return ResampledJoint(whole=whole, drawn=drawn, left_out=left_out, resampling=resampling)


def share_of_gold(mass: Floats) -> float:
    """Return I(Y;E) / H(Y) of a table of mass; NaN where H(Y) is 0.

    Examples
    --------
    >>> share_of_gold(np.eye(2)), share_of_gold(np.ones((2, 2))), share_of_gold(np.ones((1, 2)))
    (1.0, 0.0, nan)
    """
    gold = entropy(mass.sum(axis=1))
    return information_of(mass) / gold if gold > 0 else math.nan


def jackknife(value: float, left_out: Floats) -> float:
    """Return B·θ − (B − 1)·mean θ without each of B parts; NaN for fewer than two.

    Its bias is of a higher order than that of θ (Quenouille 1956).

    Examples
    --------
    The plug-in variance of (1, 2, 6) is 14/3; without one number 4, 25/4 and 1/4. The jackknife makes it unbiased, 7:

    >>> round(jackknife(14 / 3, np.array([4, 25 / 4, 1 / 4])), 12)
    7.0
    """
    parts = len(left_out)
    return float(parts * value - (parts - 1) * left_out.mean()) if parts > 1 else math.nan


def permuted_information(
    tokens: TokenPosteriors, unit: Unit, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return I(Y;E) for so many random permutations of the tokens' gold labels, bits: its level without association.

    First of soft decisions, then of hard ones under the same permutations, [2, permutations]. Whole tokens are
    permuted, each with its row; the mean is the bias of I at this sample size.
    """
    weights, best = token_weights(tokens, unit), tokens.hard
    codes = tokens.codes.astype(code_type(len(tokens.phones)))
    information = np.empty((2, permutations))
    for first in range(0, permutations, _LABELLINGS):
        number = min(_LABELLINGS, permutations - first)
        labels = np.stack([generator.permutation(codes) for _ in range(number)])
        soft, hard = np.zeros((2, number, len(tokens.phones), len(tokens.columns)))
        add_relabelled(tokens.rows, weights, best, labels, soft, hard)
        information[:, first : first + number] = [_each(information_of, masses) for masses in (soft, hard)]
    return information


def _each(measure: Callable[[Floats], float], masses: Floats) -> Floats:
    """Return a measure of each table of mass, [R] of [R, G, K]."""
    return np.array([measure(mass) for mass in masses], dtype=np.float64)
