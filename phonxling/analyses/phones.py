"""phones.tsv: what happened to each gold phone, and what each predicted phone stands for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import Gaps, Given, Support
from phonxling.analyses.phone_columns import PhoneSide, columns_of
from phonxling.core.arrays import Floats
from phonxling.core.estimate import Estimate, joined
from phonxling.resample.information_interval import FEW_TOKENS
from phonxling.resample.intervals import weakness
from phonxling.resample.student import effective_number
from phonxling.settings.sections import Entropy
from phonxling.tables.columns import declared_columns

_ENTROPIES = ("entropy", "perplexity")  # whose notes say themselves why there is no interval
_OF_ONE_PHONE = ("no interval", "the estimate")  # how notes begin that are not the same for all phones


def phones(case: Case, settings: Entropy) -> Items:
    """Yield phones.tsv."""
    yield "phones", phone_table(case.counted, settings.estimators, settings.gaps, settings.support)


def phone_table(analysis: AnalysedCorpus, estimators: Sequence[str], gaps: Gaps, support: Support) -> pd.DataFrame:
    """Return phones.tsv: each gold and each predicted phone with the columns of `columns.COLUMNS`."""
    parts = [pd.DataFrame(_columns(side, estimators)) for side in _sides(analysis, gaps, support)]
    declared = [column for column in declared_columns() if column.table == "phones"]
    order = [name for column in declared for name in _names(column.column, estimators)]
    texts = {column.column: "" for column in declared if column.type == "text"}
    return pd.concat(parts, ignore_index=True)[order].fillna(texts)


def _sides(analysis: AnalysedCorpus, gaps: Gaps, support: Support) -> Iterator[PhoneSide]:
    counts = replace(analysis.clusters, gaps=True)
    sides: dict[Given, Mapping[str, Floats]] = {
        "gold": analysis.phone_draws.gold,
        "predicted": analysis.phone_draws.predicted,
    }
    for side, drawn in sides.items():
        yield PhoneSide(
            side=side,
            gaps=gaps,
            support=support,
            matrix=analysis.matrix,
            counts=counts,
            symbols=analysis.clusters,
            drawn=drawn,
            costs=analysis.cell_costs,
            scoring=analysis.scoring,
            learned=bool(analysis.weighed.learned),
            resampling=analysis.resampling,
        )


def _columns(side: PhoneSide, estimators: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column in columns_of(side.side):
        values[column.name] = column.values(side)
        if column.limits:
            limits = column.limits(side, column.name, values[column.name])
            values[f"{column.name}_low"], values[f"{column.name}_high"] = limits
    by_estimator = {f"entropy_{name}": side.entropy(name) for name in dict.fromkeys(estimators)}
    return {**values, **by_estimator, "note": list(_notes(side, values))}


def _names(declared: str, estimators: Sequence[str]) -> list[str]:
    """Return the names of a declared column in this table: one, or one an estimator."""
    return [f"entropy_{name}" for name in dict.fromkeys(estimators)] if "<" in declared else [declared]


def _notes(side: PhoneSide, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what weakens each phone's numbers: no such symbol on the other side, few tokens, no interval."""
    other = f"no {'predicted' if side.is_gold else 'gold'} phone has this symbol"
    tokens, few_clusters = side.entropy_clusters.table.sum(axis=1), _few_clusters(side)
    for phone, has_other in enumerate(np.asarray(side.same.any(axis=1))):
        entropy = _entropy_notes(side.entropies[phone], tokens[phone])
        about = few_clusters[phone], "" if has_other else other
        yield joined([*about, *entropy, _without_limits(side, values, phone)])


def _few_clusters(side: PhoneSide) -> list[str]:
    """Return of each phone the warning that its intervals rest on few clusters, "" where they do not."""
    drawn, (total, squares) = side.resampling.replicates > 0, np.zeros((2, len(side.phones) + 1))
    for cells in side.clusters.parts():
        row, (tokens,) = cells.by_row(cells.tokens)
        for sums, own in ((total, tokens), (squares, tokens**2)):
            sums += np.bincount(row, weights=own, minlength=len(sums))
    numbers = effective_number(total, squares)
    few = [weakness(side.resampling, clusters=number) for number in numbers.tolist()]
    return [note if drawn and number > 1 else "" for note, number in zip(few, numbers, strict=True)]


def _entropy_notes(entropy: Estimate, tokens: float) -> tuple[str, str]:
    few = f"fewer than {FEW_TOKENS} tokens: no estimate of the entropy is to be trusted"
    own = joined(part for part in entropy.note.split("; ") if part.startswith(_OF_ONE_PHONE))
    return few * bool(0 < tokens < FEW_TOKENS), f"entropy: {own}" if own else ""


def _without_limits(side: PhoneSide, values: Mapping[str, Any], phone: int) -> str:
    """Return the names of a phone's numbers that resampling could give no interval, "" when there are none."""
    if side.resampling.number < 2 or not side.resampling.replicates:
        return ""
    bounded = [column.name for column in columns_of(side.side) if column.limits and column.name not in _ENTROPIES]
    alike = [name for name in bounded if not np.isnan(values[name][phone]) and np.isnan(values[f"{name}_low"][phone])]
    return f"no interval of {', '.join(alike)}: the resampled values do not differ" if alike else ""
