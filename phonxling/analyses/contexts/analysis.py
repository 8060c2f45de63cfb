"""Context in the results, on request: contexts.tsv, and the information that contexts add in the summary."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.contexts.counting import (
    ContextCounts,
    Contexts,
    both_sides,
    count_contexts,
    neighbours,
    positions,
)
from phonxling.analyses.contexts.information import added_information, permuted_added_information
from phonxling.analyses.information.entropy import conditional_entropy
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Floats, divided
from phonxling.core.inventory import GAP
from phonxling.resample.bootstrap import replicate_values
from phonxling.resample.intervals import estimate
from phonxling.resample.p_values import p_value
from phonxling.settings.sections import Context

_MEASURES = ("conditional_entropy_given_context", "context_information", "context_information_excess")
_TOO_HIGH = "too high where contexts make small cells: compare the excess over the null"
_TOO_LOW = "a cautious estimate, too low where context matters"
_NO_CLASSES = "the feature table tells no classes of these symbols"
_NO_PAIRS = "no gold phone was aligned with a predicted one"


def contexts(case: Case, settings: Context) -> Items:
    """Yield the information that each kind of context adds, and contexts.tsv; nothing unless a context is asked for."""
    chosen = {kind: count_contexts(case.counted.path, context) for kind, context in _chosen(case, settings).items()}
    for kind, counted in chosen.items():
        yield from _rows(case, kind, counted)
    if not case.classes.tell:
        sides = [side for side in ("left", "right") if getattr(settings, side) == "class"]
        for kind in [*sides, *["both"] * (len(sides) == 2)]:
            yield from _missing(kind, _NO_CLASSES)
    if chosen:
        tables = [_table(kind, counted) for kind, counted in chosen.items()]
        yield "contexts", pd.concat(tables, ignore_index=True)


def _chosen(case: Case, settings: Context) -> dict[str, Contexts]:
    """Return the contexts that are asked for, by kind: left, right, both, position.

    `both` is there when both neighbours are asked for as classes; pairs of phones would be too many for any count.
    Classes are the default ones; where the feature table tells none, contexts by class are left out.
    """
    path = case.counted.path
    names: dict[str, Callable[[str], str]] = {"phone": str}
    if case.classes.tell:
        names["class"] = case.classes.default_of
    sides = {side: kind for side, kind in (("left", settings.left), ("right", settings.right)) if kind in names}
    chosen = {side: neighbours(path, side, names[kind]) for side, kind in sides.items()}
    if list(sides.values()) == ["class", "class"]:
        chosen["both"] = both_sides(chosen["left"], chosen["right"])
    return chosen | ({"position": positions(path)} if settings.position else {})


def _missing(kind: str, why: str) -> Iterator[Row]:
    yield from (row_of(measure, math.nan, 0, kind, why) for measure in _MEASURES)


def _rows(case: Case, kind: str, counted: ContextCounts) -> Iterator[Row]:
    """Yield H(X|Y, context) and what the context adds by each estimator, and the plug-in beside its null."""
    entropy, note = case.experiment.entropy, case.counted.path_note
    width = len(counted.stack.predicted) + (entropy.gaps == "include")
    cells = counted.by_context.counts[:-1, :width]
    n = float(cells.sum())
    if not n:
        yield from _missing(kind, _NO_PAIRS)
        return
    for name in dict.fromkeys(entropy.estimators):
        in_context, alone = (
            conditional_entropy(matrix, name, gaps=entropy.gaps, support=entropy.support)
            for matrix in (counted.by_context, counted.by_phone)
        )
        yield row_of("conditional_entropy_given_context", in_context, n, f"{kind}:{name}", note)
        yield row_of("context_information", alone - in_context, n, f"{kind}:{name}", note, _TOO_HIGH)
    permutations = case.experiment.information.permutations
    if permutations:
        value, generator = added_information(cells, counted.phones), case.generator(f"context {kind}")
        null = permuted_added_information(cells, counted.phones, permutations, generator)

        def added(counts: Floats) -> float:
            return added_information(counts[:-1, :width], counted.phones)

        drawn = replicate_values(counted.stack, case.counted.resampling, added)
        yield from _beside_null(case, kind, n, value=value, null=null, drawn=drawn)


def _beside_null(case: Case, kind: str, n: float, *, value: float, null: Floats, drawn: Floats) -> Iterator[Row]:
    """Yield the null, the excess over it with the interval of the draws [R], and p."""
    resampling, excess = case.counted.resampling, value - float(null.mean())
    note = f"{len(null)} permutations of the contexts within each gold phone"
    yield row_of("context_information_null", interval_of(null, resampling.level), n, kind, note)
    yield row_of("context_information_excess", estimate(excess, drawn, resampling), n, kind, _TOO_LOW)
    p = p_value(value, null)
    yield row_of("context_information_p", p, n, kind, f"least possible: {1 / (len(null) + 1):.2g}")


def _table(kind: str, counted: ContextCounts) -> pd.DataFrame:
    """Return what each gold phone was heard as in each context.

    `share` is over phones without ∅ as in confusions.tsv, and for ∅ the share of all tokens;
    `share_anywhere` is the same over all contexts.
    """
    counts = counted.by_context.counts[:-1]
    in_context, anywhere = _shares(counts), _shares(counted.by_phone.counts[:-1])[counted.phones]
    rows, columns = np.nonzero(counts)
    gold, predicted, labels = (
        np.array(names, dtype=object)
        for names in (counted.gold.phones, (*counted.stack.predicted, GAP), counted.labels)
    )
    return pd.DataFrame(
        {
            "kind": kind,
            "context": labels[counted.contexts[rows]],
            "gold": gold[counted.phones[rows]],
            "predicted": predicted[columns],
            "count": counts[rows, columns].astype(np.int64),
            "share": in_context[rows, columns],
            "share_anywhere": anywhere[rows, columns],
        }
    )


def _shares(counts: Floats) -> Floats:
    """Return p(x | row), ∅ last: over phones without ∅, and for ∅ its share of all."""
    predicted = counts[:, :-1]
    of_phones = divided(predicted, predicted.sum(axis=1, keepdims=True))
    return np.column_stack([of_phones, divided(counts[:, -1], counts.sum(axis=1))])
