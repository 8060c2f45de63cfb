"""Target languages as the unit: their numbers in order, means over them and groups of them, and what goes with them.

Every number of a language is its row of the summary. Skills have letters: two languages share one where no test tells
them apart (see `orders`). Groups (seen or not in training, family, group) are tested by whole languages: Welch's t of
the mean of a group less that of all other languages of which the same is known, from three languages a side; q is
Benjamini & Hochberg's over the tests of one measure and one column. Means are made of no targets of several
recognisers, nor of two that are one language: then they are no sample of languages.

The mean is that of k languages, each once. Its variance is s²/k, with k − 1 degrees of freedom; where languages are of
families, and these of at least five, cluster-robust: G/(G − 1) · Σ_g (Σ_{i∈g} (yᵢ − ȳ))²/k², with Kish's effective
number of families less 1.

References
----------
Cameron, Gelbach & Miller (2008). Bonett & Wright (2000), on the interval of Spearman's ρ. Welch (1947). Benjamini &
Hochberg (1995).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.case import Case
from phonxling.analyses.measures import nearest
from phonxling.analyses.orders import order_skills
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.load.resources import Language, numbers_of
from phonxling.resample.p_values import with_q
from phonxling.resample.student import (
    FEW_CLUSTERS,
    Spread,
    between,
    contrast,
    effective_clusters,
    freedom_of,
    spread_of,
)
from phonxling.tables.files import table_of

LEAST, LEAST_PAIRS = 3, 5  # languages of a mean or a test, and of a rank correlation
MEASURES = (
    ("wper", ""),
    ("per", ""),
    ("pfer", "phoneticxeus"),
    ("skill_wper", "best"),
    ("skill_per", "best"),
    ("conditional_entropy", ""),
)
_COLUMNS = ("seen", "family", "group")
_FAMILIES = "families are left aside: fewer than five are known, or a language has none"
_Row = dict[Any, Any]


def languages(cases: Sequence[Case], summary: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of target languages, and of groups of them, by name; without rows where there is no such."""
    targets = [case for case in cases if case.loaded.role == "target" and case.aligned is not None]
    codes = [case.experiment.corpora[case.name].language or case.name for case in targets]
    own = [case.loaded.language or Language(code, 0) for case, code in zip(targets, codes, strict=True)]
    about = [(one.family, one.group, one.seen) for one in own]
    described = pd.DataFrame(about, [case.name for case in targets], ["family", "group", "seen"])
    known = {measure: _order(summary, described, measure, variant) for measure, variant in MEASURES}
    tests, rows = order_skills(targets, summary), list[_Row]()
    for measure, table in known.items():
        each = table.drop(columns="seen").to_dict("records") * (len(table) > 1)
        rows += ({**row, "measure": measure, **tests.get((measure, row["corpus"]), {})} for row in each)
    yield "languages", table_of("languages", rows, corpora=True)
    groups = list[_Row]()
    if len({case.loaded.recogniser for case in targets}) == 1 and len({*codes}) == len(codes):
        level, beside = targets[0].level, _covariates(targets, summary, own)
        for measure, table in known.items():
            if len(table) >= LEAST:
                values = table.set_index("corpus")["value"]
                made = [*_group_rows(table, level), *_covariate_rows(values, beside, level)]
                groups += ({**row, "measure": measure} for row in made)
    yield "language_groups", table_of("language_groups", groups)


def _order(summary: pd.DataFrame, described: pd.DataFrame, measure: str, variant: str) -> pd.DataFrame:
    """Return the targets that have a measure, the best first: value, limits, rank, and what is known of each."""
    rows = summary[(summary["measure"] == measure) & (summary["variant"] == variant) & summary["value"].notna()]
    numbers = rows.set_index("corpus")[["value", "low", "high", "status"]]
    known = described.join(numbers.astype({"value": float, "low": float, "high": float}), how="inner")
    rising = nearest(measure, variant).direction == "lower"
    known = known.sort_values("value", ascending=rising, kind="stable").rename_axis("corpus").reset_index()
    return known.assign(rank=np.arange(1, len(known) + 1))


def _group_rows(known: pd.DataFrame, level: float) -> Iterator[_Row]:
    """Yield the mean over all languages, then that of each group beside all others of which the same is known."""
    yield {"by": "", "group": "all", **_mean_row(known, level)}
    for column in _COLUMNS:
        rows, stated = list[_Row](), known[known[column] != ""]
        for name, own in stated.groupby(column):
            others = stated.drop(own.index)
            tested = _compare(own, others, level) if min(len(own), len(others)) >= LEAST else {}
            rows.append({"by": column, "group": name, **_mean_row(own, level), **tested})
        yield from with_q(rows)


def _mean_row(own: pd.DataFrame, level: float) -> _Row:
    mean, spread, families = mean_spread(own["value"].to_numpy(), own["family"].tolist())
    limits, enough = contrast(mean, spread, level), len(own) >= LEAST
    notes = ["" if enough else f"no interval of fewer than {LEAST} languages"]
    notes.append("no interval, because all are alike" * bool(enough and np.isnan(spread.variance[0])))
    notes.append(_FAMILIES * bool(enough and not families))
    row = {"languages": len(own), "value": mean, "note": joined(notes)}
    return row | ({"low": limits.low[0], "high": limits.high[0]} if enough else {})


