"""Pooled confusions: pooled.tsv, pooled_phones.tsv and pooled_corpora.tsv.

Pooled shares p(x|y): right or wrong, and, when wrong, as what; each has a posterior of its own.

Speakers and languages differ in how often a phone is heard right, and in what it is taken for when it is not: two
things. One Dirichlet over both would take them for one: a phone that some speakers have wrong often would count as one
whose errors are of other kinds, too, and rare errors would be given too much. So κ is for each of the two.
A phone that the recogniser lacks is never right.

With independent posteriors a of the right share and q of the shares among the wrong: E p = E(1 − a) E q, and the same
holds for squares. Limits are those of the Beta distribution of this mean and variance, of equal tails; from 0 on where
its density falls from there, as that of a cell without tokens does.

Which corpora are pooled with each other, and their shares: those of one recogniser, by clusters.

A row of the habit is a gold phone: by its symbol, or by the reference phone that stands for it where `expected: common`
says so. Outcomes are the recogniser's phones in all of these corpora, and ∅ where entropies have it. Insertions have no
gold phone, and are left out.
"""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from scipy.special import betaincinv

from phonxling.analyses.case import Case
from phonxling.analyses.differences import same_utterances
from phonxling.analyses.expected_confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.loaded import one_recogniser
from phonxling.analyses.pooled_posterior import GRID, Posterior, grid_quantiles, pooled_counts, posterior
from phonxling.analyses.signature import of_costs
from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.estimate import joined
from phonxling.core.frames import with_gap
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.intervals import weakness
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.student import effective_number
from phonxling.settings.sections import Pooling
from phonxling.tables.files import Table, table_of

# Pooled shares p(x|y): right or wrong, and, when wrong, as what; each has a posterior of its own.

_LEAST = 1e-12  # of a variance


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledShares:
    """Pooled shares of R rows, a gold phone of a corpus each, over K outcomes."""

    right: Posterior
    wrong: Posterior
    mean: Floats
    square: Floats
    habit: Floats

    def limits(self, level: float) -> tuple[Floats, Floats]:
        """Return the limits of the shares, [R, K] each."""
        mean = self.mean.clip(_LEAST, 1 - _LEAST)
        variance = np.maximum(self.square - self.mean**2, _LEAST * mean * (1 - mean))
        size = np.maximum(mean * (1 - mean) / variance - 1, _LEAST)
        shapes = mean * size, (1 - mean) * size
        rest = 1 - level
        tail = np.select([shapes[0] <= 1, shapes[1] <= 1], [0.0, rest], rest / 2)
        return betaincinv(*shapes, tail), betaincinv(*shapes, level + tail)


def pooled_shares(
    cells: Codes, tokens: Codes, *, rows: Codes, own: Codes, columns: int, generator: np.random.Generator, draws: int
) -> PooledShares:
    """Return the pooled shares of counts."""
    wrong = cells[2] != own[rows[1, cells[1]]]
    split, number = np.unique(np.stack([*cells[:2], wrong]), axis=1, return_inverse=True)
    both = sum_by(number, tokens, split.shape[1]).astype(np.int64)
    lacking = np.where(own < 0, 0, -1)
    right = posterior(pooled_counts(split, both, rows=rows, never=lacking, columns=2), generator, draws=draws)
    errors = pooled_counts(cells[:, wrong], tokens[wrong], rows=rows, never=own, columns=columns)
    kinds = posterior(errors, generator, draws=draws)
    places = own[rows[1]]
    return PooledShares(
        right=right,
        wrong=kinds,
        mean=_product(right.mean, kinds.mean, places),
        square=_product(right.square, kinds.square, places),
        habit=_product(right.habit, kinds.habit, own),
    )


def _product(right: Floats, kinds: Floats, own: Codes) -> Floats:
    """Return the right share in its own column, and the wrong share times its kinds in the others, [N, K]."""
    shares = right[:, 1:] * kinds
    known = np.flatnonzero(own >= 0)
    shares[known, own[known]] = right[known, 0]
    return shares


