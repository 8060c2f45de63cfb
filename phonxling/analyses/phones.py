"""phones.tsv: what happened to each gold phone, and what each predicted phone stands for.

A column is an entry of `COLUMNS`: its values, what replicates show of it, its limits. A new one takes a row of
`tables/tables.tsv` as well, three if it has limits. S are the phones of a side, O those of the other, R replicates.

Whether the phones that were predicted at all are those that were said: precision, recall and F1 of inventories.

With G the gold phones that have tokens, P the predicted ones, and a similarity s of two phones in [0, 1]:
precision = (1/|P|) Σ_{x∈P} max_{y∈G} s(y, x), recall = (1/|G|) Σ_{y∈G} max_{x∈P} s(y, x), and F1 is
2 · precision · recall / (precision + recall). Plain: s is 1 for one symbol and else 0, so that these are shares of
phones in common; by features: s is 1 less the mean difference of features. One token is enough for a phone to count.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import Given, cells, confusion_entropy
from phonxling.analyses.one_to_one import correspondence_tau, nearest_phones, phone_taus, tau_interval, top_confusions
from phonxling.analyses.rows import row_of
from phonxling.analyses.statistics import Counts, CountSettings, replicates
from phonxling.core.arrays import Bools, Codes, Floats, divided, narrow, whole
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import FEW_TOKENS, Estimate, joined
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.entropies import ClusterCells, information_interval, jackknifed_rows, row_entropies
from phonxling.resample.estimators import refusal
from phonxling.resample.intervals import ClusteredTokens, Resampling, estimate, share_limits, weakness
from phonxling.resample.student import effective_number
from phonxling.settings.models import Entropy
from phonxling.tables.files import declared_columns

SIDES: tuple[Given, Given] = ("gold", "predicted")
Limits = tuple[Floats, Floats]
_ENTROPIES = ("entropy", "perplexity")  # whose notes say themselves why there is no interval
_OF_ONE_PHONE = ("no interval", "the estimate")  # how notes begin that are not the same for all phones


@dataclass(frozen=True, eq=False)
class PhoneSide:
    """The phones of a side of an analysed corpus, and what replicates show of them by column, [S, R]."""

    side: Given
    analysis: AnalysedCorpus
    drawn: Mapping[str, Floats]

    @property
    def phones(self) -> Inventory:
        inventory: Inventory = getattr(self.analysis.matrix, self.side)
        return inventory

    @property
    def tokens(self) -> Floats:
        """Tokens of each phone, [S]."""
        matrix = self.analysis.matrix
        return matrix.tokens if self.side == "gold" else matrix.predicted_tokens

    @property
    def same(self) -> Bools:
        """Which pairs are one symbol, this side in rows, [S, O]."""
        same = self.analysis.matrix.same_symbol()
        return same if self.side == "gold" else same.T

    @property
    def correct(self) -> Floats:
        """Tokens of each phone with the same symbol, [S]."""
        matrix = self.analysis.matrix
        right = np.where(matrix.same_symbol(), matrix.substitutions, 0.0)
        return np.asarray(right.sum(axis=1 if self.side == "gold" else 0))

    @cached_property
    def clusters(self) -> ClusterCells:
        """The counts of each cluster, this side in rows, of the symbols that entropies are of."""
        counts = self.analysis.clusters
        return counts if self.side == "gold" else counts.transposed()

    @cached_property
    def entropies(self) -> list[Estimate]:
        """Each phone's corrected entropy in bits with its interval."""
        corrected, most = jackknifed_rows(self.clusters), math.log2(max(self.clusters.shape[1], 1))
        columns = corrected.value, self.drawn["entropy"], corrected.error, corrected.clusters
        rows = zip(*(column[: len(self.phones)] for column in columns), strict=True)  # with gaps ∅ has a row, last
        return [
            information_interval(
                float(value), drawn, self.analysis.resampling, error=float(error), clusters=float(number), most=most
            )
            for value, drawn, error, number in rows
        ]


