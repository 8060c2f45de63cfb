"""Everything that a comparison asks of one confusion matrix, at once and as one vector, so that it can be resampled.

Conventions
-----------
Counts are [G + 1, P + 1], gold in rows, ∅ last. Entropies and information are Miller–Madow estimates in bits (see
`estimators`): the plug-in's bias depends on the number of tokens, and would be taken for a difference.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable

Floats = NDArray[np.float64]
_ROUNDING = 1e-9  # bits a token


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """Measures of confusions between two inventories: 2 of the whole, 2 of each gold phone, 2 of each feature.

    Parameters
    ----------
    gold, predicted : Inventory
        G and P phones.
    features : FeatureTable or None
        The features to be compared, if any.
    gaps : bool
        Whether ∅ is a symbol of the entropies and the information.
    """

    gold: Inventory
    predicted: Inventory
    features: FeatureTable | None = None
    gaps: bool = False

    def of(self, counts: Floats) -> Floats:
        """Return all measures of counts [G + 1, P + 1], in the order of `names`; NaN where one is not defined."""
        rows = miller_madow(counts if self.gaps else counts[:-1, :-1])[: len(self.gold)]
        right = np.where(self._same, counts[:-1, :-1], 0.0).sum(axis=1)
        whole = whole_bits(counts, gaps=self.gaps)
        return np.concatenate([whole, _ratio(right, counts[:-1].sum(axis=1)), rows, *self._by_feature(counts)])

    @property
    def names(self) -> list[tuple[str, str]]:
        """The measures' names, each with its phone or feature ("" of the whole)."""
        features = self.features.features if self.features is not None else ()
        return [
            *((name, "") for name in ("conditional_entropy", "mutual_information")),
            *((name, phone) for name in ("accuracy", "entropy") for phone in self.gold),
            *((name, feature) for name in ("changed", "transfer") for feature in features),
        ]

    @cached_property
    def _same(self) -> NDArray[np.bool_]:
        return ConfusionMatrix.zero(self.gold, self.predicted).same_symbol()

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        """Return which value (−, 0, +) of each feature a phone has, as 0 and 1: [F, 3, G] and [P, F · 3]."""
        sides = []
        for side in (self.gold, self.predicted):
            values, known = self.features.vectors(side) if self.features is not None else (np.zeros((0, 0)), None)
            coded = values[:, :, None] == np.array([-1, 0, 1])
            sides.append((coded if known is None else coded & known[:, None, None]).astype(np.float64))
        return np.ascontiguousarray(sides[0].transpose(1, 2, 0)), sides[1].reshape(len(self.predicted), -1)

    def _by_feature(self, counts: Floats) -> list[Floats]:
        if self.features is None:
            return []
        number = len(self.features.features)
        gold, predicted = self._values
        pairs = counts[:-1, :-1]
        tables = gold @ (pairs @ predicted).reshape(len(pairs), number, 3).transpose(1, 0, 2)
        changed = tables.sum(axis=(1, 2)) - np.einsum("fvv->f", tables)
        substituted = np.where(self._same, 0.0, pairs)
        known_gold, known_predicted = gold[:1].sum(axis=(0, 1)), predicted[:, :3].sum(axis=1)
        known = known_gold @ substituted @ known_predicted
        return [_ratio(changed, np.full(number, known)), _transfer(tables)]


def whole_bits(counts: Floats, *, gaps: bool = False) -> Floats:
    """Return H(X|Y) and I(X;Y) of counts [G + 1, P + 1], [2]."""
    cells = counts if gaps else counts[:-1, :-1]
    return np.array([conditional_bits(cells), information_bits(cells)])


def miller_madow(counts: Floats) -> Floats:
    """Return the entropy of each row of counts [N, M] in bits; NaN for a row without any.

    Examples
    --------
    >>> miller_madow(np.array([[2.0, 2.0], [0.0, 0.0]])).round(4).tolist()   # 1 bit + 1 / (2 · 4 · ln 2)
    [1.1803, nan]
    """
    number = counts.sum(axis=1)
    bits = _ratio(_n_log_n(number) - _n_log_n(counts).sum(axis=1), number)
    seen = (counts > 0).sum(axis=1)
    return np.asarray(np.maximum(bits, 0.0) + _ratio((seen - 1) / (2 * math.log(2)), number))


def conditional_bits(counts: Floats) -> float:
    """Return H(X|Y) of counts [Y, X], Miller–Madow by row; NaN without tokens."""
    kept = counts[counts.sum(axis=1) > 0]
    return float(kept.sum(axis=1) @ miller_madow(kept) / kept.sum()) if len(kept) else math.nan


def information_bits(counts: Floats) -> float:
    """Return H(X) + H(Y) − H(X,Y) of counts [Y, X], each Miller–Madow; it may be negative. NaN without tokens."""
    sides = counts.sum(axis=0), counts.sum(axis=1), counts.ravel()
    columns, rows, joint = (float(miller_madow(side[None, :])[0]) for side in sides)
    return columns + rows - joint


def _transfer(tables: Floats) -> Floats:
    """Return I / H(gold feature) of each feature's table [F, gold value, predicted value], plug-in."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    total = rows.sum(axis=1)
    by_row = _n_log_n(rows).sum(axis=1)
    passed = _n_log_n(total) + _n_log_n(tables).sum(axis=(1, 2)) - by_row - _n_log_n(columns).sum(axis=1)
    entropy = _n_log_n(total) - by_row
    return _ratio(
        np.where(passed > _ROUNDING * total, passed, 0.0), np.where(entropy > _ROUNDING * total, entropy, 0.0)
    )


def _n_log_n(counts: Floats) -> Floats:
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1.0)))


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0))
