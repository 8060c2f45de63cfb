"""Perceptual assimilation: assimilation.tsv, a row a contrast of two gold phones.

The type of assimilation of a contrast: which categories its two phones are heard as, and how well they fit.

Definitions (Best 1995; Best & Tyler 2007), of shares p(x|y) of all tokens of y
--------------------------------------------------------------------------------
y is categorised when its greatest share, over all x but ∅, is at least θ; that x is its category. A deleted token was
heard as nothing: it lowers all shares, and makes no category.

- TC, two-category: both phones are categorised, as two categories.
- SC, single-category: both as one, and equally good: their goodness in it is less than δ apart.
- CG, category-goodness: both as one, and their goodness is δ or more apart.
- UC, uncategorised–categorised: one of them is categorised.
- UU, uncategorised–uncategorised: neither is.

Types are of the shares, not of tests: the same definition holds for the data and for each replicate, so that the share
of replicates with a type says how sure it is. Replicates deviate from the data by √((C − 1)/C) too little, C clusters;
their shares are moved away from the data's by as much.

Which categories a phone is heard as more often than by chance, and than other phones; kinds of uncategorised phones.

Kinds (Faris, Best & Tyler 2016): an uncategorised phone is focalised if one category is chosen above chance, clustered
if several are, dispersed if none is. Two phones of which one at least is uncategorised share none, a part, or all of
the categories that are chosen above chance (Faris, Best & Tyler 2018).

Chance c is 1 / the number of phones that the recogniser has. Tested is p(x|y) = c: t = (p(x|y) − c) / SE on C − 1
degrees of freedom, C clusters; SE² is c(1 − c)/n of n tokens, times the design effect, by how much the variance of
p(x|y) over replicates exceeds p(1 − p)/n, if it does. p is one-sided, and corrected over the categories of a phone
(Benjamini & Hochberg 1995). Nothing is tested below five clusters, or without replicates.

More often than other phones: p(x|y) = p(x), the share of all tokens of all phones that were heard as x. The same t on
the variance of p(x|y) − p(x), and beside it the binomial probability of as many of n tokens or more; the larger p of
the two, one-sided, corrected over all phones and categories together. Tested from two clusters on. A recogniser that
answers alike whatever is said chooses no category more often, however large its share is.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import scipy

from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.discriminability import Goodness, Heard, discriminability, goodness
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import Estimate, joined
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.spelling import canonical
from phonxling.resample.intervals import estimate
from phonxling.resample.p_values import SIGNIFICANT, adjusted
from phonxling.resample.student import freedom_of, spread, too_few
from phonxling.settings.sections import Assimilation
from phonxling.tables.files import table_of

# Which contrasts are looked at: pairs of gold phones with tokens enough, the most similar ones first.

_ContrastsPair = tuple[str, str]


def feature_distances(phones: Inventory, features: FeatureTable) -> Floats:
    """Return the mean difference over features of each pair of phones, [G, G]; NaN where one has no features."""
    known = features.vectors(phones)[1]
    if not known.any():
        return np.full((len(phones), len(phones)), np.nan)
    costs = cost_table("panphon", phones, phones, features)
    return np.where(known[:, None] & known, costs.substitution / costs.denominator, np.nan)


def contrasts(settings: Assimilation, phones: Inventory, tokens: Floats, distances: Floats) -> Codes:
    """Return the pairs that the settings ask for, by their codes, [K, 2]: listed ones as listed, others by distance."""
    if not isinstance(settings.contrasts, str):
        listed = _codes(settings.contrasts, phones)
        return np.array([pair for pair in listed if None not in pair], dtype=np.int64).reshape(-1, 2)
    chosen = np.flatnonzero(tokens >= settings.tokens)
    pairs = np.array(list(combinations(chosen.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    if settings.contrasts == "minimal":
        pairs = pairs[_minimal(pairs, chosen, distances)]
    order = np.argsort(distances[pairs[:, 0], pairs[:, 1]], kind="stable")  # NaN last
    return pairs[order]


def _minimal(pairs: Codes, chosen: Codes, distances: Floats) -> Bools:
    """Return of which pairs one phone is as near to the other as any of those chosen is, [K]."""
    apart = np.where(np.isnan(distances), np.inf, distances)
    np.fill_diagonal(apart, np.inf)
    least = apart[:, chosen].min(axis=1, initial=np.inf)
    own = apart[pairs[:, 0], pairs[:, 1]]
    return np.asarray((own <= least[pairs].max(axis=1, initial=0)) & np.isfinite(own))


def lacking(settings: Assimilation, phones: Inventory) -> Iterator[tuple[_ContrastsPair, str]]:
    """Yield the listed pairs that have a phone that the corpus lacks, each with the reason."""
    if isinstance(settings.contrasts, str):
        return
    for pair, codes in zip(settings.contrasts, _codes(settings.contrasts, phones), strict=True):
        missing = [phone for phone, code in zip(pair, codes, strict=True) if code is None]
        if missing:
            yield pair, f"not looked at: the gold of this corpus has no {' and no '.join(missing)}"


def _codes(pairs: tuple[_ContrastsPair, ...], phones: Inventory) -> list[tuple[int | None, int | None]]:
    """Return the codes of listed pairs, None for a phone that the corpus lacks."""
    own = {canonical(phone): code for code, phone in enumerate(phones)}
    return [(own.get(canonical(first)), own.get(canonical(second))) for first, second in pairs]


# The type of assimilation of a contrast: which categories its two phones are heard as, and how well they fit.

TYPES: Sequence[str] = ("TC", "SC", "CG", "UC", "UU")
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Criteria:
    """Two phones' shares and goodness against θ and δ."""

    threshold: float
    goodness: float

    def types(self, shares: Floats, goodness: Floats, pairs: Codes) -> Codes:
        """Return the type of each pair by its place in `TYPES`, [K …]; −1 where a phone has no tokens."""
        first, second = pairs.T
        best, top = np.nan_to_num(shares.max(axis=1)), shares.argmax(axis=1)
        categorised = best >= self.threshold - _ROUNDING
        both, either = categorised[first] & categorised[second], categorised[first] | categorised[second]
        fit = [_at(goodness, rows, top[first]) for rows in (first, second)]
        apart = np.abs(fit[0] - fit[1]) >= self.goodness - _ROUNDING
        same = top[first] == top[second]
        names = np.select([both & ~same, both & same & ~apart, both & same, either], [0, 1, 2, 3], 4)
        unknown = np.isnan(shares[:, 0])
        return np.where(unknown[first] | unknown[second], -1, names)


