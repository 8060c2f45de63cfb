"""One corpus of an experiment as it was loaded."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from phonxling.core.corpus import Corpus, SymbolAudit
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedCorpus:
    """One corpus of an experiment.

    Parameters
    ----------
    name, role, recogniser : str
        As configured; `recogniser` is None when not named.
    gold : PhoneSequences
        Gold phones, before pairing.
    corpus : Corpus, optional
        Gold paired with predicted phones, when there are predictions.
    posteriorgrams, segments : optional
        Posteriors, and gold with times, when both are there.
    audits : mapping of str to SymbolAudit
        By side: gold, predicted, posteriors, segments.
    symbols : mapping of str to str
        The symbol sets, and the rules for symbols, of gold and predicted, for the signature.
    untied : tuple of str
        Ids that were left out because posteriors or segments alone have them (none unless a share was allowed).
    notes : tuple of str
        What a user should know of the data.
    """

    name: str
    role: str
    recogniser: str | None
    gold: PhoneSequences
    corpus: Corpus | None
    posteriorgrams: Posteriorgrams | None
    segments: PhoneSequences | None
    audits: Mapping[str, SymbolAudit]
    symbols: Mapping[str, str]
    untied: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def raw(self) -> bool:
        """Whether a side's symbols are compared as they stand, and so have no features."""
        return "raw" in self.symbols["sym"].split(",")
