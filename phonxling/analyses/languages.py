"""Target languages as the unit: their mean, groups of them, what of their spread is sampling, and what goes with it.

Every number of a language is its row of the numbers, with the degrees of freedom of its clusters and the sampling
variance of which its limits were made, on the scale of its kind: the logarithm of a rate, that of 1 − a skill. What
is made of these over languages, `phonxling/resample/across.py` says.
Groups (seen or not in training, family, group) are tested by whole languages: Welch's t of their means, from three
languages each; q is Benjamini & Hochberg's over the tests of one measure and one column. Nothing is made of targets of
several recognisers, or of two that are one language: then they are no sample of languages.

References
----------
Those of `phonxling/resample/across.py`. Welch (1947). Benjamini & Hochberg (1995).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.load.resources import Language, numbers_of
from phonxling.resample.across import Heterogeneity, heterogeneity, mean_spread, rank_correlation, rank_limits
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import Kind, Spread, between, contrast, error_of, freedom_of, t_reach
from phonxling.tables.files import NUMBERS, Table, table_of

LEAST, LEAST_PAIRS = 3, 5  # languages of a mean or a test, and of a rank correlation
MEASURES: Final[tuple[tuple[str, str, Kind], ...]] = (  # measure, variant, kind; of skills the higher are better
    ("wper", "", "rate"),
    ("per", "", "rate"),
    ("pfer", "phoneticxeus", "rate"),
    ("attainable_skill_wper", "best", "skill"),
    ("attainable_skill_per", "best", "skill"),
    ("conditional_entropy", "", "number"),
)
_COLUMNS = ("seen", "family", "group")
_Own = Mapping[str, Language]


def languages(cases: Sequence[Case], tables: Mapping[str, Table]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of languages by name; none where targets are fewer than three, or no sample of languages."""
    targets = [case for case in cases if case.loaded.role == "target" and case.aligned is not None]
    codes = [case.experiment.corpora[case.name].language or case.name for case in targets]
    if len(targets) < LEAST or len({case.loaded.recogniser for case in targets}) > 1 or len({*codes}) < len(codes):
        return
    own = {case.name: case.loaded.language or Language(code, 0) for case, code in zip(targets, codes, strict=True)}
    both = [table for name in NUMBERS if isinstance(table := tables[name], pd.DataFrame)]
    numbers = pd.concat(both, ignore_index=True).pipe(lambda every: every[every["corpus"].isin([*own])])
    freedom = {case.name: float(freedom_of(case.counted.resampling.effective)) for case in targets}
    level, generator = targets[0].level, targets[0].generator("ranks of languages")
    weak = _UNKNOWN if any(case.counted.resampling.speakers_unknown for case in targets) else ""
    beside = _covariates(targets, numbers, own)
    rows, means, tests, related = (
        list[dict[str, Any]](),
        list[dict[str, Any]](),
        list[dict[str, Any]](),
        list[dict[str, Any]](),
    )
    for measure, variant, kind in MEASURES:
        higher = kind == "skill"
        known = _known(numbers, measure, variant, freedom=freedom, level=level, kind=kind)
        if len(known) < LEAST:
            continue
        known = known.sort_values("value", ascending=not higher, kind="stable")  # the best first
        across = _across(known, own, level)
        rows += _rows(known, across, measure, own=own, higher=higher, weak=weak, level=level, generator=generator)
        means += _means(known, across, measure, own=own, weak=weak, level=level)
        tests += _tests(known, measure, own=own, level=level)
        related += _related(known, measure, beside, level)
    yield "languages", table_of("languages", rows)
    yield "language_means", table_of("language_means", means)
    yield "language_tests", table_of("language_tests", tests)
    yield "language_covariates", table_of("language_covariates", related)
    facts = ((name, corpus, value) for name in beside.columns for corpus, value in beside[name].items())
    yield "language_facts", table_of("language_facts", facts)


