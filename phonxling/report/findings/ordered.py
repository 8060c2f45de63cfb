"""The order of corpora by their skill, in sentences: groups that a test tells apart, and where two rates disagree."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from phonxling.report.findings.numbers import figure
from phonxling.report.findings.stored import rows_if_any

_MOST = 8  # corpora that a sentence names; the table has all
_SCALES = {
    "attainable_skill": "Attainable skill of wPER, from 0 (guessing) to 1 (the best with these phones)",
    "skill": "Skill of wPER, from 0 (guessing) to 1 (no errors)",
}
_OTHERWISE = "PER orders them otherwise, because it counts every wrong phone as 1, however near the right one"


def order_sentences(folder: Path, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what orders.tsv shows: the groups by wPER, and those by PER where their order is another."""
    by_rate: dict[str, list[Mapping[str, Any]]] = {"wper": [], "per": []}
    for row in rows_if_any(folder, "orders.tsv"):
        by_rate[row["measure"].rpartition("_")[2]].append(row)
    weighted, plain = by_rate.values()
    if weighted:
        scale = _SCALES[weighted[0]["measure"].rpartition("_")[0]]
        yield f"{scale}: {_listed(weighted, titles)}. {_apart(weighted)}"
        if plain and [row["corpus"] for row in plain] != [row["corpus"] for row in weighted]:
            yield f"{_OTHERWISE}: {_listed(plain, titles)}. {_apart(plain)}"


def _listed(rows: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> str:
    """Return corpora with their values, and their letters where not all have the same."""
    lettered = len({row["group"] for row in rows}) > 1
    shown = [
        f"{titles.get(row['corpus'], row['corpus'])} {figure(row['value'])}" + f" ({row['group']})" * lettered
        for row in rows[:_MOST]
    ]
    return ", ".join(shown) + f" and {len(rows) - _MOST} more" * (len(rows) > _MOST)


def _apart(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return which of the corpora are told apart."""
    tested, pairs = (int(rows[0][name]) for name in ("tested", "comparisons"))
    if not tested:
        return "No two of them are tested, because speakers are too few or unknown."
    some = f" {tested} of {pairs} pairs are tested." * (tested < pairs)
    if len({row["group"] for row in rows}) == 1:
        return f"The test tells no two of them apart.{some}"
    return f"The test does not tell apart those that share a letter.{some}"
