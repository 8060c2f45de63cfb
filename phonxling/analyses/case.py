"""One corpus of an experiment, as an analysis is given it: loaded, aligned, counted, with the reference beside it.

The line that fixes how a number came about, `key:value|…`, to be quoted beside it.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from phonxling.alignment.costs import cost_table, is_feature_cost
from phonxling.analyses import loaded as loading
from phonxling.analyses.analysed import AnalysedCorpus, token_resampling
from phonxling.analyses.loaded import LoadedCorpus, RecogniserInventory, features_of
from phonxling.analyses.measures import Row
from phonxling.core.costs import CostTable
from phonxling.core.features import FeatureTable
from phonxling.core.files import digest
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, TokenPosteriors
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.forced.values import ForcedRules
from phonxling.resample.intervals import Resampling
from phonxling.settings.models import Experiment
from phonxling.tables.files import Table
from phonxling.version import __version__

if TYPE_CHECKING:
    from phonxling.analyses.forced import ForcedCorpus
    from phonxling.analyses.map import PhoneMap
    from phonxling.phones.natural_classes import NaturalClasses


Items = Iterator[Row | tuple[str, Table]]  # what an analysis yields: rows of the summary, and tables by name
Having = TypeVar("Having")


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """A corpus with what was made of it."""

    loaded: LoadedCorpus
    experiment: Experiment
    aligned: AnalysedCorpus | None = None
    tokens: TokenPosteriors | None = None
    forced: "ForcedCorpus | None" = None
    reference: "Case | None" = None
    corpora: tuple[LoadedCorpus, ...] = ()
    phone_map: "PhoneMap | None" = None
    work: Work = SERIAL

    @property
    def name(self) -> str:
        return self.loaded.name

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
        from phonxling.analyses.same_phones import same_phones

        matrices = self.counted.matrix, reference.counted.matrix
        return same_phones(*matrices, self.experiment.expected, features=self.all_features)

    @cached_property
    def classes(self) -> "NaturalClasses":
        from phonxling.phones.natural_classes import natural_classes

        return natural_classes(self.counted.corpus.gold_inventory, self.features)

    @property
    def without_tokens(self) -> str:
        """Why posteriors say nothing of any gold token, "" where they do."""
        return "" if len(self.token_posteriors) else "no gold token has a frame"

    @cached_property
    def token_resampling(self) -> Resampling:
        """The bootstrap weights of the utterances of the segments; AssertionError without segments."""
        return token_resampling(self.segments, self.aligned, self.experiment)

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers for one purpose: no other setting, and no name, moves them."""
        return np.random.default_rng([self.experiment.seed, zlib.crc32(purpose.encode())])


def of_costs(case: Case) -> str:
    return signature(case.experiment, case.loaded, case.counted.costs)


def of_people(case: Case) -> str:
    """Return the signature of numbers of a second transcriber, whose symbols it names; without one, of the costs."""
    line, file = of_costs(case), case.experiment.corpora[case.name].gold_second
    return line if file is None else _marked(line, second="+".join(Path(name).name for name in file.symbol_names))


def of_named_costs(costs: str) -> Callable[[Case], str]:
    """Return what gives the signature of numbers under costs of this name."""

    def line(case: Case) -> str:
        corpus = case.counted.corpus
        table = cost_table(costs, corpus.gold_inventory, corpus.predicted_inventory, case.all_features)
        return signature(case.experiment, case.loaded, table)

    return line


def of_boundaries(case: Case) -> str:
    """Return the signature of numbers of boundaries, which depend on how far apart two may be that meet."""
    return _marked(of_costs(case), tolerance=f"{case.experiment.boundaries.tolerance:g}")


def of_confidence(case: Case) -> str:
    """Return the signature of numbers from confidences, which depend on bins."""
    return _marked(of_costs(case), bins=str(case.experiment.confidence.bins))


