"""Pooled confusions: shares p(x|y) of a corpus that speakers share, drawn around what its recogniser usually hears.

Right or wrong, and, when wrong, as what
----------------------------------------
Speakers and languages differ in how often a phone is heard right, and in what it is taken for when it is not: two
things. One Dirichlet over both would take them for one: a phone that some speakers have wrong often would count as one
whose errors are of other kinds, too, and rare errors would be given too much. So each of the two has a posterior of its
own (`pooled_posterior.py`), and a κ. A phone that the recogniser lacks is never right.

With independent posteriors a of the right share and q of the shares among the wrong: E p = E(1 − a) E q, and the same
holds for squares. Limits are those of the Beta distribution of this mean and variance, of equal tails; from 0 on where
its density falls from there, as that of a cell without tokens does.

What is pooled
--------------
Corpora of one recogniser are pooled with each other, by clusters. A row of the habit is a gold phone: by its symbol, or
by the reference phone that stands for it where `expected: common` says so. Outcomes are the recogniser's phones in all
of these corpora, and ∅ where entropies have it. Insertions have no gold phone, and are left out.
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from phonxling.analyses.case import Case
from phonxling.analyses.differences import same_utterances
from phonxling.analyses.expected_confusions import expected_confusions
from phonxling.analyses.loaded import one_recogniser
from phonxling.analyses.pooled_posterior import GRID, Posterior, grid_quantiles, pooled_counts, posterior
from phonxling.analyses.signature import of_costs
from phonxling.core.arrays import Codes, Floats, divided, sum_by
from phonxling.core.estimate import joined
from phonxling.core.inventory import merge, with_gap
from phonxling.resample.entropies import cluster_cells
from phonxling.resample.intervals import weakness
from phonxling.resample.student import effective_number
from phonxling.settings.models import Pooling
from phonxling.tables.files import Table, table_of

_BOUND = GRID[-1] / 2  # an upper limit of κ beyond which there is none
_LEAST = 1e-12  # of a variance
_PARTS = ("right", "wrong")


@dataclass(frozen=True, eq=False)
class PooledShares:
    """Pooled shares of R rows, a gold phone of a corpus each, over K outcomes; `habit` is [H, K]."""

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
    """Return the pooled shares of cells (cluster, row, column) [3, n]; rows [2, R] are corpus and habit, `own` [H]."""
    wrong = cells[2] != own[rows[1, cells[1]]]
    split, number = np.unique(np.stack([*cells[:2], wrong]), axis=1, return_inverse=True)
    both = sum_by(number, tokens, split.shape[1]).astype(np.int64)
    lacking = np.where(own < 0, 0, -1)
    right = posterior(pooled_counts(split, both, rows=rows, never=lacking, columns=2), generator, draws=draws)
    errors = pooled_counts(cells[:, wrong], tokens[wrong], rows=rows, never=own, columns=columns)
    kinds = posterior(errors, generator, draws=draws)

    def product(rightness: Floats, kind: Floats, places: Codes) -> Floats:
        shares = rightness[:, 1:] * kind
        known = np.flatnonzero(places >= 0)
        shares[known, places[known]] = rightness[known, 0]
        return shares

    mean, square = (product(getattr(right, of), getattr(kinds, of), own[rows[1]]) for of in ("mean", "square"))
    return PooledShares(right, kinds, mean, square, product(right.habit, kinds.habit, own))


def pooling(cases: Sequence[Case], settings: Pooling) -> Iterator[tuple[str, Table]]:
    """Yield two tables of each corpus, and one of all: a corpus that cannot be pooled is in that alone, with why."""
    groups, rows, left = list[list[Case]](), list[dict[str, Any]](), list[dict[str, Any]]()
    for case in cases:
        if case.aligned is None:
            continue
        alike = (one for one in groups if one_recogniser(case.loaded, one[0].loaded, case.experiment.expected))
        group = next(alike, [])
        if reason := _unpooled(case, group):
            left.append({"corpus": case.name, "note": reason})
            continue
        if not group:
            groups.append(group)
        group.append(case)
    for group in groups:
        phones, outcomes, counts, shares = _pooled(group, settings.draws)
        low, high = shares.limits(group[0].level)
        for corpus, case in enumerate(group):
            own = phones[phones["corpus"] == corpus]
            cells = {
                "count": counts.astype(np.int64),
                "tokens": np.broadcast_to(phones["tokens"].to_numpy()[:, None], counts.shape),
                "observed": divided(counts, counts.sum(axis=1, keepdims=True)),
                "pooled": shares.mean,
                "low": low,
                "high": high,
                "level": np.full(counts.shape, group[0].level),
                "habit": shares.habit[phones["habit"]] if len(group) > 1 else np.full(counts.shape, math.nan),
            }
            names = {"gold": np.repeat(own["phone"], len(outcomes)), "predicted": np.tile(outcomes, len(own))}
            values = {name: of[own.index].ravel() for name, of in cells.items()}
            yield f"{case.name}/pooled", pd.DataFrame({**names, **values})
            yield f"{case.name}/pooled_phones", table_of("pooled_phones", _phones(case, own, group, shares))
            rows.append(_corpus(corpus, phones, outcomes, group=group, shares=shares, settings=settings))
    yield "pooled_corpora", table_of("pooled_corpora", rows + left)


def _unpooled(case: Case, others: Sequence[Case]) -> str:
    """Return why a corpus cannot be pooled with others, "" where it can."""
    counted = case.counted
    if not counted.stack.whole:
        return "counts are fractions, and speakers are drawn from whole ones: pooled with method: viterbi"
    if counted.resampling.number < 2:
        return f"one {counted.resampling.unit}: how much these differ cannot be known"
    if not counted.clusters.table[: len(counted.stack.gold)].any():
        return "no gold phone was aligned with a predicted one"
    again = [other.name for other in others if same_utterances(case, other)]
    return f"the utterances of {' '.join(again)} again, which would count twice" if again else ""


def _pooled(group: Sequence[Case], draws: int) -> tuple[pd.DataFrame, list[str], Floats, PooledShares]:
    """Return the rows of all corpora, the outcomes, how often each row has each, [R, K], and the pooled shares."""
    inventory = reduce(
        merge, [phones for case in group for phones in (case.recogniser_inventory.phones, case.counted.stack.predicted)]
    )
    gaps = group[0].experiment.entropy.gaps == "include"
    outcomes = with_gap(inventory.phones) if gaps else list(inventory.phones)
    parts, named, clusters = list[Codes](), list[tuple[int, str, str]](), 0
    for corpus, case in enumerate(group):
        stack, weights = case.counted.stack, case.counted.resampling
        counted = cluster_cells(stack, weights, gaps=gaps)
        same = {} if case.refusal or case.reference is None else case.same_phones(case.reference)
        gold = np.flatnonzero(counted.table[: len(stack.gold)].sum(axis=1))
        row_of = np.full(len(stack.gold) + 1, -1)
        row_of[gold] = len(named) + np.arange(len(gold))
        labels = with_gap(stack.predicted.phones)
        column_of = np.array([outcomes.index(label) if label in outcomes else -1 for label in labels])
        for part in counted.parts():
            row = row_of[part.row]
            places = np.stack([part.cluster + clusters, row, column_of[part.column], part.tokens.astype(np.int64)])
            parts.append(places[:, row >= 0])
        spoken = [stack.gold.phones[place] for place in gold]
        named += [(corpus, phone, same.get(phone, phone)) for phone in spoken]
        clusters += weights.number
    phones = pd.DataFrame(named, columns=["corpus", "phone", "counterpart"])
    phones["habit"], habits = pd.factorize(phones["counterpart"])
    own = np.array([outcomes.index(habit) if habit in inventory else -1 for habit in habits])
    every = np.concatenate(parts, axis=1)
    cells, tokens = every[:3], every[3]
    counts = np.zeros((len(phones), len(outcomes)))
    np.add.at(counts, tuple(cells[1:]), tokens)
    (_, row), place = np.unique(cells[:2], axis=1, return_inverse=True)
    held = np.bincount(place.ravel(), weights=tokens, minlength=len(row))  # by each cluster of each phone
    sums = (np.bincount(row, weights=held**power, minlength=len(phones)) for power in (1, 2))
    phones = phones.assign(
        column=own[phones["habit"]],
        tokens=counts.sum(axis=1).astype(np.int64),
        clusters=np.bincount(row, minlength=len(phones)),
        effective=effective_number(*sums),
    )
    right = counts[np.arange(len(phones)), phones["column"]] * (phones["column"] >= 0)
    shares = pooled_shares(
        cells,
        tokens,
        rows=phones[["corpus", "habit"]].to_numpy(np.int64).T,
        own=own,
        columns=len(outcomes),
        generator=np.random.default_rng([group[0].experiment.seed, zlib.crc32(b"pooling")]),
        draws=draws,
    )
    return phones.assign(wrong=phones["tokens"] - right.astype(np.int64)), outcomes, counts, shares


def _phones(case: Case, own: pd.DataFrame, group: Sequence[Case], shares: PooledShares) -> Iterator[dict[str, Any]]:
    """Yield how alike speakers are in each gold phone of a corpus, and what its pooled shares rest on."""
    absent = "the recogniser lacks it" if case.recogniser_inventory.declared else "never predicted"
    rest = (1 - group[0].level) / 2
    kappas = {part: grid_quantiles(getattr(shares, part).kappa, 0.5, rest, 1 - rest) for part in _PARTS}
    for row, one in zip(own.index, own.to_dict("records"), strict=True):
        lacking, kappa = one["column"] < 0, dict[str, float]()
        notes = [f"{absent}: never right" * lacking]
        for part in _PARTS[lacking:]:
            if getattr(shares, part).counts.most[row] > 1:  # a cluster has more than one such token
                kappa |= _limits(f"kappa_{part}", kappas[part][:, row])
            else:
                notes.append(f"no kappa_{part}: no cluster has two such tokens")
        yield {
            **{name: one[name] for name in ("phone", "counterpart", "tokens", "wrong", "clusters")},
            **kappa,
            "level": case.level,
            "own_right": math.nan if lacking else shares.right.own[row],
            "own_wrong": shares.wrong.own[row],
            "note": joined([*notes, weakness(case.counted.resampling, clusters=one["effective"])]),
        }


def _limits(name: str, quantiles: Floats) -> dict[str, float]:
    """Return κ and its limits; the upper one is infinite where speakers may be alike."""
    value, low, high = quantiles.tolist()
    return {name: value, f"{name}_low": low, f"{name}_high": math.inf if high > _BOUND else high}


def _corpus(
    corpus: int,
    phones: pd.DataFrame,
    outcomes: list[str],
    *,
    group: Sequence[Case],
    shares: PooledShares,
    settings: Pooling,
) -> dict[str, Any]:
    """Return how alike a corpus' speakers are, how near it is to the habit, and how far from the reference."""
    case, several = group[corpus], len(group) > 1
    weights, rest = case.counted.resampling, (1 - case.level) / 2
    strengths = {"kappa": "typical", "near": "around"} if several else {"kappa": "typical"}
    head, version = of_costs(case).rsplit("|", 1)
    row = {
        "corpus": case.name,
        "pooled_with": " ".join(one.name for one in group if one.name != case.name),
        "unit": weights.unit,
        "clusters": weights.number,
        "level": case.level,
        "note": joined([weakness(weights), "" if several else "one corpus: no habit to be near to"]),
        "signature": f"{head}|pool:{settings.draws}|{version}",
    }
    for part in _PARTS:
        for name, of in strengths.items():
            drawn = getattr(getattr(shares, part), of)[:, corpus]
            row |= _limits(f"{name}_{part}", np.quantile(drawn, [0.5, rest, 1 - rest]))
    reference, names = case.reference, [one.name for one in group]
    if case.refusal or reference is None or reference.name not in names:
        return row
    same, chosen = case.same_phones(reference), case.experiment.expected.predicted
    both = case.counted.matrix, reference.counted.matrix
    confusions = expected_confusions(*both, predicted=chosen, same=same)  # pooled shares in place of pseudo-counts
    if not confusions.target.sum():
        return row
    columns = [outcomes.index(phone) for phone in confusions.predicted]
    places = {key: place for place, key in enumerate(zip(phones["corpus"], phones["phone"], strict=True))}
    ours = [places[corpus, phone] for phone in confusions.gold]
    theirs = [places[names.index(reference.name), same[phone]] for phone in confusions.gold]
    own, other = (shares.mean[np.ix_(rows, columns)] for rows in (ours, theirs))
    tokens = confusions.target.sum(axis=1, keepdims=True)
    pooled = replace(confusions, target=own / own.sum(axis=1, keepdims=True) * tokens, reference=other)
    return row | {"pooled_kl": float(pooled.kullback_leibler()), "pooled_cross_entropy": float(pooled.cross_entropy())}
