"""What each gold phone is recognised as by its position, or by the natural class of a gold neighbour, on request.

Contexts are of gold phones: the class of the gold neighbour on the left or the right within the utterance (`#` at its
edge), or the position in the utterance (`initial`, `medial`, `final`, or `alone` in an utterance of one phone), and in
the word (`word initial` and so on) where gold marks words. Insertions have no gold phone, and so no context.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import Alignments
from phonxling.core.inventory import GAP
from phonxling.count.confusions import EDGE, gold_neighbours

POSITIONS = ("initial", "medial", "final", "alone")
Contexts: TypeAlias = tuple[tuple[str, ...], Codes]  # distinct labels, and that of each of N gold tokens, [N]


def neighbours(aligned: Alignments, side: str, name_of: Callable[[str], str]) -> Contexts:
    """Return the gold neighbour on the `left` or `right` of each gold token, named by `name_of`; `#` at an edge."""
    names = [*map(name_of, aligned.gold_inventory), EDGE]
    labels = tuple(dict.fromkeys(names))
    label_of = np.array([labels.index(name) for name in names], dtype=np.int64)
    neighbour = gold_neighbours(aligned)[0 if side == "left" else 1]
    return labels, label_of[neighbour[aligned.gold < len(aligned.gold_inventory)]]


def positions(aligned: Alignments, words: Codes | None = None) -> Contexts:
    """Return whether each gold token is initial, medial, final or alone in its utterance, or word by number, [N]."""
    labels = POSITIONS if words is None else tuple(f"word {label}" for label in POSITIONS)
    edge = len(aligned.gold_inventory)
    first, last = (side[aligned.gold < edge] == edge for side in gold_neighbours(aligned))
    if words is not None:
        changes = np.diff(words) != 0
        first[1:] |= changes
        last[:-1] |= changes
    return labels, np.select([first & last, first, last], [3, 0, 2], 1).astype(np.int64)


def count_contexts(aligned: Alignments, contexts: Contexts) -> tuple[Floats, Codes, Codes]:
    """Return the confusions of K pairs of gold phone and context, [K, P + 1], and these of each pair, [K]."""
    labels, codes = contexts
    is_gold, width = aligned.gold < len(aligned.gold_inventory), len(aligned.predicted_inventory) + 1
    pairs, row = np.unique(aligned.gold[is_gold].astype(np.int64) * len(labels) + codes, return_inverse=True)
    counts = np.bincount(row * width + aligned.predicted[is_gold], minlength=len(pairs) * width)
    phones, places = np.divmod(pairs, len(labels))
    return counts.reshape(-1, width).astype(np.float64), phones, places


def contexts(case: Case, context: str) -> Items:
    """Yield the table of contexts; nothing unless one is asked for, nor by class for phones without features."""
    aligned = case.counted.aligned
    if context == "position":
        tables = [_table(case, positions(aligned))]
        if (words := case.counted.corpus.gold.words) is not None:
            tables.append(_table(case, positions(aligned, words)))
        yield "contexts", pd.concat(tables, ignore_index=True)
    elif context != "none" and case.classes.tell:
        yield "contexts", _table(case, neighbours(aligned, context, case.classes.default_of))


def _table(case: Case, context: Contexts) -> pd.DataFrame:
    """Return the attested cells of each context."""
    matrix = case.counted.matrix
    counts, phones, places = count_contexts(case.counted.aligned, context)
    rows, columns = np.nonzero(counts)
    sides = matrix.gold.phones, (*matrix.predicted, GAP), context[0]
    gold, predicted, labels = (np.array(names, dtype=object) for names in sides)
    return pd.DataFrame(
        {
            "context": labels[places[rows]],
            "gold": gold[phones[rows]],
            "predicted": predicted[columns],
            "count": counts[rows, columns].astype(np.int64),
            "share_of_gold": divided(counts, counts.sum(axis=1, keepdims=True))[rows, columns],
        }
    )
