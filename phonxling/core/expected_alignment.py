"""Expected counts of a whole corpus: each utterance's edits, averaged over its alignments."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import read_only
from phonxling.core.inventory import Inventory
from phonxling.core.stack import ConfusionStack

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class ExpectedAlignments:
    """What U utterances' edits are on average over their alignments, under P(A) ∝ exp(−cost(A)/τ).

    Parameters
    ----------
    counts : ConfusionStack
        Expected number of each edit by utterance; over a gold phone they sum to its tokens, up to rounding.
    cost : float64 array [U]
        Expected total cost, over `denominator`; for τ = 0 the least cost, exactly.
    ambiguity : float64 array [U]
        Entropy of the distribution over alignments in bits, ≥ 0; for τ = 0 log2 of the number of optimal alignments.
    denominator : int
        The unit of the costs.
    temperature : float
        τ in units of cost; 0 for the uniform average over optimal alignments.
    """

    counts: ConfusionStack
    cost: Floats
    ambiguity: Floats
    denominator: int
    temperature: float

    def __post_init__(self) -> None:
        for name in ("cost", "ambiguity"):
            object.__setattr__(self, name, read_only(getattr(self, name), np.float64))

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def utterances(self) -> tuple[str, ...]:
        """The utterance ids."""
        return self.counts.utterances

    @property
    def gold_inventory(self) -> Inventory:
        """The gold phones."""
        return self.counts.gold

    @property
    def predicted_inventory(self) -> Inventory:
        """The predicted phones."""
        return self.counts.predicted


Aligned: TypeAlias = Alignments | ExpectedAlignments
