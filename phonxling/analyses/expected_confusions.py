"""Expected from the reference language: which of the target's confusions the reference language has too.

Conventions
-----------
T is the list of common phones: those with tokens as gold in both languages and in the recogniser's inventory. Both
languages' counts are restricted to T×T (or T×X with `predicted="all"`) and renormalised; ∅ is left out; bits. Which
reference phone counts as the same as a target phone is a choice (`same`), by symbol unless it is made. Replicates stand
last, [T, P, R]; in a replicate a phone without reference tokens is left out, as it would be from data of that kind.

Measures
--------
Expected joint p_exp(x,y) = P(Y=y)·p_E(x|y) with the target's P(Y); residual r = P(x,y) − p_exp, which sums to 0 over
the x of one y. KL_y = Σ_x p(x|y) log2 p(x|y)/p_E(x|y), KL = Σ_y P(y) KL_y. JS is the Jensen–Shannon divergence of the
two joints, Σ_y P(y) JS_y, in [0, 1] bit. With smoothing α both rows are estimated as (c + α) / (n + αP).

Cross-entropy H(p, p_E) = Σ_y P(y) Σ_x −p(x|y) log2 p_E(x|y) = H(p) + KL(p ‖ p_E): bits that a confusion of the target
costs one who knows the reference's confusions.

References
----------
Shannon (1948). Kullback & Leibler (1951). Miller (1955), on the bias of entropies. Lin (1991), Divergence measures
based on the Shannon entropy.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from phonxling.core.arrays import Codes, Floats, along, divided, read_only
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.display import Shown, cells, counted, listed
from phonxling.core.inventory import Inventory, merge

_LEAST = 1e-300  # stands for 0 below a fraction line and in logarithms, which are then multiplied by 0
_AXES = 2  # of one table; replicates stand on a third


def row_shares(counts: Floats) -> Floats:
    """Return the share of each cell in its row, [T, P …]; NaN for a row without counts."""
    return divided(counts, counts.sum(axis=1, keepdims=True))


def _mean_over_tokens(by_phone: Floats, counts: Floats) -> float | Floats:
    """Return Σ_y P(y) v(y) of values [T …] for the tokens of counts [T, P …]; NaN without tokens."""
    tokens = counts.sum(axis=1)
    means = np.where(tokens > 0, divided(tokens, tokens.sum(axis=0)) * by_phone, 0.0).sum(axis=0)
    return _one_or_many(np.where(tokens.sum(axis=0) > 0, means, np.nan))


def _one_or_many(values: Floats) -> float | Floats:
    return float(values) if values.ndim == 0 else values


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ExpectedConfusions(Shown):
    """The target's confusions beside those that the reference language would lead one to expect.

    Measures are floats for one table, and arrays [R] for R replicates of it.

    Parameters
    ----------
    gold, predicted : Inventory
        The common phones T, and the predicted phones kept (T, or all).
    target, reference : float64 array [T, P], or [T, P, R] of replicates
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

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.gold)} gold × {len(self.predicted)} predicted phones in common"
        yield f"of {counted(self.target.shape[2], 'replicate')}" if self.target.ndim > _AXES else ""
        yield f"{self.kept:.1%} of the target's tokens kept"
        yield f"nothing expected for {listed(self.left_out)}" if self.left_out else ""

    def to_frame(self, *, wide: bool = False) -> pd.DataFrame:
        """Return gold, predicted, observed, expected, residual: a row a cell of the common phones.

        With `wide`, the residuals, gold phones down. ValueError for replicates.
        """
        if self.target.ndim > _AXES:
            raise ValueError("there is a table of one set of counts, not of replicates")
        labels, names = (self.gold.phones, self.predicted.phones), ("gold", "predicted", "residual")
        table = cells(self.residual, labels, names, wide=wide)
        if wide:
            return table
        more = {"observed": self.observed.ravel(), "expected": self.expected.ravel()}
        return table.assign(**more)[["gold", "predicted", "observed", "expected", "residual"]]

    @property
    def observed(self) -> Floats:
        """P(x,y) of the target, [T, P …]; NaN when there are no common phones with tokens."""
        return divided(self._known, self._known.sum(axis=(0, 1)))

    @property
    def expected(self) -> Floats:
        """p_exp(x,y) = P(Y=y)·p_E(x|y), [T, P …]."""
        return self._expected_of(self.observed)

    @property
    def residual(self) -> Floats:
        """Observed less expected, [T, P …]: more than expected is positive; each row sums to 0.

        NaN for a phone that has no reference tokens in a replicate.
        """
        unknown = self.reference.sum(axis=1, keepdims=True) == 0
        return np.where(unknown, np.nan, self.observed - self.expected)

    def divergence_by_phone(self, smoothing: float = 0.0) -> Floats:
        """Return KL_y in bits by gold phone, [T …]; infinite where the reference never makes a confusion seen here.

        With `smoothing` α both rows are estimated as (c + α) / (n + αP), which keeps KL_y finite. NaN for a phone
        without tokens inside the restriction.
        """
        p, q = row_shares(self._known + smoothing), row_shares(self.reference + smoothing)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(p > 0, p * np.log2(p / q), 0.0)
        return np.where(self._known.sum(axis=1) > 0, np.maximum(terms.sum(axis=1), 0.0), np.nan)

    def kullback_leibler(self, smoothing: float = 0.0) -> float | Floats:
        """Return KL = Σ_y P(y) KL_y in bits, ≥ 0, infinite where plain KL_y is; NaN without common tokens."""
        return _mean_over_tokens(self.divergence_by_phone(smoothing), self._known)

    def jensen_shannon(self) -> float | Floats:
        """Return the Jensen–Shannon divergence of observed and expected joint, in [0, 1] bit; NaN without any."""
        p = self.observed
        q = self._expected_of(p)
        below = np.maximum((p + q) / 2, _LEAST)
        own, other = ((side * np.log2(np.maximum(side, _LEAST) / below)).sum(axis=(0, 1)) for side in (p, q))
        return self._where_known(np.clip((own + other) / 2, 0.0, 1.0))

    def corrected_jensen_shannon(self) -> float | Floats:
        """Return JS less the bias of its entropies, after Miller and Madow: may be below 0; as it is for fractions.

        JS_y is H of the mixture less the mean of both languages' H. A plug-in H is too low by (k − 1)/(2n ln 2) for n
        tokens in k cells seen, that of the mixture m by Σ_x [p(1 − p)/n + q(1 − q)/n_E] / (8 m ln 2).
        """
        own, other = self._known, self.reference
        if (own != np.round(own)).any() or (other != np.round(other)).any():
            return self.jensen_shannon()
        n, m = (np.maximum(counts.sum(axis=1), 1.0) for counts in (own, other))
        p, q = own / n[:, None], other / m[:, None]
        variances = p * (1 - p) / n[:, None] + q * (1 - q) / m[:, None]
        mixed = (variances / np.maximum(p + q, _LEAST)).sum(axis=1) / 4
        seen = ((own > 0).sum(axis=1) - 1) / (4 * n) + ((other > 0).sum(axis=1) - 1) / (4 * m)
        return self.jensen_shannon() - _mean_over_tokens((seen - mixed) / math.log(2), own)

    def cost_excess(self, costs: CostTable) -> float | Floats:
        """Return Σ r(x,y) c(y→x): the target's substitution cost per kept token less that expected; NaN without any.

        KeyError when the costs lack one of the phones.
        """
        rows = [costs.gold.code(phone) for phone in self.gold]
        columns = [costs.predicted.code(phone) for phone in self.predicted]
        prices = costs.substitution[np.ix_(rows, columns)] / costs.denominator
        observed = self.observed
        excess = (observed - self._expected_of(observed)) * along(prices, self.target)
        return self._where_known(excess.sum(axis=(0, 1)))

    def cross_entropy(self, smoothing: float = 0.0) -> float | Floats:
        """Return H(p, p_E) in bits; see `confusion_cross_entropy`."""
        p, q = row_shares(self.target + smoothing), row_shares(self.reference + smoothing)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_phone = np.where(p > 0, -p * np.log2(q), 0.0).sum(axis=1)
        return _mean_over_tokens(np.maximum(by_phone, 0.0), self.target)

    def packed(self) -> "ExpectedConfusions":
        """Return the rows without cells that neither language has; KL and JS are the same, costs would be others."""
        kept = seen_cells(self.target, self.reference)
        kept = kept.reshape(*kept.shape, *[1] * (self.target.ndim - _AXES))
        target, reference = (np.take_along_axis(side, kept, axis=1) for side in (self.target, self.reference))
        return replace(self, target=target, reference=reference)

    @cached_property
    def _known(self) -> Floats:
        """The target's counts of phones that have reference tokens, [T, P …]."""
        attested = self.reference.sum(axis=1, keepdims=True) > 0
        return self.target if attested.all() else np.where(attested, self.target, 0.0)

    def _expected_of(self, observed: Floats) -> Floats:
        shares = self.reference / np.maximum(self.reference.sum(axis=1, keepdims=True), _LEAST)
        return np.asarray(observed.sum(axis=1, keepdims=True) * shares)

    def _where_known(self, values: Floats) -> float | Floats:
        """Return a measure [...] where phones with reference tokens have tokens, else NaN."""
        return _one_or_many(np.where(self._known.sum(axis=(0, 1)) > 0, values, np.nan))


