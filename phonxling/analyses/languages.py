"""Target languages as the unit: their mean, groups of them, what of their spread is sampling, and what goes with it.

Every number of a language is its row of the numbers, with the degrees of freedom of its clusters and the sampling
variance of which its limits were made, on the scale of its kind: the logarithm of a rate, that of 1 − a skill. What
is made of these over languages, `phonxling/resample/across.py` says.
Groups (seen or not in training, family, group) are tested by whole languages: Welch's t of their means, from three
languages each; q is Benjamini & Hochberg's over the tests of one measure and one column. Nothing is made of targets of
several recognisers, or of two that are one language: then they are no sample of languages.

Phones and features
-------------------
A phone that three languages or more have at least twenty tokens of is tested in each: its accuracy against the mean of
the others' by Student's t, each accuracy with the variance (half the width of its interval / t)² and the degrees of
freedom of its language's clusters, together by Welch–Satterthwaite. q is Benjamini & Hochberg's over all phones and
languages.

References
----------
Those of `phonxling/resample/across.py`. Welch (1947). Benjamini & Hochberg (1995).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case
from phonxling.core.arrays import Floats
from phonxling.core.estimate import joined
from phonxling.load.resources import Language, numbers_of
from phonxling.resample.across import Heterogeneity, heterogeneity, mean_spread, rank_correlation, rank_limits
from phonxling.resample.p_values import adjusted, with_q
from phonxling.resample.student import Kind, between, contrast, error_of, freedom_of, spread_of, t_reach, too_few
from phonxling.tables.files import NUMBERS, Table, column_names, table_of

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
_TOKENS, _ANSWERS = 20, 3  # of a phone for a test, and answers that are named
_UNKNOWN = "speakers of a language are unknown: sampling may be more than it seems"
_NO_VARIANCE = "no shrunken value and no limits of the rank, because a language has no interval"


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
    described["freedom"] = [float(freedom_of(case.counted.resampling.effective)) for case in targets]
    numbers = pd.concat([_table(tables, name) for name in NUMBERS], ignore_index=True)
    numbers = numbers[numbers["corpus"].isin(names)]
    level, generator = targets[0].level, targets[0].generator("ranks of languages")
    weak = _UNKNOWN if any(case.counted.resampling.speakers_unknown for case in targets) else ""
    beside = _covariates(targets, numbers, own)
    found: dict[str, list[dict[str, Any]]] = {"languages": [], "means": [], "tests": [], "covariates": []}
    for measure, variant, kind in MEASURES:
        known = _known(numbers, described, measure, variant, level=level, kind=kind)
        if len(known) < LEAST:
            continue
        values, variances = known["value"].to_numpy(), known["variance"].to_numpy()
        across = None
        if np.isfinite(variances).all():
            across = heterogeneity(values, variances, level, families=known["family"].tolist())
        rows = {
            "languages": _rows(known, across, level=level, kind=kind, generator=generator),
            "means": _means(known, across, level),
            "tests": _tests(known, level),
            "covariates": _related(known["value"], beside, level),
        }
        for table, own_rows in rows.items():
            found[table] += ({"measure": measure, **row} for row in own_rows)
    for row in (*found["languages"], *(mean for mean in found["means"] if "tau2" in mean)):
        row["note"] = joined([row["note"], weak])
    yield "languages", table_of("languages", found.pop("languages"))
    yield from ((f"language_{name}", table_of(f"language_{name}", rows)) for name, rows in found.items())
    facts = ((name, corpus, value) for name in beside.columns for corpus, value in beside[name].items())
    yield "language_facts", table_of("language_facts", facts)


def _targets(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.loaded.role == "target" and case.aligned is not None]


def _table(tables: Mapping[str, Table], name: str) -> pd.DataFrame:
    found = tables[name]
    if not isinstance(found, pd.DataFrame):
        raise TypeError(f"{name} is too long to be held")
    return found


def _known(
    numbers: pd.DataFrame, described: pd.DataFrame, measure: str, variant: str, *, level: float, kind: Kind
) -> pd.DataFrame:
    """Return the languages that have a measure, the best first: value, limits, sampling variance (or NaN), facts."""
    rows = numbers[(numbers["measure"] == measure) & (numbers["variant"] == variant) & numbers["value"].notna()]
    known = rows.set_index("corpus")[["value", "low", "high"]].astype(float).join(described)
    errors = [
        error_of(value, (low, high), freedom=freedom, level=level, kind=kind)
        for value, low, high, freedom in known[["value", "low", "high", "freedom"]].to_numpy(float).tolist()
    ]
    known["variance"] = np.square(errors)
    known["variance"] = known["variance"].where(known["variance"] > 0)
    return known.sort_values("value", ascending=kind != "skill", kind="stable")


def _rows(
    known: pd.DataFrame, across: Heterogeneity | None, *, level: float, kind: Kind, generator: np.random.Generator
) -> list[Any]:
    """Return each language with its shrunken value and its rank, which has limits where all have a variance."""
    number, columns = len(known), ["code", "name", "family", "group", "seen", "value", "low", "high"]
    table = known[columns].rename_axis("corpus").reset_index().assign(languages=number, level=level, note=_NO_VARIANCE)
    if across is not None:
        ordered, freedom = (-1.0 if kind == "skill" else 1.0) * known["value"], known["freedom"].to_numpy()
        limits = ordered.to_numpy(), known["variance"].to_numpy(), freedom
        first, last = rank_limits(*limits, level=level, generator=generator)
        value, error = across.shrunken
        reach = t_reach(np.minimum(number - 1, freedom), level) * error
        table = table.assign(shrunken=value, shrunken_low=value - reach, shrunken_high=value + reach, note="")
        table = table.assign(rank=ordered.rank(method="first").to_numpy(), rank_low=first, rank_high=last)
    return table.to_dict("records")


def _means(known: pd.DataFrame, across: Heterogeneity | None, level: float) -> Iterator[dict[str, Any]]:
    """Yield the mean over all languages with their heterogeneity, then that of each group of at least three."""
    groups = [("", "all", known), *((column, *group) for column in _COLUMNS for group in _groups(known, column))]
    for column, name, own in groups:
        values = own["value"].to_numpy()
        mean, spread, families = mean_spread(values, own["family"].tolist())
        limits, enough = contrast(mean, spread, level), len(own) >= LEAST
        notes = ["" if enough else f"no interval of fewer than {LEAST} languages"]
        notes.append("no interval, because all are alike" * bool(enough and np.isnan(spread.variance[0])))
        row = {
            "by": column,
            "languages_of": name,
            "languages": len(own),
            "value": mean,
            **({"low": limits.low[0], "high": limits.high[0], "level": level} if enough else {}),
            "families": families or np.nan,
            "sd": float(values.std(ddof=1)) if enough else np.nan,
        }
        if not column and across is not None:
            row |= {"tau2": across.tau2, "i2": across.i2, "pooled": across.mean}
            row |= {"pooled_low": across.mean - across.reach, "pooled_high": across.mean + across.reach}
            row |= {"next_low": across.mean - across.predicted, "next_high": across.mean + across.predicted}
        elif not column:
            notes.append("no heterogeneity, because a language has no interval")
        yield {**row, "note": joined(notes)}


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


def phone_languages(cases: Sequence[Case], tables: Mapping[str, Table]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the phones that at least three targets have, and the features of all of these; none of fewer targets."""
    targets = _targets(cases)
    if len(targets) < LEAST:
        return
    families = {case.name: case.loaded.language.family if case.loaded.language else "" for case in targets}
    ordered = sorted(targets, key=lambda case: families[case.name])
    phones = pd.concat([_phones(case, tables) for case in ordered], ignore_index=True)
    phones["family"] = phones["corpus"].map(families)
    phones = phones[phones.groupby("phone")["corpus"].transform("size") >= LEAST]
    phones = _tested(phones.sort_values("phone", kind="stable").reset_index(drop=True), targets)
    yield "phone_languages", table_of("phone_languages", phones[column_names("phone_languages")].to_numpy(object))
    tables_of = {case.name: _table(tables, f"{case.name}/features.tsv") for case in ordered}
    features = pd.concat([own.assign(corpus=name, family=families[name]) for name, own in tables_of.items()])
    columns = ["feature", "corpus", "family", "changed", "transfer", "transfer_low", "transfer_high"]
    yield "feature_languages", table_of("feature_languages", features[columns].to_numpy(object))


