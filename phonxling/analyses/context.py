"""One corpus of an experiment as an analysis is given it, and the signature to be quoted beside its numbers."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.confusions import count_confusions, count_operations, stack_confusions
from phonxling.alignment.corpus import align_sequences, least_costs
from phonxling.analyses import loaded as loading
from phonxling.analyses.chance import ChanceLevel, ChanceSettings, chance_levels, errors_over_clusters
from phonxling.analyses.costs import costs_in_use, observed_phones
from phonxling.analyses.loaded import LoadedCorpus, RecogniserInventory, features_of
from phonxling.analyses.measures import Row
from phonxling.analyses.statistics import (
    STATISTICS,
    CountSettings,
    MeasuredValue,
    beside_chance,
    halves_of,
    measure_statistics,
)
from phonxling.configuration.models import Experiment
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.costs import CostTable, cost_table, is_feature_cost
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import merge
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import Corpus, PhoneSequences, contents_of, numbered_speakers
from phonxling.core.work import SERIAL, Work
from phonxling.phones.symbols import LABELS
from phonxling.results.tables import Table
from phonxling.stats.jackknife import Clusters, clusters_of
from phonxling.version import __version__

if TYPE_CHECKING:
    from phonxling.analyses.forced import ForcedCorpus
    from phonxling.analyses.map import PhoneMap
    from phonxling.analyses.mispronunciation import Detection
    from phonxling.phones.chart import NaturalClasses


AnalysisOutput = Iterator[Row | tuple[str, Table]]  # what an analysis yields: rows of the summary, and tables by name
T = TypeVar("T")
RAW_NOTE = "raw symbols have no phonological features"


@dataclass(frozen=True, eq=False, kw_only=True)
class CorpusContext:
    """A corpus with what is made of it, which is computed when it is first asked for.

    What rests on predictions, or posteriors, raises AssertionError for a corpus without: it gets no analysis of them.
    """

    loaded: LoadedCorpus
    experiment: Experiment
    quick: bool = False  # whether a rate is asked for at once, and statistics beside chance perhaps never
    tokens: TokenPosteriors | None = None  # what posteriors say of each gold token, at times in gold or forced ones
    forced: "ForcedCorpus | None" = None
    reference: "CorpusContext | None" = None
    corpora: tuple[LoadedCorpus, ...] = ()
    phone_map: "PhoneMap | None" = None
    work: Work = SERIAL

    @property
    def name(self) -> str:
        return self.loaded.name

    @property
    def corpus(self) -> Corpus:
        return self.require(self.loaded.corpus, "predictions")

    @cached_property
    def costs(self) -> CostTable:
        """The costs that align phones and weigh errors."""
        corpus = self.corpus
        return costs_in_use(corpus.gold_inventory, corpus.predicted_inventory, self.experiment, observed_phones(corpus))

    @cached_property
    def alignments(self) -> Alignments:
        return align_sequences(self.corpus.gold, self.corpus.predicted, self.costs, self.work)

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        return count_confusions(self.alignments)

    @cached_property
    def stack(self) -> ConfusionStack:
        """The same counts by utterance, of which clusters are left out."""
        return stack_confusions(self.alignments)

    @cached_property
    def operations(self) -> NDArray[np.int64]:
        """Each utterance's correct, substituted, deleted, inserted phones, [U, 4]."""
        return count_operations(self.alignments)

    @cached_property
    def cost(self) -> Floats:
        """What each utterance's alignment costs, [U]."""
        return self.alignments.cost / self.alignments.denominator

    @cached_property
    def unit_cost(self) -> Floats:
        """The least number of edits of each utterance, [U], which need not be those of the alignment."""
        return least_costs(self.corpus.gold, self.corpus.predicted, self._unit_costs, self.work)

    @property
    def gold_tokens(self) -> Floats:
        return self.corpus.gold.lengths.astype(np.float64)

    @cached_property
    def clusters(self) -> Clusters:
        """Who is left out: speakers, of whom each utterance has one by name and by number, or utterances."""
        corpus, drawn = self.corpus, self.experiment.uncertainty.prompts == "drawn"
        prompts = corpus.prompt_numbers if drawn else None
        return self._cluster(corpus.speakers, corpus.speaker_numbers, corpus.gold, corpus.predicted, prompts=prompts)

    def _cluster(
        self, names: Sequence[str] | None, numbers: Codes | None, *tiers: PhoneSequences, prompts: Codes | None = None
    ) -> Clusters:
        gold = tiers[0]
        return clusters_of(
            gold.lengths.astype(np.float64),
            numbers,
            cluster=self.experiment.uncertainty.cluster,
            level=self.level,
            names=names or gold.utterances,
            utterances=gold.utterances,
            prompts=prompts,
            # by what is said, then by the answers to it: neither names nor the order of a file decide
            rank=np.lexsort([contents_of(one) for one in reversed(tiers)]).argsort(),
        )

    @cached_property
    def counting(self) -> CountSettings:
        half = np.zeros(len(self.corpus.gold), np.int8)
        # One utterance cannot be halved: what is matched across halves is not defined then.
        if len(half) > 1:
            half = halves_of(self.corpus, self.experiment.seed, by_speaker=self.clusters.unit == "speaker")
        return CountSettings(half, gaps=self.experiment.entropy.gaps == "include")

    @cached_property
    def statistics(self) -> Mapping[str, MeasuredValue]:
        """The statistics of the confusions by name, with their values without each group of clusters."""
        return measure_statistics(STATISTICS, self.stack, self.clusters, self.counting)

    @property
    def entropy_shape(self) -> tuple[int, int]:
        """How many symbols entropies may have on either side."""
        gaps = int(self.counting.gaps)
        return len(self.stack.gold) + gaps, len(self.stack.predicted) + gaps

    @cached_property
    def unit_chance(self) -> list[ChanceLevel]:
        """The chance levels of the rate of unit costs."""
        return self._chance_levels(self.unit_cost, self._unit_costs)

    @cached_property
    def chance(self) -> list[ChanceLevel]:
        """The chance levels of the rate of the costs in use."""
        # Its draws end by themselves, so they are the same with those of statistics, which take much longer.
        return self._chance_levels(self.cost, self.costs) if self.quick else self.statistics_chance

    @cached_property
    def statistics_chance(self) -> list[ChanceLevel]:
        """The chance levels of the same rate, and of the statistics that are set beside chance."""
        return self._chance_levels(self.cost, self.costs, tuple(one.name for one in beside_chance()))

    def _chance_levels(self, cost: Floats, costs: CostTable, names: tuple[str, ...] = ()) -> list[ChanceLevel]:
        """Return the chance levels of a rate of these costs, and of the statistics of these names."""
        measured, drawn = [self.statistics[name] for name in names], self.experiment.chance
        seed, counting = self.experiment.seed, self.counting if names else None
        errors = errors_over_clusters(cost, self.gold_tokens, self.clusters, measured)
        settings = ChanceSettings(drawn.models, drawn.replicates, seed, self.clusters, errors, counting, names)
        return chance_levels(self.corpus, settings, costs=costs, work=self.work)

    def align(self) -> None:
        """Align both sides, and what chance predicts, now and not when an analysis first asks for it."""
        _ = self.unit_chance, self.chance

    @property
    def _unit_costs(self) -> CostTable:
        return cost_table("unit", self.corpus.gold_inventory, self.corpus.predicted_inventory, None)

    @property
    def token_posteriors(self) -> TokenPosteriors:
        return self.require(self.tokens, "posteriors")

    @property
    def posteriorgrams(self) -> Posteriorgrams:
        return self.require(self.loaded.posteriorgrams, "posteriors")

    @property
    def segments(self) -> PhoneSequences:
        """The gold tokens with times that posteriors are tied to."""
        return self.require(self.loaded.segments, "times") if self.forced is None else self.forced.segments

    def require(self, value: T | None, what: str) -> T:
        if value is None:
            raise AssertionError(f"{self.name} has no {what}")
        return value

    @property
    def signature(self) -> str:
        """The line that fixes how numbers came about: what differs from the defaults, version, and hash."""
        every = _name_settings(self)
        parts = {key: value for key, value in every.items() if value != _USUAL.get(key)}
        # The hash is of all settings that move numbers. Paths say where data stand and figures how they look: neither
        # moves one, and what is in the files has parts of its own.
        excluded = {"corpora", "name", "folder", "figures", "report"}
        settings = _without_paths(self.experiment.model_dump(exclude=excluded))
        text = json.dumps([settings, every], sort_keys=True, ensure_ascii=False, default=str)
        line = "|".join(f"{key}:{value}" for key, value in (parts | {"v": __version__}).items())
        return f"{line}|{_shorten_digest(text.encode())}"

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
        return features_of(self.experiment)

    @cached_property
    def recogniser_inventory(self) -> RecogniserInventory:
        """What the configuration, and the columns of posteriors, declare of the recogniser in any corpus."""
        loaded, name = self.loaded, self.loaded.recogniser
        own = [loaded, *(other for other in self.corpora if other is not loaded and name and other.recogniser == name)]
        columns = [other.posteriorgrams.inventory for other in own if other.posteriorgrams is not None]
        declared = columns if loaded.inventory is None else [loaded.inventory, *columns]
        predicted = [other.corpus.predicted_inventory for other in own if other.corpus is not None]
        symbols, named = loaded.symbols["sym"].split(",")[-1], f"name: {name}, " * bool(name)
        line = f"recogniser: {{{named}inventory: {symbols if symbols in LABELS else 'phones.txt'}}}"
        # What a recogniser happened to predict does not tell what it can predict.
        undeclared = f"the recogniser’s inventory is not declared: write {line}"
        return RecogniserInventory(reduce(merge, [*predicted, *declared]), "" if declared else undeclared)

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

    @cached_property
    def classes(self) -> "NaturalClasses":
        """The natural classes of the phones of both sides, with those of the configuration."""
        from phonxling.phones.chart import natural_classes

        phones = merge(self.corpus.gold_inventory, self.corpus.predicted_inventory)
        return natural_classes(phones, self.features, self.experiment.classes)

    @cached_property
    def detection(self) -> "Detection | None":
        """What the recogniser makes of wrong and of right phones; None where nothing tells what should be said."""
        if self.loaded.canonical is None:
            return None
        from phonxling.analyses.mispronunciation import detect_in

        return detect_in(self.corpus, self.loaded.canonical, self.work)

    @property
    def without_tokens(self) -> str:
        """Why posteriors say nothing of any gold token, "" where they do."""
        return "" if len(self.token_posteriors) else "no gold token has a frame"

    @cached_property
    def _places(self) -> Codes | None:
        """Where the utterances of the segments stand in the aligned corpus; None unless it has them all."""
        corpus = self.loaded.corpus
        places = None if corpus is None else corpus.gold.places_of(self.segments.utterances)
        return None if places is None or (places < 0).any() else places

    @cached_property
    def token_speakers(self) -> Codes | None:
        """Who says each utterance of the segments, by number; None where that is unknown."""
        corpus, speakers = self.loaded.corpus, self.segments.speakers
        if corpus is not None and corpus.speaker_numbers is not None and self._places is not None:
            return corpus.speaker_numbers[self._places]
        return None if speakers is None else numbered_speakers(speakers, contents_of(self.segments).tolist())

    @cached_property
    def token_clusters(self) -> Clusters:
        """Who is left out of the utterances of the segments."""
        if self._places is not None:
            return self.clusters.at(self._places)
        return self._cluster(self.segments.speakers, self.token_speakers, self.segments)


