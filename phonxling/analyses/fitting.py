"""Settings to costs: named ones, a user's tables, or learned ones; and costs as a corpus is aligned and weighed.

A rate under costs learned from the same utterances flatters itself, so every utterance is aligned and weighed under
costs learned from the other half of the corpus (cross-fitting).
"""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences, choose, choose_paths, expect_sequences
from phonxling.alignment.costs import LEARNED, TONE_WEIGHT, Gap, cost_table, is_feature_cost, learn, table_costs
from phonxling.analyses.loaded import features_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Aligned, Alignments
from phonxling.core.costs import CostTable, GapEntries, LearnedCosts, Ties, parse_cost
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory, merge
from phonxling.core.sequences import Corpus, PhoneSequences, contents_of
from phonxling.core.spelling import canonical
from phonxling.core.work import SERIAL, Work
from phonxling.count.confusions import count_costs, stack_confusions
from phonxling.load.resources import load_cost_table, load_gap_costs, panphon_features
from phonxling.resample.replicates import Halving
from phonxling.settings.checks import is_cost_path
from phonxling.settings.models import Experiment

GapSetting: TypeAlias = str | float | Fraction | Path | Mapping[str, float | Fraction] | GapEntries | None


class Learning(NamedTuple):
    """What learning costs takes."""

    start: CostTable
    insertion: Gap
    deletion: Gap
    rounds: int
    smoothing: float


Costs: TypeAlias = CostTable | Learning


def costs_of(
    name: str | Path,
    gold: Inventory,
    predicted: Inventory,
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    tone_weight: float | Fraction = TONE_WEIGHT,
    features: FeatureTable | None = None,
    within: tuple[Inventory, Inventory] | None = None,
) -> CostTable:
    """Return named costs, or those of the table at a path; a gap may be a number, "1/3", or the path of a table."""
    gaps = {"insertion": gap_of(insertion), "deletion": gap_of(deletion)}
    if isinstance(name, Path):
        return table_costs(load_cost_table(name), gold, predicted, ties=ties, **gaps)
    table = features or panphon_features()
    return cost_table(name, gold, predicted, table, ties=ties, tone_weight=tone_weight, within=within, **gaps)


def gap_of(setting: GapSetting) -> Gap:
    """Return a gap cost as a setting states it: a number, "1/3", costs by phone, or their path; None for `auto`."""
    if setting is None or setting == "auto":
        return None
    if isinstance(setting, Path):
        return load_gap_costs(setting)
    if isinstance(setting, str) and is_cost_path(setting):
        return load_gap_costs(Path(setting))
    try:
        if isinstance(setting, Mapping):
            phones = {canonical(phone): parse_cost(str(cost)) for phone, cost in setting.items()}
            digest = hashlib.sha256(repr(sorted(phones.items())).encode()).hexdigest()
            return GapEntries(phones=phones, source="gap costs", digest=digest)
        return parse_cost(setting) if isinstance(setting, str) else setting
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def attested(corpus: Corpus) -> tuple[Inventory, Inventory]:
    """Return the gold and the predicted phones that occur; costs over their largest rest on no declared inventory."""
    gold, predicted = (
        Inventory(tuple(side.inventory.phones[code] for code in np.unique(side.codes).tolist()))
        for side in (corpus.gold, corpus.predicted)
    )
    return gold, predicted


def costs_in_use(
    gold: Inventory,
    predicted: Inventory,
    experiment: Experiment,
    within: tuple[Inventory, Inventory] | None = None,
    *,
    scoring: bool = False,
) -> Costs:
    """Return the costs that align, or that weigh errors, where `same` is the aligning ones; or what learning takes."""
    chosen, learning = experiment.alignment, experiment.learning
    own = {part: value for part, value in experiment.scoring if scoring and value != "same"}
    name, *gaps = (own.get(part, getattr(chosen, part)) for part in ("costs", "insertion", "deletion"))
    insertion, deletion = map(gap_of, gaps)
    table = costs_of(
        learning.start if name == LEARNED else name,
        gold,
        predicted,
        insertion=insertion,
        deletion=deletion,
        ties=None if chosen.ties == "auto" else chosen.ties,
        tone_weight=chosen.tone_weight,
        features=features_of(experiment),
        within=within,
    )
    return Learning(table, insertion, deletion, learning.rounds, learning.smoothing) if name == LEARNED else table


def costs_between(target: Corpus, reference: Corpus, experiment: Experiment) -> CostTable | None:
    """Return the scoring costs between the target's gold phones and all that either corpus has as predicted."""
    predicted = merge(target.predicted_inventory, reference.predicted_inventory)
    costs = costs_in_use(target.gold_inventory, predicted, experiment, attested(target), scoring=True)
    return costs if isinstance(costs, CostTable) else None


def needs_features(experiment: Experiment) -> bool:
    """Return whether any costs of an experiment come from phonological features."""
    names = {experiment.alignment.costs, experiment.scoring.costs}
    names |= {experiment.learning.start} if LEARNED in names else set()
    return any(is_feature_cost(str(name)) for name in names)


