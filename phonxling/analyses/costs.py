"""What errors cost, and how many there are: settings to costs, and the error rates of one corpus or matrix.

C is a confusion matrix with ∅, c(p→q) the cost of an edit, by a name or a user's tables. PER is the least number of
edits over gold phones, wPER the total cost of an alignment, pooled. Insertions count in the numerator only, so a rate
may exceed 1. Lower is better.

References
----------
Morris, Maier & Green (2004), From WER and RIL to MER and WIL. NIST SCTK, sclite. Mortensen et al. (2016), PanPhon.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np

from phonxling.alignment.corpus import least_costs
from phonxling.analyses.loaded import features_of
from phonxling.configuration.checks import is_table_path
from phonxling.configuration.models import Experiment
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable, Gap, GapEntries, Ties, cost_table, is_feature_cost, parse_cost, table_costs
from phonxling.core.errors import ConfigurationError, DataError, check_arguments, refuse_other
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory, merge
from phonxling.core.sequences import Corpus
from phonxling.core.spelling import canonical_form
from phonxling.load.resources import load_cost_table, load_gap_costs, panphon_features

NO_RATE = " costs weigh edits for aligning; they are not phonetic distances"  # after the name of the costs
_OF_A_MATRIX = (
    "phone_error_rate: a ConfusionMatrix does not have the least number of edits, which PER is; give the corpus: "
    "px.phone_error_rate(corpus)"
)
GapSetting: TypeAlias = str | float | Fraction | Path | Mapping[str, float | Fraction] | GapEntries | None


def costs_of(
    name: str | Path,
    gold: Inventory,
    predicted: Inventory,
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    features: FeatureTable | None = None,
    within: tuple[Inventory, Inventory] | None = None,
) -> CostTable:
    """Return named costs, or those of the table at a path; a gap may be a number, "1/3", or the path of a table."""
    gaps = {"insertion": gap_of(insertion), "deletion": gap_of(deletion)}
    if isinstance(name, Path):
        return table_costs(load_cost_table(name), gold, predicted, ties=ties, **gaps)
    table = features or panphon_features()
    return cost_table(name, gold, predicted, table, ties=ties, within=within, **gaps)


def gap_of(setting: GapSetting) -> Gap:
    """Return a gap cost as a setting states it: a number, "1/3", costs by phone, or their path; None for `auto`."""
    if setting is None or setting == "auto":
        return None
    if isinstance(setting, Path):
        return load_gap_costs(setting)
    if isinstance(setting, str) and is_table_path(setting):
        return load_gap_costs(Path(setting))
    try:
        if isinstance(setting, Mapping):
            phones = {canonical_form(phone): parse_cost(str(cost)) for phone, cost in setting.items()}
            digest = hashlib.sha256(repr(sorted(phones.items())).encode()).hexdigest()
            return GapEntries(phones=phones, source="gap costs", digest=digest)
        return parse_cost(setting) if isinstance(setting, str) else setting
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def observed_phones(corpus: Corpus) -> tuple[Inventory, Inventory]:
    """Return the gold and the predicted phones that occur; costs over their largest rest on no declared inventory."""
    sides = [(side.inventory.phones, np.unique(side.codes).tolist()) for side in (corpus.gold, corpus.predicted)]
    gold, predicted = (Inventory(tuple(phones[code] for code in codes)) for phones, codes in sides)
    return gold, predicted


def costs_in_use(
    gold: Inventory, predicted: Inventory, experiment: Experiment, within: tuple[Inventory, Inventory] | None = None
) -> CostTable:
    """Return the costs that align phones and weigh errors."""
    own, table = experiment.alignment, features_of(experiment)
    gaps = {"insertion": own.insertion, "deletion": own.deletion}
    ties = None if own.ties == "auto" else own.ties
    return costs_of(own.costs, gold, predicted, **gaps, ties=ties, features=table, within=within)


def costs_between(target: Corpus, reference: Corpus, experiment: Experiment) -> CostTable:
    """Return the costs between the target's gold phones and all that either corpus has as predicted."""
    predicted = merge(target.predicted_inventory, reference.predicted_inventory)
    return costs_in_use(target.gold_inventory, predicted, experiment, observed_phones(target))


def needs_features(experiment: Experiment) -> bool:
    """Return whether the costs of an experiment come from phonological features."""
    return is_feature_cost(str(experiment.alignment.costs))


@dataclass(frozen=True, slots=True)
class Operations:
    """Numbers of correct, substituted, deleted and inserted phones."""

    correct: float
    substitutions: float
    deletions: float
    insertions: float

    @property
    def gold_tokens(self) -> float:
        """Gold phones: correct + substituted + deleted."""
        return self.correct + self.substitutions + self.deletions


def operations(matrix: ConfusionMatrix) -> Operations:
    """Return the numbers of operations of the alignment behind a matrix; correct means the same symbol.

    Examples
    --------
    >>> operations(ConfusionMatrix(["a", "b"], ["a"], [[3, 1], [2, 0], [1, 0]]))
    Operations(correct=3.0, substitutions=2.0, deletions=1.0, insertions=1.0)
    """
    correct = float(matrix.substitutions[matrix.same_symbol()].sum())
    substitutions = float(matrix.substitutions.sum()) - correct
    return Operations(correct, substitutions, float(matrix.deletions.sum()), float(matrix.insertions.sum()))


def phone_error_rate(corpus: Corpus) -> float:
    """Return PER: the least number of substitutions, deletions and insertions over gold phones; NaN without these.

    What a feature alignment has wrong is another number, so a confusion matrix is refused: `operations` counts it.

    Raises
    ------
    DataError
        If a matrix is given, which does not tell the least number of edits.

    Examples
    --------
    One of three phones is wrong, and one is inserted:

    >>> from phonxling.core.sequences import from_lists
    >>> sides = from_lists(["u"], [["a", "b", "a"]]), from_lists(["u"], [["a", "p", "a", "t"]])
    >>> phone_error_rate(Corpus(gold=sides[0], predicted=sides[1]))
    0.6666666666666666
    """
    if isinstance(corpus, ConfusionMatrix):
        raise DataError(_OF_A_MATRIX)
    refuse_other(corpus, Corpus, "corpus")
    unit = cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None)
    tokens = len(corpus.gold.codes)
    return float(least_costs(corpus.gold, corpus.predicted, unit).sum()) / tokens if tokens else math.nan


@check_arguments
def weighted_phone_error_rate(matrix: ConfusionMatrix, costs: CostTable) -> float:
    """Return wPER = Σ C[p,q]·c(p→q) / Σ_{p≠∅} C[p,q]: total cost over gold phones, pooled. NaN without gold phones.

    When `costs` are those of the alignment it equals Σ Lev / Σ |gold|.

    Raises
    ------
    ValueError
        If the costs are not between the matrix' inventories.

    Examples
    --------
    Two gold phones, one of them deleted at cost 1:

    >>> from phonxling.core.inventory import Inventory
    >>> a = Inventory(("a",))
    >>> gaps = {"deletion": [1], "insertion": [1]}
    >>> unit = CostTable(gold=a, predicted=a, substitution=[[0]], **gaps, denominator=1, name="unit")
    >>> weighted_phone_error_rate(ConfusionMatrix(["a"], ["a"], [[1, 1], [0, 0]]), unit)
    0.5
    """
    if (costs.gold, costs.predicted) != (matrix.gold, matrix.predicted):
        raise ValueError("the costs are not between the matrix' gold and predicted phones")
    tokens = float(matrix.tokens.sum())
    return float((matrix.counts * costs.with_gaps()).sum()) / tokens if tokens else math.nan
