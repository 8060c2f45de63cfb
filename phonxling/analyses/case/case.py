"""One corpus of an experiment, as an analysis is given it: loaded, aligned, counted, with the reference beside it."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.features import features_for
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.token_resampling import token_resampling
from phonxling.analyses.rows import Row
from phonxling.core.means import TokenPosteriors
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.work import SERIAL, Work
from phonxling.phones.natural_classes import NaturalClasses, natural_classes
from phonxling.resample.weights import Resampling
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table

if TYPE_CHECKING:
    from phonxling.analyses.map.embedding import PhoneMap

Items = Iterator[Row | tuple[str, Table]]
"""What an analysis yields: rows of the summary, and tables by name."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """A corpus with what was made of it.

    Parameters
    ----------
    loaded : LoadedCorpus
        Its phones, posteriors and segments.
    experiment : Experiment
        The configuration; an analysis is given its own section of it beside the case.
    aligned : AnalysedCorpus, optional
        Alignments, counts and chance levels, where there are predictions.
    tokens : TokenPosteriors, optional
        The mean posterior of each gold token, where there are posteriors.
    reference : Case, optional
        The language that the recogniser was trained on; None for that language itself, or where none is given.
    corpora : tuple of LoadedCorpus
        All corpora of the experiment.
    phone_map : PhoneMap, optional
        The map of all corpora with posteriors.
    work : Work
        Who computes.
    """

    loaded: LoadedCorpus
    experiment: Experiment
    aligned: AnalysedCorpus | None = None
    tokens: TokenPosteriors | None = None
    reference: "Case | None" = None
    corpora: tuple[LoadedCorpus, ...] = ()
    phone_map: "PhoneMap | None" = None
    work: Work = SERIAL

    @property
    def name(self) -> str:
        """The corpus' name."""
        return self.loaded.name

    @property
    def counted(self) -> AnalysedCorpus:
        """Alignments and counts; AssertionError for a corpus without predictions, which gets no analysis of them."""
        if self.aligned is None:
            raise AssertionError(f"{self.name} has no predictions")
        return self.aligned

    @property
    def is_reference(self) -> bool:
        """Whether this is the reference language."""
        return self.loaded.role == "reference"

    @property
    def level(self) -> float:
        """The level of intervals."""
        return self.experiment.uncertainty.level

    @cached_property
    def features(self) -> FeatureTable:
        """The feature table of the corpus' symbols; without rows for raw ones."""
        return features_for(self.experiment, raw=self.loaded.raw)

    @cached_property
    def classes(self) -> NaturalClasses:
        """The default natural classes of the gold phones."""
        return natural_classes(self.counted.path.gold_inventory, self.features)

    @cached_property
    def token_resampling(self) -> Resampling | None:
        """The bootstrap weights of the utterances with posteriors, None without such."""
        if self.tokens is None or self.loaded.segments is None:
            return None
        return token_resampling(self.loaded.segments, self.aligned, self.experiment)

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of this corpus for one purpose: no other setting moves them."""
        key = [self.experiment.seed, zlib.crc32(self.name.encode()), zlib.crc32(purpose.encode())]
        return np.random.default_rng(key)
