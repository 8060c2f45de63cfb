"""One phone, and one feature, in all target languages: accuracy and answers of each, and which languages differ.

A phone that three languages or more have at least twenty tokens of is tested in each: its accuracy against the mean of
the others' by Student's t, each accuracy with the variance (half the width of its interval / t)² and the degrees of
freedom of its language's clusters, together by Welch–Satterthwaite. q is Benjamini & Hochberg's over all phones and
languages.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import Spread, contrast, freedom_of, t_reach, too_few
from phonxling.tables.files import Table, column_names, table_of

_LANGUAGES, _TOKENS, _ANSWERS = 3, 20, 3  # languages of a phone, its tokens for a test, answers that are named


def phone_languages(cases: Sequence[Case], tables: Mapping[str, Table]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the phones that at least three targets have, and the features of all of these; none of fewer targets."""
    targets = [case for case in cases if case.loaded.role == "target" and case.aligned is not None]
    if len(targets) < _LANGUAGES:
        return
    families = {case.name: case.loaded.language.family if case.loaded.language else "" for case in targets}
    ordered = sorted(targets, key=lambda case: families[case.name])
    phones = pd.concat([_phones(case, tables) for case in ordered], ignore_index=True)
    phones["family"] = phones["corpus"].map(families)
    phones = phones[phones.groupby("phone")["corpus"].transform("size") >= _LANGUAGES]
    phones = _tested(phones.sort_values("phone", kind="stable").reset_index(drop=True), targets)
    yield "phone_languages", table_of("phone_languages", phones[column_names("phone_languages")].to_numpy(object))
    features = [
        {"corpus": case.name, "family": families[case.name], **row}
        for case in ordered
        for row in _table(tables, f"{case.name}/features.tsv").to_dict("records")
    ]
    columns = ("feature", "corpus", "family", "changed", "transfer", "transfer_low", "transfer_high")
    yield "feature_languages", table_of("feature_languages", ([row[name] for name in columns] for row in features))


def _table(tables: Mapping[str, Table], name: str) -> pd.DataFrame:
    found = tables[name]
    if not isinstance(found, pd.DataFrame):
        raise TypeError(f"{name} is too long to be held")
    return found


def _phones(case: Case, tables: Mapping[str, Table]) -> pd.DataFrame:
    """Return the gold phones of a language: tokens, accuracy with limits, and what each is heard as most."""
    own = _table(tables, f"{case.name}/phones.tsv")
    own = own[(own["side"] == "gold") & (own["tokens"] > 0)]
    heard = _table(tables, f"{case.name}/confusions.tsv").sort_values("count", ascending=False, kind="stable")
    answers = {
        gold: ", ".join(f"{one} {share:.0%}" for one, share in zip(rows["predicted"], rows["share"], strict=True))
        for gold, rows in heard.assign(share=heard["count"] / heard.groupby("gold")["count"].transform("sum"))
        .groupby("gold", sort=False)
        .head(_ANSWERS)
        .groupby("gold", sort=False)
    }
    kept = own[["phone", "tokens", "accuracy", "accuracy_low", "accuracy_high"]].astype({"tokens": float})
    return kept.assign(corpus=case.name, answers=own["phone"].map(answers), level=case.level)


def _tested(phones: pd.DataFrame, targets: Sequence[Case]) -> pd.DataFrame:
    """Return the rows with the test of each language against the mean of the others that have the phone."""
    clusters = {case.name: case.counted.resampling.effective for case in targets}
    unknown = {case.name for case in targets if case.counted.resampling.speakers_unknown}
    freedom = freedom_of(phones["corpus"].map(clusters).to_numpy(float))
    half = (phones["accuracy_high"] - phones["accuracy_low"]).to_numpy(float) / 2
    variance = (half / t_reach(freedom, targets[0].level)) ** 2
    rows = []
    for _, own in phones.groupby("phone", sort=False):
        at = own.index.to_numpy()
        enough = at[(own["tokens"].to_numpy() >= _TOKENS) & (variance[at] > 0)]
        if np.ptp(own["accuracy"].to_numpy(float)) == 0:  # as where the recogniser lacks the phone
            continue
        rows += [_against(place, enough[enough != place], phones, variance, freedom) for place in at if place in enough]
    found = pd.DataFrame(rows, columns=["place", "others", "others_accuracy", "difference", "low", "high", "p"])
    found = phones.join(found.set_index("place"))
    few = too_few(found["corpus"].map(clusters).to_numpy(float)) | found["corpus"].isin(unknown).to_numpy()
    found["p"] = found["p"].mask(few)
    weak = [found["tokens"] < _TOKENS, found["others"].isna(), found["corpus"].isin(unknown), few]
    why = (
        f"fewer than {_TOKENS} tokens",
        "alike in all, or too few other languages",
        "speakers unknown",
        "too few clusters for a test",
    )
    return found.assign(q=adjusted(found["p"].to_numpy(float)), note=_first(weak, why))


def _first(weak: Sequence[Any], why: Sequence[str]) -> list[str]:
    return [next((text for text, one in zip(why, each, strict=True) if one), "") for each in zip(*weak, strict=True)]


def _against(
    place: int, others: "np.ndarray[Any, np.dtype[np.int64]]", phones: pd.DataFrame, *spreads: "np.ndarray[Any, Any]"
) -> tuple[Any, ...]:
    variance, freedom = spreads
    number = len(others)
    if number < _LANGUAGES - 1:
        return (place, *[np.nan] * 6)
    accuracy = phones["accuracy"].to_numpy(float)
    mean = accuracy[others].mean()
    parts = np.append(variance[others] / number**2, variance[place])
    total = parts.sum()
    satterthwaite = total**2 / (parts**2 / np.append(freedom[others], freedom[place])).sum()
    spread = Spread(*(np.array([one]) for one in (total, satterthwaite, 0.0, np.inf)))
    found = contrast(np.array([accuracy[place] - mean]), spread, float(phones["level"].iloc[0]))
    return place, number, mean, accuracy[place] - mean, found.low[0], found.high[0], found.p[0]
