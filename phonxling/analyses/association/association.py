"""Posteriors with time-stamped gold: association, soft and hard, with its intervals, its null and its cells' tests."""

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.association.joints import (
    CellTests,
    cell_tests,
    jackknife,
    left_out_joints,
    permuted_information,
    replicate_joints,
)
from phonxling.analyses.information.pointwise import information_of
from phonxling.core.estimate import Estimate
from phonxling.core.joint import JointDistribution
from phonxling.core.means import TokenPosteriors
from phonxling.count.posteriors import joint_of_tokens
from phonxling.resample.bootstrap import Method, estimate
from phonxling.resample.estimators import entropy
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Association:
    """The association of one corpus' gold phones with what its posteriors say.

    Parameters
    ----------
    name : str
        The corpus.
    tokens : TokenPosteriors
        The mean posterior of each gold token.
    resampling : Resampling, optional
        The corpus' bootstrap weights, by utterance of the segments; without them there are no intervals.
    experiment : Experiment
        The settings.
    """

    name: str
    tokens: TokenPosteriors
    experiment: Experiment
    resampling: Resampling | None = None

    @property
    def unit(self) -> str:
        """What counts once: `token` or `frame`."""
        return self.experiment.information.unit

    @cached_property
    def soft(self) -> JointDistribution:
        """The joint distribution from the posteriors."""
        return joint_of_tokens(self.tokens, self.experiment.information.unit)

    @cached_property
    def hard(self) -> JointDistribution:
        """The joint distribution from hard decisions."""
        return joint_of_tokens(self.tokens, self.experiment.information.unit, hard=True)

    @cached_property
    def drawn(self) -> Floats:
        """The joint mass of each bootstrap replicate, [R, G, K]; R is 0 without replicates."""
        return self._drawn(hard=False)

    @cached_property
    def cells(self) -> CellTests:
        """Limits and tests of the cells of the soft joint distribution."""
        owner = np.zeros(0, np.int64) if self.resampling is None else self.resampling.clusters[self.tokens.utterances]
        codes = self.tokens.codes[: len(owner)].astype(np.int64)
        held = np.unique(np.stack([codes, owner]), axis=1)[0]
        clusters = np.bincount(held, minlength=len(self.tokens.phones))
        return cell_tests(self.tokens, self.drawn, clusters, self.experiment.uncertainty.level, self.unit)

    def information(self, measure: Callable[[Floats], float], *, hard: bool, most: float = math.inf) -> Estimate:
        """Return a measure of the joint mass that is biased in small samples, with its interval.

        By default the jackknife's estimate ± z standard deviations of the replicates; no limit is below 0, or above
        `most`.
        """
        mass = self.hard.mass if hard else self.soft.mass
        value = measure(mass)
        if self.resampling is None or not self.resampling.replicates:
            return Estimate(value)
        drawn = np.array([measure(one) for one in (self._hard_drawn if hard else self.drawn)])
        without = np.array([measure(one) for one in self._left_out[hard]])
        centre, method = jackknife(value, without), self._method()
        found = estimate(value, drawn, self.resampling, method, left_out=without, centre=centre)
        return within(found, method, centre, most)

    def null(self, *, hard: bool) -> Floats:
        """Return I(Y;E) for each permutation of the tokens' gold labels, the same for soft and hard decisions."""
        return self._nulls[hard]

    @cached_property
    def _nulls(self) -> tuple[Floats, Floats]:
        experiment, name = self.experiment, zlib.crc32(self.name.encode())
        generator = np.random.default_rng([experiment.seed, name, zlib.crc32(b"permutation")])
        return permuted_information(self.tokens, self.unit, experiment.information.permutations, generator)

    @cached_property
    def _hard_drawn(self) -> Floats:
        return self._drawn(hard=True)

    def _drawn(self, *, hard: bool) -> Floats:
        if self.resampling is None:
            return np.zeros((0, *self.soft.mass.shape))
        return replicate_joints(self.tokens, self.resampling, self.unit, hard=hard)

    @cached_property
    def _left_out(self) -> tuple[Floats, Floats]:
        """The joint mass without each of some groups of clusters, of soft and of hard decisions, [B, G, K] each."""
        if self.resampling is None:
            return self.drawn, self._hard_drawn
        parts = (left_out_joints(self.tokens, self.resampling, self.unit, hard=hard) for hard in (False, True))
        soft, hard = parts
        return soft, hard

    def _method(self) -> Method:
        chosen = self.experiment.uncertainty.method
        return "normal" if chosen == "auto" else chosen


def share_of_gold(mass: Floats) -> float:
    """Return I(Y;E) / H(Y) of a table of mass; NaN where H(Y) is 0.

    Examples
    --------
    >>> share_of_gold(np.eye(2)), share_of_gold(np.ones((2, 2))), share_of_gold(np.ones((1, 2)))
    (1.0, 0.0, nan)
    """
    gold = entropy(mass.sum(axis=1))
    return information_of(mass) / gold if gold > 0 else math.nan


def within(found: Estimate, method: Method, centre: float, most: float) -> Estimate:
    """Return an estimate with its limits kept between 0 and `most`, and with words on what they are limits of.

    Examples
    --------
    >>> within(Estimate(1.5, -0.1, 1.7, 0.95), "normal", 0.8, most=1.0)
    Estimate(value=1.5, low=0.0, high=1.0, level=0.95, note='the interval is of the bias-corrected estimate 0.8000')
    >>> within(Estimate(0.1, -0.3, -0.1, 0.95), "normal", -0.2, most=1.0).note
    'no interval: all of it would lie below 0'
    """
    if math.isnan(found.low):
        return found
    if found.high <= 0:
        return Estimate(found.value, note="no interval: all of it would lie below 0")
    plain = f"{method} limits of a biased estimate"
    said = f"the interval is of the bias-corrected estimate {centre:.4f}" if method == "normal" else plain
    low, high = (float(np.clip(limit, 0.0, most)) for limit in (found.low, found.high))
    return replace(found, low=low, high=high, note="; ".join(filter(None, [said, found.note])))