def of_posteriors(case: Case, **further: str) -> str:
    """Return the signature of numbers from one corpus' posteriors, maybe beside the reference's, and of the map."""
    chosen, loaded, association = case.experiment.embedding, case.loaded, case.experiment.information
    parts = {
        **loaded.symbols,
        **(_forced(case.experiment) if loaded.forced else {}),
        "unit": association.unit,
        "perm": str(association.permutations),
        "map": f"{chosen.method}/{chosen.metric}/{chosen.n_neighbors}/{chosen.batches}",
        "seed": str(case.experiment.seed),
        "v": __version__,
    }
    if case.reference is not None and case.reference.loaded.forced:
        further["reference_times"] = "forced"
    return _marked(_line(parts), **further)


def of_quality(case: Case) -> str:
    chosen, table, drawn = case.experiment.confidence, case.experiment.confidence.map, case.token_resampling
    named = {} if table is None else {"same": f"{table.name}/{digest(table)[:8]}"}
    return of_posteriors(case, floor=f"{chosen.floor:g}", **named, boot=str(drawn.replicates), cluster=drawn.unit)


def with_inventory(line: str, inventory: RecogniserInventory) -> str:
    """Return the signature of numbers that the declared phones of a recogniser move; "" where none are declared."""
    return _marked(line, inventory=_inventory(inventory.phones)) if inventory.declared else ""


def signature(experiment: Experiment, loaded: LoadedCorpus, costs: CostTable) -> str:
    """Return the signature of numbers of one corpus under these costs."""
    expected, parts = experiment.expected, {"costs": costs.name}
    if is_feature_cost(costs.name):
        parts["feat"] = features_of(experiment).digest[:4]
    if costs.name == "panphon-weighted":
        parts["tonew"] = f"{experiment.alignment.tone_weight:g}"
    parts["ins"], parts["del"] = _gaps(costs)
    if costs.note:
        parts["rounded"] = f"1/{costs.denominator}"
    parts["ties"] = costs.ties
    parts |= loaded.symbols
    if loaded.decoder:
        parts["predicted"] = f"decoded-{loaded.decoder}"
    parts |= {"gaps": experiment.entropy.gaps, "support": experiment.entropy.support}
    if loaded.inventory is not None:
        parts["inventory"] = _inventory(loaded.inventory)
    if isinstance(expected.common, Path):
        parts["same"] = f"table/{hashlib.sha256(expected.common.read_bytes()).hexdigest()[:8]}"
    elif expected.common != "exact":
        parts["same"] = f"features/{expected.distance:g}"
    uncertain, speakers_known = experiment.uncertainty, loaded.corpus is not None and loaded.corpus.speakers is not None
    parts |= {
        "boot": str(uncertain.resamples),
        **({} if uncertain.method == "auto" else {"ci": uncertain.method}),
        "cluster": uncertain.cluster if speakers_known else "utterance",
        **({"prompts": uncertain.prompts} if uncertain.prompts == "drawn" else {}),
        "seed": str(experiment.seed),
        "v": __version__,
    }
    return _line(parts)


def _gaps(costs: CostTable) -> list[str]:
    """Return the costs of an insertion and of a deletion, by their name where phones differ."""
    sides = (costs.insertion, costs.insertion_name), (costs.deletion, costs.deletion_name)
    return [name or f"{values[0] / costs.denominator:g}" if len(values) else "-" for values, name in sides]


def _inventory(declared: Inventory) -> str:
    return f"{len(declared)}/{hashlib.sha256(' '.join(sorted(declared)).encode()).hexdigest()[:8]}"


def _forced(experiment: Experiment) -> dict[str, str]:
    """Return that times come from the posteriors, and how: weights of frames, and the rules."""
    chosen = experiment.forced
    rules = ",".join(f"{name}={value}" for name, value in asdict(ForcedRules(minimum=chosen.minimum_frames)).items())
    return {"times": "forced", "weights": chosen.weights, "force": rules}


def _line(parts: dict[str, str]) -> str:
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def _marked(line: str, **parts: str) -> str:
    """Return a signature with further parts before its version; a part that it has already stays as it is."""
    head, version = line.rsplit("|", 1)
    new = [f"{key}:{value}" for key, value in parts.items() if f"|{key}:" not in head]
    return "|".join([head, *new, version])