@dataclass(frozen=True, eq=False)
class PhoneCounts:
    """Counts of one side's phones with those of the other in R replicates; what a substitution costs, [G, P]."""

    side: Given
    counts: Counts
    prices: Floats

    def turned(self, values: Floats) -> Floats:
        """Return values [G, P ...] with this side in rows."""
        return values if self.side == "gold" else values.swapaxes(0, 1)

    @property
    def pairs(self) -> Floats:
        return self.turned(self.counts.total)[:-1, :-1]

    @property
    def gaps(self) -> Floats:
        """Counts of each phone with ∅, [S, R]."""
        return self.turned(self.counts.total)[:-1, -1]

    @cached_property
    def tokens(self) -> Floats:
        """Tokens of each phone, [S, R]."""
        return np.asarray(self.turned(self.counts.total)[:-1].sum(axis=1))

    @cached_property
    def correct(self) -> Floats:
        """Tokens of each phone with the same symbol, [S, R]."""
        return np.asarray(np.einsum("gpr,gp->gr", self.pairs, self.turned(self.counts.same.astype(np.float64))))

    @cached_property
    def entropies(self) -> Floats:
        """Entropy of each phone in bits, [S, R]: by Miller–Madow, of fractional counts by the plug-in."""
        symbols, n_log_n = self.turned(self.counts.symbols), self.turned(self.counts.n_log_n)
        seen = np.count_nonzero(symbols, axis=1) if self.counts.whole else None
        return row_entropies(symbols.sum(axis=1), n_log_n.sum(axis=1), seen)[: len(self.pairs)]  # without that of ∅


def _mean_cost(side: PhoneSide) -> Floats:
    counts = np.where(side.same, 0.0, side.analysis.matrix.substitutions)
    return divided((counts * side.analysis.cell_costs[:-1, :-1]).sum(axis=1), counts.sum(axis=1))


def _drawn_mean_cost(own: PhoneCounts) -> Floats:
    costs = np.einsum("gpr,gp->gr", own.pairs, np.where(own.counts.same, 0.0, own.prices))
    return divided(costs, own.pairs.sum(axis=1) - own.correct)


def _tau(side: PhoneSide) -> Floats:
    scoring = side.analysis.scoring
    if side.analysis.weighed.learned or not scoring.as_rate:
        return np.full(len(side.phones), np.nan)
    return correspondence_tau(side.analysis.matrix, scoring)[0]


def _drawn_tau(own: PhoneCounts) -> Floats:
    similarity = own.counts.settings.similarity
    if similarity is None:
        return np.full(own.tokens.shape, np.nan)
    return phone_taus(own.pairs, own.counts.same, similarity)


def _nearest(side: PhoneSide) -> list[str]:
    scoring = side.analysis.scoring
    by_features = scoring.as_rate and is_feature_cost(scoring.name)
    return [" ".join(row) for row in nearest_phones(scoring)] if by_features else [""] * len(side.phones)


def _limits(estimates: Iterable[Estimate]) -> Limits:
    limits = np.array([(one.low, one.high) for one in estimates], dtype=np.float64).reshape(-1, 2)
    return limits[:, 0], limits[:, 1]


def _estimated(side: PhoneSide, column: str, values: Floats, *, interval: Callable[..., Estimate]) -> Limits:
    return _limits(
        interval(value, drawn, side.analysis.resampling)
        for value, drawn in zip(values.tolist(), side.drawn[column], strict=True)
    )


def _share_limits(side: PhoneSide, column: str, _: Floats, *, deleted: bool) -> Limits:
    """Return the limits of each phone's share of deleted, or of correct, tokens."""
    event, phones = np.pad(side.same, ((0, 1), (0, 1))), len(side.phones)
    if deleted:
        event[:], event[:, -1] = False, True
    parts = [tuple(narrow(np.zeros(0)) for _ in range(3))]
    for part in replace(side.clusters, gaps=True).parts():
        row, sums = part.by_row(part.tokens, part.tokens * event[part.row, part.column])
        parts.append(tuple(narrow(values[row < phones]) for values in (row, *sums)))
    kind, tokens, events = (np.concatenate(part) for part in zip(*parts, strict=True))
    return share_limits(ClusteredTokens(kind, tokens, events, phones), side.drawn[column], side.analysis.resampling)


def _entropy_limits(side: PhoneSide, column: str, _: Floats) -> Limits:
    low, high = _limits(side.entropies)
    return (low, high) if column == "entropy" else (2.0**low, 2.0**high)


@dataclass(frozen=True, kw_only=True)
class PhoneColumn:
    """A column of phones.tsv: its values, its replicates, its limits from the values, and the sides that have it."""

    name: str
    values: Callable[[PhoneSide], Any]
    drawn: Callable[[PhoneCounts], Floats] | None = None
    limits: Callable[[PhoneSide, str, Any], Limits] | None = None
    of: tuple[Given, ...] = SIDES