def align_pairs(
    gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable, temperature: float | None, work: Work = SERIAL
) -> Aligned:
    """Return the one best alignment of each pair or, with a temperature, the average over its alignments."""
    if temperature is None:
        return align_sequences(gold, predicted, costs, work)
    return expect_sequences(gold, predicted, costs, temperature, work)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """The cost table of each utterance: one, or, of learned costs, that of its half."""

    tables: tuple[CostTable, ...]
    half: NDArray[np.int8]
    learned: tuple[LearnedCosts, ...] = ()

    def align(
        self, gold: PhoneSequences, predicted: PhoneSequences, temperature: float | None, work: Work = SERIAL
    ) -> Aligned:
        """Return each utterance's alignment, or expected one, under its table."""
        return choose([align_pairs(gold, predicted, table, temperature, work) for table in self.tables], self.half)

    def path(self, gold: PhoneSequences, predicted: PhoneSequences, work: Work = SERIAL) -> Alignments:
        """Return each utterance's best alignment under its table."""
        return choose_paths([align_sequences(gold, predicted, table, work) for table in self.tables], self.half)

    def cost(self, aligned: Aligned) -> Floats:
        """Return what each utterance's alignment costs under its table, [U]."""
        paid = np.stack([count_costs(aligned, table) / table.denominator for table in self.tables])
        return np.asarray(paid[self.half, np.arange(len(aligned))])

    def total(self, aligned: Aligned) -> Floats:
        """Return what all pairs of two phones cost together, [G + 1, P + 1], ∅ last."""
        stack = stack_confusions(aligned)
        sides = ((stack.total((self.half == side).astype(np.float64)), table) for side, table in enumerate(self.tables))
        return np.asarray(sum(matrix.counts * table.with_gaps() for matrix, table in sides))

    def note(self, corpus: Corpus, *, by_speaker: bool) -> str:
        """Return the note of a rate under these costs: rounding, or how they were learned; "" where there is none."""
        if not self.learned:
            return self.tables[0].note
        speakers = corpus.speakers if by_speaker and len(set(corpus.speakers or ())) > 1 else None
        names, unit = np.asarray(speakers or corpus.utterances), "speakers" if speakers else "utterances"
        sizes = " and ".join(str(len(set(names[self.half == side]))) for side in (0, 1))
        rounds = " and ".join(f"{len(one.rounds)}{'' if one.converged else ' (not converged)'}" for one in self.learned)
        return f"cross-fitted: costs learned on one half of the {unit} ({sizes}), scored on the other; {rounds} rounds"


def scored_cost(aligned: Aligned, fitted: Fitted, weighed: Fitted) -> Floats:
    """Return each utterance's cost under the scoring costs `weighed`, [U], of alignments made under `fitted`."""
    return aligned.cost / aligned.denominator if weighed is fitted else weighed.cost(aligned)


def fit(
    costs: Costs, gold: PhoneSequences, predicted: PhoneSequences, half: NDArray[np.int8] | None, work: Work = SERIAL
) -> Fitted:
    """Return given costs as they are; learned ones for each half, learned on the other."""
    if isinstance(costs, CostTable):
        return Fitted(tables=(costs,), half=np.zeros(len(gold), dtype=np.int8))
    if half is None:
        raise ValueError("costs can be learned on halves alone")
    learned = tuple(learn_from(costs, gold, predicted, np.flatnonzero(half != side), work) for side in (0, 1))
    return Fitted(tables=tuple(half_costs.costs for half_costs in learned), half=half, learned=learned)


def learn_from(
    costs: Learning, gold: PhoneSequences, predicted: PhoneSequences, chosen: Codes, work: Work = SERIAL
) -> LearnedCosts:
    """Return the costs learned from the utterances at these positions."""
    settings = costs._asdict()
    return learn(gold.select(chosen), predicted.select(chosen), settings.pop("start"), **settings, work=work)


def halving(corpus: Corpus, seed: int, *, by_speaker: bool) -> tuple[Halving, Codes]:
    """Return how halves are dealt, from the seed, and the cluster of each utterance, [U]."""
    if len(corpus.gold) < 2:
        msg = "learned costs need two utterances: they are learned on one half and scored on the other"
        raise DataError(f"{msg}; there are {len(corpus.gold)}. Use other costs")
    cluster, ordered = np.arange(len(corpus.gold)), contents_of(corpus.gold, corpus.predicted).argsort(kind="stable")
    if by_speaker and corpus.speaker_numbers is not None and corpus.speaker_numbers.any():
        cluster, ordered = corpus.speaker_numbers, np.arange(corpus.speaker_numbers.max() + 1)
    generator = np.random.default_rng([seed, zlib.crc32(b"halves")])
    sizes = np.bincount(cluster, weights=np.maximum(corpus.gold.lengths, 1)).astype(np.int64)
    return Halving(ordered[generator.permutation(len(sizes))], sizes), cluster


def whole_halves(dealt: Halving) -> NDArray[np.int8]:
    """Return the half of each cluster of the corpus itself, int8 [C]."""
    weights = np.repeat(np.array([[1, 0]], np.uint8), len(dealt.order), axis=0)
    dealt.deal(weights)
    return weights[:, 1].astype(np.int8)
