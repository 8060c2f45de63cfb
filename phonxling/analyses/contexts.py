"""contexts.tsv, on request: what each gold phone is recognised as by its gold neighbours, or by its position.

Contexts are of gold phones: the gold neighbour on the left or the right within the utterance (`#` at its edge), as a
class or as the phone itself, both together, or the position (`initial`, `medial`, `final`, or `alone` in an utterance
of one phone). Insertions have no gold phone, and so no context.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.analyses.utterances import conditional
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Alignments
from phonxling.core.inventory import GAP
from phonxling.count.confusions import EDGE, gold_neighbours
from phonxling.settings.models import Context

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
    edge = len(aligned.gold_inventory)
    first, last = (side[aligned.gold < edge] == edge for side in gold_neighbours(aligned))
    if words is not None:
        changes = np.diff(words) != 0
        first[1:] |= changes
        last[:-1] |= changes
    return POSITIONS, np.select([first & last, first, last], [3, 0, 2], 1).astype(np.int64)


def both_sides(left: Contexts, right: Contexts) -> Contexts:
    """Return both neighbours as one context, such as `vowels _ stops`."""
    labels = tuple(f"{before} _ {behind}" for before in left[0] for behind in right[0])
    return labels, left[1] * len(right[0]) + right[1]


def count_contexts(aligned: Alignments, contexts: Contexts) -> tuple[Floats, Codes, Codes]:
    """Return the confusions of K pairs of gold phone and context, [K, P + 1], and these of each pair, [K]."""
    labels, codes = contexts
    is_gold, width = aligned.gold < len(aligned.gold_inventory), len(aligned.predicted_inventory) + 1
    pairs, row = np.unique(aligned.gold[is_gold].astype(np.int64) * len(labels) + codes, return_inverse=True)
    counts = np.bincount(row * width + aligned.predicted[is_gold], minlength=len(pairs) * width)
    phones, places = np.divmod(pairs, len(labels))
    return counts.reshape(-1, width).astype(np.float64), phones, places


def contexts(case: Case, settings: Context) -> Items:
    """Yield contexts.tsv; nothing unless a context is asked for."""
    aligned, names = case.counted.aligned, dict[str, Callable[[str], str]](phone=str)
    if case.classes.tell:
        names["class"] = case.classes.default_of
    wanted = {"left": settings.left, "right": settings.right}
    chosen = {side: neighbours(aligned, side, names[kind]) for side, kind in wanted.items() if kind in names}
    if len(chosen) == 2 and settings.left == settings.right == "class":
        chosen["both"] = both_sides(chosen["left"], chosen["right"])
    if settings.position:
        chosen["position"] = positions(aligned)
        if (words := case.counted.corpus.gold.words) is not None:
            chosen["word"] = positions(aligned, words)
    if chosen:
        yield "contexts", pd.concat([_table(case, kind, one) for kind, one in chosen.items()], ignore_index=True)


def _table(case: Case, kind: str, context: Contexts) -> pd.DataFrame:
    """Return the attested cells of one kind of context, each beside its share over all contexts."""
    matrix = case.counted.matrix
    counts, phones, places = count_contexts(case.counted.aligned, context)
    in_context, anywhere = conditional(counts), conditional(matrix.counts[:-1])[phones]
    rows, columns = np.nonzero(counts)
    sides = matrix.gold.phones, (*matrix.predicted, GAP), context[0]
    gold, predicted, labels = (np.array(names, dtype=object) for names in sides)
    table = {
        "kind": kind,
        "context": labels[places[rows]],
        "gold": gold[phones[rows]],
        "predicted": predicted[columns],
        "count": counts[rows, columns].astype(np.int64),
        "share": in_context[rows, columns],
        "share_anywhere": anywhere[rows, columns],
    }
    return pd.DataFrame(table)
