"""Feature information transfer: how much of each phonological feature comes through.

Conventions
-----------
Gold and predicted phones are collapsed to the values of one feature; only pairs of two phones count, unless deletions
are kept as a value of their own. Bits; N tokens. A feature may have any number of values. Of many tables at once,
[F, V, V′, R], replicates stand last.

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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.features import FeatureTable
from phonxling.resample.entropies import shares_entropy
from phonxling.resample.estimators import estimated, right_counts

_Row = tuple[str, float, float, float]
_SAME = 1e-12  # relative transfers this near are equal: the first feature goes first


@checked_types
def feature_transfer(
    matrix: ConfusionMatrix,
    features: FeatureTable | pd.DataFrame,
    *,
    sequential: bool = False,
    deletions: bool = False,
    estimator: str = "ml",
) -> pd.DataFrame:
    """Return how much information on each feature is transferred: feature, entropy, transferred (bits), relative.

    `features` are the values of each phone of both sides, [phones, features], any hashable ones in a DataFrame. With
    `sequential` each feature is held once it is taken (SINFA): rows are in the order of choice, features that those
    held determine come last, with entropy 0. With `deletions` deleted tokens count, too: ∅ is then one more predicted
    value, which agrees with none. The `estimator` is that of each entropy (see `entropy`); `grassberger` takes most of
    the plug-in's upward bias off. `relative` is transferred over entropy, NaN where that is 0. ValueError if a phone
    has no features: all of them are listed.

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
    phones = list(dict.fromkeys([*matrix.gold, *matrix.predicted]))
    known = features.vectors(phones)[1] if isinstance(features, FeatureTable) else pd.Index(phones).isin(features.index)
    without = [phone for phone, has in zip(phones, known, strict=True) if not has]
    if without:
        raise ValueError(f"{len(without)} phones have no features: {' '.join(without)}")
    values = feature_values(matrix.gold, matrix.predicted, features).in_order()
    counts = np.asarray(matrix.counts[:-1] if deletions else matrix.counts[:-1, :-1])
    right_counts(counts, estimator)
    at_once = (_row(values, counts, name, None, estimator) for name in values.names)
    rows = list(_sequential(values, counts, estimator) if sequential else at_once)
    return pd.DataFrame(rows, columns=["feature", "entropy", "transferred", "relative"])


@dataclass(frozen=True, eq=False)
class FeatureValues:
    """Which value of each feature each phone has, by its code: gold [F, G], predicted [F, P]; −1 without features."""

    names: tuple[str, ...]
    gold: Codes
    predicted: Codes

    def in_order(self) -> "FeatureValues":
        """Return the same values coded in the order in which phones have them, gold first."""
        codes = np.array([pd.factorize(row)[0] for row in np.hstack([self.gold, self.predicted])], dtype=np.int64)
        return FeatureValues(self.names, *np.split(codes.reshape(len(self.names), -1), [self.gold.shape[1]], axis=1))

    def collapse(self, counts: Floats, *, deletions: bool = False) -> Floats:
        """Return counts by value, [F, V, V …], from counts [G + 1, P + 1 …]; with deletions [F, V, V + 1 …], ∅ last."""
        codes = np.arange(max(self.gold.max(initial=-1), self.predicted.max(initial=-1)) + 1)[:, None]
        gold, predicted = ((side[:, None, :] == codes).astype(np.float64) for side in (self.gold, self.predicted))
        by_gold = np.tensordot(gold, counts[:-1], axes=1)  # [F, V, P + 1 …]
        tables = np.einsum("fvp...,fwp->fvw...", by_gold[:, :, :-1], predicted)
        return np.concatenate([tables, by_gold[:, :, -1:]], axis=2) if deletions else tables


