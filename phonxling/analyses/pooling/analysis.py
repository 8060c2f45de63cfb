"""Pooled confusions: pooled.tsv, pooled_phones.tsv and pooled_corpora.tsv."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from phonxling.analyses.analysis import of_costs
from phonxling.analyses.case.case import Case
from phonxling.analyses.expected.confusions import ExpectedConfusions, expected_confusions
from phonxling.analyses.pooling.corpora import PooledCorpora, pool
from phonxling.analyses.pooling.counts import GRID
from phonxling.analyses.pooling.posterior import Posterior, grid_quantiles
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import joined
from phonxling.resample.intervals import weakness
from phonxling.settings.pooling import Pooling
from phonxling.tables.files import Table, table_of

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