_USUAL = {
    "costs": "panphon",
    "table": "panphon-0.22.2",
    "sym": "ipa,ipa",
    "unknown": "error",
    "tone": "tier",
    "tone_levels": "three",
    "silence": "drop",
    "closures": "merge",
    **dict.fromkeys(("diphthongs", "affricates", "length", "diacritics", "case", "position_marks"), "keep"),
    "expected": "all",
    "gaps": "exclude",
    "cluster": "auto",
    "prompts": "fixed",
    "level": "0.95",
    "seed": "20",
    "chance": "constant,unigram,bigram,shuffled",
}


def _without_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    nested = {key: _without_paths(value) if isinstance(value, Mapping) else value for key, value in settings.items()}
    return {key: value for key, value in nested.items() if not isinstance(value, Path)}


def _name_settings(case: CorpusContext) -> dict[str, str]:
    """Return what moves the numbers of one corpus, by a short key."""
    experiment, loaded, parts = case.experiment, case.loaded, dict[str, str]()
    expected, uncertain, own = experiment.expected, experiment.uncertainty, experiment.alignment
    if loaded.corpus is not None:
        costs = case.costs
        parts |= {"costs": costs.name, "table": experiment.features.table}
        if is_feature_cost(costs.name) and experiment.features.path is not None:
            parts["feat"] = features_of(experiment).digest[:4]
        gaps = (
            ("ins", own.insertion, costs.insertion_name, costs.insertion),
            ("del", own.deletion, costs.deletion_name, costs.deletion),
        )
        for key, chosen, name, values in gaps:
            if chosen != "auto":  # gaps whose costs differ by phone go by their name
                parts[key] = name or (f"{values[0] / costs.denominator:g}" if len(values) else "1")
        parts |= {} if own.ties == "auto" else {"ties": costs.ties}
        parts |= {"rounded": f"1/{costs.denominator}"} if costs.note else {}
    parts |= loaded.symbols
    if loaded.decoder:
        parts["predicted"] = f"decoded-{loaded.decoder}"
    if loaded.forced:
        parts |= {"times": "forced", "weights": experiment.times.weights}
    if loaded.inventory is not None:
        parts["inventory"] = f"{len(loaded.inventory)}/{_shorten_digest(' '.join(sorted(loaded.inventory)).encode())}"
    if isinstance(expected.common, Path):
        parts["same"] = f"table/{_shorten_digest(expected.common.read_bytes())}"
    elif expected.common != "exact":
        parts["same"] = f"features/{expected.distance:g}"
    parts |= {
        "expected": expected.predicted,
        "gaps": experiment.entropy.gaps,
        "chance": ",".join(experiment.chance.models),
        "cluster": uncertain.cluster,
        "prompts": uncertain.prompts,
        "level": f"{uncertain.level:g}",
        "seed": str(experiment.seed),
    }
    forced = case.reference is not None and case.reference.loaded.forced and not case.refusal
    return parts | ({"reference_times": "forced"} if forced else {})


def _shorten_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]
