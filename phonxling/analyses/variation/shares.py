"""The shares of the components in the variance of being right, on the scale of logits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
import scipy

from phonxling.analyses.variation.components import Component, Design
from phonxling.analyses.variation.likelihood import Likelihood
from phonxling.analyses.variation.model import Mode
from phonxling.core.arrays import Floats
from phonxling.core.estimate import DESCRIPTIVE, joined
from phonxling.resample.student import FEW_CLUSTERS

SPEAKER, UTTERANCE, RESIDUAL = "speaker", "utterance", "residual"
TOKEN_VARIANCE = np.pi**2 / 3
"""What a token adds by itself: the variance of the logistic distribution."""
_FEW = DESCRIPTIVE + "the interval rests on {} {}s only"
_ALONE = "these {} {}s alone: too few to tell of others, so no interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of variation.tsv."""

    component: str
    levels: float = np.nan
    variance: float = np.nan
    share: float = np.nan
    low: float = np.nan
    high: float = np.nan
    right_below: float = np.nan
    right_above: float = np.nan
    level: float = np.nan
    n: float = np.nan
    note: str = ""


def shares(design: Design, *, unit: str, level: float) -> Iterator[Row]:
    """Yield the rows of a design: its components, speakers or what `unit` is, and the residual."""
    likelihood = Likelihood(design.model)
    fixed = {one.name: _described(one, likelihood.mode) for one in design.components if one.fixed}
    constant = TOKEN_VARIANCE + sum(variance for _, variance in fixed.values())
    middle = float(likelihood.mode.effects.shared[0]) + sum(mean for mean, _ in fixed.values())
    tokens = sum(float(one.tokens.sum()) for one in design.model.languages)

    def row(name: str, variance: float, note: str = "") -> Row:
        below, above = scipy.special.expit(middle + np.sqrt(variance) * np.array([-1, 1]))
        share = variance / (float(likelihood.best.sum()) + constant)
        ends = {"right_below": float(below), "right_above": float(above)} if name != RESIDUAL else {}
        return Row(component=name, variance=variance, share=share, **ends, n=tokens, note=note)

    def estimated(name: str, own: Callable[[Floats], float], levels: float = np.nan, note: str = "") -> Row:
        low, high = likelihood.limits(lambda variances: own(variances) / (float(variances.sum()) + constant), level)
        missing = "the limits were not found" * bool(np.isnan([low, high]).any())
        few = _FEW.format(levels, name) * (levels < FEW_CLUSTERS)
        own_row = row(name, own(likelihood.best), joined([few, note, missing]))
        return replace(own_row, levels=levels, low=low, high=high, level=level)

    for one in design.components:
        if one.fixed:
            note = joined([_ALONE.format(len(one.effects), one.name), one.note])
            yield replace(row(one.name, fixed[one.name][1], note), levels=len(one.effects))
        else:
            yield estimated(one.name, itemgetter(one.variance), len(one.effects), one.note)
    yield estimated(unit, itemgetter(-1), sum(len(one.tokens) for one in design.model.languages))
    yield estimated(RESIDUAL, lambda _: TOKEN_VARIANCE)


def _described(component: Component, mode: Mode) -> tuple[float, float]:
    """Return the mean and the variance of the effects of a fixed component, less what the variance has by chance."""
    effects, covariance = mode.effects.shared[component.effects], np.linalg.inv(mode.precision)
    covariance = covariance[np.ix_(component.effects, component.effects)]
    first = component.effects == 0
    effects = np.where(first, 0.0, effects)
    covariance[first], covariance[:, first] = 0.0, 0.0
    centre = np.eye(len(effects)) - 1 / len(effects)
    squares = float(effects @ centre @ effects) - float(np.trace(centre @ covariance))
    return float(effects.mean()), max(squares / (len(effects) - 1), 0.0)
