"""Perceptual assimilation: which categories the two phones of a contrast are answered with, and how well they fit.

Types (Best 1995; Best & Tyler 2007), of shares p(x|y) of all tokens of y
-------------------------------------------------------------------------
y is categorised when its greatest share, over all x but ∅, is at least θ; that x is its category. A deleted token was
answered with nothing: it lowers all shares, and makes no category.

- TC, two-category: both phones are categorised, as two categories.
- SC, single-category: both as one, and equally good: their goodness in it is less than δ apart.
- CG, category-goodness: both as one, and their goodness is δ or more apart.
- UC, uncategorised–categorised: one of them is categorised.
- UU, uncategorised–uncategorised: neither is.

Goodness of y in x: where there are posteriors, the mean posterior of x over the tokens of y; else, where the
predictions have confidences, the mean confidence of the tokens of y that were answered with x; else p(x|y) itself.

A type stands where both phones are answered with their most frequent category more often than all phones together are:
p(x|y) − p(x) > 0 by its jackknifed error, q < .05 over all phones. Who answers alike whatever is said has no types.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.discriminability import Answers, discriminability, of_two
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import SIGNIFICANT, Estimate, joined
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.spelling import canonical
from phonxling.resample.jackknife import Clusters
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import contrast
from phonxling.resample.tokens import TokenGroups, without_each
from phonxling.settings.models import Assimilation
from phonxling.tables.files import table_of

TYPES: Sequence[str] = ("TC", "SC", "CG", "UC", "UU")
_MOST = 60  # phones of which all contrasts are looked at: of 300 they would be 44,850
_ROUNDING = 1e-9
_NO_TYPE = "no type: {} is not clearly recognised as {} more often than all phones together"
_UNKNOWN = "goodness is not known, so SC and CG are one type"


def assimilation(case: Case, settings: Assimilation) -> Items:
    """Yield assimilation.tsv, a row a contrast of two gold phones."""
    yield "assimilation", table_of("assimilation", _rows(case, settings))


def _rows(case: Case, settings: Assimilation) -> Iterator[dict[str, Any]]:
    answers = Answers(case.counted.stack, case.counted.clusters)
    phones, least, distances = answers.gold.phones, settings.tokens, feature_distances(answers.gold, case.features)
    fit, above = goodness(case, answers), above_others(answers)
    for first, second in contrasts(settings, answers.gold, answers.tokens, distances).tolist():
        row = {
            "phone": phones[first],
            "other": phones[second],
            "distance": distances[first, second],
            "tokens": answers.tokens[first],
            "tokens_other": answers.tokens[second],
        }
        if answers.tokens[[first, second]].min() < least:
            yield {**row, "note": f"not measured: fewer than {least} tokens of a phone"}
        else:
            yield {**row, **_judged(answers, fit, above, [first, second], settings)}
    for pair in () if isinstance(settings.contrasts, str) else settings.contrasts:
        if missing := [phone for phone in pair if _code(phone, answers.gold) < 0]:
            why = f"not measured: the gold of this corpus has no {' and no '.join(missing)}"
            yield {"phone": pair[0], "other": pair[1], "note": why}


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
        listed = [[_code(phone, phones) for phone in pair] for pair in settings.contrasts]
        return np.array([pair for pair in listed if min(pair) >= 0], dtype=np.int64).reshape(-1, 2)
    chosen = np.flatnonzero(tokens >= settings.tokens)
    pairs = np.array(list(combinations(chosen.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    many = len(chosen) > _MOST and not np.isnan(distances).all()
    if settings.contrasts == "minimal" or (settings.contrasts == "auto" and many):
        # one phone is as near to the other as any of those chosen is
        apart = np.where(np.isnan(distances), np.inf, distances)
        np.fill_diagonal(apart, np.inf)
        nearest = apart[:, chosen].min(axis=1, initial=np.inf)[pairs].max(axis=1, initial=0)
        own = apart[pairs[:, 0], pairs[:, 1]]
        pairs = pairs[(own <= nearest) & np.isfinite(own)]
    order = np.argsort(distances[pairs[:, 0], pairs[:, 1]], kind="stable")  # NaN last
    return pairs[order]


def _code(phone: str, phones: Inventory) -> int:
    """Return the code of a phone however it is spelled, −1 if an inventory lacks it."""
    return {canonical(own): code for code, own in enumerate(phones)}.get(canonical(phone), -1)


@dataclass(frozen=True, eq=False)
class Goodness:
    """Σ above / Σ below over groups of clusters is how good y is in x, [C, G, P] each; `of` says of what it is."""

    of: str
    above: Floats
    below: Floats
    clusters: Clusters

    def apart(self, pair: list[int], category: int) -> Estimate:
        """Return the goodness of one phone in a category less that of another."""
        above, below = self.above[:, pair, category], self.below[:, pair, min(category, self.below.shape[2] - 1)]
        whole, left_out = divided(above.sum(axis=0), below.sum(axis=0)), divided(*map(without_each, (above, below)))
        value, without = float(whole[0] - whole[1]), left_out[:, 0] - left_out[:, 1]
        return of_two(value, without, below.T, self.clusters).within(-1.0, 1.0)


def goodness(case: Case, answers: Answers) -> Goodness:
    """Return how good each phone is in each category."""
    tokens, predicted, path = case.tokens, case.counted.corpus.predicted, case.counted.aligned
    if tokens is not None and not case.without_tokens:
        groups = TokenGroups(tokens.codes, len(tokens.phones), tokens.utterances, case.token_clusters)
        rows, columns = tokens.phones.codes(answers.gold), tokens.columns.codes(answers.categories)
        known = (rows >= 0)[:, None] & (columns >= 0)
        mass = groups.by_cluster(tokens.rows)[:, rows][:, :, columns]
        sizes = groups.sizes().T[:, rows, None] * known
        return Goodness("posteriors", mass * known, sizes, case.token_clusters)
    if predicted.confidence is None:
        return Goodness("shares", answers.by_cluster[..., :-1], answers.sizes.T[..., None], answers.clusters)
    gold = path.gold[path.predicted < len(answers.categories)]  # an alignment spells the predictions in their order
    rated = (gold < len(answers.gold)) & np.isfinite(predicted.confidence)
    shape = len(answers.gold), len(answers.categories)
    place = gold[rated].astype(np.int64) * shape[1] + predicted.codes[rated]
    values = np.stack([predicted.confidence[rated], np.ones(int(rated.sum()))], axis=1)
    groups = TokenGroups(place, shape[0] * shape[1], predicted.token_utterances()[rated], answers.clusters)
    above, below = np.moveaxis(groups.by_cluster(values).reshape(-1, *shape, 2), -1, 0)
    return Goodness("confidence", above, below, answers.clusters)


def above_others(answers: Answers) -> Bools:
    """Return which phones are clearly answered with their category more often than all phones together are, [G]."""
    every, best = np.arange(len(answers.gold)), answers.best

    def apart(counts: Floats) -> Floats:
        """Return p(x|y) − p(x) of each phone's category, [… G]."""
        tokens, heard = counts.sum(axis=-1), counts.sum(axis=-2)
        own = divided(counts[..., every, best], tokens)
        return own - divided(heard[..., best], heard.sum(axis=-1, keepdims=True) + 0 * own)

    value = apart(answers.by_cluster.sum(axis=0))
    spread = answers.clusters.spread(apart(without_each(answers.by_cluster)).T, answers.sizes)
    with np.errstate(invalid="ignore"):
        q = adjusted(contrast(value, spread, answers.clusters.level).p)
    return np.asarray((q < SIGNIFICANT) & (value > 0))


