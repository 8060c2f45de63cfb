"""Contrasts: what the two gold phones of a pair are recognised as, and their type of perceptual assimilation.

Of shares p(x|y) of all tokens of y: y is categorised when its greatest share, over all x but ∅, is at least ½; that x
is its category. A deleted token was answered with nothing: it lowers all shares, and makes no category.

- TC, two-category: both phones are categorised, as two categories.
- SC, single-category: both as one, and equally good: their goodness in it is less than 0.1 apart.
- CG, category-goodness: both as one, and their goodness is 0.1 or more apart.
- UC, uncategorised–categorised: one of them is categorised.
- UU, uncategorised–uncategorised: neither is.

References
----------
Best (1995), A direct realist view of cross-language speech perception. Best & Tyler (2007).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.analyses.expected import feature_distances
from phonxling.core.arrays import Bools, Codes, Floats, divide, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import SIGNIFICANT, Estimate
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.spelling import canonical_form
from phonxling.load.resources import load_contrasts
from phonxling.posteriors.joint import joint_of_tokens
from phonxling.results.tables import table_of
from phonxling.stats.estimators import shares_entropy
from phonxling.stats.jackknife import Clusters, by_cluster, without_each
from phonxling.stats.p_values import adjust_p_values
from phonxling.stats.student import contrast

TYPES: Sequence[str] = ("TC", "SC", "CG", "UC", "UU")
# Of a category, at least: a phone that has one answer in more than half of its tokens has no second one like it.
_SHARE = 0.5
# Of two phones' goodness in one category, from 0 to 1, that tells them apart.
_APART = 0.1
# Of each phone, at least: a share of 20 tokens has a standard error of up to 0.11, and of fewer no type could be told.
_TOKENS = 20
# Phones of which all contrasts are looked at: 300 phones would have 44,850.
_MOST_PAIRS = 60
_ROUNDING = 1e-9  # a goodness of 0.7 less one of 0.6 is no exact tenth


def contrasts(case: CorpusContext, wanted: str | Path | tuple[tuple[str, str], ...]) -> AnalysisOutput:
    """Yield the table of contrasts, a row a pair of gold phones; nothing unless contrasts are asked for."""
    if wanted == "none":
        return
    answers = Answers(case.stack, case.clusters)
    gold, fit, above = answers.stack.gold, goodness(case, answers), above_others(answers)
    listed: Sequence[tuple[str, str]] = load_contrasts(wanted) if isinstance(wanted, Path) else ()
    if not isinstance(wanted, str | Path):
        listed = wanted
    if wanted == "auto":
        places = all_pairs(answers.tokens, gold, case.features).tolist()
        pairs = [((gold.phones[first], gold.phones[second]), [first, second]) for first, second in places]
    else:  # however they are spelled; those that the corpus lacks come last
        codes = {canonical_form(phone): code for code, phone in enumerate(gold)}
        pairs = [(pair, [codes.get(canonical_form(phone), -1) for phone in pair]) for pair in listed]
        pairs.sort(key=lambda pair: min(pair[1]) < 0)
    rows = list[dict[str, Any]]()
    for names, pair in pairs:
        known = min(pair) >= 0
        first, second = (gold.phones[code] for code in pair) if known else names
        tokens, others = (int(answers.tokens[code]) if code >= 0 else 0 for code in pair)
        row = {"phone": first, "other": second, "tokens": tokens, "other_tokens": others, "status": "undefined"}
        if known and min(tokens, others) >= _TOKENS:
            best, js = answers.best[pair], divergence_of_pair(answers, pair)
            same = bool(best[0] == best[1])
            apart = float(np.subtract(*fit[pair, best])) if same else math.nan
            type_ = type_of(answers.shares[pair, best], same=same, apart=apart) if above[pair].all() else ""
            category, other_category = (answers.stack.predicted.phones[code] for code in best)
            row |= {"type": type_, "category": category, "other_category": other_category}
            row |= {"js": js.value, "js_low": js.low, "js_high": js.high}
            row["status"] = js.status or "not-above-chance" * (not type_)
        rows.append(row)
    yield "contrasts", table_of("contrasts", rows)


def all_pairs(tokens: Floats, phones: Inventory, features: FeatureTable) -> Codes:
    """Return the pairs of phones with tokens enough, by their codes, [K, 2], the nearest by features first."""
    chosen, known = np.flatnonzero(tokens >= _TOKENS), features.vectors(phones)[1]
    apart = np.where(known[:, None] & known, feature_distances(phones, phones, features), np.inf)
    np.fill_diagonal(apart, np.inf)
    pairs = np.array(list(combinations(chosen.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    own = apart[pairs[:, 0], pairs[:, 1]]
    if len(chosen) > _MOST_PAIRS and known.any():
        # Of many, those of which one phone is as near to the other as any of those chosen is.
        nearest = apart[:, chosen].min(axis=1, initial=np.inf)[pairs].max(axis=1, initial=0)
        near = (own <= nearest) & np.isfinite(own)
        pairs, own = pairs[near], own[near]
    return pairs[np.argsort(own, kind="stable")]  # phones without features last


@dataclass(frozen=True, eq=False)
class Answers:
    """What G gold phones are answered with, one of P categories or ∅: shares of all tokens of a phone."""

    stack: ConfusionStack
    clusters: Clusters

    @cached_property
    def by_cluster(self) -> Floats:
        """The counts of each group of clusters, without insertions, [C, G, P + 1]."""
        return by_cluster(self.stack, self.clusters)[:, :-1]

    @cached_property
    def sizes(self) -> Floats:
        """The tokens of each phone in each group, deleted ones included, [G, C]."""
        return np.ascontiguousarray(self.by_cluster.sum(axis=2).T)

    @cached_property
    def tokens(self) -> Floats:
        return np.asarray(self.sizes.sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """p(x|y), [G, P + 1]; NaN for a phone without tokens."""
        return divide(self.by_cluster.sum(axis=0), self.tokens[:, None])

    @cached_property
    def best(self) -> Codes:
        """The most frequent category of each phone, the first of equal ones, [G]."""
        return np.asarray(self.shares[:, :-1].argmax(axis=1))


# Goodness of y in x: where there are posteriors, the mean posterior of x over the tokens of y; else, where the
# predictions have confidences, the mean confidence of the tokens of y that were answered with x; else p(x|y) itself.
def goodness(case: CorpusContext, answers: Answers) -> Floats:
    """Return how good each phone is in each category, [G, P]; NaN where that is not known."""
    tokens, predicted, path = case.tokens, case.corpus.predicted, case.alignments
    phones, categories = answers.stack.gold, answers.stack.predicted
    if tokens is not None and not case.without_tokens:
        rows, columns = tokens.phones.codes(phones), tokens.columns.codes(categories)
        known = (rows >= 0)[:, None] & (columns >= 0)
        sizes = np.bincount(tokens.codes, minlength=len(tokens.phones)).astype(np.float64)
        return divide(joint_of_tokens(tokens).mass[np.ix_(rows, columns)] * known, sizes[rows, None] * known)
    if predicted.confidence is None:
        return answers.shares[:, :-1]
    # An alignment spells the predictions in their order, so its pairs run beside the confidences.
    gold = path.gold[path.predicted < len(categories)]
    rated = (gold < len(phones)) & np.isfinite(predicted.confidence)
    place = gold[rated].astype(np.int64) * len(categories) + predicted.codes[rated]
    size = len(phones) * len(categories)
    sums = (sum_by(place, each, size) for each in (predicted.confidence[rated], np.ones(rated.sum())))
    return divide(*sums).reshape(len(phones), len(categories))


# A type stands where both phones are answered with their most frequent category more often than all phones together
# are: p(x|y) − p(x) > 0 by its jackknifed error, q < .05 over all phones. Who answers alike whatever is said has no
# types.
def above_others(answers: Answers) -> Bools:
    """Return which phones are clearly answered with their category more often than all phones together are, [G]."""
    every, best = np.arange(len(answers.tokens)), answers.best

    def above(counts: Floats) -> Floats:
        """Return p(x|y) − p(x) of each phone's category, [… G]."""
        tokens, answered = counts.sum(axis=-1), counts.sum(axis=-2)
        own = divide(counts[..., every, best], tokens)
        return own - divide(answered[..., best], answered.sum(axis=-1, keepdims=True) + 0 * own)

    value = above(answers.by_cluster.sum(axis=0))
    spread = answers.clusters.spread(above(without_each(answers.by_cluster)).T, answers.sizes)
    with np.errstate(invalid="ignore"):
        q = adjust_p_values(contrast(value, spread, answers.clusters.level).p)
    return np.asarray((q < SIGNIFICANT) & (value > 0))


