"""Feature information transfer: how much of each phonological feature comes through.

Conventions
-----------
Gold and predicted phones are collapsed to the values of one feature; only pairs of two phones count, unless deletions
are kept as a value of their own. Bits; N tokens. A feature may have any number of values.

Measures
--------
T = I(F; F′) / H(F): F the feature of the gold phone, F′ that of the predicted one (Miller & Nicely 1955).

Sequentially (SINFA): take the feature with the largest T, hold it, and repeat. With the features S held, the entropy is
H(F | S) over all tokens and the transferred information
Σ p(f, f′, s) log2 [p(f, f′, s) p(s) / (p(f, s) p(f′, s))] over the tokens whose gold and predicted phone agree on S, p
relative to all N (Wang & Bilger 1973). What earlier features already tell is so not counted again.

References
----------
Miller & Nicely (1955), An analysis of perceptual confusions among some English consonants, JASA 27.
Wang & Bilger (1973), Consonant confusions in noise: a study of perceptual features, JASA 54.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.phonology.features import FeatureTable
from phonxling.resample.estimators import entropy

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
_Row = tuple[str, float, float, float]
_Held = tuple[Codes, Codes]  # groups of gold and of predicted phones that are alike in the features held
_SAME = 1e-12  # relative transfers this near are equal: the first feature goes first


def feature_transfer(
    matrix: ConfusionMatrix,
    features: FeatureTable | pd.DataFrame,
    *,
    sequential: bool = False,
    deletions: bool = False,
    estimator: str = "ml",
) -> pd.DataFrame:
    """Return how much information on each feature is transferred.

    Parameters
    ----------
    matrix : ConfusionMatrix
        Counts of gold with predicted phones.
    features : FeatureTable, or DataFrame [phones, features]
        The values of each phone of both sides; any hashable values in a DataFrame.
    sequential : bool
        Hold each feature once it is taken (SINFA); rows are in the order of choice. Features that those held determine
        come last, with entropy 0 and no relative transfer.
    deletions : bool
        Keep deleted tokens: ∅ is then one more predicted value, which agrees with none.
    estimator : str
        Of each entropy (see `entropy`); `grassberger` takes most of the plug-in's upward bias off.

    Returns
    -------
    DataFrame
        Columns feature, entropy (of the gold feature, bits), transferred (bits), relative (their ratio; NaN where the
        entropy is 0).

    Raises
    ------
    ValueError
        If a phone has no features: all of them are listed.

    Examples
    --------
    Voicing is never heard wrong, place always at random:

    >>> m = ConfusionMatrix(["p", "t", "b"], ["p", "t", "b"], [[1, 1, 0], [1, 1, 0], [0, 0, 2]])
    >>> table = pd.DataFrame({"voice": [0, 0, 1], "labial": [1, 0, 1]}, index=["p", "t", "b"])
    >>> feature_transfer(m, table).round(3).values.tolist()
    [['voice', 0.918, 0.918, 1.0], ['labial', 0.918, 0.044, 0.048]]
    >>> feature_transfer(m, table, sequential=True).round(3).values.tolist()
    [['voice', 0.918, 0.918, 1.0], ['labial', 0.667, 0.0, 0.0]]
    """
    data = _collapsed(matrix, features, deletions)
    if sequential:
        rows = list(_sequential(data, estimator))
    else:
        rows = [_row(data, name, data.nothing_held, estimator) for name in data.gold]
    return pd.DataFrame(rows, columns=["feature", "entropy", "transferred", "relative"])


@dataclass(frozen=True, eq=False, kw_only=True)
class _Collapsed:
    """Counts [G, P] and, by feature, the coded values of the gold [G] and the predicted phones [P]; −1 is ∅."""

    counts: Floats
    gold: dict[str, Codes]
    predicted: dict[str, Codes]

    @property
    def nothing_held(self) -> _Held:
        rows, columns = self.counts.shape
        return np.zeros(rows, np.int64), np.zeros(columns, np.int64)

    def hold(self, held: _Held, name: str) -> _Held:
        """Return groups of gold and of predicted phones that are alike in what is held and in one more feature."""
        values = np.concatenate([self.gold[name], self.predicted[name]])
        groups = np.unique(np.stack([np.concatenate(held), values]), axis=1, return_inverse=True)[1].ravel()
        return groups[: len(held[0])], groups[len(held[0]) :]


def _collapsed(matrix: ConfusionMatrix, features: FeatureTable | pd.DataFrame, deletions: bool) -> _Collapsed:
    table = _frame(features, list(dict.fromkeys([*matrix.gold, *matrix.predicted])))
    codes = {str(name): pd.Series(pd.factorize(table[name])[0], index=table.index) for name in table.columns}
    gone = np.full(int(deletions), -1)
    return _Collapsed(
        counts=np.asarray(matrix.counts[:-1] if deletions else matrix.substitutions),
        gold={name: values[list(matrix.gold)].to_numpy(np.int64) for name, values in codes.items()},
        predicted={
            name: np.append(values[list(matrix.predicted)].to_numpy(np.int64), gone) for name, values in codes.items()
        },
    )


def _frame(features: FeatureTable | pd.DataFrame, phones: list[str]) -> pd.DataFrame:
    if isinstance(features, FeatureTable):
        values, known = features.vectors(phones)
        missing = [phone for phone, there in zip(phones, known, strict=True) if not there]
        table = pd.DataFrame(values, index=phones, columns=list(features.features))
    else:
        missing = [phone for phone in phones if phone not in features.index]
        table = features
    if missing:
        raise ValueError(f"{len(missing)} phones have no features: {' '.join(missing)}")
    return table.loc[phones]


def _sequential(data: _Collapsed, estimator: str) -> Iterator[_Row]:
    left, held = list(data.gold), data.nothing_held
    while left:
        rows = {name: _row(data, name, held, estimator) for name in left}
        open_ = {name: row[3] for name, row in rows.items() if not math.isnan(row[3])}
        best = max(open_.values(), default=math.nan)
        taken = next((name for name in left if name in open_ and open_[name] >= best - _SAME), left[0])
        yield rows[taken]
        left.remove(taken)
        held = data.hold(held, taken)


def _row(data: _Collapsed, name: str, held: _Held, estimator: str) -> _Row:
    """Return the feature, H(F | S), the information transferred on it, and their ratio."""
    gold, predicted = data.gold[name], data.predicted[name]
    total = data.counts.sum()
    bits = passed = 0.0
    for group in np.unique(held[0]):
        rows, columns = held[0] == group, held[1] == group
        tokens = data.counts[rows].sum(axis=1)
        values = _sums(tokens, gold[rows])
        if (values > 0).sum() < 2:  # nothing to transfer; some estimators are not 0 for one value alone
            continue
        bits += tokens.sum() * entropy(values, estimator)
        cells = data.counts[np.ix_(rows, columns)]
        passed += cells.sum() * _information(cells, gold[rows], predicted[columns], estimator)
    bits, passed = (bits / total, passed / total) if total else (math.nan, math.nan)
    return name, bits, passed, passed / bits if bits > _SAME else math.nan


def _information(cells: Floats, gold: Codes, predicted: Codes, estimator: str) -> float:
    """Return I between the values of rows and of columns in bits; 0 where there are no counts."""
    if not cells.size:
        return 0.0
    (values, row), (others, column) = (np.unique(codes, return_inverse=True) for codes in (gold, predicted))
    pairs = row.ravel()[:, None] * len(others) + column.ravel()
    table = np.bincount(pairs.ravel(), cells.ravel(), len(values) * len(others)).reshape(len(values), len(others))
    sides = entropy(table.sum(axis=1), estimator) + entropy(table.sum(axis=0), estimator)
    value = _known(sides - entropy(table, estimator))
    return max(value, 0.0) if estimator == "ml" else value


def _sums(counts: Floats, codes: Codes) -> Floats:
    """Return the counts summed by code, one for each code that occurs."""
    return np.asarray(np.bincount(np.unique(codes, return_inverse=True)[1].ravel(), weights=counts), dtype=np.float64)


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value
