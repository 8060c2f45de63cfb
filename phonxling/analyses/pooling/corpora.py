"""Which corpora are pooled with each other, and their shares: those of one recogniser, by clusters.

A row of the habit is a gold phone: by its symbol, or by the reference phone that stands for it where `expected: common`
says so. Outcomes are the recogniser's phones in all of these corpora, and ∅ where entropies have it. Insertions have no
gold phone, and are left out.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.case.loaded import one_recogniser
from phonxling.analyses.differences import same_utterances
from phonxling.analyses.pooling.shares import PooledShares, pooled_shares
from phonxling.core.arrays import Codes, Floats
from phonxling.core.display.frames import with_gap
from phonxling.core.inventory import Inventory, merge
from phonxling.resample.jackknife import cluster_cells
from phonxling.resample.student import effective_number


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledCorpora:
    """Pooled shares of corpora of one recogniser.

    Parameters
    ----------
    cases : tuple of Case
        The L corpora.
    phones : list of tuple
        Corpus number, gold phone, and phone of the habit of each row, R.
    habits, outcomes : tuple of str
        The H phones of the habit, and the K labels of columns.
    counts : float64 array [R, K]
        Tokens.
    clusters : int64 array [R]
        How many clusters have tokens of the row.
    effective : float64 array [R]
        How many of equal size would tell as much.
    shares : PooledShares
        What is pooled.
    """

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
    cells, tokens, phones = _cells(group, outcomes, gaps=gaps)
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


def _cells(
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
