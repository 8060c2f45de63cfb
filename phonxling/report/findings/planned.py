"""What a plan says, in sentences: what its first design finds, and how many speakers a difference takes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from phonxling.analyses.measures import measure
from phonxling.report.rounding import rounded

Row = Mapping[str, Any]


def plan_sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the sentences of one item, or of two systems: from its rows of plan.tsv, the first design first."""
    first = rows[0]
    names, one = " and ".join(filter(None, (first["item"], first["other"]))), measure(first["measure"])
    study, least, power = f"{names}: {_design(first)}", _least(first), _percent(first, "power")
    where = "between two systems on the same utterances" if first["other"] else "between two such corpora"
    what = f"in {one.short or one.title} {where} with a probability of"
    if math.isnan(first["least_difference"]):
        yield f"{study}: {_untested(first)}."
    elif math.isnan(first["difference"]):
        yield f"{study} find a difference of {least} {what} {power}."
    else:
        asked, power = _percent(first, "difference_power"), f"{100 * first['power']:g} %"
        yield f"{study} find a difference of {first['difference']:g} {what} {asked}; with {power} they find {least}."
    yield from (_needed(row) for row in rows if row["needed"] == "yes" and _alike(row, first))
    if not math.isnan(first["least_difference"]):
        yield "A probability is the mean over what the pilot leaves open (assurance), with its limits in brackets."
    if first["note"]:
        yield f"Note: {first['note']}."


def designs(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield rows of text, the heads first: least differences of the chosen designs, by speakers and utterances.

    Without speakers there is a row a number of utterances.
    """
    chosen = [row for row in rows if row["needed"] == "no"]
    each = sorted({row["utterances"] for row in chosen})
    if math.isnan(rows[0]["speakers"]):
        least = {row["utterances"]: _least(row) for row in chosen}
        yield ["utterances", "least difference"]
        yield from ([f"{number:,.0f}", least[number]] for number in each)
        return
    cells = {(row["speakers"], row["utterances"]): _least(row) for row in chosen}
    yield ["speakers", *(_utterances(number) for number in each)]
    for speakers in sorted({row["speakers"] for row in chosen}):
        yield [f"{speakers:,.0f}", *(cells[speakers, number] for number in each)]


def _least(row: Row) -> str:
    return rounded(row["least_difference"]) or "–"


def _design(row: Row) -> str:
    utterances = _utterances(row["utterances"])
    return utterances if math.isnan(row["speakers"]) else f"{row['speakers']:,.0f} speakers of {utterances} each"


def _utterances(number: float) -> str:
    return "any number of utterances" if math.isinf(number) else f"{number:,.0f} utterances"


def _untested(row: Row) -> str:
    if math.isnan(row["standard_error"]):
        return "no least difference, since nothing varies"
    return "no least difference, since fewer than five are not tested"


def _alike(row: Row, first: Row) -> bool:
    """Whether two designs have as many utterances a speaker; without speakers, any two."""
    return math.isnan(row["speakers"]) or bool(row["utterances"] == first["utterances"])


def _needed(row: Row) -> str:
    found = _percent(row, "difference_power")
    return f"A difference of {row['difference']:g} takes {_design(row)}, which find it with {found}."


def _percent(row: Row, name: str) -> str:
    """Return an assurance with its limits."""
    value, low, high = (min(100 * row[f"{name}{end}"], 99.4) for end in ("", "_low", "_high"))
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
