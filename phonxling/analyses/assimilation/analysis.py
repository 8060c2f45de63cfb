"""Perceptual assimilation: assimilation.tsv, a row a contrast of two gold phones."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from phonxling.analyses.assimilation.chosen import above_chance, above_others, kind, shared, testable
from phonxling.analyses.assimilation.contrasts import contrasts, feature_distances, lacking
from phonxling.analyses.assimilation.discriminability import discriminability
from phonxling.analyses.assimilation.goodness import Goodness, goodness
from phonxling.analyses.assimilation.heard import Heard
from phonxling.analyses.assimilation.types import TYPES, Criteria, probabilities, widened
from phonxling.analyses.case.case import Case, Items
from phonxling.core.arrays import Bools, Codes, Floats
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.intervals import estimate
from phonxling.settings.assimilation import Assimilation
from phonxling.tables.files import table_of

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
    """K contrasts of a corpus, and what they are read from.

    Parameters
    ----------
    heard : Heard
        What each phone is heard as.
    goodness : Goodness
        How well.
    settings : Assimilation
        θ, δ, and the least tokens.
    categories : int
        How many phones something could have been heard as.
    pairs : int64 array [K, 2]
        The two phones of each, by their rows.
    """

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
        """Whether a type may rest on each phone: its category is heard more often for it than for all, [G].

        One without a category needs no more than that some phone of the corpus is told so.
        """
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