COLUMNS = (
    PhoneColumn(name="side", values=lambda side: [side.side] * len(side.phones)),
    PhoneColumn(name="phone", values=lambda side: list(side.phones)),
    PhoneColumn(name="tokens", values=lambda side: whole(np.round(side.tokens, 6))),  # shares add up to whole ones
    PhoneColumn(name="correct", values=lambda side: whole(side.correct)),
    PhoneColumn(
        name="accuracy",
        values=lambda side: divided(side.correct, side.tokens),
        drawn=lambda own: divided(own.correct, own.tokens),
        limits=partial(_share_limits, deleted=False),
    ),
    PhoneColumn(
        name="deletion_rate",
        values=lambda side: divided(side.analysis.matrix.deletions, side.tokens),
        drawn=lambda own: divided(own.gaps, own.tokens),
        limits=partial(_share_limits, deleted=True),
        of=("gold",),
    ),
    PhoneColumn(
        name="entropy", values=lambda side: np.array([one.value for one in side.entropies]),
        drawn=lambda own: own.entropies, limits=_entropy_limits,
    ),
    PhoneColumn(
        name="perplexity", values=lambda side: np.array([2.0**one.value for one in side.entropies]),
        limits=_entropy_limits,
    ),
    PhoneColumn(name="nearest", values=_nearest, of=("gold",)),
    PhoneColumn(
        name="confused_with", values=lambda side: [" ".join(row) for row in top_confusions(side.analysis.matrix)],
        of=("gold",),
    ),
    PhoneColumn(
        name="tau", values=_tau, drawn=_drawn_tau, limits=partial(_estimated, interval=tau_interval), of=("gold",)
    ),
    PhoneColumn(
        name="mean_substitution_cost", values=_mean_cost, drawn=_drawn_mean_cost,
        limits=partial(_estimated, interval=partial(estimate, kind="rate")), of=("gold",),
    ),
)  # fmt: skip


def phone_draws(
    stack: ConfusionStack, resampling: Resampling, settings: CountSettings, prices: Floats
) -> dict[Given, dict[str, Floats]]:
    """Return what replicates show of each side by column, [S, R] each; `prices` of substitutions are [G, P]."""
    columns = [(side, one.name, one.drawn) for side in SIDES for one in COLUMNS if side in one.of and one.drawn]
    parts = {(side, name): [np.zeros((len(getattr(stack, side)), 0))] for side, name, _ in columns}
    for counts in replicates(stack, resampling, replace(settings, halving=None)):
        own = {side: PhoneCounts(side, counts, prices) for side in SIDES}
        for side, name, drawn in columns:
            parts[side, name].append(drawn(own[side]))
    joint = {key: np.concatenate(some, axis=-1) for key, some in parts.items()}
    return {side: {name: joint[one, name] for one, name in joint if one == side} for side in SIDES}


def phones(case: Case, settings: Entropy) -> Items:
    analysis, estimators = case.counted, dict.fromkeys(settings.estimators)
    drawn = phone_draws(analysis.stack, analysis.resampling, analysis.counting, analysis.cell_costs[:-1, :-1])
    parts = [_table(PhoneSide(side, analysis, drawn[side]), settings) for side in SIDES]
    declared = [column for column in declared_columns() if column.table == "phones"]
    of_estimators = [f"entropy_{name}" for name in estimators]
    order = [name for one in declared for name in (of_estimators if "<" in one.column else [one.column])]
    texts = {column.column: "" for column in declared if column.type == "text"}
    yield "phones", pd.concat(parts, ignore_index=True)[order].fillna(texts)


def _table(side: PhoneSide, settings: Entropy) -> pd.DataFrame:
    """Return the phones of one side; entropies are NaN by an estimator that needs whole counts where they are not."""
    matrix, values = side.analysis.matrix, dict[str, Any]()
    columns = [column for column in COLUMNS if side.side in column.of]
    for column in columns:
        name, own = column.name, column.values(side)
        values[name] = own
        if column.limits:
            values[f"{name}_low"], values[f"{name}_high"] = column.limits(side, name, own)
    for name in dict.fromkeys(settings.estimators):
        bits = np.full(len(side.phones), np.nan)
        if not refusal(cells(matrix, side.side, settings.gaps), name):
            bits[:] = confusion_entropy(matrix, name, side.side, settings.gaps, settings.support)[: len(bits)]
        values[f"entropy_{name}"] = bits
    bounded = [column.name for column in columns if column.limits and column.name not in _ENTROPIES]
    return pd.DataFrame({**values, "note": list(_notes(side, values, bounded))})