def _compare(own: pd.DataFrame, others: pd.DataFrame, level: float) -> _Row:
    """Return how the mean of a group differs from that of the others."""
    (mean, apart, _), (other, of_others, _) = (
        mean_spread(one["value"].to_numpy(), one["family"].tolist()) for one in (own, others)
    )
    every = np.full(1, np.inf)  # languages are tested from three on, not five as the speakers of one
    test = contrast(mean - other, replace(between(apart, of_others), clusters=every), level)
    limits = {"difference_low": test.low[0], "difference_high": test.high[0]}
    return {"difference": mean - other, **limits, "p": test.p[0]}


def mean_spread(values: Floats, families: Sequence[str]) -> tuple[float, Spread, int]:
    """Return the mean over languages, its spread, and of how many families: 0 where these are no clusters."""
    number = len(values)
    shares = np.full(number, 1 / number)
    mean = float((shares * values).sum())
    codes, names = pd.factorize(np.array(families, dtype=object))
    clustered = len(names) >= FEW_CLUSTERS and "" not in names
    own = codes if clustered else np.arange(number)
    sums = np.bincount(own, weights=shares * (values - mean))
    clusters = len(sums)
    variance = 0.0 if clusters < 2 else float(clusters / (clusters - 1) * (sums**2).sum())
    variance = variance if variance > 0 else math.nan  # languages that are all alike have no spread to go by
    effective = effective_clusters(np.bincount(own, weights=shares).astype(np.float64))
    return mean, spread_of(variance, float(freedom_of(effective)), effective), clusters * clustered


def _covariates(cases: Sequence[Case], summary: pd.DataFrame, own: Sequence[Language]) -> pd.DataFrame:
    """Return what may go with the numbers, a column each, by corpus."""
    found = pd.DataFrame.from_dict({case.name: _facts(case) for case in cases}, orient="index")
    plain = summary[summary["variant"] == ""].set_index("corpus")
    floors = (plain.loc[plain["measure"] == f"floor_{rate}", "value"].astype(float) for rate in ("per", "wper"))
    of_per, of_wper = (floor.reindex(found.index) for floor in floors)
    found = found.assign(share_in_inventory=1 - of_per, distance_to_nearest=of_wper)
    return found.assign(**{name: values for name, values in numbers_of(own).items() if name not in found})


def _facts(case: Case) -> dict[str, float]:
    """Return gold phones that occur, phones of an utterance, and phones a second where gold has times."""
    gold = case.counted.corpus.gold
    seconds = np.nan if gold.start is None or gold.end is None else float((gold.end - gold.start).sum())
    return {
        "gold_phones": float(len(np.unique(gold.codes))),
        "phones_per_utterance": len(gold.codes) / max(1, len(gold)),
        "phones_per_second": len(gold.codes) / seconds if seconds > 0 else np.nan,
    }


def _covariate_rows(values: "pd.Series[float]", beside: pd.DataFrame, level: float) -> list[_Row]:
    """Return Spearman's ρ of a measure and each covariate over the languages that have both."""
    rows = list[_Row]()
    for name in beside.columns:
        x: Floats = beside[name].reindex(values.index).to_numpy(float)
        both = np.isfinite(x)
        row: _Row = {"by": name, "group": "", "languages": int(both.sum())}
        if both.sum() < LEAST_PAIRS:
            rows.append({**row, "note": f"fewer than {LEAST_PAIRS} languages have it"})
            continue
        rho, low, high, p = rank_correlation(x[both], np.asarray(values, np.float64)[both], level)
        agree = "ranks agree in all, so there are no limits" if np.isnan(p) else ""
        note = "all are alike in it" if np.isnan(rho) else agree
        rows.append({**row, "value": rho, "low": low, "high": high, "p": p, "note": note})
    return with_q(rows)


def rank_correlation(x: Floats, y: Floats, level: float) -> tuple[float, float, float, float]:
    """Return Spearman's ρ over at least five languages, its limits (Bonett & Wright) and its p (Student's t)."""
    ranks = [pd.Series(one).rank().to_numpy() for one in (x, y)]
    if any(np.ptp(one) == 0 for one in ranks):
        return (math.nan,) * 4
    rho = float(np.corrcoef(ranks[0], ranks[1])[0, 1].clip(-1, 1))
    number = len(x)
    if abs(rho) > 1 - 1e-12:
        return rho, math.nan, math.nan, math.nan
    reach = float(scipy.special.ndtri((1 + level) / 2)) * math.sqrt((1 + rho**2 / 2) / (number - 3))
    t = abs(rho) * math.sqrt((number - 2) / (1 - rho**2))
    p = 2 * float(scipy.special.stdtr(number - 2, -t))
    return rho, math.tanh(math.atanh(rho) - reach), math.tanh(math.atanh(rho) + reach), p
