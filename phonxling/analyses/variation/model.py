"""The binomial mixed model of being right, and its likelihood by Laplace's method.

The right ones among the n tokens of a cell (speaker, phone, recogniser) are binomial(n, 1 / (1 + exp(−η))); η is the
sum of the effects of the cell's speaker, phone, and so on. Effects of a component with a variance are normal around 0
with that variance. Those without one (the mean, and languages where they are few) have a flat prior: the likelihood is
the restricted one (REML), which allows for means being estimated beside the variances.

Tokens are summed by cell, so that the cost depends on cells alone. The effects of speakers, by far the most, are taken
out of the equations first (Schur's complement), since no cell is of two speakers.

References
----------
Breslow & Clayton (1993), Approximate inference in generalized linear mixed models. Bates et al. (2015), Fitting linear
mixed-effects models using lme4. Kristensen et al. (2016), TMB: automatic differentiation and Laplace approximation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from phonxling.core.arrays import Codes, Floats, divided

_STEPS = 100
_NEAR = 1e-18  # the rise of the density that is no longer worth a step: the determinant moves by its square root
_ROUNDING = 1e-6  # a rise that is too small to be seen for certain
_LEAST = 1e-6  # of a step that is halved since it went too far


@dataclass(frozen=True, eq=False)
class Language:
    """The cells of one language: S speakers, who are of no other, times K kinds (a phone, heard by a recogniser).

    Parameters
    ----------
    tokens, right : float64 array [S, K]
        Tokens of each cell, and those that are right.
    effects : int64 array [k]
        The effects that the language has a part in, speakers left out.
    of_kind : float64 array [K, k]
        1 where a kind has the effect.
    """

    tokens: Floats
    right: Floats
    effects: Codes
    of_kind: Floats


@dataclass(frozen=True, eq=False)
class Model:
    """The cells of all languages, and which component each of the q effects belongs to, −1 for one without variance.

    The last component, number `components` − 1, is that of the speakers.
    """

    languages: Sequence[Language]
    component: Codes
    components: int


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects [q], and those of the speakers of each language [S]."""

    shared: Floats
    speakers: Sequence[Floats]

    def moved(self, step: "Effects", size: float) -> "Effects":
        """Return effects that have gone a step of some size."""
        own = [here + size * there for here, there in zip(self.speakers, step.speakers, strict=True)]
        return Effects(self.shared + size * step.shared, own)

    def times(self, shared: Floats, own: float) -> "Effects":
        """Return effects multiplied by factors, `own` of speakers."""
        return Effects(self.shared * shared, [own * speakers for speakers in self.speakers])


@dataclass(frozen=True, eq=False)
class Mode:
    """The most likely effects given the variances, and the log likelihood of the variances; −∞ where none were found.

    `precision` [q, q] is the inverse of the covariance of the shared effects, speakers allowed for.
    """

    value: float
    effects: Effects
    precision: Floats


def laplace(model: Model, variances: Floats, start: Effects | None = None) -> Mode:
    """Return the mode for some variances [components], found from other effects where some are given.

    Equation
    --------
    log L = Σ log binomial(right; tokens, η̂) − ½ Σ b̂² − ½ log |H|, H minus the second derivatives at the most likely
    effects b̂ (binomial coefficients, which no variance changes, are left out).

    Examples
    --------
    >>> one = Language(np.array([[4.0], [4.0]]), np.array([[3.0], [1.0]]), np.array([0]), np.ones((1, 1)))
    >>> mode = laplace(Model([one], component=np.array([-1]), components=1), np.array([0.0]))
    >>> bool(mode.effects.shared[0] == 0), bool(np.isclose(mode.value, 8 * np.log(0.5) - np.log(8 * 0.25) / 2))
    (True, True)
    """
    scaled = _Scaled(model, np.sqrt(variances))
    nothing = Effects(np.zeros(len(model.component)), [np.zeros(len(one.tokens)) for one in model.languages])
    mode = scaled.mode(scaled.unscaled(start)) if start is not None else None
    mode = mode or scaled.mode(nothing)
    return mode or Mode(-np.inf, nothing, np.eye(len(model.component)))


