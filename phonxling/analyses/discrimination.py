"""Discrimination that was measured, as in ABX tests, beside what the recogniser predicts of the same contrasts.

Numbers
-------
Spearman's ρ over K contrasts between the mean accuracy of listeners and: `js`, the divergence of what the two phones
are heard as; `features`, their feature distance, the baseline; each covariate; `joint`, all of these together: ranks of
accuracy are fitted by the ranks of the others, by least squares, and each contrast is predicted by the fit without it.
What a predictor gains over the baseline is the difference of the two ρ.

The ceiling is of listeners halved at random, 50 times: r, the mean ρ between the halves' accuracies, stepped up to all
listeners, 2r / (1 + r) (Spearman 1910; Brown 1910).

Intervals
---------
Contrasts that share a phone are not independent. With u_a what contrast a adds by the jackknife on Fisher's scale, the
variance is Σ u_a u_b / K² over all pairs that share a phone, a = b among them, and at least that of a = b alone, times
G / (G − 2); limits are by t on G − 1 degrees of freedom, G phones. They are of other contrasts of other phones, with
these listeners and tokens. There are none below five phones.

References
----------
Spearman (1904, 1910). Brown (1910). Aronow, Samii & Assenova (2015), Cluster-robust variance estimation for dyadic
data.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from phonxling.analyses.map import centred_ranks, rank_agreement
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.errors import DataError
from phonxling.core.estimate import Estimate
from phonxling.core.spelling import canonical
from phonxling.load.resources import load_contrasts
from phonxling.load.urls import local
from phonxling.settings.models import Assimilation

_HALVINGS, _FEWEST = 50, 5  # of listeners; phones
_FEW = "no interval: fewer than five phones"
_KEYS = ["phone", "other"]
_TAKEN = ("js", "features", "joint", "listeners", "accuracy")
_ALONE = "one listener, or none named, has no halves"


def discrimination(
    table: pd.DataFrame, settings: Assimilation, level: float, generator: np.random.Generator
) -> Iterator[Row]:
    """Yield ρ of each predictor, what it gains over features, and the ceiling; add the accuracy to assimilation.tsv."""
    if settings.discrimination is None:
        return
    answers = pd.DataFrame(load_contrasts(local(settings.discrimination), "accuracy"))
    keys = pd.DataFrame([sorted(map(canonical, pair)) for pair in table[_KEYS].to_numpy()], table.index, _KEYS)
    means = keys.merge(answers.groupby(_KEYS, as_index=False)["accuracy"].mean(), "left", _KEYS)
    table["accuracy"] = means["accuracy"].to_numpy()
    named = {"js": table["js"], "features": table["distance"]}
    if settings.covariates is not None:
        others = pd.DataFrame(load_contrasts(local(settings.covariates))).drop(columns="listener", errors="ignore")
        beside = keys.merge(others.groupby(_KEYS, as_index=False).mean(), "left", _KEYS)
        if taken := {*_TAKEN} & {*beside.columns}:
            raise DataError(f"{settings.covariates}: a covariate may not be called {' or '.join(sorted(taken))}")
        named |= {str(name): beside[name] for name in beside.columns.drop(_KEYS)}
    own = np.column_stack([means["accuracy"], *named.values()]).astype(np.float64)
    known = np.isfinite(own).all(axis=1) & ~keys.duplicated().to_numpy()
    pairs, accuracy, everything = keys[known], own[known, 0], own[known, 1:]
    predictors: dict[str, Floats] = dict(zip(named, everything.T, strict=True))
    number, missing = len(pairs), len(answers[_KEYS].drop_duplicates()) - len(pairs)
    note = f"{missing} measured contrasts have no prediction" * bool(missing)
    left = _without_each(number)
    outside = accuracy[left]
    rho = {
        name: (float(rank_agreement(x, accuracy)), rank_agreement(x[left], outside)) for name, x in predictors.items()
    }
    if number > everything.shape[1] + 2:
        fits = np.array([joint(everything[rows], accuracy[rows]) for rows in left])
        rho["joint"] = float(rank_agreement(joint(everything, accuracy), accuracy)), rank_agreement(fits, outside)
    limits = _interval(pairs.to_numpy(), level)
    for name, (value, without) in rho.items():
        yield row_of("discrimination_rho", limits(value, without, fisher=True), number, name, note or _few(value))
        if name != "features":
            base, left_out = rho["features"]
            gain = limits(value - base, without - left_out).within(-2, 2)
            yield row_of("discrimination_gain", gain, number, name, _few(value - base))
    yield _ceiling(answers, pairs, limits, generator)


def _few(value: float) -> str:
    return "too few contrasts, or all alike" if math.isnan(value) else ""


def _without_each(number: int) -> Codes:
    """Return the places of all but each of so many, [N, N − 1]."""
    places = np.broadcast_to(np.arange(number), (number, number))
    return places[~np.eye(number, dtype=bool)].reshape(number, max(number - 1, 0))


def joint(predictors: Floats, accuracy: Floats) -> Floats:
    """Return the rank of each accuracy [K] as the others' fit to ranks of predictors [K, J] has it, [K]."""
    ranks = centred_ranks(predictors.T).T
    design = np.column_stack([np.ones(len(ranks)), ranks])
    weights = design @ np.linalg.pinv(design)
    target, own = centred_ranks(accuracy), np.minimum(np.diagonal(weights), 1 - 1e-9)
    return np.asarray(target - (target - weights @ target) / (1 - own))