def _known(
    numbers: pd.DataFrame, measure: str, variant: str, *, freedom: Mapping[str, float], level: float, kind: Kind
) -> pd.DataFrame:
    """Return the corpora with a value of a measure: value, limits, sampling variance (or NaN), degrees of freedom."""
    rows = numbers[(numbers["measure"] == measure) & (numbers["variant"] == variant) & numbers["value"].notna()]
    known = rows.set_index("corpus")[["value", "low", "high"]].astype(float)
    known["freedom"] = [freedom[name] for name in known.index]
    errors = [
        error_of(value, (low, high), freedom=free, level=level, kind=kind)
        for value, low, high, free in known.itertuples(index=False)
    ]
    known["variance"] = np.square(errors)
    return known.assign(variance=known["variance"].where(known["variance"] > 0))


def _across(known: pd.DataFrame, own: _Own, level: float) -> Heterogeneity | None:
    """Return the meta-analysis of the languages; None where one of them has no sampling variance."""
    variances = known["variance"].to_numpy()
    if not np.isfinite(variances).all():
        return None
    families = [own[name].family for name in map(str, known.index)]
    return heterogeneity(known["value"].to_numpy(), variances, level, families=families)


def _rows(
    known: pd.DataFrame,
    across: Heterogeneity | None,
    measure: str,
    *,
    own: _Own,
    higher: bool,
    weak: str,
    level: float,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    number, values = len(known), known["value"].to_numpy()
    spreads = known["variance"].to_numpy(), known["freedom"].to_numpy()
    sign = -1.0 if higher else 1.0
    ranks = pd.Series(sign * values).rank(method="first").to_numpy()
    limits = None if across is None else rank_limits(sign * values, *spreads, level=level, generator=generator)
    for place, (corpus, row) in enumerate(known.to_dict("index").items()):
        shrunken: dict[str, float] = {}
        if across is not None and limits is not None:
            value, error = across.shrunken[:, place]
            reach = float(t_reach(min(number - 1, row["freedom"]), level)) * error
            shrunken = {"shrunken": value, "shrunken_low": value - reach, "shrunken_high": value + reach}
            shrunken |= {"rank_low": limits[0][place], "rank_high": limits[1][place]}
        language = own[str(corpus)]
        yield {
            "measure": measure,
            "corpus": corpus,
            "code": language.code,
            "name": language.name,
            **{name: getattr(language, name) for name in ("family", "group", "seen")},
            **{name: row[name] for name in ("value", "low", "high")},
            "rank": np.nan if limits is None else ranks[place],  # no rank without its limits
            "languages": number,
            "level": level,
            **shrunken,
            "note": joined(["" if across is not None else _NO_VARIANCE, weak]),
        }


_UNKNOWN = "speakers of a language are unknown: sampling may be more than it seems"
_NO_VARIANCE = "no shrunken value and no limits of the rank, because a language has no interval"


def _means(
    known: pd.DataFrame, across: Heterogeneity | None, measure: str, *, own: _Own, weak: str, level: float
) -> Iterator[dict[str, Any]]:
    """Yield the mean over all languages with their heterogeneity, then that of each group of at least three."""
    for column in ("", *_COLUMNS):
        for value, names in _groups(known.index, own, column).items():
            values = known.loc[names, "value"].to_numpy()
            mean, spread, families = mean_spread(values, [own[name].family for name in names])
            limits = contrast(np.array([mean]), spread, level)
            enough = len(names) >= LEAST
            row = {
                "measure": measure,
                "by": column,
                "languages_of": value,
                "languages": len(names),
                "value": mean,
                **({"low": limits.low[0], "high": limits.high[0], "level": level} if enough else {}),
                "families": families or np.nan,
                "sd": float(values.std(ddof=1)) if enough else np.nan,
                "note": "no interval, because all are alike" * bool(enough and np.isnan(spread.variance[0]))
                + f"no interval of fewer than {LEAST} languages" * (not enough),
            }
            if not column and across is not None and enough:
                row |= {"tau2": across.tau2, "i2": across.i2, "pooled": across.mean}
                row |= {"pooled_low": across.mean - across.reach, "pooled_high": across.mean + across.reach}
                row |= {"next_low": across.mean - across.predicted, "next_high": across.mean + across.predicted}
                row["note"] = joined([str(row["note"]), weak])
            elif not column:
                row["note"] = joined([str(row["note"]), "no heterogeneity, because a language has no interval"])
            yield row


def _groups(names: Iterable[object], own: _Own, column: str) -> dict[str, list[str]]:
    """Return the names of the languages by what a column says of them, without those of which it says nothing."""
    groups: dict[str, list[str]] = {}
    for name in map(str, names):
        if (value := getattr(own[name], column) if column else "all") or not column:
            groups.setdefault(value, []).append(name)
    return dict(sorted(groups.items()))


def _tests(known: pd.DataFrame, measure: str, *, own: _Own, level: float) -> Iterator[dict[str, Any]]:
    for column in _COLUMNS:
        rows = list[dict[str, Any]]()
        for (first, ours), (second, theirs) in combinations(_groups(known.index, own, column).items(), 2):
            if min(len(ours), len(theirs)) < LEAST:
                continue
            sides = [
                mean_spread(known.loc[names, "value"].to_numpy(), [own[one].family for one in names])
                for names in (ours, theirs)
            ]
            apart, difference = _welch(sides[0][1], sides[1][1]), sides[0][0] - sides[1][0]
            found = contrast(np.array([difference]), apart, level)
            row = {"measure": measure, "by": column, "first": first, "second": second}
            numbers = {"difference": difference, "low": found.low[0], "high": found.high[0], "p": found.p[0]}
            rows.append({**row, **numbers, "languages": len(ours), "other_languages": len(theirs), "level": level})
        q = adjusted([row["p"] for row in rows])
        yield from ({**row, "q": one} for row, one in zip(rows, q, strict=True))


def _welch(first: Spread, second: Spread) -> Spread:
    """Return the spread of a difference; languages are tested from three on, not five as the speakers of one."""
    apart = between(first, second)
    return Spread(apart.variance, apart.freedom, apart.lost, np.full(1, np.inf))


def _covariates(cases: Sequence[Case], numbers: pd.DataFrame, own: _Own) -> pd.DataFrame:
    """Return what may go with the numbers, a column each, by corpus."""
    floors = {rate: _by_corpus(numbers, f"floor_{rate}") for rate in ("per", "wper")}
    rows = {case.name: _facts(case) for case in cases}
    found = pd.DataFrame.from_dict(rows, orient="index").assign(
        share_in_inventory=1 - floors["per"].reindex([*rows]), distance_to_nearest=floors["wper"].reindex([*rows])
    )
    more = numbers_of(own[name] for name in found.index)
    return found.assign(**{name: values for name, values in more.items() if name not in found})


def _by_corpus(numbers: pd.DataFrame, measure: str) -> "pd.Series[float]":
    rows = numbers[(numbers["measure"] == measure) & (numbers["variant"] == "")]
    return rows.set_index("corpus")["value"].astype(float)


def _facts(case: Case) -> dict[str, float]:
    """Return gold phones that occur, phones of an utterance, and phones a second where gold has times."""
    gold = case.counted.corpus.gold
    seconds = np.nan if gold.start is None or gold.end is None else float((gold.end - gold.start).sum())
    return {
        "gold_phones": float(len(np.unique(gold.codes))),
        "phones_per_utterance": len(gold.codes) / max(1, len(gold)),
        "phones_per_second": len(gold.codes) / seconds if seconds > 0 else np.nan,
    }


def _related(known: pd.DataFrame, measure: str, beside: pd.DataFrame, level: float) -> Iterator[dict[str, Any]]:
    """Yield Spearman's ρ of a measure and each covariate over the languages that have both."""
    rows, values = list[dict[str, Any]](), known["value"]
    for name in beside.columns:
        x: Floats = beside[name].reindex(known.index).to_numpy(float)
        both = np.isfinite(x)
        row: dict[str, Any] = {"measure": measure, "covariate": name, "languages": int(both.sum()), "level": level}
        if both.sum() < LEAST_PAIRS:
            rows.append({**row, "note": f"fewer than {LEAST_PAIRS} languages have it"})
            continue
        rho, low, high, p = rank_correlation(x[both], values.to_numpy()[both], level)
        note = (
            "all are alike in it"
            if np.isnan(rho)
            else "ranks agree in all, so there are no limits"
            if np.isnan(p)
            else ""
        )
        rows.append({**row, "rho": rho, "low": low, "high": high, "p": p, "note": joined([note])})
    q = adjusted([row.get("p", np.nan) for row in rows])
    yield from ({**row, "q": one} for row, one in zip(rows, q, strict=True))
