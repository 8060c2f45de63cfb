"""Error rates: how many phones are wrong, and how wrong they are.

Conventions
-----------
C is a confusion matrix with ∅, c(p→q) the cost of an edit, Lev the least cost of turning gold into predicted.
Rates are per gold phone; insertions count in the numerator only, so a rate may exceed 1. Lower is better.

Measures
--------
`phone_error_rate`, `weighted_phone_error_rate` (pooled).

References
----------
Morris, Maier & Green (2004), From WER and RIL to MER and WIL. NIST SCTK, sclite. Mortensen et al. (2016), PanPhon.
"""

import math
from dataclasses import dataclass

from phonxling.alignment.corpus import least_costs
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable, cost_table
from phonxling.core.errors import refuse_other
from phonxling.core.sequences import Corpus

NO_RATE = " costs weigh edits for aligning; they are no phonetic distances"  # after the name of the costs
_OF_A_MATRIX = (
    "phone_error_rate: a ConfusionMatrix does not have the least number of edits, which PER is; give the corpus: "
    "px.phone_error_rate(corpus)"
)


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

    @property
    def errors(self) -> float:
        """Substituted + deleted + inserted phones."""
        return self.substitutions + self.deletions + self.insertions


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
    TypeError
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
        raise TypeError(_OF_A_MATRIX)
    refuse_other(corpus, Corpus, "corpus", "px.load_corpus(gold, predicted) gives one")
    unit = cost_table("unit", corpus.gold_inventory, corpus.predicted_inventory, None)
    tokens = len(corpus.gold.codes)
    return float(least_costs(corpus.gold, corpus.predicted, unit).sum()) / tokens if tokens else math.nan


def aligned_error_rate(matrix: ConfusionMatrix) -> float:
    """Return the errors of the alignment behind a matrix over its gold phones; NaN without these."""
    counted = operations(matrix)
    return counted.errors / counted.gold_tokens if counted.gold_tokens else math.nan


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
    refuse_other(matrix, ConfusionMatrix, "matrix", "px.count_confusions(aligned) gives one")
    refuse_other(costs, CostTable, "costs", "px.feature_costs(matrix.gold, matrix.predicted) gives some")
    if (costs.gold, costs.predicted) != (matrix.gold, matrix.predicted):
        raise ValueError("the costs are not between the matrix' gold and predicted phones")
    tokens = float(matrix.tokens.sum())
    return float((matrix.counts * costs.with_gaps()).sum()) / tokens if tokens else math.nan
