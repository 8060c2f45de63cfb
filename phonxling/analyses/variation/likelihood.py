"""The variances of the components, and the limits of their shares by the profile of the likelihood.

A share lies within its limits if some variances give it whose log likelihood is at most half a quantile of χ² (of one
degree of freedom) below the highest. So its limits are its least and its greatest value over all such variances.

Venzon & Moolgavkar (1988), A method for computing profile-likelihood-based confidence intervals.
"""

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
import scipy

from phonxling.analyses.variation.model import Effects, Mode, Model, laplace
from phonxling.core.arrays import Floats

_OFFSET = 0.01  # variances are sought on the scale log(variance + offset), on which 0 is not far away
_STARTS = 0.3, 0.03, 3.0  # the variances from which the most likely ones are sought, one after the other
_FLAT = 0.01  # a slope of the likelihood that is none
_MOST = 100.0  # a variance that no data need
_AHEAD = 1e-5  # how far ahead the slope is taken
_CLOSE = 0.02  # of the likelihood at a limit to that wanted

_Place: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
Share: TypeAlias = Callable[[Floats], float]
"""A share as a function of the variances of the model."""


class Likelihood:
    """The likelihood of the variances of a model, by Laplace's method.

    It remembers the effects last found, from which those of other variances are soon found.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._effects: Effects | None = None
        self._bounds = [(math.log(_OFFSET), math.log(_MOST))] * model.components

    @cached_property
    def best(self) -> Floats:
        """The most likely variances, [components]; ArithmeticError where none were found."""
        return _variances(self._best)

    @cached_property
    def mode(self) -> Mode:
        """The most likely effects under them."""
        return laplace(self._model, self.best, self._effects)

    def limits(self, share: Share, level: float) -> tuple[float, float]:
        """Return the limits of a share: 0 and 1 where variances up to 100 reach none, NaN where one was not found."""
        least = self.mode.value - scipy.stats.chi2.ppf(level, 1) / 2
        low, high = (self._limit(share, sign, least) for sign in (1.0, -1.0))
        return low, high

    @cached_property
    def _best(self) -> _Place:
        for start in _STARTS:
            found = scipy.optimize.minimize(
                self._loss,
                [math.log(start + _OFFSET)] * self._model.components,
                jac=partial(self._slope, self._loss),
                method="L-BFGS-B",
                bounds=self._bounds,
                options={"ftol": 1e-14, "gtol": 1e-5},
            )
            place = np.asarray(found.x, dtype=np.float64).ravel()
            (first, last), slope = self._bounds[0], self._slope(self._loss, place)
            uphill = np.where(place > first, slope, 0.0) > _FLAT, np.where(place < last, -slope, 0.0) > _FLAT
            if np.isfinite(slope).all() and not np.any(uphill):
                return place
        raise ArithmeticError("the most likely variances were not found")

    def _limit(self, share: Share, sign: float, least: float) -> float:
        def aim(place: _Place) -> float:
            return 10 * sign * share(_variances(place))  # of about the size of the logarithm of the likelihood

        def room(place: _Place) -> _Place:
            return np.array([-self._loss(place) - least])

        found = scipy.optimize.minimize(
            aim,
            self._best,
            jac=partial(self._slope, aim),
            method="SLSQP",
            bounds=self._bounds,
            constraints=scipy.optimize.NonlinearConstraint(
                room, 0.0, np.inf, jac=lambda place: -self._slope(self._loss, place)
            ),
            options={"ftol": 1e-6, "maxiter": 60},
        )
        variances, left = _variances(found.x), float(room(found.x)[0])
        value = share(variances)
        if left > _CLOSE and variances.max() > 0.99 * _MOST:
            return 0.0 if sign > 0 else 1.0
        at_an_end = left > 0 and min(value, variances.max()) < 1e-6
        return value if abs(left) < _CLOSE or at_an_end else float("nan")

    def _loss(self, place: _Place) -> float:
        mode = laplace(self._model, _variances(place), self._effects)
        self._effects = mode.effects
        return -mode.value

    def _slope(self, function: Callable[[_Place], float], place: _Place) -> _Place:
        """Return a function's slope at a place within the bounds."""
        here, slope = function(place), np.empty(len(place))
        for number, (_, last) in enumerate(self._bounds):
            ahead = place.copy()
            ahead[number] += _AHEAD if place[number] + _AHEAD <= last else -_AHEAD
            slope[number] = (function(ahead) - here) / (ahead[number] - place[number])
        return slope


def _variances(place: _Place) -> Floats:
    return _OFFSET * np.expm1(place - math.log(_OFFSET))
