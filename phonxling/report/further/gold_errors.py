"""What the numbers and claims of a corpus would be if some of its gold phones were wrong."""

from collections.abc import Iterator

import pandas as pd

from phonxling.report.findings.sentence import Part, Sentence, address, joined, sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.report.rounding import rounded

_TOLD = 0.05  # the rate that is told, where it was tried; else the largest
_TITLES = {
    "per": "the phone error rate",
    "wper": "the weighted error rate",
    "conditional_entropy": "the entropy of what is heard, given the gold phone,",
}


def _sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    numbers, claims = tables["gold_errors"], tables["gold_error_claims"]
    known = numbers[numbers["value"].notna()]
    rates = sorted(rate for rate in known["rate"].unique() if rate > 0)
    if not rates:
        yield sentence(f"Nothing is told: {numbers['note'].iloc[-1]}.")
        return
    told = _TOLD if _TOLD in rates else rates[-1]
    yield from _numbers(corpus, known, told)
    yield from _impossible(numbers, rates[-1])
    yield from _claims(corpus, claims, rates[-1])
    yield sentence(
        "Which share is wrong, these data do not tell. Errors of the gold are assumed not to depend on what was heard; "
        "a transcript that was made from recognised phones is another matter."
    )


def _numbers(corpus: str, known: pd.DataFrame, told: float) -> Iterator[Sentence]:
    """Yield what each number would be at a rate, and what it is."""
    where, changes = address(corpus, table=f"{corpus}/gold_errors.tsv"), []
    for measure, title in _TITLES.items():
        rows = known.loc[known["measure"] == measure, ["rate", "value", "low", "high"]].to_numpy(float)
        shown = {rate: rounded(*number) for rate, *number in rows.tolist()}
        if told in shown:
            at = Part(shown[told], where)
            bits = " bits" * (measure == "conditional_entropy")
            changes.append(sentence(f"{title} would be ", at, f" instead of {shown[0.0]}{bits}"))
    yield sentence(f"If {_percent(told)} of the gold phones were wrong, ", joined("; ", changes), ".")


def _impossible(numbers: pd.DataFrame, most: float) -> Iterator[Sentence]:
    """Yield from which rate on there would be more errors than there are."""
    per = numbers[(numbers["measure"] == "per") & numbers["value"].isna() & (numbers["rate"] > most)]
    beyond = per[per["note"].fillna("").str.startswith("so many")]
    if len(beyond):
        least = float(beyond["rate"].min())
        more = "so many wrong gold phones alone would give more errors than there are"
        yield sentence(f"Nothing is told of {_percent(least)} or more: {more}.")


def _claims(corpus: str, claims: pd.DataFrame, most: float) -> Iterator[Sentence]:
    """Yield how many claims hold throughout, and which is the first to end."""
    ending = claims[claims["ends_at"].notna()].sort_values("ends_at", kind="stable")
    if len(claims):
        held = Part(f"{len(claims) - len(ending)} of {len(claims)} claims", address(corpus, part=PART.name))
        yield sentence(held, f" are the same at all rates up to {_percent(most)} at which they are made.")
    if len(ending):
        first = ending.iloc[0]
        yield sentence(f"The first to end, at {_percent(float(first['ends_at']))}: {first['claim']}.")


def _percent(rate: float) -> str:
    return f"{100 * rate:.3g} %"


PART = FurtherPart(
    name="gold_errors",
    title="When gold is uncertain",
    tables=("gold_error_claims", "gold_errors"),
    columns=("claim", "holds_to", "ends_at", "then", "note"),
    sentences=_sentences,
    sort="ends_at",
    links={"claim": {"gold": "gold", "heard": "predicted"}},
)
