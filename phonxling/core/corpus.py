"""A corpus: gold and predicted phones of the same utterances, in the same order."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences, contents_of, numbered_speakers

Action = Literal["kept", "folded", "mapped", "split", "merged", "dropped", "unknown"]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One raw symbol (or one fate of it): what it became, by which action, and how many tokens.

    Actions: `kept` as it was (up to Unicode normal form), `folded` to the standard letter, `mapped` by a symbol set,
    `split` into several parts or into a phone and its tone, `merged` with its neighbour (a closure with its release, a
    tone with its phone), `dropped` (silence, or by its map), `unknown` to the feature table (dropped on request when
    `symbol` is empty, else kept). `features` says whence the phone's feature vector comes: `table`, `composed` by rule
    from known parts, or `none`.
    """

    raw: str
    symbol: str
    action: Action
    count: int
    features: Literal["table", "composed", "none"]


SymbolAudit = tuple[AuditRow, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """Paired gold and predicted phone sequences.

    Parameters
    ----------
    gold, predicted : PhoneSequences
        The same utterances in the same order.
    gold_audit, predicted_audit : SymbolAudit
        What became of each raw symbol.
    speakers : tuple of str, optional
        One an utterance.
    unpaired : tuple of str
        Ids that were left out because only one side has them (none unless a share was allowed).

    Raises
    ------
    ValueError
        If the two sides do not hold the same utterances in the same order.
    """

    gold: PhoneSequences
    predicted: PhoneSequences
    gold_audit: SymbolAudit = ()
    predicted_audit: SymbolAudit = ()
    speakers: tuple[str, ...] | None = None
    unpaired: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.gold.utterances != self.predicted.utterances:
            raise ValueError("gold and predicted must hold the same utterances in the same order")

    def select(self, utterances: NDArray[np.int64]) -> "Corpus":
        """Return the utterances at these positions, in that order, without audits, which are of the whole."""
        return Corpus(
            gold=self.gold.select(utterances),
            predicted=self.predicted.select(utterances),
            speakers=None if self.speakers is None else tuple(self.speakers[place] for place in utterances),
        )

    @cached_property
    def speaker_numbers(self) -> Codes | None:
        """The number of each utterance's speaker, [U], whatever their names are; None where none are known."""
        if self.speakers is None:
            return None
        return numbered_speakers(self.speakers, contents_of(self.gold, self.predicted).tolist())

    @property
    def utterances(self) -> tuple[str, ...]:
        """The utterance ids."""
        return self.gold.utterances

    @property
    def gold_inventory(self) -> Inventory:
        """The phones of the analysed language."""
        return self.gold.inventory

    @property
    def predicted_inventory(self) -> Inventory:
        """The recogniser's phones."""
        return self.predicted.inventory