# Which corpora are pooled with each other, and their shares: those of one recogniser, by clusters.


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledCorpora:
    """Pooled shares of corpora of one recogniser."""

    cases: tuple[Case, ...]
    phones: Sequence[tuple[int, str, str]]
    habits: tuple[str, ...]
    outcomes: tuple[str, ...]
    counts: Floats
    clusters: Codes
    effective: Floats
    shares: PooledShares

    @cached_property
    def habit(self) -> Codes:
        """The row of the habit of each row, [R]."""
        return np.array([self.habits.index(habit) for *_, habit in self.phones], dtype=np.int64)

    def rows_of(self, corpus: int) -> Mapping[str, int]:
        """Return the row of each gold phone of a corpus."""
        return {phone: row for row, (number, phone, _) in enumerate(self.phones) if number == corpus}


@dataclass(frozen=True, slots=True)
class Unpooled:
    """A corpus that cannot be pooled, and why."""

    case: Case
    reason: str


def pool(cases: Sequence[Case], draws: int) -> tuple[list[PooledCorpora], list[Unpooled]]:
    """Return the pooled shares of each recogniser's corpora, and the corpora that cannot be pooled."""
    groups: list[list[Case]] = []
    left: list[Unpooled] = []
    for case in cases:
        if case.aligned is None:
            continue
        own = next((group for group in groups if _alike(case, group[0])), [])
        if reason := _unpooled(case, own):
            left.append(Unpooled(case, reason))
            continue
        if not own:
            groups.append(own)
        own.append(case)
    return [_pooled(group, draws) for group in groups], left


def _alike(case: Case, other: Case) -> bool:
    return one_recogniser(case.loaded, other.loaded, case.experiment.expected)


