"""Context and position: confusions by what stands beside a gold phone.

Conventions
-----------
Contexts Z are of gold phones: the gold neighbour on the left or the right within the utterance (`#` at its edge), as a
class or as the phone itself, both together, or the position (`initial`, `medial`, `final`, or `alone` in an utterance
of one phone). Insertions have no gold phone, and so no context.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import Codes, offsets_of
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.count.neighbours import EDGE, gold_neighbours

POSITIONS = ("initial", "medial", "final", "alone")


@dataclass(frozen=True, eq=False)
class Contexts:
    """The context of each of N gold tokens: distinct `labels`, and each token's position among them, int64 [N]."""

    labels: tuple[str, ...]
    codes: Codes


@dataclass(frozen=True, eq=False)
class ContextCounts:
    """Confusions by gold phone and context.

    Parameters
    ----------
    stack : ConfusionStack
        Its gold side is the K attested pairs of phone and context, phone by phone; there are no insertions.
    phones, contexts : int64 array [K]
        The gold phone's code and the context's.
    gold : Inventory
        The gold phones.
    labels : tuple of str
        The contexts.
    """

    stack: ConfusionStack
    phones: Codes
    contexts: Codes
    gold: Inventory
    labels: tuple[str, ...]

    @cached_property
    def by_context(self) -> ConfusionMatrix:
        """All counts by phone and context."""
        return self.stack.total()

    @cached_property
    def by_phone(self) -> ConfusionMatrix:
        """The same counts without contexts."""
        counts = np.zeros((len(self.gold) + 1, self.by_context.counts.shape[1]))
        np.add.at(counts, self.phones, self.by_context.counts[:-1])
        return ConfusionMatrix(self.gold, self.by_context.predicted, counts)


def neighbours(aligned: Alignments, side: str, name_of: Callable[[str], str]) -> Contexts:
    """Return the gold neighbour on the `left` or `right` of each gold token, named by `name_of`; `#` at an edge."""
    names = [*map(name_of, aligned.gold_inventory), EDGE]
    labels = tuple(dict.fromkeys(names))
    label_of = np.array([labels.index(name) for name in names], dtype=np.int64)
    neighbour = gold_neighbours(aligned)[0 if side == "left" else 1]
    return Contexts(labels, label_of[neighbour[aligned.gold < len(aligned.gold_inventory)]])


def positions(aligned: Alignments) -> Contexts:
    """Return whether each gold token is initial, medial, final or alone in its utterance."""
    edge = len(aligned.gold_inventory)
    first, last = (side[aligned.gold < edge] == edge for side in gold_neighbours(aligned))
    return Contexts(POSITIONS, np.select([first & last, first, last], [3, 0, 2], 1).astype(np.int64))


def both_sides(left: Contexts, right: Contexts) -> Contexts:
    """Return both neighbours as one context, such as `vowels _ stops`."""
    labels = tuple(f"{before} _ {behind}" for before in left.labels for behind in right.labels)
    return Contexts(labels, left.codes * len(right.labels) + right.codes)


def count_contexts(aligned: Alignments, contexts: Contexts) -> ContextCounts:
    """Return the confusions of each utterance by gold phone and context."""
    is_gold = aligned.gold < len(aligned.gold_inventory)
    gold, predicted = aligned.gold[is_gold].astype(np.int64), aligned.predicted[is_gold].astype(np.int64)
    pairs, row = np.unique(gold * len(contexts.labels) + contexts.codes, return_inverse=True)
    phones, places = np.divmod(pairs, len(contexts.labels))
    width = len(aligned.predicted_inventory) + 1
    size = (len(pairs) + 1) * width
    cells = aligned.pair_utterances()[is_gold] * size + row * width + predicted
    keys, counts = np.unique(cells, return_counts=True)
    names = [
        f"{aligned.gold_inventory.phones[phone]} / {contexts.labels[place]}"
        for phone, place in zip(phones, places, strict=True)
    ]
    stack = ConfusionStack(
        utterances=aligned.utterances,
        gold=Inventory(tuple(names)),
        predicted=aligned.predicted_inventory,
        offsets=offsets_of(np.bincount(keys // size, minlength=len(aligned))),
        cells=keys % size,
        counts=counts,
    )
    return ContextCounts(stack, phones, places, aligned.gold_inventory, contexts.labels)