def seen_cells(*counts: Floats) -> Codes:
    """Return the columns of each row in which some of the counts [T, P, …] are not 0, then further ones, [T, K]."""
    seen = np.any([(side != 0).any(axis=tuple(range(_AXES, side.ndim))) for side in counts], axis=0)
    return np.argsort(~seen, axis=1, kind="stable")[:, : seen.sum(axis=1).max(initial=0)]


def expected_confusions(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
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
    attested = _spoken(reference) & inventory
    pairs = {phone: phone for phone in target.gold} if same is None else same
    common = {phone: pairs[phone] for phone in target.gold if phone in _spoken(target) and pairs.get(phone) in attested}
    every = merge(target.predicted, reference.predicted)
    columns = list(every if predicted == "all" else dict.fromkeys(common.values()))
    target_counts = restricted(target, target.counts, gold=list(common), predicted=columns)
    reference_counts = restricted(reference, reference.counts, gold=list(common.values()), predicted=columns)
    comparable = dict(zip(common, reference_counts.sum(axis=1) > 0, strict=True))
    if predicted == "common" and not all(comparable.values()):
        stay = {common[phone] for phone, yes in comparable.items() if yes}
        heard = sorted(inventory & stay)
        smaller = expected_confusions(target, reference, predicted=predicted, recogniser=heard, same=same)
        return replace(smaller, left_out=tuple(phone for phone in common if phone not in smaller.gold))
    total, rows = float(target.substitutions.sum()), np.array(list(comparable.values()), dtype=bool)
    return ExpectedConfusions(
        gold=Inventory(tuple(phone for phone, yes in comparable.items() if yes)),
        predicted=Inventory(tuple(columns)),
        target=target_counts[rows],
        reference=reference_counts[rows],
        kept=float(target_counts[rows].sum()) / total if total else math.nan,
        left_out=tuple(phone for phone, yes in comparable.items() if not yes),
    )


def confusion_cross_entropy(confusions: ExpectedConfusions, smoothing: float = 0.0) -> float:
    """Return H(p, p_E) in bits, ≥ H(p); infinite where the reference never makes a confusion seen here, NaN if empty.

    Examples
    --------
    The target hears a as a, the reference hears it half of the time as e: one bit for each a, and none for each e.

    >>> english = ConfusionMatrix(["a", "e"], ["a", "e"], [[1, 1], [0, 2]])
    >>> target = ConfusionMatrix(["a", "e"], ["a", "e"], [[4, 0], [0, 4]])
    >>> confusion_cross_entropy(expected_confusions(target, english))
    0.5
    """
    return float(confusions.cross_entropy(smoothing))


def restricted(matrix: ConfusionMatrix, counts: Floats, *, gold: Sequence[str], predicted: Sequence[str]) -> Floats:
    """Return the rows and columns [T, P …] of these phones of counts over a matrix's phones; 0 if never predicted."""
    seen = [place for place, phone in enumerate(predicted) if phone in matrix.predicted]
    rows = [matrix.gold.code(phone) for phone in gold]
    columns = [matrix.predicted.code(predicted[place]) for place in seen]
    chosen = np.zeros((len(gold), len(predicted), *counts.shape[2:]))
    chosen[:, seen] = counts[np.ix_(rows, columns)]
    return chosen


def _spoken(matrix: ConfusionMatrix) -> set[str]:
    return {phone for phone, tokens in zip(matrix.gold, matrix.tokens, strict=True) if tokens > 0}