def _unpooled(case: Case, others: Sequence[Case]) -> str:
    """Return why a corpus cannot be pooled with others, "" where it can."""
    counted = case.counted
    again = [other.name for other in others if same_utterances(case, other)]
    reasons = {
        "counts are fractions, and speakers are drawn from whole ones: pooled with method: viterbi": not (
            counted.stack.whole
        ),
        f"one {counted.resampling.unit}: how much these differ cannot be known": counted.resampling.number < 2,
        "no gold phone was aligned with a predicted one": not counted.clusters.table[: len(counted.stack.gold)].any(),
        f"the utterances of {' '.join(again)} again, which would count twice": bool(again),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _pooled(group: Sequence[Case], draws: int) -> PooledCorpora:
    inventory = reduce(merge, [phones for case in group for phones in _inventories(case)])
    gaps = group[0].experiment.entropy.gaps == "include"
    outcomes = tuple(with_gap(inventory.phones) if gaps else inventory.phones)
    cells, tokens, phones = _corpora_cells(group, outcomes, gaps=gaps)
    habits = tuple(dict.fromkeys(habit for *_, habit in phones))
    rows = np.array([[corpus, habits.index(habit)] for corpus, _, habit in phones], dtype=np.int64).T
    counts = np.zeros((len(phones), len(outcomes)))
    np.add.at(counts, tuple(cells[1:]), tokens)
    (_, row), place = np.unique(cells[:2], axis=1, return_inverse=True)
    held = np.bincount(place.ravel(), weights=tokens, minlength=len(row))  # by each cluster of each phone
    shares = pooled_shares(
        cells,
        tokens,
        rows=rows,
        own=np.array([outcomes.index(habit) if habit in inventory else -1 for habit in habits]),
        columns=len(outcomes),
        generator=np.random.default_rng([group[0].experiment.seed, zlib.crc32(b"pooling")]),
        draws=draws,
    )
    return PooledCorpora(
        cases=tuple(group),
        phones=phones,
        habits=habits,
        outcomes=outcomes,
        counts=counts,
        clusters=np.bincount(row, minlength=len(phones)),
        effective=effective_number(*(np.bincount(row, weights=held**power, minlength=len(phones)) for power in (1, 2))),
        shares=shares,
    )


def _inventories(case: Case) -> Iterator[Inventory]:
    yield from (case.recogniser_inventory.phones, case.counted.stack.predicted)


def _corpora_cells(
    group: Sequence[Case], outcomes: Sequence[str], *, gaps: bool
) -> tuple[Codes, Codes, list[tuple[int, str, str]]]:
    """Return cluster, row and column of the cells of all clusters [3, n], their tokens [n], and what each row is."""
    parts: list[Codes] = []
    phones: list[tuple[int, str, str]] = []
    clusters = 0
    for corpus, case in enumerate(group):
        stack, weights = case.counted.stack, case.counted.resampling
        counted = cluster_cells(stack, weights, gaps=gaps)
        habits = {} if case.refusal or case.reference is None else case.same_phones(case.reference)
        gold = np.flatnonzero(counted.table[: len(stack.gold)].sum(axis=1))
        row_of = np.full(len(stack.gold) + 1, -1)
        row_of[gold] = len(phones) + np.arange(len(gold))
        labels = with_gap(stack.predicted.phones)
        column_of = np.array([outcomes.index(label) if label in outcomes else -1 for label in labels])
        for cells in counted.parts():
            row = row_of[cells.row]
            chosen = row >= 0
            places = np.stack([cells.cluster + clusters, row, column_of[cells.column], cells.tokens.astype(np.int64)])
            parts.append(places[:, chosen])
        names = [stack.gold.phones[place] for place in gold]
        phones += [(corpus, phone, habits.get(phone, phone)) for phone in names]
        clusters += weights.number
    every = np.concatenate(parts, axis=1)
    return every[:3], every[3], phones


_Row = dict[str, Any]
_BOUND = GRID[-1] / 2  # an upper limit of κ beyond which there is none
_PARTS = ("right", "wrong")


def pooling(cases: Sequence[Case], settings: Pooling) -> Iterator[tuple[str, Table]]:
    """Yield two tables of each corpus, and one of all: a corpus that cannot be pooled is in that alone, with why."""
    groups, left = pool(cases, settings.draws)
    for group in groups:
        for corpus, case in enumerate(group.cases):
            yield f"{case.name}/pooled", table_of("pooled", _cells(group, corpus))
            yield f"{case.name}/pooled_phones", table_of("pooled_phones", _phones(group, corpus))
    rows = [row for group in groups for row in _corpora(group, settings)]
    rows += [{"corpus": one.case.name, "note": one.reason} for one in left]
    yield "pooled_corpora", table_of("pooled_corpora", rows)


def _cells(group: PooledCorpora, number: int) -> Iterator[_Row]:
    """Yield every cell of the gold phones that have tokens: the shares of a phone sum to 1."""
    level = group.cases[0].level
    low, high = group.shares.limits(level)
    tokens = group.counts.sum(axis=1)
    observed = divided(group.counts, tokens[:, None])
    several = len(group.cases) > 1
    for phone, row in group.rows_of(number).items():
        for column, outcome in enumerate(group.outcomes):
            yield {
                "gold": phone,
                "predicted": outcome,
                "count": int(group.counts[row, column]),
                "tokens": int(tokens[row]),
                "observed": observed[row, column],
                "pooled": group.shares.mean[row, column],
                "low": low[row, column],
                "high": high[row, column],
                "level": level,
                "habit": group.shares.habit[group.habit[row], column] if several else math.nan,
            }


def _phones(group: PooledCorpora, number: int) -> Iterator[_Row]:
    """Yield how alike speakers are in each gold phone, and what its pooled shares rest on."""
    places = [group.outcomes.index(habit) if habit in group.outcomes else -1 for *_, habit in group.phones]
    right = np.array([group.counts[row, place] if place >= 0 else 0.0 for row, place in enumerate(places)])
    tokens = group.counts.sum(axis=1)
    alike = {part: _kappa(group, part) for part in _PARTS}
    case = group.cases[number]
    absent = "the recogniser lacks it" if case.recogniser_inventory.declared else "never predicted"
    for phone, row in group.rows_of(number).items():
        lacking = places[row] < 0
        known = _PARTS[lacking:]
        few = weakness(case.counted.resampling, clusters=float(group.effective[row]))
        yield {
            "phone": phone,
            "counterpart": group.phones[row][2],
            "tokens": int(tokens[row]),
            "wrong": int(tokens[row] - right[row]),
            "clusters": int(group.clusters[row]),
            **{name: value for part in known for name, value in alike[part][row].items()},
            "level": case.level,
            "own_right": math.nan if lacking else group.shares.right.own[row],
            "own_wrong": group.shares.wrong.own[row],
            "note": joined([f"{absent}: never right" * lacking, *_unknown(row, alike, known), few]),
        }


def _unknown(row: int, alike: Mapping[str, Sequence[_Row]], parts: Sequence[str]) -> list[str]:
    """Return of what κ nothing is known."""
    return [f"no kappa_{part}: no cluster has two such tokens" for part in parts if not alike[part][row]]


def _kappa(group: PooledCorpora, part: str) -> list[_Row]:
    """Return κ of each row with its limits, where a cluster has more than one token of it."""
    drawn: Posterior = getattr(group.shares, part)
    rest = (1 - group.cases[0].level) / 2
    low, middle, high = grid_quantiles(drawn.kappa, rest, 0.5, 1 - rest)
    limits = zip(middle, low, high, strict=True)
    return [
        _limits(f"kappa_{part}", one) if most > 1 else {} for one, most in zip(limits, drawn.counts.most, strict=True)
    ]


def _limits(name: str, numbers: Sequence[float]) -> _Row:
    """Return κ and its limits; the upper one is infinite where speakers may be alike."""
    value, low, high = (float(one) for one in numbers)
    return {name: value, f"{name}_low": low, f"{name}_high": math.inf if high > _BOUND else high}


def _corpora(group: PooledCorpora, settings: Pooling) -> Iterator[_Row]:
    """Yield how alike a corpus' speakers are, how near it is to the habit, and how far from the reference."""
    names = [case.name for case in group.cases]
    for corpus, case in enumerate(group.cases):
        weights, rest = case.counted.resampling, (1 - case.level) / 2
        strengths: _Row = {}
        for part in _PARTS:
            drawn = getattr(group.shares, part)
            strengths |= _limits(f"kappa_{part}", np.quantile(drawn.typical[:, corpus], [0.5, rest, 1 - rest]).tolist())
            if len(names) > 1:
                near = np.quantile(drawn.around[:, corpus], [0.5, rest, 1 - rest])
                strengths |= _limits(f"near_{part}", near.tolist())
        yield {
            "corpus": case.name,
            "pooled_with": " ".join(name for name in names if name != case.name),
            "unit": weights.unit,
            "clusters": weights.number,
            **strengths,
            "level": case.level,
            **_divergence(group, corpus),
            "note": joined([weakness(weights), "" if len(names) > 1 else "one corpus: no habit to be near to"]),
            "signature": _signature(case, settings),
        }


def _signature(case: Case, settings: Pooling) -> str:
    head, version = of_costs(case).rsplit("|", 1)
    return f"{head}|pool:{settings.draws}|{version}"


def _divergence(group: PooledCorpora, corpus: int) -> _Row:
    """Return the divergence and the cross-entropy of pooled shares from the reference's, in place of pseudo-counts."""
    case = group.cases[corpus]
    names, reference = [one.name for one in group.cases], case.reference
    if case.refusal or reference is None or reference.name not in names:
        return {}
    same = case.same_phones(reference)
    chosen = case.experiment.expected.predicted
    confusions = expected_confusions(case.counted.matrix, reference.counted.matrix, predicted=chosen, same=same)
    if not confusions.target.sum():
        return {}
    counterparts = [same[phone] for phone in confusions.gold]
    own = _shares(group, corpus, confusions.gold.phones, confusions)
    other = _shares(group, names.index(reference.name), counterparts, confusions)
    tokens = confusions.target.sum(axis=1, keepdims=True)
    pooled = replace(confusions, target=own / own.sum(axis=1, keepdims=True) * tokens, reference=other)
    return {"pooled_kl": float(pooled.kullback_leibler()), "pooled_cross_entropy": float(pooled.cross_entropy())}


def _shares(group: PooledCorpora, corpus: int, phones: Sequence[str], confusions: ExpectedConfusions) -> Floats:
    """Return the pooled shares of gold phones of a corpus over the predicted phones of a comparison, [T, P]."""
    rows, columns = group.rows_of(corpus), [group.outcomes.index(phone) for phone in confusions.predicted]
    return group.shares.mean[np.ix_([rows[phone] for phone in phones], columns)]
