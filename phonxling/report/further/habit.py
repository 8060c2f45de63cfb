"""Whether wrong phones are pulled by the phonotactics of the reference, in sentences made from `habit_contexts.tsv`."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.sentence import Part, Sentence, address, joined, sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.report.rounding import probability, rounded
from phonxling.resample.p_values import SIGNIFICANT

_MOST = 3  # errors that are named
_PLACE = {"left": "after {}", "right": "before {}"}


def _sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    contexts = tables["habit_contexts"]
    if not len(contexts):
        yield sentence("No wrong phone stands between phones that were heard as usual, so nothing is told.")
        return
    overall = {str(name): value for name, value in contexts.iloc[0].items()}
    yield sentence(_overall(overall))
    if overall["note"] and not math.isnan(overall["share"]):
        yield sentence(f"To be minded: {overall['note']}.")
    clear = contexts[(contexts["kind"] != "all") & (contexts["q"] < SIGNIFICANT) & (contexts["low"] > 0)]
    if len(clear):
        yield sentence(f"The share is above 0 (q < {SIGNIFICANT:g}) in these contexts: {', '.join(_places(clear))}.")
    pulled = tables["habit"]
    pulled = pulled[(pulled["q"] < SIGNIFICANT) & (pulled["excess"] > 0)].sort_values("p", kind="stable")
    if len(pulled):
        named = [_error(corpus, row) for row in pulled.head(_MOST).to_dict("records")]
        yield sentence("Single errors in the places that the reference has them in: ", joined("; ", named), ".")


def _overall(row: dict[str, Any]) -> str:
    """Return what is said of all places together."""
    tokens = f"{row['tokens']:,.0f} wrong phones between phones that were heard as usual"
    if math.isnan(row["share"]):
        return f"Nothing is told of habit from {tokens}: {row['note']}."
    share = rounded(row["share"], row["low"], row["high"])
    if math.isnan(row["p"]) or is_descriptive(row["note"]):
        return f"Whether the {tokens} follow the reference’s phonotactics is not judged: share pulled {share}."
    p = probability(row["p"])
    told = f"p {p}" if p.startswith("<") else f"p = {p}"
    if row["p"] >= SIGNIFICANT or not (row["low"] > 0 or row["high"] < 0):
        return f"The {tokens} are not told apart from phones heard by sound alone: share pulled {share}; {told}."
    if row["share"] < 0:
        return f"The {tokens} avoid what the reference’s phonotactics have there: share pulled {share}; {told}."
    return (
        f"The {tokens} follow the reference’s phonotactics as much as if a share of {share} had been drawn from them, "
        f"and the others heard by sound alone; {told}. That it sounds otherwise beside single phones counts, too."
    )


def _places(contexts: pd.DataFrame) -> list[str]:
    rows = contexts.to_dict("records")
    names = [_PLACE.get(str(row["kind"]), "{}").format(row["context"]) for row in rows]
    return [f"{name} {rounded(row['share'], row['low'], row['high'])}" for name, row in zip(names, rows, strict=True)]


def _error(corpus: str, row: dict[Any, Any]) -> Sentence:
    link = address(corpus, gold=str(row["gold"]), heard=str(row["predicted"]))
    excess = rounded(row["excess"], row["low"], row["high"])
    return sentence(Part(f"{row['gold']} heard as {row['predicted']}", link), f" (excess {excess} bits)")


PART = FurtherPart(
    name="habit",
    title="Pulled by sound or by habit",
    tables=("habit", "habit_contexts"),
    columns=("gold", "predicted", "nearest", "tokens", "log_ratio", "log_ratio_elsewhere", "excess", "p", "q"),
    interval="excess",
    sort="-tokens",
    sentences=_sentences,
    links={"predicted": {"gold": "gold", "heard": "predicted"}},
)
