"""One corpus of an experiment as it was loaded, and whether it can be held against the reference language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from pathlib import Path
from typing import NamedTuple

from phonxling.core.errors import ConfigurationError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory, merge
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import Corpus, PhoneSequences, SymbolAudit, Transcript
from phonxling.load.remote import local
from phonxling.load.resources import Base, Language, load_features, load_languages, panphon_features, rows_of
from phonxling.load.text import is_file
from phonxling.phones.symbols import LABELS
from phonxling.settings.models import Expected, Experiment


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedCorpus:
    name: str
    role: str
    recogniser: str | None
    inventory: Inventory | None = None
    gold: PhoneSequences
    corpus: Corpus | None
    people: Corpus | None = None
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    posteriorgrams: Posteriorgrams | None
    segments: PhoneSequences | None
    forced: bool = False
    audits: Mapping[str, SymbolAudit]
    symbols: Mapping[str, str]
    untied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decoded: Transcript | None = None
    decoder: str = ""
    language: Language | None = None

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


class RecogniserInventory(NamedTuple):
    """The phones that a recogniser can predict, and why they may not be all: what it happened to predict tells none."""

    phones: Inventory
    missing: str

    @property
    def declared(self) -> bool:
        return not self.missing


def recogniser_inventory(loaded: LoadedCorpus, corpora: Sequence[LoadedCorpus]) -> RecogniserInventory:
    """Return what the configuration, and the columns of posteriors, declare of a corpus' recogniser."""
    name = loaded.recogniser
    own = [loaded, *(other for other in corpora if other is not loaded and name and other.recogniser == name)]
    columns = [other.posteriorgrams.inventory for other in own if other.posteriorgrams is not None]
    declared = columns if loaded.inventory is None else [loaded.inventory, *columns]
    predicted = [other.corpus.predicted_inventory for other in own if other.corpus is not None]
    symbols, named = loaded.symbols["sym"].split(",")[-1], f"name: {name}, " * bool(name)
    line = f"recogniser: {{{named}inventory: {symbols if symbols in LABELS else 'phones.txt'}}}"
    undeclared = f"the recogniser’s inventory is not declared: write {line}"
    return RecogniserInventory(reduce(merge, [*predicted, *declared]), "" if declared else undeclared)


def languages_of(experiment: Experiment) -> dict[str, Language]:
    """Return what the table of languages says of each corpus; DataError for corpora of which it says nothing."""
    if experiment.languages is None:
        return {}
    codes = {name: settings.language for name, settings in experiment.corpora.items()}
    path = local(experiment.languages)
    return rows_of(path, load_languages(path), codes)


def features_of(experiment: Experiment) -> FeatureTable:
    """Return the feature table, panphon's or the user's, that an experiment's costs and rules of symbols rest on."""
    chosen = experiment.features
    if chosen.path is None:
        if chosen.base == "none":
            raise ConfigurationError("features: base none leaves no feature table; give its path")
        return panphon_features()
    path = local(chosen.path)
    state = path.stat() if is_file(path) else None
    return _loaded(path, chosen.base, None if state is None else (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=4)
def _loaded(path: Path, base: Base, _: tuple[int, int] | None) -> FeatureTable:
    return load_features(path, base)
