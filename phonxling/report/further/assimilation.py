"""Contrasts on the page: how many are of each type of assimilation, and which are told apart least."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.sentence import Part, Sentence, address, joined, sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.report.rounding import rounded

_NAMES = {
    "TC": "two-category (TC)",
    "SC": "single-category (SC)",
    "CG": "category-goodness (CG)",
    "UC": "uncategorised–categorised (UC)",
    "UU": "uncategorised–uncategorised (UU)",
}
_SURE, _NAMED = 0.8, 5  # share of replicates; contrasts that are named


def assimilation_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield how many contrasts are of which type, as far as that is sure, and which are told apart least."""
    table = tables["assimilation"]
    known = table[table["js"].notna()]
    if known.empty:
        yield sentence("No contrast has tokens enough.")
        return
    yield _types(known)
    yield _least(corpus, known)


def _types(known: pd.DataFrame) -> Sentence:
    number = f"{len(known)} contrasts" if len(known) > 1 else "1 contrast"
    typed = known[known["type"].fillna("").ne("")]
    if typed.empty:
        return sentence(f"{number}, none with a type: no phone is shown to be heard so more often than all are.")
    judged = typed[~typed["note"].map(is_descriptive) & typed["probability"].notna()]
    if judged.empty:
        why = "there are too few speakers or utterances, or no replicates, to say how sure that is"
        return sentence(f"Of {number}, in these data, {_counts(typed['type'])}{_without(known, typed)}; {why}.")
    sure = judged.loc[judged["probability"] >= _SURE, "type"]
    agree = f"{100 * _SURE:.0f} % of the replicates or more"
    if sure.empty:
        return sentence(f"Of {number}, none has a type that {agree} agree on.")
    verb = "has" if len(sure) == 1 else "have"
    shown = f"{len(sure)} {verb} a type that {agree} agree on: {_counts(sure)}"
    return sentence(f"Of {number}, {shown}{_without(known, typed)}.")


def _without(known: pd.DataFrame, typed: pd.DataFrame) -> str:
    """Return how many contrasts have no type, "" if none."""
    number = len(known) - len(typed)
    return f"; {number} without a type, because a phone may be heard as all phones are" if number else ""


def _counts(types: "pd.Series[str]") -> str:
    numbers = types.value_counts()
    return ", ".join(f"{numbers[name]} {meaning}" for name, meaning in _NAMES.items() if name in numbers)


def _least(corpus: str, known: pd.DataFrame) -> Sentence:
    """Return the contrasts of least divergence, with its interval: one that holds 0 tells of no difference."""
    rows = known.sort_values("js", kind="stable").head(_NAMED).to_dict("records")
    named = [
        sentence(_heard(corpus, row, ""), " – ", _heard(corpus, row, "_other"), f" {_divergence(row)}") for row in rows
    ]
    what = "Jensen–Shannon divergence of what they are heard as, in bits; an interval from 0 tells of no difference"
    return sentence(f"Told apart least ({what}): ", joined(", ", named), ".")


def _heard(corpus: str, row: Mapping[Any, Any], suffix: str) -> Part:
    phone = str(row["other" if suffix else "phone"])
    return Part(phone, address(corpus, gold=phone, heard=str(row[f"category{suffix}"])))


def _divergence(row: Mapping[Any, Any]) -> str:
    return rounded(row["js"], row["js_low"], row["js_high"])


PART = FurtherPart(
    name="assimilation",
    title="Perceptual assimilation",
    tables=("assimilation",),
    columns=(
        "phone",
        "other",
        "distance",
        "type",
        "probability",
        "category",
        "p_category",
        "category_other",
        "p_category_other",
        "js",
        "overlap",
        "overlap_null",
    ),
    sentences=assimilation_sentences,
    links={
        "category": {"gold": "phone", "heard": "category"},
        "category_other": {"gold": "other", "heard": "category_other"},
    },
)
