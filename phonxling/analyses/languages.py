"""Target languages as the unit: their means, groups of them, their ranks, and what goes with their numbers.

Every number of a language is its row of the numbers; means and correlations over languages are those of
`phonxling/resample/across.py`. Groups (seen or not in training, family, group) are tested by whole languages: Welch's t
of their means, from three languages each; q is Benjamini & Hochberg's over the tests of one measure and one column.
Nothing is made of targets of several recognisers, or of two that are one language: then they are no sample of
languages.

References
----------
Those of `phonxling/resample/across.py`. Welch (1947). Benjamini & Hochberg (1995).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case
from phonxling.analyses.measures import nearest
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.load.resources import Language, numbers_of
from phonxling.resample.across import mean_spread, rank_correlation
from phonxling.resample.p_values import with_q
from phonxling.resample.student import between, contrast
from phonxling.tables.files import NUMBERS, Table, table_of

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


def languages(cases: Sequence[Case], tables: Mapping[str, Table]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of languages by name; none where targets are fewer than three, or no sample of languages."""
    targets = _targets(cases)
    codes = [case.experiment.corpora[case.name].language or case.name for case in targets]
    if len(targets) < LEAST or len({case.loaded.recogniser for case in targets}) > 1 or len({*codes}) < len(codes):
        return
    own = [case.loaded.language or Language(code, 0) for case, code in zip(targets, codes, strict=True)]
    names = [case.name for case in targets]
    about = [(one.code, one.name, one.family, one.group, one.seen) for one in own]
    described = pd.DataFrame(about, names, ["code", "name", "family", "group", "seen"])
    numbers = pd.concat([_table(tables, name) for name in NUMBERS], ignore_index=True)
    numbers = numbers[numbers["corpus"].isin(names)]
    level = targets[0].level
    beside = _covariates(targets, numbers, own)
    found: dict[str, list[dict[str, Any]]] = {"languages": [], "means": [], "tests": [], "covariates": []}
    for measure, variant in MEASURES:
        known = _known(numbers, described, measure, variant)
        if len(known) < LEAST:
            continue
        rows: dict[str, Iterable[dict[Any, Any]]] = {
            "languages": known.assign(level=level).to_dict("records"),
            "means": _means(known, level),
            "tests": _tests(known, level),
            "covariates": _related(known.set_index("corpus")["value"], beside, level),
        }
        for table, own_rows in rows.items():
            found[table] += ({"measure": measure, **row} for row in own_rows)
    yield "languages", table_of("languages", found.pop("languages"))
    yield from ((f"language_{name}", table_of(f"language_{name}", rows)) for name, rows in found.items())


def _targets(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.loaded.role == "target" and case.aligned is not None]


def _table(tables: Mapping[str, Table], name: str) -> pd.DataFrame:
    found = tables[name]
    if not isinstance(found, pd.DataFrame):
        raise TypeError(f"{name} is too long to be held")
    return found


def _known(numbers: pd.DataFrame, described: pd.DataFrame, measure: str, variant: str) -> pd.DataFrame:
    """Return the languages that have a measure, the best first: what is known of each, value, limits and rank."""
    rows = numbers[(numbers["measure"] == measure) & (numbers["variant"] == variant) & numbers["value"].notna()]
    own = rows.set_index("corpus")[["value", "low", "high", "status"]]
    known = described.join(own.astype({"value": float, "low": float, "high": float}), how="inner")
    rising = nearest(measure, variant).direction == "lower"
    known = known.sort_values("value", ascending=rising, kind="stable").rename_axis("corpus").reset_index()
    return known.assign(rank=np.arange(1, len(known) + 1), languages=len(known))


def _means(known: pd.DataFrame, level: float) -> Iterator[dict[str, Any]]:
    """Yield the mean over all languages, then that of each group."""
    groups = [("", "all", known), *((column, *group) for column in _COLUMNS for group in _groups(known, column))]
    for column, name, own in groups:
        values = own["value"].to_numpy()
        mean, spread, families = mean_spread(values, own["family"].tolist())
        limits, enough = contrast(mean, spread, level), len(own) >= LEAST
        notes = ["" if enough else f"no interval of fewer than {LEAST} languages"]
        notes.append("no interval, because all are alike" * bool(enough and np.isnan(spread.variance[0])))
        notes.append(_FAMILIES * bool(enough and not families))
        yield {
            "by": column,
            "languages_of": name,
            "languages": len(own),
            "value": mean,
            **({"low": limits.low[0], "high": limits.high[0], "level": level} if enough else {}),
            "families": families or np.nan,
            "sd": float(values.std(ddof=1)) if enough else np.nan,
            "note": joined(notes),
        }


def _groups(known: pd.DataFrame, column: str) -> list[tuple[str, pd.DataFrame]]:
    """Return the languages by what a column says of them, without those of which it says nothing."""
    return [(str(value), own) for value, own in known.groupby(column) if value]


def _tests(known: pd.DataFrame, level: float) -> Iterator[dict[str, Any]]:
    for column in _COLUMNS:
        rows, groups = list[dict[str, Any]](), [each for each in _groups(known, column) if len(each[1]) >= LEAST]
        for (first, ours), (second, theirs) in combinations(groups, 2):
            sides = [mean_spread(own["value"].to_numpy(), own["family"].tolist()) for own in (ours, theirs)]
            apart, difference = between(sides[0][1], sides[1][1]), sides[0][0] - sides[1][0]
            every = np.full(1, np.inf)  # languages are tested from three on, not five as the speakers of one
            test = contrast(difference, replace(apart, clusters=every), level)
            row = {"by": column, "first": first, "second": second}
            numbers = {"difference": difference, "low": test.low[0], "high": test.high[0], "p": test.p[0]}
            rows.append({**row, **numbers, "languages": len(ours), "other_languages": len(theirs), "level": level})
        yield from with_q(rows)


def _covariates(cases: Sequence[Case], numbers: pd.DataFrame, own: Sequence[Language]) -> pd.DataFrame:
    """Return what may go with the numbers, a column each, by corpus."""
    found = pd.DataFrame.from_dict({case.name: _facts(case) for case in cases}, orient="index")
    plain = numbers[numbers["variant"] == ""].set_index("corpus")
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


def _related(values: "pd.Series[float]", beside: pd.DataFrame, level: float) -> list[dict[str, Any]]:
    """Return Spearman's ρ of a measure and each covariate over the languages that have both."""
    rows = list[dict[str, Any]]()
    for name in beside.columns:
        x: Floats = beside[name].reindex(values.index).to_numpy(float)
        both = np.isfinite(x)
        row: dict[str, Any] = {"covariate": name, "languages": int(both.sum()), "level": level}
        if both.sum() < LEAST_PAIRS:
            rows.append({**row, "note": f"fewer than {LEAST_PAIRS} languages have it"})
            continue
        rho, low, high, p = rank_correlation(x[both], np.asarray(values, np.float64)[both], level)
        agree = "ranks agree in all, so there are no limits" if np.isnan(p) else ""
        note = "all are alike in it" if np.isnan(rho) else agree
        rows.append({**row, "rho": rho, "low": low, "high": high, "p": p, "note": note})
    return with_q(rows)