def _notes(side: PhoneSide, values: Mapping[str, Any], bounded: list[str]) -> Iterator[str]:
    """Yield what weakens each phone's numbers: few clusters, a symbol of one side alone, few tokens, no limits."""
    other = f"no {'predicted' if side.side == 'gold' else 'gold'} phone has this symbol"
    few = f"fewer than {FEW_TOKENS} tokens: no estimate of the entropy is to be trusted"
    resampling, every = side.analysis.resampling, side.clusters.table.sum(axis=1)
    about_clusters = _few_clusters(side)
    for phone, has_other in enumerate(np.asarray(side.same.any(axis=1))):
        own = joined(part for part in side.entropies[phone].note.split("; ") if part.startswith(_OF_ONE_PHONE))
        notes = [about_clusters[phone], "" if has_other else other, few * bool(0 < every[phone] < FEW_TOKENS)]
        notes.append(f"entropy: {own}" if own else "")
        alike = [
            name for name in bounded if not np.isnan(values[name][phone]) and np.isnan(values[f"{name}_low"][phone])
        ]
        if alike and resampling.number >= 2 and resampling.replicates:
            notes.append(f"no interval of {', '.join(alike)}: the resampled values do not differ")
        yield joined(notes)


def _few_clusters(side: PhoneSide) -> list[str]:
    """Return of each phone the warning that its intervals rest on few clusters, "" where they do not."""
    resampling, (total, squares) = side.analysis.resampling, np.zeros((2, len(side.phones) + 1))
    for part in replace(side.clusters, gaps=True).parts():
        row, (tokens,) = part.by_row(part.tokens)
        for sums, own in ((total, tokens), (squares, tokens**2)):
            sums += np.bincount(row, weights=own, minlength=len(sums))
    numbers = effective_number(total, squares).tolist()
    drawn = resampling.replicates > 0
    return [weakness(resampling, clusters=number) if drawn and number > 1 else "" for number in numbers]


_NAMES = ("inventory_precision", "inventory_recall", "inventory_f1")
_RAW = "raw symbols have no phonological features"
_NOTHING = "nothing was predicted"
Presence = tuple[Bools, Bools, Codes]
"""Which of S phones occur: in the corpus, [S], in each bootstrap draw, [S, R], and in which cluster alone, [S]."""


def inventories(case: Case, _: None) -> Items:
    """Yield precision, recall and F1 of the predicted phones, and F1 by features."""
    corpus, weights = case.counted.corpus, case.counted.resampling
    gold, predicted = presence(corpus.gold, weights), presence(corpus.predicted, weights)
    said, heard = gold[0].sum(), predicted[0].sum()
    for variant, costs, names in (("", "unit", _NAMES), ("features", "panphon", _NAMES[2:])):
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, case.features)
        missing = _NOTHING if not heard else _RAW if variant and case.loaded.raw else ""
        numbers = resampled_scores(1 - table.substitution / table.denominator, gold, predicted, weights.number)
        for name in names:
            value, drawn, left_out = (part.T[_NAMES.index(name)] for part in numbers)
            result = estimate(float(value), drawn, weights, kind="share", left_out=left_out)
            about = missing or f"{heard} phones were predicted, {said} said"
            yield row_of(name, math.nan if missing else result, said + heard, variant, about)


def scores(similarity: Floats, gold: Bools, predicted: Bools) -> Floats:
    """Return precision, recall and F1 of present phones [G] and [P] by their similarity [G, P]; NaN without any."""
    between = similarity[np.ix_(gold, predicted)]
    if not between.size:
        return np.full(3, np.nan)
    precision, recall = between.max(axis=0).mean(), between.max(axis=1).mean()
    return np.array([precision, recall, 2 * precision * recall / (precision + recall or 1)])


def presence(side: PhoneSequences, weights: Resampling) -> Presence:
    """Return which phones occur."""
    has = np.zeros((side.size, weights.number), np.float32)  # whether a cluster has a phone
    has[side.codes, weights.clusters[side.token_utterances()]] = 1
    drawn = [has @ part.T.astype(np.float32) > 0 for part in weights.parts(max(1, weights.replicates // 16))]
    number = has.sum(axis=1)
    every = np.concatenate([np.zeros((side.size, 0), bool), *drawn], axis=1)
    return number > 0, every, np.where(number == 1, has.argmax(axis=1), -1)


def resampled_scores(
    similarity: Floats, gold: Presence, predicted: Presence, clusters: int
) -> tuple[Floats, Floats, Floats]:
    """Return the scores of the corpus, [3], of its draws, [R, 3], and without each cluster, [C, 3]."""
    (whole, drawn, alone), (other, other_drawn, other_alone) = gold, predicted
    value = scores(similarity, whole, other)
    both, back = np.unique(np.concatenate([drawn, other_drawn]), axis=1, return_inverse=True)
    each = np.array([scores(similarity, *np.split(column, [len(whole)])) for column in both.T]).reshape(-1, 3)
    left_out = np.tile(value, (clusters, 1))
    for cluster in {*alone[alone >= 0], *other_alone[other_alone >= 0]}:
        left_out[cluster] = scores(similarity, whole & (alone != cluster), other & (other_alone != cluster))
    return value, each[back.ravel()], left_out