def _judged(answers: Answers, fit: Goodness, above: Bools, pair: list[int], settings: Assimilation) -> dict[str, Any]:
    """Return what is said of a contrast that has tokens enough."""
    best, shown = answers.best[pair], answers.shares[pair, answers.best[pair]]
    categories = [answers.categories.phones[code] for code in best]
    better = Estimate(math.nan)
    as_one = bool(best[0] == best[1] and (shown >= settings.threshold - _ROUNDING).all())
    if as_one:
        better = fit.apart(pair, int(best[0]))
    common, apart = discriminability(answers, pair)
    type_ = type_of(shown, same=bool(best[0] == best[1]), apart=better.value, settings=settings)
    why = [
        _NO_TYPE.format(answers.gold.phones[code], category)
        for code, category in zip(pair, categories, strict=True)
        if not above[code]
    ]
    row: dict[str, Any] = {"type": "" if why else type_, "overlap": common, "status": apart.status}
    row["goodness_of"] = fit.of if as_one else ""
    for suffix, category, share in zip(("", "_other"), categories, shown.tolist(), strict=True):
        row |= {f"category{suffix}": category, f"p_category{suffix}": share}
    for name, of in {"goodness_difference": better, "js": apart}.items():
        row |= {name: of.value, f"{name}_low": of.low, f"{name}_high": of.high}
    unknown = _UNKNOWN if as_one and math.isnan(better.value) else ""
    return {**row, "note": joined([*why, apart.note, unknown])}


def type_of(shown: Floats, *, same: bool, apart: float, settings: Assimilation) -> str:
    """Return the type of two phones: by the shares of their categories [2], whether these are one, and their fit."""
    categorised = int((shown >= settings.threshold - _ROUNDING).sum())
    if categorised < 2:
        return ("UU", "UC")[categorised]
    if not same:
        return "TC"
    return "CG" if abs(apart) >= settings.goodness - _ROUNDING else "SC"
