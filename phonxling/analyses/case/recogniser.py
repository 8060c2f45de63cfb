"""The phones that a recogniser can predict: those that are declared; what it happened to predict tells no inventory."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.core.inventory import Inventory, merge
from phonxling.phones.maps import LABELS


@dataclass(frozen=True, slots=True)
class RecogniserInventory:
    """What is known of a recogniser's inventory.

    Parameters
    ----------
    phones : Inventory
        All of its phones where they are declared, else those that it was seen to predict.
    missing : str
        Why what rests on a declared inventory is missing, and the line that declares one; "" where one is.
    """

    phones: Inventory
    missing: str = ""

    @property
    def declared(self) -> bool:
        """Whether the phones are all that it has."""
        return not self.missing


def recogniser_inventory(loaded: LoadedCorpus, corpora: Sequence[LoadedCorpus]) -> RecogniserInventory:
    """Return what the configuration, and the columns of posteriors, declare of a corpus' recogniser; else what it said.

    Corpora that name the same recogniser share their columns, and what was predicted.
    """
    own = [loaded, *(other for other in corpora if other is not loaded and _alike(loaded, other))]
    columns = [other.posteriorgrams.inventory for other in own if other.posteriorgrams is not None]
    declared = columns if loaded.inventory is None else [loaded.inventory, *columns]
    predicted = [other.corpus.predicted_inventory for other in own if other.corpus is not None]
    return RecogniserInventory(reduce(merge, [*predicted, *declared]), "" if declared else _undeclared(loaded))


def _undeclared(loaded: LoadedCorpus) -> str:
    """Return why nothing is said of what a recogniser lacks, and the line to write."""
    name = f"name: {loaded.recogniser}, " * bool(loaded.recogniser)
    symbols = loaded.symbols["sym"].split(",")[-1]
    line = f"recogniser: {{{name}inventory: {symbols if symbols in LABELS else 'phones.txt'}}}"
    return f"the recogniser’s inventory is not declared: write {line}"


def _alike(loaded: LoadedCorpus, other: LoadedCorpus) -> bool:
    return bool(loaded.recogniser) and other.recogniser == loaded.recogniser