@dataclass(frozen=True, eq=False)
class _Place:
    """Some effects: the log density of them and of what was seen, its second derivatives, and Newton's step on.

    `rise` is twice what the step would add to a density that were a parabola.
    """

    effects: Effects
    density: float
    precision: Floats
    log_determinant: float
    step: Effects
    rise: float


class _Scaled:
    """A model at given standard deviations."""

    def __init__(self, model: Model, deviations: Floats) -> None:
        self.languages, self.random, self.own = model.languages, model.component >= 0, float(deviations[-1])
        self.scale = np.where(self.random, deviations[model.component], 1.0)
        self.designs = [one.of_kind * self.scale[one.effects] for one in model.languages]

    def unscaled(self, effects: Effects) -> Effects:
        """Return effects in standard deviations; 0 where there is none."""
        return effects.times(divided(1, self.scale, undefined=0.0), 1 / self.own if self.own else 0.0)

    def mode(self, start: Effects) -> Mode | None:
        """Return the mode that is found from some effects, in standard deviations; None where the steps fail."""
        here = self.place(start)
        for _ in range(_STEPS):
            if here is None:
                return None
            if here.rise < _NEAR:
                value = here.density - here.log_determinant / 2
                return Mode(value, here.effects.times(self.scale, self.own), here.precision)
            here = self.further(here)
        return None

    def further(self, here: _Place) -> _Place | None:
        """Return the place a step on, or a part of a step, so that the density is not lower; None where all are."""
        size = 1.0
        while size > _LEAST:
            there = self.place(here.effects.moved(here.step, size))
            if there is not None and (there.density >= here.density or here.rise < _ROUNDING):
                return there
            size /= 2
        return None

    def place(self, effects: Effects) -> _Place | None:
        """Return a place; None where effects are so large that tokens tell nothing of them."""
        precision, gradient = np.diag(self.random.astype(np.float64)), np.where(self.random, -effects.shared, 0.0)
        density, determinant, rise = -0.5 * float((effects.shared[self.random] ** 2).sum()), 0.0, 0.0
        parts = []
        for language, design, speakers in zip(self.languages, self.designs, effects.speakers, strict=True):
            logits = design @ effects.shared[language.effects] + self.own * speakers[:, None]
            less = np.exp(-np.abs(logits))  # the odds, or 1 / the odds, whichever is less than 1
            share = np.where(logits > 0, 1.0, less) / (1 + less)
            likelihood = language.right * logits - language.tokens * (np.maximum(logits, 0) + np.log1p(less))
            density += float(likelihood.sum()) - 0.5 * float((speakers**2).sum())
            weight = language.tokens * (less / (1 + less) ** 2)
            residual = language.right - language.tokens * share
            curvature = 1 + self.own**2 * weight.sum(axis=1)
            alone = (self.own * residual.sum(axis=1) - speakers) / curvature
            crossed = self.own * weight
            kinds = np.diag(weight.sum(axis=0)) - crossed.T @ (crossed / curvature[:, None])
            precision[np.ix_(language.effects, language.effects)] += design.T @ kinds @ design
            gradient[language.effects] += design.T @ (residual.sum(axis=0) - crossed.T @ alone)
            determinant += float(np.log(curvature).sum())
            rise += float((alone**2 * curvature).sum())
            parts.append((language.effects, design, crossed, curvature, alone))
        try:
            factor = scipy.linalg.cho_factor(precision, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        step = scipy.linalg.cho_solve(factor, gradient, check_finite=False)
        own = [alone - crossed @ (design @ step[shared]) / size for shared, design, crossed, size, alone in parts]
        determinant += 2 * float(np.log(np.diag(factor[0])).sum())
        return _Place(effects, density, precision, determinant, Effects(step, own), rise + float(gradient @ step))
