"""Expected from the reference language: which of the target's confusions the reference language has too.

Conventions
-----------
T is the list of common phones: those with tokens as gold in both languages and in the recogniser's inventory. Both
languages' counts are restricted to T×T (or T×X with `predicted="all"`) and renormalised; ∅ is left out; bits. Which
reference phone counts as the same as a target phone is a choice (`same`), by symbol unless it is made.

Measures
--------
Expected joint p_exp(x,y) = P(Y=y)·p_E(x|y) with the target's P(Y); residual r = P(x,y) − p_exp, which sums to 0 over
the x of one y. KL_y = Σ_x p(x|y) log2 p(x|y)/p_E(x|y), KL = Σ_y P(y) KL_y. JS is the Jensen–Shannon divergence of the
two joints, Σ_y P(y) JS_y, in [0, 1] bit.

References
----------
Kullback & Leibler (1951). Lin (1991), Divergence measures based on the Shannon entropy.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.arrays import read_only
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory, merge

Floats = NDArray[np.float64]
SMOOTHINGS = (0.01, 0.1, 0.5, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExpectedConfusions:
    """The target's confusions beside those that the reference language would lead one to expect.

    Parameters
    ----------
    gold, predicted : Inventory
        The common phones T, and the predicted phones kept (T, or all).
    target, reference : float64 array [T, P]
        Restricted counts.
    kept : float
        Share of the target's not deleted gold tokens that the restriction keeps.
    left_out : tuple of str
        Common phones without any reference token inside the restriction, for which nothing can be expected.
    """

    gold: Inventory
    predicted: Inventory
    target: Floats
    reference: Floats
    kept: float
    left_out: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in ("target", "reference"):
            object.__setattr__(self, name, read_only(getattr(self, name), np.float64))

    @property
    def observed(self) -> Floats:
        """P(x,y) of the target, [T, P]; NaN when there are no common phones with tokens."""
        total = self.target.sum()
        return self.target / total if total > 0 else np.full(self.target.shape, np.nan)

    @property
    def expected(self) -> Floats:
        """p_exp(x,y) = P(Y=y)·p_E(x|y), [T, P]."""
        return np.asarray(self.observed.sum(axis=1, keepdims=True) * _rows(self.reference, 0.0))

    @property
    def residual(self) -> Floats:
        """Observed less expected, [T, P]: more than expected is positive; each row sums to 0."""
        return self.observed - self.expected

    def divergence_by_phone(self, smoothing: float = 0.0) -> Floats:
        """Return KL_y in bits by gold phone, [T]; infinite where the reference never makes a confusion seen here.

        With `smoothing` α both rows are estimated as (c + α) / (n + αP), which keeps KL_y finite. NaN for a phone
        without tokens inside the restriction.
        """
        p, q = _rows(self.target, smoothing), _rows(self.reference, smoothing)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(p > 0, p * np.log2(p / q), 0.0)
        values: Floats = np.maximum(terms.sum(axis=1), 0.0)
        values[self.target.sum(axis=1) == 0] = np.nan
        return values

    def kullback_leibler(self, smoothing: float = 0.0) -> float:
        """Return KL = Σ_y P(y) KL_y in bits, ≥ 0, infinite where plain KL_y is; NaN without common tokens."""
        weights = self.observed.sum(axis=1)
        used = weights > 0
        return float(np.dot(weights[used], self.divergence_by_phone(smoothing)[used])) if used.any() else math.nan

    def jensen_shannon(self) -> float:
        """Return the Jensen–Shannon divergence of observed and expected joint, in [0, 1] bit; NaN without any."""
        p, q = self.observed, self.expected
        if np.isnan(p).any() or not p.size:
            return math.nan
        middle = (p + q) / 2
        return float(np.clip((_relative(p, middle) + _relative(q, middle)) / 2, 0.0, 1.0))

    def cost_excess(self, costs: CostTable) -> float:
        """Return Σ r(x,y) c(y→x): the target's substitution cost per kept token less that expected; NaN without any.

        KeyError when the costs lack one of the phones.
        """
        rows = [costs.gold.code(phone) for phone in self.gold]
        columns = [costs.predicted.code(phone) for phone in self.predicted]
        table = costs.substitution[np.ix_(rows, columns)] / costs.denominator
        return float((self.residual * table).sum()) if self.residual.size else math.nan

    def table(self) -> pd.DataFrame:
        """Return every cell as a row: gold, predicted, observed, expected, residual."""
        cells = {name: getattr(self, name).ravel() for name in ("observed", "expected", "residual")}
        labels = {
            "gold": np.repeat(self.gold.phones, len(self.predicted)),
            "predicted": np.tile(self.predicted.phones, len(self.gold)),
        }
        return pd.DataFrame({**labels, **cells})


def expected_confusions(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    predicted: Literal["common", "all"] = "common",
    recogniser: Sequence[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> ExpectedConfusions:
    """Return the target's confusions beside those expected from the reference language.

    Parameters
    ----------
    target, reference : ConfusionMatrix
        Counts of the analysed language and of the recogniser's own.
    predicted : {"common", "all"}
        Keep predictions of common phones only (T×T), or of every phone (T×X).
    recogniser : list of str, optional
        The recogniser's inventory; by default the phones that either matrix has as predicted.
    same : mapping of str to str, optional
        The reference phone that stands for each target phone (see `counterparts`); by default each for
        itself. T then holds target phones whose counterpart y′ has reference tokens and is in the recogniser's
        inventory, p_E(x|y) is that of y′, and the predicted phones of "common" are the counterparts.

    Examples
    --------
    The reference hears half of its a as e; the target's a is always heard as a:

    >>> english = ConfusionMatrix(["a", "e"], ["a", "e"], [[1, 1], [0, 2]])
    >>> target = ConfusionMatrix(["a", "e"], ["a", "e"], [[4, 0], [0, 4]])
    >>> expected_confusions(target, english).residual.tolist()
    [[0.25, -0.25], [0.0, 0.0]]

    A phone that the reference lacks may stand for one that it has:

    >>> nasal = ConfusionMatrix(["ã", "e"], ["a", "e"], [[2, 2], [0, 4]])
    >>> expected_confusions(nasal, english, same={"ã": "a", "e": "e"}).residual.tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    inventory = set(recogniser) if recogniser is not None else {*target.predicted, *reference.predicted}
    known = _spoken(reference) & inventory
    pairs = {phone: phone for phone in target.gold} if same is None else same
    common = {phone: pairs[phone] for phone in target.gold if phone in _spoken(target) and pairs.get(phone) in known}
    counterparts = list(dict.fromkeys(common.values()))
    heard = list(merge(target.predicted, reference.predicted)) if predicted == "all" else counterparts
    rows = _restricted(target, list(common), heard), _restricted(reference, list(common.values()), heard)
    silent = dict(zip(common, rows[1].sum(axis=1) == 0, strict=True))
    if any(silent.values()) and predicted == "common":
        stay = {common[phone] for phone, gone in silent.items() if not gone}
        smaller = expected_confusions(target, reference, predicted, sorted(inventory & stay), same)
        left = tuple(phone for phone in common if phone not in smaller.gold)
        return ExpectedConfusions(**{**smaller.__dict__, "left_out": left})
    total = float(target.substitutions.sum())
    kept = ~np.array(list(silent.values()), dtype=bool)
    return ExpectedConfusions(
        gold=Inventory(tuple(phone for phone, gone in silent.items() if not gone)),
        predicted=Inventory(tuple(heard)),
        target=rows[0][kept],
        reference=rows[1][kept],
        kept=float(rows[0][kept].sum()) / total if total else math.nan,
        left_out=tuple(phone for phone, gone in silent.items() if gone),
    )


def _spoken(matrix: ConfusionMatrix) -> set[str]:
    return {phone for phone, tokens in zip(matrix.gold, matrix.tokens, strict=True) if tokens > 0}


def _restricted(matrix: ConfusionMatrix, gold: list[str], predicted: list[str]) -> Floats:
    counts = np.zeros((len(gold), len(predicted)))
    for column, phone in enumerate(predicted):
        if phone in matrix.predicted:
            code = matrix.predicted.code(phone)
            counts[:, column] = [matrix.substitutions[matrix.gold.code(row), code] for row in gold]
    return counts


def _rows(counts: Floats, smoothing: float) -> Floats:
    """Return p(x|y), rows summing to 1; NaN for a row without tokens and without smoothing."""
    values = counts + smoothing
    totals = values.sum(axis=1, keepdims=True)
    return np.where(totals > 0, values / np.where(totals > 0, totals, 1), np.nan)


def _relative(p: Floats, q: Floats) -> float:
    seen = p > 0
    return float((p[seen] * np.log2(p[seen] / q[seen])).sum())