def _phones(case: Case, tables: Mapping[str, Table]) -> pd.DataFrame:
    """Return the gold phones of a language: tokens, accuracy with limits, and what each is heard as most."""
    own = _table(tables, f"{case.name}/phones.tsv")
    own = own[(own["side"] == "gold") & (own["tokens"] > 0)]
    heard = _table(tables, f"{case.name}/confusions.tsv").sort_values("count", ascending=False, kind="stable")
    shares = heard["count"] / heard.groupby("gold")["count"].transform("sum")
    named = [f"{one} {share:.0%}" for one, share in zip(heard["predicted"], shares, strict=True)]
    most = heard.assign(answer=named).groupby("gold", sort=False).head(_ANSWERS)
    answers = most.groupby("gold", sort=False)["answer"].agg(", ".join)
    kept = own[["phone", "tokens", "accuracy", "accuracy_low", "accuracy_high"]].astype({"tokens": float})
    return kept.assign(corpus=case.name, answers=own["phone"].map(answers), level=case.level)


def _tested(phones: pd.DataFrame, targets: Sequence[Case]) -> pd.DataFrame:
    """Return the rows with the test of each language against the mean of the others that have the phone."""
    resampled = {case.name: case.counted.resampling for case in targets}
    clusters = np.array([resampled[name].effective for name in phones["corpus"]], dtype=np.float64)
    unknown = np.array([resampled[name].speakers_unknown for name in phones["corpus"]], dtype=bool)
    accuracy, tokens = phones["accuracy"].to_numpy(float), phones["tokens"].to_numpy()
    freedom, half = freedom_of(clusters), (phones["accuracy_high"] - phones["accuracy_low"]).to_numpy(float) / 2
    variance = (half / t_reach(freedom, targets[0].level)) ** 2
    names = ("others", "others_accuracy", "difference", "low", "high", "p")
    found = dict(zip(names, np.full((len(names), len(phones)), np.nan), strict=True))
    for _, own in phones.groupby("phone", sort=False):
        at = own.index.to_numpy()
        enough = at[(tokens[at] >= _TOKENS) & (variance[at] > 0)]
        if np.ptp(accuracy[at]) == 0 or len(enough) < LEAST:  # alike as where the recogniser lacks the phone
            continue
        for place in enough:
            others, number = enough[enough != place], len(enough) - 1
            parts = np.append(variance[others] / number**2, variance[place])
            total, mean = parts.sum(), accuracy[others].mean()
            satterthwaite = total**2 / (parts**2 / np.append(freedom[others], freedom[place])).sum()
            difference, spread = accuracy[place] - mean, spread_of(total, satterthwaite, np.inf)
            test = contrast(difference, spread, float(phones["level"].iloc[0]))
            numbers = number, mean, difference, test.low[0], test.high[0], test.p[0]
            for name, value in zip(names, numbers, strict=True):
                found[name][place] = value
    few = too_few(clusters) | unknown
    found["p"][few] = np.nan
    why = np.select(
        [tokens < _TOKENS, np.isnan(found["others"]), unknown, few],
        [
            f"fewer than {_TOKENS} tokens",
            "alike in all, or too few other languages",
            "speakers unknown",
            "too few clusters for a test",
        ],
        "",
    )
    return phones.assign(**found, q=adjusted(found["p"]), note=why)
