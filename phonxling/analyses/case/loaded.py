"""One corpus of an experiment as it was loaded, and whether it can be held against the reference language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from phonxling.core.corpus import Corpus, SymbolAudit
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.settings.sections import Expected


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedCorpus:
    """One corpus of an experiment.

    Parameters
    ----------
    name, role, recogniser : str
        As configured; `recogniser` is None when not named.
    inventory : Inventory, optional
        The phones that the configuration declares of the recogniser.
    gold : PhoneSequences
        Gold phones, before pairing.
    corpus : Corpus, optional
        Gold paired with predicted phones, when there are predictions.
    posteriorgrams, segments : optional
        Posteriors, and the gold phones that they are tied to, when both are there.
    forced : bool
        Whether the segments have no times, or none that are to be used: they are found from the posteriors.
    audits : mapping of str to SymbolAudit
        By side: gold, predicted, posteriors, segments.
    symbols : mapping of str to str
        The symbol sets, and the rules for symbols, of gold and predicted, for the signature.
    untied : tuple of str
        Ids that were left out because posteriors or segments alone have them (none unless a share was allowed).
    notes : tuple of str
        What a user should know of the data.
    decoded : Transcript, optional
        The labels that were decoded from the posteriors, when no predictions were given.
    decoder : str
        How, for the signature; "" when predictions were given, or there are none.
    """

    name: str
    role: str
    recogniser: str | None
    inventory: Inventory | None = None
    gold: PhoneSequences
    corpus: Corpus | None
    posteriorgrams: Posteriorgrams | None
    segments: PhoneSequences | None
    forced: bool = False
    audits: Mapping[str, SymbolAudit]
    symbols: Mapping[str, str]
    untied: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    decoded: Transcript | None = None
    decoder: str = ""

    @property
    def peaky(self) -> bool:
        """Whether the predictions' times are those of the peaks of a CTC network, which are no times of phones."""
        return bool(self.decoder) and self.posteriorgrams is not None and self.posteriorgrams.blank is not None

    @property
    def raw(self) -> bool:
        """Whether a side's symbols are compared as they stand, and so have no features."""
        return "raw" in self.symbols["sym"].split(",")


def refusal(target: LoadedCorpus, reference: LoadedCorpus | None, settings: Expected) -> str:
    """Return why nothing can be expected for a target, "" when it can."""
    if reference is None:
        return "no corpus has the role reference"
    if reference.corpus is None:
        return f"the reference {reference.name} has no predictions"
    if one_recogniser(target, reference, settings):
        return ""
    names = f"{target.recogniser or 'not named'} here, {reference.recogniser or 'not named'} in {reference.name}"
    allow = "allow with expected: {allow_other_recogniser: true}"
    return f"another recogniser than that of the reference ({names}); {allow}"


def one_recogniser(first: LoadedCorpus, second: LoadedCorpus, settings: Expected) -> bool:
    """Return whether two corpora are of one recogniser, or may be compared all the same."""
    return first.recogniser == second.recogniser or settings.allow_other_recogniser


def recogniser_note(target: str | None, reference: str | None) -> str:
    """Return the warning to put beside numbers that compare two recognisers, "" when it is one."""
    if target == reference:
        return ""
    return f"another recogniser: {target or 'not named'}, reference {reference or 'not named'}"
