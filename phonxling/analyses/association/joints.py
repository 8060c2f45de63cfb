"""Joint distributions from posteriors under resampling and permutation, and estimates of their information.

Conventions
-----------
Rows are gold phones y, columns recognised phones e: the most probable ones (`hard`; by frames each frame's own, of
equal ones the first), or phones drawn from the posterior. A token counts once (`token`) or by the mass of its frames
(`frame`).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.association.kernel import permute
from phonxling.core.arrays import Codes, Floats, aligned, code_type
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.joint import JointDistribution
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import Unit, decided_rows, joint_of_tokens, token_weights
from phonxling.count.rows import parts_of
from phonxling.resample.entropy_sums import entropy_sums, information
from phonxling.resample.information_interval import information_interval
from phonxling.resample.jackknife import jackknife
from phonxling.resample.kernel import add_relabelled, add_relabelled_cells
from phonxling.resample.replicates import over_replicates
from phonxling.resample.sums import left_out_group_sums, replicate_group_sums
from phonxling.resample.weights import Resampling

_BIASED = 0.25  # share of the plug-in that its null is, above which intervals hold the truth in fewer than 90 %
_FEWEST, _MOST = 8, 32  # permutations that one pass over the tokens serves
_LABELS = 160_000_000  # bytes that they may take where that is more than the fewest
_DRAWS = 1 << 16  # that are made at one time
_TOGETHER = 16  # tables of mass that are measured at one time


@dataclass(frozen=True, eq=False, kw_only=True)
class ResampledJoint:
    """The joint distribution of all tokens [G, K], of each replicate [R, G, K], and without parts of them [B, G, K].

    The latter two are mass; what is drawn, or left out, together is the cluster of a token's utterance. `counted` says
    whether the mass is a count of tokens.
    """

    whole: JointDistribution
    drawn: Floats
    left_out: Floats
    resampling: Resampling
    counted: bool

    def information(self, name: str = "mutual_information", most: float = math.inf) -> Estimate:
        """Return a measure of information by its name, bias-corrected, with its interval: see `information_interval`.

        The jackknife over clusters, of Miller–Madow where tokens are counted, else of the plug-in.
        """
        value, drawn, left_out = self.plug_in(name, corrected=self.counted), self._of_draws[name], self._without[name]
        corrected = jackknife(value, left_out)
        return information_interval(
            value if math.isnan(corrected) else corrected, drawn, self.resampling, left_out=left_out, most=most
        )

    def plug_in(self, name: str = "mutual_information", *, corrected: bool = False) -> float:
        """Return the measure of the mass as it is, or by Miller–Madow."""
        return float(_each(self.whole.mass[None], corrected=corrected)[name][0])

    @cached_property
    def _of_draws(self) -> Mapping[str, Floats]:
        return _each(self.drawn, corrected=self.counted)

    @cached_property
    def _without(self) -> Mapping[str, Floats]:
        return _each(self.left_out, corrected=self.counted)


def resampled_joint(
    tokens: TokenPosteriors,
    resampling: Resampling,
    unit: Unit = "token",
    *,
    hard: bool = False,
    drawn: Floats | None = None,
) -> ResampledJoint:
    """Return the joint distribution of tokens, over all of them and under resampling.

    `drawn` is its mass in each replicate where that is known, [R, G, K].
    """
    rows, counts = decided_rows(tokens, unit) if hard else (tokens.rows, token_weights(tokens, unit))
    counted = hard and unit == "token"
    groups, owner = len(tokens.phones), tokens.utterances
    if drawn is None and counted:
        drawn = _drawn_decisions(tokens, resampling)
    elif drawn is None:
        drawn = replicate_group_sums(
            rows, tokens.codes, groups=groups, owner=owner, resampling=resampling, counts=counts
        )
    left_out = left_out_group_sums(rows, tokens.codes, groups=groups, owner=owner, resampling=resampling, counts=counts)
    whole = joint_of_tokens(tokens, unit, hard=hard)
    return ResampledJoint(whole=whole, drawn=drawn, left_out=left_out, resampling=resampling, counted=counted)


def _drawn_decisions(tokens: TokenPosteriors, resampling: Resampling) -> Floats:
    """Return the replicate sums of decisions, [R, G, K], from counts: an utterance has few of all pairs of phones."""
    utterances, width = len(resampling.clusters), len(tokens.columns) + 1
    size = (len(tokens.phones) + 1) * width
    present, counts = np.unique(tokens.utterances * size + tokens.codes * width + tokens.hard, return_counts=True)
    stack = ConfusionStack(
        utterances=tuple(map(str, range(utterances))),
        gold=tokens.phones,
        predicted=tokens.columns,
        offsets=np.searchsorted(present, size * np.arange(utterances + 1)),
        cells=present % size,
        counts=counts,
    )
    return np.moveaxis(over_replicates(stack, resampling, lambda drawn: drawn[:-1, :-1]), -1, 0)


def permuted_information(
    tokens: TokenPosteriors, unit: Unit, within: Codes, *, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return the plug-in I(Y;E) for random permutations of the gold labels, bits: its level without association.

    First of decisions, then of draws from the posteriors under the same permutations, [2, permutations]. Whole tokens
    are permuted, each with its row, among those of equal `within` [N]. The mean is the bias of I at this sample size.
    """
    codes = tokens.codes.astype(code_type(len(tokens.phones)))
    starts = np.cumsum([0, *np.bincount(within)])
    order = np.argsort(within, kind="stable") if len(starts) > 2 else slice(None)
    permuted = _permuted(codes, order, starts, generator)
    weights, decisions = token_weights(tokens, unit), decided_rows(tokens, unit)[0]
    parts = [(part, _cells(decisions[part])) for part in parts_of(tokens.rows)]
    drawn = np.empty((2, permutations))
    together = min(max(_FEWEST, _LABELS // max(1, codes.nbytes)), _MOST)
    for first in range(0, permutations, together):
        labels = np.empty((min(together, permutations - first), len(codes)), codes.dtype)
        for labelling in labels:
            labelling[:] = next(permuted)
        decided, sampled = (aligned((len(labels), len(tokens.phones), len(tokens.columns))) for _ in range(2))
        decided[:], sampled[:] = 0, 0
        for part, cells in parts:
            own = np.ascontiguousarray(labels[:, part])
            add_relabelled(tokens.rows[part].astype(np.float64, copy=False), weights[part], own, sampled)
            add_relabelled_cells(*cells, own, decided)
        drawn[:, first : first + len(labels)] = [_each(masses)["mutual_information"] for masses in (decided, sampled)]
    return drawn


def few_tokens(plug_in: float, null: Floats) -> str:
    """Return a warning where tokens are few: the documentation has how often such intervals hold the truth."""
    share = null.mean() / plug_in if len(null) and plug_in > 0 else 0.0
    if share <= _BIASED:
        return ""
    return f"few tokens: the interval covers too little, since {share:.0%} of the plug-in is chance"


def _cells(rows: NDArray[np.number]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.number]]:
    """Return the values of decisions that are not 0: the row, the column, and the value of each."""
    owner, column = np.nonzero(rows)
    return owner.astype(np.int32), column.astype(np.int32), rows[owner, column]


def _permuted(
    codes: NDArray[np.generic], order: Codes | slice, starts: Codes, generator: np.random.Generator
) -> Iterator[NDArray[np.generic]]:
    """Yield the codes with those of each group permuted, without end, as `generator.permutation` does, and as it draws.

    `order` [N] are the places of the codes, group by group; `starts` [G + 1] is where each group begins there.
    """
    draws = np.empty(0, np.uint32)
    while True:
        own, group, left, labels = codes[order].copy(), 0, -1, np.empty_like(codes)
        while group < len(starts) - 1:
            draws = draws if len(draws) else generator.bit_generator.random_raw(_DRAWS // 2).view(np.uint32)
            group, left, used = permute(own, starts, draws, group, left)
            draws = draws[used:]
        labels[order] = own
        yield labels


def _each(masses: Floats, *, corrected: bool = False) -> Mapping[str, Floats]:
    """Return each measure of information of each table of mass [R, G, K], [R], some tables at a time."""
    firsts = range(0, max(1, len(masses)), _TOGETHER)
    parts = (np.moveaxis(masses[first : first + _TOGETHER], 0, -1) for first in firsts)
    measured = [information(entropy_sums(part, corrected=corrected)) for part in parts]
    return {name: np.concatenate([part[name] for part in measured]) for name in measured[0]}
