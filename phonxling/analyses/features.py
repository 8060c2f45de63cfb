"""Errors by feature and by natural class, and how much of each feature comes through. G gold phones, P predicted ones.

Errors: which values change when a phone is taken for another, and in which direction. Only substituted pairs count, two
different symbols of which both have features; N is their number. A value is +1, 0 (unspecified) or −1. Shares of the
cost are of the total cost of all edits, insertions and deletions included.

Information transferred: gold and predicted phones are collapsed to the values of one feature; only pairs of two phones
count, unless deletions are kept as a value of their own. T = I(F; F′) / H(F), F the feature of the gold phone, F′ that
of the predicted one; sequentially (SINFA): take the feature with the largest T, hold it, and repeat. Both are too high
where tokens are few, and have no interval.

References
----------
Miller & Nicely (1955), An analysis of perceptual confusions among some English consonants, JASA 27.
Wang & Bilger (1973), Consonant confusions in noise: a study of perceptual features, JASA 54.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from phonxling.analyses.context import RAW_NOTE, AnalysisOutput, CorpusContext
from phonxling.analyses.costs import observed_phones
from phonxling.analyses.measures import row_of
from phonxling.core.arrays import Bools, Codes, Floats, divide, sum_by
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import is_feature_cost, substitution_parts
from phonxling.core.errors import check_arguments
from phonxling.core.estimate import Estimate
from phonxling.core.features import FeatureTable
from phonxling.core.spelling import CONSONANTS
from phonxling.phones.chart import NaturalClasses, natural_classes
from phonxling.results.tables import table_of
from phonxling.stats.estimators import check_counts, estimate_entropy

_Row = tuple[str, float, float, float]
# Relative transfers this near are equal, and the first feature goes first: rounding would decide on other machines.
_SAME = 1e-12


@check_arguments
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
    Voicing is always right, place at random:

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
    values = feature_values(matrix.gold, matrix.predicted, features)
    # Values are numbered in the order of the phones, whatever they are: so rounding is the same for any table.
    codes = [pd.factorize(row)[0] for row in np.hstack([values.gold, values.predicted])]
    both = np.array(codes, dtype=np.int64).reshape(len(values.names), -1)
    values = FeatureValues(values.names, *np.split(both, [len(matrix.gold)], axis=1))
    counts = np.asarray(matrix.counts[:-1] if deletions else matrix.counts[:-1, :-1])
    check_counts(counts, estimator)
    at_once = (_feature_row(values, counts, name, None, estimator) for name in values.names)
    rows = list(_rank_in_turn(values, counts, estimator) if sequential else at_once)
    return pd.DataFrame(rows, columns=["feature", "entropy", "transferred", "relative"])


class FeatureValues(NamedTuple):
    """Which value of each feature each phone has, by its code: gold [F, G], predicted [F, P]; −1 without features."""

    names: tuple[str, ...]
    gold: Codes
    predicted: Codes


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


def with_features(matrix: ConfusionMatrix, table: FeatureTable) -> ConfusionMatrix:
    gold, predicted = (np.flatnonzero(table.vectors(side)[1]) for side in (matrix.gold, matrix.predicted))
    sides = [[*matrix.gold][y] for y in gold], [[*matrix.predicted][x] for x in predicted]
    return ConfusionMatrix(*sides, matrix.substitutions[np.ix_(gold, predicted)])


def _rank_in_turn(values: FeatureValues, counts: Floats, estimator: str) -> Iterator[_Row]:
    left, held = list(values.names), None
    while left:
        rows = {name: _feature_row(values, counts, name, held, estimator) for name in left}
        ratios = {name: row[3] for name, row in rows.items() if not math.isnan(row[3])}
        if not ratios:  # the features held determine all others
            yield from rows.values()
            return
        taken = next(name for name in left if ratios.get(name, -math.inf) >= max(ratios.values()) - _SAME)
        yield rows[taken]
        left.remove(taken)
        own = np.concatenate([side[values.names.index(taken)] for side in (values.gold, values.predicted)])
        # Each combination of values of the features taken so far is one group.
        held = own if held is None else np.unique(np.stack([held, own]), axis=1, return_inverse=True)[1].ravel()


# With the features S held, the entropy is H(F | S) over all tokens and the transferred information
#   Σ p(f, f′, s) log2 [p(f, f′, s) p(s) / (p(f, s) p(f′, s))]
# over the tokens whose gold and predicted phone agree on S, p relative to all N (Wang & Bilger 1973). What earlier
# features already tell is so not counted again.
def _feature_row(values: FeatureValues, counts: Floats, name: str, held: Codes | None, estimator: str) -> _Row:
    """Return the feature, H(F | S), the information transferred on it, and their ratio."""
    place = values.names.index(name)
    gold, gaps = values.gold[place], np.full(counts.shape[1] - values.predicted.shape[1], -1)
    predicted = np.append(values.predicted[place], gaps)
    groups = np.zeros(len(gold), np.int64) if held is None else held[: len(gold)]
    others = np.zeros(len(predicted), np.int64) if held is None else np.append(held[len(gold) :], gaps)
    tokens, size, bits, passed = counts.sum(axis=1), gold.max(initial=0) + 1, 0.0, 0.0
    of_value = np.unique((groups * size + gold)[tokens > 0]) // size  # the group of each value that has tokens
    # A group of one value tells nothing, and some estimators are not 0 for it.
    for group in np.flatnonzero(np.bincount(of_value) > 1):
        rows, columns = groups == group, others == group
        counted = _sum_changes(tokens[rows, None], gold[rows], np.zeros(1, np.int64)).ravel()
        bits += counted.sum() * estimate_entropy(counted, estimator)
        cells = counts[np.ix_(rows, columns)]
        if cells.sum():
            table = _sum_changes(cells, gold[rows], predicted[columns])
            gold_bits, predicted_bits = (estimate_entropy(table.sum(axis=axis), estimator) for axis in (1, 0))
            shared = gold_bits + predicted_bits - estimate_entropy(table.ravel(), estimator)
            passed += cells.sum() * (max(shared, 0.0) if estimator == "ml" else shared)
    total = counts.sum()
    bits, passed = (bits / total, passed / total) if total else (math.nan, math.nan)
    return name, bits, passed, passed / bits if bits > _SAME else math.nan


def _sum_changes(counts: Floats, gold: Codes, predicted: Codes) -> Floats:
    """Return the counts summed by the codes of their rows and columns, [V, V'], those that occur."""
    (rows, row), (columns, column) = (np.unique(codes, return_inverse=True) for codes in (gold, predicted))
    places = row[:, None] * len(columns) + column
    return sum_by(places.ravel(), counts.ravel(), len(rows) * len(columns)).reshape(len(rows), len(columns))


REMAINING_PARTS = ("deletions", "insertions", "phones without features")


def feature_errors(matrix: ConfusionMatrix, table: FeatureTable) -> pd.DataFrame:
    """Return how often each feature's value changed over the substituted pairs, and in which direction."""
    (gold, known_gold), (predicted, known_predicted) = table.vectors(matrix.gold), table.vectors(matrix.predicted)
    counted = ~matrix.same_symbol() & known_gold[:, None] & known_predicted[None, :]
    counts = np.where(counted, matrix.substitutions, 0.0)
    number = counts.sum()
    before, after = gold[:, None, :], predicted[None, :, :]
    moves = {
        "changed": before != after,
        "plus_to_minus": (before > 0) & (after < 0),
        "minus_to_plus": (before < 0) & (after > 0),
    }
    shares = {name: divide(np.tensordot(counts, moved, axes=2), number) for name, moved in moves.items()}
    return pd.DataFrame({"substitutions": number, **shares}, index=pd.Index(table.features, name="feature"))


def cost_shares(matrix: ConfusionMatrix, parts: Floats, costs: Floats, features: tuple[str, ...]) -> pd.Series:
    """Return each feature's share of the total cost, and those of gaps and of phones without features."""
    paid = matrix.counts * costs
    by_feature = np.tensordot(matrix.substitutions, parts, axes=2)
    rest = np.array([paid[:-1, -1].sum(), paid[-1, :-1].sum(), paid[:-1, :-1].sum() - by_feature.sum()])
    # Where all phones have features, what is left of the substitutions is rounding.
    rest[np.abs(rest) < 1e-9 * max(paid.sum(), 1e-300)] = 0.0
    shares = divide(np.append(by_feature, rest), paid.sum())
    return pd.Series(shares, index=pd.Index([*features, *REMAINING_PARTS], name="feature"))


def features(case: CorpusContext, _: None) -> AnalysisOutput:
    table, matrix, costs = case.features, case.matrix, case.costs
    errors, sides = feature_errors(matrix, table), (matrix.gold, matrix.predicted)
    shares = pd.Series(np.nan, index=list(table.features))
    if is_feature_cost(costs.name):
        parts = substitution_parts(costs.name, *sides, table, within=observed_phones(case.corpus))
        shares = cost_shares(matrix, parts, costs.with_gaps(), table.features)
    known, columns = with_features(matrix, table), {"share_of_wper": shares}
    for name, sequential in (("transferred", False), ("transferred_sequential", True)):
        columns[name] = feature_transfer(known, table, sequential=sequential).set_index("feature")["relative"]
    rows = [name for name in shares.index if name in table.features or shares[name] != 0]
    every = pd.concat([errors.rename(columns={"substitutions": "tokens"}), pd.DataFrame(columns)], axis=1)
    yield "features", every.reindex(rows).rename_axis("feature").reset_index()


def order_rows(profiles: Floats) -> NDArray[np.intp]:
    """Return the order of rows that puts similar profiles side by side."""
    from scipy.cluster import hierarchy  # a tenth of a second, which `compare` need not wait

    if len(profiles) < 3:
        return np.arange(len(profiles))
    # Of square roots the Euclidean distance is Hellinger's.
    roots = np.sqrt(np.clip(np.nan_to_num(profiles), 0, None))
    tree = hierarchy.linkage(scipy.spatial.distance.pdist(roots), method="average", optimal_ordering=True)
    leaves = hierarchy.leaves_list(tree)
    return np.asarray(leaves if leaves[0] < leaves[-1] else leaves[::-1], dtype=np.intp)


def by_features(phones: Sequence[str], vectors: Mapping[str, Floats]) -> list[str]:
    """Return the phones, each once, so that those of like features are neighbours; those without features come last."""
    known = [phone for phone in dict.fromkeys(phones) if phone in vectors]
    rows = np.array([vectors[phone] for phone in known])
    # The Hellinger distance of 0 and 1 is the square root of how many differ: − as one column, + as another.
    ordered = order_rows(np.hstack([rows < 0, rows > 0]).astype(float)) if known else range(0)
    return [*(known[place] for place in ordered), *(phone for phone in dict.fromkeys(phones) if phone not in vectors)]


def classes(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the table of natural classes; none for a corpus without any class: raw symbols have no features."""
    if case.loaded.raw or not case.classes.names:
        return
    matrix, groups, rows = case.matrix, with_consonants(case.classes), list[tuple[object, ...]]()
    right = np.pad(matrix.same_symbol(), ((0, 0), (0, 1)))
    for place, (name, members) in enumerate(zip(groups.names, groups.of(matrix.gold), strict=True)):
        # Default classes without phones are left out; the user's stay, so that one misspelled is seen.
        if place >= groups.default or groups.members[place].any():
            accuracy = class_ratio(case, members, right)
            rows.append((name, int(matrix.tokens[members].sum()), accuracy.value, accuracy.low, accuracy.high))
    yield "classes", table_of("classes", rows)


def with_consonants(classes: NaturalClasses) -> NaturalClasses:
    """Return the classes with vowels first, then consonants: what default classes hold but vowels and `other`."""
    if not classes.default:
        return classes
    vowels, rest = classes.names.index("vowels"), classes.default - 1
    others = [place for place in range(len(classes.names)) if place != vowels]
    # Syllabic consonants are consonants; tone letters and phones without features, in `other`, are neither.
    consonants = classes.members[[place for place in others if place < rest]].any(axis=0)
    members = [classes.members[vowels], consonants, *classes.members[others]]
    names = "vowels", CONSONANTS, *(classes.names[place] for place in others)
    return replace(classes, names=names, default=classes.default + 1, members=np.stack(members))


def class_ratio(case: CorpusContext, members: Bools, answers: Bools) -> Estimate:
    """Return the share of the tokens of some gold phones [G] whose answers [G, P + 1] are among some, ∅ last."""
    stack, sums = case.stack, list[Floats]()
    for some in (answers, np.ones_like(answers)):
        chosen = np.pad(some & members[:, None], ((0, 1), (0, 0))).ravel()[stack.cells]
        until = np.append(0, np.where(chosen, stack.counts, 0).cumsum(dtype=np.int64))
        sums.append((until[stack.offsets[1:]] - until[stack.offsets[:-1]]).astype(np.float64))
    return case.clusters.ratio(sums[0], sums[1], "share")


# 1 − accuracy of the gold phones of a class, and of those that the recogniser has: deletions are errors, insertions are
# left out, so that none exceeds 1.
def class_rates(case: CorpusContext, _: None) -> AnalysisOutput:
    """Yield the error rates of gold vowels, of gold consonants, and of the gold phones that the recogniser has."""
    matrix, inventory = case.matrix, case.recogniser_inventory
    classes = with_consonants(natural_classes(matrix.gold, case.features))
    none = "this feature table has no feature that separates vowels from consonants"
    lacking = RAW_NOTE if case.loaded.raw else "" if classes.default else none
    right = np.pad(matrix.same_symbol(), ((0, 0), (0, 1)))
    shared = np.array([phone in inventory.phones for phone in matrix.gold], dtype=bool)
    vowels, consonants = np.zeros((2, len(shared)), bool) if lacking else classes.of(matrix.gold)[:2]
    groups = (vowels, lacking), (consonants, lacking), (shared, inventory.missing)
    for name, (members, missing) in zip(("per_vowels", "per_consonants", "per_shared"), groups, strict=True):
        number = math.nan if missing else class_ratio(case, members, ~right)
        about = missing or f"of {np.count_nonzero(members)} of {len(members)} gold phones"
        yield row_of(name, number, matrix.tokens[members].sum(), "", about)
