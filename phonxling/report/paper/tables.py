"""Tables of all corpora side by side, from the stored numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, headline, measures
from phonxling.report.rounding import probability, rounded
from phonxling.report.typesetting import PaperTable

_OF_ERRORS = (
    "expected_share_kept",
    "expected_js",
    "expected_level",
    "expected_level_p",
    "expected_pattern",
    "expected_pattern_p",
    "wper_excess",
    "error_share",
    "error_share_null",
)
_OF_POSTERIORS = (
    "posterior_mutual_information",
    "posterior_mutual_information_null",
    "posterior_mutual_information_p",
    "posterior_mutual_information_unrelated",
    "decision_mutual_information",
    "decision_mutual_information_null",
    "decision_mutual_information_p",
    "decision_mutual_information_unrelated",
    "posterior_cross_entropy",
    "forced_certainty",
    "feature_distance_correlation",
    "trustworthiness",
    "nce",
    "brier",
    "ece",
    "ece_calibrated",
)

_NULLS = "; for what chance alone gives where labels or speakers are dealt anew, the range of {} of the draws."


def tables_of_corpora(numbers: pd.DataFrame, signatures: Mapping[str, str]) -> Iterator[tuple[str, PaperTable]]:
    """Yield `rates`, `summary`, `errors` and `posteriors`, the last two where there are such numbers."""
    cells = {(row["corpus"], row["measure"], row["variant"]): _cell(row) for row in numbers.to_dict("records")}
    level = numbers["level"].dropna()
    share = f"{100 * level.iloc[0]:g} %" if len(level) else ""
    notes = [f"In brackets: {share} confidence intervals{_NULLS.format(share)}"] if share else []
    notes += [f"{corpus}: {signature}" for corpus, signature in signatures.items()]
    yield "rates", _rates(cells, list(signatures), notes)
    for name, chosen in (
        ("summary", headline()),
        ("errors", _named(_OF_ERRORS)),
        ("posteriors", _named(_OF_POSTERIORS)),
    ):
        rows = _by_measure(cells, chosen, list(signatures))
        if rows or name == "summary":
            yield name, PaperTable(["measure", *signatures], rows, notes)


def _named(names: Sequence[str]) -> Iterator[Measure]:
    """Yield the recommended rows of these measures, and their levels of chance, in the order of the names."""
    chosen = [one for one in measures() if one.table == "summary" or one.kind == "level"]
    return (one for name in names for one in chosen if one.name == name)


def _rates(cells: Mapping[tuple[str, str, str], str], corpora: Sequence[str], notes: Sequence[str]) -> PaperTable:
    """Return corpora in rows and what the terminal shows in columns, the intervals below the values."""
    shown = [one for one in headline() if one.short]
    shown = [one for one in shown if any(cells.get((corpus, one.name, one.variant)) for corpus in corpora)]
    rows = []
    for corpus in corpora:
        parts = [cells.get((corpus, one.name, one.variant), "").partition(" ") for one in shown]
        rows.append([corpus, *(value for value, _, _ in parts)])
        rows += [["", *(limits for _, _, limits in parts)]] if any(limits for _, _, limits in parts) else []
    return PaperTable(["corpus", *(one.short for one in shown)], rows, notes)


def _by_measure(
    cells: Mapping[tuple[str, str, str], str], chosen: Iterable[Measure], corpora: Sequence[str]
) -> list[list[str]]:
    """Return measures in rows and corpora in columns, without measures that no corpus has."""
    rows = [[_title(one), *(cells.get((corpus, one.name, one.variant), "") for corpus in corpora)] for one in chosen]
    return [row for row in rows if any(row[1:])]


def _title(one: Measure) -> str:
    """Return a measure's title, with its variant where the title does not tell it from another."""
    alike = sum(other.title == one.title for other in measures())
    return f"{one.title} ({one.variant})" if one.variant and (one.headline or alike > 1) else one.title


def _cell(row: Mapping[Any, Any]) -> str:
    if row["unit"] == "probability":
        return probability(row["value"])
    return rounded(row["value"], row["low"], row["high"])
