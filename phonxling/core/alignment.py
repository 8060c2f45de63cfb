"""Alignments of a whole corpus as columns, detached from the sequences they came from."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, check_offsets, make_read_only, pair_type
from phonxling.core.confusion import ConfusionStack
from phonxling.core.display import Shown, counted, tidy
from phonxling.core.inventory import GAP, Inventory, with_gap

if TYPE_CHECKING:
    from phonxling.core.display import DataFrame


CORRECT, SUBSTITUTION, DELETION, INSERTION = 0, 1, 2, 3
OPERATIONS = ("correct", "substitution", "deletion", "insertion")
_DONE = ("correct", "substituted", "deleted", "inserted")
_UTTERANCES = 3  # that a notebook shows
_BLOCK = 1 << 18  # pairs whose codes are widened at a time


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Alignments(Shown):
    """One optimal alignment an utterance: L aligned pairs in all.

    Parameters
    ----------
    utterances : tuple of str
        U ids.
    gold_inventory, predicted_inventory : Inventory
        G and P phones.
    offsets : int64 array [U + 1]
        Utterance u holds the pairs offsets[u] to offsets[u + 1] − 1.
    gold : int16 array [L]
        Gold code, or G for none (an insertion); int32 where a side has more than 180 phones.
    predicted : int16 array [L]
        Predicted code, or P for none (a deletion).
    cost : int64 array [U]
        Least total cost, over `denominator`.
    denominator : int
        The unit of the costs.
    """

    utterances: tuple[str, ...]
    gold_inventory: Inventory
    predicted_inventory: Inventory
    offsets: NDArray[np.int64]
    gold: NDArray[np.integer]
    predicted: NDArray[np.integer]
    cost: NDArray[np.int64]
    denominator: int

    def __post_init__(self) -> None:
        kind = pair_type(len(self.gold_inventory), len(self.predicted_inventory))
        make_read_only(self, offsets=np.int64, cost=np.int64, gold=kind, predicted=kind)
        check_offsets(self.offsets, len(self.gold), len(self.utterances))

    def __len__(self) -> int:
        return len(self.utterances)

    def _facts(self) -> Iterator[str]:
        yield counted(len(self), "utterance")
        yield counted(len(self.gold), "pair")
        numbers = np.bincount(self.operations, minlength=len(OPERATIONS)).tolist()
        yield from (counted(number, name, name) for number, name in zip(numbers, _DONE, strict=True))

    def _head(self) -> "DataFrame":
        pairs = [[self.utterances[u], *pair] for u in range(min(_UTTERANCES, len(self))) for pair in self.pairs_of(u)]
        return tidy(dict(zip(("utterance", "gold", "predicted"), zip(*pairs, strict=True), strict=False)))

    def to_frame(self) -> "DataFrame":
        """Return a row a pair: utterance, position (from 1), gold, predicted, operation; ∅ for no phone."""
        owners = self.pair_utterances()
        sides = {"gold": (self.gold_inventory, self.gold), "predicted": (self.predicted_inventory, self.predicted)}
        phones = {name: np.array(with_gap(of.phones), dtype=object)[codes] for name, (of, codes) in sides.items()}
        places = {"position": np.arange(len(owners)) - self.offsets[owners] + 1}
        names = {"utterance": np.array(self.utterances, dtype=object)[owners]}
        return tidy({**names, **places, **phones, "operation": np.array(OPERATIONS, dtype=object)[self.operations]})

    @cached_property
    def operations(self) -> NDArray[np.int8]:
        """The operation of each pair, int8 [L]: 0 correct, 1 substitution, 2 deletion, 3 insertion."""
        kinds, operations = self.kinds(), np.empty(len(self.gold), np.int8)
        for first in range(0, len(self.gold), _BLOCK):
            run = slice(first, first + _BLOCK)
            operations[run] = kinds[self.gold[run], self.predicted[run]]
        return operations

    def pair_utterances(self) -> NDArray[np.int64]:
        """Return the utterance of each pair by its position, int64 [L]."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    def kinds(self) -> NDArray[np.int8]:
        """Return the operation of each pair of two phones, int8 [G + 1, P + 1], ∅ last."""
        table = np.full((len(self.gold_inventory) + 1, len(self.predicted_inventory) + 1), SUBSTITUTION, np.int8)
        for code, phone in enumerate(self.gold_inventory):
            if phone in self.predicted_inventory:
                table[code, self.predicted_inventory.code(phone)] = CORRECT
        table[:, -1], table[-1, :] = DELETION, INSERTION
        return table

    def pairs_of(self, utterance: int) -> list[tuple[str, str]]:
        """Return one utterance's aligned pairs as strings, ∅ for no phone: for looking at, not for counting."""
        gold, predicted = (*self.gold_inventory, GAP), (*self.predicted_inventory, GAP)
        run = slice(self.offsets[utterance], self.offsets[utterance + 1])
        return [(gold[g], predicted[p]) for g, p in zip(self.gold[run], self.predicted[run], strict=True)]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ExpectedAlignments(Shown):
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
        make_read_only(self, cost=np.float64, ambiguity=np.float64)

    def __len__(self) -> int:
        return len(self.counts)

    def _facts(self) -> Iterator[str]:
        yield from self.counts._facts()
        yield f"temperature {self.temperature:g}"
        yield f"mean ambiguity {self.ambiguity.mean():.3g} bits" if len(self) else ""

    def to_frame(self) -> "DataFrame":
        """Return utterance, gold, predicted, count: the expected number of each edit of an utterance."""
        return self.counts.to_frame()

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
