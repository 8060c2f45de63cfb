"""What the numbers of a posteriorgram are, and how they become probabilities."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.errors import DataError

Floats = NDArray[np.float64]
Scale = Literal["probability", "log-probability", "logit"]
SCALES: tuple[Scale, ...] = get_args(Scale)
ROW_TOLERANCE = 0.01  # float16 rows of a hundred phones stay within 0.005; its logarithms within 0.004
_MOST = 0.5  # share of an utterance's frames: where fewer are bad, the scale is not what is wrong with them


def probabilities(raw: Floats, scale: Scale, where: str) -> Floats:
    """Return the probabilities [T, K] that frames hold; each row sums to 1 within 0.01.

    `log-probability`: exp of each value (natural logarithms; −∞ is 0). `logit`: the softmax of each row.

    Raises
    ------
    DataError
        If a value is not finite (−∞ excepted where the scale allows it), or negative among probabilities.
        If a row does not sum to 1 (probabilities and their logarithms). The first such row is named.

    Examples
    --------
    >>> probabilities(np.log([[0.25, 0.75]]), "log-probability", "here").round(4).tolist()
    [[0.25, 0.75]]
    >>> probabilities(np.array([[2.0, 2.0]]), "logit", "here").tolist()
    [[0.5, 0.5]]
    """
    finite = np.isfinite(raw) if scale == "probability" else ~(np.isnan(raw) | (raw == np.inf))
    _refuse(raw, ~finite.all(axis=1), "holds a value that is not finite", scale, where)
    if scale == "probability":
        _refuse(raw, (raw < 0).any(axis=1), "holds a negative value", scale, where)
        values = raw
    else:
        values = _exponentials(raw, scale)
    off = abs(values.sum(axis=1) - 1) > ROW_TOLERANCE
    _refuse(values, off, f"does not sum to 1 ± {ROW_TOLERANCE}", scale, where, raw)
    return values


def _exponentials(raw: Floats, scale: Scale) -> Floats:
    if scale == "log-probability":
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(raw))
    top = raw.max(axis=1, keepdims=True, initial=-np.inf)
    powers = np.exp(raw - np.where(np.isfinite(top), top, 0.0))
    return np.asarray(powers / np.maximum(powers.sum(axis=1, keepdims=True), np.finfo(float).tiny))


def _refuse(values: Floats, bad: ArrayLike, fault: str, scale: Scale, where: str, raw: Floats | None = None) -> None:
    rows = np.asarray(bad)
    if not rows.any():
        return
    first, more = int(np.argmax(rows)), int(rows.sum()) - 1
    sums = f" (it sums to {values[first].sum():.4g})" if "sum" in fault else ""
    known = f"; {more} more such frames there" if more else ""
    hint = _hint((values if raw is None else raw)[rows], scale) if rows.mean() > _MOST else ""
    raise DataError(f"{where}, frame {first} {fault}{sums}{known}{hint}")


def _hint(rows: Floats, scale: Scale) -> str:
    """Return what rows that are no probabilities seem to be instead."""
    finite = rows[np.isfinite(rows).all(axis=1)]
    if not len(finite):
        return ""
    with np.errstate(over="ignore"):
        likely = "log-probability" if (abs(np.exp(finite).sum(axis=1) - 1) <= ROW_TOLERANCE).all() else "logit"
    if scale == "probability" and likely == "logit" and (finite >= 0).all():
        return ": these are no probabilities; if they are scores before the softmax, say scale: logit"
    return "" if likely == scale else f": these are not of the scale {scale}; they look like scale: {likely}"