def _at(values: Floats, rows: Codes, columns: Codes) -> Floats:
    """Return values [G, P …] at rows [K] and columns [K …], [K …]."""
    draws = (np.arange(values.shape[2]),) if values.ndim > 2 else ()
    own = rows[:, None] if draws else rows
    return np.asarray(values[(own, columns, *draws)])


def probabilities(types: Codes) -> Floats:
    """Return the share of replicates with each type, [K, 5], of types [K, R]; NaN where there is no replicate."""
    counts = np.stack([(types == place).sum(axis=1) for place in range(len(TYPES))], axis=1)
    number = counts.sum(axis=1, keepdims=True)
    return divided(counts, number)


def widened(values: Floats, drawn: Floats, clusters: Floats) -> Floats:
    """Return draws [G, P, R] of values [G, P], their deviations √(C/(C − 1)) times as large, C [G] clusters."""
    freedom = freedom_of(clusters)
    factor = np.sqrt((freedom + 1) / freedom)
    return np.asarray(values[..., None] + factor[:, None, None] * (drawn - values[..., None]))


# Which categories a phone is heard as more often than by chance, and than other phones; kinds of uncategorised phones.


def above_chance(heard: Heard, categories: int) -> Bools:
    """Return which categories each phone is heard as more often than 1 in so many, [G, P]."""
    p = _p_of_more(heard, np.full(len(heard.categories), 1 / categories), 0.0)
    q = np.stack([adjusted(row) for row in p]) if len(p) else p
    return np.asarray(q < SIGNIFICANT) & testable(heard)[:, None]


def above_others(heard: Heard) -> Bools:
    """Return which categories each phone is heard as more often than all phones together are, [G, P]."""
    weights = divided(heard.tokens, heard.tokens.sum())
    drawn = np.einsum("g,gpr->pr", weights, np.nan_to_num(heard.drawn[:, :-1]))
    marginal = np.nan_to_num(heard.shares[:, :-1]).T @ weights
    p = np.maximum(_p_of_more(heard, marginal, drawn), _p_of_tokens(heard, marginal))
    tested = (heard.clusters > 1)[:, None] & np.isfinite(p)
    q = adjusted(np.where(tested, p, np.nan).ravel()).reshape(p.shape)
    return np.asarray(q < SIGNIFICANT) & tested