# Jensen–Shannon (Lin 1991): from 0 bits, the same answers, to 1; ∅ is an answer. Two samples of one distribution
# differ, so that it is jackknifed over clusters.
def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen–Shannon divergence in bits of two distributions along the last axis, [… P]."""
    own = (shares_entropy(first) + shares_entropy(second)) / 2
    return np.asarray(np.maximum(shares_entropy((first + second) / 2) - own, 0.0))


def divergence_of_pair(answers: Answers, pair: list[int]) -> Estimate:
    """Return the divergence of two phones, by their rows; no interval where too few clusters have either."""
    sizes, clusters = answers.sizes[pair], answers.clusters
    value = float(divergence(*answers.shares[pair]))
    if any(clusters.too_few(own) for own in sizes):
        return Estimate(value, status="too-few-clusters").within(0.0, 1.0)
    rest = without_each(answers.by_cluster[:, pair])
    without = divergence(*np.moveaxis(divide(rest, rest.sum(axis=2, keepdims=True)), 1, 0))
    # A group of clusters counts by its share of the tokens of each phone, so that neither phone decides alone.
    weights = (sizes / sizes.sum(axis=1, keepdims=True)).sum(axis=0)
    return clusters.estimate(value, without, "skill", corrected=True, sizes=weights).within(0.0, 1.0)


def type_of(shares: Floats, *, same: bool, apart: float) -> str:
    """Return the type of two phones: by the shares of their categories [2], whether these are one, and their fit."""
    categorised = int((shares >= _SHARE - _ROUNDING).sum())
    if categorised < 2:
        return ("UU", "UC")[categorised]
    if not same:
        return "TC"
    return "CG" if abs(apart) >= _APART - _ROUNDING else "SC"
