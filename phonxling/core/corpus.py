"""A corpus: gold and predicted phones of the same utterances, in the same order."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arguments import refuse
from phonxling.core.arrays import Codes
from phonxling.core.display import ROWS, Shown, counted, tidy
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences, contents_of, numbered_speakers

if TYPE_CHECKING:
    from phonxling.core.display import DataFrame


Action = Literal["kept", "folded", "mapped", "split", "merged", "silence", "boundary", "dropped", "unknown"]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One raw symbol (or one fate of it): what it became, by which action, and how many tokens."""

    raw: str
    symbol: str
    action: Action
    count: int
    features: Literal["table", "composed", "none"]


SymbolAudit = tuple[AuditRow, ...]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Corpus(Shown):
    """Paired gold and predicted phone sequences.

    Parameters
    ----------
    gold, predicted : PhoneSequences
        The same utterances in the same order.
    gold_audit, predicted_audit : SymbolAudit
        What became of each raw symbol.
    speakers : tuple of str, optional
        One an utterance.
    prompts : tuple of str, optional
        The sentence of each utterance, which several speakers may read.
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
    prompts: tuple[str, ...] | None = None
    unpaired: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sides = {"gold": ((PhoneSequences,), False), "predicted": ((PhoneSequences,), False)}
        for side in sides:
            refuse(Corpus, side, getattr(self, side), sides)
        if self.gold.utterances != self.predicted.utterances:
            raise ValueError("gold and predicted must hold the same utterances in the same order")

    def _facts(self) -> Iterator[str]:
        yield " and ".join(dict.fromkeys(side.source for side in (self.gold, self.predicted) if side.source))
        yield counted(len(self.utterances), "utterance")
        yield counted(len(set(self.speakers)), "speaker") if self.speakers is not None else ""
        for name, side in (("gold phone", self.gold), ("predicted phone", self.predicted)):
            yield f"{counted(len(side.codes), name)} ({len(side.inventory)} distinct)"
        yield f"{counted(len(self.unpaired), 'utterance')} left out, without a partner" if self.unpaired else ""

    def _head(self) -> "DataFrame":
        return self.select(np.arange(min(ROWS, len(self.utterances)))).to_frame()

    def to_frame(self) -> "DataFrame":
        """Return a row an utterance: utterance, speaker (where known), gold and predicted phones with spaces between.

        `gold_phones` and `predicted_phones` are how many they are. For a row a phone: `corpus.gold.to_frame()`.
        """
        sides = {"gold": self.gold, "predicted": self.predicted}
        utterances = range(len(self.utterances))
        texts = {name: [" ".join(side.phones_of(u)) for u in utterances] for name, side in sides.items()}
        numbers = {f"{name}_phones": side.lengths for name, side in sides.items()}
        return tidy({"utterance": [*self.utterances], "speaker": self.speakers, **texts, **numbers})

    def select(self, utterances: NDArray[np.int64]) -> "Corpus":
        """Return the utterances at these positions, in that order, without audits, which are of the whole."""
        return Corpus(
            gold=self.gold.select(utterances),
            predicted=self.predicted.select(utterances),
            speakers=None if self.speakers is None else tuple(self.speakers[place] for place in utterances),
            prompts=None if self.prompts is None else tuple(self.prompts[place] for place in utterances),
        )

    @cached_property
    def prompt_numbers(self) -> Codes:
        """The number of each utterance's prompt, [U]: by name, or the same where gold phones are the same."""
        names = contents_of(self.gold) if self.prompts is None else np.array(self.prompts)
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

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