Limits = Callable[..., Estimate]


def _interval(pairs: NDArray[np.object_], level: float) -> Limits:
    """Return what gives a number of K contrasts, [K, 2], its interval from its values without each of them, [K]."""
    share: Bools = (pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
    phones = len(np.unique(pairs))

    def limits(value: float, without: Floats, *, fisher: bool = False) -> Estimate:
        if phones < _FEWEST or math.isnan(value):
            return Estimate(value, note=_FEW * (not math.isnan(value)))
        end = 1 - 1e-12
        to, back = (np.arctanh, np.tanh) if fisher else (np.asarray, np.asarray)
        scaled = to(np.clip(without, -end, end) if fisher else without)
        added = np.nan_to_num((len(pairs) - 1) * (np.nanmean(scaled) - scaled))
        variance = max(added @ share @ added, added @ added) / len(pairs) ** 2 * phones / (phones - 2)
        reach = float(scipy.special.stdtrit(phones - 1, (1 + level) / 2)) * math.sqrt(variance)
        centre = float(to(np.clip(value, -end, end) if fisher else value))
        return Estimate(value, float(back(centre - reach)), float(back(centre + reach)), level)

    return limits


def _ceiling(answers: pd.DataFrame, pairs: pd.DataFrame, limits: Limits, generator: np.random.Generator) -> Row:
    """Return ρ of the accuracies of two halves of the listeners, on average, stepped up to all of them."""
    own = answers.assign(listener=answers.get("listener", "")).merge(pairs, on=_KEYS)
    sums = own.pivot_table("accuracy", "listener", _KEYS, ["sum", "count"], fill_value=0)
    by_listener = np.stack([sums[kind][[*map(tuple, pairs.to_numpy())]].to_numpy(float) for kind in ("sum", "count")])
    if by_listener.shape[1] < 2:
        return row_of("discrimination_rho", math.nan, len(pairs), "listeners", _ALONE)
    halves = np.array([generator.permutation(by_listener.shape[1]) for _ in range(_HALVINGS)]) % 2 == 0
    means = [divided(*np.einsum("hl,nlk->nhk", half.astype(np.float64), by_listener)) for half in (halves, ~halves)]
    left = _without_each(len(pairs))

    def stepped(first: Floats, second: Floats) -> float:
        both = float(np.nanmean(rank_agreement(first, second)))
        return 2 * both / (1 + both)

    if np.isnan(means).any():
        return row_of("discrimination_rho", math.nan, len(pairs), "listeners", "half of the listeners lack a contrast")
    without = np.array([stepped(means[0][:, rows], means[1][:, rows]) for rows in left])
    number = limits(stepped(*means), without, fisher=True)
    note = f"{by_listener.shape[1]} listeners in {_HALVINGS} random halves, stepped up"
    return row_of("discrimination_rho", number, len(pairs), "listeners", note)