def feature_values(
    gold: Iterable[str], predicted: Iterable[str], features: FeatureTable | pd.DataFrame
) -> FeatureValues:
    """Return the values of the phones of both sides: +, 0 and − of a feature table, or whatever a DataFrame holds."""
    if isinstance(features, FeatureTable):
        vectors = (features.vectors(side) for side in (gold, predicted))
        sides = [np.where(known[:, None], 1 - values, -1).T.astype(np.int64) for values, known in vectors]
        return FeatureValues(tuple(features.features), *sides)
    codes = features.apply(lambda column: pd.factorize(column)[0])
    sides = [codes.reindex(list(side), fill_value=-1).to_numpy(np.int64).T for side in (gold, predicted)]
    return FeatureValues(tuple(map(str, features.columns)), *sides)


def relative_transfer(tables: Floats) -> Floats:
    """Return I(F; F′) / H(F) (plug-in) of tables [F, V, V′ …], [F …]; NaN where the feature has no entropy."""
    features, values, others, *replicates = tables.shape
    gold, predicted = _entropies(tables.sum(axis=2)), _entropies(tables.sum(axis=1))
    passed = gold + predicted - _entropies(tables.reshape(features, values * others, *replicates))
    return divided(np.maximum(passed, 0), np.where(gold > _SAME, gold, 0.0))


def _sequential(values: FeatureValues, counts: Floats, estimator: str) -> Iterator[_Row]:
    left, held = list(values.names), None
    while left:
        rows = {name: _row(values, counts, name, held, estimator) for name in left}
        ratios = {name: row[3] for name, row in rows.items() if not math.isnan(row[3])}
        best = max(ratios.values(), default=math.nan)
        taken = next((name for name in left if name in ratios and ratios[name] >= best - _SAME), left[0])
        yield rows[taken]
        left.remove(taken)
        own = np.concatenate([side[values.names.index(taken)] for side in (values.gold, values.predicted)])
        held = own if held is None else np.unique(np.stack([held, own]), axis=1, return_inverse=True)[1].ravel()


def _row(values: FeatureValues, counts: Floats, name: str, held: Codes | None, estimator: str) -> _Row:
    """Return the feature, H(F | S), the information transferred on it, and their ratio."""
    place = values.names.index(name)
    gold, gaps = values.gold[place], np.full(counts.shape[1] - values.predicted.shape[1], -1)
    predicted = np.append(values.predicted[place], gaps)
    groups = np.zeros(len(gold), np.int64) if held is None else held[: len(gold)]
    others = np.zeros(len(predicted), np.int64) if held is None else np.append(held[len(gold) :], gaps)
    tokens, size, bits, passed = counts.sum(axis=1), gold.max(initial=0) + 1, 0.0, 0.0
    of_value = np.unique((groups * size + gold)[tokens > 0]) // size  # the group of each value that has tokens
    for group in np.flatnonzero(np.bincount(of_value) > 1):  # some estimators are not 0 for one value alone
        rows, columns = groups == group, others == group
        counted = _sums(tokens[rows, None], gold[rows], np.zeros(1, np.int64)).ravel()
        bits += counted.sum() * estimated(counted, estimator)
        cells = counts[np.ix_(rows, columns)]
        if cells.sum():
            table = _sums(cells, gold[rows], predicted[columns])
            gold_bits, predicted_bits = (estimated(table.sum(axis=axis), estimator) for axis in (1, 0))
            shared = gold_bits + predicted_bits - estimated(table.ravel(), estimator)
            passed += cells.sum() * (max(shared, 0.0) if estimator == "ml" else shared)
    total = counts.sum()
    bits, passed = (bits / total, passed / total) if total else (math.nan, math.nan)
    return name, bits, passed, passed / bits if bits > _SAME else math.nan


def _sums(counts: Floats, gold: Codes, predicted: Codes) -> Floats:
    """Return the counts summed by the codes of their rows and columns, [V, V'], those that occur."""
    (rows, row), (columns, column) = (np.unique(codes, return_inverse=True) for codes in (gold, predicted))
    places = row[:, None] * len(columns) + column
    return sum_by(places.ravel(), counts.ravel(), len(rows) * len(columns)).reshape(len(rows), len(columns))


def _entropies(counts: Floats) -> Floats:
    """Return the plug-in entropy of counts [F, K …] in bits, [F …]; 0 without counts."""
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.where(total > 0, total, 1)
    return shares_entropy(share, axis=1)
