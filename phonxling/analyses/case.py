"""One corpus of an experiment, as an analysis is given it: loaded, aligned, counted, with the reference beside it."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from phonxling.analyses import loaded as loading
from phonxling.analyses.analysed import AnalysedCorpus, token_resampling
from phonxling.analyses.fitting import costs_between
from phonxling.analyses.forced import ForcedCorpus
from phonxling.analyses.loaded import LoadedCorpus, RecogniserInventory, features_of
from phonxling.analyses.rows import Row
from phonxling.analyses.same_phones import same_phones
from phonxling.core.arrays import Floats
from phonxling.core.costs import CostTable
from phonxling.core.features import FeatureTable
from phonxling.core.means import TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.phones.natural_classes import NaturalClasses, natural_classes
from phonxling.resample.intervals import Resampling
from phonxling.resample.replicates import replicate_group_sums
from phonxling.settings.files import TRIALS
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table

if TYPE_CHECKING:
    from phonxling.analyses.map import PhoneMap


_KEPT = 100_000_000  # bytes of one corpus' sums over replicates that are kept
Items = Iterator[Row | tuple[str, Table]]  # what an analysis yields: rows of the summary, and tables by name
Having = TypeVar("Having")


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """A corpus with what was made of it."""

    loaded: LoadedCorpus
    experiment: Experiment
    aligned: AnalysedCorpus | None = None
    tokens: TokenPosteriors | None = None
    forced: ForcedCorpus | None = None
    reference: "Case | None" = None
    corpora: tuple[LoadedCorpus, ...] = ()
    phone_map: "PhoneMap | None" = None
    work: Work = SERIAL
    deaf: bool = False

    @property
    def name(self) -> str:
        return self.loaded.name

    @property
    def of_trials(self) -> bool:
        """Whether the phones are listeners' answers, of which error rates, chance and order say nothing."""
        return self.experiment.corpora[self.name].gold.format == TRIALS

    @property
    def counted(self) -> AnalysedCorpus:
        """Alignments and counts; AssertionError for a corpus without predictions, which gets no analysis of them."""
        return self._had(self.aligned, "predictions")

    @property
    def token_posteriors(self) -> TokenPosteriors:
        """What posteriors say of each gold token; AssertionError without posteriors, which get no analysis of them."""
        return self._had(self.tokens, "posteriors")

    @property
    def posteriorgrams(self) -> Posteriorgrams:
        return self._had(self.loaded.posteriorgrams, "posteriors")

    @property
    def segments(self) -> PhoneSequences:
        """The gold tokens with times that posteriors are tied to; AssertionError without such."""
        own = self._had(self.loaded.segments, "gold tokens with times")
        return own if self.forced is None else self.forced.forced.segments

    def _had(self, value: Having | None, what: str) -> Having:
        if value is None:
            raise AssertionError(f"{self.name} has no {what}")
        return value

    @property
    def is_reference(self) -> bool:
        return self.loaded.role == "reference"

    @property
    def level(self) -> float:
        return self.experiment.uncertainty.level

    @cached_property
    def features(self) -> FeatureTable:
        """The feature table of the corpus' symbols; without rows for raw ones, even where they look like IPA."""
        table = self.all_features
        return replace(table, segments=(), values=table.values[:0]) if self.loaded.raw else table

    @property
    def all_features(self) -> FeatureTable:
        """The experiment's feature table, whether or not the corpus' symbols are raw."""
        return features_of(self.experiment)

    @cached_property
    def recogniser_inventory(self) -> RecogniserInventory:
        return loading.recogniser_inventory(self.loaded, self.corpora)

    @cached_property
    def refusal(self) -> str:
        """Why the corpus cannot be held against the reference, "" when it can."""
        if self.is_reference:
            return "this is the reference itself"
        return loading.refusal(self.loaded, self.reference.loaded if self.reference else None, self.experiment.expected)

    @property
    def reference_note(self) -> str:
        """What weakens a comparison with the reference, "" where nothing does."""
        if self.reference is None or self.refusal:
            return ""
        return loading.recogniser_note(self.loaded.recogniser, self.reference.loaded.recogniser)

    def same_phones(self, reference: "Case") -> dict[str, str]:
        matrices = self.counted.matrix, reference.counted.matrix
        return same_phones(*matrices, self.experiment.expected, features=self.all_features)

    def costs_beside(self, reference: "Case") -> CostTable | None:
        """Return the scoring costs of gold phones with all that either corpus has as predicted; see `costs_between`."""
        return costs_between(self.counted.corpus, reference.counted.corpus, self.experiment)

    @cached_property
    def classes(self) -> NaturalClasses:
        return natural_classes(self.counted.path.gold_inventory, self.features)

    @property
    def without_tokens(self) -> str:
        """Why posteriors say nothing of any gold token, "" where they do."""
        if len(self.token_posteriors):
            return ""
        return "no gold token has a frame" if self.forced is None else "no gold token is certain enough"

    @cached_property
    def token_resampling(self) -> Resampling:
        """The bootstrap weights of the utterances of the segments; AssertionError without segments."""
        return token_resampling(self.segments, self.aligned, self.experiment)

    @cached_property
    def drawn_mass(self) -> Floats | None:
        """What the gold tokens of each phone hold in each replicate, each token once, [R, G, K]."""
        tokens, drawn = self.token_posteriors, self.token_resampling
        if 8 * drawn.replicates * len(tokens.phones) * len(tokens.columns) > _KEPT:
            return None
        return replicate_group_sums(
            tokens.rows, tokens.codes, groups=len(tokens.phones), owner=tokens.utterances, resampling=drawn
        )

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers for one purpose: no other setting, and no name, moves them."""
        return np.random.default_rng([self.experiment.seed, zlib.crc32(purpose.encode())])
