"""Contrasts: what the two gold phones of a pair are recognised as, and their type of perceptual assimilation.

Types (Best 1995; Best & Tyler 2007), of shares p(x|y) of all tokens of y
-------------------------------------------------------------------------
y is categorised when its greatest share, over all x but ∅, is at least ½; that x is its category. A deleted token was
answered with nothing: it lowers all shares, and makes no category.

- TC, two-category: both phones are categorised, as two categories.
- SC, single-category: both as one, and equally good: their goodness in it is less than 0.1 apart.
- CG, category-goodness: both as one, and their goodness is 0.1 or more apart.
- UC, uncategorised–categorised: one of them is categorised.
- UU, uncategorised–uncategorised: neither is.

Goodness of y in x: where there are posteriors, the mean posterior of x over the tokens of y; else, where the
predictions have confidences, the mean confidence of the tokens of y that were answered with x; else p(x|y) itself.

A type stands where both phones are answered with their most frequent category more often than all phones together are:
p(x|y) − p(x) > 0 by its jackknifed error, q < .05 over all phones. Who answers alike whatever is said has no types.

Divergence
----------
Jensen–Shannon divergence H((p + q)/2) − (H(p) + H(q))/2 of the shares p, q of the answers to two phones, ∅ among them:
from 0 bits (the same answers) to 1. Two samples of one distribution differ, so that it is jackknifed over clusters.

References
----------
Best (1995), A direct realist view of cross-language speech perception. Best & Tyler (2007), Nonnative and
second-language speech perception. Lin (1991), Divergence measures based on the Shannon entropy.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.analyses.context import AnalysisOutput, CorpusContext
from phonxling.core.arrays import Bools, Codes, Floats, divide, sum_by
from phonxling.core.confusion import ConfusionStack
from phonxling.core.costs import cost_table
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
_SHARE, _APART = 0.5, 0.1  # of a category, at least; of two phones' goodness in one that tells them apart
_TOKENS = 20  # of each phone, at least
_MOST_PAIRS = 60  # phones of which all contrasts are looked at: of 300 they would be 44,850
_ROUNDING = 1e-9


def contrasts(case: CorpusContext, wanted: str | Path | tuple[tuple[str, str], ...]) -> AnalysisOutput:
    """Yield the table of contrasts, a row a pair of gold phones; nothing unless contrasts are asked for."""
    if wanted != "none":
        listed = load_contrasts(wanted) if isinstance(wanted, Path) else None if isinstance(wanted, str) else wanted
        yield "contrasts", table_of("contrasts", _contrast_rows(case, listed))


def _contrast_rows(case: CorpusContext, listed: Sequence[tuple[str, str]] | None) -> Iterator[dict[str, Any]]:
    answers = Answers(case.stack, case.clusters)
    phones, tokens = answers.gold.phones, answers.tokens
    fit, above = goodness(case, answers), above_others(answers)
    if listed is None:
        places = all_pairs(tokens, feature_distances(answers.gold, case.features)).tolist()
        pairs = [((phones[first], phones[second]), [first, second]) for first, second in places]
    else:  # those that the corpus lacks come last
        pairs = [(pair, [_find_code(phone, answers.gold) for phone in pair]) for pair in listed]
        pairs.sort(key=lambda pair: min(pair[1]) < 0)
    for names, codes in pairs:
        known = min(codes) >= 0
        first, second = (phones[code] for code in codes) if known else names
        of_first, of_second = (int(tokens[code]) if code >= 0 else 0 for code in codes)
        row = {"phone": first, "other": second, "tokens": of_first, "other_tokens": of_second}
        enough = known and min(of_first, of_second) >= _TOKENS
        yield row | (_judge_contrast(answers, fit, above, codes) if enough else {"status": "undefined"})


def feature_distances(phones: Inventory, features: FeatureTable) -> Floats:
    """Return the mean difference over features of each pair of phones, [G, G]; NaN where one has no features."""
    known = features.vectors(phones)[1]
    if not known.any():
        return np.full((len(phones), len(phones)), np.nan)
    costs = cost_table("panphon", phones, phones, features)
    return np.where(known[:, None] & known, costs.substitution / costs.denominator, np.nan)


def all_pairs(tokens: Floats, distances: Floats) -> Codes:
    """Return the pairs of phones with tokens enough, by their codes, [K, 2], the nearest first; of many the near."""
    chosen = np.flatnonzero(tokens >= _TOKENS)
    pairs = np.array(list(combinations(chosen.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    if len(chosen) > _MOST_PAIRS and not np.isnan(distances).all():
        # one phone is as near to the other as any of those chosen is
        apart = np.where(np.isnan(distances), np.inf, distances)
        np.fill_diagonal(apart, np.inf)
        nearest = apart[:, chosen].min(axis=1, initial=np.inf)[pairs].max(axis=1, initial=0)
        own = apart[pairs[:, 0], pairs[:, 1]]
        # so near that one of the two has hardly a nearer neighbour
        pairs = pairs[(own <= nearest) & np.isfinite(own)]
    order = np.argsort(distances[pairs[:, 0], pairs[:, 1]], kind="stable")  # NaN last
    return pairs[order]


def _find_code(phone: str, phones: Inventory) -> int:
    """Return the code of a phone however it is spelled, −1 if an inventory lacks it."""
    return {canonical_form(own): code for code, own in enumerate(phones)}.get(canonical_form(phone), -1)


@dataclass(frozen=True, eq=False)
class Answers:
    """What G gold phones are answered with, one of P categories or ∅: shares of all tokens of a phone."""

    stack: ConfusionStack
    clusters: Clusters

    @property
    def gold(self) -> Inventory:
        return self.stack.gold

    @property
    def categories(self) -> Inventory:
        return self.stack.predicted

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

    def left_out(self, rows: list[int]) -> Floats:
        """Return p(x|y) of some phones without each group, [C, rows, P + 1]."""
        rest = without_each(self.by_cluster[:, rows])
        return divide(rest, rest.sum(axis=2, keepdims=True))


def goodness(case: CorpusContext, answers: Answers) -> Floats:
    """Return how good each phone is in each category, [G, P]; NaN where that is not known."""
    tokens, predicted, path = case.tokens, case.corpus.predicted, case.alignments
    if tokens is not None and not case.without_tokens:
        rows, columns = tokens.phones.codes(answers.gold), tokens.columns.codes(answers.categories)
        known = (rows >= 0)[:, None] & (columns >= 0)
        sizes = np.bincount(tokens.codes, minlength=len(tokens.phones)).astype(np.float64)
        return divide(joint_of_tokens(tokens).mass[np.ix_(rows, columns)] * known, sizes[rows, None] * known)
    if predicted.confidence is None:
        return answers.shares[:, :-1]
    gold = path.gold[path.predicted < len(answers.categories)]  # an alignment spells the predictions in their order
    rated = (gold < len(answers.gold)) & np.isfinite(predicted.confidence)
    shape = len(answers.gold), len(answers.categories)
    place = gold[rated].astype(np.int64) * shape[1] + predicted.codes[rated]
    sums = (sum_by(place, each, shape[0] * shape[1]) for each in (predicted.confidence[rated], np.ones(rated.sum())))
    return divide(*sums).reshape(shape)


def above_others(answers: Answers) -> Bools:
    """Return which phones are clearly answered with their category more often than all phones together are, [G]."""
    every, best = np.arange(len(answers.gold)), answers.best

    def above(counts: Floats) -> Floats:
        """Return p(x|y) − p(x) of each phone's category, [… G]."""
        tokens, heard = counts.sum(axis=-1), counts.sum(axis=-2)
        own = divide(counts[..., every, best], tokens)
        return own - divide(heard[..., best], heard.sum(axis=-1, keepdims=True) + 0 * own)

    value = above(answers.by_cluster.sum(axis=0))
    spread = answers.clusters.spread(above(without_each(answers.by_cluster)).T, answers.sizes)
    with np.errstate(invalid="ignore"):
        q = adjust_p_values(contrast(value, spread, answers.clusters.level).p)
    return np.asarray((q < SIGNIFICANT) & (value > 0))


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen–Shannon divergence in bits of two distributions along the last axis, [… P]."""
    own = (shares_entropy(first) + shares_entropy(second)) / 2
    return np.asarray(np.maximum(shares_entropy((first + second) / 2) - own, 0.0))


def divergence_of_pair(answers: Answers, pair: list[int]) -> Estimate:
    """Return the divergence of two phones, by their rows; no interval where too few clusters have either.

    A group of clusters counts by its share of the tokens of each phone.
    """
    left_out, sizes, clusters = answers.left_out(pair), answers.sizes[pair], answers.clusters
    value = float(divergence(*answers.shares[pair]))
    if any(clusters.too_few(own) for own in sizes):
        return Estimate(value, status="too-few-clusters").within(0.0, 1.0)
    weights = (sizes / sizes.sum(axis=1, keepdims=True)).sum(axis=0)
    without = divergence(left_out[:, 0], left_out[:, 1])
    return clusters.estimate(value, without, "skill", corrected=True, sizes=weights).within(0.0, 1.0)


def _judge_contrast(answers: Answers, fit: Floats, above: Bools, pair: list[int]) -> dict[str, Any]:
    """Return what is said of a contrast that has tokens enough."""
    best, js = answers.best[pair], divergence_of_pair(answers, pair)
    categories = [answers.categories.phones[code] for code in best]
    same = bool(best[0] == best[1])
    difference = float(np.subtract(*fit[pair, best])) if same else math.nan
    type_ = type_of(answers.shares[pair, best], same=same, apart=difference) if above[pair].all() else ""
    return {
        "type": type_,
        "category": categories[0],
        "other_category": categories[1],
        "js": js.value,
        "js_low": js.low,
        "js_high": js.high,
        "status": js.status or "not-above-chance" * (not type_),
    }


def type_of(shown: Floats, *, same: bool, apart: float) -> str:
    """Return the type of two phones: by the shares of their categories [2], whether these are one, and their fit."""
    categorised = int((shown >= _SHARE - _ROUNDING).sum())
    if categorised < 2:
        return ("UU", "UC")[categorised]
    if not same:
        return "TC"
    return "CG" if abs(apart) >= _APART - _ROUNDING else "SC"
