"""Perceptual assimilation: which categories the two phones of a contrast are heard as, and how well they fit.

Types (Best 1995; Best & Tyler 2007), of shares p(x|y) of all tokens of y
-------------------------------------------------------------------------
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

Goodness of y in x: where there are posteriors, the mean posterior of x over the tokens of y; else, where the
predictions have confidences, the mean confidence of the tokens of y that were heard as x; else p(x|y) itself.

Kinds (Faris, Best & Tyler 2016)
--------------------------------
An uncategorised phone is focalised if one category is chosen above chance, clustered if several are, dispersed if none
is. Two phones of which one at least is uncategorised share none, a part, or all of the categories that are chosen above
chance (Faris, Best & Tyler 2018).

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
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import scipy

from phonxling.alignment.costs import cost_table
from phonxling.analyses.case import Case, Items
from phonxling.analyses.discriminability import Heard, discriminability
from phonxling.core.arrays import Bools, Codes, Floats, divided
from phonxling.core.estimate import SIGNIFICANT, Estimate, joined
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.spelling import canonical
from phonxling.count.posteriors import joint_of_tokens
from phonxling.resample.intervals import estimate
from phonxling.resample.p_values import adjusted
from phonxling.resample.replicates import TokenGroups, sums_by
from phonxling.resample.student import freedom_of, spread, too_few
from phonxling.settings.models import Assimilation
from phonxling.tables.files import table_of

Fit: TypeAlias = Callable[[Codes, Codes], Floats]
TYPES: Sequence[str] = ("TC", "SC", "CG", "UC", "UU")
_MOST = 60  # phones of which all contrasts are looked at: of 300 they would be 44,850
_ROUNDING = 1e-9
_TOGETHER = 512  # contrasts, or cells, whose replicates are looked at together
_NO_TYPE = "no type: {} is not clearly recognised as {} more often than all phones together"
_NO_TYPES = "no type: no phone is clearly recognised as one category more often than all phones together"


def assimilation(case: Case, settings: Assimilation) -> Items:
    """Yield assimilation.tsv, a row a contrast of two gold phones."""
    yield "assimilation", table_of("assimilation", _rows(case, settings))


def _rows(case: Case, settings: Assimilation) -> Iterator[dict[str, Any]]:
    heard = Heard(case.counted.stack, case.counted.resampling)
    phones, least = heard.gold.phones, settings.tokens
    distances = feature_distances(heard.gold, case.features)
    pairs = contrasts(settings, heard.gold, heard.tokens, distances)
    few: Bools = np.any(heard.tokens[pairs] < least, axis=1)
    judged = iter(()) if few.all() else _judged(case, settings, heard, pairs[~few])
    for (first, second), lacking in zip(pairs.tolist(), few.tolist(), strict=True):
        yield {
            "phone": phones[first],
            "other": phones[second],
            "distance": distances[first, second],
            "tokens": heard.tokens[first],
            "tokens_other": heard.tokens[second],
            "threshold": settings.threshold,
            **({"note": f"not measured: fewer than {least} tokens of a phone"} if lacking else next(judged)),
        }
    for pair in () if isinstance(settings.contrasts, str) else settings.contrasts:
        if missing := [phone for phone in pair if _code(phone, heard.gold) < 0]:
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


def _judged(case: Case, settings: Assimilation, heard: Heard, pairs: Codes) -> Iterator[dict[str, Any]]:
    """Yield what is said of each of K contrasts that have tokens enough."""
    source, fit, drawn_fit = goodness(case, heard)
    theta, delta, shares = settings.threshold, settings.goodness, heard.shares[:, :-1]
    every = np.arange(len(heard.gold))
    best, above = shares[every, heard.best], above_others(heard)
    told = np.where(best >= theta, above[every, heard.best], above.any())
    chosen = above_chance(heard, len(case.recogniser_inventory.phones))
    used = np.unique(pairs)
    drawn = [_drawn_tops(heard, row, source, fit, drawn_fit) for row in used.tolist()]
    most, tops, good = map(np.asarray, zip(*drawn, strict=True))
    codes = np.searchsorted(used, pairs)
    runs = (codes[first : first + _TOGETHER] for first in range(0, len(pairs), _TOGETHER))
    sure = np.concatenate([probabilities(_typed(most, tops, good, run, theta=theta, delta=delta)) for run in runs])
    sure[~(heard.clusters[pairs] > 1).all(axis=1)] = np.nan  # tokens of one cluster only
    strict, lenient = (types(shares, fit, pairs, least, delta).tolist() for least in (theta, 0.0))
    (low, high), testable = heard.best_limits, _testable(heard)
    for number, pair in enumerate(pairs.tolist()):
        first, second = pair
        top, shown = heard.best[pair], best[pair]
        as_one = bool(top[0] == top[1] and shown.min() >= theta)
        apart, better = discriminability(heard, (first, second)), Estimate(math.nan)
        if as_one:
            values, draws = fit[pair, top[0]], drawn_fit(np.array(pair), top)
            clusters = float(heard.clusters[pair].min())
            better = estimate(float(values[0] - values[1]), draws[0] - draws[1], heard.resampling, clusters=clusters)
            better = better.within(-1, 1)
        row: dict[str, Any] = {"goodness_of": source if as_one else "", "overlap_null": apart.null}
        if told[pair].all():
            row |= {
                "type": TYPES[strict[number]],
                "probability": sure[number, strict[number]],
                **{f"p_{name.lower()}": share for name, share in zip(TYPES, sure[number], strict=True)},
                "both_to": shown.min(),
                "type_below": TYPES[lenient[number]],
                "none_above": shown.max(),
                "shared": shared(*chosen[pair]) if shown.min() < theta else "",
            }
        for phone, suffix in ((first, ""), (second, "_other")):
            uncategorised = kind(chosen[phone]) if testable[phone] else ""
            row |= {
                f"category{suffix}": heard.categories.phones[heard.best[phone]],
                f"p_category{suffix}": best[phone],
                f"p_category{suffix}_low": low[phone],
                f"p_category{suffix}_high": high[phone],
                f"kind{suffix}": ("categorised" if best[phone] >= theta else uncategorised) if told[phone] else "",
            }
        measured = {"goodness_difference": better, "overlap": apart.overlap, "js": apart.divergence}
        for name, of in measured.items():
            row |= {name: of.value, f"{name}_low": of.low, f"{name}_high": of.high}
        why = [
            _NO_TYPES if best[one] < theta else _NO_TYPE.format(heard.gold.phones[one], row[f"category{suffix}"])
            for one, suffix in ((first, ""), (second, "_other"))
            if not told[one]
        ]
        unknown = "goodness is not known, so SC and CG are one type"
        row["note"] = joined([*dict.fromkeys(why), apart.overlap.note, unknown * (as_one and math.isnan(better.value))])
        yield row


def types(shares: Floats, goodness: Floats, pairs: Codes, theta: float, delta: float) -> Codes:
    """Return the type of each pair by its place in `TYPES`, [K …], of [G, P …]; −1 where a phone has no tokens."""
    return _typed(*tops_of(shares, goodness), pairs, theta=theta, delta=delta)


def tops_of(shares: Floats, goodness: Floats) -> tuple[Floats, Codes, Floats]:
    """Return the greatest share of each phone, NaN without tokens, whose it is, and how good it is there, [G …]."""
    top = shares.argmax(axis=1)
    return shares.max(axis=1), top, np.take_along_axis(goodness, top[:, None], axis=1)[:, 0]


def _typed(best: Floats, top: Codes, fit: Floats, pairs: Codes, *, theta: float, delta: float) -> Codes:
    """Return the type of each pair, of what `tops_of` gives of each phone."""
    first, second = pairs.T
    categorised = np.nan_to_num(best) >= theta - _ROUNDING
    both, either = categorised[first] & categorised[second], categorised[first] | categorised[second]
    apart = np.abs(fit[first] - fit[second]) >= delta - _ROUNDING  # of two in one category
    same = top[first] == top[second]
    names = np.select([both & ~same, both & same & ~apart, both & same, either], [0, 1, 2, 3], 4)
    return np.where(np.isnan(best[first]) | np.isnan(best[second]), -1, names)


def _drawn_tops(heard: Heard, row: int, source: str, fit: Floats, drawn_fit: Fit) -> tuple[Floats, Codes, Floats]:
    """Return what `tops_of` gives of one phone in each replicate, [R] each."""
    clusters, rows = heard.clusters[row : row + 1], np.full(len(heard.categories), row)
    drawn = widened(heard.shares[row : row + 1, :-1], heard.drawn.of(row)[None, :-1], clusters)
    moved = drawn
    if source != "shares":
        moved = widened(fit[row : row + 1], drawn_fit(rows, np.arange(len(rows)))[None], clusters)
    best, top, good = tops_of(drawn, moved)
    return best[0], top[0], good[0]


def probabilities(types: Codes) -> Floats:
    """Return the share of replicates with each type, [K, 5], of types [K, R]; NaN where there is no replicate."""
    counts = np.stack([(types == place).sum(axis=1) for place in range(len(TYPES))], axis=1)
    return divided(counts, counts.sum(axis=1, keepdims=True))


def widened(values: Floats, drawn: Floats, clusters: Floats) -> Floats:
    """Return draws [G, P, R] of values [G, P], their deviations √(C/(C − 1)) times as large, C [G] clusters."""
    freedom = freedom_of(clusters)
    factor = np.sqrt((freedom + 1) / freedom)
    return np.asarray(values[..., None] + factor[:, None, None] * (drawn - values[..., None]))


def goodness(case: Case, heard: Heard) -> tuple[str, Floats, Fit]:
    """Return what goodness is of, that of each phone in each category, [G, P], and of cells in replicates, [..., R]."""
    if (tokens := case.tokens) is not None and not case.without_tokens:
        mass = joint_of_tokens(tokens, "token").mass
        values = divided(mass, mass.sum(axis=1, keepdims=True))
        by_phone = TokenGroups(tokens.codes, len(tokens.phones), tokens.utterances, case.token_resampling)
        drawn = by_phone.drawn_means(tokens.rows)
        rows, columns = tokens.phones.codes(heard.gold), tokens.columns.codes(heard.categories)
        known, places = (rows >= 0)[:, None] & (columns >= 0), np.ix_(rows, columns)

        def means(phone: Codes, category: Codes) -> Floats:
            own = drawn[:, rows[phone], columns[category]]
            return np.moveaxis(np.where(known[phone, category], own, np.nan), 0, -1)

        return "posteriors", np.where(known, values[places], np.nan), means
    path, predicted = case.counted.aligned, case.counted.corpus.predicted
    if predicted.confidence is None:
        return "shares", heard.shares[:, :-1], heard.drawn.at
    gold = path.gold[path.predicted < len(heard.categories)]  # an alignment spells the predictions in their order
    rated = (gold < len(heard.gold)) & np.isfinite(predicted.confidence)
    shape = len(heard.gold), len(heard.categories)
    place = gold[rated].astype(np.int64) * shape[1] + predicted.codes[rated]
    values = np.stack([predicted.confidence[rated], np.ones(int(rated.sum()))], axis=1)
    sums, owner = sums_by(place, values, shape[0] * shape[1]), predicted.token_utterances()[rated]
    drawn = TokenGroups(place, len(sums), owner, heard.resampling).drawn(values)
    ratings = divided(drawn[..., 0], drawn[..., 1]).T.reshape(*shape, -1)
    fit = divided(sums[:, 0], sums[:, 1]).reshape(shape)
    return "confidence", fit, lambda phone, category: np.asarray(ratings[phone, category])


def above_chance(heard: Heard, categories: int) -> Bools:
    """Return which categories each phone is heard as more often than 1 in so many, [G, P]."""
    p = _p_of_more(heard, np.full(len(heard.categories), 1 / categories))
    q = np.stack([adjusted(row) for row in p]) if len(p) else p
    return np.asarray(q < SIGNIFICANT) & _testable(heard)[:, None]


def _testable(heard: Heard) -> Bools:
    """Return whose categories can be tested, [G]: there are replicates, and five clusters have the phone."""
    return np.asarray(~too_few(heard.clusters) & (heard.resampling.replicates > 1))


def above_others(heard: Heard) -> Bools:
    """Return which categories each phone is heard as more often than all phones together are, [G, P]."""
    weights, tokens = divided(heard.tokens, heard.tokens.sum()), heard.tokens[:, None]
    drawn = np.zeros((len(heard.categories), heard.resampling.replicates))
    for run, rows, columns in _cells(heard):
        np.add.at(drawn, columns, weights[rows, None] * np.nan_to_num(run))
    marginal = np.nan_to_num(heard.shares[:, :-1]).T @ weights
    events = np.floor(heard.shares[:, :-1] * tokens + _ROUNDING)
    as_many = scipy.special.betainc(np.maximum(events, 1), tokens - events + 1, marginal)  # binomial
    p = np.maximum(_p_of_more(heard, marginal, drawn), np.where(events > 0, as_many, 1.0))
    tested = (heard.clusters > 1)[:, None] & np.isfinite(p)
    q = adjusted(np.where(tested, p, np.nan).ravel()).reshape(p.shape)
    return np.asarray(q < SIGNIFICANT) & tested


def _cells(heard: Heard) -> Iterator[tuple[Floats, Codes, Codes]]:
    """Yield the replicates' shares [k, R] of cells that have tokens, without ∅, with their rows and columns, some."""
    rows, columns = np.divmod(heard.drawn.cells, heard.drawn.shape[1])
    rows, columns = (places[columns < len(heard.categories)] for places in (rows, columns))
    for first in range(0, len(rows), _TOGETHER):
        run = slice(first, first + _TOGETHER)
        yield heard.drawn.at(rows[run], columns[run]), rows[run], columns[run]