def _p_of_more(heard: Heard, level: Floats, drawn_level: Floats | float) -> Floats:
    """Return one-sided p of shares above levels [P], which the replicates have as [P, R], by cluster, [G, P]."""
    shares, tokens = heard.shares[:, :-1], heard.tokens[:, None]
    flat = (heard.drawn[:, :-1] - drawn_level).reshape(shares.size, -1).T
    variance = spread(flat, np.repeat(heard.clusters, shares.shape[1])).variance.reshape(shares.shape)
    effect = np.fmax(divided(variance * tokens, shares * (1 - shares), undefined=1.0), 1.0)
    t = divided(shares - level, np.sqrt(effect * divided(level * (1 - level), tokens)))
    return np.asarray(scipy.special.stdtr(freedom_of(heard.clusters)[:, None], -t))


def _p_of_tokens(heard: Heard, level: Floats) -> Floats:
    """Return the binomial probability of as many tokens heard so, or more, [G, P]."""
    tokens = heard.tokens[:, None]
    heard_so = np.floor(heard.shares[:, :-1] * tokens + 1e-9)
    return np.asarray(
        np.where(heard_so > 0, scipy.special.betainc(np.maximum(heard_so, 1), tokens - heard_so + 1, level), 1.0)
    )


def testable(heard: Heard) -> Bools:
    """Return whose categories can be tested, [G]: there are replicates, and five clusters have the phone."""
    return np.asarray(~too_few(heard.clusters) & (heard.resampling.replicates > 1))


def kind(chosen: Bools) -> str:
    """Return the kind of an uncategorised phone, of which categories are chosen above chance, [P]."""
    return ("dispersed", "focalised", "clustered")[min(int(chosen.sum()), 2)]


def shared(first: Bools, second: Bools) -> str:
    """Return whether two phones share none, part or all of what is chosen above chance; "" where one has nothing."""
    if not first.any() or not second.any():
        return ""
    return "all" if (first == second).all() else "part" if (first & second).any() else "none"


_Row = dict[str, Any]
_Pair = tuple[int, int]
_TOGETHER = 512  # contrasts whose replicates are looked at together


def assimilation(case: Case, settings: Assimilation) -> Items:
    """Yield assimilation.tsv."""
    yield "assimilation", table_of("assimilation", _rows(case, settings))


def _rows(case: Case, settings: Assimilation) -> Iterator[_Row]:
    heard = Heard(case.counted.stack, case.counted.resampling)
    distances = feature_distances(heard.gold, case.features)
    pairs = contrasts(settings, heard.gold, heard.tokens, distances)
    every = Contrasts(
        heard=heard,
        goodness=goodness(case, heard),
        settings=settings,
        categories=len(case.recogniser_inventory.phones),
        pairs=pairs,
    )
    phones = heard.gold.phones
    for number, (first, second) in enumerate(pairs.tolist()):
        names = {"phone": phones[first], "other": phones[second], "distance": distances[first, second]}
        yield {**names, **every.row(number)}
    for (phone, other), reason in lacking(settings, heard.gold):
        yield {"phone": phone, "other": other, "note": reason}


