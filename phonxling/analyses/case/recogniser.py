"""The phones that a recogniser can say: those that its posteriors declare, else those that it was seen to predict."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.core.inventory import Inventory, merge


@dataclass(frozen=True, slots=True)
class RecogniserInventory:
    """What is known of a recogniser's inventory; `declared`: it is all of it, as the columns of posteriors tell."""

    phones: Inventory
    declared: bool

    @property
    def note(self) -> str:
        """What is to be said of numbers that rest on the inventory, "" where it is declared."""
        if self.declared:
            return ""
        return "the inventory is known from predictions alone: a phone that was never predicted counts as absent"


def recogniser_inventory(loaded: LoadedCorpus, corpora: Sequence[LoadedCorpus]) -> RecogniserInventory:
    """Return all columns of a corpus' recogniser, and all that it predicted, here and in other corpora that name it."""
    own = [loaded, *(other for other in corpora if other is not loaded and _alike(loaded, other))]
    predicted = [other.corpus.predicted_inventory for other in own if other.corpus is not None]
    columns = [other.posteriorgrams.inventory for other in own if other.posteriorgrams is not None]
    return RecogniserInventory(reduce(merge, [*predicted, *columns]), declared=bool(columns))


def _alike(loaded: LoadedCorpus, other: LoadedCorpus) -> bool:
    return bool(other.recogniser) and other.recogniser == loaded.recogniser