def _p_of_more(heard: Heard, level: Floats, drawn_level: Floats | None = None) -> Floats:
    """Return one-sided p of shares above levels [P], which the replicates have as [P, R], by cluster, [G, P]."""
    shares, tokens = heard.shares[:, :-1], heard.tokens[:, None]
    variance = np.full(shares.shape, np.nan)  # which no cell without tokens needs
    for run, rows, columns in _cells(heard):
        off = run if drawn_level is None else run - drawn_level[columns]
        variance[rows, columns] = spread(off.T, heard.clusters[rows]).variance
    effect = np.fmax(divided(variance * tokens, shares * (1 - shares), undefined=1.0), 1.0)
    t = divided(shares - level, np.sqrt(effect * divided(level * (1 - level), tokens)))
    return np.asarray(scipy.special.stdtr(freedom_of(heard.clusters)[:, None], -t))


def kind(chosen: Bools) -> str:
    """Return the kind of an uncategorised phone, of which categories are chosen above chance, [P]."""
    return ("dispersed", "focalised", "clustered")[min(int(chosen.sum()), 2)]


def shared(first: Bools, second: Bools) -> str:
    """Return whether two phones share none, part or all of what is chosen above chance; "" where one has nothing."""
    if not first.any() or not second.any():
        return ""
    return "all" if (first == second).all() else "part" if (first & second).any() else "none"