@dataclass(frozen=True, eq=False, kw_only=True)
class Contrasts:
    """K contrasts of a corpus, and what they are read from."""

    heard: Heard
    goodness: Goodness
    settings: Assimilation
    categories: int
    pairs: Codes

    @cached_property
    def chosen(self) -> Bools:
        """Which categories are chosen above chance, [G, P]."""
        return above_chance(self.heard, self.categories)

    @cached_property
    def told(self) -> Bools:
        """Whether a type may rest on each phone: its category is heard more often for it than for all, [G]."""
        above = above_others(self.heard)
        own = above[np.arange(len(above)), self.heard.best]
        return np.where(self.best >= self.settings.threshold, own, above.any())

    @cached_property
    def best(self) -> Floats:
        """The greatest share of a category, [G]."""
        return self.heard.shares[np.arange(len(self.heard.gold)), self.heard.best]

    @cached_property
    def types(self) -> Codes:
        """The type of each contrast by its place in `TYPES`, [K]."""
        return self._types(self.settings.threshold)

    @cached_property
    def lenient(self) -> Codes:
        """The type of each where both phones count as categorised, [K]."""
        return self._types(0.0)

    @cached_property
    def probabilities(self) -> Floats:
        """The share of replicates with each type, [K, 5]; NaN where a phone has tokens of one cluster only."""
        heard, fit = self.heard, self.goodness
        drawn = widened(heard.shares[:, :-1], heard.drawn[:, :-1], heard.clusters)
        own = drawn if fit.source == "shares" else widened(fit.values, fit.drawn, heard.clusters)
        criteria = Criteria(self.settings.threshold, self.settings.goodness)
        runs = (self.pairs[first : first + _TOGETHER] for first in range(0, len(self.pairs), _TOGETHER))
        shares = [probabilities(criteria.types(drawn, own, pairs)) for pairs in runs]
        enough = (heard.clusters[self.pairs] > 1).all(axis=1, keepdims=True)
        return np.where(enough, np.concatenate([np.zeros((0, len(TYPES))), *shares]), np.nan)

    def row(self, number: int) -> _Row:
        """Return the row of a contrast."""
        pair, least = (int(self.pairs[number, 0]), int(self.pairs[number, 1])), self.settings.tokens
        tokens = self.heard.tokens[list(pair)]
        counts = {"tokens": tokens[0], "tokens_other": tokens[1], "threshold": self.settings.threshold}
        if tokens.min() < least:
            return {**counts, "note": f"not looked at: fewer than {least} tokens of a phone"}
        apart, fit = discriminability(self.heard, pair), self._fit(pair)
        return {
            **counts,
            **(self._typed(number) if self.told[list(pair)].all() else {}),
            **self._phone(pair[0], ""),
            **self._phone(pair[1], "_other"),
            **_limits("goodness_difference", fit),
            "goodness_of": self.goodness.source if self._as_one(pair) else "",
            **_limits("overlap", apart.overlap),
            "overlap_null": apart.null,
            **_limits("js", apart.divergence),
            "note": self._note(pair, apart.overlap, fit),
        }

    def _types(self, threshold: float) -> Codes:
        shares = self.heard.shares[:, :-1]
        return Criteria(threshold, self.settings.goodness).types(shares, self.goodness.values, self.pairs)

    def _typed(self, number: int) -> _Row:
        """Return the type of a contrast, how sure it is, and of what type it is at other θ."""
        pair, own, drawn = self.pairs[number], self.types[number], self.probabilities[number]
        either = self.best[pair]
        chosen = shared(*self.chosen[pair]) if either.min() < self.settings.threshold else ""
        return {
            "type": TYPES[own],
            "probability": drawn[own],
            **{f"p_{name.lower()}": share for name, share in zip(TYPES, drawn, strict=True)},
            "both_to": either.min(),
            "type_below": TYPES[self.lenient[number]],
            "none_above": either.max(),
            "shared": chosen,
        }

    def _phone(self, phone: int, suffix: str) -> _Row:
        """Return what one of the two phones is heard as most often, and its kind."""
        low, high = self.heard.best_limits
        return {
            f"category{suffix}": self.heard.categories.phones[self.heard.best[phone]],
            f"p_category{suffix}": self.best[phone],
            f"p_category{suffix}_low": low[phone],
            f"p_category{suffix}_high": high[phone],
            f"kind{suffix}": self._kind(phone),
        }

    def _kind(self, phone: int) -> str:
        if not self.told[phone]:
            return ""
        if self.best[phone] >= self.settings.threshold:
            return "categorised"
        return kind(self.chosen[phone]) if testable(self.heard)[phone] else ""

    def _as_one(self, pair: _Pair) -> bool:
        """Return whether both phones are categorised, as one category."""
        first, second = self.heard.best[list(pair)]
        return bool(first == second and self.best[list(pair)].min() >= self.settings.threshold)

    def _fit(self, pair: _Pair) -> Estimate:
        """Return how much better the first phone fits the category of both; NaN where they have none in common."""
        if not self._as_one(pair):
            return Estimate(math.nan)
        rows, best, fit = list(pair), self.heard.best[pair[0]], self.goodness
        first, second = fit.values[rows, best]
        drawn, clusters = fit.drawn[rows, best], float(self.heard.clusters[rows].min())
        number = estimate(float(first - second), drawn[0] - drawn[1], self.heard.resampling, clusters=clusters)
        return number.within(-1, 1)

    def _note(self, pair: _Pair, overlap: Estimate, fit: Estimate) -> str:
        unknown = self._as_one(pair) and math.isnan(fit.value)
        return joined(
            [
                *dict.fromkeys(map(self._not_told, pair)),
                overlap.note,
                "goodness is not known: SC and CG are not told apart" if unknown else "",
            ]
        )

    def _not_told(self, phone: int) -> str:
        """Return why a phone makes no type, "" where it does."""
        if self.told[phone]:
            return ""
        name, best = self.heard.gold.phones[phone], self.heard.categories.phones[self.heard.best[phone]]
        if self.best[phone] < self.settings.threshold:
            return "no type: no phone is shown to be heard as anything more often than all phones together are"
        return f"no type: {name} is not shown to be heard as {best} more often than all phones together are"


def _limits(name: str, number: Estimate) -> _Row:
    return {name: number.value, f"{name}_low": number.low, f"{name}_high": number.high}
